//! Numbers at the nodes that pictures are coloured by.

use anyhow::anyhow;
use taffeta_io::recording::{NOTHING_NEAR, Recording};
use taffeta_io::scene::Scene;
use taffeta_render::{Picture, draw_legend, ramp};

use crate::failure::Failure;

/// What a picture is coloured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ColourBy {
    /// Largest strain of the edges at a node, %
    Strain,
    /// Largest tension of the threads at a node, N
    Tension,
    /// Force of all contacts on a node, N
    Force,
    /// Speed of a node, m/s
    Speed,
    /// Distance of a node from touching something, mm
    Gap,
}

/// The numbers of some frames, and the largest of all.
pub struct Colouring {
    by: ColourBy,
    frames: Vec<Vec<f64>>,
    most: f64,
}

impl Colouring {
    /// Reads what is asked for of these frames.
    pub fn read(by: ColourBy, recording: &Recording, frames: &[usize]) -> Result<Self, Failure> {
        let edges = if by == ColourBy::Strain { edges(recording)? } else { Vec::new() };
        let values = |&frame: &usize| values(by, recording, frame, &edges);
        let frames = frames.iter().map(values).collect::<Result<Vec<_>, Failure>>()?;
        let told = frames.iter().flatten().copied().filter(|&value| value < NOTHING_NEAR);
        let most = told.fold(0.0, f64::max);
        Ok(Self { by, frames, most: if most > 0.0 { rounded_up(most) } else { 1.0 } })
    }

    /// The colours of the nodes in one of the frames, by its place among them.
    pub fn colours(&self, place: usize) -> Vec<[u8; 3]> {
        let reversed = self.is_reversed();
        let part = |value: &f64| if reversed { 1.0 - value / self.most } else { value / self.most };
        self.frames[place].iter().map(part).map(ramp).collect()
    }

    /// Says in the corner of a picture what its colours stand for.
    pub fn label(&self, picture: &mut Picture) {
        let name = match self.by {
            ColourBy::Strain => "strain, %",
            ColourBy::Tension => "tension, N",
            ColourBy::Force => "contact, N",
            ColourBy::Speed => "speed, m/s",
            ColourBy::Gap => "gap, mm",
        };
        draw_legend(picture, name, ["0", &format!("{}", self.most)], self.is_reversed());
    }

    /// Whether the smallest numbers are the ones to look for.
    fn is_reversed(&self) -> bool {
        self.by == ColourBy::Gap
    }
}

/// Edges and their rest lengths, m.
fn edges(recording: &Recording) -> Result<Vec<([usize; 2], f64)>, Failure> {
    let file = recording.folder().join("scene.toml");
    let scene = Scene::from_text("scene", recording.scene_toml(), Some(&file))?;
    let simulation = scene.build()?;
    let cloth = simulation.model().cloth();
    if cloth.mesh().node_count() != recording.nodes() {
        let (scene, recorded) = (cloth.mesh().node_count(), recording.nodes());
        let why = format!(
            "the mesh of {} has {scene} nodes, and {recorded} were recorded: colour by something else than strain",
            file.display()
        );
        return Err(Failure::input(anyhow!(why)));
    }
    Ok(cloth.mesh().edges().iter().map(|edge| edge.nodes).zip(cloth.rest_lengths().iter().copied()).collect())
}

fn values(by: ColourBy, recording: &Recording, frame: usize, edges: &[([usize; 2], f64)]) -> Result<Vec<f64>, Failure> {
    let missing = |what: &str| {
        let folder = recording.folder().display();
        Failure::input(anyhow!("{folder} has no {what} recorded: colour by strain or speed, or run its scene again"))
    };
    Ok(match by {
        ColourBy::Strain => {
            let positions = recording.positions(frame).map_err(Failure::recording)?;
            let mut largest = vec![0.0; positions.len()];
            for &([a, b], rest) in edges {
                let strain = 100.0 * (positions[a].distance(positions[b]) / rest - 1.0).abs();
                [a, b].into_iter().for_each(|node| largest[node] = f64::max(largest[node], strain));
            }
            largest
        }
        ColourBy::Tension => {
            recording.tensions(frame).map_err(Failure::recording)?.ok_or_else(|| missing("tensions"))?
        }
        ColourBy::Gap => {
            let gaps = recording.clearances(frame).map_err(Failure::recording)?.ok_or_else(|| missing("gaps"))?;
            gaps.iter().map(|gap| if *gap < NOTHING_NEAR { 1e3 * gap } else { *gap }).collect()
        }
        ColourBy::Force => {
            let forces = recording.contact_forces(frame).map_err(Failure::recording)?;
            let [normal, friction] = forces.ok_or_else(|| missing("forces of contact"))?;
            normal.iter().zip(&friction).map(|(normal, friction)| (*normal + *friction).length()).collect()
        }
        ColourBy::Speed => {
            let velocities = recording.velocities(frame).map_err(Failure::recording)?;
            velocities.iter().map(|velocity| velocity.length()).collect()
        }
    })
}

/// The next of 1, 2, 5, 10 and so on.
fn rounded_up(most: f64) -> f64 {
    let power = 10f64.powf(most.log10().floor());
    let rounds = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    let found = rounds.into_iter().find(|&round| round >= most).unwrap_or(most);
    // To the digits that are meant: 0.30000000000000004 is none of them.
    format!("{found:.3e}").parse().unwrap_or(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_scales_are_readable() {
        for (most, round) in [(0.00031, 0.0005), (1.0, 1.0), (1.01, 2.0), (67.0, 100.0), (3e-7, 5e-7)] {
            assert_eq!(rounded_up(most), round);
        }
    }
}
