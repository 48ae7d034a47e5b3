//! `taffeta garment`.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use taffeta::mesh::garment::{Cut, Garment};
use taffeta_io::obj::write_garment;

use crate::failure::Failure;
use crate::output::{say, table};

#[derive(Debug, Args)]
pub struct GarmentOptions {
    /// What to make: towel, skirt, shorts or shirt
    pub garment: String,
    /// The file to write
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
    /// Length of a cell's side, m
    #[arg(long, value_name = "M", default_value_t = 0.03, allow_negative_numbers = true)]
    pub cell: f64,
    /// Distance of the front from the back at the start, m [default: a third of the cell]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub gap: Option<f64>,
    #[command(flatten)]
    pub measures: Measures,
}

/// Measures in metres; each garment has some of them.
#[derive(Debug, Args)]
#[command(next_help_heading = "Measures")]
pub struct Measures {
    /// Across [towel: 0.5]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub width: Option<f64>,
    /// From top to bottom, straight down [towel: 0.9, skirt: 0.48, shorts: 0.45, shirt: 0.66]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub length: Option<f64>,
    /// Around the waist [skirt: 0.72, shorts: 0.8]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub waist: Option<f64>,
    /// Around the hem [skirt: 0.96, shirt: 0.96]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub hem: Option<f64>,
    /// Around the hip, at the height of the crotch [shorts: 0.94]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub hip: Option<f64>,
    /// From the waist to the crotch, straight down [shorts: 0.27]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub rise: Option<f64>,
    /// Around the end of a leg [shorts: 0.5]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub leg: Option<f64>,
    /// Between the legs, across [shorts: 0.06]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub crotch: Option<f64>,
    /// Around the chest [shirt: 1]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub chest: Option<f64>,
    /// Length of a sleeve, from the body [shirt: 0.2]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub sleeve: Option<f64>,
    /// Around a sleeve where it meets the body [shirt: 0.46]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub armhole: Option<f64>,
    /// Around the end of a sleeve [shirt: 0.36]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub cuff: Option<f64>,
    /// The neck hole, from shoulder to shoulder [shirt: 0.24]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub neck: Option<f64>,
    /// How far the neck hole reaches down; 0 is straight [shirt: 0.06]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub neck_depth: Option<f64>,
}

impl Measures {
    /// The measures that were given, by name.
    fn given(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let all = [
            ("width", self.width),
            ("length", self.length),
            ("waist", self.waist),
            ("hem", self.hem),
            ("hip", self.hip),
            ("rise", self.rise),
            ("leg", self.leg),
            ("crotch", self.crotch),
            ("chest", self.chest),
            ("sleeve", self.sleeve),
            ("armhole", self.armhole),
            ("cuff", self.cuff),
            ("neck", self.neck),
            ("neck_depth", self.neck_depth),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }
}

pub fn garment(options: &GarmentOptions) -> Result<(), Failure> {
    let name = &options.garment;
    let mut garment = Garment::named(name).ok_or_else(|| {
        let names = Garment::NAMES.join(", ");
        Failure::input(anyhow!("there is no garment {name:?}: use one of {names}"))
    })?;
    for (measure, value) in options.measures.given() {
        garment.set_measure(measure, value).map_err(Failure::input)?;
    }
    let cut = Cut { cell: options.cell, gap: options.gap.unwrap_or(Cut::with_cell(options.cell).gap) };
    let sewn = garment.sew(cut).map_err(Failure::input)?;
    write_garment(&options.out, &sewn).map_err(Failure::run)?;

    let measures = garment.measures().into_iter().map(|(name, value)| format!("{} {value}", name.replace('_', "-")));
    let sets = sewn.sets.iter().map(|(name, nodes)| match nodes.len() {
        1 => format!("{name} (node {})", nodes[0]),
        count => format!("{name} ({count} nodes)"),
    });
    let rows = [
        ("garment", garment.name().to_owned()),
        ("measures", format!("{} (m)", measures.collect::<Vec<_>>().join(", "))),
        ("nodes", sewn.mesh.node_count().to_string()),
        ("quads", sewn.mesh.elements().len().to_string()),
        ("openings", sewn.mesh.boundary_loops().len().to_string()),
        ("sets", sets.collect::<Vec<_>>().join(", ")),
        ("file", options.out.display().to_string()),
    ];
    say(&table(&rows))
}
