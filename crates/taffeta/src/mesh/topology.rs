//! How nodes, edges and elements join: adjacency, boundary loops and connected components.

use std::collections::HashMap;

use super::{Element, MeshError, manifold};

/// An edge of a mesh, shared by one or two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its ends, in the order in which the first element walks them.
    pub nodes: [usize; 2],
    /// The element that came first in the list, then the other one if there is one.
    pub elements: [Option<usize>; 2],
}

impl Edge {
    /// Whether a single element has this edge.
    pub fn is_boundary(&self) -> bool {
        self.elements[1].is_none()
    }

    /// The element across this edge from `element`.
    pub(super) fn across(&self, element: usize) -> Option<usize> {
        let [first, second] = self.elements;
        if first == Some(element) { second } else { first }
    }
}

/// For each node, an ascending list of what touches it, in compressed rows.
#[derive(Clone, Debug)]
pub(super) struct Incidence {
    offsets: Vec<usize>,
    items: Vec<usize>,
}

impl Incidence {
    /// Item k touches the nodes of the k-th slice.
    fn new<'a>(node_count: usize, touched: impl Iterator<Item = &'a [usize]> + Clone) -> Self {
        let mut offsets = vec![0; node_count + 1];
        for &node in touched.clone().flatten() {
            offsets[node + 1] += 1;
        }
        for node in 0..node_count {
            offsets[node + 1] += offsets[node];
        }
        let mut next = offsets.clone();
        let mut items = vec![0; offsets[node_count]];
        for (item, nodes) in touched.enumerate() {
            for &node in nodes {
                items[next[node]] = item;
                next[node] += 1;
            }
        }
        Self { offsets, items }
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(super) fn of(&self, node: usize) -> &[usize] {
        &self.items[self.offsets[node]..self.offsets[node + 1]]
    }
}

/// Everything about a mesh that does not depend on where its nodes are.
#[derive(Clone, Debug)]
pub(super) struct Topology {
    pub(super) edges: Vec<Edge>,
    /// Per element; the fourth entry of a triangle is unused.
    pub(super) element_edges: Vec<[usize; 4]>,
    pub(super) node_elements: Incidence,
    pub(super) node_edges: Incidence,
    pub(super) boundary_loops: Vec<Vec<usize>>,
    pub(super) on_boundary: Vec<bool>,
    pub(super) components: Vec<usize>,
    pub(super) component_count: usize,
}

impl Topology {
    /// Joins elements whose node indices are in range and distinct, and refuses them unless they
    /// form an oriented surface.
    pub(super) fn build(node_count: usize, elements: &[Element]) -> Result<Self, MeshError> {
        let (edges, element_edges) = join_edges(elements)?;
        manifold::check_orientation(elements, &edges, &element_edges)?;
        let node_elements = Incidence::new(node_count, elements.iter().map(Element::nodes));
        manifold::check_fans(elements, &edges, &element_edges, &node_elements)?;
        let node_edges = Incidence::new(node_count, edges.iter().map(|edge| &edge.nodes[..]));
        let boundary_loops = walk_boundary(node_count, &edges);
        let mut on_boundary = vec![false; node_count];
        for &node in boundary_loops.iter().flatten() {
            on_boundary[node] = true;
        }
        let (components, component_count) = label_components(node_count, &edges);
        Ok(Self {
            edges,
            element_edges,
            node_elements,
            node_edges,
            boundary_loops,
            on_boundary,
            components,
            component_count,
        })
    }
}

/// Edges in order of first appearance, and the edges of each element.
fn join_edges(elements: &[Element]) -> Result<(Vec<Edge>, Vec<[usize; 4]>), MeshError> {
    let mut edges: Vec<Edge> = Vec::with_capacity(2 * elements.len());
    let mut element_edges = vec![[0; 4]; elements.len()];
    // Only ever looked up, so that its order of iteration cannot matter.
    let mut known = HashMap::with_capacity(2 * elements.len());
    for (e, element) in elements.iter().enumerate() {
        for (k, nodes) in element.sides().enumerate() {
            let edge = *known.entry(undirected(nodes)).or_insert(edges.len());
            element_edges[e][k] = edge;
            match edges.get_mut(edge) {
                None => edges.push(Edge { nodes, elements: [Some(e), None] }),
                Some(edge) if edge.is_boundary() => edge.elements[1] = Some(e),
                Some(edge) => {
                    return Err(MeshError::NonManifoldEdge {
                        nodes: edge.nodes,
                        elements: sharing(elements, edge.nodes),
                    });
                }
            }
        }
    }
    Ok((edges, element_edges))
}

fn undirected([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

/// All the elements that have the edge between two nodes.
fn sharing(elements: &[Element], nodes: [usize; 2]) -> Vec<usize> {
    let wanted = undirected(nodes);
    let has_edge = |e: &usize| elements[*e].sides().any(|side| undirected(side) == wanted);
    (0..elements.len()).filter(has_edge).collect()
}

/// The boundary loops, each from its lowest node, ordered by that node.
///
/// On an oriented surface without bow-ties one boundary edge leaves each boundary node, so that
/// following it always comes back to the start.
fn walk_boundary(node_count: usize, edges: &[Edge]) -> Vec<Vec<usize>> {
    let mut next = vec![None; node_count];
    for edge in edges.iter().filter(|edge| edge.is_boundary()) {
        next[edge.nodes[0]] = Some(edge.nodes[1]);
    }
    let mut loops = Vec::new();
    for start in 0..node_count {
        let mut nodes = Vec::new();
        let mut current = start;
        while let Some(following) = next[current].take() {
            nodes.push(current);
            current = following;
        }
        if !nodes.is_empty() {
            loops.push(nodes);
        }
    }
    loops
}

/// Labels the connected components in order of their lowest node; also how many there are.
fn label_components(node_count: usize, edges: &[Edge]) -> (Vec<usize>, usize) {
    let mut parent: Vec<usize> = (0..node_count).collect();
    for edge in edges {
        let [a, b] = edge.nodes.map(|node| find_root(&mut parent, node));
        // The lower root wins, so that a root is the lowest node of its component.
        parent[a.max(b)] = a.min(b);
    }
    let mut labels = vec![0; node_count];
    let mut count = 0;
    for node in 0..node_count {
        let root = find_root(&mut parent, node);
        if root == node {
            labels[node] = count;
            count += 1;
        } else {
            labels[node] = labels[root];
        }
    }
    (labels, count)
}

fn find_root(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}
