//! Closest points of a point and a triangle, and of two segments.
//!
//! Both are the nearest point of a flat convex polygon: the triangle, or the parallelogram of the differences of two segments.
//! It lies inside, or on an edge that the point is beyond. Where the polygon is too thin to tell, every edge is tried and the
//! nearest wins, so that polygons without area need no rules of their own.

use glam::DVec3;

/// Squared sine of the angle between two sides below which rounding may put a point on the wrong side of an edge: the sine is
/// known to about 1e-16, its ratios to about 1e-8.
pub(super) const THIN: f64 = 1e-16;

/// The weights of the point of a triangle closest to `p`: none negative, sum 1. Weights of corners and edges are exact zeros.
///
/// The triangle may have no area, or be a point.
#[inline]
pub(crate) fn point_triangle(p: DVec3, f: [DVec3; 3]) -> [f64; 3] {
    let (e1, e2, from) = (f[1] - f[0], f[2] - f[0], p - f[0]);
    let normal = e1.cross(e2);
    let area = normal.length_squared();
    let w1 = from.cross(e2).dot(normal) / area;
    let w2 = e1.cross(from).dot(normal) / area;
    let inside = [1.0 - w1 - w2, w1, w2];
    let is_inside = inside.iter().all(|&w| w >= 0.0);
    let is_thin = is_thin(area, e1, e2);
    if is_inside && !is_thin {
        return inside;
    }
    let mut best = Best::new([1.0, 0.0, 0.0], from);
    if is_inside {
        best.offer(inside, from - e1 * w1 - e2 * w2);
    }
    for (opposite, [i, j]) in [[1, 2], [2, 0], [0, 1]].into_iter().enumerate() {
        if is_thin || inside[opposite] < 0.0 {
            let (edge, from) = (f[j] - f[i], p - f[i]);
            let s = foot(from, edge);
            let mut weights = [0.0; 3];
            weights[i] = 1.0 - s;
            weights[j] = s;
            best.offer(weights, from - edge * s);
        }
    }
    best.place
}

/// Where two segments are closest: the parts `α`, `β` in [0, 1] along them. Ends are exactly 0 and 1.
///
/// The segments may be parallel, or points.
#[inline]
pub(crate) fn segment_segment(a: [DVec3; 2], b: [DVec3; 2]) -> [f64; 2] {
    let (ea, eb, from) = (a[1] - a[0], b[1] - b[0], b[0] - a[0]);
    let normal = ea.cross(eb);
    let area = normal.length_squared();
    let inside = [from.cross(eb).dot(normal) / area, from.cross(ea).dot(normal) / area];
    let is_inside = inside.iter().all(|w| (0.0..=1.0).contains(w));
    let is_thin = is_thin(area, ea, eb);
    if is_inside && !is_thin {
        return inside;
    }
    let mut best = Best::new([0.0, 0.0], from);
    if is_inside {
        best.offer(inside, from + eb * inside[1] - ea * inside[0]);
    }
    for (end, gap) in [(0.0, from), (1.0, b[0] - a[1])] {
        if is_thin || beyond(inside[0], end) {
            let beta = foot(-gap, eb);
            best.offer([end, beta], gap + eb * beta);
        }
    }
    for (end, gap) in [(0.0, from), (1.0, b[1] - a[0])] {
        if is_thin || beyond(inside[1], end) {
            let alpha = foot(gap, ea);
            best.offer([alpha, end], gap - ea * alpha);
        }
    }
    best.place
}

/// Whether the parallelogram of two sides is too thin to trust on which side of its edges a point is.
#[inline]
fn is_thin(area_squared: f64, e1: DVec3, e2: DVec3) -> bool {
    // A NaN is thin as well.
    let is_wide = area_squared > THIN * e1.length_squared() * e2.length_squared();
    !is_wide
}

/// Whether a part of a segment lies outside of it by this end (0 or 1).
#[inline]
fn beyond(part: f64, end: f64) -> bool {
    if end == 0.0 { part < 0.0 } else { part > 1.0 }
}

/// The part of an edge, in [0, 1], closest to a point given from the edge's start.
#[inline]
fn foot(from: DVec3, edge: DVec3) -> f64 {
    let square = edge.length_squared();
    if square > 0.0 { (from.dot(edge) / square).clamp(0.0, 1.0) } else { 0.0 }
}

/// The nearest of some places.
struct Best<const K: usize> {
    place: [f64; K],
    squared: f64,
}

impl<const K: usize> Best<K> {
    #[inline]
    fn new(place: [f64; K], gap: DVec3) -> Self {
        Self { place, squared: gap.length_squared() }
    }

    #[inline]
    fn offer(&mut self, place: [f64; K], gap: DVec3) {
        let squared = gap.length_squared();
        if squared < self.squared {
            *self = Self { place, squared };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Points that often share coordinates, so that parallel, flat and degenerate cases come up.
    fn point() -> impl Strategy<Value = DVec3> {
        let number = prop_oneof![(-2i32..=2).prop_map(f64::from), -2.0..2.0f64];
        [number.clone(), number.clone(), number].prop_map(DVec3::from_array)
    }

    /// Three or four points, some so close to the line of the others that a polygon of them is thin.
    fn points<const K: usize>() -> impl Strategy<Value = [DVec3; K]> {
        let thin = prop_oneof![Just(1.0), Just(0.0), Just(1e-5), Just(1e-9), Just(1e-13)];
        let shape = (std::array::from_fn::<_, K, _>(|_| point()), thin, prop_oneof![Just(1.0), Just(1e-3), Just(1e3)]);
        shape.prop_map(|(points, thin, scale)| points.map(|x| DVec3::new(x.x, x.y * thin, x.z * thin) * scale))
    }

    /// The least of a convex function on [0, 1], by golden section.
    fn least(f: impl Fn(f64) -> f64) -> f64 {
        let ratio = (5f64.sqrt() - 1.0) / 2.0;
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..80 {
            let (left, right) = (high - ratio * (high - low), low + ratio * (high - low));
            if f(left) < f(right) { high = right } else { low = left }
        }
        [0.0, 1.0, 0.5 * (low + high)].map(f).into_iter().fold(f64::INFINITY, f64::min)
    }

    /// Distances below this part of the size are as good as equal: the brute force minimises a root of squares, flat to 1e-8.
    const CLOSE: f64 = 1e-7;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn closest_point_of_a_triangle_is_as_near_as_brute_force_finds([p, f0, f1, f2] in points()) {
            let weights = point_triangle(p, [f0, f1, f2]);
            prop_assert!(weights.iter().all(|w| (0.0..=1.0).contains(w)));
            prop_assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-15);
            let ours = (f0 * weights[0] + f1 * weights[1] + f2 * weights[2]).distance(p);
            let brute = least(|s| least(|t| f0.lerp(f1, s).lerp(f2, t).distance(p)));
            let size = [f0, f1, f2].iter().map(|f| f.distance(p)).fold(0.0, f64::max);
            prop_assert!(ours <= brute + CLOSE * size, "{ours} against {brute}");
        }

        #[test]
        fn closest_points_of_segments_are_as_near_as_brute_force_finds([a0, a1, b0, b1] in points()) {
            let [alpha, beta] = segment_segment([a0, a1], [b0, b1]);
            prop_assert!((0.0..=1.0).contains(&alpha) && (0.0..=1.0).contains(&beta));
            let ours = a0.lerp(a1, alpha).distance(b0.lerp(b1, beta));
            let brute = least(|s| least(|t| a0.lerp(a1, s).distance(b0.lerp(b1, t))));
            let size = [a0.distance(b0), a0.distance(b1), a1.distance(b0), a1.distance(b1)].into_iter().fold(0.0, f64::max);
            prop_assert!(ours <= brute + CLOSE * size, "{ours} against {brute}");
        }

        #[test]
        fn a_point_above_a_triangle_falls_on_its_weights([f0, f1, f2] in [point(), point(), point()], s in 0.0..1.0f64, t in 0.0..1.0f64, height in -1.0..1.0f64) {
            let normal = (f1 - f0).cross(f2 - f0);
            prop_assume!(normal.length() > 1e-3);
            let expected = [1.0 - s, s * (1.0 - t), s * t];
            let p = f0 * expected[0] + f1 * expected[1] + f2 * expected[2] + normal * height;
            let weights = point_triangle(p, [f0, f1, f2]);
            for (weight, expected) in weights.into_iter().zip(expected) {
                prop_assert!((weight - expected).abs() < 1e-9, "{weight} against {expected}");
            }
        }
    }

    #[test]
    fn points_and_segments_without_length_have_closest_points() {
        let (p, q) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(-1.0, 0.0, 5.0));
        assert_eq!(point_triangle(p, [q; 3]), [1.0, 0.0, 0.0]);
        assert_eq!(point_triangle(p, [p, q, q]), [1.0, 0.0, 0.0]);
        assert_eq!(segment_segment([p; 2], [q; 2]), [0.0, 0.0]);
        assert_eq!(segment_segment([p; 2], [q, 2.0 * p - q]), [0.0, 0.5]);
        assert_eq!(segment_segment([q, 2.0 * p - q], [p; 2]), [0.5, 0.0]);
    }

    #[test]
    fn segments_that_cross_at_a_small_angle_meet_where_they_cross() {
        for angle in [1e-3, 1e-6, 1e-9] {
            let a = [DVec3::ZERO, DVec3::X];
            let b = [DVec3::new(0.0, -0.25 * angle, 0.0), DVec3::new(1.0, 0.75 * angle, 0.0)];
            let [alpha, beta] = segment_segment(a, b);
            let gap = a[0].lerp(a[1], alpha).distance(b[0].lerp(b[1], beta));
            assert!(gap < 1e-15 && (alpha - 0.25).abs() < 1e-6, "{angle}: {gap} apart at {alpha}, {beta}");
        }
    }
}
