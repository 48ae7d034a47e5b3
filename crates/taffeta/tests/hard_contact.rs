//! Contact where it is easily lost: thin bodies, bodies that start to move, heavy loads, hands that reach in.

use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::mesh::{Diagonal, Mesh};
use taffeta::obstacle::{Cuboid, EggBox, Implicit, Motion, Near, Obstacle, Plane, Pose, Shape, Sphere, Travel};
use taffeta::{
    DVec3, Inputs, Integrator, Keyframes, Load, Model, Params, Path, Simulation, State, StepError, Workspace, step,
};

fn level(n: usize, size: f64, height: f64) -> Mesh {
    Mesh::grid(n, n, |s, t| DVec3::new(size * (s - 0.5), size * (t - 0.5), height)).expect("a sheet")
}

fn simulation(mesh: Mesh, dt: f64) -> Simulation {
    let params = Params { material: Material::with_density(0.18), ..Params::default() };
    Simulation::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()), params, dt)
}

fn run(simulation: &mut Simulation, seconds: f64) {
    for _ in 0..(seconds / simulation.dt()).round() as usize {
        simulation.step().expect("a certified step");
    }
}

fn lowest(simulation: &Simulation) -> f64 {
    simulation.positions().iter().map(|x| x.z).fold(f64::MAX, f64::min)
}

/// A slab of this thickness whose top moves up from z = 0 at this speed, from this time on.
fn lift(thickness: f64, speed: f64, from: f64) -> Obstacle {
    let travel =
        Travel::Uniform { velocity: DVec3::Z * speed, angular_velocity: DVec3::ZERO, from, until: from + 0.1 / speed };
    Obstacle::new("slab", Cuboid::table(1.0, 1.0, thickness)).with_motion(Motion { start: Pose::IDENTITY, travel })
}

#[test]
fn cloth_on_a_tray_is_lifted_by_it() {
    for (thickness, speed) in [(0.01, 0.8), (0.02, 1.2), (0.05, 3.0), (0.003, 0.5)] {
        for cloth_thickness in [0.0, 0.002] {
            let mut simulation = simulation(level(6, 0.3, 0.002), 0.01);
            simulation.params.material.thickness = cloth_thickness;
            simulation.add_obstacle(lift(thickness, speed, 0.3));
            run(&mut simulation, 0.3 + 0.1 / speed + 0.5);
            let height = lowest(&simulation) - 0.5 * cloth_thickness;
            assert!((height - 0.1).abs() < 1e-4, "{thickness} m at {speed} m/s: the cloth is at {height} m");
        }
    }
}

#[test]
fn thin_plates_are_felt_at_every_speed() {
    // A plate that comes from below at a sheet at rest, without weight.
    for (thickness, speed) in [(0.01, 10.0), (0.002, 3.0), (0.0014, 1.0), (0.02, 10.0), (0.001, 5.0)] {
        let mut simulation = simulation(level(6, 0.3, 0.013), 0.01);
        simulation.params.gravity = DVec3::ZERO;
        simulation.add_obstacle(lift(thickness, speed, 0.0));
        run(&mut simulation, 0.1 / speed);
        let (height, plate) = (lowest(&simulation), f64::min(speed * simulation.time(), 0.1));
        assert!(
            height > plate - 1e-4,
            "{thickness} m at {speed} m/s: the cloth is at {height} m, the plate at {plate} m"
        );
    }
    // A sheet that falls on a thin table.
    for thickness in [0.003, 0.0015] {
        let mut simulation = simulation(level(8, 0.3, 0.3), 0.01);
        simulation.add_obstacle(Obstacle::new("table", Cuboid::table(1.0, 1.0, thickness)));
        run(&mut simulation, 0.6);
        assert!(lowest(&simulation) > -1e-4, "{thickness} m: the cloth is at {} m", lowest(&simulation));
    }
}

#[test]
fn a_slowly_rising_floor_carries_the_cloth() {
    for (dt, speed) in [(5e-5, 0.1), (2e-5, 0.5), (1e-3, 0.01), (1e-2, 0.001), (1e-2, 0.1)] {
        let mut simulation = simulation(level(5, 0.3, 0.0), dt);
        let travel = Travel::Uniform {
            velocity: DVec3::Z * speed,
            angular_velocity: DVec3::ZERO,
            from: 10.0 * dt,
            until: f64::INFINITY,
        };
        let motion = Motion { start: Pose::IDENTITY, travel };
        simulation.add_obstacle(Obstacle::new("floor", Plane).with_motion(motion));
        for _ in 0..400 {
            let report = simulation.step().expect("a certified step");
            assert!(report.min_gap > -2.1e-5, "dt {dt}, {speed} m/s: {} m deep", report.min_gap);
        }
        let fastest = simulation.velocities().iter().map(|v| v.z).fold(0.0, f64::max);
        assert!(fastest < 1.1 * speed, "dt {dt}: thrown up at {fastest} m/s by a floor at {speed} m/s");
    }
}

#[test]
fn a_loaded_node_does_not_excuse_the_others_from_friction() {
    let mut simulation = simulation(level(8, 0.4, 0.0), 0.01);
    simulation.add_obstacle(Obstacle::new("floor", Plane).with_friction(0.4));
    let force = Path::Keyframes(Keyframes::linear([0.0], [DVec3::NEG_Z]));
    simulation.add_load(Load { nodes: vec![0], force });
    simulation.state_mut().velocities.fill(DVec3::new(1.0, 0.3, 0.0));
    for _ in 0..60 {
        simulation.step().expect("a certified step");
        for contact in &simulation.state().contacts {
            let bound = 0.4 * contact.normal_force;
            // The tolerance is a hundredth of the mean force, which the load raises.
            let mean = (weight(&simulation) + 1.0) / 64.0;
            assert!(contact.friction.length() < bound + 0.011 * f64::max(contact.normal_force, mean));
        }
    }
}

fn weight(simulation: &Simulation) -> f64 {
    let area: f64 = simulation.model().cloth().node_areas().iter().sum();
    simulation.params.material.virtual_density * area * 9.81
}

#[test]
fn heavy_loads_do_not_sink_in_and_cost_no_sub_steps() {
    for load in [2.0, 50.0, 1000.0] {
        let mut simulation = simulation(level(8, 0.4, 0.0), 0.01);
        simulation.add_obstacle(Obstacle::new("floor", Plane).with_friction(0.4));
        let force = Path::Keyframes(Keyframes::linear([0.0], [DVec3::NEG_Z * load]));
        simulation.add_load(Load { nodes: vec![0], force });
        run(&mut simulation, 0.2);
        let report = simulation.step().expect("a certified step");
        assert!(report.min_gap > -2e-5, "{load} N: {} m deep", report.min_gap);
        assert!(report.substeps == 1 && report.iterations <= 2, "{load} N: {report:?}");
        assert!((simulation.obstacle_force(0).z + weight(&simulation) + load).abs() < 1e-3 * load, "{load} N");
    }
}

#[test]
fn cloth_that_was_moved_by_hand_forgets_where_it_lay() {
    let mut simulation = simulation(level(6, 0.2, 0.0), 0.01);
    simulation.add_obstacle(Obstacle::new("box", Cuboid::table(0.5, 0.5, 0.5)).with_friction(0.0));
    run(&mut simulation, 0.3);
    // Against the side of the box, without friction: it falls.
    for (i, x) in simulation.state_mut().positions.iter_mut().enumerate() {
        *x = DVec3::new(0.25, 0.04 * (i % 6) as f64 - 0.1, -0.05 - 0.04 * (i / 6) as f64);
    }
    for forget in [true, false] {
        if forget {
            simulation.state_mut().forget_history();
        }
        simulation.state_mut().velocities.fill(DVec3::ZERO);
        let before = lowest(&simulation);
        run(&mut simulation, 0.1);
        assert!(lowest(&simulation) < before - 0.02, "it hangs on the wall");
    }
}

#[test]
fn cloth_does_not_bounce_whatever_the_integrator() {
    for integrator in [Integrator::ImplicitEuler, Integrator::Bdf2] {
        let mut simulation = simulation(level(6, 0.3, 0.1), 0.01);
        simulation.params.material.damping = 0.0;
        simulation.params.solver.integrator = integrator;
        simulation.add_obstacle(Obstacle::new("floor", Plane));
        run(&mut simulation, 0.2);
        let mut highest = 0.0f64;
        for _ in 0..30 {
            simulation.step().expect("a certified step");
            highest = simulation.positions().iter().map(|x| x.z).fold(highest, f64::max);
        }
        assert!(highest < 1e-3, "{integrator:?}: up to {highest} m again");
    }
}

#[test]
fn a_workspace_serves_any_model() {
    let model = |diagonal| {
        let place = |s: f64, t: f64| DVec3::new(0.3 * s, 0.3 * t, 0.02 * (7.0 * s).sin());
        let mesh = Mesh::triangle_grid(7, 7, diagonal, place).expect("a grid");
        Model::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()))
    };
    let (forward, backward) = (model(Diagonal::Forward), model(Diagonal::Backward));
    let params = Params::default();
    let inputs = Inputs { dt: 0.01, held: &[], forces: &[], bodies: &[], seams: &[], jaws: &[] };
    let mut used = Workspace::new(&forward);
    step(&forward, &params, &mut State::at_rest(&forward), &inputs, &mut used).expect("a step");
    let (mut one, mut other) = (State::at_rest(&backward), State::at_rest(&backward));
    for _ in 0..5 {
        step(&backward, &params, &mut one, &inputs, &mut used).expect("a step");
        step(&backward, &params, &mut other, &inputs, &mut Workspace::new(&backward)).expect("a step");
        assert_eq!(one, other);
    }
}

/// A shape that answers as it is told.
#[derive(Debug)]
struct Told(Near);

impl Implicit for Told {
    fn near(&self, _: DVec3) -> Near {
        self.0
    }
}

#[test]
fn obstacles_that_make_no_sense_are_refused() {
    let told = |gap, normal| Shape::from(Told(Near { gap, normal }));
    let shapes = [
        Sphere::new(f64::NAN).into(),
        Sphere::new(-0.1).into(),
        Cuboid::new(DVec3::NAN).into(),
        EggBox::new(20.0, 0.0).into(),
        EggBox::new(f64::NAN, 0.1).into(),
        told(f64::NAN, DVec3::Z),
        told(0.0, DVec3::ZERO),
        told(0.0, DVec3::Z * 2.0),
        told(0.0, DVec3::NAN),
    ];
    for shape in shapes {
        let mut simulation = simulation(level(4, 0.3, 0.0), 0.01);
        simulation.add_obstacle(Obstacle::new("nonsense", shape.clone()));
        let refused = simulation.step().expect_err("an obstacle that cannot be");
        assert!(matches!(refused, StepError::BadObstacle { obstacle: 0, .. }), "{shape:?}: {refused}");
    }
}
