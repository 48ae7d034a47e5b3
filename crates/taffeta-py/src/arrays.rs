//! Arrays of NumPy, in and out: copies, which cost less than views that are safe to hold.

use glam::{DQuat, DVec3};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt};
use taffeta::mesh::Element;

use crate::errors::invalid;

/// Vectors as an array of shape (n, 3).
pub fn from_vectors<'py>(py: Python<'py>, vectors: &[DVec3]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let array = PyArray2::<f64>::zeros(py, [vectors.len(), 3], false);
    write_vectors(vectors, array.try_readwrite()?.as_slice_mut()?);
    Ok(array)
}

/// One vector as an array of shape (3,).
pub fn from_vector(py: Python<'_>, vector: DVec3) -> Bound<'_, PyArray1<f64>> {
    PyArray1::from_slice(py, &vector.to_array())
}

/// A rotation as a quaternion w, x, y, z.
pub fn from_rotation(py: Python<'_>, rotation: DQuat) -> Bound<'_, PyArray1<f64>> {
    PyArray1::from_slice(py, &[rotation.w, rotation.x, rotation.y, rotation.z])
}

/// Tuples of nodes as an array of shape (n, N).
pub fn from_nodes<'py, const N: usize>(
    py: Python<'py>,
    rows: impl IntoIterator<Item = [usize; N]>,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let numbers: Vec<i64> = rows.into_iter().flatten().map(|node| node as i64).collect();
    let count = numbers.len() / N;
    PyArray1::from_vec(py, numbers).reshape([count, N])
}

/// Elements of a mesh as an array of shape (n, 4), in which triangles end with -1.
pub fn elements<'py>(py: Python<'py>, elements: &[Element]) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let corners = elements.iter().flat_map(|element| match *element {
        Element::Quad(nodes) => nodes.map(|node| node as i64),
        Element::Triangle([a, b, c]) => [a as i64, b as i64, c as i64, -1],
    });
    PyArray1::from_vec(py, corners.collect()).reshape([elements.len(), 4])
}

/// Writes vectors one after the other.
pub fn write_vectors(vectors: &[DVec3], out: &mut [f64]) {
    for (row, vector) in out.chunks_exact_mut(3).zip(vectors) {
        row.copy_from_slice(&vector.to_array());
    }
}

/// The numbers of whatever NumPy makes an array of, and its shape.
pub fn numbers(value: &Bound<'_, PyAny>, what: &str) -> PyResult<(Vec<f64>, Vec<usize>)> {
    let py = value.py();
    let array = match value.cast::<PyArrayDyn<f64>>() {
        Ok(array) => array.clone(),
        Err(_) => {
            let numpy = numpy::get_array_module(py)?;
            let unusable = || invalid(format!("{what} must be an array of numbers, not {}", kind_of(value)));
            let array = numpy.call_method1("asarray", (value,)).map_err(|_| unusable())?;
            let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
            // Of complex numbers a part would be dropped, and texts and objects are no numbers.
            if !matches!(kind.as_str(), "f" | "i" | "u" | "b") {
                return Err(unusable());
            }
            let array = array.call_method1("astype", ("float64",))?;
            array.cast_into::<PyArrayDyn<f64>>().map_err(|_| unusable())?
        }
    };
    let shape = array.shape().to_vec();
    let read = array.try_readonly().map_err(|_| invalid(format!("{what} is being written to: wait for that")))?;
    let numbers: Vec<f64> = match array.is_c_contiguous() {
        true => read.as_slice()?.to_vec(),
        false => read.as_array().iter().copied().collect(),
    };
    if let Some(k) = numbers.iter().position(|number| !number.is_finite()) {
        return Err(invalid(format!("{what} has {} at {}: give finite numbers", numbers[k], place_of(k, &shape))));
    }
    Ok((numbers, shape))
}

/// The index of an entry in an array, as Python writes it.
fn place_of(mut k: usize, shape: &[usize]) -> String {
    let mut index: Vec<String> = Vec::new();
    for &length in shape.iter().rev() {
        index.push((k % length.max(1)).to_string());
        k /= length.max(1);
    }
    index.reverse();
    format!("[{}]", index.join(", "))
}

/// What a value is, for messages.
pub fn kind_of(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "this".to_owned(), |name| name.to_string())
}

fn shape_text(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Numbers of exactly this shape.
pub fn numbers_of_shape(value: &Bound<'_, PyAny>, what: &str, expected: &[usize]) -> PyResult<Vec<f64>> {
    let (numbers, shape) = numbers(value, what)?;
    if shape != expected {
        return Err(invalid(format!("{what} has shape {}: give {}", shape_text(&shape), shape_text(expected))));
    }
    Ok(numbers)
}

/// Vectors of an array of shape (count, 3).
pub fn vectors(value: &Bound<'_, PyAny>, what: &str, count: usize) -> PyResult<Vec<DVec3>> {
    let numbers = numbers_of_shape(value, what, &[count, 3])?;
    Ok(numbers.chunks_exact(3).map(DVec3::from_slice).collect())
}

/// One vector.
pub fn vector(value: &Bound<'_, PyAny>, what: &str) -> PyResult<DVec3> {
    Ok(DVec3::from_slice(&numbers_of_shape(value, what, &[3])?))
}

/// A rotation from a quaternion w, x, y, z of any length but 0.
pub fn rotation(value: &Bound<'_, PyAny>, what: &str) -> PyResult<DQuat> {
    unit(&numbers_of_shape(value, what, &[4])?, what)
}

/// Rotations of an array of shape (count, 4).
pub fn rotations(value: &Bound<'_, PyAny>, what: &str, count: usize) -> PyResult<Vec<DQuat>> {
    numbers_of_shape(value, what, &[count, 4])?.chunks_exact(4).map(|wxyz| unit(wxyz, what)).collect()
}

fn unit(wxyz: &[f64], what: &str) -> PyResult<DQuat> {
    let unit = DQuat::from_xyzw(wxyz[1], wxyz[2], wxyz[3], wxyz[0]).normalize();
    if unit.is_finite() { Ok(unit) } else { Err(invalid(format!("{what} is zero: give a quaternion w, x, y, z"))) }
}

/// Indices below a number: one, some, or those at which a mask is true.
pub fn indices(value: &Bound<'_, PyAny>, what: &str, count: usize) -> PyResult<Vec<usize>> {
    let unusable = || invalid(format!("{what} must be whole numbers from 0 to {}, or a mask", count.saturating_sub(1)));
    if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() {
        let index: i64 = value.extract().map_err(|_| unusable())?;
        return Ok(vec![index_below(index, what, count)?]);
    }
    let numpy = numpy::get_array_module(value.py())?;
    let array = numpy.call_method1("asarray", (value,)).map_err(|_| unusable())?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    if shape == [0] {
        return Ok(Vec::new());
    }
    if shape.len() > 1 {
        return Err(invalid(format!("{what} has shape {}: give a flat list of indices", shape_text(&shape))));
    }
    let array = match kind.as_str() {
        "b" if shape == [count] => array.call_method0("nonzero")?.get_item(0)?,
        "b" => return Err(invalid(format!("{what} is a mask of shape {}: give ({count},)", shape_text(&shape)))),
        "i" | "u" => array.call_method1("reshape", (-1,))?,
        _ => return Err(unusable()),
    };
    let found: Vec<i64> = array.call_method0("tolist")?.extract().map_err(|_| unusable())?;
    found.into_iter().map(|index| index_below(index, what, count)).collect()
}

fn index_below(index: i64, what: &str, count: usize) -> PyResult<usize> {
    let found = usize::try_from(index).ok().filter(|&index| index < count);
    let known = match count {
        0 => "there are none".to_owned(),
        _ => format!("they are 0 to {}", count - 1),
    };
    found.ok_or_else(|| invalid(format!("{what} has {index}, and {known}")))
}

/// Has something write into an array of the caller's, or into a new one, of this shape.
pub fn fill<'py>(
    py: Python<'py>,
    out: Option<&Bound<'py, PyAny>>,
    shape: [usize; 3],
    write: impl FnOnce(&mut [f64]),
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let array = match out {
        None => PyArray3::<f64>::zeros(py, shape, false),
        Some(out) => {
            let [n, nodes, _] = shape;
            let unusable = |why: &str| {
                invalid(format!("out {why}: give a C-contiguous, writable array of float64 of shape ({n}, {nodes}, 3)"))
            };
            let array = out.cast::<PyArray3<f64>>().map_err(|_| unusable("is no such array"))?;
            if array.shape() != shape {
                return Err(unusable(&format!("has shape {}", shape_text(array.shape()))));
            }
            if !array.is_c_contiguous() {
                return Err(unusable("is not contiguous"));
            }
            array.clone()
        }
    };
    let read_only = |_| invalid("out cannot be written to: give an array that is writable and not in use elsewhere");
    write(array.try_readwrite().map_err(read_only)?.as_slice_mut()?);
    Ok(array)
}

/// Writes vectors into an array of the caller's of shape (n, 3).
pub fn fill_rows(out: &Bound<'_, PyAny>, vectors: &[DVec3]) -> PyResult<()> {
    let rows = vectors.len();
    let unusable =
        |why: &str| invalid(format!("out {why}: give a C-contiguous, writable array of float64 of shape ({rows}, 3)"));
    let array = out.cast::<PyArray2<f64>>().map_err(|_| unusable("is no such array"))?;
    if array.shape() != [rows, 3] {
        return Err(unusable(&format!("has shape {}", shape_text(array.shape()))));
    }
    if !array.is_c_contiguous() {
        return Err(unusable("is not contiguous"));
    }
    let mut array = array.try_readwrite().map_err(|_| unusable("cannot be written to"))?;
    write_vectors(vectors, array.as_slice_mut()?);
    Ok(())
}
