//! Sheets that hang between the pads of grippers.

use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::mesh::{Element, Mesh};
use taffeta::obstacle::{Motion, Pose};
use taffeta::{DQuat, DVec3, Gripper, Params, SelfContact, Simulation, StepReport};

use super::G;

/// Surface density of the sheets, kg/m², and their thickness, m.
pub const DENSITY: f64 = 0.2;
pub const THICKNESS: f64 = 1e-3;

/// So many sheets of `n × n` nodes, this wide, m, that hang in planes of x and z beside each other, their middles about the origin.
pub fn sheets(count: usize, n: usize, size: f64, dt: f64) -> Simulation {
    shifted_sheets(count, n, size, DVec3::ZERO, dt)
}

/// The same, each shifted by so much against the one before, m.
pub fn shifted_sheets(count: usize, n: usize, size: f64, shift: DVec3, dt: f64) -> Simulation {
    let (mut positions, mut elements) = (Vec::new(), Vec::new());
    for k in 0..count {
        let y = THICKNESS * (k as f64 - 0.5 * (count as f64 - 1.0));
        let place = |s: f64, t: f64| DVec3::new(size * (s - 0.5), y, size * (t - 0.5)) + shift * k as f64;
        let sheet = Mesh::grid(n, n, place).expect("a sheet");
        let first = positions.len();
        elements.extend(sheet.elements().iter().map(|element| match *element {
            Element::Triangle(nodes) => Element::Triangle(nodes.map(|i| i + first)),
            Element::Quad(nodes) => Element::Quad(nodes.map(|i| i + first)),
        }));
        positions.extend_from_slice(sheet.positions());
    }
    let mesh = Mesh::new(positions, elements, None).expect("sheets");
    let material = Material { damping: 0.0, thickness: THICKNESS, ..Material::with_density(DENSITY) };
    let self_contact = Some(SelfContact { friction: 0.3, ..SelfContact::default() });
    let params = Params { material, self_contact, ..Params::default() };
    let mut simulation = Simulation::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()), params, dt);
    simulation.params.solver.friction_tolerance = 1e-3;
    simulation
}

/// A gripper at rest whose pads point down, and that grips from the start.
pub fn gripper(at: DVec3) -> Gripper {
    let frame = Pose::new(DQuat::from_rotation_x(std::f64::consts::PI), at);
    let mut gripper = Gripper::new("hand", Motion::still(frame));
    (gripper.opening, gripper.force, gripper.friction) = (5e-3, 5.0, 0.5);
    gripper.closed = vec![[0.0, f64::INFINITY]];
    gripper
}

/// Takes the steps of some seconds.
pub fn run(simulation: &mut Simulation, seconds: f64) -> StepReport {
    let mut last = StepReport::default();
    for _ in 0..(seconds / simulation.dt()).round() as usize {
        last = simulation.step().unwrap_or_else(|error| panic!("at {} s: {error}", simulation.time()));
    }
    last
}

/// Mass of the cloth, kg.
pub fn mass(simulation: &Simulation) -> f64 {
    DENSITY * simulation.model().cloth().node_areas().iter().sum::<f64>()
}

/// Its weight, N.
pub fn weight(simulation: &Simulation) -> f64 {
    mass(simulation) * G
}

/// The mean of values of some nodes, by their areas.
pub fn mean(simulation: &Simulation, nodes: std::ops::Range<usize>, values: &[DVec3]) -> DVec3 {
    let areas = &simulation.model().cloth().node_areas()[nodes.clone()];
    let sum: DVec3 = values[nodes].iter().zip(areas).map(|(value, area)| *value * *area).sum();
    sum / areas.iter().sum::<f64>()
}
