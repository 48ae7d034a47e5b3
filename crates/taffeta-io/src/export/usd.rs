//! USD as text (`.usda`): meshes whose points, or transforms, have a value at every frame.

use std::io::Write;
use std::path::Path;

use glam::DVec3;

use super::{ExportError, Film, Progress, write_whole, writing};

/// Writes a USD file with the cloth and what stands around it, animated.
///
/// # Errors
///
/// If the recording cannot be read or the file cannot be written.
pub fn write_usd(film: &Film, path: &Path, progress: Progress) -> Result<(), ExportError> {
    let rate = film.rate();
    // Time codes count frames, as far as these are evenly spaced.
    let codes: Vec<f64> = film.times().iter().map(|time| (time * rate * 1e6).round() / 1e6).collect();
    let (first, last) = (codes[0], codes[codes.len() - 1]);
    write_whole(path, |file| {
        let mut put = |text: &str| file.write_all(text.as_bytes()).map_err(writing(path));
        put(&format!(
            "#usda 1.0\n(\n    defaultPrim = \"World\"\n    metersPerUnit = 1\n    upAxis = \"Z\"\n    startTimeCode = {first}\n    \
             endTimeCode = {last}\n    timeCodesPerSecond = {rate}\n    framesPerSecond = {rate}\n)\n\ndef Xform \"World\"\n{{\n"
        ))?;
        let elements = film.elements();
        let counts = list(elements.iter().map(|element| element.nodes().len().to_string()));
        let corners = list(elements.iter().flat_map(|element| element.nodes()).map(usize::to_string));
        put(&mesh_head("Cloth", &counts, &corners, true))?;
        put("        point3f[] points.timeSamples = {\n")?;
        let mut extents = Vec::new();
        for (&frame, code) in film.frames().iter().zip(&codes) {
            let positions = film.positions(frame)?;
            put(&format!("            {code}: {},\n", points(&positions)))?;
            extents.push(format!("            {code}: {},\n", extent(&positions)));
            progress();
        }
        put("        }\n        float3[] extent.timeSamples = {\n")?;
        put(&extents.concat())?;
        put("        }\n    }\n")?;
        let mut names = vec!["Cloth".to_owned()];
        for (prop, poses) in film.props().iter().zip(film.poses()?) {
            let name = identifier(&prop.name, &names);
            let (positions, triangles) = (&prop.outline.positions, &prop.outline.triangles);
            let counts = list(triangles.iter().map(|_| "3".to_owned()));
            let corners = list(triangles.iter().flatten().map(usize::to_string));
            put(&mesh_head(&name, &counts, &corners, false))?;
            put(&format!("        point3f[] points = {}\n", points(positions)))?;
            put(&format!("        float3[] extent = {}\n", extent(positions)))?;
            let moves = poses.iter().any(|pose| *pose != poses[0]);
            let samples = |value: &dyn Fn(usize) -> String| {
                if !moves {
                    return format!(" = {}\n", value(0));
                }
                let all: String =
                    codes.iter().enumerate().map(|(k, code)| format!("            {code}: {},\n", value(k))).collect();
                format!(".timeSamples = {{\n{all}        }}\n")
            };
            let place = |k: usize| triple(poses[k].translation, |x| x.to_string());
            let turn = |k: usize| {
                let [x, y, z, w] = poses[k].rotation.as_quat().normalize().to_array();
                format!("({w}, {x}, {y}, {z})")
            };
            put(&format!("        double3 xformOp:translate{}", samples(&place)))?;
            put(&format!("        quatf xformOp:orient{}", samples(&turn)))?;
            put("        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n    }\n")?;
            names.push(name);
        }
        put("}\n")
    })
}

fn mesh_head(name: &str, counts: &str, corners: &str, sides: bool) -> String {
    let (sides, colour) = (u8::from(sides), if sides { "(0.8, 0.44, 0.37)" } else { "(0.74, 0.72, 0.67)" });
    format!(
        "    def Mesh \"{name}\"\n    {{\n        uniform token subdivisionScheme = \"none\"\n        uniform bool doubleSided = \
         {sides}\n        color3f[] primvars:displayColor = [{colour}]\n        int[] faceVertexCounts = {counts}\n        \
         int[] faceVertexIndices = {corners}\n"
    )
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

fn triple(v: DVec3, write: impl Fn(f64) -> String) -> String {
    format!("({}, {}, {})", write(v.x), write(v.y), write(v.z))
}

/// Points are of single precision in USD.
fn single(x: f64) -> String {
    (x as f32).to_string()
}

fn points(positions: &[DVec3]) -> String {
    list(positions.iter().map(|&x| triple(x, single)))
}

/// The box around the points.
fn extent(positions: &[DVec3]) -> String {
    let low = positions.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
    let high = positions.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
    list([low, high].into_iter().map(|x| triple(x, single)))
}

/// A name that USD takes, unlike all others.
fn identifier(name: &str, taken: &[String]) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let plain = if plain.starts_with(|c: char| c.is_ascii_alphabetic()) { plain } else { format!("body_{plain}") };
    let numbered = (1..).map(|k| if k == 1 { plain.clone() } else { format!("{plain}_{k}") });
    let mut free = numbered.filter(|name| !taken.contains(name));
    free.next().unwrap_or(plain)
}
