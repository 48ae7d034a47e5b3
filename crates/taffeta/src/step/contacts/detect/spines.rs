//! Whether a body went through the cloth: asked of a step that is solved, whatever was detected on the way.

use glam::DVec3;

use super::edges::LONGER;
use super::{BodySweep, Detector, IterateView};
use crate::collide::{ccd, point_count};
use crate::obstacle::Spine;

impl Detector {
    /// A body through whose spine an edge of the cloth went, or a face over an end of it, in the part of the step. Seen from the
    /// body all nodes go straight, as where edges are detected. Bodies do not stop what is held.
    pub fn pierced(&mut self, view: &IterateView) -> Option<usize> {
        let mut spines = std::mem::take(&mut self.spines);
        let pierced = (0..self.sweeps.len()).find(|&b| self.is_pierced_by(b, view, &mut spines));
        self.spines = spines;
        pierced
    }

    fn is_pierced_by(&self, b: usize, view: &IterateView, spines: &mut Vec<Spine>) -> bool {
        let (shape, sweep) = (&view.inputs.bodies[b].shape, &self.sweeps[b]);
        // What was noted of the motion may be off by less than the tolerance.
        let farthest = self.farthest[b] + view.dynamics.gap_tolerance;
        if shape.is_flat() || self.nearest[b] > farthest + 0.5 * LONGER * view.cloth.longest_edge() {
            return false;
        }
        let start = &self.start_local[b * point_count(view.cloth.mesh())..][..view.phi.len()];
        let reach = start.iter().map(|x| x.length_squared()).fold(0.0, f64::max).sqrt() + farthest;
        spines.clear();
        shape.spines(reach, spines);
        // Nothing has come so far that it could be on the other side of others.
        spines.retain(|spine| spine.depth < farthest);
        let clearance = &self.clearance[b * point_count(view.cloth.mesh())..];
        let motion = Motion { view, sweep, start, clearance, farthest };
        let least = self.edge_memory.least(b, view.cloth.surface().edges().len());
        !spines.is_empty()
            && (motion.edge_passes(least, spines) || motion.face_passes(spines))
            && !motion.starts_on(spines)
    }
}

/// The motion of the cloth, seen from a body.
struct Motion<'a> {
    view: &'a IterateView<'a>,
    sweep: &'a BodySweep,
    /// Where the nodes begin, m.
    start: &'a [DVec3],
    /// How far they are from the body there, m.
    clearance: &'a [f64],
    /// How far a node goes at most, m.
    farthest: f64,
}

impl Motion<'_> {
    /// Where these nodes are at the start and at the end, m; `None` if one of them is held.
    fn of<const N: usize>(&self, nodes: &[u32; N]) -> Option<[[DVec3; N]; 2]> {
        let nodes = nodes.map(|i| i as usize);
        let free = nodes.iter().all(|&i| self.view.free[i]);
        free.then(|| [nodes.map(|i| self.start[i]), nodes.map(|i| self.sweep.to.to_local(self.view.phi[i]))])
    }

    /// Whether an edge goes through a spine; `least` is how close each can be to the body at the start, m.
    fn edge_passes(&self, least: Option<&[f64]>, spines: &[Spine]) -> bool {
        self.view.cloth.surface().edges().iter().enumerate().any(|(k, edge)| {
            // Not a number where nobody has asked.
            let beyond = least.map_or(f64::NAN, |least| least[k]) - self.farthest;
            if spines.iter().all(|spine| beyond + spine.depth > 0.0) {
                return false;
            }
            self.of(edge).is_some_and(|[[a, b], [c, d]]| {
                spines
                    .iter()
                    .any(|&Spine { ends: [p, q], .. }| ccd::edge_edge(&[p, q, a, b], &[p, q, c, d], 0.0).is_some())
            })
        })
    }

    /// Whether a face goes over the end of a spine.
    fn face_passes(&self, spines: &[Spine]) -> bool {
        let depth = spines.iter().map(|spine| spine.depth).fold(f64::INFINITY, f64::min);
        let far = self.farthest - depth + LONGER * self.view.cloth.longest_edge();
        self.view.cloth.surface().triangles().iter().any(|face| {
            // No place of a face is closer to the body than its corners let it be.
            let near = self.clearance[face[0] as usize] <= far;
            near && self.of(face).is_some_and(|[[a, b, c], [d, e, f]]| {
                let mut ends = spines.iter().flat_map(|spine| spine.ends);
                ends.any(|p| ccd::node_face(&[p, a, b, c], &[p, d, e, f], 0.0).is_some())
            })
        })
    }

    /// Whether the cloth is on a spine already at the start: what began so may come off it.
    fn starts_on(&self, spines: &[Spine]) -> bool {
        self.view.cloth.surface().triangles().iter().any(|face| {
            let [a, b, c] = face.map(|i| self.start[i as usize]);
            // An end that moves along the spine meets the face where the spine does.
            spines.iter().any(|&Spine { ends: [p, q], .. }| ccd::node_face(&[p, a, b, c], &[q, a, b, c], 0.0).is_some())
        })
    }
}
