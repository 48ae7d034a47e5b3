//! Three solvers of very different kinds find the same solution of the same program.

mod agreement;
mod cloth;
mod random;
mod saved;
mod theorems;

use taffeta::Method;

/// The solvers of this build.
fn methods() -> impl Iterator<Item = Method> {
    [Method::ActiveSet, Method::Paper, Method::InteriorPoint].into_iter().filter(|method| method.is_available())
}
