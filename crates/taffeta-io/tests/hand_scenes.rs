//! The scenes of grippers, tools and free bodies show what their titles say.

use taffeta::collide::self_intersections;
use taffeta::mesh::GridCorner;
use taffeta::metrics::{Region, corner_distance};
use taffeta::obstacle::Pose;
use taffeta::{DVec3, GripReading, Simulation};
use taffeta_io::scene::Scene;

/// A shipped scene being run.
struct Run {
    simulation: Simulation,
    steps: u64,
}

impl Run {
    fn of(name: &str, overrides: &[(&str, &str)]) -> Self {
        let overrides: Vec<(String, String)> =
            overrides.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        let scene = Scene::load(name, &overrides).unwrap();
        let mut simulation = scene.build().unwrap();
        simulation.check_start().unwrap();
        Self { simulation, steps: scene.steps() }
    }

    /// Goes on to a time, and looks at every step.
    fn until(&mut self, seconds: f64, mut look: impl FnMut(&Simulation)) {
        let solver = self.simulation.params.solver;
        while self.simulation.time() < seconds - 1e-9 {
            let report = self.simulation.step().unwrap_or_else(|error| panic!("{} s: {error}", self.simulation.time()));
            let time = self.simulation.time();
            assert!(report.max_edge_strain <= 0.01, "{time} s: strain {}", report.max_edge_strain);
            assert!(report.min_gap >= -1e-4, "{time} s: {} m deep", -report.min_gap);
            assert!(report.friction_residual <= solver.friction_tolerance, "{time} s: {}", report.friction_residual);
            let met = self_intersections(self.simulation.positions(), self.simulation.model().cloth().surface());
            assert!(met.is_empty(), "{time} s: {met:?}");
            look(&self.simulation);
        }
    }

    fn finish(&mut self) {
        self.until(self.steps as f64 * self.simulation.dt(), |_| ());
    }

    fn grip(&self) -> GripReading {
        self.simulation.grip_readings()[0]
    }

    /// Where the middle of the cloth is, m.
    fn middle(&self) -> DVec3 {
        let areas = self.simulation.model().cloth().node_areas();
        let sum: DVec3 = self.simulation.positions().iter().zip(areas).map(|(x, area)| *x * *area).sum();
        sum / areas.iter().sum::<f64>()
    }

    /// Where an obstacle is, m.
    fn place(&self, name: &str) -> DVec3 {
        let index = self.simulation.obstacles.iter().position(|obstacle| obstacle.name == name).expect(name);
        self.simulation.poses()[index].translation
    }
}

#[test]
fn a_towel_is_pinched_lifted_shaken_and_let_go() {
    let mut run = Run::of("pinch", &[]);
    run.until(0.6, |_| ());
    assert_eq!(run.grip().layers, 1);
    assert!(run.grip().normal_force.iter().all(|force| (force / 10.0 - 1.0).abs() < 0.05), "{:?}", run.grip());
    run.until(3.9, |_| ());
    assert!(run.middle().z > 0.15, "{}", run.middle());
    let weight = run.simulation.params.material.density * 0.16 * 9.81;
    assert!((run.grip().tangential_force.length() / weight - 1.0).abs() < 0.2, "{:?}, {weight} N", run.grip());
    assert!(run.grip().slip < 1e-3, "{:?}", run.grip());
    run.finish();
    assert!(run.middle().z < 0.05 && run.grip().layers == 0, "{}, {:?}", run.middle(), run.grip());
}

#[test]
fn a_strip_slips_through_the_fingers_at_twice_the_friction_times_the_grip() {
    let mut run = Run::of("slip", &[]);
    let mut forces = Vec::new();
    run.until(0.5, |_| ());
    run.until(2.4, |simulation| {
        if simulation.time() > 0.7 {
            forces.push(simulation.grip_readings()[0].tangential_force.length());
        }
    });
    forces.sort_by(f64::total_cmp);
    // Rows of nodes that enter the pads are caught for a moment; between them it is Coulomb's law.
    let median = forces[forces.len() / 2];
    assert!((median / 5.0 - 1.0).abs() < 0.01, "{median} N");
    // As far as it was pulled, but for what the hands give.
    assert!((run.grip().slip - 0.12 * (2.4 - 0.5) / 2.4).abs() < 3e-3, "{:?}", run.grip());
    run.finish();
    assert_eq!(run.grip().layers, 0);
}

#[test]
fn a_glass_stays_where_the_cloth_is_pulled_fast_and_comes_along_where_it_is_pulled_slowly() {
    let mut fast = Run::of("pull-from-under", &[]);
    let start = fast.place("glass");
    fast.finish();
    let went = fast.place("glass") - start;
    assert!(went.x > 1e-3 && went.x < 0.08 && (went.z + 1e-3).abs() < 3e-4, "{went}");
    let mut slow = Run::of("pull-from-under", &[("held.hem.times_s", "[0.2, 2.0]")]);
    slow.until(1.1, |_| ());
    let went = slow.place("glass") - start;
    assert!((went.x - 0.35).abs() < 0.01, "{went}");
}

#[test]
fn a_towel_is_pulled_off_its_hook() {
    let mut run = Run::of("hook", &[]);
    run.until(2.0, |_| ());
    assert!(run.middle().z > 0.6, "{}", run.middle());
    run.finish();
    assert!(run.middle().z < 0.2, "{}", run.middle());
}

#[test]
fn a_pad_presses_with_its_force_and_takes_the_cloth_along() {
    let mut run = Run::of("wipe", &[]);
    run.until(1.0, |_| ());
    // 6 N and the weight of 0.2 kg.
    let force = run.simulation.obstacle_force(0).z;
    assert!((force / (6.0 + 0.2 * 9.81) - 1.0).abs() < 0.02, "{force} N");
    run.until(4.4, |_| ());
    let (cloth, pad) = (run.middle(), run.place("pad"));
    assert!((cloth - pad).truncate().length() < 5e-3 && (pad.x - 0.15).abs() < 2e-3, "{cloth}, {pad}");
    run.finish();
}

#[test]
fn an_iron_closes_a_fold_with_its_force() {
    // Of what is below the iron, then or later.
    let height = |run: &Run| {
        let near = run.simulation.positions().iter().filter(|x| x.y < 0.03);
        near.map(|x| x.z).fold(0.0, f64::max)
    };
    let mut run = Run::of("press", &[]);
    run.until(2.2, |_| ());
    let before = height(&run);
    run.until(3.7, |_| ());
    let force = run.simulation.obstacle_force(0).z;
    assert!((force / (30.0 + 1.2 * 9.81) - 1.0).abs() < 0.02, "{force} N");
    // Two layers, their middles a thickness apart, pressed.
    let pressed = height(&run);
    assert!(pressed < 0.003 && pressed < 0.8 * before, "{before} m became {pressed} m");
    run.finish();
}

#[test]
fn a_hanger_swings_to_the_side_on_which_more_towel_hangs() {
    let mut run = Run::of("hang", &[]);
    run.finish();
    let pose = run.simulation.poses()[0];
    let bar = pose.rotate(DVec3::X);
    // Its hook stays; the bar is tilted in its own plane.
    assert!((pose.to_world(DVec3::Z * 0.2) - DVec3::Z * 0.8).length() < 2e-3, "{pose:?}");
    assert!(bar.z < -0.1 && bar.y.abs() < 0.02, "{bar}");
    assert!(run.middle().z < 0.6 && run.middle().z > 0.4, "{}", run.middle());
}

#[test]
fn two_grippers_fold_a_towel_and_leave_it_folded() {
    let mut run = Run::of("fold-gripper", &[]);
    run.until(0.7, |_| ());
    assert!(run.simulation.grip_readings().iter().all(|grip| grip.layers == 1), "{:?}", run.simulation.grip_readings());
    run.finish();
    let cloth = run.simulation.model().cloth();
    let area = Region::covered(cloth, run.simulation.positions(), &Pose::IDENTITY).area();
    assert!((area / (0.5 * 0.16) - 1.0).abs() < 0.02, "{area} m²");
    let shape = cloth.mesh().grid_shape().unwrap();
    for (below, above) in
        [(GridCorner::TopLeft, GridCorner::BottomLeft), (GridCorner::TopRight, GridCorner::BottomRight)]
    {
        let place = run.simulation.positions()[shape.corner(below)];
        let apart = corner_distance(&shape, run.simulation.positions(), above, place);
        assert!(apart < 5e-3, "{above:?} is {apart} m from {below:?}");
    }
    assert!(run.simulation.grip_readings().iter().all(|grip| grip.layers == 0));
}
