//! What a page is told of a simulation once.

use serde::Serialize;
use taffeta::{DVec3, Simulation};
use taffeta_io::export::{Prop, box_about};
use taffeta_io::scene::Scene;

use crate::knob::KNOBS;

/// The mesh, what stands around it, and what can be turned.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Description {
    /// What the page is called.
    pub title: String,
    /// The name of the scene.
    pub name: String,
    /// Nodes of the mesh.
    pub nodes: usize,
    /// Nodes of its triangles, three each.
    pub triangles: Vec<usize>,
    /// Nodes of its edges, two each.
    pub edges: Vec<usize>,
    /// Length of each of them at rest, m.
    pub rest_lengths: Vec<f32>,
    /// Length of a step, s.
    pub dt: f64,
    /// A box about the cloth and what it may get to, m.
    pub low: [f64; 3],
    /// Its other corner, m.
    pub high: [f64; 3],
    /// The obstacles.
    pub bodies: Vec<BodyDescription>,
    /// Names of the numbers that are told of every step.
    pub fields: Vec<&'static str>,
    /// What can be turned.
    pub knobs: Vec<KnobDescription>,
}

/// An obstacle as it is seen.
#[derive(Clone, Debug, Serialize)]
pub struct BodyDescription {
    /// What it is called.
    pub name: String,
    /// The corners of its surface in its own frame, m.
    pub positions: Vec<f32>,
    /// Its triangles, three corners each.
    pub triangles: Vec<usize>,
}

/// Something to turn.
#[derive(Clone, Debug, Serialize)]
pub struct KnobDescription {
    /// Its name.
    pub name: &'static str,
    /// Where it stands.
    pub value: f64,
    /// The smallest number to turn it to.
    pub least: f64,
    /// The largest.
    pub most: f64,
}

impl Description {
    /// Describes a simulation that stands at its start.
    pub fn new(scene: &Scene, simulation: &Simulation) -> Self {
        let cloth = simulation.model().cloth();
        let start = simulation.positions().iter();
        let (low, high) =
            start.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)));
        let props: Vec<Prop> =
            simulation.obstacles.iter().enumerate().map(|(k, obstacle)| Prop::new(k, obstacle, low, high)).collect();
        let [low, high] = box_about(&props, &simulation.poses(), low, high);
        let body = |prop: Prop| BodyDescription {
            name: prop.name,
            positions: prop.outline.positions.iter().flat_map(|x| x.as_vec3().to_array()).collect(),
            triangles: prop.outline.triangles.iter().flatten().copied().collect(),
        };
        let title = &scene.settings().title;
        Self {
            title: if title.is_empty() { scene.name().to_owned() } else { title.clone() },
            name: scene.name().to_owned(),
            nodes: cloth.mesh().node_count(),
            // As the cloth meets itself, so that layers that do not cross are not drawn across each other.
            triangles: cloth.surface().triangles().iter().flatten().map(|&node| node as usize).collect(),
            edges: cloth.mesh().edges().iter().flat_map(|edge| edge.nodes).collect(),
            rest_lengths: cloth.rest_lengths().iter().map(|&length| length as f32).collect(),
            dt: simulation.dt(),
            low: low.to_array(),
            high: high.to_array(),
            bodies: props.into_iter().map(body).collect(),
            fields: taffeta_io::recording::report::FIELDS.to_vec(),
            knobs: KNOBS
                .iter()
                .filter_map(|&(knob, name)| {
                    let value = knob.value(simulation)?;
                    let (least, most) = (knob.least(simulation), knob.most(simulation));
                    Some(KnobDescription { name, value, least: least.min(value), most: most.max(value) })
                })
                .collect(),
        }
    }
}
