//! Sheets, and what moves them and bodies.

use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::mesh::{Diagonal, Mesh};
use taffeta::obstacle::{Cuboid, Motion, Obstacle, Pose, Travel};
use taffeta::{DQuat, DVec3, Grasp, Interpolation, Keyframes, Params, Path, SelfContact, Simulation};

use crate::common::dice::Dice;

/// A simulation, for how many seconds, and what it is.
pub type Made = (Simulation, f64, String);

/// A sheet and what it is made of.
pub struct Sheet {
    pub columns: usize,
    pub rows: usize,
    pub size: [f64; 2],
    pub diagonal: Option<Diagonal>,
    pub params: Params,
    pub dt: f64,
    /// Whether hands are where they are to be, whatever that takes.
    pub exact: bool,
}

impl Sheet {
    pub fn of(dice: &mut Dice) -> Self {
        let (columns, rows) = (7 + dice.index(10), 7 + dice.index(10));
        let width = dice.between(0.25, 0.9);
        let size = [width, width * (rows - 1) as f64 / (columns - 1) as f64];
        let cuts = [Diagonal::Forward, Diagonal::Backward, Diagonal::Alternating];
        let diagonal = dice.chance(0.3).then(|| cuts[dice.index(3)]);
        let fabric = ["polyester", "wool", "denim", "stiff-cotton"][dice.index(4)];
        let mut material = Material::named(fabric).expect("a fabric of the table");
        material.thickness = if dice.chance(0.2) { 0.0 } else { dice.between_powers(0.4e-3, 3e-3) };
        material.bending = if dice.chance(0.3) { 0.0 } else { dice.between_powers(1e-6, 2e-4) };
        let friction = dice.between(0.0, 1.0);
        let self_contact = Some(SelfContact { friction, ..SelfContact::default() });
        let params = Params { material, self_contact, ..Params::default() };
        Self { columns, rows, size, diagonal, params, dt: [0.01, 0.005, 0.0025][dice.index(3)], exact: false }
    }

    pub fn story(&self) -> String {
        let Self { columns, rows, size: [width, _], diagonal, params, dt, .. } = self;
        let (material, itself) = (&params.material, params.self_contact.map_or(0.0, |itself| itself.friction));
        format!(
            "{columns}×{rows} nodes, {width:.2} m wide, {diagonal:?}, dt {dt}, ρ {:.2}, τ {:.1e}, κ {:.0e}, μ itself {itself:.2}",
            material.density, material.thickness, material.bending
        )
    }

    /// Half its thickness.
    pub fn half(&self) -> f64 {
        0.5 * self.params.material.thickness
    }

    pub fn at(&self, place: impl Fn(f64, f64) -> DVec3) -> Simulation {
        let [width, height] = self.size;
        let place = |s: f64, t: f64| place(width * (s - 0.5), height * (t - 0.5));
        let mesh = match self.diagonal {
            None => Mesh::grid(self.columns, self.rows, place),
            Some(diagonal) => Mesh::triangle_grid(self.columns, self.rows, diagonal, place),
        };
        let cloth = Cloth::new(mesh.expect("a sheet"), RestShape::Mesh, Scheme::default());
        Simulation::new(cloth, self.params, self.dt)
    }

    /// On a table whose top is at z = 0.
    pub fn lying(&self) -> Simulation {
        let height = self.half();
        self.at(|x, y| DVec3::new(x, y, height))
    }

    /// In the plane of x and z, its middle in this height.
    pub fn hanging(&self, height: f64) -> Simulation {
        self.at(|x, z| DVec3::new(x, 0.0, z + height))
    }

    /// A grasp by hands as they are in the scene.
    pub fn grasp(&self, grasp: Grasp) -> Grasp {
        if self.exact { grasp.exact() } else { grasp }
    }

    pub fn node(&self, column: usize, row: usize) -> usize {
        row * self.columns + column
    }

    /// The corners: at the left and at the right below, and above.
    pub fn corners(&self) -> [usize; 4] {
        let (right, top) = (self.columns - 1, self.rows - 1);
        [self.node(0, 0), self.node(right, 0), self.node(0, top), self.node(right, top)]
    }
}

pub fn table(friction: f64) -> Obstacle {
    Obstacle::new("table", Cuboid::table(3.0, 3.0, 0.05)).with_friction(friction)
}

pub fn smooth(times: Vec<f64>, places: Vec<DVec3>) -> Path {
    Path::Keyframes(Keyframes::smooth(times, places))
}

/// A body that is at these places at these times, and rests there.
pub fn moved(body: Obstacle, turn: DQuat, places: &[(f64, DVec3)]) -> Obstacle {
    let poses: Vec<Pose> = places.iter().map(|&(_, place)| Pose::new(turn, place)).collect();
    let times: Vec<f64> = places.iter().map(|&(time, _)| time).collect();
    let start = poses[0];
    let keyframes = Keyframes { interpolation: Interpolation::Smooth, ..Keyframes::linear(times, poses) };
    body.with_motion(Motion { start, travel: Travel::Keyframes(keyframes) })
}

/// Half a circle from one place to another, with this much above it, in so many seconds after a time.
pub fn arc(from: f64, seconds: f64, way: DVec3, above: f64, end: f64) -> (Vec<f64>, Vec<DVec3>) {
    let (mut times, mut places) = (Vec::new(), Vec::new());
    for k in 0..=24 {
        let s = f64::from(k) / 24.0;
        let eased = s * s * (3.0 - 2.0 * s);
        let angle = std::f64::consts::PI * eased;
        times.push(from + seconds * s);
        places.push(way * (0.5 - 0.5 * angle.cos()) + DVec3::Z * (above * angle.sin() + end * eased));
    }
    (times, places)
}
