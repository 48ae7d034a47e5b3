//! Programs that are saved and read again.

#![cfg(feature = "serde")]

use taffeta::Method;
use taffeta::qp::{Program, SolveError, solve};

use crate::cloth::{Scene, World};

#[test]
fn a_saved_program_solves_to_the_same_bits() {
    for (world, friction) in [(World::TableEdge, 0.5), (World::SphereOnFloor, 0.2)] {
        let scene = Scene { world, nodes: (7, 9), friction, first: false, bending: 1e-5 };
        for mut program in scene.programs(3, 5) {
            let text = serde_json::to_string(&program).expect("numbers");
            let mut read: Program = serde_json::from_str(&text).expect("what was written");
            assert_eq!(read, program);
            let solution = solve(&mut program, Method::ActiveSet).expect("a solution");
            assert_eq!(solve(&mut read, Method::ActiveSet).as_ref(), Ok(&solution));
        }
    }
}

#[test]
fn a_saved_program_that_was_damaged_is_refused() {
    let scene = Scene { world: World::Sphere, nodes: (4, 4), friction: 0.3, first: true, bending: 0.0 };
    let program = scene.programs(1, 1).pop().expect("a program");
    let text = serde_json::to_value(&program).expect("numbers");
    // A node that is not there, and one that is in a row twice.
    for node in [1_000_000.into(), text["rows"]["nodes"][1].clone()] {
        let mut damaged = text.clone();
        damaged["rows"]["nodes"][0] = node;
        let mut read: Program = serde_json::from_value(damaged).expect("still a program");
        assert_eq!(solve(&mut read, Method::ActiveSet), Err(SolveError::NotSound));
    }
}
