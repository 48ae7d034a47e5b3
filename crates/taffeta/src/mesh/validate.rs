//! Whether nodes and elements are usable and distinct.

use std::collections::HashMap;

use glam::DVec3;

use super::{Element, MeshError};

/// Coordinates are at most this large, so that squared areas cannot overflow.
const LARGEST: f64 = 1e60;

/// Nodes closer than this, relative to the diagonal of the bounding box, are at the same place.
const SAME_PLACE: f64 = 1e-12;

/// Whether coordinates are finite and not too large.
pub(super) fn usable(coordinates: &[f64]) -> bool {
    coordinates.iter().all(|x| x.abs() <= LARGEST)
}

/// Refuses empty meshes and unusable coordinates.
pub(super) fn check_positions(positions: &[DVec3]) -> Result<(), MeshError> {
    if positions.is_empty() {
        return Err(MeshError::NoNodes);
    }
    match positions.iter().position(|p| !usable(&p.to_array())) {
        None => Ok(()),
        Some(node) => Err(MeshError::UnusableCoordinate { node, position: positions[node] }),
    }
}

/// Refuses elements with unknown or repeated nodes, repeated elements, and unused nodes.
pub(super) fn check_indices(node_count: usize, elements: &[Element]) -> Result<(), MeshError> {
    if elements.is_empty() {
        return Err(MeshError::NoElements);
    }
    let mut used = vec![false; node_count];
    let mut known = HashMap::with_capacity(elements.len());
    for (element, shape) in elements.iter().enumerate() {
        let nodes = shape.nodes();
        for (corner, &node) in nodes.iter().enumerate() {
            if node >= node_count {
                return Err(MeshError::NodeOutOfRange { element, node, node_count });
            }
            if nodes[..corner].contains(&node) {
                return Err(MeshError::RepeatedNode { element, node });
            }
            used[node] = true;
        }
        // A triangle's spare entry is no valid index, so it never matches a quad.
        let mut key = [usize::MAX; 4];
        key[..nodes.len()].copy_from_slice(nodes);
        key.sort_unstable();
        if let Some(first) = known.insert(key, element) {
            return Err(MeshError::DuplicateElement { first, second: element });
        }
    }
    match used.iter().position(|used| !used) {
        None => Ok(()),
        Some(node) => Err(MeshError::UnreferencedNode { node }),
    }
}

/// Refuses two nodes of one component at the same place.
///
/// Nodes are dropped one by one in cubic cells somewhat larger than the tolerance, and compared
/// with those already in the cells within reach. Few distinct nodes fit in such a cell, so the
/// time is linear for any mesh.
pub(super) fn check_distinct(positions: &[DVec3], components: &[usize]) -> Result<(), MeshError> {
    let low = positions.iter().copied().fold(DVec3::MAX, DVec3::min);
    let high = positions.iter().copied().fold(DVec3::MIN, DVec3::max);
    let reach = SAME_PLACE * (high - low).length();
    let cell_size = (16.0 * reach).max(f64::MIN_POSITIVE);
    // Half a cell off, so that nodes in a plane of the bounding box are not all between cells.
    let cell = |p: DVec3| ((p - low) / cell_size + 0.5).floor().as_i64vec3();

    // The latest node in each cell, and for each node the one before it in its cell.
    let mut latest: HashMap<_, usize> = HashMap::with_capacity(positions.len());
    let mut previous = vec![None; positions.len()];
    for (node, &position) in positions.iter().enumerate() {
        let component = components[node];
        let (from, to) = (cell(position - reach), cell(position + reach));
        let mut first: Option<usize> = None;
        for x in from.x..=to.x {
            for y in from.y..=to.y {
                for z in from.z..=to.z {
                    let mut other = latest.get(&(component, x, y, z)).copied();
                    while let Some(known) = other {
                        if position.distance(positions[known]) <= reach {
                            first = Some(first.map_or(known, |first| first.min(known)));
                        }
                        other = previous[known];
                    }
                }
            }
        }
        if let Some(first) = first {
            return Err(MeshError::DuplicateNodes { first, second: node });
        }
        let home = cell(position);
        previous[node] = latest.insert((component, home.x, home.y, home.z), node);
    }
    Ok(())
}
