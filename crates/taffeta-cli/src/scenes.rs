//! `taffeta scenes`.

use taffeta_io::scene::{Scene, shipped};

use crate::failure::Failure;
use crate::output::{say, table};

pub fn list() -> Result<(), Failure> {
    let mut rows = Vec::new();
    for &(name, _) in shipped() {
        let scene = Scene::load(name, &[])?;
        rows.push((name, scene.settings().title.clone()));
    }
    say(&table(&rows))
}
