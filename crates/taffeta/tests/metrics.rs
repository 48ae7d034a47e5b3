//! What cloth covers, and how far it is from where it is to be.

use taffeta::cloth::{Cloth, RestShape, Scheme};
use taffeta::mesh::{GridCorner, GridShape, GridSide, Mesh};
use taffeta::metrics::{Region, corner_distance, side_distance};
use taffeta::obstacle::Pose;
use taffeta::{DQuat, DVec2, DVec3};

/// A towel of 0.4 m by 0.6 m whose nodes are put somewhere.
fn towel(place: impl Fn(DVec3) -> DVec3) -> (Cloth, Vec<DVec3>, GridShape) {
    let mesh = Mesh::grid(9, 13, |s, t| DVec3::new(0.4 * s, 0.6 * t, 0.0)).expect("a towel");
    let shape = mesh.grid_shape().expect("a grid");
    let places = mesh.positions().iter().map(|x| place(*x)).collect();
    (Cloth::new(mesh, RestShape::Mesh, Scheme::default()), places, shape)
}

/// Folded once along its middle, the upper half on the lower one.
fn folded(x: DVec3) -> DVec3 {
    if x.y > 0.3 { DVec3::new(x.x, 0.6 - x.y, 0.01) } else { x }
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found}, not {expected}");
}

#[test]
fn a_towel_covers_its_area_and_folded_half_of_it_in_every_plane_it_is_turned_to() {
    for turn in [DQuat::IDENTITY, DQuat::from_rotation_z(0.4), DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -1.2, 2.0)] {
        let plane = Pose::new(turn, DVec3::new(3.0, -1.0, 0.5));
        for (fold, area) in [(false, 0.24), (true, 0.12)] {
            let (cloth, places, _) = towel(|x| plane.to_world(if fold { folded(x) } else { x }));
            close(Region::covered(&cloth, &places, &plane).area(), area);
        }
    }
    // Seen from aside, it is as wide as the cosine of the angle says.
    let (cloth, places, _) = towel(|x| x);
    let aside = Pose::new(DQuat::from_rotation_x(1.0), DVec3::ZERO);
    close(Region::covered(&cloth, &places, &aside).area(), 0.24 * f64::cos(1.0));
}

#[test]
fn what_a_towel_covers_overlaps_a_goal_by_as_much_as_they_share() {
    let goal = Region::Polygon([[0.0, 0.0], [0.4, 0.0], [0.4, 0.3], [0.0, 0.3]].map(DVec2::from_array).to_vec());
    let ratio = |place: &dyn Fn(DVec3) -> DVec3| {
        let (cloth, places, _) = towel(place);
        Region::covered(&cloth, &places, &Pose::IDENTITY).overlap(&goal).ratio()
    };
    close(ratio(&folded), 1.0);
    close(ratio(&|x| x), 0.5);
    // Moved by a quarter of its width: three quarters are on it, and a quarter beside it.
    close(ratio(&|x| folded(x) + DVec3::X * 0.1), 0.75 / 1.25);
    close(ratio(&|x| x + DVec3::X), 0.0);
    // Turned by an eighth of a turn about the middle of the goal: the overlap of a rectangle with itself is symmetric.
    let turned = |x: DVec3| {
        let middle = DVec3::new(0.2, 0.15, 0.0);
        middle + DQuat::from_rotation_z(std::f64::consts::PI) * (folded(x) - middle)
    };
    close(ratio(&turned), 1.0);
    let (cloth, places, _) = towel(folded);
    let (other, flat, _) = towel(|x| x);
    let regions = [(&cloth, &places), (&other, &flat)].map(|(cloth, x)| Region::covered(cloth, x, &Pose::IDENTITY));
    close(regions[0].overlap(&regions[1]).ratio(), 0.5);
}

#[test]
fn corners_and_sides_are_as_far_as_they_were_moved() {
    let way = DVec3::new(0.03, 0.0, 0.04);
    let (_, places, shape) = towel(|x| x + way);
    let ends = [DVec3::ZERO, DVec3::X * 0.4];
    close(corner_distance(&shape, &places, GridCorner::BottomRight, DVec3::X * 0.4), 0.05);
    close(side_distance(&shape, &places, GridSide::Bottom, ends), 0.05);
    // A fold brings the upper side to the lower one.
    let (_, places, shape) = towel(folded);
    close(side_distance(&shape, &places, GridSide::Top, ends), 0.01);
    // Backwards they are as far apart as a side is long, and in the middle not at all.
    let (_, places, shape) = towel(|x| x);
    let mean = (0..9).map(|k| f64::abs(0.4 - 0.1 * f64::from(k))).sum::<f64>() / 9.0;
    close(side_distance(&shape, &places, GridSide::Bottom, [ends[1], ends[0]]), mean);
}
