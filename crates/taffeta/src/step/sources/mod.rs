//! Where the rows of a program come from: one source per file, and no stage of a step knows any of them by name.
//!
//! A source is what makes some rows: the lengths of the rigid edges, the metric at the nodes, shear, the threads of triangles, seams.
//! It knows which rows are its own, and is given only theirs of every array; a row that it names is counted from its first. It says
//!
//! - what a part of a step prescribes, and how compliant its rows are in it ([`RowSource::begin`]),
//! - values and gradients of its rows at an iterate ([`RowSource::evaluate`]),
//! - how far the rows are from their laws there ([`RowSource::residual`]),
//! - compliances that depend on the iterate ([`RowSource::expect`]), and the curvature `κ` that multipliers lend to the program
//!   ([`RowSource::curvature`]).
//!
//! A row has the energy `½ k C²` with a stiffness `k` in N·m, or is rigid; its compliance is `σ = 1/(k h²)`, and `λ > 0` is tension. What is given in N/m
//! becomes N·m by the area that the row stands for, or by the square of its length. To add a source whose rows stay for a whole run:
//!
//! 1. a variant of `RowKind` (`cloth/groups.rs`) that holds all the source needs to know: it must not count pairs of the cloth from 0,
//!    as seams do, which are the last group for that reason;
//! 2. let the cloth push the rows and the group, as `push_sewn` in `cloth/seam.rs` does: with `Rows::push_curved` if
//!    [`RowSource::curvature`] is ever other than zero, because the matrix has entries for the curvature of those rows only;
//! 3. a file in this folder that implements [`RowSource`];
//! 4. an arm for its group in [`source_of`];
//! 5. what a step of the authors' codes says to it (`error.rs`): they know lengths and metrics alone;
//! 6. a line in the table of `docs/theory.md`.
//!
//! The rest of a step stays as it is: the model finds the pattern of the matrix by the rows' nodes, and the stages go over [`Sources`].
//!
//! Rows that come and go from one program to the next follow those of the cloth, and are of sources of another kind ([`ChangingSource`]):
//! contacts, hands that give, bodies with their servos. To add one: a file that implements it, a field of the workspace, and a place in
//! [`changing_sources`].

mod changing;
mod fabric;
mod lengths;
mod metric;
mod seams;
mod shear;
mod threads;

use std::ops::Range;

use glam::DVec3;

use super::Inputs;
use crate::cloth::{Cloth, Material, RowGroup, RowKind, Rows};
pub(super) use changing::{ChangingSource, RowContext, changing_sources};
use lengths::Lengths;
use metric::Metric;
use seams::Seams;
use shear::Shear;
use threads::Threads;

/// Relative compliance of a rigid row: it gives by this times what one step's inertia would. With 1e-7 the edges at the two
/// corners a sheet of 40×40 nodes hangs from gave by 1e-4 and a tolerance of 1e-4 could not be met, with this it can; and
/// rank loss (a flat sheet) costs no more than a condition number of about 1e9.
const RIGID_COMPLIANCE: f64 = 1e-9;

/// Compliance of a row that does nothing, in a number that every format can hold.
const ABSENT: f64 = 1e300;

/// What makes some consecutive rows of a program. Slices are those of its own rows.
pub(super) trait RowSource: Send + Sync {
    /// Which rows are its own.
    fn rows(&self) -> Range<usize>;

    /// Takes what a part of a step prescribes, and says how compliant each row is in it, `σ`.
    fn begin(&mut self, part: &Prescription, compliance: &mut [f64]);

    /// `∇C` at `phi`, one vector per row and node, and `C`.
    fn evaluate(&self, rows: &Rows, phi: &[DVec3], gradient: &mut [DVec3], value: &mut [f64]) {
        rows.evaluate(self.rows(), phi, gradient, value);
    }

    /// How far the rows are from their laws.
    fn residual(&self, at: &RowValues) -> RowResidual;

    /// Says how compliant rows are in the program of an iterate with these multipliers and values, if their law depends on them.
    fn expect(&self, _lambda: &[f64], _value: &[f64], _compliance: &mut [f64]) {}

    /// `κ`: the part of the multipliers that is tension, such that `Σ κ_r S_r` is positive semidefinite; all zeros when it is called.
    /// Compression would make the program non-convex and is left out, which only slows the iteration where cloth buckles.
    fn curvature(&self, lambda: &[f64], curvature: &mut [f64]);
}

/// What a part of a step prescribes.
#[derive(Clone, Copy)]
pub(super) struct Prescription<'a> {
    pub material: &'a Material,
    pub inputs: &'a Inputs<'a>,
    /// `φ` at the start of the step, m.
    pub start: &'a [DVec3],
    /// How much of the step is done after the part, in (0, 1].
    pub goal: f64,
    /// The length of the part as the difference formula sees it, s.
    pub h: f64,
    /// Inertia of a unit of area, kg/m².
    pub inertia: f64,
    /// `Σ_a ½ Σ_b |S_ab| / m_a` of each row, 1/m⁴.
    pub scale: &'a [f64],
}

impl Prescription<'_> {
    /// `σ` of a row with the energy `½ k C²` and this stiffness `k`, N·m: infinite for a rigid one, 0 for one that does nothing.
    fn compliance(&self, row: usize, stiffness: f64) -> f64 {
        let rigid = RIGID_COMPLIANCE * self.scale[row] / self.inertia;
        (rigid + 1.0 / (stiffness * self.h * self.h)).min(ABSENT)
    }
}

/// Where the rows of a source are at an iterate.
pub(super) struct RowValues<'a> {
    /// `λ`, scaled with h².
    pub lambda: &'a [f64],
    /// `C`.
    pub value: &'a [f64],
    /// `σ` of the last program.
    pub compliance: &'a [f64],
}

/// How far rows are from their laws.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RowResidual {
    /// Largest `|C|` of the rigid rows.
    pub strain: f64,
    /// Largest `|C − σλ|` of the compliant rows.
    pub error: f64,
}

/// All sources of a cloth, in the order of their rows.
pub(super) struct Sources {
    list: Vec<Box<dyn RowSource>>,
}

/// The source of a group of rows.
fn source_of(group: &RowGroup, cloth: &Cloth) -> Box<dyn RowSource> {
    let rows = group.rows.clone();
    match &group.kind {
        RowKind::Lengths => Box::new(Lengths::new(rows)),
        RowKind::Metric(metric) => Box::new(Metric::new(rows, metric)),
        RowKind::Shear(laws) => Box::new(Shear::new(rows, laws)),
        RowKind::Threads(areas) => Box::new(Threads::new(rows, areas)),
        RowKind::Seams => Box::new(Seams::new(rows, cloth)),
    }
}

impl Sources {
    /// The sources of a cloth.
    pub fn new(cloth: &Cloth) -> Self {
        Self { list: cloth.groups().iter().map(|group| source_of(group, cloth)).collect() }
    }

    /// Takes what a part of a step prescribes, and says how compliant every row is in it.
    pub fn begin(&mut self, part: &Prescription, compliance: &mut [f64]) {
        for source in &mut self.list {
            let rows = source.rows();
            source.begin(&Prescription { scale: &part.scale[rows.clone()], ..*part }, &mut compliance[rows]);
        }
    }

    /// `∇C` at `phi`, one vector per row and node, and `C`.
    pub fn evaluate(&self, rows: &Rows, phi: &[DVec3], gradient: &mut [DVec3], value: &mut [f64]) {
        for source in &self.list {
            let own = source.rows();
            source.evaluate(rows, phi, &mut gradient[rows.span_of(&own)], &mut value[own]);
        }
    }

    /// How far the rows are from their laws.
    pub fn residual(&self, lambda: &[f64], value: &[f64], compliance: &[f64]) -> RowResidual {
        let mut residual = RowResidual::default();
        for source in &self.list {
            let own = source.rows();
            let of_source = source.residual(&RowValues {
                lambda: &lambda[own.clone()],
                value: &value[own.clone()],
                compliance: &compliance[own],
            });
            residual.strain = f64::max(residual.strain, of_source.strain);
            residual.error = f64::max(residual.error, of_source.error);
        }
        residual
    }

    /// Says how compliant those rows are whose law depends on the iterate.
    pub fn expect(&self, lambda: &[f64], value: &[f64], compliance: &mut [f64]) {
        for source in &self.list {
            let own = source.rows();
            source.expect(&lambda[own.clone()], &value[own.clone()], &mut compliance[own]);
        }
    }

    /// `κ` of every row.
    pub fn curvature(&self, lambda: &[f64], curvature: &mut [f64]) {
        curvature.fill(0.0);
        for source in &self.list {
            let own = source.rows();
            source.curvature(&lambda[own.clone()], &mut curvature[own]);
        }
    }
}
