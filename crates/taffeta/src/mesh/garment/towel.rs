//! A towel: one rectangular panel.

use glam::{DVec2, DVec3};

use super::panel::cells;
use super::{Cut, GarmentError, Sewn};
use crate::mesh::{GridCorner, GridShape, Mesh};

/// The measures of a towel, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Towel {
    /// Across.
    pub width: f64,
    /// From the lower edge to the upper one.
    pub length: f64,
}

impl Default for Towel {
    fn default() -> Self {
        Self { width: 0.5, length: 0.9 }
    }
}

impl Towel {
    pub(super) fn measures_mut(&mut self) -> [(&'static str, &mut f64); 2] {
        [("width", &mut self.width), ("length", &mut self.length)]
    }

    pub(super) fn sew(&self, cut: Cut) -> Result<Sewn, GarmentError> {
        let garment = "towel";
        let columns = cells(garment, "its width", self.width, cut.cell, 1)?;
        let rows = cells(garment, "its length", self.length, cut.cell, 1)?;
        let place = |s: f64, t: f64| DVec2::new((s - 0.5) * self.width, t * self.length);
        let flat = |s: f64, t: f64| {
            let place = place(s, t);
            DVec3::new(place.x, 0.0, place.y)
        };
        let mesh = Mesh::grid(columns + 1, rows + 1, flat)
            .and_then(|grid| {
                let uv = grid.elements().iter().map(|element| {
                    let nodes = element.nodes();
                    std::array::from_fn(|k| {
                        let position = grid.positions()[nodes[k]];
                        DVec2::new(position.x, position.z)
                    })
                });
                let shape = GridShape::new(columns + 1, rows + 1)?;
                let mesh = Mesh::new(grid.positions().to_vec(), grid.elements().to_vec(), Some(uv.collect()))?;
                Ok(mesh.with_grid_shape(shape))
            })
            .map_err(|cause| GarmentError::Mesh { garment, cause })?;
        let corner = |name: &'static str| {
            let node = GridCorner::from_name(name).zip(mesh.grid_shape()).map(|(corner, shape)| shape.corner(corner));
            (name, node.into_iter().collect())
        };
        let sets = ["bottom-left", "bottom-right", "top-left", "top-right"].map(corner).to_vec();
        Ok(Sewn { mesh, sets })
    }
}
