//! Programs as they come from cloth: the last one of every step of small scenes.

#![allow(dead_code, reason = "the tests and the example use their own parts of this")]

use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::mesh::Mesh;
use taffeta::obstacle::{Cuboid, Cylinder, Obstacle, Plane, Pose, Sphere};
use taffeta::qp::{Bounds, Program, Solution};
use taffeta::{Body, DQuat, DVec3, Inputs, Model, Params, State, Workspace, step};

/// What a sheet meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// A ball, from above.
    Sphere,
    /// A cylinder, from above, off its middle.
    Cylinder,
    /// An inclined plane, on which it lies.
    Incline,
    /// A table, half over its edge.
    TableEdge,
    /// A ball that lies on the floor.
    SphereOnFloor,
}

impl World {
    /// Every one.
    pub const ALL: [World; 5] =
        [World::Sphere, World::Cylinder, World::Incline, World::TableEdge, World::SphereOnFloor];

    fn obstacles(self, friction: f64) -> Vec<Obstacle> {
        let at = |x, y, z| Pose::from_translation(DVec3::new(x, y, z));
        let lying = Pose::new(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2), DVec3::new(0.05, 0.0, -0.1));
        let bodies = match self {
            World::Sphere => vec![Obstacle::new("ball", Sphere::new(0.12)).at(at(0.0, 0.0, -0.12))],
            World::Cylinder => vec![Obstacle::new("bar", Cylinder::new(0.1, 0.5)).at(lying)],
            World::Incline => vec![Obstacle::new("incline", Plane)],
            World::TableEdge => vec![Obstacle::new("table", Cuboid::table(0.4, 0.8, 0.02)).at(at(-0.2, 0.0, 0.0))],
            World::SphereOnFloor => vec![
                Obstacle::new("ball", Sphere::new(0.05)).at(at(0.02, 0.01, -0.05)),
                Obstacle::new("floor", Plane).at(at(0.0, 0.0, -0.1)),
            ],
        };
        bodies.into_iter().map(|body| body.with_friction(friction)).collect()
    }
}

/// A sheet, what it meets, and how its steps are solved.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    /// What it meets.
    pub world: World,
    /// Nodes along each side.
    pub nodes: (usize, usize),
    /// Of everything in the world.
    pub friction: f64,
    /// Whether a step ends with its first program: the increments are then as long as those of a step. Otherwise it is the
    /// last before the step is solved, whose increment is next to nothing.
    pub first: bool,
    /// Bending stiffness, N·m.
    pub bending: f64,
}

impl Scene {
    /// The programs of the first steps in which something is near, `stride` steps apart.
    pub fn programs(&self, count: usize, stride: usize) -> Vec<Program> {
        let (nx, ny) = self.nodes;
        let mesh = Mesh::grid(nx, ny, |s, t| DVec3::new(0.42 * (s - 0.5), 0.4 * (t - 0.5), 2e-3)).expect("a grid");
        let model = Model::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()));
        let material = Material { bending: self.bending, ..Material::with_density(0.1804) };
        let mut params = Params { material, ..Params::default() };
        if self.world == World::Incline {
            params.gravity = DQuat::from_rotation_y(0.4) * params.gravity;
        }
        if self.first {
            params.solver.strain_tolerance = 0.1;
            params.solver.acceleration_tolerance = 1e3;
            params.solver.gap_tolerance = 1e-2;
            params.solver.friction_tolerance = 1e3;
        }
        let obstacles = self.world.obstacles(self.friction);
        let (mut state, mut workspace) = (State::at_rest(&model), Workspace::new(&model));
        let (mut programs, dt) = (Vec::new(), 0.01);
        let mut contacts = 0;
        for k in 0..400 {
            let time = k as f64 * dt;
            let bodies: Vec<Body> = obstacles.iter().map(|body| body.during(time, time + dt)).collect();
            let inputs = Inputs { dt, held: &[], forces: &[], bodies: &bodies, seams: &[], jaws: &[] };
            if step(&model, &params, &mut state, &inputs, &mut workspace).is_err() {
                break;
            }
            let program = workspace.program();
            if program.rows.len() > program.cloth_rows {
                if contacts % stride == 0 {
                    programs.push(program.clone());
                }
                contacts += 1;
            }
            if programs.len() == count {
                break;
            }
        }
        programs
    }
}

/// m. A sheet that sticks does not move but for rounding: a shorter increment has no digits to compare.
pub const STILL: f64 = 1e-9;

/// Longest increment, m.
pub fn longest(solution: &Solution) -> f64 {
    solution.delta.iter().map(|d| d.length()).fold(0.0, f64::max)
}

/// Largest contact force; where nothing is pushed, largest force of any other kind.
pub fn largest_force(program: &Program, solution: &Solution) -> f64 {
    let contacts = (0..program.rows.len()).filter(|&r| program.rows.bounds(r) == Bounds::Contact);
    let push = contacts.map(|r| solution.multipliers[r].abs()).fold(0.0, f64::max);
    if push > 0.0 { push } else { program.gradient.iter().map(|g| g.length()).fold(0.0, f64::max) }
}

/// How far two solutions of a program are apart: increments of the longest, and forces of the largest, of rows with bounds and
/// of the others (as forces at the nodes).
pub fn apart(program: &Program, a: &Solution, b: &Solution) -> [f64; 3] {
    let (length, force) = (longest(a).max(STILL), largest_force(program, a));
    let delta = a.delta.iter().zip(&b.delta).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
    let mut forces = [0.0f64; 2];
    for (r, (a, b)) in a.multipliers.iter().zip(&b.multipliers).enumerate() {
        let gradient = program.rows.gradient(r).iter().map(|a| a.length()).fold(0.0, f64::max);
        let kind = &mut forces[usize::from(program.rows.bounds(r) == Bounds::Equality)];
        *kind = kind.max((a - b).abs() * gradient);
    }
    [delta / length, forces[0] / force, forces[1] / force]
}
