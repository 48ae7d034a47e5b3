//! Runs of the original authors' codes, reproduced with their settings. Skipped where the data is absent.

use std::path::PathBuf;

use serde_json::Value;
use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::mesh::Mesh;
use taffeta::{DVec3, Grasp, Keyframes, Params, Path, Published, Simulation, Solver};

/// A golden run: what it was made with and what came out.
struct Golden {
    folder: PathBuf,
    meta: Value,
    first_steps: Vec<Vec<f64>>,
}

impl Golden {
    fn open(case: &str) -> Option<Self> {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden").join(case);
        let Ok(meta) = std::fs::read_to_string(folder.join("meta.json")) else {
            eprintln!("skipped: the golden run {case} is not on this machine");
            return None;
        };
        let meta = serde_json::from_str(&meta).expect("meta.json is JSON");
        let first_steps = table(&folder.join("first_steps.csv"));
        Some(Self { folder, meta, first_steps })
    }

    fn number(&self, key: &str) -> f64 {
        self.meta[key].as_f64().expect("a number in meta.json")
    }

    /// The simulation that should repeat the run.
    fn simulation(&self, code: Published) -> Simulation {
        let (nx, ny) = (self.number("npx") as usize, self.number("npy") as usize);
        let start = nodes(&self.first_steps[0]);
        let index = |s: f64, n: usize| (s * (n - 1) as f64).round() as usize;
        let mesh = Mesh::grid(nx, ny, |s, t| start[index(t, ny) * nx + index(s, nx)]).expect("a valid grid");
        let material = Material {
            damping: self.number("alpha_damping"),
            bending_damping: self.number("beta_damping"),
            bending: self.number("theta_bending"),
            ..Material::with_density(self.number("rho"))
        };
        let params = Params {
            material,
            gravity: DVec3::new(0.0, 0.0, -self.number("gravity")),
            wind: None,
            self_contact: None,
            solver: Solver { published: Some(code), ..Solver::default() },
        };
        let cloth = Cloth::new(mesh, RestShape::Mesh, Scheme::Nodal);
        let mut simulation = Simulation::new(cloth, params, self.number("dt"));
        let held = table(&self.folder.join("held.csv"));
        for (k, node) in self.meta["held_nodes_0based"].as_array().expect("held nodes").iter().enumerate() {
            let times: Vec<f64> = held.iter().map(|row| row[0]).collect();
            let places: Vec<DVec3> = held.iter().map(|row| DVec3::from_slice(&row[1 + 3 * k..4 + 3 * k])).collect();
            let path = Path::Keyframes(Keyframes::linear(times, places));
            let node = node.as_u64().expect("a node index") as usize;
            simulation.grasp(Grasp { absolute: true, ..Grasp::moving([node], path) });
        }
        simulation
    }
}

fn table(path: &std::path::Path) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(path).expect("a golden table");
    let row = |line: &str| line.split(',').map(|x| x.parse().expect("a number")).collect();
    text.lines().skip(1).map(row).collect()
}

fn nodes(row: &[f64]) -> Vec<DVec3> {
    row[1..].chunks_exact(3).map(DVec3::from_slice).collect()
}

fn deviation(simulation: &Simulation, row: &[f64]) -> f64 {
    simulation.positions().iter().zip(nodes(row)).map(|(a, b)| a.distance(b)).fold(0.0, f64::max)
}

/// Largest deviation of a node after each of the first steps, m.
fn first_steps(case: &str, code: Published) -> Option<Vec<f64>> {
    let golden = Golden::open(case)?;
    let mut simulation = golden.simulation(code);
    let mut deviations = Vec::new();
    for row in &golden.first_steps[1..] {
        simulation.step().expect("a solvable step");
        deviations.push(deviation(&simulation, row));
    }
    println!("{case}: {deviations:?}");
    Some(deviations)
}

#[test]
fn first_steps_of_the_2021_code_are_repeated() {
    for case in ["ie_5x5_swing_dt10", "ie_7x9_A2_swing"] {
        if let Some(deviations) = first_steps(case, Published::ImplicitEuler2021) {
            assert!(deviations.iter().all(|&d| d < 1e-10), "{case}: {deviations:?}");
        }
    }
}

#[test]
fn first_steps_of_the_2021_code_are_repeated_until_chaos_amplifies_rounding() {
    // The 10×10 case starts from a nearly singular flat sheet: rounding at 1e-16 is 4e-13 m after one step and grows
    // tenfold every three steps, in the original as in any copy of it.
    if let Some(deviations) = first_steps("ie_10x10_traj3D", Published::ImplicitEuler2021) {
        assert!(deviations[..5].iter().all(|&d| d < 1e-10), "{deviations:?}");
        assert!(deviations.iter().all(|&d| d < 1e-7), "{deviations:?}");
    }
}

#[test]
fn first_steps_of_the_2019_code_are_repeated_until_its_rounding_amplifies_ours() {
    // That code rounds its matrix to twelve decimals: a difference in the last bit of the state can turn one of them, which
    // moves nodes by 1e-8 to 1e-7 m in a step. A copy of it that starts 1e-16 m off leaves it after as many steps as we do.
    for (case, repeated, bound) in
        [("imex_5x5_swing_dt10", 20, 1e-10), ("imex_7x9_A2_swing_beta10", 10, 1e-6), ("imex_10x10_traj3D", 3, 1e-5)]
    {
        if let Some(deviations) = first_steps(case, Published::Imex2019) {
            assert!(deviations[..repeated].iter().all(|&d| d < 1e-10), "{case}: {deviations:?}");
            assert!(deviations.iter().all(|&d| d < bound), "{case}: {deviations:?}");
        }
    }
}

#[test]
fn every_one_of_the_first_steps_is_repeated_from_the_one_before() {
    for (case, code) in [
        ("ie_5x5_swing_dt10", Published::ImplicitEuler2021),
        ("ie_7x9_A2_swing", Published::ImplicitEuler2021),
        ("ie_10x10_traj3D", Published::ImplicitEuler2021),
        ("imex_5x5_swing_dt10", Published::Imex2019),
        ("imex_7x9_A2_swing_beta10", Published::Imex2019),
        ("imex_10x10_traj3D", Published::Imex2019),
    ] {
        let Some(golden) = Golden::open(case) else { continue };
        let mut simulation = golden.simulation(code);
        let (dt, mut worst) = (golden.number("dt"), 0.0f64);
        let mut before: Vec<DVec3> = Vec::new();
        for row in &golden.first_steps[1..] {
            let start = simulation.positions().to_vec();
            simulation.step().expect("a solvable step");
            worst = worst.max(deviation(&simulation, row));
            // The next step starts from what the original had: positions as they are, velocities by its own formula.
            let end = nodes(row);
            let state = simulation.state_mut();
            for i in 0..end.len() {
                let second_order = code == Published::Imex2019 && !before.is_empty();
                state.velocities[i] = if second_order {
                    (end[i] * 3.0 - start[i] * 4.0 + before[i]) / (2.0 * dt)
                } else {
                    (end[i] - start[i]) / dt
                };
            }
            state.positions = end;
            before = start;
        }
        println!("{case}: {worst:.1e} m");
        assert!(worst < 1e-10, "{case}: {worst} m");
    }
}

#[test]
fn the_damped_run_of_the_2019_code_is_repeated_to_a_tenth_of_a_millimetre() {
    let Some(golden) = Golden::open("imex_7x9_A2_swing_beta10") else { return };
    let mut simulation = golden.simulation(Published::Imex2019);
    let positions = table(&golden.folder.join("positions.csv"));
    let stride = golden.number("positions_stride") as usize;
    let (mut worst, mut squares, mut count) = (0.0f64, 0.0, 0.0);
    for row in &positions[1..] {
        for _ in 0..stride {
            simulation.step().expect("a solvable step");
        }
        let d = deviation(&simulation, row);
        worst = worst.max(d);
        squares += d * d;
        count += 1.0;
    }
    println!("worst {worst:.2e} m, rms of the worst node {:.2e} m", f64::sqrt(squares / count));
    assert!(worst < 1e-4, "{worst} m");
}
