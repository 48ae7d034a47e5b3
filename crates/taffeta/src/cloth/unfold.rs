//! Directions at seams: the panels around a node, laid out in one plane.
//!
//! UVs give every panel a plane of its own, turned as it happens to lie on the fabric. What is averaged at a node of a seam
//! must be measured in one direction all the same. So the elements around the node are laid side by side as they are sewn,
//! and a direction of that plane is turned back into the plane of each element.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::{DVec2, DVec3};

use super::rest::Rest;
use crate::mesh::Mesh;

/// rad. Planes that are turned against each other by less are one plane.
const SAME_PLANE: f64 = 1e-9;

/// rad. Where the angles around a node are off a full turn by more (at the end of a crotch, in an armpit), they cannot be laid
/// out in a plane at all. Less, as in a dart or along a curved seam, is spread over the elements.
const CONE: f64 = 0.3;

/// What the rest spaces of the elements around a node have to do with each other.
pub(super) enum Around {
    /// They agree: there is no seam, or one that does not turn.
    Plane,
    /// They were laid out in one plane. The direction nearest to all threads, in the space of each element, in the order of
    /// [`Mesh::node_elements`].
    Seam(Vec<DVec3>),
    /// They cannot be laid out: the node is the tip of a cone, and has no directions.
    Cone,
}

/// Looks across the seams at node `i`.
///
/// Warp and weft count alike: of an element's thread and its quarter turns the nearest to the others is taken, so that panels cut
/// along the warp can be sewn to panels cut along the weft.
pub(super) fn around(mesh: &Mesh, rest: &Rest, i: usize, thread: impl Fn(usize) -> DVec3) -> Around {
    if !rest.is_flat() {
        return Around::Plane;
    }
    let Some(turns) = turns(mesh, rest, i) else { return Around::Cone };
    let off = |turn: &f64| ((turn - turns[0] + PI).rem_euclid(TAU) - PI).abs() > SAME_PLANE;
    if !turns.iter().any(off) {
        return Around::Plane;
    }
    let elements = mesh.node_elements(i).iter().zip(&turns);
    let angles: Vec<f64> = elements.map(|(&e, turn)| thread(e).truncate().to_angle() + turn).collect();
    let nearest = |angle: &f64| (angle - angles[0] + 0.5 * FRAC_PI_2).rem_euclid(FRAC_PI_2) - 0.5 * FRAC_PI_2;
    let mean = angles[0] + angles.iter().map(nearest).sum::<f64>() / angles.len() as f64;
    Around::Seam(turns.iter().map(|turn| DVec2::from_angle(mean - turn).extend(0.0)).collect())
}

/// The thread of an element with this unit normal, or the quarter turn of it that is nearest to `reference`.
pub(super) fn aligned(thread: DVec3, normal: DVec3, reference: DVec3) -> DVec3 {
    let across = normal.cross(thread);
    let (along, aside) = (thread.dot(reference), across.dot(reference));
    // The margin leaves a thread as it is where rounding would decide.
    if aside.abs() > along.abs() + 1e-9 {
        across * aside.signum()
    } else if along < 0.0 {
        -thread
    } else {
        thread
    }
}

/// By how much the plane of each element around node `i` is turned when they are laid out side by side, rad; `None` if they
/// cannot be.
fn turns(mesh: &Mesh, rest: &Rest, i: usize) -> Option<Vec<f64>> {
    let elements = mesh.node_elements(i);
    let corner = |e: usize| mesh.elements()[e].nodes().iter().position(|&n| n == i);
    let neighbour = |e: usize, leaving: bool| {
        let (corner, count) = (corner(e)?, mesh.elements()[e].nodes().len());
        let side = if leaving { corner } else { (corner + count - 1) % count };
        let [a, b] = mesh.edges()[mesh.element_edges(e)[side]].elements;
        if a == Some(e) { b } else { a }
    };
    // Clockwise to the end of an open fan, or once around.
    let mut first = elements[0];
    let mut closed = false;
    while let Some(before) = neighbour(first, true) {
        if before == elements[0] {
            closed = true;
            break;
        }
        first = before;
    }
    // Then counter-clockwise: where each element begins, the angle it takes, and the direction it begins with in its plane.
    let mut fan = Vec::with_capacity(elements.len());
    let (mut current, mut total) = (Some(first), 0.0);
    while let Some(e) = current.filter(|_| fan.len() < elements.len()) {
        let (corner, count) = (corner(e).unwrap_or(0), mesh.elements()[e].nodes().len());
        let towards = |k: usize| (rest.corner(e, k % count) - rest.corner(e, corner)).truncate();
        let (begin, end) = (towards(corner + 1), towards(corner + count - 1));
        let angle = begin.angle_to(end).abs();
        fan.push((e, total, angle, begin.to_angle()));
        total += angle;
        current = neighbour(e, false);
    }
    if closed && (total - TAU).abs() > CONE {
        return None;
    }
    let stretch = if closed { TAU / total } else { 1.0 };
    let turn = |e: usize| {
        let place = fan.iter().find(|(other, ..)| *other == e);
        place.map_or(0.0, |(_, start, angle, begin)| stretch * (start + 0.5 * angle) - (begin + 0.5 * angle))
    };
    Some(elements.iter().map(|&e| turn(e)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloth::{Cloth, RestShape, Scheme};
    use crate::mesh::garment::{Cut, Garment};
    use crate::mesh::{Diagonal, Element};

    const WIDE: usize = 9;

    fn flat(s: f64, t: f64) -> DVec3 {
        DVec3::new(s, 1.2 * t, 0.0)
    }

    fn sheets() -> Vec<Mesh> {
        let sheets = [
            Mesh::grid(WIDE, 7, flat),
            Mesh::triangle_grid(WIDE, 7, Diagonal::Forward, flat),
            Mesh::triangle_grid(WIDE, 7, Diagonal::Alternating, flat),
        ];
        sheets.into_iter().map(|mesh| mesh.expect("a valid grid")).collect()
    }

    /// The sheet as a general mesh with UVs; what is right of its middle is a panel of its own, turned and moved in the UV plane.
    fn cut(sheet: &Mesh, turn: f64) -> Mesh {
        let uv = sheet.elements().iter().map(|element| {
            let places = element.nodes().iter().map(|&i| sheet.positions()[i].truncate());
            let right = places.clone().map(|p| p.x).sum::<f64>() > 0.5 * element.nodes().len() as f64;
            let mut corners = [DVec2::ZERO; 4];
            for (corner, place) in corners.iter_mut().zip(places) {
                *corner = if right { DVec2::from_angle(turn).rotate(place) + DVec2::new(4.0, -3.0) } else { place };
            }
            corners
        });
        Mesh::new(sheet.positions().to_vec(), sheet.elements().to_vec(), Some(uv.collect())).expect("two panels")
    }

    fn cloth(mesh: Mesh, rest: RestShape, scheme: Scheme) -> Cloth {
        Cloth::new(mesh, rest, scheme)
    }

    /// Largest difference of the bending forces of two cloths with the same nodes in some crumpled states, of the largest force.
    fn difference(a: &Cloth, b: &Cloth) -> f64 {
        let n = a.mesh().node_count();
        let mut worst = 0.0f64;
        for phase in [0.3, 1.1, 2.9] {
            let crumpled = |i: usize| {
                let x = i as f64;
                a.mesh().positions()[i] + 0.2 * DVec3::new((1.3 * x + phase).sin(), (0.7 * x).cos(), (2.1 * x).sin())
            };
            let field: Vec<DVec3> = (0..n).map(crumpled).collect();
            let forces = |cloth: &Cloth| -> Vec<DVec3> { (0..n).map(|i| cloth.bending.times(i, &field)).collect() };
            let (left, right) = (forces(a), forces(b));
            let scale = left.iter().fold(0.0, |s: f64, f| s.max(f.length()));
            worst = left.iter().zip(&right).fold(worst, |w, (l, r)| w.max(l.distance(*r) / scale));
        }
        worst
    }

    const TURNS: [f64; 5] = [0.0, FRAC_PI_2, PI, -FRAC_PI_2, PI / 6.0];

    #[test]
    fn a_sheet_cut_in_two_panels_bends_as_the_uncut_one() {
        for sheet in sheets() {
            let uncut = cloth(cut(&sheet, 0.0), RestShape::Uv { scale: 1.0 }, Scheme::Edges);
            for turn in TURNS {
                let two = cloth(cut(&sheet, turn), RestShape::Uv { scale: 1.0 }, Scheme::Edges);
                let off = difference(&uncut, &two);
                assert!(off < 1e-10, "{off} at a turn of {turn}");
            }
        }
    }

    #[test]
    fn a_sheet_at_rest_as_given_bends_alike_however_its_panels_lie() {
        for sheet in sheets() {
            let uncut = cloth(cut(&sheet, 0.0), RestShape::Mesh, Scheme::Edges);
            for turn in TURNS {
                let two = cloth(cut(&sheet, turn), RestShape::Mesh, Scheme::Edges);
                let off = difference(&uncut, &two);
                assert!(off < 1e-10, "{off} at a turn of {turn}");
            }
        }
    }

    #[test]
    fn a_tube_of_two_panels_bends_as_a_tube_of_one() {
        // Ten columns around; the tube of two panels has the second one turned upside down.
        let (around, rows) = (10, 6);
        let tube = |turn: Option<f64>| {
            let node = |c: usize, r: usize| r * around + c % around;
            let place = |k: usize| {
                let (c, r) = (k % around, k / around);
                let angle = TAU * c as f64 / around as f64;
                DVec3::new(angle.cos(), angle.sin(), 0.6 * r as f64)
            };
            let (mut elements, mut uv) = (Vec::new(), Vec::new());
            for (c, r) in (0..rows - 1).flat_map(|r| (0..around).map(move |c| (c, r))) {
                elements.push(Element::Quad([node(c, r), node(c + 1, r), node(c + 1, r + 1), node(c, r + 1)]));
                let corners = [[c, r], [c + 1, r], [c + 1, r + 1], [c, r + 1]];
                let laid = corners.map(|[c, r]| DVec2::new(0.6 * c as f64, 0.6 * r as f64));
                uv.push(match turn {
                    Some(turn) if c >= around / 2 => laid.map(|p| DVec2::from_angle(turn).rotate(p)),
                    _ => laid,
                });
            }
            let positions = (0..around * rows).map(place).collect();
            Mesh::new(positions, elements, Some(uv)).expect("a tube")
        };
        let rest = RestShape::Uv { scale: 1.0 };
        let one = cloth(tube(None), rest, Scheme::Edges);
        for turn in TURNS {
            assert!(difference(&one, &cloth(tube(Some(turn)), rest, Scheme::Edges)) < 1e-10, "{turn}");
        }
        // All columns of one tube are alike: the seam of its only panel is not felt.
        let diagonal: Vec<f64> = (0..around).map(|c| one.bending.diagonal(2 * around + c)).collect();
        assert!(diagonal.iter().all(|d| (d / diagonal[0] - 1.0).abs() < 1e-10), "{diagonal:?}");
    }

    #[test]
    fn the_nodal_conditions_of_a_cut_sheet_are_those_of_the_uncut_one() {
        // A turn by a quarter exchanges warp and weft, and E with G: the conditions are the same as a set.
        for sheet in sheets() {
            let read = |turn: f64| {
                let cloth = cloth(cut(&sheet, turn), RestShape::Uv { scale: 1.0 }, Scheme::Nodal);
                let bent = |x: &DVec3| DVec3::new(1.03 * x.x.sin(), 0.98 * x.y + 0.1 * x.x * x.y, 1.0 - x.x.cos());
                let phi: Vec<DVec3> = cloth.mesh().positions().iter().map(bent).collect();
                let (mut gradient, mut value) =
                    (vec![DVec3::ZERO; cloth.rows.incidences()], vec![0.0; cloth.rows.len()]);
                cloth.rows.evaluate_all(&phi, &mut gradient, &mut value);
                let mut value: Vec<f64> = value.iter().map(|c| c.abs()).collect();
                value.sort_by(f64::total_cmp);
                value
            };
            let uncut = read(0.0);
            for turn in [FRAC_PI_2, PI] {
                let two = read(turn);
                assert_eq!(uncut.len(), two.len());
                assert!(uncut.iter().zip(&two).all(|(a, b)| (a - b).abs() < 1e-12), "{turn}");
            }
        }
    }

    #[test]
    fn a_garment_resists_bending_alike_in_front_and_behind_and_never_by_itself() {
        let garment = Garment::named("shorts").expect("known").sew(Cut::with_cell(0.04)).expect("shorts");
        let half = garment.mesh.elements().len() / 2;
        let pairs: Vec<(usize, usize)> = (0..half)
            .flat_map(|e| {
                let (front, back) = (garment.mesh.elements()[e], garment.mesh.elements()[e + half]);
                let (f, b) = (front.nodes().to_vec(), back.nodes().to_vec());
                [(f[0], b[1]), (f[1], b[0]), (f[2], b[3]), (f[3], b[2])]
            })
            .collect();
        let cloth = cloth(garment.mesh, RestShape::Uv { scale: 1.0 }, Scheme::Edges);
        for (front, back) in pairs {
            let (a, b) = (cloth.bending.diagonal(front), cloth.bending.diagonal(back));
            assert!((a / b - 1.0).abs() < 1e-9, "{front}: {a} against {b}");
        }
        // Moved as a whole, no force.
        let moved: Vec<DVec3> = (0..cloth.mesh().node_count()).map(|_| DVec3::new(1.0, 2.0, 3.0)).collect();
        assert!((0..moved.len()).all(|i| cloth.bending.times(i, &moved) == DVec3::ZERO));
    }
}
