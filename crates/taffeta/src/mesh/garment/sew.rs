//! Sewing: two panels of the same outline become one mesh.

use std::collections::BTreeMap;

use glam::{DVec2, DVec3};

use super::fit;
use super::panel::{LatticeNode, Panel, check, quads};
use super::{Cut, GarmentError};
use crate::mesh::{Element, Mesh};

/// A sewn garment, and where the nodes of its panels went.
pub(super) struct Seamed {
    pub mesh: Mesh,
    front: BTreeMap<LatticeNode, usize>,
}

impl Seamed {
    /// The mesh's node at a node of the front panel.
    pub fn front(&self, node: LatticeNode) -> Vec<usize> {
        self.front.get(&node).copied().into_iter().collect()
    }

    /// The nodes around the opening that a node of the front panel is on.
    pub fn opening(&self, node: LatticeNode) -> Vec<usize> {
        let node = self.front.get(&node);
        let around = self.mesh.boundary_loops().iter().find(|around| node.is_some_and(|node| around.contains(node)));
        around.cloned().unwrap_or_default()
    }
}

/// Sews a panel to its mirror image.
pub(super) fn sew<P: Panel>(panel: &P, cut: Cut) -> Result<Seamed, GarmentError> {
    check(panel, cut.cell)?;
    let cells: Vec<[LatticeNode; 4]> = quads(panel).collect();
    let seams = seams(panel, &cells);

    // Nodes on seams are shared by both panels, all others are there twice.
    let mut front = BTreeMap::new();
    for node in cells.iter().flatten() {
        front.entry(*node).or_insert(0);
    }
    front.values_mut().enumerate().for_each(|(index, value)| *value = index);
    let mut back = front.clone();
    let apart = back.iter_mut().filter(|(node, _)| !seams.contains_key(*node));
    apart.enumerate().for_each(|(index, (_, value))| *value = front.len() + index);

    let nodes = front.len() + front.len() - seams.len();
    let mut positions = vec![DVec3::ZERO; nodes];
    for (&node, &index) in &front {
        let place = panel.place(node);
        match seams.get(&node) {
            Some(inwards) => {
                let drawn = place + inwards.iter().map(|inner| drawn_in(place, *inner, cut.gap)).sum::<DVec2>();
                positions[index] = DVec3::new(drawn.x, 0.0, drawn.y);
            }
            None => {
                positions[index] = DVec3::new(place.x, -0.5 * cut.gap, place.y);
                positions[back[&node]] = DVec3::new(place.x, 0.5 * cut.gap, place.y);
            }
        }
    }

    let (mut elements, mut uv) = (Vec::with_capacity(2 * cells.len()), Vec::with_capacity(2 * cells.len()));
    for corners in &cells {
        elements.push(Element::Quad(corners.map(|node| front[&node])));
        uv.push(corners.map(|node| panel.place(node)));
    }
    // The back is seen from behind: mirrored, beside the front, a cell apart.
    let right = front.keys().map(|&node| panel.place(node).x).fold(f64::NEG_INFINITY, f64::max);
    let axis = 2.0 * right + cut.cell;
    for &[a, b, c, d] in &cells {
        let corners = [b, a, d, c];
        elements.push(Element::Quad(corners.map(|node| back[&node])));
        uv.push(corners.map(|node| {
            let place = panel.place(node);
            DVec2::new(axis - place.x, place.y)
        }));
    }
    let mesh = Mesh::new(positions, elements, Some(uv))
        .and_then(|mesh| {
            let positions = fit::to_length(&mesh);
            mesh.with_positions(positions)
        })
        .map_err(|cause| GarmentError::Mesh { garment: P::GARMENT, cause })?;
    Ok(Seamed { mesh, front })
}

/// The nodes on seams, each with the places of its neighbours that are not on one.
fn seams<P: Panel>(panel: &P, cells: &[[LatticeNode; 4]]) -> BTreeMap<LatticeNode, Vec<DVec2>> {
    let mut sides: BTreeMap<[LatticeNode; 2], usize> = BTreeMap::new();
    for corners in cells {
        for k in 0..4 {
            let mut side = [corners[k], corners[(k + 1) % 4]];
            side.sort_unstable();
            *sides.entry(side).or_default() += 1;
        }
    }
    let mut seams: BTreeMap<LatticeNode, Vec<DVec2>> = BTreeMap::new();
    for (&side, _) in sides.iter().filter(|&(&side, &cells)| cells == 1 && !panel.is_open(side)) {
        side.iter().for_each(|&node| _ = seams.entry(node).or_default());
    }
    for &[a, b] in sides.keys() {
        match (seams.contains_key(&a), seams.contains_key(&b)) {
            (true, false) => seams.entry(a).or_default().push(panel.place(b)),
            (false, true) => seams.entry(b).or_default().push(panel.place(a)),
            _ => {}
        }
    }
    seams
}

/// How far a node of a seam, halfway between the panels, moves towards an inner neighbour, half a gap away from it, to be as
/// far from it as in the panel.
fn drawn_in(place: DVec2, inner: DVec2, gap: f64) -> DVec2 {
    let across = inner - place;
    let length = across.length();
    across * (1.0 - (length * length - 0.25 * gap * gap).max(0.0).sqrt() / length)
}
