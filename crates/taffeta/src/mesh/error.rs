//! What can be wrong with a mesh, and how to fix it.

use glam::{DVec2, DVec3};
use thiserror::Error;

/// The first defect found in a mesh.
///
/// Every variant names the offending nodes and elements by their zero-based index, and its
/// message says how to fix them.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MeshError {
    /// There are no nodes.
    #[error("the mesh has no nodes: give at least three node positions")]
    NoNodes,
    /// There are no elements.
    #[error("the mesh has no elements: give at least one triangle or quad")]
    NoElements,
    /// A coordinate is NaN, infinite, or so large that areas would overflow.
    #[error("node {node} is at {position}: make every coordinate a finite number of magnitude at most 1e60")]
    UnusableCoordinate {
        /// The node.
        node: usize,
        /// Where it was said to be.
        position: DVec3,
    },
    /// An element refers to a node that does not exist.
    #[error(
        "element {element} refers to node {node}, but there are only {node_count} nodes: \
         use indices from 0 to {}", .node_count.saturating_sub(1)
    )]
    NodeOutOfRange {
        /// The element.
        element: usize,
        /// The index it used.
        node: usize,
        /// How many nodes there are.
        node_count: usize,
    },
    /// An element uses one node for two of its corners.
    #[error(
        "element {element} uses node {node} for more than one corner: give it distinct nodes, \
         or turn a quad with a repeated node into a triangle"
    )]
    RepeatedNode {
        /// The element.
        element: usize,
        /// The repeated node.
        node: usize,
    },
    /// A node belongs to no element.
    #[error("node {node} belongs to no element: remove it or use it in an element")]
    UnreferencedNode {
        /// The node.
        node: usize,
    },
    /// Two elements join the same set of nodes.
    #[error("elements {first} and {second} join the same nodes: remove one of them")]
    DuplicateElement {
        /// The element that comes first.
        first: usize,
        /// The element that repeats it.
        second: usize,
    },
    /// Two nodes of one connected piece of cloth are at the same place.
    #[error(
        "nodes {first} and {second} of one connected piece are at the same place: \
         weld them into one node, or move them apart"
    )]
    DuplicateNodes {
        /// The node of lower index.
        first: usize,
        /// The node of higher index.
        second: usize,
    },
    /// More than two elements share an edge.
    #[error(
        "the edge between nodes {} and {} is shared by elements {elements:?}: at most two elements \
         may meet at an edge, so remove the others or detach them with nodes of their own",
        .nodes[0], .nodes[1]
    )]
    NonManifoldEdge {
        /// The ends of the edge.
        nodes: [usize; 2],
        /// All the elements that share it, ascending.
        elements: Vec<usize>,
    },
    /// Two fans of elements touch at one node without sharing an edge there.
    #[error(
        "node {node} joins two groups of elements (elements {} and {} are in different ones) that \
         share no edge there: give each group a node of its own",
        .elements[0], .elements[1]
    )]
    NonManifoldNode {
        /// The node.
        node: usize,
        /// One element of each of two fans.
        elements: [usize; 2],
    },
    /// An element's corners run the other way round than most of the cloth's.
    #[error(
        "element {element} is inverted: it and its neighbour, element {neighbour}, both run from \
         node {} to node {}; reverse the corner order of element {element} ({inverted} elements \
         of this piece need reversing)",
        .nodes[0], .nodes[1]
    )]
    InvertedElement {
        /// The inverted element.
        element: usize,
        /// A neighbour that agrees with the majority.
        neighbour: usize,
        /// The shared edge, in the direction both elements walk it.
        nodes: [usize; 2],
        /// How many elements of the connected piece are inverted in the same way.
        inverted: usize,
    },
    /// The surface has a single side, so no choice of corner orders is consistent.
    #[error(
        "the piece of cloth that holds elements {} and {} is one-sided, like a Möbius band: no \
         reordering of corners gives it a front; cut it, for example along the edge between nodes \
         {} and {}",
        .elements[0], .elements[1], .nodes[0], .nodes[1]
    )]
    NonOrientable {
        /// An edge across which the two sides of the surface meet.
        nodes: [usize; 2],
        /// The elements at that edge.
        elements: [usize; 2],
    },
    /// An element has no area.
    #[error(
        "element {element} has no area: its corners are on one line; move a corner off the line \
         or remove the element"
    )]
    ZeroArea {
        /// The element.
        element: usize,
    },
    /// A quad is concave, folded over or self-crossing.
    #[error(
        "element {element} is a quad that is folded, concave or self-crossing at its corner \
         {corner} (node {node}): order its corners around its outline, or cut it into triangles"
    )]
    FoldedQuad {
        /// The element.
        element: usize,
        /// The corner, from 0 to 3, whose normal does not agree with the quad's.
        corner: usize,
        /// The node at that corner.
        node: usize,
    },
    /// The list of UVs does not have one entry for each element.
    #[error("there are UVs for {found} elements, but {expected} elements: give one entry for each")]
    UvCount {
        /// How many entries there are.
        found: usize,
        /// How many elements there are.
        expected: usize,
    },
    /// A UV is NaN, infinite, or so large that areas would overflow.
    #[error(
        "corner {corner} of element {element} has UV {uv}: make both coordinates finite numbers \
         of magnitude at most 1e60"
    )]
    UnusableUv {
        /// The element.
        element: usize,
        /// Its corner.
        corner: usize,
        /// The UV it was given.
        uv: DVec2,
    },
    /// An element has no area in the UV plane.
    #[error(
        "element {element} has no area in the UV plane: spread its UVs so that the warp and weft \
         directions are defined"
    )]
    ZeroAreaUv {
        /// The element.
        element: usize,
    },
    /// An element is mirrored in the UV plane.
    #[error(
        "element {element} is flipped in the UV plane: make its UVs run counter-clockwise, as its \
         corners do seen from the front (swap or negate one UV axis)"
    )]
    FlippedUv {
        /// The element.
        element: usize,
    },
    /// A quad is concave or self-crossing in the UV plane.
    #[error(
        "element {element} is a quad that is concave or self-crossing in the UV plane at its \
         corner {corner}: make its UVs a convex outline"
    )]
    FoldedUv {
        /// The element.
        element: usize,
        /// The corner, from 0 to 3, that turns the wrong way.
        corner: usize,
    },
    /// A grid has fewer than two nodes along a side.
    #[error("a grid of {nx} × {ny} nodes has no elements: give at least 2 nodes along each side")]
    GridTooSmall {
        /// Nodes along a row.
        nx: usize,
        /// Nodes along a column.
        ny: usize,
    },
    /// A grid has more nodes than memory could be expected to hold.
    #[error("a grid of {nx} × {ny} nodes is too large: ask for at most 2^26 nodes in all")]
    GridTooLarge {
        /// Nodes along a row.
        nx: usize,
        /// Nodes along a column.
        ny: usize,
    },
}
