//! The model: everything about a cloth that is computed once and shared by any number of runs.

mod layout;

use std::sync::{Arc, OnceLock};

pub(crate) use layout::Layout;
use layout::Template;

use crate::cloth::{Cloth, Published, PublishedCloth};

/// An immutable cloth with the symbolic factorisation of its programs. `Send + Sync`: share it between threads.
#[derive(Debug)]
pub struct Model {
    cloth: Cloth,
    /// Without coupled_pairs, for every reach of bending.
    layouts: [OnceLock<Arc<Layout>>; 3],
    /// What layouts with coupled pairs start from, for every reach of bending.
    templates: [OnceLock<Template>; 3],
    published: [OnceLock<Option<PublishedCloth>>; 2],
    /// Tells models apart.
    identity: Arc<()>,
}

impl Model {
    /// A model of a cloth.
    pub fn new(cloth: Cloth) -> Self {
        let (layouts, templates, published) = Default::default();
        Self { cloth, layouts, templates, published, identity: Arc::new(()) }
    }

    /// What no other model has.
    pub(crate) fn identity(&self) -> &Arc<()> {
        &self.identity
    }

    /// The cloth.
    pub fn cloth(&self) -> &Cloth {
        &self.cloth
    }

    /// Number of nodes, `N`.
    pub fn node_count(&self) -> usize {
        self.cloth.mesh().node_count()
    }

    /// The layout of the step's matrix when bending reaches so far in it.
    pub(crate) fn layout(&self, bending: Reach) -> &Arc<Layout> {
        self.layouts[bending as usize].get_or_init(|| Arc::new(self.make_layout(bending, 0, &[])))
    }

    /// The same with room for the unknowns of so many bodies, and for rows that couple these pairs of nodes.
    pub(crate) fn layout_with(&self, bending: Reach, bodies: usize, coupled_pairs: &[[usize; 2]]) -> Arc<Layout> {
        if coupled_pairs.is_empty() && bodies == 0 {
            self.layout(bending).clone()
        } else {
            Arc::new(self.make_layout(bending, bodies, coupled_pairs))
        }
    }

    fn make_layout(&self, bending: Reach, bodies: usize, coupled_pairs: &[[usize; 2]]) -> Layout {
        let template = self.templates[bending as usize].get_or_init(|| Template::new(&self.cloth, bending));
        Layout::new(&self.cloth, template, bodies, coupled_pairs)
    }

    /// How far bending must reach in the matrix of steps with this coefficient of `K₁`, kg m², and this inertia, kg/m².
    pub(crate) fn reach(&self, stiffness: f64, inertia: f64) -> Reach {
        let beyond = || {
            let cut = self.layout(Reach::Near).beyond.iter().zip(self.cloth.node_areas());
            cut.map(|(beyond, area)| beyond / area).fold(0.0, f64::max)
        };
        if stiffness == 0.0 {
            Reach::None
        } else if stiffness * beyond() <= FEEBLE * inertia {
            Reach::Near
        } else {
            Reach::Far
        }
    }

    /// The conditions of one of the authors' codes; `None` unless the mesh is a grid of quads.
    pub(crate) fn published(&self, code: Published) -> Option<&PublishedCloth> {
        self.published[code as usize].get_or_init(|| self.cloth.published(code)).as_ref()
    }
}

/// How far bending reaches in the matrix of a step. It is two rings of neighbours, and room for them makes the factor up to five
/// times as expensive: so only those pay for it who bend, and only if it is strong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Nothing bends.
    None,
    /// As far as there is room anyhow: what is beyond is put on the diagonal, and left to the next iterate.
    Near,
    /// As far as it does.
    Far,
}

/// Of the inertia of a node: bending beyond its room that is left to the next iterate. An iterate is then off by a fifth of what the
/// last one was, or less, in the shortest waves, and by nothing in long ones.
const FEEBLE: f64 = 0.1;

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::cloth::{RestShape, Scheme};
    use crate::mesh::Mesh;

    /// `xᵀ B x` with what a layout holds of the bending stiffness.
    fn energy(layout: &Layout, cloth: &Cloth, x: &[f64]) -> f64 {
        let diagonal = |i: usize| (cloth.bending.diagonal(i) + layout.beyond[i]) * x[i] * x[i];
        let couplings = layout.bending.iter().map(|&([i, j], k)| 2.0 * k * x[i] * x[j]);
        (0..x.len()).map(diagonal).sum::<f64>() + couplings.sum::<f64>()
    }

    #[test]
    fn bending_cut_short_is_stiffer_in_every_mode_and_little_so_in_long_waves() {
        let mesh = Mesh::grid(12, 9, |s, t| DVec3::new(1.1 * s, 0.8 * t, 0.0)).expect("a sheet");
        let model = Model::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()));
        let (near, far) = (model.layout(Reach::Near), model.layout(Reach::Far));
        assert!(near.bending.len() < far.bending.len() && far.beyond.iter().all(|&beyond| beyond == 0.0));
        let places = model.cloth().mesh().positions();
        let scale = (0..108).map(|i| model.cloth().bending.diagonal(i)).fold(0.0, f64::max);
        for (p, q) in (0..40).flat_map(|p| (0..30).map(move |q| (f64::from(p), f64::from(q)))) {
            let x: Vec<f64> = places.iter().map(|x| (p * x.x + 0.3).sin() * (q * x.y - 0.7).cos()).collect();
            let [cut, whole] = [near, far].map(|layout| energy(layout, model.cloth(), &x));
            assert!(cut >= whole - 1e-9 * scale, "wave {p}, {q}: {cut} against {whole}");
        }
        // It costs what second differences over two cells cost instead of fourth ones.
        let wave: Vec<f64> = places.iter().map(|x| (std::f64::consts::TAU * x.x / 1.1).sin()).collect();
        let ratio = energy(near, model.cloth(), &wave) / scale;
        assert!(ratio < 0.1 * wave.iter().map(|x| x * x).sum::<f64>(), "{ratio}");
    }

    #[test]
    fn how_far_bending_reaches_depends_on_its_strength() {
        let mesh = Mesh::grid(6, 6, |s, t| DVec3::new(0.5 * s, 0.5 * t, 0.0)).expect("a sheet");
        let model = Model::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()));
        // Steps of 10 ms of a sheet of 0.2 kg/m²: limp, as cotton, as felt.
        let reaches = [0.0, 1e-5, 1e-2].map(|bending| model.reach(1e-4 * bending, 0.2));
        assert_eq!(reaches, [Reach::None, Reach::Near, Reach::Far]);
    }
}
