//! Garments: their topology, their measures, the start they give a run, and how they hang.

use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::mesh::Mesh;
use taffeta::mesh::garment::{Cut, Garment, GarmentError, Sewn, Shorts};
use taffeta::{DVec3, Grasp, Params, Simulation};

const REST: RestShape = RestShape::Uv { scale: 1.0 };

fn sewn(name: &str, cell: f64) -> Sewn {
    let garment = Garment::named(name).expect("a known garment");
    garment.sew(Cut::with_cell(cell)).unwrap_or_else(|error| panic!("{name} of {cell}: {error}"))
}

/// Every garment in several sizes of cells.
fn wardrobe() -> Vec<(&'static str, Sewn)> {
    let sizes = [0.06, 0.04, 0.03, 0.02];
    Garment::NAMES.iter().flat_map(|name| sizes.map(|cell| (*name, sewn(name, cell)))).collect()
}

fn set(garment: &Sewn, name: &str) -> Vec<usize> {
    let named = garment.sets.iter().find(|(known, _)| *known == name);
    named.unwrap_or_else(|| panic!("no set {name}")).1.clone()
}

/// Length of a closed loop of nodes at rest, m: of the edges that join them.
fn around(cloth: &Cloth, nodes: &[usize]) -> f64 {
    let edges = cloth.mesh().edges().iter().zip(cloth.rest_lengths());
    edges.filter(|(e, _)| e.is_boundary() && e.nodes.iter().all(|n| nodes.contains(n))).map(|(_, l)| l).sum()
}

#[test]
fn garments_are_spheres_with_as_many_holes_as_they_have_openings() {
    for (name, garment) in wardrobe() {
        let holes = match name {
            "towel" => 1,
            "skirt" => 2,
            "shorts" => 3,
            _ => 4,
        };
        let mesh = &garment.mesh;
        assert_eq!(mesh.boundary_loops().len(), holes, "{name}");
        assert_eq!(mesh.euler_characteristic(), 2 - holes as isize, "{name}");
        assert_eq!((mesh.genus(), mesh.component_count()), (0, 1), "{name}");
    }
}

#[test]
fn only_corners_of_seams_are_irregular() {
    for (name, garment) in wardrobe() {
        let mesh = &garment.mesh;
        let interior = (0..mesh.node_count()).filter(|&i| !mesh.is_boundary_node(i));
        let irregular: Vec<usize> = interior.filter(|&i| mesh.node_elements(i).len() != 4).collect();
        // Two ends of the crotch, two armpits; six cells meet there.
        let expected = if ["shorts", "shirt"].contains(&name) { 2 } else { 0 };
        assert_eq!(irregular.len(), expected, "{name}");
        assert!(irregular.iter().all(|&i| mesh.node_elements(i).len() == 6), "{name}");
    }
}

#[test]
fn a_start_has_all_edges_at_rest_length() {
    for (name, garment) in wardrobe() {
        let cloth = Cloth::new(garment.mesh, REST, Scheme::default());
        let worst = cloth.edge_strains(cloth.mesh().positions()).fold(0.0, |a: f64, s| a.max(s.abs()));
        assert!(worst < 1e-5, "{name}: {worst}");
    }
}

#[test]
fn cells_are_nearly_square_in_the_panel_and_in_space() {
    for (name, garment) in wardrobe() {
        let mesh = &garment.mesh;
        let uv = mesh.uv().expect("panels");
        for (element, corners) in mesh.elements().iter().zip(uv) {
            let flat = corners.map(|p| p.extend(0.0));
            let raised: [DVec3; 4] = std::array::from_fn(|k| mesh.positions()[element.nodes()[k]]);
            for corners in [flat, raised] {
                let side = |k: usize| corners[(k + 1) % 4] - corners[k % 4];
                for k in 0..4 {
                    let angle = (-side(k)).angle_between(side(k + 1)).to_degrees();
                    assert!((45.0..=135.0).contains(&angle), "{name}: {angle}");
                    let aspect = side(k).length() / side(k + 1).length();
                    assert!((0.4..=2.5).contains(&aspect), "{name}: {aspect}");
                }
            }
        }
    }
}

#[test]
fn front_and_back_are_a_gap_apart_except_at_the_seams() {
    let cut = Cut { cell: 0.03, gap: 0.008 };
    for name in ["skirt", "shorts", "shirt"] {
        let garment = Garment::named(name).expect("known").sew(cut).expect("a garment");
        let mesh = garment.mesh;
        let half = mesh.elements().len() / 2;
        let on = |elements: std::ops::Range<usize>| {
            let mut on = vec![false; mesh.node_count()];
            elements.for_each(|e| mesh.elements()[e].nodes().iter().for_each(|&i| on[i] = true));
            on
        };
        let (front, back) = (on(0..half), on(half..2 * half));
        for (i, p) in mesh.positions().iter().enumerate() {
            let expected = match (front[i], back[i]) {
                (true, true) => 0.0,
                (true, false) => -0.004,
                _ => 0.004,
            };
            // The fit at the corners of seams moves nodes by less than a millimetre.
            assert!((p.y - expected).abs() < 1e-3, "{name}: {p}");
        }
    }
}

#[test]
fn measures_are_honoured_to_rounding_whatever_the_cell() {
    for (name, garment) in wardrobe() {
        let measures = Garment::named(name).expect("known").measures();
        let cloth = Cloth::new(garment.mesh.clone(), REST, Scheme::default());
        let tall = cloth.mesh().uv().expect("panels").iter().flatten().fold(0.0, |z: f64, p| z.max(p.y));
        for (measure, value) in measures {
            let found = match measure {
                "waist" | "hem" => around(&cloth, &set(&garment, measure)),
                "leg" => around(&cloth, &set(&garment, "left-leg")),
                "cuff" => around(&cloth, &set(&garment, "right-sleeve")),
                "length" => tall,
                _ => continue,
            };
            assert!((found / value - 1.0).abs() < 1e-9, "{name}: {measure} {found}, not {value}");
        }
    }
}

#[test]
fn a_changed_measure_changes_that_measure() {
    let mut shorts = Garment::Shorts(Shorts { waist: 0.7, ..Shorts::default() });
    shorts.set_measure("leg", 0.6).expect("a measure of shorts");
    let garment = shorts.sew(Cut::with_cell(0.03)).expect("shorts");
    let cloth = Cloth::new(garment.mesh.clone(), REST, Scheme::default());
    assert!((around(&cloth, &set(&garment, "waist")) - 0.7).abs() < 1e-9);
    assert!((around(&cloth, &set(&garment, "right-leg")) - 0.6).abs() < 1e-9);
}

#[test]
fn nonsense_is_refused_by_name() {
    let attempt = |name: &str, measure: &str, value: f64, cell: f64| {
        let mut garment = Garment::named(name).expect("known");
        garment.set_measure(measure, value).and_then(|()| garment.sew(Cut::with_cell(cell)).map(|_| ()))
    };
    let says = |outcome: Result<(), GarmentError>, word: &str| {
        let message = outcome.expect_err(word).to_string();
        assert!(message.contains(word), "{message:?} says nothing of {word}");
    };
    says(attempt("shorts", "waist", -0.8, 0.03), "waist");
    says(attempt("shorts", "rise", f64::NAN, 0.03), "rise");
    says(attempt("shorts", "rise", 0.5, 0.03), "less than the length");
    says(attempt("shorts", "crotch", 0.47, 0.03), "less than half of the hip");
    says(attempt("shorts", "sleeve", 0.2, 0.03), "waist, hip, length, rise, leg, crotch");
    says(attempt("shorts", "waist", 0.8, 0.2), "make the cell at most");
    says(attempt("shorts", "waist", 0.8, 1e-5), "make the cell larger");
    says(attempt("shorts", "waist", 0.8, 0.0), "cell");
    says(attempt("skirt", "hem", 4.0, 0.03), "meet at");
    says(attempt("shirt", "neck_depth", 0.2, 0.03), "meet at");
    says(attempt("shirt", "neck", 0.6, 0.03), "less than half of the chest");
    says(attempt("shirt", "armhole", 1.5, 0.03), "less than twice the length");
    let wide = Garment::named("skirt").expect("known").sew(Cut { cell: 0.03, gap: 0.04 });
    says(wide.map(|_| ()), "gap");
}

#[test]
fn advice_on_the_cell_can_be_followed() {
    for name in Garment::NAMES {
        let garment = Garment::named(name).expect("known");
        let mut cell = 10.0;
        for _ in 0..10 {
            match garment.sew(Cut::with_cell(cell)) {
                Err(GarmentError::CellTooLarge { most, .. }) => {
                    assert!(most < cell, "{name}");
                    cell = most;
                }
                outcome => {
                    assert!(outcome.is_ok() || matches!(outcome, Err(GarmentError::Distorted { .. })), "{name}");
                    break;
                }
            }
        }
        assert!(cell < 1.0, "{name}: {cell}");
    }
}

/// Hangs a garment by some nodes for a second; returns the largest strain of an edge on the way, and the end.
fn hang(garment: &Sewn, held: Vec<usize>, material: Material) -> (f64, Simulation) {
    let cloth = Cloth::new(garment.mesh.clone(), REST, Scheme::default());
    let mut simulation = Simulation::new(cloth, Params { material, ..Params::default() }, 0.01);
    simulation.grasp(Grasp::pin(held).exact());
    let mut worst = 0.0f64;
    for step in 0..100 {
        let report = simulation.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
        worst = worst.max(report.max_edge_strain);
    }
    (worst, simulation)
}

/// Length of the opening through some nodes, m.
fn circumference(mesh: &Mesh, positions: &[DVec3], nodes: &[usize]) -> f64 {
    let boundary = mesh.edges().iter().filter(|e| e.is_boundary() && e.nodes.iter().all(|n| nodes.contains(n)));
    boundary.map(|e| positions[e.nodes[0]].distance(positions[e.nodes[1]])).sum()
}

#[test]
fn a_skirt_that_hangs_by_its_waist_keeps_its_edges_and_its_hem() {
    let garment = sewn("skirt", 0.04);
    let (worst, simulation) = hang(&garment, set(&garment, "waist"), Material::with_density(0.18));
    assert!(worst < 1e-3, "{worst}");
    let hem = set(&garment, "hem");
    let length = circumference(&garment.mesh, simulation.positions(), &hem);
    assert!((length / 0.96 - 1.0).abs() < 1e-3, "{length}");
    // It hangs: the hem is as low as the skirt is long.
    let lowest = simulation.positions().iter().fold(f64::INFINITY, |z, p| z.min(p.z));
    assert!(lowest.abs() < 0.02, "{lowest}");
}

#[test]
fn shorts_that_hang_by_two_points_of_the_waist_keep_their_edges() {
    let garment = sewn("shorts", 0.03);
    let held = [set(&garment, "waist-left"), set(&garment, "waist-right")].concat();
    for bending in [0.0, 1e-5] {
        let material = Material { bending, ..Material::with_density(0.18) };
        let (worst, simulation) = hang(&garment, held.clone(), material);
        assert!(worst < 1e-3, "{worst}");
        assert!(simulation.positions().iter().all(|p| p.is_finite() && p.length() < 1.0));
    }
}

#[test]
fn a_shirt_that_hangs_by_its_shoulders_keeps_its_edges() {
    let garment = sewn("shirt", 0.04);
    let held = [set(&garment, "neck-left"), set(&garment, "neck-right")].concat();
    let (worst, _) = hang(&garment, held, Material::with_density(0.18));
    assert!(worst < 1e-3, "{worst}");
}
