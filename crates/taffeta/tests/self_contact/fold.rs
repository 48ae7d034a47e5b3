//! A sheet that is folded over on a floor.

use taffeta::DVec3;
use taffeta::collide::smallest_gap;

use crate::common::Kind;
use crate::common::layers::{THICKNESS, distance_at, fold, rms_speed, run_clear, self_contacts, thick, weight};

#[test]
fn a_folded_sheet_comes_to_rest_in_two_layers() {
    let mut simulation = fold(Kind::Quads, 12, thick(), 0.01);
    let nodes = simulation.positions().len();
    let mut strain: f64 = 0.0;
    for _ in 0..400 {
        run_clear(&mut simulation, 0.01);
        let strains = simulation.model().cloth().edge_strains(simulation.positions());
        strain = strains.fold(strain, |worst, strain| worst.max(strain.abs()));
    }
    let speed = rms_speed(&simulation);
    let then = simulation.positions().to_vec();
    run_clear(&mut simulation, 1.0);
    let moved = simulation.positions().iter().zip(&then).map(|(now, then)| now.distance(*then)).fold(0.0, f64::max);
    println!("edges off by {strain:.1e}; rms speed {speed:.1e} m/s, then {moved:.1e} m in a second");
    assert!(strain < 1e-3, "edges are off by {strain}");
    assert!(speed < 1e-3, "{speed} m/s");
    assert!(moved < 1e-4, "it creeps by {moved} m in a second");

    let (cloth, x) = (simulation.model().cloth(), simulation.positions());
    let reach = 2.0 * THICKNESS;
    let gap = smallest_gap(x, cloth.surface(), reach).expect("layers");
    let mut distances: Vec<f64> = self_contacts(&simulation).filter_map(|c| distance_at(&c.site, x)).collect();
    distances.sort_by(f64::total_cmp);
    let median = distances[distances.len() / 2];
    println!("{} contacts, smallest gap {:.3e} m, median {median:.3e} m", distances.len(), gap.distance);
    assert!(distances.len() > nodes / 6, "only {} contacts of the layers", distances.len());
    assert!(gap.distance > 0.95 * THICKNESS, "{gap:?}");
    assert!((median / THICKNESS - 1.0).abs() < 0.05, "{median} m between layers");

    let mut forces = vec![DVec3::ZERO; nodes];
    for contact in self_contacts(&simulation) {
        contact.stencil.entries().for_each(|(i, weight)| forces[i] += weight * contact.force());
    }
    let (sum, all) = (forces.iter().sum::<DVec3>(), forces.iter().map(|f| f.length()).sum::<f64>());
    let (carried, weight) = (simulation.obstacle_force(0), weight(&simulation, 0..nodes));
    println!(
        "forces of the layers sum to {:.1e} of {all:.2} N; the floor carries {carried} of {weight} N",
        sum.length()
    );
    assert!(sum.length() < 1e-12 * all, "the cloth pushes itself with {sum} N");
    assert!((carried.z / weight + 1.0).abs() < 1e-3, "the floor carries {carried} N of {weight} N");
    assert!(carried.truncate().length() < 1e-2 * weight, "the floor is pushed aside with {carried} N");
}
