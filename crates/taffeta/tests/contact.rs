//! Contact with the world: forces, hard cases, the outcomes of the paper's experiments.

use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::mesh::{GridCorner, Mesh};
use taffeta::obstacle::{Cuboid, Cylinder, Motion, Obstacle, Plane, Pose, Sphere, Travel};
use taffeta::{Contact, DQuat, DVec3, Grasp, Keyframes, Params, Simulation, StepError, StepReport, Turn};

fn simulation(mesh: Mesh, dt: f64) -> Simulation {
    let params = Params { material: Material::with_density(0.18), ..Params::default() };
    Simulation::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()), params, dt)
}

/// A level square sheet, its centre at `centre`.
fn level(n: usize, size: f64, centre: DVec3) -> Mesh {
    Mesh::grid(n, n, |s, t| centre + DVec3::new(size * (s - 0.5), size * (t - 0.5), 0.0)).expect("a sheet")
}

/// The worst of a run: smallest gap, largest strain, and the last report.
struct Worst {
    gap: f64,
    strain: f64,
    last: StepReport,
}

fn run(simulation: &mut Simulation, seconds: f64) -> Worst {
    let mut worst = Worst { gap: f64::INFINITY, strain: 0.0, last: StepReport::default() };
    for _ in 0..(seconds / simulation.dt()).round() as usize {
        let report = simulation.step().expect("a certified step");
        worst.gap = worst.gap.min(report.min_gap);
        worst.strain = worst.strain.max(report.max_edge_strain);
        worst.last = report;
    }
    worst
}

fn rms_speed(simulation: &Simulation) -> f64 {
    let velocities = simulation.velocities();
    (velocities.iter().map(|v| v.length_squared()).sum::<f64>() / velocities.len() as f64).sqrt()
}

fn weight(simulation: &Simulation) -> f64 {
    let area: f64 = simulation.model().cloth().node_areas().iter().sum();
    simulation.params.material.virtual_density * area * 9.81
}

fn highest(simulation: &Simulation) -> f64 {
    simulation.positions().iter().map(|x| x.z).fold(f64::MIN, f64::max)
}

#[test]
fn a_table_feels_the_weight_of_the_cloth() {
    let mut simulation = simulation(level(10, 0.5, DVec3::Z * 0.05), 0.01);
    simulation.params.material.virtual_density = 0.15;
    // A sheet on a slab, a corner of it over the edge.
    let table = Obstacle::new("table", Cuboid::table(0.6, 0.6, 0.03)).with_friction(0.5);
    simulation.add_obstacle(table.at(Pose::from_translation(DVec3::new(-0.2, -0.2, 0.0))));
    let worst = run(&mut simulation, 4.0);
    let force = simulation.obstacle_force(0);
    println!("{force} N on the table, {:.5} N of cloth, {:.1e} m/s", weight(&simulation), rms_speed(&simulation));
    assert!((force.z / -weight(&simulation) - 1.0).abs() < 1e-3, "{force}");
    assert!(force.truncate().length() < 1e-3 * weight(&simulation), "{force}");
    assert!(rms_speed(&simulation) < 1e-3, "{} m/s", rms_speed(&simulation));
    assert!(worst.gap > -1e-4 && worst.strain < 0.01, "gap {}, strain {}", worst.gap, worst.strain);
}

#[test]
fn hands_feel_the_weight_of_the_cloth() {
    let mesh = Mesh::grid(7, 9, |s, t| DVec3::new(0.42 * (s - 0.5), 0.05 * (6.0 * s).sin(), 0.594 * t));
    let mut simulation = simulation(mesh.expect("a sheet"), 0.01);
    let shape = simulation.model().cloth().mesh().grid_shape().expect("a grid");
    simulation.grasp(Grasp::pin([shape.corner(GridCorner::TopLeft), shape.corner(GridCorner::TopRight)]));
    run(&mut simulation, 6.0);
    let total: DVec3 = simulation.held_forces().iter().sum();
    println!("{total} N in the hands, {:.5} N of cloth", weight(&simulation));
    assert!((total - DVec3::Z * weight(&simulation)).length() < 1e-3 * weight(&simulation), "{total}");
    // The threads that end in a hand carry what it feels, but for the weight of its node and the shear there.
    let hand = shape.corner(GridCorner::TopLeft);
    let pull: f64 = simulation.tensions().filter(|(nodes, _)| nodes.contains(&hand)).map(|(_, tension)| tension).sum();
    assert!(pull > 0.5 * simulation.held_forces()[0].length(), "{pull} N");
}

/// The paper's sheet over a cylinder, after `seconds`.
fn over_a_cylinder(n: usize, friction: f64, seconds: f64) -> (Simulation, Worst) {
    let turn = DQuat::from_rotation_z(20f64.to_radians());
    let place = |s: f64, t: f64| DVec3::new(0.3, 0.0, 1.12) + turn * DVec3::new(1.3 * (s - 0.5), 1.3 * (t - 0.5), 0.0);
    let mut simulation = simulation(Mesh::grid(n, n, place).expect("a sheet"), 0.01);
    simulation.add_obstacle(Obstacle::new("floor", Plane).with_friction(friction));
    let lying = Pose::new(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2), DVec3::Z);
    simulation
        .add_obstacle(Obstacle::new("cylinder", Cylinder::new(0.1, f64::INFINITY)).with_friction(friction).at(lying));
    let worst = run(&mut simulation, seconds);
    (simulation, worst)
}

#[test]
fn a_sheet_slides_off_a_cylinder_or_stays_as_friction_decides() {
    for nodes in [20, 30, 40] {
        slides_or_stays(nodes);
    }
}

fn slides_or_stays(nodes: usize) {
    let (slippery, first) = over_a_cylinder(nodes, 0.2, 2.0);
    let (medium, second) = over_a_cylinder(nodes, 0.4, 2.0);
    let (rough, third) = over_a_cylinder(nodes, 0.55, 2.0);
    println!("{nodes}: highest points {:.3}, {:.3}, {:.3} m", highest(&slippery), highest(&medium), highest(&rough));
    let lowered = |simulation: &Simulation| {
        simulation.positions().iter().map(|x| x.z).sum::<f64>() / simulation.positions().len() as f64
    };
    // On the floor in a heap, whose folds stand up; later to fall, or still falling; lying over the cylinder.
    assert!(highest(&slippery) < 0.7 && lowered(&slippery) < 0.25, "{}", lowered(&slippery));
    assert_eq!(slippery.obstacle_force(1), DVec3::ZERO);
    // A tenth of the cylinder's height apart: how high a heap stands, 12 to 18 cm, is chance.
    let heights = [&slippery, &medium, &rough].map(lowered);
    assert!(heights[0] + 0.1 < heights[1] && heights[1] + 0.1 < heights[2], "{heights:?}");
    assert!(highest(&rough) > 1.05 && rms_speed(&rough) < 0.05);
    for worst in [first, second, third] {
        assert!(worst.gap > -1e-4 && worst.strain < 0.01, "gap {}, strain {}", worst.gap, worst.strain);
    }
}

#[test]
fn contact_with_a_still_world_keeps_energy_bounded() {
    for friction in [0.0, 0.3, 1.0] {
        let mut simulation = simulation(level(14, 0.9, DVec3::Z * 0.6), 0.01);
        simulation.params.material.damping = 0.0;
        simulation.add_obstacle(Obstacle::new("floor", Plane).with_friction(friction));
        let sphere = Obstacle::new("sphere", Sphere::new(0.25)).with_friction(friction);
        simulation.add_obstacle(sphere.at(Pose::from_translation(DVec3::Z * 0.25)));
        let first = simulation.step().expect("a certified step").energy();
        let (mut last, mut largest_rise) = (first, 0.0f64);
        for _ in 0..150 {
            let energy = simulation.step().expect("a certified step").energy();
            assert!(energy < first, "friction {friction}, t = {}: {energy} J", simulation.time());
            largest_rise = largest_rise.max(energy - last);
            last = energy;
        }
        // The normal at the end of a step does work along its chord on a curved body: a little, on a fast one.
        println!("friction {friction}: {first:.3} to {last:.3} J, at most {largest_rise:.1e} J up in a step");
        assert!(last < 0.7 * first && largest_rise < 0.02 * first, "{first} to {last} J, {largest_rise} J up");
    }
}

#[test]
fn a_turning_sphere_takes_the_cloth_along() {
    // How far the cloth on top of the sphere turns with it, in radians.
    let turned = |friction: f64| {
        let mut simulation = simulation(level(16, 1.9, DVec3::Z * 0.71), 0.01);
        simulation.add_obstacle(Obstacle::new("floor", Plane).with_friction(0.8 * friction));
        let travel = Travel::Turn(Turn {
            axis: DVec3::Z,
            through: DVec3::ZERO,
            angle: Keyframes::smooth([1.0, 2.0], [0.0, std::f64::consts::PI]),
        });
        let motion = Motion { start: Pose::from_translation(DVec3::Z * 0.35), travel };
        simulation.add_obstacle(Obstacle::new("sphere", Sphere::new(0.35)).with_friction(friction).with_motion(motion));
        let worst = run(&mut simulation, 2.2);
        assert!(worst.gap > -1e-4 && worst.strain < 0.01, "gap {}, strain {}", worst.gap, worst.strain);
        // Two nodes on either side of the middle of the sheet.
        let middle = 7 * 16 + 7;
        let across = simulation.positions()[middle + 1] - simulation.positions()[middle];
        across.y.atan2(across.x)
    };
    let (little, much) = (turned(0.1), turned(0.5));
    println!("turned by {little:.2} and {much:.2} rad");
    assert!(much > 0.25, "the cloth should have turned, {much}");
    assert!(little < 0.5 * much, "it should have turned less: {little} against {much}");
}

#[test]
fn a_sheet_pressed_between_two_bodies_is_refused() {
    let mut simulation = simulation(level(8, 0.4, DVec3::ZERO), 0.01);
    simulation.add_obstacle(Obstacle::new("floor", Plane));
    let down = DVec3::new(0.0, 0.0, -0.5);
    let travel = Travel::Uniform { velocity: down, angular_velocity: DVec3::ZERO, from: 0.0, until: f64::INFINITY };
    let motion = Motion { start: Pose::from_translation(DVec3::Z * 0.102), travel };
    simulation.add_obstacle(Obstacle::new("press", Cuboid::new(DVec3::new(0.1, 0.1, 0.05))).with_motion(motion));
    let mut state = simulation.state().clone();
    let refused = loop {
        match simulation.step() {
            Ok(_) => state = simulation.state().clone(),
            Err(error) => break error,
        }
        assert!(simulation.time() < 1.0, "it should have been squeezed");
    };
    println!("{refused}");
    assert!(matches!(refused, StepError::Squeezed { .. }), "{refused}");
    assert_eq!(simulation.state(), &state, "the state should be as it was");
}

#[test]
fn cloth_that_starts_inside_a_body_comes_out_gently() {
    let mut simulation = simulation(level(9, 0.4, DVec3::Z * 0.25), 0.01);
    simulation.add_obstacle(Obstacle::new("ball", Sphere::new(0.3)));
    let first = simulation.step().expect("a certified step");
    assert!(first.min_gap < -0.04, "the depth is reported: {}", first.min_gap);
    let fastest = simulation.velocities().iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(fastest < 1.0, "thrown out at {fastest} m/s");
    let last = run(&mut simulation, 1.0).last;
    assert!(last.min_gap > -1e-4, "still {} m inside", last.min_gap);
}

#[test]
fn nothing_passes_through_cloth_however_fast() {
    for (radius, speed) in [(0.05, 10.0), (0.02, 10.0), (0.15, 30.0)] {
        let mesh = Mesh::grid(13, 13, |s, t| DVec3::new(0.6 * (s - 0.5), 0.0, 0.6 * (t - 1.0))).expect("a sheet");
        let mut simulation = simulation(mesh, 0.01);
        let shape = simulation.model().cloth().mesh().grid_shape().expect("a grid");
        simulation.grasp(Grasp::pin([shape.corner(GridCorner::TopLeft), shape.corner(GridCorner::TopRight)]));
        // Aimed at the centre of an element, from 20 cm away, stopping 20 cm behind.
        let travel = Travel::Uniform {
            velocity: DVec3::Y * speed,
            angular_velocity: DVec3::ZERO,
            from: 0.0,
            until: 0.4 / speed + radius / speed,
        };
        let start = DVec3::new(0.025, -0.2 - radius, -0.325);
        let motion = Motion { start: Pose::from_translation(start), travel };
        simulation.add_obstacle(Obstacle::new("ball", Sphere::new(radius)).with_motion(motion));
        run(&mut simulation, 0.4 / speed + 0.05);
        // The cloth in front of the ball is carried before it.
        let tip = start.y + 0.4 + radius + radius;
        let carried = simulation.positions().iter().map(|x| x.y).fold(f64::MIN, f64::max);
        println!("radius {radius}, {speed} m/s: carried to {carried:.3} m, tip of the ball at {tip:.3} m");
        assert!(carried > tip - 0.03, "the ball is behind the cloth: {carried} < {tip}");
    }
}

#[test]
fn ten_thousand_contacts_are_ordinary() {
    let mut simulation = simulation(level(100, 1.0, DVec3::Z * 0.001), 0.01);
    simulation.add_obstacle(Obstacle::new("floor", Plane).with_friction(0.5));
    let worst = run(&mut simulation, 0.05);
    assert_eq!(worst.last.active_contacts, 10_000);
    assert!(worst.gap > -1e-4, "{}", worst.gap);
}

#[test]
fn a_node_on_two_bodies_rests_in_the_corner() {
    for friction in [0.0, 0.3, 2.0] {
        let mesh = Mesh::grid(9, 5, |s, t| DVec3::new(0.4 * (s - 0.5), 0.2 * t, 0.32 + 0.02 * (9.0 * s).sin()));
        let mut simulation = simulation(mesh.expect("a strip"), 0.005);
        for tilt in [-0.9f64, 0.9] {
            let wall = Pose::new(DQuat::from_rotation_y(tilt), DVec3::ZERO);
            simulation.add_obstacle(Obstacle::new("wall", Plane).with_friction(friction).at(wall));
        }
        let worst = run(&mut simulation, 2.5);
        println!("friction {friction}: {:.1e} m/s at rest, gap {:.1e} m", rms_speed(&simulation), worst.gap);
        assert!(worst.gap > -1e-4 && worst.strain < 0.01, "gap {}, strain {}", worst.gap, worst.strain);
        assert!(rms_speed(&simulation) < 1e-3, "{} m/s", rms_speed(&simulation));
        let contacts = &simulation.state().contacts;
        let other = |a: &Contact, b: &Contact| a.stencil == b.stencil && a.site.obstacle() < b.site.obstacle();
        let on_both = contacts.iter().filter(|a| contacts.iter().any(|b| other(a, b)));
        // With friction the strip may rest on both walls without reaching the bottom.
        assert!(friction > 0.0 || on_both.count() > 0, "no node is in the corner");
    }
}

#[test]
fn a_thick_cloth_keeps_half_its_thickness_away() {
    let mut simulation = simulation(level(6, 0.3, DVec3::Z * 0.01), 0.01);
    simulation.params.material.thickness = 0.004;
    simulation.add_obstacle(Obstacle::new("floor", Plane));
    run(&mut simulation, 0.5);
    for x in simulation.positions() {
        assert!((x.z - 0.002).abs() < 1e-6, "{}", x.z);
    }
}

#[test]
fn a_state_with_contacts_continues_to_the_same_bits() {
    let build = || {
        let mut simulation = simulation(level(12, 0.8, DVec3::Z * 0.32), 0.01);
        simulation.add_obstacle(Obstacle::new("ball", Sphere::new(0.3)).with_friction(0.4));
        simulation
    };
    let mut whole = build();
    run(&mut whole, 0.3);
    let saved = whole.progress().clone();
    run(&mut whole, 0.3);
    let mut resumed = build();
    resumed.restore(saved).expect("it fits");
    run(&mut resumed, 0.3);
    assert!(!whole.state().contacts.is_empty());
    assert_eq!(whole.state(), resumed.state());
}
