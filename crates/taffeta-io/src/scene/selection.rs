//! Which nodes a table means.

use glam::DVec3;
use taffeta::mesh::{GridCorner, GridShape, GridSide, Mesh};

use super::SceneError;
use super::document::Origin;
use super::number::{finite_vector, positive};
use super::schema::{ClothSettings, HeldSettings, LoadSettings, Vector};

/// Some nodes, named in one of five ways.
#[derive(Clone, Copy)]
pub(super) struct Selection<'a> {
    corner: Option<&'a str>,
    side: Option<&'a str>,
    set: Option<&'a str>,
    nodes: Option<&'a [usize]>,
    /// A place, m; what is held only can be named so.
    near: Option<Vector>,
    /// How far from it, m.
    radius: Option<f64>,
    can_be_near: bool,
}

impl<'a> Selection<'a> {
    pub fn of_held(held: &'a HeldSettings) -> Self {
        Self {
            corner: held.corner.as_deref(),
            side: held.side.as_deref(),
            set: held.set.as_deref(),
            nodes: held.nodes.as_deref(),
            near: held.near_m,
            radius: held.radius_m,
            can_be_near: true,
        }
    }

    pub fn of_load(load: &'a LoadSettings) -> Self {
        Self {
            corner: load.corner.as_deref(),
            side: load.side.as_deref(),
            set: load.set.as_deref(),
            nodes: load.nodes.as_deref(),
            near: None,
            radius: None,
            can_be_near: false,
        }
    }

    /// Refuses anything but one of the ways.
    pub fn check(&self, table: &str, purpose: &str, origin: &Origin) -> Result<(), SceneError> {
        let Self { near, radius, .. } = self;
        let ways =
            [self.corner.is_some(), self.side.is_some(), self.set.is_some(), self.nodes.is_some(), near.is_some()];
        let given = ways.iter().filter(|&&given| given).count();
        if given != 1 {
            let keys =
                if self.can_be_near { "corner, side, set, nodes and near_m" } else { "corner, side, set and nodes" };
            let why = format!("has {given} of the keys {keys}: give exactly one, to say {purpose}");
            return Err(origin.fault(table, why));
        }
        if radius.is_some() && near.is_none() {
            return Err(origin.fault(&format!("{table}.radius_m"), "is about near_m: give that, or remove this"));
        }
        near.map_or(Ok(()), |place| finite_vector(origin, &format!("{table}.near_m"), &place))?;
        radius.map_or(Ok(()), |radius| positive(origin, &format!("{table}.radius_m"), radius))
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
        if let Some(place) = self.near {
            return self.nodes_near(DVec3::from_array(place), mesh, table, origin);
        }
        let nodes = self.nodes.unwrap_or_default();
        check_nodes(nodes, mesh, &format!("{table}.nodes"), origin)?;
        Ok(nodes.to_vec())
    }

    /// The nodes that are within the radius of a place as the mesh lies, or the nearest one.
    fn nodes_near(&self, place: DVec3, mesh: &Mesh, table: &str, origin: &Origin) -> Result<Vec<usize>, SceneError> {
        let distances = mesh.positions().iter().map(|x| x.distance(place)).enumerate();
        let Some((nearest, distance)) = distances.clone().min_by(|a, b| a.1.total_cmp(&b.1)) else {
            return Err(origin.fault(&format!("{table}.near_m"), "is near no node: the cloth has none"));
        };
        let Some(radius) = self.radius else { return Ok(vec![nearest]) };
        let within: Vec<usize> = distances.filter(|(_, d)| *d <= radius).map(|(node, _)| node).collect();
        if within.is_empty() {
            let why = format!(
                "is {radius} m, and no node is so near to {table}.near_m at the start: the nearest is node {nearest} at {} m, \
                 {distance:.4} m away; take a larger radius or another place",
                place_text(mesh.positions()[nearest])
            );
            return Err(origin.fault(&format!("{table}.radius_m"), why));
        }
        Ok(within)
    }
}

/// A place, as messages write it.
fn place_text(x: DVec3) -> String {
    format!("[{:.4}, {:.4}, {:.4}]", x.x, x.y, x.z)
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
