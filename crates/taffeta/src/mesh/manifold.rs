//! Whether elements joined by edges form an oriented surface.

use super::topology::{Edge, Incidence};
use super::{Element, MeshError};

/// Refuses neighbours that walk their shared edge in the same direction.
pub(super) fn check_orientation(
    elements: &[Element],
    edges: &[Edge],
    element_edges: &[[usize; 4]],
) -> Result<(), MeshError> {
    let clashes = |edge: &Edge| {
        let second = edge.elements[1];
        second.is_some_and(|e| elements[e].sides().any(|side| side == edge.nodes))
    };
    for edge in edges {
        if let [Some(a), Some(b)] = edge.elements
            && clashes(edge)
        {
            let reversed = reverse_to_agree(elements, edges, element_edges, a, clashes)?;
            let total = reversed.iter().flatten().count();
            let unlike_a = reversed.iter().flatten().filter(|&&flip| flip).count();
            let (element, neighbour, inverted) =
                if 2 * unlike_a <= total { (b, a, unlike_a) } else { (a, b, total - unlike_a) };
            return Err(MeshError::InvertedElement { element, neighbour, nodes: edge.nodes, inverted });
        }
    }
    Ok(())
}

/// For each element connected to `seed`, whether it must be reversed to agree with the seed.
fn reverse_to_agree(
    elements: &[Element],
    edges: &[Edge],
    element_edges: &[[usize; 4]],
    seed: usize,
    clashes: impl Fn(&Edge) -> bool,
) -> Result<Vec<Option<bool>>, MeshError> {
    let mut reversed = vec![None; elements.len()];
    reversed[seed] = Some(false);
    let mut pending = vec![(seed, false)];
    while let Some((current, flip)) = pending.pop() {
        for &k in &element_edges[current][..elements[current].nodes().len()] {
            let edge = &edges[k];
            let Some(neighbour) = edge.across(current) else {
                continue;
            };
            let wanted = flip ^ clashes(edge);
            match reversed[neighbour] {
                None => {
                    reversed[neighbour] = Some(wanted);
                    pending.push((neighbour, wanted));
                }
                Some(found) if found == wanted => {}
                Some(_) => {
                    return Err(MeshError::NonOrientable {
                        nodes: edge.nodes,
                        elements: [current.min(neighbour), current.max(neighbour)],
                    });
                }
            }
        }
    }
    Ok(reversed)
}

/// Refuses nodes at which two fans of elements meet; every node must have an element, and the
/// orientation must be consistent.
pub(super) fn check_fans(
    elements: &[Element],
    edges: &[Edge],
    element_edges: &[[usize; 4]],
    node_elements: &Incidence,
) -> Result<(), MeshError> {
    // The element beyond the edge that leaves `node` in `element`, or beyond the one that arrives.
    let beyond = |element: usize, node: usize, leaving: bool| {
        let nodes = elements[element].nodes();
        let corner = nodes.iter().position(|&other| other == node)?;
        let side = if leaving { corner } else { (corner + nodes.len() - 1) % nodes.len() };
        edges[element_edges[element][side]].across(element)
    };
    let mut fan = Vec::new();
    for node in 0..node_elements.len() {
        let incident = node_elements.of(node);
        let start = incident[0];
        fan.clear();
        fan.push(start);
        // A closed fan comes back to the start; an open one is walked both ways to its ends.
        'walk: for leaving in [false, true] {
            let mut current = start;
            while let Some(next) = beyond(current, node, leaving) {
                if next == start {
                    break 'walk;
                }
                fan.push(next);
                current = next;
            }
        }
        if fan.len() < incident.len() {
            fan.sort_unstable();
            if let Some(&other) = incident.iter().find(|e| fan.binary_search(e).is_err()) {
                let elements = [start, other];
                return Err(MeshError::NonManifoldNode { node, elements });
            }
        }
    }
    Ok(())
}
