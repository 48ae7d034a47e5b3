//! Coulomb's law against what can be computed by hand.

use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::mesh::Mesh;
use taffeta::obstacle::{Cylinder, Motion, Obstacle, Plane, Pose, Travel};
use taffeta::{DQuat, DVec3, Inputs, Model, Params, Simulation, State, Workspace, step};

const G: f64 = 9.81;

/// Undamped, so that nothing but friction brakes.
fn params() -> Params {
    let material = Material { damping: 0.0, ..Material::with_density(0.2) };
    Params { material, gravity: DVec3::new(0.0, 0.0, -G), ..Params::default() }
}

fn simulation(mesh: Mesh, params: Params, dt: f64) -> Simulation {
    Simulation::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()), params, dt)
}

/// A square sheet of this size, centred at the origin of a frame that is turned.
fn sheet(n: usize, size: f64, turn: DQuat) -> Mesh {
    Mesh::grid(n, n, |s, t| turn * DVec3::new(size * (s - 0.5), size * (t - 0.5), 0.0)).expect("a sheet")
}

fn run(simulation: &mut Simulation, seconds: f64) {
    for _ in 0..(seconds / simulation.dt()).round() as usize {
        simulation.step().expect("a certified step");
    }
}

/// A sheet on a plane that falls towards +x at this angle.
fn incline(degrees: f64, friction: f64, params: Params, dt: f64) -> (Simulation, DQuat) {
    let turn = DQuat::from_rotation_y(degrees.to_radians());
    let mut simulation = simulation(sheet(6, 0.3, turn), params, dt);
    let plane = Obstacle::new("incline", Plane).with_friction(friction).at(Pose::new(turn, DVec3::ZERO));
    simulation.add_obstacle(plane);
    (simulation, turn)
}

fn displacement(simulation: &Simulation) -> f64 {
    let start = simulation.model().cloth().mesh().positions();
    let moved = simulation.positions().iter().zip(start).map(|(now, then)| now.distance(*then));
    moved.fold(0.0, f64::max)
}

#[test]
fn a_sheet_on_an_incline_stays_where_friction_can_hold_it() {
    let (mut simulation, _) = incline(20.0, 0.37, params(), 0.01);
    run(&mut simulation, 5.0);
    let crept = displacement(&simulation);
    println!("crept {crept:.1e} m");
    assert!(crept < 1e-3, "{crept} m");
    assert!(simulation.state().contacts.iter().all(|contact| !contact.slipping));
}

#[test]
fn a_sheet_on_an_incline_slides_as_fast_as_it_should() {
    let angle = 20f64.to_radians();
    for (friction, virtual_density, dt) in
        [(0.35, 0.2, 0.01), (0.35, 0.2, 0.001), (0.1, 0.2, 0.01), (0.0, 0.2, 0.01), (0.2, 0.13, 0.01)]
    {
        let mut params = params();
        params.material.virtual_density = virtual_density;
        let expected = virtual_density / params.material.density * G * (angle.sin() - friction * angle.cos());
        let (mut simulation, turn) = incline(20.0, friction, params, dt);
        run(&mut simulation, 0.5);
        let speed = (turn.inverse() * simulation.velocities()[17]).x;
        let error = speed / 0.5 / expected - 1.0;
        println!(
            "μ {friction}, δ {virtual_density}, dt {dt}: {:.5} m/s², {expected:.5} expected, off by {error:.1e}",
            speed / 0.5
        );
        assert!(error.abs() < 0.01, "μ {friction}: off by {error}");
    }
}

#[test]
fn a_sheet_thrown_on_a_table_stops_where_it_should() {
    let (speed, friction) = (1.0, 0.2);
    for virtual_density in [0.2, 0.1] {
        let mut params = params();
        params.material.virtual_density = virtual_density;
        let mut simulation = simulation(sheet(6, 0.3, DQuat::IDENTITY), params, 0.001);
        simulation.add_obstacle(Obstacle::new("table", Plane).with_friction(friction));
        simulation.state_mut().velocities.fill(DVec3::new(speed, 0.0, 0.0));
        let expected = 0.2 / virtual_density * speed * speed / (2.0 * friction * G);
        run(&mut simulation, 2.0 * expected / speed + 0.1);
        let slid = displacement(&simulation);
        println!("δ {virtual_density}: {slid:.4} m, {:.4} of what it should be", slid / expected);
        assert!((slid / expected - 1.0).abs() < 0.01, "{slid} m instead of {expected} m");
        assert!(simulation.velocities().iter().all(|v| v.length() < 1e-9), "it should have stopped");
    }
}

/// Speed of a weightless strip laid half round a cylinder, after `seconds` of pulling its ends with 1 N and `ratio` N.
fn capstan(friction: f64, ratio: f64, seconds: f64) -> f64 {
    let (radius, straight, across) = (0.1, 0.1, 2);
    let arc = std::f64::consts::PI * radius;
    let along = 64;
    let length = arc + 2.0 * straight;
    // Round the top of a cylinder along y, hanging down on both sides.
    let place = |s: f64, t: f64| {
        let l = s * length - straight;
        let y = 0.02 * (t - 0.5);
        if l < 0.0 {
            DVec3::new(-radius, y, l)
        } else if l > arc {
            DVec3::new(radius, y, arc - l)
        } else {
            let angle = l / radius;
            DVec3::new(-radius * angle.cos(), y, radius * angle.sin())
        }
    };
    let mesh = Mesh::grid(along, across, place).expect("a strip");
    let model = Model::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()));
    let mut params = params();
    params.gravity = DVec3::ZERO;
    // Heavily damped: what does not slip comes to rest.
    params.material.damping = 50.0 * params.material.density;
    let mut state = State::at_rest(&model);
    let mut workspace = Workspace::new(&model);
    let lying = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let post = Obstacle::new("post", Cylinder::new(radius, f64::INFINITY))
        .with_friction(friction)
        .at(Pose::new(lying, DVec3::ZERO));
    let dt = 0.002;
    let steps = (seconds / dt) as usize;
    for k in 0..steps {
        let body = [post.during(k as f64 * dt, (k + 1) as f64 * dt)];
        // Both loads grow together, so that nothing is jerked.
        let grown = (2.0 * k as f64 / steps as f64).min(1.0);
        let mut forces = vec![DVec3::ZERO; model.node_count()];
        for row in 0..across {
            forces[row * along] = DVec3::NEG_Z * (grown / across as f64);
            forces[row * along + along - 1] = DVec3::NEG_Z * (grown * ratio / across as f64);
        }
        let inputs = Inputs { dt, held: &[], forces: &forces, bodies: &body, seams: &[], jaws: &[] };
        step(&model, &params, &mut state, &inputs, &mut workspace).expect("a certified step");
    }
    state.velocities.iter().map(|v| v.length()).sum::<f64>() / model.node_count() as f64
}

#[test]
fn a_strip_over_a_cylinder_slips_at_the_capstan_ratio() {
    for friction in [0.2f64, 0.5] {
        let ratio = (friction * std::f64::consts::PI).exp();
        let (below, above) = (capstan(friction, 0.97 * ratio, 1.0), capstan(friction, 1.03 * ratio, 1.0));
        println!("μ {friction}, ratio {ratio:.3}: {below:.1e} m/s at 3 % less, {above:.1e} m/s at 3 % more");
        assert!(below < 1e-4, "slips at {below} m/s below the ratio");
        assert!(above > 1e-2, "holds above the ratio, {above} m/s");
    }
}

/// How far a 2 cm patch moves over a disc that turns below it, m, in half a turn; it starts with the disc.
fn slip_on_a_disc(radius: f64, turning: f64, friction: f64) -> f64 {
    let mesh = Mesh::grid(4, 4, |s, t| DVec3::new(radius + 0.02 * (s - 0.5), 0.02 * (t - 0.5), 0.0)).expect("a patch");
    let mut simulation = simulation(mesh, params(), 0.001);
    let spin = DVec3::Z * turning;
    let travel = Travel::Uniform { velocity: DVec3::ZERO, angular_velocity: spin, from: 0.0, until: f64::INFINITY };
    let motion = Motion { start: Pose::IDENTITY, travel };
    simulation.add_obstacle(Obstacle::new("disc", Plane).with_friction(friction).with_motion(motion));
    let start = simulation.positions().to_vec();
    for (v, x) in simulation.state_mut().velocities.iter_mut().zip(&start) {
        *v = spin.cross(*x);
    }
    run(&mut simulation, std::f64::consts::PI / turning);
    let turned = DQuat::from_rotation_z(turning * simulation.time());
    let slip = simulation.positions().iter().zip(&start).map(|(now, then)| now.distance(turned * *then));
    slip.sum::<f64>() / start.len() as f64
}

#[test]
fn a_patch_on_a_turning_disc_leaves_where_friction_cannot_bend_its_way() {
    let (turning, friction) = (4.0, 0.3);
    let radius = friction * G / (turning * turning);
    let (inside, outside) =
        (slip_on_a_disc(0.97 * radius, turning, friction), slip_on_a_disc(1.03 * radius, turning, friction));
    println!("r = {radius:.4} m: slips {inside:.1e} m inside, {outside:.1e} m outside");
    assert!(inside < 1e-5, "{inside} m inside");
    assert!(outside > 5e-3, "{outside} m outside");
}

#[test]
fn friction_does_no_work_for_the_cloth_on_bodies_at_rest() {
    let turn = DQuat::from_rotation_y(0.3);
    let mut simulation = simulation(sheet(12, 0.6, turn), params(), 0.005);
    simulation
        .add_obstacle(Obstacle::new("floor", Plane).with_friction(0.4).at(Pose::from_translation(DVec3::NEG_Z * 0.3)));
    let lying = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let post = Obstacle::new("post", Cylinder::new(0.08, f64::INFINITY)).with_friction(0.3);
    simulation.add_obstacle(post.at(Pose::new(lying, DVec3::NEG_Z * 0.2)));
    let (mut lost, mut gained, mut slipping) = (0.0, 0.0, 0);
    for _ in 0..200 {
        let before = simulation.positions().to_vec();
        simulation.step().expect("a certified step");
        for contact in &simulation.state().contacts {
            let moved = contact.stencil.sum(simulation.positions()) - contact.stencil.sum(&before);
            let work = contact.friction.dot(moved);
            // Points that slip are braked, to the tolerance of Coulomb's law; points that stick give by a micrometre.
            if contact.slipping {
                let allowed = 0.01 * contact.normal_force * moved.length() + 1e-9;
                assert!(work <= allowed, "{work} J over {} m", moved.length());
            }
            *(if work > 0.0 { &mut gained } else { &mut lost }) += work.abs();
            slipping += usize::from(contact.slipping);
        }
    }
    println!("friction took {lost:.3} J and gave {gained:.1e} J, at {slipping} slipping contacts");
    assert!(slipping > 1000 && lost > 0.01, "something should have slipped");
    assert!(gained < 1e-3 * lost, "friction gave {gained} J");
}
