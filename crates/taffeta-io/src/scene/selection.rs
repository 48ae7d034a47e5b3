//! Which nodes a table means.

use taffeta::mesh::{GridCorner, GridShape, GridSide, Mesh};

use super::SceneError;
use super::document::Origin;
use super::schema::{ClothSettings, HeldSettings, LoadSettings};

/// Some nodes, named in one of four ways.
#[derive(Clone, Copy)]
pub(super) struct Selection<'a> {
    corner: Option<&'a str>,
    side: Option<&'a str>,
    set: Option<&'a str>,
    nodes: Option<&'a [usize]>,
}

impl<'a> Selection<'a> {
    pub fn of_held(held: &'a HeldSettings) -> Self {
        Self {
            corner: held.corner.as_deref(),
            side: held.side.as_deref(),
            set: held.set.as_deref(),
            nodes: held.nodes.as_deref(),
        }
    }

    pub fn of_load(load: &'a LoadSettings) -> Self {
        Self {
            corner: load.corner.as_deref(),
            side: load.side.as_deref(),
            set: load.set.as_deref(),
            nodes: load.nodes.as_deref(),
        }
    }

    /// Refuses anything but one of the four ways.
    pub fn check(&self, table: &str, purpose: &str, origin: &Origin) -> Result<(), SceneError> {
        let ways = [self.corner.is_some(), self.side.is_some(), self.set.is_some(), self.nodes.is_some()];
        let given = ways.iter().filter(|&&given| given).count();
        if given == 1 {
            return Ok(());
        }
        let why = format!("has {given} of the keys corner, side, set and nodes: give exactly one, to say {purpose}");
        Err(origin.fault(table, why))
    }

    /// The nodes.
    pub fn nodes(
        &self,
        cloth: &ClothSettings,
        mesh: &Mesh,
        table: &str,
        origin: &Origin,
    ) -> Result<Vec<usize>, SceneError> {
        let fault = |key: &str, why: &str| Err(origin.fault(&format!("{table}.{key}"), why));
        let grid = mesh.grid_shape();
        let without_grid = "needs a grid of one sheet: name the nodes by nodes = [...] or a set";
        if let Some(name) = self.corner {
            let why = "must be bottom-left, bottom-right, top-left or top-right";
            return match (grid, GridCorner::from_name(name)) {
                (Some(shape), Some(corner)) => Ok(vec![GridShape::corner(&shape, corner)]),
                (None, _) => fault("corner", without_grid),
                (_, None) => fault("corner", why),
            };
        }
        if let Some(name) = self.side {
            return match (grid, GridSide::from_name(name)) {
                (Some(shape), Some(side)) => Ok(shape.side(side)),
                (None, _) => fault("side", without_grid),
                (_, None) => fault("side", "must be bottom, top, left or right"),
            };
        }
        if let Some(name) = self.set {
            return match cloth.sets.get(name) {
                Some(nodes) => Ok(nodes.clone()),
                None => {
                    let known: Vec<&str> = cloth.sets.keys().map(String::as_str).collect();
                    let why = format!(
                        "names {name:?}, and [cloth.sets] has {}: add the set there",
                        if known.is_empty() { "none".to_owned() } else { known.join(", ") }
                    );
                    fault("set", &why)
                }
            };
        }
        let nodes = self.nodes.unwrap_or_default();
        check_nodes(nodes, mesh, &format!("{table}.nodes"), origin)?;
        Ok(nodes.to_vec())
    }
}

/// Refuses lists of nodes that are empty, or have a node twice or one that is not there.
pub(super) fn check_nodes(nodes: &[usize], mesh: &Mesh, key: &str, origin: &Origin) -> Result<(), SceneError> {
    let count = mesh.node_count();
    if nodes.is_empty() {
        return Err(origin.fault(key, "is empty: list at least one node"));
    }
    let mut listed = vec![false; count];
    for &node in nodes {
        match listed.get_mut(node) {
            None => {
                let why = format!("has node {node}, and the cloth has the nodes 0 to {}", count - 1);
                return Err(origin.fault(key, why));
            }
            Some(true) => {
                let why = format!("has node {node} twice: list it once");
                return Err(origin.fault(key, why));
            }
            Some(listed) => *listed = true,
        }
    }
    Ok(())
}
