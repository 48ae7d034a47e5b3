//! Times the solvers on programs that came from cloth, and shows how far apart their solutions are.
//!
//! `cargo run --release -p taffeta --example programs --features interior-point`

#[path = "../tests/programs/cloth.rs"]
mod cloth;

use std::time::Instant;

use cloth::{Scene, World, apart};
use taffeta::Method;
use taffeta::qp::{Program, solve};

fn main() {
    println!(
        "{:>7} {:>4} {:>9} {:>9} {:>8}  {:<13} {:>9} {:>9} {:>10} {:>8} {:>8}",
        "nodes",
        "μ",
        "programs",
        "rows",
        "bounded",
        "method",
        "median ms",
        "worst ms",
        "exchanges",
        "Δ apart",
        "λ apart"
    );
    for nodes in [(7, 9), (13, 13), (19, 19), (25, 25)] {
        for friction in [0.0, 0.4] {
            let scenes = World::ALL
                .into_iter()
                .flat_map(|world| [true, false].map(|first| Scene { world, nodes, friction, first, bending: 0.0 }));
            let programs: Vec<Program> = scenes.flat_map(|scene| scene.programs(4, 7)).collect();
            compare(nodes, friction, &programs);
        }
    }
}

/// Solves the programs from scratch with every solver, symbolic analysis included, and prints a line for each.
fn compare(nodes: (usize, usize), friction: f64, programs: &[Program]) {
    let rows = median(programs.iter().map(|p| p.rows.len() as f64));
    let bounded = median(programs.iter().map(|p| (p.rows.len() - p.cloth_rows) as f64));
    let methods = [Method::ActiveSet, Method::Paper, Method::InteriorPoint];
    for method in methods.into_iter().filter(|method| method.is_available()) {
        let (mut times, mut exchanges, mut worst, mut failed) = (Vec::new(), Vec::new(), [0.0f64; 3], 0);
        for program in programs {
            let reference = solve(&mut program.clone(), Method::ActiveSet);
            let mut program = program.clone();
            let start = Instant::now();
            let solution = solve(&mut program, method);
            times.push(start.elapsed().as_secs_f64() * 1e3);
            let (Ok(reference), Ok(solution)) = (reference, solution) else {
                failed += 1;
                continue;
            };
            exchanges.push(solution.exchanges as f64);
            let apart = apart(&program, &reference, &solution);
            worst.iter_mut().zip(apart).for_each(|(worst, off)| *worst = worst.max(off));
        }
        println!(
            "{:>7} {:>4} {:>9} {:>9} {:>8}  {:<13} {:>9.2} {:>9.2} {:>10} {:>8.0e} {:>8.0e}{}",
            format!("{}×{}", nodes.0, nodes.1),
            friction,
            programs.len(),
            rows,
            bounded,
            format!("{method:?}"),
            median(times.iter().copied()),
            times.iter().copied().fold(0.0, f64::max),
            median(exchanges.into_iter()),
            worst[0],
            worst[1].max(worst[2]),
            if failed > 0 { format!("  {failed} failed") } else { String::new() }
        );
    }
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}
