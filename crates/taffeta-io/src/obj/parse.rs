//! The statements of an OBJ file.

use std::array;

use glam::{DVec2, DVec3};
use taffeta::mesh::Element;

/// A line that makes no sense.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BadLine {
    /// Counted from 1.
    pub line: usize,
    pub why: String,
}

/// What makes up a mesh.
#[derive(Debug)]
pub(super) struct Faces {
    pub positions: Vec<DVec3>,
    /// The line of each position.
    pub position_lines: Vec<usize>,
    pub elements: Vec<Element>,
    /// The line of each element.
    pub element_lines: Vec<usize>,
    /// The texture coordinates of each element's corners, if all have them. The unused fourth of
    /// a triangle repeats its third.
    pub uv: Option<Vec<[DVec2; 4]>>,
}

/// A face, its corners counted from 0 but not yet known to be there: faces may come before the
/// vertices they are made of.
struct Face {
    line: usize,
    element: Element,
    textures: Option<[usize; 4]>,
}

pub(super) fn parse(text: &str) -> Result<Faces, BadLine> {
    let mut positions = Vec::new();
    let mut position_lines = Vec::new();
    let mut textures = Vec::new();
    let mut faces = Vec::new();
    for (line, statement) in statements(text) {
        let at_line = |why| BadLine { line, why };
        let mut words = statement.split_whitespace();
        match words.next() {
            Some("v") => {
                let [x, y, z] = numbers("a vertex", words).map_err(at_line)?;
                positions.push(DVec3::new(x, y, z));
                position_lines.push(line);
            }
            Some("vt") => {
                let [u, v] = numbers("a texture coordinate", words).map_err(at_line)?;
                textures.push(DVec2::new(u, v));
            }
            Some("f") => {
                let words: Vec<&str> = words.collect();
                let face = face(line, &words, positions.len(), textures.len());
                faces.push(face.map_err(at_line)?);
            }
            _ => {}
        }
    }
    for face in &faces {
        let vertices = face.element.nodes();
        check_present("vertex", face.line, vertices, positions.len())?;
        let uv = face.textures.as_ref().map_or(&[][..], |uv| &uv[..]);
        check_present("texture coordinate", face.line, uv, textures.len())?;
    }
    Ok(Faces {
        positions,
        position_lines,
        elements: faces.iter().map(|face| face.element).collect(),
        element_lines: faces.iter().map(|face| face.line).collect(),
        uv: all_textures(&faces, &textures),
    })
}

/// The statements without their comments, each with the line it begins on. A backslash at the end
/// of a line continues the statement on the next.
fn statements(text: &str) -> Vec<(usize, String)> {
    let mut statements = Vec::new();
    let mut continued: Option<(usize, String)> = None;
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim_end();
        let (line, goes_on) = match line.strip_suffix('\\') {
            Some(line) => (line, true),
            None => (line, false),
        };
        let (start, mut statement) = continued.take().unwrap_or((index + 1, String::new()));
        statement.push_str(line);
        if goes_on {
            statement.push(' ');
            continued = Some((start, statement));
        } else {
            statements.push((start, statement));
        }
    }
    statements.extend(continued);
    statements
}

/// The leading numbers of a statement; what may follow, as weights and colours, is ignored.
fn numbers<'a, const COUNT: usize>(
    what: &str,
    mut words: impl Iterator<Item = &'a str>,
) -> Result<[f64; COUNT], String> {
    let mut numbers = [0.0; COUNT];
    for (found, number) in numbers.iter_mut().enumerate() {
        let word = words.next().ok_or_else(|| format!("{what} takes {COUNT} numbers and has {found}; add the rest"))?;
        *number = word
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite())
            .ok_or_else(|| format!("{what} takes finite numbers, and {word:?} is none"))?;
    }
    Ok(numbers)
}

/// A face from its corners `v`, `v/vt`, `v//vn` or `v/vt/vn`, with so many vertices and texture
/// coordinates before it.
fn face(line: usize, corners: &[&str], vertices_so_far: usize, textures_so_far: usize) -> Result<Face, String> {
    let count = corners.len();
    if count > 4 {
        return Err(format!(
            "a face has {count} corners, and at most 4 are supported; split it into triangles or quads"
        ));
    }
    let mut vertices = Vec::with_capacity(count);
    let mut textures = Vec::with_capacity(count);
    for &corner in corners {
        let mut parts = corner.split('/');
        let vertex = parts.next().unwrap_or_default();
        let vertex = from_zero(corner, vertex, vertices_so_far)?;
        if vertices.contains(&vertex) {
            return Err(format!("a face has the corner {corner:?} twice; remove the face or merge the corners"));
        }
        vertices.push(vertex);
        match parts.next() {
            None | Some("") => {}
            Some(texture) => textures.push(from_zero(corner, texture, textures_so_far)?),
        }
        // The normal is not looked at, but nothing may come after it.
        if parts.nth(1).is_some() {
            return Err(no_corner(corner));
        }
    }
    if !textures.is_empty() && textures.len() < count {
        return Err(
            "some corners of a face have texture coordinates and others have none; give them to all or to none"
                .to_owned(),
        );
    }
    let element = match vertices[..] {
        [a, b, c] => Element::Triangle([a, b, c]),
        [a, b, c, d] => Element::Quad([a, b, c, d]),
        _ => {
            return Err(format!("a face has {count} corners, and needs 3 or 4; remove it or add the rest"));
        }
    };
    let textures = textures.last().map(|&last| array::from_fn(|corner| textures.get(corner).copied().unwrap_or(last)));
    Ok(Face { line, element, textures })
}

/// An index that counts from 1, or backwards from −1, as one that counts from 0.
fn from_zero(corner: &str, index: &str, so_far: usize) -> Result<usize, String> {
    let number: isize = index.parse().map_err(|_| no_corner(corner))?;
    match number {
        1.. => Ok(number.unsigned_abs() - 1),
        0 => Err(format!("the corner {corner:?} refers to number 0; numbers count from 1, or backwards from -1")),
        _ => so_far
            .checked_sub(number.unsigned_abs())
            .ok_or_else(|| format!("the corner {corner:?} counts back beyond the first of the {so_far} above it")),
    }
}

fn no_corner(corner: &str) -> String {
    format!("{corner:?} is no corner of a face; write v, v/vt, v//vn or v/vt/vn")
}

/// The texture coordinates of all faces, if all have them.
fn all_textures(faces: &[Face], textures: &[DVec2]) -> Option<Vec<[DVec2; 4]>> {
    faces.iter().map(|face| Some(face.textures?.map(|texture| textures[texture]))).collect()
}

/// Refuses a face that refers to something beyond the `count` of them.
fn check_present(what: &str, line: usize, indices: &[usize], count: usize) -> Result<(), BadLine> {
    match indices.iter().find(|&&index| index >= count) {
        None => Ok(()),
        Some(index) => Err(BadLine {
            line,
            why: format!(
                "a face refers to {what} {}, and the file has {count}; add it or correct the face",
                index.saturating_add(1)
            ),
        }),
    }
}
