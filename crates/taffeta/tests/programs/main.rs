//! Three solvers of very different kinds find the same solution of the same program.

mod agreement;
mod cloth;
#[allow(dead_code, reason = "other tests roll the rest of them")]
#[path = "../common/dice.rs"]
mod dice;
mod random;
mod saved;
mod theorems;

use taffeta::Method;

/// The solvers of this build.
fn methods() -> impl Iterator<Item = Method> {
    [Method::ActiveSet, Method::Paper, Method::InteriorPoint].into_iter().filter(|method| method.is_available())
}
