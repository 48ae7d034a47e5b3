//! Bodies thinner and sharper than the mesh: sticks, edges and corners of tables, needles, a ball in a cell.

mod common;

use common::dice::Dice;
use common::layers::{Watched, assert_clear, rms_speed, thick, weight};
use common::{WOOL, undamped};
use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::collide::{Surface, self_intersections};
use taffeta::mesh::Mesh;
use taffeta::obstacle::{
    Capsule, Cuboid, Cylinder, EggBox, Implicit, Motion, Obstacle, Plane, Pose, Shape, Solid, Sphere, Stick, Travel,
};
use taffeta::{DQuat, DVec2, DVec3, Grasp, Keyframes, Model, Params, Simulation, State, ccd};

fn cloth(nx: usize, ny: usize, place: impl Fn(f64, f64) -> DVec3) -> Cloth {
    Cloth::new(Mesh::grid(nx, ny, place).expect("a sheet"), RestShape::Mesh, Scheme::default())
}

/// Half the length of the paper's stick, m, and its radius, m.
const HALF: f64 = 0.375;
const RADIUS: f64 = 0.0075;

/// Where the ends of the stick's axis are at a time.
fn ends(stick: &Obstacle, time: f64) -> [DVec3; 2] {
    let pose = stick.motion.at(time);
    [pose.to_world(DVec3::X * -HALF), pose.to_world(DVec3::X * HALF)]
}

/// What of a sheet the axis of a stick goes through when both move straight from one frame to the next.
fn pierced(surface: &Surface, x: [&[DVec3]; 2], axis: [[DVec3; 2]; 2]) -> Option<String> {
    for edge in surface.edges() {
        let at = |k: usize| [axis[k][0], axis[k][1], x[k][edge[0] as usize], x[k][edge[1] as usize]];
        if ccd::edge_edge(&at(0), &at(1), 0.0).is_some() {
            return Some(format!("edge {edge:?}"));
        }
    }
    for face in surface.triangles() {
        for end in [0, 1] {
            let corner = |k: usize, c: usize| x[k][face[c] as usize];
            let at = |k: usize| [axis[k][end], corner(k, 0), corner(k, 1), corner(k, 2)];
            if ccd::node_face(&at(0), &at(1), 0.0).is_some() {
                return Some(format!("face {face:?} by end {end}"));
            }
        }
    }
    None
}

/// A DIN A2 sheet that hangs in the xz-plane from its upper corners, and a stick that comes a `way` at it, m. Returns in how many
/// of the steps they touch.
fn swung(turn: DQuat, start: DVec3, velocity: DVec3, way: f64, params: Params) -> usize {
    let mut world = Watched::new(cloth(7, 9, |s, t| DVec3::new(0.42 * (s - 0.5), 0.0, 0.594 * t)), params);
    world.pinned = vec![56, 62];
    let until = way / velocity.length();
    let travel = Travel::Uniform { velocity, angular_velocity: DVec3::ZERO, from: 0.0, until };
    let motion = Motion { start: Pose::new(turn, start), travel };
    let stick = Obstacle::new("stick", Stick::straight(2.0 * HALF, RADIUS)).with_friction(0.3).with_motion(motion);
    world.obstacles = vec![stick.clone()];
    let (mut touching, steps) = (0, ((until + 0.3) / 0.01) as usize);
    for _ in 0..steps {
        let contacts = world.step(0.01, &mut |before: &State, after: &State, model| {
            let (surface, axis) = (model.cloth().surface(), [before.time, after.time].map(|time| ends(&stick, time)));
            let met = pierced(surface, [&before.positions, &after.positions], axis);
            assert_eq!(met, None, "{velocity}, {turn}, {start}: at {} s", after.time);
            assert!(self_intersections(&after.positions, surface).is_empty(), "{velocity}, {turn}, {start}");
        });
        touching += usize::from(contacts > 0);
    }
    println!("{velocity} m/s, {turn}, {start}: {touching} steps in contact, {} parts of {steps} steps", world.parts);
    touching
}

#[test]
fn a_stick_that_is_swung_through_a_hanging_sheet_takes_it_along() {
    let turned = DQuat::from_rotation_y(0.4);
    for speed in [1.0, 3.0, 10.0] {
        for (turn, height) in
            [(DQuat::IDENTITY, 0.2), (DQuat::IDENTITY, 0.35), (turned, 0.25), (DQuat::from_rotation_z(0.3), 0.3)]
        {
            for params in [undamped(), thick()] {
                let touching = swung(turn, DVec3::new(0.03, -0.2, height), DVec3::Y * speed, 0.45, params);
                assert!(touching > 0, "{speed} m/s: {touching} steps in contact");
            }
        }
    }
}

#[test]
fn a_stick_that_is_thrust_into_a_hanging_sheet_does_not_pierce_it() {
    let ahead = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let aslant = DQuat::from_rotation_x(0.5) * ahead;
    for speed in [1.0, 3.0, 10.0] {
        for (turn, x, z) in [(ahead, 0.035, 0.3), (ahead, 0.013, 0.22), (aslant, -0.05, 0.3)] {
            let start = DVec3::new(x, -0.2, z) - turn * DVec3::X * HALF;
            let touching = swung(turn, start, DVec3::Y * speed, 0.4, thick());
            assert!(touching > 0, "{speed} m/s: {touching} steps in contact");
        }
    }
}

/// A rod at random: a straight stick, a bent one or a finger; and the lines in its middle, in its frame, m.
fn rod(dice: &mut Dice) -> (Obstacle, Vec<[DVec3; 2]>) {
    let (half, radius) = (dice.between(0.1, 0.4), dice.between_powers(0.002, 0.02));
    match dice.index(3) {
        0 => (Obstacle::new("stick", Stick::straight(2.0 * half, radius)), vec![[DVec3::X * -half, DVec3::X * half]]),
        1 => {
            let points = [DVec3::X * -half, DVec3::Y * (0.3 * half), DVec3::new(half, 0.0, 0.2 * half)];
            (Obstacle::new("bent", Stick::new(points, radius)), vec![[points[0], points[1]], [points[1], points[2]]])
        }
        _ => (Obstacle::new("finger", Capsule::new(radius, half)), vec![[DVec3::Z * -half, DVec3::Z * half]]),
    }
}

/// Whether a line goes through a triangle, by the volumes they span.
fn goes_through([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let volume = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| (b - a).cross(c - a).dot(d - a);
    let sides = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)];
    volume(a, b, c, p) * volume(a, b, c, q) < 0.0
        && (sides.iter().all(|side| *side > 0.0) || sides.iter().all(|side| *side < 0.0))
}

#[test]
fn no_rod_at_random_goes_through_a_sheet_between_its_nodes() {
    let (mut met, mut refused, worlds) = (0, 0, 80);
    for seed in 0..worlds {
        let mut dice = Dice::new(seed);
        let n = [5, 7, 9][dice.index(3)];
        let (rod, lines) = rod(&mut dice);
        let aim = DVec3::new(dice.between(-0.2, 0.2), 0.0, dice.between(0.0, 0.4));
        let direction = (DVec3::Y + 0.5 * dice.vector()).normalize();
        let (speed, spin) = (dice.between_powers(1.0, 10.0), dice.vector() * if dice.chance(0.5) { 10.0 } else { 0.0 });
        let start = Pose::new(DQuat::from_scaled_axis(dice.vector() * 3.0), aim - direction);
        let travel = Travel::Uniform { velocity: direction * speed, angular_velocity: spin, from: 0.0, until: 10.0 };
        let rod = rod.with_friction(dice.between(0.0, 1.0)).with_motion(Motion { start, travel });
        let params = if dice.chance(0.5) { thick() } else { undamped() };
        let mut world = Watched::new(cloth(n, n, |s, t| DVec3::new(0.42 * (s - 0.5), 0.0, 0.42 * t)), params);
        world.pinned = [n * (n - 1), n * n - 1][..dice.index(3)].to_vec();
        world.obstacles = vec![rod.clone()];
        let mut met_this = false;
        for _ in 0..(2.0 / speed / 0.02) as usize {
            let step = world.try_step(0.02, &mut |before: &State, after: &State, model: &Model| {
                let poses = [before.time, after.time].map(|time| rod.motion.at(time));
                // Where a rod spins, what nodes do in between is a matter of whom it is seen from.
                let times = if spin == DVec3::ZERO { 1..=8 } else { 8..=8 };
                for k in times {
                    let s = f64::from(k) / 8.0;
                    let pose = poses[0].between(&poses[1], s);
                    for face in model.cloth().surface().triangles() {
                        let corners = face.map(|i| before.positions[i as usize].lerp(after.positions[i as usize], s));
                        for line in &lines {
                            let through = goes_through(line.map(|end| pose.to_world(end)), corners);
                            assert!(!through, "world {seed}: through {face:?} after {} s", before.time);
                        }
                    }
                }
            });
            match step {
                Ok(contacts) => met_this |= contacts > 0,
                Err(_) => {
                    refused += 1;
                    break;
                }
            }
        }
        met += usize::from(met_this);
    }
    println!("{met} of {worlds} rods met the sheet, {refused} steps were refused");
    assert!(met > worlds as usize / 2 && refused < worlds as usize / 6, "{met} met, {refused} refused");
}

/// How deep a body is in the faces of a cloth between their corners, m, from `per_side` points a side.
fn depth(simulation: &Simulation, obstacle: usize, per_side: usize) -> f64 {
    let body = &simulation.obstacles[obstacle];
    let pose = body.motion.at(simulation.time());
    let half = 0.5 * simulation.params.material.thickness;
    let mut deepest: f64 = 0.0;
    for face in simulation.model().cloth().surface().triangles() {
        let [a, b, c] = face.map(|i| simulation.positions()[i as usize]);
        for i in 0..=per_side {
            for j in 0..=per_side - i {
                let (u, v) = (i as f64 / per_side as f64, j as f64 / per_side as f64);
                let gap = body.shape.near(pose.to_local(a + (b - a) * u + (c - a) * v)).gap;
                deepest = deepest.max(half - gap);
            }
        }
    }
    deepest
}

fn run(simulation: &mut Simulation, seconds: f64) {
    for _ in 0..(seconds / simulation.dt()).round() as usize {
        simulation.step().unwrap_or_else(|error| panic!("at {} s: {error}", simulation.time()));
        assert_clear(simulation);
    }
}

/// A sheet of 0.5 m that falls on a table with a corner at `corner`, as it is turned, m.
fn over_a_table(corner: DVec2, turn: f64, thickness: f64) {
    let turned = DQuat::from_rotation_z(turn);
    let sheet = cloth(12, 12, |s, t| turned * DVec3::new(0.5 * (s - 0.5), 0.5 * (t - 0.5), 0.0) + DVec3::Z * 0.03);
    let mut params = Params { material: Material::with_density(WOOL), ..Params::default() };
    params.material.thickness = thickness;
    let mut simulation = Simulation::new(sheet, params, 0.01);
    let table = Obstacle::new("table", Cuboid::table(0.6, 0.6, 0.03)).with_friction(0.6);
    simulation.add_obstacle(table.at(Pose::from_translation((corner - 0.3).extend(0.0))));
    let mut worst: f64 = 0.0;
    for _ in 0..200 {
        run(&mut simulation, 0.01);
        worst = worst.max(depth(&simulation, 0, 6));
    }
    let (deep, hanging) = (depth(&simulation, 0, 40), simulation.positions().iter().filter(|x| x.z < -0.01).count());
    println!("{corner}, turned by {turn}, {thickness} m thick: {worst:.1e} m deep in motion, {deep:.1e} m at the end");
    assert!(hanging > 10, "{corner}: only {hanging} nodes hang over");
    // A tenth of a millimetre is less than can be seen. Edges whose ends are pushed in nearly the same direction, the cosine
    // of the angle above 0.8, are not watched: in passing they cut that much off a rim as round as half the thickness.
    let cut = f64::max(1e-4, (1.0 - 0.8) * 0.5 * thickness);
    assert!(deep < 1e-4, "{corner}, turned by {turn}: {deep} m deep at the end");
    assert!(worst < cut, "{corner}, turned by {turn}: {worst} m deep in motion");
}

#[test]
fn a_sheet_over_the_edge_of_a_table_is_not_cut() {
    for turn in [0.0, 0.3] {
        for thickness in [0.0, 2e-3] {
            over_a_table(DVec2::new(0.1, 0.3), turn, thickness);
        }
    }
}

#[test]
fn a_sheet_over_the_corner_of_a_table_is_not_cut() {
    for (corner, turn) in [(DVec2::new(0.08, 0.1), 0.0), (DVec2::new(0.1, 0.1), 0.0), (DVec2::new(0.05, 0.11), 0.0)] {
        over_a_table(corner, turn, 0.0);
    }
    over_a_table(DVec2::new(0.1, 0.1), 0.0, 2e-3);
    over_a_table(DVec2::new(0.1, 0.1), 0.3, 2e-3);
    over_a_table(DVec2::new(0.1, 0.09), 0.5, 2e-3);
}

#[test]
fn a_sheet_that_lies_exactly_on_a_table_stays() {
    // Whichever way the faces over its corner are numbered.
    for (x, y) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
        let sheet = cloth(12, 12, |s, t| DVec3::new(x * 0.5 * (s - 0.5), y * 0.5 * (t - 0.5), 0.0));
        let mut simulation = Simulation::new(sheet, Params::default(), 0.01);
        let table = Obstacle::new("table", Cuboid::table(0.3, 0.3, 0.03)).with_friction(0.5);
        simulation.add_obstacle(table);
        let report = simulation.step().unwrap_or_else(|error| panic!("({x}, {y}): {error}"));
        println!("({x}, {y}): {} iterations, {} parts", report.iterations, report.substeps);
        assert!(report.substeps == 1 && report.iterations < 15, "({x}, {y}): {report:?}");
        run(&mut simulation, 0.5);
        assert!(depth(&simulation, 0, 8) < 1e-4, "({x}, {y})");
    }
}

#[test]
fn a_sheet_on_needles_rests_and_none_of_them_goes_through() {
    let needles = EggBox::default();
    for (middle, bending) in
        [(DVec3::ZERO, 1e-5), (DVec3::new(0.03, 0.05, 0.0), 1e-4), (DVec3::new(0.07, 0.01, 0.0), 0.0)]
    {
        let (mut tips, height) = (Vec::new(), 1.0 / (20.0 * 0.075));
        needles.tips(DVec3::splat(-0.7), DVec3::splat(0.7), &mut tips);
        let sheet = cloth(11, 11, |s, t| middle + DVec3::new(0.6 * (s - 0.5), 0.6 * (t - 0.5), height + 0.01));
        let mut params = thick();
        params.material.bending = bending;
        let mut simulation = Simulation::new(sheet, params, 0.01);
        simulation.add_obstacle(Obstacle::new("needles", needles).with_friction(0.5));
        for k in 0..300 {
            run(&mut simulation, 0.01);
            for tip in &tips {
                // The line from just below the tip to far below.
                let top = tip.place + DVec3::Z * tip.radius;
                let (from, to) = (top - DVec3::Z * 1e-6, top - DVec3::Z * 0.3);
                for face in simulation.model().cloth().surface().triangles() {
                    let [a, b, c] = face.map(|i| simulation.positions()[i as usize]);
                    let through = ccd::node_face(&[from, a, b, c], &[to, a, b, c], 0.0);
                    assert_eq!(through, None, "{middle}: the spike at {} is through {face:?} in step {k}", tip.place);
                }
            }
        }
        let (carried, weight) = (-simulation.obstacle_force(0).z, weight(&simulation, 0..121));
        let (speed, deep) = (rms_speed(&simulation), depth(&simulation, 0, 10));
        println!("{middle}: {speed:.1e} m/s, {carried:.4} of {weight:.4} N, flanks {deep:.1e} m deep");
        assert!(speed < 1e-3, "{middle}: {speed} m/s");
        assert!((carried / weight - 1.0).abs() < 1e-3, "{middle}: {carried} of {weight} N");
        // Faces cut off some of the round of a spike, whose radius is c₂/c₁.
        assert!(deep < 0.075 / 20.0, "{middle}: {deep} m deep");
    }
}

/// Drops a sheet with cells of 6 cm on a body that stands 5 cm high, under a node, an edge, the middle of a cell, and inside one
/// of its triangles; nowhere may it be deeper in the body than `depth`, m.
fn carried(shape: impl Into<Shape>, height: f64, allowed: f64) {
    let shape = shape.into();
    for (x, y) in [(0.0, 0.0), (0.03, 0.0), (0.03, 0.03), (0.02, 0.01)] {
        let mut simulation =
            Simulation::new(cloth(9, 9, |s, t| DVec3::new(0.48 * (s - 0.5), 0.48 * (t - 0.5), 0.08)), thick(), 0.01);
        simulation.add_obstacle(Obstacle::new("floor", Plane).with_friction(0.5));
        let centre = DVec3::new(x, y, 0.062 - height);
        simulation.add_obstacle(Obstacle::new("body", shape.clone()).at(Pose::from_translation(centre)));
        let mut worst: f64 = 0.0;
        for _ in 0..200 {
            run(&mut simulation, 0.01);
            worst = worst.max(depth(&simulation, 1, 8));
        }
        let (body, floor) = (-simulation.obstacle_force(1), -simulation.obstacle_force(0));
        let weight = weight(&simulation, 0..81);
        let (deep, speed) = (depth(&simulation, 1, 40), rms_speed(&simulation));
        println!("({x}, {y}): the body carries {:.3} of {weight:.3} N, {worst:.1e} m deep; {speed:.1e} m/s", body.z);
        assert!(f64::max(worst, deep) < allowed, "({x}, {y}): {worst} m deep in motion, {deep} m at the end");
        assert!(speed < 1e-3, "({x}, {y}): {speed} m/s");
        assert!(body.z > 0.1 * weight, "({x}, {y}): the body carries {} of {weight} N", body.z);
        assert!(((body + floor).z / weight - 1.0).abs() < 1e-3, "({x}, {y}): {body} and {floor} of {weight} N");
    }
}

#[test]
fn a_ball_smaller_than_a_cell_carries_the_cloth() {
    carried(Sphere::new(0.012), 0.012, 1e-4);
}

#[test]
fn a_peg_thinner_than_a_cell_carries_the_cloth() {
    let peg = Cylinder::new(0.012, 0.025);
    carried(peg, 0.025, 1e-3);
    let outline = peg.outline(1.0);
    carried(Solid::new(outline.positions, outline.triangles).expect("a peg"), 0.025, 1e-3);
}

#[test]
fn the_corner_of_a_mesh_carries_the_cloth() {
    let base = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| DVec3::new(0.02 * x, 0.02 * y, 0.0));
    let corners = base.into_iter().chain([DVec3::Z * 0.05]).collect();
    let triangles = vec![[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
    carried(Solid::new(corners, triangles).expect("a pyramid"), 0.05, 1e-3);
}

#[test]
fn pads_close_on_cloth_that_has_no_thickness() {
    // Smaller than a cell, so that only their edges and corners meet the cloth.
    let half = DVec3::new(0.012, 0.005, 0.012);
    for gap in [0.0, 5e-5, 2e-4] {
        let sheet = cloth(7, 9, |s, t| DVec3::new(0.4 * (s - 0.5), 0.0, 0.5 * t));
        let mut simulation = Simulation::new(sheet, Params::default(), 0.01);
        simulation.grasp(Grasp::pin(vec![56, 62]));
        for side in [-1.0, 1.0] {
            let at = |gap: f64| Pose::from_translation(DVec3::new(0.03, side * (half.y + 0.5 * gap), 0.37));
            let path = Keyframes::linear(vec![0.0, 0.25, 0.5, 0.7], [0.06, gap, gap, 0.06].map(at).to_vec());
            let motion = Motion { start: at(0.06), travel: Travel::Keyframes(path) };
            simulation.add_obstacle(Obstacle::new("pad", Cuboid::new(half)).with_motion(motion));
        }
        for step in 0..80 {
            simulation.step().unwrap_or_else(|error| panic!("{gap} m between the pads, step {step}: {error}"));
            assert_clear(&simulation);
        }
    }
}
