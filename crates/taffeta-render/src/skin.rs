//! Surfaces as the eye meets them: where a ray hits a triangle, and the light from there.

use glam::DVec3;

use crate::lighting::{Lighting, Spot};
use crate::props::Props;

/// The light on everything there is, as far as it is worth working out once per node.
pub(crate) struct Skin {
    /// Light of the sky on the front and on the back of every node.
    sky: Vec<[f64; 2]>,
}

impl Skin {
    pub fn new(props: &Props, lighting: &Lighting) -> Self {
        let mut sky = Vec::with_capacity(props.positions.len());
        for part in &props.parts {
            for node in part.nodes.clone() {
                let (point, normal) = (props.positions[node], props.normals[node]);
                let back = if part.closed { 0.0 } else { lighting.sky_light(point, -normal) };
                sky.push([lighting.sky_light(point, normal), back]);
            }
        }
        for part in &props.parts[1..] {
            soften(&mut sky, &props.triangles[part.triangles.clone()]);
        }
        Self { sky }
    }

    /// Light that comes back along a ray from the eye that meets the given triangle.
    pub fn shade(&self, props: &Props, triangle: usize, (eye, ray): (DVec3, DVec3), lighting: &Lighting) -> DVec3 {
        let corners = props.corners(triangle);
        let nodes = props.triangles[triangle];
        let part = props.part(triangle);
        let weights = meeting_point(corners, eye, ray);
        let blend = |values: [DVec3; 3]| values[0] * weights.x + values[1] * weights.y + values[2] * weights.z;

        let toward_eye = (-ray).normalize();
        let front_normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or(toward_eye);
        let (side, sign) = if front_normal.dot(ray) < 0.0 { (0, 1.0) } else { (1, -1.0) };
        let normals = nodes.map(|node| props.normals[node] * sign);
        let point = blend(corners);
        let own = nodes.map(|node| props.colours.get(node).copied());
        let albedo = match own {
            [Some(a), Some(b), Some(c)] => blend([a, b, c]),
            _ => part.albedo[side],
        };
        // The curved surface the flat triangle stands for bulges out from it: a shadow that starts
        // from the triangle itself would show every facet of a coarse mesh.
        let bulge = |corner: DVec3, normal: DVec3| normal * (corner - point).dot(normal).max(0.0);
        let bulges = [0, 1, 2].map(|i| bulge(corners[i], normals[i]));
        lighting.shade(&Spot {
            point: point + blend(bulges),
            normal: blend(normals).normalize_or(front_normal * sign),
            flat_normal: front_normal * sign,
            toward_eye,
            albedo,
            finish: part.finish,
            sky: weights.dot(DVec3::from(nodes.map(|node| self.sky[node][side]))),
        })
    }
}

/// Evens out the light on the nodes of a body: the sky is sampled in so few directions that the
/// single shadows would show on its large, plain faces.
fn soften(sky: &mut [[f64; 2]], triangles: &[[usize; 3]]) {
    const ROUNDS: usize = 3;
    for _ in 0..ROUNDS {
        let mut around = vec![([0.0; 2], 0.0); sky.len()];
        for nodes in triangles {
            for (node, other) in nodes.iter().flat_map(|&node| nodes.iter().map(move |&other| (node, other))) {
                let (sum, count) = &mut around[node];
                *sum = [0, 1].map(|side| sum[side] + sky[other][side]);
                *count += 1.0;
            }
        }
        for (light, (sum, count)) in sky.iter_mut().zip(around) {
            if count > 0.0 {
                *light = sum.map(|total| total / count);
            }
        }
    }
}

/// Barycentric weights of the point where a ray meets a triangle. The ray may pass just outside,
/// or along the triangle; the weights always describe a point of the triangle.
fn meeting_point([a, b, c]: [DVec3; 3], eye: DVec3, ray: DVec3) -> DVec3 {
    let (ab, ac) = (b - a, c - a);
    let across = ray.cross(ac);
    let determinant = ab.dot(across);
    let offset = eye - a;
    let b_weight = offset.dot(across) / determinant;
    let c_weight = ray.dot(offset.cross(ab)) / determinant;
    if !(b_weight.is_finite() && c_weight.is_finite()) {
        return DVec3::splat(1.0 / 3.0);
    }
    // Limited before they are balanced, so that their sum stays small and above zero.
    let weights = DVec3::new(1.0 - b_weight - c_weight, b_weight, c_weight);
    let weights = weights.clamp(DVec3::ZERO, DVec3::ONE);
    weights / weights.element_sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];

    #[test]
    fn weights_rebuild_the_point_that_was_aimed_at() {
        let aim = DVec3::new(0.2, 0.5, 0.0);
        let eye = DVec3::new(3.0, -1.0, 4.0);
        let weights = meeting_point(CORNERS, eye, aim - eye);
        let met = CORNERS[0] * weights.x + CORNERS[1] * weights.y + CORNERS[2] * weights.z;
        assert!((met - aim).length() < 1e-12);
    }

    #[test]
    fn a_miss_or_a_graze_still_gives_a_point_of_the_triangle() {
        for ray in [DVec3::new(5.0, 5.0, -1.0), DVec3::X, DVec3::Z] {
            let weights = meeting_point(CORNERS, DVec3::Z, ray);
            assert!(weights.min_element() >= 0.0);
            assert!((weights.element_sum() - 1.0).abs() < 1e-12);
        }
    }
}
