//! Other meshes: triangles, and a tube.

use taffeta::cloth::{Cloth, RestShape, Scheme};
use taffeta::mesh::Diagonal;
use taffeta::mesh::garment::{Cut, Garment, Skirt};
use taffeta::obstacle::{Obstacle, Plane};
use taffeta::{DVec3, Simulation};

use crate::common::Kind;
use crate::common::layers::{THICKNESS, fold, rms_speed, run_clear, self_contacts, thick, weight};

#[test]
fn sheets_of_triangles_fold_as_well() {
    for diagonal in [Diagonal::Forward, Diagonal::Alternating] {
        let mut simulation = fold(Kind::Triangles(diagonal), 9, thick(), 0.01);
        run_clear(&mut simulation, 3.0);
        let nodes = simulation.positions().len();
        let (carried, weight) = (simulation.obstacle_force(0), weight(&simulation, 0..nodes));
        let (speed, contacts) = (rms_speed(&simulation), self_contacts(&simulation).count());
        println!("{diagonal:?}: {contacts} contacts, {speed:.1e} m/s, the floor carries {} N of {weight} N", carried.z);
        assert!(contacts > nodes / 6, "{diagonal:?}: {contacts} contacts");
        assert!(speed < 0.01, "{diagonal:?}: {speed} m/s");
        assert!((carried.z / weight + 1.0).abs() < 0.02, "{diagonal:?}: {carried} N of {weight} N");
    }
}

#[test]
fn a_skirt_that_is_dropped_lies_flat_in_two_layers() {
    let skirt = Garment::Skirt(Skirt { waist: 0.5, hem: 0.6, length: 0.3 });
    let mesh = skirt.sew(Cut { cell: 0.04, gap: 0.012 }).expect("a skirt").mesh;
    // It stood on its hem; it is laid on its front, a hand above the floor.
    let laid = mesh.positions().iter().map(|p| DVec3::new(p.x, p.z, p.y + 0.06)).collect();
    let mesh = mesh.with_positions(laid).expect("the same mesh");
    let cloth = Cloth::new(mesh, RestShape::Uv { scale: 1.0 }, Scheme::default());
    let (area, nodes) = (cloth.rest_area(), cloth.node_areas().len());
    let mut simulation = Simulation::new(cloth, thick(), 0.01);
    simulation.add_obstacle(Obstacle::new("floor", Plane));
    run_clear(&mut simulation, 2.0);
    let (speed, contacts) = (rms_speed(&simulation), self_contacts(&simulation).count());
    let highest = simulation.positions().iter().map(|x| x.z).fold(0.0, f64::max);
    let (carried, weight) = (simulation.obstacle_force(0), weight(&simulation, 0..nodes));
    println!("{nodes} nodes, {area:.2} m²: {contacts} contacts, {speed:.1e} m/s, {highest:.4} m high");
    assert!(speed < 1e-3, "{speed} m/s");
    assert!(contacts > nodes / 6, "{contacts} contacts");
    // Two layers, and what the seams at the sides do not bend.
    assert!(highest < 0.02, "{highest} m high");
    let upper = simulation.positions().iter().filter(|x| x.z > THICKNESS).count();
    let resting = simulation.positions().iter().filter(|x| (x.z / THICKNESS - 1.5).abs() < 0.1).count();
    println!("{resting} of {upper} nodes of the upper layer lie on the lower one");
    assert!(2 * resting > upper, "{resting} of {upper}");
    assert!((carried.z / weight + 1.0).abs() < 1e-3, "the floor carries {carried} N of {weight} N");
}
