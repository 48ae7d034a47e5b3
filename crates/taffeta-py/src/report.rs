//! Reports of steps and of grips, as objects of Python.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::account::Account;
use crate::arrays::from_vector;

macro_rules! report {
    ($($(#[doc = $doc:literal])+ $field:ident: $kind:ty,)+) => {
        /// The account of the steps of one call, taken together: work is summed up, what is off is the worst of all of them, and what is
        /// stored or touches is as it is at the end.
        #[pyclass(frozen, module = "taffeta")]
        #[derive(Clone, Copy, Debug)]
        pub struct StepReport {
            /// How many steps it is of.
            #[pyo3(get)]
            pub steps: u64,
            $($(#[doc = $doc])+ #[pyo3(get)] pub $field: $kind,)+
            /// Kinetic energy and all that is stored, J.
            #[pyo3(get)]
            pub energy: f64,
        }

        /// The names of all numbers of a report.
        const FIELDS: &[&str] = &["steps", $(stringify!($field),)+ "energy"];

        impl From<&Account> for StepReport {
            fn from(account: &Account) -> Self {
                let report = &account.report;
                Self { steps: account.steps, $($field: report.$field,)+ energy: report.energy() }
            }
        }

        impl StepReport {
            /// The numbers by their names.
            fn fill(&self, dict: &Bound<'_, PyDict>) -> PyResult<()> {
                dict.set_item("steps", self.steps)?;
                $(dict.set_item(stringify!($field), self.$field)?;)+
                dict.set_item("energy", self.energy)
            }
        }
    };
}

report! {
    /// Sub-steps that the steps were taken in.
    substeps: usize,
    /// Attempts that failed and were repeated with a smaller sub-step.
    retries: usize,
    /// Sub-steps that could not be solved and were taken as well as they could be (solver.on_failure = "degrade").
    degraded: usize,
    /// Iterations: quadratic programs solved.
    iterations: usize,
    /// Numeric factorisations.
    factorisations: usize,
    /// Equality problems solved, one for each working set that an iteration tried.
    passes: usize,
    /// Contacts that entered or left a working set.
    exchanges: usize,
    /// Largest violation of the rigid conditions, a relative strain.
    residual: f64,
    /// Root mean square of the acceleration left unbalanced, m/s².
    unbalanced: f64,
    /// Smallest gap between the cloth and an obstacle, m; infinite if none is near.
    min_gap: f64,
    /// Largest distance of a point that is pushed from the obstacle that pushes it, m.
    separation: f64,
    /// Largest distance of a friction force from Coulomb's law, as a share of the normal force.
    friction_residual: f64,
    /// Points that are pushed by an obstacle, at the end.
    active_contacts: usize,
    /// Smallest distance of two parts of the cloth, m; infinite if none are near each other.
    min_self_gap: f64,
    /// Places where the cloth pushes itself, at the end.
    self_contacts: usize,
    /// Largest pressure on the cloth, Pa.
    max_pressure: f64,
    /// How much of its thickness the cloth loses where it is pressed hardest.
    max_compression: f64,
    /// How far a held node stays behind its target at most, m.
    max_lag: f64,
    /// Largest relative change of the length of an edge.
    max_edge_strain: f64,
    /// Root mean square of the relative change of length of the edges, of the worst step.
    rms_edge_strain: f64,
    /// Area over rest area, minus 1, of the step in which it is farthest from 0.
    area_strain: f64,
    /// Kinetic energy, J, at the end, as all energies.
    kinetic_energy: f64,
    /// Energy of gravity, J, zero at the origin.
    gravity_energy: f64,
    /// Bending energy, J.
    bending_energy: f64,
    /// What the cloth stores in shear and in threads that give, J.
    elastic_energy: f64,
    /// Energy of cloth that is pressed, J.
    compression_energy: f64,
    /// What is stored in the hands that give, J.
    hand_energy: f64,
    /// Kinetic and gravitational energy of bodies that move by the forces on them, and what is stored in their servos, J.
    body_energy: f64,
    /// How far such a body stays behind where it is to be at most, m.
    max_body_lag: f64,
}

#[pymethods]
impl StepReport {
    /// All numbers by their names.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        self.fill(&dict)?;
        Ok(dict)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let dict = self.as_dict(py)?;
        let mut parts = Vec::new();
        for name in FIELDS {
            if let Some(value) = dict.get_item(name)? {
                parts.push(format!("{name}={value}"));
            }
        }
        Ok(format!("StepReport({})", parts.join(", ")))
    }
}

/// What a gripper feels at the end of a step.
#[pyclass(frozen, module = "taffeta")]
pub struct GripReading {
    reading: taffeta::GripReading,
    closed: bool,
}

impl GripReading {
    pub fn new(reading: taffeta::GripReading, closed: bool) -> Self {
        Self { reading, closed }
    }
}

#[pymethods]
impl GripReading {
    /// Whether it is told to be closed.
    #[getter]
    fn closed(&self) -> bool {
        self.closed
    }

    /// Distance between the faces of the pads, m.
    #[getter]
    fn opening(&self) -> f64 {
        self.reading.opening
    }

    /// How hard each of the two fingers pushes what it touches along the axis along which they close, N: array of shape (2,).
    #[getter]
    fn normal_force<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.reading.normal_force)
    }

    /// What both fingers exert across that axis, N: array of shape (3,).
    #[getter]
    fn tangential_force<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        from_vector(py, self.reading.tangential_force)
    }

    /// What both fingers exert about the middle between the pads, N m: array of shape (3,).
    #[getter]
    fn torque<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        from_vector(py, self.reading.torque)
    }

    /// How far what touches the pads has gone along them since both touch something, m.
    #[getter]
    fn slip(&self) -> f64 {
        self.reading.slip
    }

    /// Layers of cloth between the pads.
    #[getter]
    fn layers(&self) -> usize {
        self.reading.layers
    }

    /// How far the middle between the fingers is from where it is to be, m.
    #[getter]
    fn lag(&self) -> f64 {
        self.reading.lag
    }

    fn __repr__(&self) -> String {
        let taffeta::GripReading { opening, normal_force: [a, b], slip, layers, .. } = self.reading;
        format!(
            "GripReading(closed={}, opening={opening}, normal_force=[{a}, {b}], slip={slip}, layers={layers})",
            self.closed
        )
    }
}
