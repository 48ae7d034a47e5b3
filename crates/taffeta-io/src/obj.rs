//! Meshes as Wavefront OBJ files.
//!
//! Read are vertices (`v`), texture coordinates (`vt`) and faces (`f`) of three or four corners;
//! whatever else such a file says, of normals, materials, groups, lines and so on, is ignored.

mod parse;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use glam::{DVec2, DVec3};
use taffeta::mesh::garment::Sewn;
use taffeta::mesh::{Element, Mesh, MeshError};
use thiserror::Error;

use crate::FileError;
use crate::file::read_text;

/// What can go wrong with an OBJ file.
#[derive(Debug, Error)]
pub enum ObjError {
    /// The operating system refused something.
    #[error(transparent)]
    File(#[from] FileError),

    /// A statement makes no sense.
    #[error("{}, line {line}: {why}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1; the first of them if the statement is continued.
        line: usize,
        /// What is wrong with it, and how to fix it.
        why: String,
    },

    /// The statements make sense, but what they describe is no mesh of a cloth.
    #[error(
        "{}{}: {cause} (counting nodes and elements from 0)",
        .path.display(),
        .line.map(|line| format!(", line {line}")).unwrap_or_default()
    )]
    Mesh {
        /// The file.
        path: PathBuf,
        /// The line of the face or vertex at fault, counted from 1, if it is one of them.
        line: Option<usize>,
        /// What is wrong with the mesh.
        cause: MeshError,
    },

    /// There is no mesh in the file.
    #[error("{} has no faces: export the mesh with its faces", .path.display())]
    NoFaces {
        /// The file.
        path: PathBuf,
    },

    /// The mesh to be written is not sound.
    #[error("cannot write {}: {why}", .path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What is wrong with the mesh.
        why: String,
    },
}

/// Reads a mesh. It has texture coordinates if every face has them.
///
/// # Errors
///
/// If the file cannot be read, if a statement makes no sense or a face has more than four
/// corners, or if the faces do not make up a mesh.
pub fn read_obj(path: &Path) -> Result<Mesh, ObjError> {
    parse_obj(path, &read_text(path)?)
}

/// The mesh of a text that is, or stands for, the file at a path.
pub(crate) fn parse_obj(path: &Path, text: &str) -> Result<Mesh, ObjError> {
    let faces = faces(path, text)?;
    Mesh::new(faces.positions, faces.elements, faces.uv).map_err(|cause| {
        let line = match culprit(&cause) {
            Some(Culprit::Node(node)) => faces.position_lines.get(node).copied(),
            Some(Culprit::Element(element)) => faces.element_lines.get(element).copied(),
            None => None,
        };
        ObjError::Mesh { path: path.to_path_buf(), line, cause }
    })
}

/// The surface of a body in such a text: positions and triangles, quads being split, whatever they make up.
///
/// # Errors
///
/// If a statement makes no sense or a face has more than four corners.
pub(crate) fn parse_obj_surface(path: &Path, text: &str) -> Result<(Vec<DVec3>, Vec<[usize; 3]>), ObjError> {
    let faces = faces(path, text)?;
    let mut triangles = Vec::with_capacity(2 * faces.elements.len());
    for element in &faces.elements {
        match *element {
            Element::Triangle(corners) => triangles.push(corners),
            Element::Quad([a, b, c, d]) => triangles.extend([[a, b, c], [a, c, d]]),
        }
    }
    Ok((faces.positions, triangles))
}

/// The faces of a file, of which there is at least one.
fn faces(path: &Path, text: &str) -> Result<parse::Faces, ObjError> {
    let faces = parse::parse(text).map_err(|parse::BadLine { line, why }| ObjError::Line {
        path: path.to_path_buf(),
        line,
        why,
    })?;
    if faces.elements.is_empty() {
        return Err(ObjError::NoFaces { path: path.to_path_buf() });
    }
    Ok(faces)
}

/// What a defect of a mesh is to be looked for at.
enum Culprit {
    Node(usize),
    Element(usize),
}

fn culprit(defect: &MeshError) -> Option<Culprit> {
    match *defect {
        MeshError::UnusableCoordinate { node, .. }
        | MeshError::UnreferencedNode { node }
        | MeshError::DuplicateNodes { second: node, .. } => Some(Culprit::Node(node)),
        MeshError::DuplicateElement { second: element, .. }
        | MeshError::NonManifoldNode { elements: [_, element], .. }
        | MeshError::InvertedElement { element, .. }
        | MeshError::NonOrientable { elements: [_, element], .. }
        | MeshError::ZeroArea { element }
        | MeshError::FoldedQuad { element, .. }
        | MeshError::UnusableUv { element, .. }
        | MeshError::ZeroAreaUv { element }
        | MeshError::FlippedUv { element }
        | MeshError::FoldedUv { element, .. } => Some(Culprit::Element(element)),
        MeshError::NonManifoldEdge { ref elements, .. } => elements.last().copied().map(Culprit::Element),
        _ => None,
    }
}

/// Writes a mesh. The numbers are written such that reading them gives the same to the last bit.
///
/// # Errors
///
/// If a position is not finite, if an element has a corner that is no node, or if the file cannot
/// be written.
pub fn write_obj(path: &Path, positions: &[DVec3], elements: &[Element]) -> Result<(), ObjError> {
    let refuse = |why| Err(ObjError::Unwritable { path: path.to_path_buf(), why });
    if let Some(node) = positions.iter().position(|position| !position.is_finite()) {
        let position = positions[node];
        return refuse(format!("the position of node {node} is {position}; give it a finite one"));
    }
    for (index, element) in elements.iter().enumerate() {
        let beyond = |corner: &&usize| **corner >= positions.len();
        if let Some(corner) = element.nodes().iter().find(beyond) {
            return refuse(format!(
                "element {index} has the corner {corner}, and there are {} nodes, counted from 0",
                positions.len()
            ));
        }
    }
    write_statements(path, "", positions, elements, None)?;
    Ok(())
}

/// Writes a garment: its panels as texture coordinates, in metres, and its sets of nodes as comments, as they could stand under
/// `[cloth.sets]` in a scene.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write_garment(path: &Path, garment: &Sewn) -> Result<(), ObjError> {
    let Sewn { mesh, sets } = garment;
    let comments: String = sets.iter().map(|(name, nodes)| format!("# {name} = {nodes:?}\n")).collect();
    write_statements(path, &comments, mesh.positions(), mesh.elements(), mesh.uv())?;
    Ok(())
}

fn write_statements(
    path: &Path,
    comments: &str,
    positions: &[DVec3],
    elements: &[Element],
    uv: Option<&[[DVec2; 4]]>,
) -> Result<(), FileError> {
    let write = |mut file: BufWriter<File>| -> io::Result<()> {
        file.write_all(comments.as_bytes())?;
        for position in positions {
            writeln!(file, "v {} {} {}", position.x, position.y, position.z)?;
        }
        // Each place in the panels once, by its bits, counted from 1.
        let mut textures: BTreeMap<[u64; 2], usize> = BTreeMap::new();
        for (element, corners) in uv.into_iter().flatten().enumerate() {
            for place in &corners[..elements[element].nodes().len()] {
                let next = textures.len() + 1;
                if *textures.entry(place.to_array().map(f64::to_bits)).or_insert(next) == next {
                    writeln!(file, "vt {} {}", place.x, place.y)?;
                }
            }
        }
        for (index, element) in elements.iter().enumerate() {
            write!(file, "f")?;
            for (k, corner) in element.nodes().iter().enumerate() {
                write!(file, " {}", corner + 1)?;
                if let Some(texture) = uv.and_then(|uv| textures.get(&uv[index][k].to_array().map(f64::to_bits))) {
                    write!(file, "/{texture}")?;
                }
            }
            writeln!(file)?;
        }
        file.flush()
    };
    let file = File::create(path).map_err(FileError::when("create", path))?;
    write(BufWriter::new(file)).map_err(FileError::when("write", path))
}
