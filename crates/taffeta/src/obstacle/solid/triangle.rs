//! The point of a triangle that is nearest to a point.

use glam::DVec3;

/// The part of a triangle on which a point of it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    /// The inside.
    Face,
    /// The side from corner k to corner k + 1.
    Side(usize),
    /// Corner k.
    Corner(usize),
}

/// The nearest point of a triangle, and on which part of it that is. By the Voronoi regions of the corners, sides and
/// face, after Ericson, Real-Time Collision Detection, 5.1.5.
pub(super) fn nearest_on_triangle(corners: [DVec3; 3], point: DVec3) -> (DVec3, Feature) {
    let [a, b, c] = corners;
    let (ab, ac) = (b - a, c - a);
    // Components along the two sides at a, seen from each corner.
    let [from_a, from_b, from_c] = corners.map(|corner| (ab.dot(point - corner), ac.dot(point - corner)));
    if from_a.0 <= 0.0 && from_a.1 <= 0.0 {
        return (a, Feature::Corner(0));
    }
    if from_b.0 >= 0.0 && from_b.1 <= from_b.0 {
        return (b, Feature::Corner(1));
    }
    if from_c.1 >= 0.0 && from_c.0 <= from_c.1 {
        return (c, Feature::Corner(2));
    }
    // Barycentric weights, up to their sum.
    let weight_c = from_a.0 * from_b.1 - from_b.0 * from_a.1;
    if weight_c <= 0.0 && from_a.0 >= 0.0 && from_b.0 <= 0.0 {
        return (a + ab * (from_a.0 / (from_a.0 - from_b.0)), Feature::Side(0));
    }
    let weight_b = from_c.0 * from_a.1 - from_a.0 * from_c.1;
    if weight_b <= 0.0 && from_a.1 >= 0.0 && from_c.1 <= 0.0 {
        return (a + ac * (from_a.1 / (from_a.1 - from_c.1)), Feature::Side(2));
    }
    let weight_a = from_b.0 * from_c.1 - from_c.0 * from_b.1;
    let (towards_c, towards_b) = (from_b.1 - from_b.0, from_c.0 - from_c.1);
    if weight_a <= 0.0 && towards_c >= 0.0 && towards_b >= 0.0 {
        return (b + (c - b) * (towards_c / (towards_c + towards_b)), Feature::Side(1));
    }
    let sum = weight_a + weight_b + weight_c;
    (a + ab * (weight_b / sum) + ac * (weight_c / sum), Feature::Face)
}
