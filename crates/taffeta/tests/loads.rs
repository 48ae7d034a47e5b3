//! Loads: forces on nodes.

use taffeta::cloth::{Cloth, RestShape, Scheme};
use taffeta::mesh::Mesh;
use taffeta::{DVec3, Keyframes, Load, Params, Path, Simulation, StepError};

const DT: f64 = 0.01;

/// A sheet without weight or damping.
fn sheet() -> Simulation {
    let mesh = Mesh::grid(4, 5, |s, t| DVec3::new(0.3 * s, 0.4 * t, 0.0)).unwrap();
    let mut params = Params { gravity: DVec3::ZERO, ..Params::default() };
    params.material.damping = 0.0;
    Simulation::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()), params, DT)
}

fn momentum(simulation: &Simulation) -> DVec3 {
    let areas = simulation.model().cloth().node_areas();
    let density = simulation.params.material.density;
    areas.iter().zip(simulation.velocities()).map(|(&area, &v)| density * area * v).sum()
}

#[test]
fn a_load_gives_its_whole_impulse_however_many_nodes_share_it() {
    let force = DVec3::new(0.01, -0.02, 0.03);
    let growing = Path::Keyframes(Keyframes::linear([0.0, 10.0 * DT], [DVec3::ZERO, force]));
    for nodes in [vec![7], vec![0, 3, 16, 19], (0..20).collect()] {
        let mut simulation = sheet();
        simulation.add_load(Load { nodes, force: growing.clone() });
        for _ in 0..10 {
            simulation.step().unwrap();
        }
        // The force counts at the end of each step.
        let impulse = force * DT * (1..=10).map(|k| k as f64 / 10.0).sum::<f64>();
        let got = momentum(&simulation);
        assert!((got - impulse).length() < 1e-3 * impulse.length(), "{got} and not {impulse}");
    }
}

#[test]
fn a_load_on_a_node_that_is_not_there_is_refused() {
    let mut simulation = sheet();
    let pull = Path::Keyframes(Keyframes::linear([0.0], [DVec3::X]));
    simulation.add_load(Load { nodes: vec![20], force: pull });
    assert_eq!(simulation.step(), Err(StepError::NoSuchNode { node: 20, nodes: 20 }));
}
