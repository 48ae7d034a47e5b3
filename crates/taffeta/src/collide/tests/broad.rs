//! The broad phase against testing every pair, on cloth of all kinds.

use glam::DVec3;
use proptest::prelude::*;

use crate::collide::{BroadPhase, Candidates, FaceBoxes, Surface};

/// A cloth that moves.
#[derive(Clone, Debug)]
struct Motion {
    surface: Surface,
    /// What the trees are built on.
    built_on: Vec<DVec3>,
    from: Vec<DVec3>,
    to: Vec<DVec3>,
    margin: f64,
}

/// A moving box in double precision.
#[derive(Clone, Copy)]
struct Extent {
    low: DVec3,
    high: DVec3,
    back: DVec3,
    ahead: DVec3,
}

impl Extent {
    fn new(motion: &Motion, nodes: &[u32], margin: f64) -> Self {
        let places = || nodes.iter().map(|&i| motion.from[i as usize]);
        let moves = || nodes.iter().map(|&i| motion.to[i as usize] - motion.from[i as usize]);
        Self {
            low: places().fold(DVec3::INFINITY, DVec3::min) - margin,
            high: places().fold(DVec3::NEG_INFINITY, DVec3::max) + margin,
            back: moves().fold(DVec3::INFINITY, DVec3::min),
            ahead: moves().fold(DVec3::NEG_INFINITY, DVec3::max),
        }
    }

    /// Whether the two may overlap for all that is known of where they are and how they move.
    fn overlaps(&self, other: &Self) -> bool {
        let (back, ahead) = (self.back - other.ahead, self.ahead - other.back);
        (self.low + back.min(DVec3::ZERO)).cmple(other.high).all()
            && other.low.cmple(self.high + ahead.max(DVec3::ZERO)).all()
    }
}

fn apart(a: &[u32], b: &[u32]) -> bool {
    a.iter().all(|node| !b.contains(node))
}

/// All pairs, tested one by one, in ascending order.
fn every_pair(motion: &Motion, margin: f64) -> Candidates {
    let mut all = Candidates::default();
    let extent = |nodes: &[u32]| Extent::new(motion, nodes, margin);
    let triangles: Vec<Extent> = motion.surface.triangles().iter().map(|t| extent(t)).collect();
    let edges: Vec<Extent> = motion.surface.edges().iter().map(|e| extent(e)).collect();
    for node in 0..motion.surface.node_count() as u32 {
        let place = extent(&[node]);
        for (t, triangle) in motion.surface.triangles().iter().enumerate() {
            if apart(&[node], triangle) && place.overlaps(&triangles[t]) {
                all.node_face.push([node, t as u32]);
            }
        }
    }
    for (a, first) in motion.surface.edges().iter().enumerate() {
        for (b, second) in motion.surface.edges().iter().enumerate().skip(a + 1) {
            if apart(first, second) && edges[a].overlaps(&edges[b]) {
                all.edge_edge.push([a as u32, b as u32]);
            }
        }
    }
    all
}

/// Everything that overlaps is found, once; and nothing that is apart by more than rounding to singles explains.
fn agrees(motion: &Motion, broad: &mut BroadPhase) -> Candidates {
    broad.refit(&motion.from, &motion.to, motion.margin);
    let mut found = Candidates::default();
    broad.self_pairs(&mut found);
    found.sort();
    // Places are within 4 m: rounding moves the side of a box by less than 5 µm.
    let (exact, generous) = (every_pair(motion, motion.margin), every_pair(motion, motion.margin + 5e-6));
    for (found, exact, generous) in [
        (&found.node_face, &exact.node_face, &generous.node_face),
        (&found.edge_edge, &exact.edge_edge, &generous.edge_edge),
    ] {
        assert!(found.windows(2).all(|w| w[0] < w[1]), "a pair was found twice");
        for pair in exact {
            assert!(found.binary_search(pair).is_ok(), "{pair:?} was missed");
        }
        for pair in found {
            assert!(generous.binary_search(pair).is_ok(), "{pair:?} is apart");
        }
    }
    found
}

fn check(motion: &Motion) -> Candidates {
    let mut broad = BroadPhase::new(&motion.surface, &motion.built_on);
    let found = agrees(motion, &mut broad);
    // Arranged by where the cloth is now, the same pairs come out.
    let mut broad = BroadPhase::new(&motion.surface, &motion.from);
    assert_eq!(agrees(motion, &mut broad), found);
    overlaps_at_any_moment_are_found(motion, &found);
    near_points_are_found(motion);
    found
}

/// What overlaps at a moment of the motion is among the pairs, without a word of how boxes move.
fn overlaps_at_any_moment_are_found(motion: &Motion, found: &Candidates) {
    for k in 0..=8 {
        let s = f64::from(k) / 8.0;
        let now: Vec<DVec3> = motion.from.iter().zip(&motion.to).map(|(from, to)| from.lerp(*to, s)).collect();
        let still = Motion { from: now.clone(), to: now, ..motion.clone() };
        let seen = every_pair(&still, motion.margin);
        for (seen, found) in [(&seen.node_face, &found.node_face), (&seen.edge_edge, &found.edge_edge)] {
            assert!(seen.iter().all(|pair| found.binary_search(pair).is_ok()), "a pair was missed at {s}");
        }
    }
}

/// Triangles near a moving point: against a look at many moments of the motion.
fn near_points_are_found(motion: &Motion) {
    let mut faces = FaceBoxes::new(&motion.surface, &motion.built_on);
    faces.refit(&motion.from, &motion.to, 0.0);
    for (k, &from) in motion.from.iter().enumerate().step_by(7) {
        let to = motion.to[(k * 5) % motion.to.len()];
        let mut found = Vec::new();
        faces.near(from, to, 0.02, |t| found.push(t));
        found.sort_unstable();
        assert!(found.windows(2).all(|w| w[0] < w[1]), "a triangle was visited twice");
        for (t, nodes) in motion.surface.triangles().iter().enumerate() {
            let overlap = |s: f64| {
                let place = |i: u32| motion.from[i as usize].lerp(motion.to[i as usize], s);
                let [a, b, c] = nodes.map(place);
                let x = from.lerp(to, s);
                (a.min(b).min(c) - x).cmple(DVec3::splat(0.02)).all()
                    && (a.max(b).max(c) - x).cmpge(DVec3::splat(-0.02)).all()
            };
            let visited = found.binary_search(&(t as u32)).is_ok();
            let seen = (0..=20).any(|k| overlap(f64::from(k) / 20.0));
            assert!(visited || !seen, "triangle {t} was not visited");
        }
    }
}

fn sheet(nx: usize, ny: usize) -> Surface {
    let node = |i: usize, j: usize| (i * ny + j) as u32;
    let cells = (1..nx).flat_map(|i| (1..ny).map(move |j| (i, j)));
    let triangles = cells.flat_map(|(i, j)| {
        let [a, b, c, d] = [node(i - 1, j - 1), node(i, j - 1), node(i, j), node(i - 1, j)];
        [[a, b, c], [a, c, d]]
    });
    Surface::from_triangles(nx * ny, triangles.collect())
}

/// A sheet of nodes 2 cm apart, bent into pleats of the given number of cells.
fn pleated(nx: usize, ny: usize, pleat: usize, gap: f64) -> Vec<DVec3> {
    let place = |i: usize, j: usize| {
        let (fold, rest) = (i / pleat, i % pleat);
        let along = if fold.is_multiple_of(2) { rest } else { pleat - rest };
        let up = gap * (fold as f64 + rest as f64 / pleat as f64);
        DVec3::new(0.02 * along as f64, 0.02 * j as f64, up)
    };
    (0..nx).flat_map(|i| (0..ny).map(move |j| place(i, j))).collect()
}

fn vectors(count: usize, size: f64) -> impl Strategy<Value = Vec<DVec3>> {
    prop::collection::vec(prop::array::uniform3(-size..size).prop_map(DVec3::from), count)
}

/// Flat, crumpled by 1 mm to 20 cm, pleated; still or moving.
fn cloth() -> impl Strategy<Value = Motion> {
    (2usize..14, 2usize..14, 1usize..6, 1e-3..0.2f64, 0.0..0.05f64, 0.0..0.01f64).prop_flat_map(
        |(nx, ny, pleat, crumple, travel, margin)| {
            (vectors(nx * ny, crumple), vectors(nx * ny, travel.max(1e-12)), any::<bool>()).prop_map(
                move |(noise, steps, crumpled)| {
                    let flat = pleated(nx, ny, nx, 0.0);
                    let mut from = pleated(nx, ny, pleat, 0.003);
                    if crumpled {
                        from.iter_mut().zip(&noise).for_each(|(x, noise)| *x += *noise);
                    }
                    let to = from.iter().zip(&steps).map(|(x, step)| x + step).collect();
                    Motion { surface: sheet(nx, ny), built_on: flat, from, to, margin }
                },
            )
        },
    )
}

/// Triangles that have nothing to do with each other, or share nodes at random.
fn soup() -> impl Strategy<Value = Motion> {
    (4usize..60, 0usize..120).prop_flat_map(|(nodes, count)| {
        let corners = prop::sample::subsequence((0..nodes as u32).collect::<Vec<_>>(), 3);
        let triangles = prop::collection::vec(corners.prop_map(|t| [t[0], t[1], t[2]]).prop_shuffle(), count);
        (triangles, vectors(nodes, 1.0), vectors(nodes, 1.0), vectors(nodes, 1.0), 0.0..0.2f64).prop_map(
            move |(triangles, built_on, from, to, margin)| {
                let surface = Surface::from_triangles(nodes, triangles);
                Motion { surface, built_on, from, to, margin }
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn pairs_of_a_cloth_are_those_that_testing_all_finds(motion in cloth()) {
        check(&motion);
    }

    #[test]
    fn pairs_of_a_soup_are_those_that_testing_all_finds(motion in soup()) {
        check(&motion);
    }
}

fn folded(nx: usize, ny: usize) -> Motion {
    let from = pleated(nx, ny, 6, 0.002);
    let to = from.iter().map(|x| x + DVec3::new(0.0, 0.001, -0.002)).collect();
    Motion { surface: sheet(nx, ny), built_on: pleated(nx, ny, nx, 0.0), from, to, margin: 0.001 }
}

#[test]
fn a_folded_sheet_of_several_levels_meets_itself() {
    let found = check(&folded(60, 24));
    assert!(found.node_face.len() > 1_000 && found.edge_edge.len() > 3_000, "the layers were to meet");
}

#[test]
fn a_flat_sheet_meets_only_its_neighbours() {
    let positions = pleated(20, 20, 20, 0.0);
    let motion = Motion {
        surface: sheet(20, 20),
        built_on: positions.clone(),
        from: positions.clone(),
        to: positions,
        margin: 1e-4,
    };
    for [a, b] in check(&motion).edge_edge {
        let middle = |e: u32| {
            let [p, q] = motion.surface.edges()[e as usize];
            (motion.from[p as usize] + motion.from[q as usize]) / 2.0
        };
        assert!(middle(a).distance(middle(b)) < 0.05, "edges {a} and {b} are not neighbours");
    }
}

#[test]
fn no_node_is_needed_and_none_is_mistaken_for_a_number() {
    let nothing = Motion { surface: sheet(0, 0), built_on: vec![], from: vec![], to: vec![], margin: 0.1 };
    assert_eq!(check(&nothing), Candidates::default());
    // A node that is nowhere meets nobody; all others are found as before.
    let mut motion = folded(12, 6);
    (motion.from[17], motion.to[17]) = (DVec3::NAN, DVec3::NAN);
    let mut broad = BroadPhase::new(&motion.surface, &motion.from);
    broad.refit(&motion.from, &motion.to, motion.margin);
    let mut found = Candidates::default();
    broad.self_pairs(&mut found);
    let whole = check(&folded(12, 6));
    let whole_still = |pair: &&[u32; 2]| pair[0] != 17 && !motion.surface.triangles()[pair[1] as usize].contains(&17);
    for pair in whole.node_face.iter().filter(whole_still) {
        assert!(found.node_face.contains(pair), "{pair:?} was lost");
    }
}
