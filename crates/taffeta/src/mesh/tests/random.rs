//! Random meshes and random garbage, checked against definitions applied by brute force.

use std::collections::BTreeMap;

use glam::DVec3;
use proptest::prelude::*;

use super::super::{Element, Mesh, MeshError};
use super::*;

/// A sheet of quads and pairs of triangles, in which nodes, elements and corners come in random
/// order.
#[derive(Clone, Debug)]
struct Shuffled {
    nx: usize,
    ny: usize,
    /// For each cell: not cut, cut forward, or cut backward.
    cuts: Vec<u8>,
    /// The new index of each node of the grid.
    renamed: Vec<usize>,
    parts: Parts,
}

fn shuffled() -> impl Strategy<Value = Shuffled> {
    let size = (2..8_usize, 2..8_usize);
    let sheet = size.prop_flat_map(|(nx, ny)| {
        let cuts = prop::collection::vec(0..3_u8, (nx - 1) * (ny - 1));
        let renamed = Just((0..nx * ny).collect::<Vec<_>>()).prop_shuffle();
        (Just((nx, ny)), cuts, renamed)
    });
    let cells = sheet.prop_flat_map(|((nx, ny), cuts, renamed)| {
        let mut elements = Vec::new();
        for (cell, &cut) in cuts.iter().enumerate() {
            let low = (cell / (nx - 1)) * nx + cell % (nx - 1);
            let [a, b, c, d] = [low, low + 1, low + nx + 1, low + nx].map(|node| renamed[node]);
            match cut {
                0 => elements.push(Element::Quad([a, b, c, d])),
                1 => elements.extend([[a, b, c], [a, c, d]].map(Element::Triangle)),
                _ => elements.extend([[a, b, d], [b, c, d]].map(Element::Triangle)),
            }
        }
        let turns = prop::collection::vec(0..4_usize, elements.len());
        let elements = Just(elements).prop_shuffle();
        (Just((nx, ny, cuts, renamed)), elements, turns)
    });
    cells.prop_map(|((nx, ny, cuts, renamed), mut elements, turns)| {
        for (element, turn) in elements.iter_mut().zip(turns) {
            match element {
                Element::Triangle(nodes) => nodes.rotate_left(turn % 3),
                Element::Quad(nodes) => nodes.rotate_left(turn),
            }
        }
        let mut positions = vec![DVec3::ZERO; nx * ny];
        for (node, &name) in renamed.iter().enumerate() {
            let (x, y) = ((node % nx) as f64, (node / nx) as f64);
            positions[name] = DVec3::new(x, y, 0.1 * (x * y).sin());
        }
        Shuffled { nx, ny, cuts, renamed, parts: (positions, elements) }
    })
}

/// The sides of all elements, by their undirected ends: which element, and in which direction.
fn brute_sides(elements: &[Element]) -> BTreeMap<[usize; 2], Vec<(usize, [usize; 2])>> {
    let mut sides: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (e, element) in elements.iter().enumerate() {
        let nodes = element.nodes();
        for k in 0..nodes.len() {
            let ends = [nodes[k], nodes[(k + 1) % nodes.len()]];
            let key = [ends[0].min(ends[1]), ends[0].max(ends[1])];
            sides.entry(key).or_default().push((e, ends));
        }
    }
    sides
}

/// Checks everything a mesh claims about how it hangs together, by definition.
fn check_adjacency(mesh: &Mesh) -> Result<(), TestCaseError> {
    let sides = brute_sides(mesh.elements());
    prop_assert_eq!(mesh.edges().len(), sides.len());
    for edge in mesh.edges() {
        let [a, b] = edge.nodes;
        let owners = &sides[&[a.min(b), a.max(b)]];
        prop_assert!(owners.len() <= 2);
        prop_assert_eq!(edge.elements[0], Some(owners[0].0));
        prop_assert_eq!(edge.nodes, owners[0].1);
        prop_assert_eq!(edge.elements[1], owners.get(1).map(|owner| owner.0));
        if let Some(second) = owners.get(1) {
            prop_assert_eq!(second.1, [b, a]);
        }
    }
    for (e, element) in mesh.elements().iter().enumerate() {
        let nodes = element.nodes();
        prop_assert_eq!(mesh.element_edges(e).len(), nodes.len());
        for (k, &edge) in mesh.element_edges(e).iter().enumerate() {
            let ends = mesh.edges()[edge].nodes;
            prop_assert!(ends.contains(&nodes[k]));
            prop_assert!(ends.contains(&nodes[(k + 1) % nodes.len()]));
        }
    }
    for node in 0..mesh.node_count() {
        let elements = mesh.elements().iter().enumerate();
        let touching = elements.filter(|(_, element)| element.nodes().contains(&node));
        let expected: Vec<_> = touching.map(|(e, _)| e).collect();
        prop_assert_eq!(mesh.node_elements(node), expected);
        let edges = mesh.edges().iter().enumerate();
        let ending = edges.filter(|(_, edge)| edge.nodes.contains(&node));
        let expected: Vec<_> = ending.map(|(k, _)| k).collect();
        prop_assert_eq!(mesh.node_edges(node), expected);
    }
    check_boundary(mesh)
}

/// Checks that each boundary edge is in exactly one loop, walked as its element walks it.
fn check_boundary(mesh: &Mesh) -> Result<(), TestCaseError> {
    let edges = mesh.edges().iter().filter(|edge| edge.is_boundary());
    let mut expected: Vec<_> = edges.map(|edge| edge.nodes).collect();
    let mut walked = Vec::new();
    for nodes in mesh.boundary_loops() {
        let next = nodes.iter().cycle().skip(1);
        walked.extend(nodes.iter().zip(next).map(|(&a, &b)| [a, b]));
        prop_assert_eq!(nodes.first(), nodes.iter().min());
    }
    expected.sort_unstable();
    walked.sort_unstable();
    prop_assert_eq!(&walked, &expected);
    for node in 0..mesh.node_count() {
        let on_edge = expected.iter().any(|nodes| nodes.contains(&node));
        prop_assert_eq!(mesh.is_boundary_node(node), on_edge);
    }
    Ok(())
}

proptest! {
    #[test]
    fn shuffled_sheets_are_sheets(sheet in shuffled()) {
        let Shuffled { nx, ny, cuts, renamed, parts } = sheet;
        let mesh = build(parts.clone()).unwrap();
        let cut = cuts.iter().filter(|&&cut| cut > 0).count();
        prop_assert_eq!(mesh.edges().len(), nx * (ny - 1) + ny * (nx - 1) + cut);
        prop_assert_eq!(mesh.euler_characteristic(), 1);
        prop_assert_eq!(mesh.genus(), 0);
        prop_assert_eq!(mesh.component_count(), 1);
        prop_assert_eq!(mesh.boundary_loops().len(), 1);
        prop_assert_eq!(mesh.boundary_loops()[0].len(), 2 * (nx + ny) - 4);
        let mut corners = [0, nx - 1, nx * (ny - 1), nx * ny - 1].map(|node| renamed[node]);
        corners.sort_unstable();
        prop_assert_eq!(mesh.corners(), corners);
        check_adjacency(&mesh)?;

        let triangles = mesh.triangles();
        prop_assert_eq!(triangles.len(), 2 * cuts.len());
        let elements = triangles.into_iter().map(Element::Triangle).collect();
        let cut = build((parts.0, elements)).unwrap();
        prop_assert_eq!(cut.boundary_loops(), mesh.boundary_loops());
    }

    #[test]
    fn the_same_input_gives_the_same_mesh(sheet in shuffled()) {
        let [first, second] = [(); 2].map(|()| format!("{:?}", build(sheet.parts.clone())));
        prop_assert_eq!(first, second);
    }

    #[test]
    fn a_reversed_element_is_found(sheet in shuffled(), pick in any::<prop::sample::Index>()) {
        let (positions, mut elements) = sheet.parts;
        // Of two elements, neither is more inverted than the other.
        prop_assume!(elements.len() > 2);
        let wrong = pick.index(elements.len());
        elements[wrong] = reversed(elements[wrong]);
        match build((positions, elements)) {
            Err(MeshError::InvertedElement { element, inverted, .. }) => {
                prop_assert_eq!((element, inverted), (wrong, 1));
            }
            other => prop_assert!(false, "{:?}", other.err()),
        }
    }

    #[test]
    fn removing_elements_leaves_a_surface_or_a_bow_tie(sheet in shuffled(), keep in any::<u64>()) {
        let (positions, elements) = sheet.parts;
        let kept = elements.into_iter().enumerate().filter(|(e, _)| keep >> (e % 64) & 1 == 1);
        let (positions, elements) = without_unused((positions, kept.map(|(_, e)| e).collect()));
        prop_assume!(!elements.is_empty());
        let fans_meet = (0..positions.len()).any(|node| fan_count(&elements, node) > 1);
        match build((positions, elements)) {
            Ok(mesh) => {
                prop_assert!(!fans_meet);
                check_adjacency(&mesh)?;
                prop_assert_eq!(mesh.component_count(), brute_components(&mesh));
                prop_assert_eq!(mesh.genus(), 0);
            }
            Err(MeshError::NonManifoldNode { .. }) => prop_assert!(fans_meet),
            Err(other) => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn garbage_is_refused_without_panic(
        coordinates in prop::collection::vec(prop::array::uniform3(coordinate()), 0..7),
        elements in prop::collection::vec(garbage_element(), 0..6),
    ) {
        let positions: Vec<_> = coordinates.into_iter().map(DVec3::from_array).collect();
        let parts = (positions, elements);
        let result = build(parts.clone());
        prop_assert_eq!(format!("{result:?}"), format!("{:?}", build(parts.clone())));
        match result {
            Ok(mesh) => check_adjacency(&mesh)?,
            Err(error) => check_claim(&error, &parts)?,
        }
    }
}

/// Checks that a mesh has the defect for which it was refused.
fn check_claim(error: &MeshError, (positions, elements): &Parts) -> Result<(), TestCaseError> {
    let nodes = |e: usize| elements[e].nodes();
    let walkers = |[a, b]: [usize; 2]| brute_sides(elements)[&[a.min(b), a.max(b)]].clone();
    let holds = match error {
        MeshError::NoNodes => positions.is_empty(),
        MeshError::NoElements => elements.is_empty(),
        MeshError::UnusableCoordinate { node, .. } => {
            !positions[*node].is_finite() || positions[*node].max_element() == f64::MAX
        }
        MeshError::NodeOutOfRange { element, node, .. } => nodes(*element).contains(node) && *node >= positions.len(),
        MeshError::RepeatedNode { element, node } => nodes(*element).iter().filter(|&other| other == node).count() > 1,
        MeshError::UnreferencedNode { node } => !elements.iter().any(|e| e.nodes().contains(node)),
        MeshError::DuplicateElement { first, second } => {
            first < second
                && nodes(*first).len() == nodes(*second).len()
                && nodes(*first).iter().all(|node| nodes(*second).contains(node))
        }
        MeshError::DuplicateNodes { first, second } => {
            first < second && positions[*first].distance(positions[*second]) < 1e-10
        }
        MeshError::NonManifoldEdge { nodes, elements } => {
            let owners: Vec<_> = walkers(*nodes).iter().map(|walker| walker.0).collect();
            owners.len() > 2 && owners == *elements
        }
        MeshError::NonManifoldNode { node, .. } => fan_count(elements, *node) > 1,
        MeshError::InvertedElement { element, neighbour, nodes, .. } => {
            let mut expected = vec![(*element, *nodes), (*neighbour, *nodes)];
            expected.sort_unstable();
            walkers(*nodes) == expected
        }
        MeshError::NonOrientable { nodes, elements } => {
            let owners: Vec<_> = walkers(*nodes).iter().map(|walker| walker.0).collect();
            owners == elements
        }
        MeshError::ZeroArea { element } => {
            let corner = |k: usize| positions[nodes(*element)[k]];
            (corner(1) - corner(0)).cross(corner(2) - corner(0)).length() < 1e-8
        }
        MeshError::FoldedQuad { element, corner, node } => nodes(*element).get(*corner) == Some(node),
        _ => false,
    };
    prop_assert!(holds, "{:?}", error);
    Ok(())
}

fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        60 => (0..4_i32).prop_map(f64::from),
        1 => Just(f64::NAN),
        1 => Just(f64::MAX),
        1 => Just(f64::MIN_POSITIVE),
    ]
}

fn garbage_element() -> impl Strategy<Value = Element> {
    let node = || prop_oneof![40 => 0..6_usize, 1 => Just(usize::MAX)];
    prop_oneof![
        prop::array::uniform3(node()).prop_map(Element::Triangle),
        prop::array::uniform4(node()).prop_map(Element::Quad),
    ]
}

/// Drops the nodes that no element has.
fn without_unused((positions, mut elements): Parts) -> Parts {
    let used = |node: &usize| elements.iter().any(|e| e.nodes().contains(node));
    let kept: Vec<_> = (0..positions.len()).filter(used).collect();
    let rename = |node: usize| kept.partition_point(|&other| other < node);
    for element in &mut elements {
        match element {
            Element::Triangle(nodes) => *nodes = nodes.map(rename),
            Element::Quad(nodes) => *nodes = nodes.map(rename),
        }
    }
    (kept.iter().map(|&node| positions[node]).collect(), elements)
}

/// Merges `groups` until none are linked, and counts what is left.
fn merged(mut groups: Vec<Vec<usize>>, linked: impl Fn(usize, usize) -> bool) -> usize {
    let mut k = 0;
    while k < groups.len() {
        let touches = |other: &Vec<usize>| other.iter().any(|&b| groups[k].iter().any(|&a| linked(a, b)));
        match groups[k + 1..].iter().position(touches) {
            Some(found) => {
                let other = groups.remove(k + 1 + found);
                groups[k].extend(other);
            }
            None => k += 1,
        }
    }
    groups.len()
}

/// The number of fans at a node: groups of its elements linked by edges that end there.
fn fan_count(elements: &[Element], node: usize) -> usize {
    let around = (0..elements.len()).filter(|&e| elements[e].nodes().contains(&node));
    let sides = brute_sides(elements);
    merged(around.map(|e| vec![e]).collect(), |a, b| {
        let ending = sides.iter().filter(|(ends, _)| ends.contains(&node));
        let owned = |owners: &[(usize, [usize; 2])], e| owners.iter().any(|owner| owner.0 == e);
        ending.into_iter().any(|(_, owners)| owned(owners, a) && owned(owners, b))
    })
}

fn brute_components(mesh: &Mesh) -> usize {
    let nodes = (0..mesh.node_count()).map(|node| vec![node]).collect();
    merged(nodes, |a, b| {
        let joined = |e: &Element| e.nodes().contains(&a) && e.nodes().contains(&b);
        mesh.elements().iter().any(joined)
    })
}
