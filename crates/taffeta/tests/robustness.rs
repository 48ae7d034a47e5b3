//! Whatever it is asked, a step ends in a finite state or in an error that leaves the state as it was.

mod common;

use common::Kind;
use proptest::prelude::*;
use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::mesh::{GridCorner, Mesh};
use taffeta::{
    DVec2, DVec3, Grasp, Held, Inputs, Integrator, Keyframes, Model, Params, Path, Simulation, State, StepError,
    Workspace, step,
};

/// Where the nodes are when a step begins.
#[derive(Clone, Copy, Debug)]
enum Pose {
    /// As the mesh was given: flat, at rest length.
    Given,
    /// A wave of this amplitude over the size of the sheet.
    Wave(f64),
    /// Folded in two, layer on layer.
    Folded,
    /// Every node moved at random by up to this much over the size of the sheet.
    Crumpled(f64),
    /// All nodes in one point.
    Point,
    /// Stretched by this factor.
    Scaled(f64),
}

/// One cloth, its surroundings and what is done to it.
#[derive(Clone, Debug)]
struct Case {
    nodes: (usize, usize),
    /// Three schemes on quads, three cuts into triangles.
    mesh: usize,
    /// Size of the sheet, m, and where it is, m.
    size: f64,
    place: DVec3,
    pose: Pose,
    params: Params,
    dt: f64,
    /// Nodes to hold, as fractions of the node count, and their moves over the size of the sheet.
    held: Vec<(f64, DVec3)>,
    /// Random directions for poses and velocities, and the speed, m/s.
    directions: Vec<DVec3>,
    speed: f64,
}

fn vector(limit: f64) -> impl Strategy<Value = DVec3> {
    [-limit..=limit, -limit..=limit, -limit..=limit].prop_map(DVec3::from_array)
}

/// A power of ten between the two given.
fn decades(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low..=high).prop_map(|exponent| 10f64.powf(exponent))
}

/// Zero, or a power of ten between the two given.
fn zero_or_decades(low: f64, high: f64) -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), decades(low, high)]
}

fn pose() -> impl Strategy<Value = Pose> {
    prop_oneof![
        Just(Pose::Given),
        (0.0..0.5).prop_map(Pose::Wave),
        Just(Pose::Folded),
        decades(-12.0, 0.5).prop_map(Pose::Crumpled),
        Just(Pose::Point),
        (0.1..3.0).prop_map(Pose::Scaled),
    ]
}

fn params() -> impl Strategy<Value = Params> {
    let material = (
        decades(-3.0, 1.0),
        0.01..=1.0,
        zero_or_decades(-3.0, 2.0),
        zero_or_decades(-6.0, 0.0),
        zero_or_decades(-6.0, 0.0),
        zero_or_decades(-6.0, 0.0),
        0.0..2.0,
    );
    let surroundings = (vector(20.0), proptest::option::of(vector(28.0)), any::<bool>());
    (material, surroundings).prop_map(|(material, (gravity, wind, second_order))| {
        let (density, weight, damping, bending_damping, bending, shear_compliance, drag) = material;
        let virtual_density = weight * density;
        let material = Material {
            density,
            virtual_density,
            damping,
            bending_damping,
            bending,
            shear_compliance,
            drag,
            thickness: 0.0,
            ..Material::with_density(density)
        };
        let mut params = Params { material, gravity, wind, ..Params::default() };
        params.solver.integrator = if second_order { Integrator::Bdf2 } else { Integrator::ImplicitEuler };
        // A program that cannot be solved is given up early, so that thousands of them take seconds.
        params.solver.max_halvings = 3;
        params
    })
}

fn case() -> impl Strategy<Value = Case> {
    let mesh = ((2usize..=6, 2usize..=6), 0usize..6, decades(-2.0, 0.5), prop_oneof![Just(DVec3::ZERO), vector(1e3)]);
    let held = proptest::collection::vec((0.0..1.0, prop_oneof![Just(DVec3::ZERO), vector(0.01), vector(3.0)]), 0..4);
    let motion = (proptest::collection::vec(vector(1.0), 36), zero_or_decades(-3.0, 1.5));
    (mesh, pose(), params(), decades(-5.0, -1.0), held, motion).prop_map(
        |((nodes, mesh, size, place), pose, params, dt, held, (directions, speed))| Case {
            nodes,
            mesh,
            size,
            place,
            pose,
            params,
            dt,
            held,
            directions,
            speed,
        },
    )
}

impl Case {
    fn model(&self) -> Model {
        let place = |s: f64, t: f64| self.place + DVec3::new(s, t, 0.0) * self.size;
        let (nx, ny) = self.nodes;
        let schemes = [Scheme::Nodal, Scheme::EdgesNodalShear, Scheme::Edges];
        Model::new(match schemes.get(self.mesh) {
            Some(&scheme) => Cloth::new(Kind::Quads.mesh(nx, ny, place), RestShape::Mesh, scheme),
            None => Kind::ALL[self.mesh - 2].cloth(nx, ny, place),
        })
    }

    fn state(&self, model: &Model) -> State {
        let posed = |(x, direction): (&DVec3, &DVec3)| {
            let local = (*x - self.place) / self.size;
            let moved = match self.pose {
                Pose::Given => local,
                Pose::Wave(amplitude) => local + DVec3::Z * (amplitude * (7.0 * local.x + 2.0 * local.y).sin()),
                Pose::Folded => DVec3::new((local.x - 0.5).abs(), local.y, 0.0),
                Pose::Crumpled(amount) => local + *direction * amount,
                Pose::Point => DVec3::ZERO,
                Pose::Scaled(factor) => local * factor,
            };
            self.place + moved * self.size
        };
        let mut state = State::at_rest(model);
        state.positions = model.cloth().mesh().positions().iter().zip(&self.directions).map(posed).collect();
        state.velocities = self.directions[..model.node_count()].iter().rev().map(|d| *d * self.speed).collect();
        state.forget_history();
        state
    }

    /// Held nodes, each once, and their targets.
    fn held(&self, state: &State) -> Vec<Held> {
        let mut held: Vec<Held> = Vec::new();
        for (fraction, displacement) in &self.held {
            let node = (fraction * state.positions.len() as f64) as usize;
            if held.iter().all(|other| other.node != node) {
                held.push(Held::exact(node, state.positions[node] + *displacement * self.size));
            }
        }
        held
    }
}

/// Everything public in a state, to the bit.
fn bits(state: &State) -> Vec<u64> {
    let vectors = state.positions.iter().chain(&state.velocities);
    vectors.flat_map(|v| v.to_array()).chain([state.time]).map(f64::to_bits).collect()
}

fn is_finite(state: &State) -> bool {
    state.time.is_finite() && state.positions.iter().chain(&state.velocities).all(|v| v.is_finite())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(3000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_step_is_finite_or_refused(case in case()) {
        let model = case.model();
        let mut state = case.state(&model);
        let mut workspace = Workspace::new(&model);
        let held = case.held(&state);
        // The second step starts from what the first one left: history, multipliers, a used workspace.
        for _ in 0..2 {
            let before = state.clone();
            let inputs = Inputs { dt: case.dt, held: &held, forces: &[], bodies: &[], seams: &[], jaws: &[] };
            match step(&model, &case.params, &mut state, &inputs, &mut workspace) {
                Ok(report) => {
                    prop_assert!(is_finite(&state));
                    prop_assert!(report.energy().is_finite() && report.max_edge_strain.is_finite());
                    prop_assert!(report.residual <= case.params.solver.strain_tolerance);
                    prop_assert!(report.unbalanced <= case.params.solver.acceleration_tolerance);
                    for Held { node, target, .. } in &held {
                        // Reached by linear interpolation up to 1, so to the last digit of 1e3 m and the way there.
                        prop_assert!(state.positions[*node].distance(*target) <= 1e-12 * (1e3 + case.size));
                    }
                }
                Err(error) => {
                    prop_assert_eq!(bits(&state), bits(&before));
                    prop_assert!(state == before, "the history changed");
                    let explained = matches!(
                        error,
                        StepError::NotSolved { .. }
                            | StepError::OutOfReach { .. }
                            | StepError::EdgeHeld { .. }
                            | StepError::HeldJumps { .. }
                            | StepError::StartsStretched { .. }
                            | StepError::Tangled { .. }
                    );
                    prop_assert!(explained, "refused for {}", error);
                    break;
                }
            }
        }
    }

    #[test]
    fn what_is_not_a_number_is_refused_by_name(
        case in case(),
        bad in prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY)],
        field in 0usize..15,
    ) {
        let model = case.model();
        let mut state = case.state(&model);
        let mut params = case.params;
        let (mut dt, mut held) = (case.dt, case.held(&state));
        let mut forces = vec![DVec3::ZERO; model.node_count()];
        let node = model.node_count() / 2;
        match field {
            0 => dt = bad,
            1 => params.material.density = bad,
            2 => params.material.virtual_density = bad,
            3 => params.material.damping = bad,
            4 => params.material.bending_damping = bad,
            5 => params.material.bending = bad,
            6 => params.material.shear_compliance = bad,
            7 => params.material.drag = bad,
            8 => params.gravity.z = bad,
            9 => params.wind = Some(DVec3::new(0.0, bad, 0.0)),
            10 => state.positions[node].x = bad,
            11 => state.velocities[node].y = bad,
            12 => forces[node].z = bad,
            13 => held = vec![Held::exact(node, DVec3::splat(bad))],
            _ => (params.solver.strain_tolerance, params.solver.acceleration_tolerance) = (-1.0, f64::NAN),
        }
        let before = bits(&state);
        let inputs = Inputs { dt, held: &held, forces: &forces, bodies: &[], seams: &[], jaws: &[] };
        let error = step(&model, &params, &mut state, &inputs, &mut Workspace::new(&model)).err();
        prop_assert_eq!(bits(&state), before);
        let as_expected = match field {
            0 => matches!(error, Some(StepError::BadStepLength { .. })),
            1..=7 => matches!(error, Some(StepError::BadMaterial { .. })),
            10..=13 => matches!(error, Some(StepError::NotFinite { node: found, .. }) if found == node),
            _ => matches!(error, Some(StepError::BadParameter { .. })),
        };
        prop_assert!(as_expected, "field {}: {:?}", field, error);
    }
}

/// A sheet of 0.4 m × 0.4 m with 5 × 5 nodes and its state at rest.
fn sheet(kind: Kind) -> (Model, State) {
    let model = Model::new(kind.cloth(5, 5, |s, t| DVec3::new(0.4 * s, 0.0, 0.4 * t)));
    let state = State::at_rest(&model);
    (model, state)
}

fn take(model: &Model, state: &mut State, held: &[Held]) -> Result<taffeta::StepReport, StepError> {
    let inputs = Inputs { dt: 0.01, held, forces: &[], bodies: &[], seams: &[], jaws: &[] };
    step(model, &Params::default(), state, &inputs, &mut Workspace::new(model))
}

#[test]
fn nodes_held_too_far_apart_are_named() {
    // From 0.1 % beyond the length (twice the strain a step may leave) to 100 times it.
    for kind in Kind::ALL {
        for factor in [1.001, 1.1, 2.0, 100.0] {
            let (model, mut state) = sheet(kind);
            let shape = model.cloth().mesh().grid_shape().expect("a grid");
            let nodes = [shape.corner(GridCorner::TopLeft), shape.corner(GridCorner::TopRight)];
            let held = [0.0, 0.4 * factor].map(|x| DVec3::new(x, 0.0, 0.4));
            let held = [Held::exact(nodes[0], held[0]), Held::exact(nodes[1], held[1])];
            let before = bits(&state);
            match take(&model, &mut state, &held) {
                Err(StepError::OutOfReach { nodes: found, distance, available }) => {
                    assert_eq!(found, nodes, "{kind:?}");
                    assert!((distance - 0.4 * factor).abs() < 1e-12, "{kind:?}: {distance} m apart");
                    assert!((available - 0.4).abs() < 1e-12, "{kind:?}: {available} m of cloth");
                }
                other => panic!("{kind:?}, {factor} times the length: {other:?}"),
            }
            assert_eq!(bits(&state), before);
        }
    }
}

#[test]
fn the_worst_of_several_pairs_is_named() {
    let (model, mut state) = sheet(Kind::Quads);
    // Along the lower edge: the second and third are 0.15 m apart with 0.1 m of cloth between, all others less beyond.
    let held = [(0, 0.0), (1, 0.1), (2, 0.25)].map(|(node, x)| Held::exact(node, DVec3::new(x, 0.0, 0.0)));
    let error = take(&model, &mut state, &held).expect_err("out of reach");
    assert!(matches!(error, StepError::OutOfReach { nodes: [1, 2], .. }), "{error}");
}

#[test]
fn impossible_requests_are_refused() {
    let (model, mut state) = sheet(Kind::Quads);
    let target = DVec3::ZERO;
    let error = take(&model, &mut state, &[Held::exact(25, target)]).expect_err("no such node");
    assert_eq!(error, StepError::NoSuchNode { node: 25, nodes: 25 });
    let error = take(&model, &mut state, &[Held::exact(3, target); 2]).expect_err("twice");
    assert_eq!(error, StepError::HeldTwice { node: 3 });
    let (other, _) = (Model::new(Kind::Quads.cloth(3, 3, |s, t| DVec3::new(s, t, 0.0))), ());
    let error = take(&other, &mut state, &[]).expect_err("another model's state");
    assert!(matches!(error, StepError::WrongSize { found: 25, expected: 9, .. }), "{error}");
    for dt in [0.0, -0.01] {
        let inputs = Inputs { dt, held: &[], forces: &[], bodies: &[], seams: &[], jaws: &[] };
        let result = step(&model, &Params::default(), &mut state, &inputs, &mut Workspace::new(&model));
        assert_eq!(result, Err(StepError::BadStepLength { dt }));
    }
}

#[test]
fn neighbours_held_closer_than_their_thread_is_long_are_named() {
    let mesh = Mesh::grid(4, 4, |s, t| DVec3::new(0.3 * s, 0.0, 0.3 * t)).expect("a valid grid");
    let model = Model::new(Cloth::new(mesh, RestShape::Mesh, Scheme::Edges));
    let mut state = State::at_rest(&model);
    let (a, b) = (state.positions[12], state.positions[13]);
    let held = [Held::exact(12, a), Held::exact(13, b - DVec3::new(0.03, 0.0, 0.0))];
    let inputs = Inputs { dt: 0.01, held: &held, forces: &[], bodies: &[], seams: &[], jaws: &[] };
    match step(&model, &Params::default(), &mut state, &inputs, &mut Workspace::new(&model)) {
        Err(StepError::EdgeHeld { mut nodes, distance, length }) => {
            nodes.sort_unstable();
            assert_eq!(nodes, [12, 13]);
            assert!((distance - 0.07).abs() < 1e-12 && (length - 0.1).abs() < 1e-12);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_flat_sheet_pushed_together_in_its_own_plane_buckles() {
    // Everything is in the xz-plane and stays there by symmetry, unless the step breaks it.
    let mesh = Mesh::grid(11, 15, |s, t| DVec3::new(0.5 * s, 0.0, 0.7 * t)).expect("a valid grid");
    let mut simulation = Simulation::new(Cloth::new(mesh, RestShape::Mesh, Scheme::Edges), Params::default(), 0.01);
    simulation.grasp(Grasp::pin([154]));
    let path = Path::Keyframes(Keyframes::smooth([0.0, 0.5], [DVec3::ZERO, DVec3::new(-0.1, 0.0, 0.0)]));
    simulation.grasp(Grasp::moving([164], path));
    for _ in 0..50 {
        simulation.step().expect("a sheet that may buckle");
    }
    let out_of_plane = simulation.positions().iter().map(|x| x.y.abs()).fold(0.0, f64::max);
    assert!(out_of_plane > 0.01, "only {out_of_plane} m out of the plane");
}

#[test]
fn a_rest_shape_that_does_not_fit_is_named() {
    // UVs from 0 to 1 on a mesh of 0.3 m, taken for metres: threads more than three times too short.
    let grid = Mesh::grid(9, 13, |s, t| DVec3::new(0.3 * s, 0.0, 0.3 * t)).expect("a valid grid");
    let corner = |node: usize| DVec2::new((node % 9) as f64 / 8.0, (node / 9) as f64 / 12.0);
    let uv = grid.elements().iter().map(|e| std::array::from_fn(|k| corner(e.nodes()[k]))).collect();
    let mesh = Mesh::new(grid.positions().to_vec(), grid.elements().to_vec(), Some(uv)).expect("a mesh with UVs");
    let model = Model::new(Cloth::new(mesh, RestShape::Uv { scale: 1.0 }, Scheme::Edges));
    let mut state = State::at_rest(&model);
    let held = [0, 8].map(|node| Held::exact(node, state.positions[node]));
    let inputs = Inputs { dt: 0.01, held: &held, forces: &[], bodies: &[], seams: &[], jaws: &[] };
    let outcome = step(&model, &Params::default(), &mut state, &inputs, &mut Workspace::new(&model));
    assert!(matches!(outcome, Err(StepError::StartsStretched { strain, .. }) if strain < -0.6), "{outcome:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_ordinary_sheet_is_never_refused(
        kind in 0usize..4,
        (nx, ny) in (3usize..9, 3usize..9),
        density in 0.05..0.5,
        compliance in 0.003..0.1,
        bending in prop_oneof![Just(0.0), 1e-6..1e-3],
        dt in 1e-3..2e-2,
        amplitude in -0.1..0.1,
        both in any::<bool>(),
    ) {
        let mesh = Kind::ALL[kind].mesh(nx, ny, |s, t| DVec3::new(0.4 * s, 0.0, 0.6 * t));
        let material = Material { shear_compliance: compliance, bending, ..Material::with_density(density) };
        let params = Params { material, ..Params::default() };
        let cloth = Cloth::new(mesh, RestShape::Mesh, Scheme::Edges);
        let mut simulation = Simulation::new(cloth, params, dt);
        let corners = if both { vec![nx * (ny - 1), nx * ny - 1] } else { vec![nx * ny - 1] };
        let swing = DVec3::new(0.0, amplitude, 0.0);
        simulation.grasp(Grasp::moving(
            corners,
            Path::Sinusoid { amplitude: swing, frequency: 1.0, phase: 0.0, ramp: 0.2 },
        ));
        for k in 0..40 {
            let outcome = simulation.step();
            prop_assert!(outcome.is_ok(), "step {k}: {outcome:?}");
        }
    }
}

#[test]
fn a_start_that_is_bad_input_is_refused_and_not_looked_at() {
    let sheet = || Mesh::grid(4, 4, |s, t| DVec3::new(s, t, 0.0)).expect("a sheet");
    let fresh = || Simulation::new(Cloth::new(sheet(), RestShape::Mesh, Scheme::default()), Params::default(), 0.01);
    fresh().check_start().expect("a sheet in the air");
    let mut simulation = fresh();
    simulation.grasp(Grasp::pin([16]));
    assert_eq!(simulation.check_start(), Err(StepError::NoSuchNode { node: 16, nodes: 16 }));
    let mut simulation = fresh();
    simulation.state_mut().positions.pop();
    assert!(matches!(simulation.check_start(), Err(StepError::WrongSize { .. })));
    let mut simulation = fresh();
    simulation.state_mut().positions[3].y = f64::NAN;
    assert!(matches!(simulation.check_start(), Err(StepError::NotFinite { node: 3, .. })));
}
