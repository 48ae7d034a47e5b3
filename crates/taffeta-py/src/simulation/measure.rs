//! What can be asked of a simulation after a step.

use glam::DVec3;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use taffeta::DVec2;
use taffeta::collide::{Site, self_intersections};
use taffeta::metrics::Region;
use taffeta::obstacle::Pose;
use taffeta_io::scene::{ParameterValue, parameter, parameters, set_parameter};

use super::Simulation;
use crate::arrays::{from_nodes, from_vector, from_vectors, numbers};
use crate::errors::invalid;
use crate::world::World;

/// Two arrays of vectors.
type TwoTables<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);

/// Pairs of nodes, and a number for each.
type NodesAndNumbers<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray1<f64>>);

/// The value of a parameter, from what Python gives.
pub fn value_of(numbers: &[f64], name: &str) -> PyResult<ParameterValue> {
    match *numbers {
        [number] => Ok(ParameterValue::Number(number)),
        [x, y, z] => Ok(ParameterValue::Vector([x, y, z])),
        _ => Err(invalid(format!("{name} has {} numbers: give one, or three for a vector", numbers.len()))),
    }
}

/// Changes a parameter.
pub fn set(world: &mut World, name: &str, value: ParameterValue) -> PyResult<()> {
    set_parameter(&mut world.simulation, name, value).map_err(|error| invalid(error.to_string()))
}

/// The value of a parameter.
pub fn get(world: &World, name: &str) -> PyResult<ParameterValue> {
    parameter(&world.simulation, name).map_err(|error| invalid(error.to_string()))
}

#[pymethods]
impl Simulation {
    /// Names of all parameters that can be changed while the simulation runs: keys of scenes.
    fn parameters(&self) -> PyResult<Vec<String>> {
        Ok(parameters(&self.lock()?.simulation))
    }

    /// The value of a parameter: a number, or an array of three.
    fn get<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        match get(&*self.lock()?, name)? {
            ParameterValue::Number(number) => Ok(number.into_pyobject(py)?.into_any()),
            ParameterValue::Vector(vector) => Ok(PyArray1::from_slice(py, &vector).into_any()),
        }
    }

    /// Changes a parameter from the next step on. Nothing else changes with it: a density, too, leaves the damping as it is.
    fn set(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        // Infinite is a value that some have.
        let value = match value.extract::<f64>() {
            Ok(number) => ParameterValue::Number(number),
            Err(_) => value_of(&numbers(value, name)?.0, name)?,
        };
        set(&mut *self.lock()?, name, value)
    }

    /// All contacts at the end of the last step, as a structured array with the fields `kind` (0: cloth on an obstacle, 1: cloth on
    /// itself, 2: an obstacle on an obstacle), `obstacle` (index in `obstacles`; -1 for none), `body` (the obstacle that touches it; -1
    /// for cloth), `node` (the node that has most of it; -1 for none), `place` (m), `normal` (towards the cloth), `normal_force` (N),
    /// `friction` (N, on the cloth), `slipping`, `pressure` (Pa), `compressed` (m).
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        contacts(py, &*self.lock()?)
    }

    /// Normal force and friction on each node, N: two arrays of shape (nodes, 3).
    #[getter]
    fn contact_forces<'py>(&self, py: Python<'py>) -> PyResult<TwoTables<'py>> {
        let [normal, friction] = self.lock()?.simulation.contact_forces();
        Ok((from_vectors(py, &normal)?, from_vectors(py, &friction)?))
    }

    /// Force on an obstacle, N, and torque about the origin of its frame, N m, along axes of the world: what the cloth and other bodies
    /// did to it in the last step.
    fn obstacle_wrench<'py>(&self, py: Python<'py>, name: &str) -> PyResult<super::control::PoseArrays<'py>> {
        let world = self.lock()?;
        let [force, torque] = world.simulation.obstacle_wrench(world.obstacle(name).map_err(invalid)?);
        Ok((from_vector(py, force), from_vector(py, torque)))
    }

    /// Force on the cloth of each hand in the last step, N: array of shape (hands, 3).
    #[getter]
    fn hand_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let world = self.lock()?;
        let forces = world.simulation.held_forces_on_nodes();
        let of_hands: Vec<DVec3> = world.hands().map(|node| forces[node]).collect();
        from_vectors(py, &of_hands)
    }

    /// Force on each node of whoever holds it in the last step, N: array of shape (nodes, 3).
    #[getter]
    fn held_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        from_vectors(py, &self.lock()?.simulation.held_forces_on_nodes())
    }

    /// Threads that are kept at length, and the force that pulls the ends of each together, N: arrays of shape (threads, 2) and
    /// (threads,).
    #[getter]
    fn tensions<'py>(&self, py: Python<'py>) -> PyResult<NodesAndNumbers<'py>> {
        let world = self.lock()?;
        let (ends, tensions): (Vec<[usize; 2]>, Vec<f64>) = world.simulation.tensions().unzip();
        Ok((from_nodes(py, ends)?, PyArray1::from_vec(py, tensions)))
    }

    /// Largest tension of the threads at each node, N: array of shape (nodes,).
    #[getter]
    fn node_tensions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_vec(py, self.lock()?.simulation.node_tensions()))
    }

    /// How far each node was from touching something at the end of the last step, m; infinite where nothing is near: array of shape
    /// (nodes,).
    #[getter]
    fn clearances<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_vec(py, self.lock()?.simulation.clearances()))
    }

    /// The area that the cloth covers seen from above, m².
    fn covered_area(&self) -> PyResult<f64> {
        Ok(covered(&*self.lock()?).area())
    }

    /// How the cloth seen from above overlaps a polygon, of shape (corners, 2), m: what is in both over what is in one of them at
    /// least, from 0 to 1.
    fn overlap(&self, polygon: &Bound<'_, PyAny>) -> PyResult<f64> {
        let (numbers, shape) = numbers(polygon, "polygon")?;
        if !matches!(shape[..], [corners, 2] if corners >= 3) {
            return Err(invalid("polygon must have the shape (corners, 2), with three corners or more"));
        }
        let corners = numbers.chunks_exact(2).map(DVec2::from_slice).collect();
        Ok(covered(&*self.lock()?).overlap(&Region::Polygon(corners)).ratio())
    }

    /// How many edges of the cloth pass through a triangle of it: 0 for cloth that is sound.
    fn self_intersections(&self, py: Python<'_>) -> PyResult<usize> {
        let guard = self.lock()?;
        let world = &*guard;
        let (positions, surface) = (world.simulation.positions(), world.simulation.model().cloth().surface());
        Ok(py.detach(|| self_intersections(positions, surface).len()))
    }
}

fn covered(world: &World) -> Region {
    Region::covered(world.simulation.model().cloth(), world.simulation.positions(), &Pose::IDENTITY)
}

/// The contacts, field by field.
fn contacts<'py>(py: Python<'py>, world: &World) -> PyResult<Bound<'py, PyAny>> {
    let (found, places) = (&world.simulation.state().contacts, world.simulation.contact_places());
    let index = |k: Option<usize>| k.map_or(-1, |k| k as i64);
    let kind = |site: Site| match (site.obstacle(), site.body()) {
        (_, Some(_)) => 2i64,
        (Some(_), None) => 0,
        (None, None) => 1,
    };
    let fields: [(&str, &str, Bound<'py, PyAny>); 11] = [
        ("kind", "i8", integers(py, found.iter().map(|contact| kind(contact.site)))),
        ("obstacle", "i8", integers(py, found.iter().map(|contact| index(contact.site.obstacle())))),
        ("body", "i8", integers(py, found.iter().map(|contact| index(contact.site.body())))),
        (
            "node",
            "i8",
            integers(
                py,
                found.iter().map(|contact| {
                    let most = contact.stencil.entries().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
                    index(most.map(|(node, _)| node))
                }),
            ),
        ),
        (
            "place",
            "3f8",
            from_vectors(py, &places.iter().map(|place| place.unwrap_or(DVec3::NAN)).collect::<Vec<_>>())?.into_any(),
        ),
        (
            "normal",
            "3f8",
            from_vectors(py, &found.iter().map(|contact| contact.normal).collect::<Vec<_>>())?.into_any(),
        ),
        ("normal_force", "f8", reals(py, found.iter().map(|contact| contact.normal_force))),
        (
            "friction",
            "3f8",
            from_vectors(py, &found.iter().map(|contact| contact.friction).collect::<Vec<_>>())?.into_any(),
        ),
        ("slipping", "?", integers(py, found.iter().map(|contact| i64::from(contact.slipping)))),
        ("pressure", "f8", reals(py, found.iter().map(|contact| contact.pressure))),
        ("compressed", "f8", reals(py, found.iter().map(|contact| contact.compressed))),
    ];
    let kinds = PyList::new(py, fields.iter().map(|(name, kind, _)| (*name, *kind)))?;
    let keywords = PyDict::new(py);
    keywords.set_item("dtype", kinds)?;
    let array = numpy::get_array_module(py)?.call_method("empty", (found.len(),), Some(&keywords))?;
    for (name, _, values) in fields {
        array.set_item(name, values)?;
    }
    Ok(array)
}

fn integers<'py>(py: Python<'py>, values: impl Iterator<Item = i64>) -> Bound<'py, PyAny> {
    PyArray1::from_vec(py, values.collect()).into_any()
}

fn reals<'py>(py: Python<'py>, values: impl Iterator<Item = f64>) -> Bound<'py, PyAny> {
    PyArray1::from_vec(py, values.collect()).into_any()
}
