//! Seams: from `[cloth.seam.*]` to pairs of nodes.

use taffeta::Seam;
use taffeta::cloth::Cloth;
use taffeta::mesh::{GridSide, Mesh};

use super::SceneError;
use super::document::Origin;
use super::number::{finite, not_negative};
use super::schema::{Chain, ClothSettings, SeamSettings, Settings};
use super::selection::check_nodes;

/// Fills in the defaults of a seam and checks its times.
pub(super) fn resolve_seam(seam: &mut SeamSettings, table: &str, origin: &Origin) -> Result<(), SceneError> {
    let from = *seam.from_s.get_or_insert(0.0);
    not_negative(origin, &format!("{table}.from_s"), from)?;
    let key = format!("{table}.until_s");
    finite(origin, &key, seam.until_s)?;
    if seam.until_s < from {
        let why = format!("is {}: it must not be before {table}.from_s, {from}", seam.until_s);
        return Err(origin.fault(&key, why));
    }
    Ok(())
}

/// Sews the seams of a resolved scene into its cloth; returns when they close.
pub(super) fn sew(settings: &Settings, cloth: Cloth, origin: &Origin) -> Result<(Cloth, Vec<Seam>), SceneError> {
    let (mut cloth, mut seams) = (cloth, Vec::new());
    for (name, seam) in &settings.cloth.seam {
        let table = format!("cloth.seam.{name}");
        let chain =
            |chain: &Chain, key: &str| nodes(chain, &settings.cloth, cloth.mesh(), &format!("{table}.{key}"), origin);
        let (first, second) = (chain(&seam.first, "first")?, chain(&seam.second, "second")?);
        if first.len() != second.len() {
            let why = format!("has {} nodes, and {table}.first has {}: make them as many", second.len(), first.len());
            return Err(origin.fault(&format!("{table}.second"), why));
        }
        let known = cloth.seams().len();
        let pairs = first.iter().zip(&second).map(|(&a, &b)| [a, b]);
        cloth = cloth.with_seams(pairs).map_err(|error| origin.fault(&table, format!("cannot be sewn: {error}")))?;
        let from = seam.from_s.unwrap_or(0.0);
        seams.push(Seam { pairs: known..cloth.seams().len(), from, until: seam.until_s });
    }
    Ok((cloth, seams))
}

fn nodes(
    chain: &Chain,
    cloth: &ClothSettings,
    mesh: &Mesh,
    key: &str,
    origin: &Origin,
) -> Result<Vec<usize>, SceneError> {
    let nodes = match chain {
        Chain::Nodes(nodes) => nodes.clone(),
        Chain::Name(name) => {
            let side = || Some(mesh.grid_shape()?.side(GridSide::from_name(name)?));
            cloth.sets.get(name).cloned().or_else(side).ok_or_else(|| {
                let why =
                    format!("is {name:?}: it must be a set of [cloth.sets], a side of a grid, or a list of nodes");
                origin.fault(key, why)
            })?
        }
    };
    check_nodes(&nodes, mesh, key, origin)?;
    Ok(nodes)
}
