//! Laws of friction that a run is compared with.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use taffeta::{Path, Simulation};
use taffeta_io::scene::Scene;
use taffeta_io::scene::schema::LawName;

/// What a law says of a scene, and what it takes to measure it.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    /// What it says.
    pub analytic: f64,
    measure: Measure,
}

#[derive(Clone, Debug, PartialEq)]
enum Measure {
    /// Acceleration of the centroid in a direction, from a time on.
    Acceleration { direction: DVec3, from: f64 },
    /// Way of the centroid from where it started.
    Way { start: DVec3 },
    /// Ratio of two loads when the cloth's mean speed exceeds a threshold for good.
    RatioAtSlip { pulling: Path, holding: Path, speed: f64 },
}

/// What has been seen of a run so far: part of its checkpoints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sighting {
    /// Time and speed at which the measurement of an acceleration began.
    began: Option<(f64, f64)>,
    measured: Option<f64>,
}

impl Law {
    /// The law of a scene, if it has one.
    pub fn of(scene: &Scene, simulation: &Simulation) -> Option<Self> {
        let settings = scene.settings();
        let analytic = settings.analytic.as_ref()?;
        let obstacle = simulation.obstacles.iter().find(|obstacle| obstacle.name == analytic.obstacle)?;
        let gravity = simulation.params.gravity;
        let normal = obstacle.motion.at(0.0).rotate(DVec3::Z);
        let material = &simulation.params.material;
        let weight = material.virtual_density / material.density;
        let friction = obstacle.friction;
        let load = |name: &Option<String>| {
            // The simulation has its loads in the order of their names.
            let index = settings.load.keys().position(|known| Some(known) == name.as_ref());
            index.and_then(|index| simulation.loads().get(index)).map_or(Path::Still, |load| load.force.clone())
        };
        Some(match analytic.law {
            LawName::Incline => Law {
                analytic: incline(weight, gravity, normal, friction),
                measure: Measure::Acceleration {
                    direction: gravity.reject_from_normalized(normal).normalize_or_zero(),
                    from: 0.5 * settings.duration_s,
                },
            },
            LawName::Stopping => {
                let speed = DVec3::from_array(settings.cloth.velocity_m_s.unwrap_or_default()).length();
                Law {
                    analytic: stopping(speed, friction, weight * -gravity.dot(normal)),
                    measure: Measure::Way {
                        start: centroid(simulation, simulation.model().cloth().mesh().positions()),
                    },
                }
            }
            LawName::Capstan => Law {
                analytic: capstan(friction, analytic.angle_deg.unwrap_or(0.0).to_radians()),
                measure: Measure::RatioAtSlip {
                    pulling: load(&analytic.pulling),
                    holding: load(&analytic.holding),
                    speed: analytic.slip_speed_m_s.unwrap_or(f64::INFINITY),
                },
            },
        })
    }

    /// Looks at a simulation after a step.
    pub fn look(&self, simulation: &Simulation, sighting: &mut Sighting) {
        let time = simulation.time();
        match &self.measure {
            Measure::Acceleration { direction, from } => {
                let speed = centroid(simulation, simulation.velocities()).dot(*direction);
                match sighting.began {
                    None if time >= from - 1e-6 * simulation.dt() => sighting.began = Some((time, speed)),
                    Some((began, first)) => sighting.measured = Some((speed - first) / (time - began)),
                    None => {}
                }
            }
            Measure::Way { start } => {
                sighting.measured = Some(centroid(simulation, simulation.positions()).distance(*start));
            }
            Measure::RatioAtSlip { pulling, holding, speed } => {
                let speeds: Vec<DVec3> = simulation.velocities().iter().map(|v| DVec3::X * v.length()).collect();
                let ratio = pulling.at(time).length() / holding.at(time).length();
                sighting.look_for_slip(centroid(simulation, &speeds).x > *speed, ratio);
            }
        }
    }
}

impl Sighting {
    /// Notes the ratio of the loads when slip begins, and forgets it if the cloth comes to rest again: a strip that
    /// settles on its bar does not slip yet.
    fn look_for_slip(&mut self, slipping: bool, ratio: f64) {
        self.measured = slipping.then(|| self.measured.unwrap_or(ratio));
    }

    /// What was measured; nothing if the run was too short, or if nothing slipped.
    pub fn measured(&self) -> Option<f64> {
        self.measured.filter(|measured| measured.is_finite())
    }
}

/// Mean over the cloth, weighted with its area.
pub fn centroid(simulation: &Simulation, values: &[DVec3]) -> DVec3 {
    let areas = simulation.model().cloth().node_areas();
    let moment: DVec3 = areas.iter().zip(values).map(|(&area, &value)| area * value).sum();
    moment / areas.iter().sum::<f64>()
}

/// Acceleration down an incline, m/s²: `(δ/ρ) g (sin θ − μ cos θ)`, or 0 if friction holds the cloth. `weight` is `δ/ρ`.
fn incline(weight: f64, gravity: DVec3, normal: DVec3, friction: f64) -> f64 {
    let (down, into) = (gravity.reject_from_normalized(normal).length(), -gravity.dot(normal));
    (weight * (down - friction * into)).max(0.0)
}

/// The way in which a speed is lost, m: `ρ v²/(2 μ δ g)`. `pressure` is `(δ/ρ) g`, m/s².
fn stopping(speed: f64, friction: f64, pressure: f64) -> f64 {
    speed * speed / (2.0 * friction * pressure)
}

/// The ratio of the forces at the ends of a strip that slips over an angle, rad: `e^{μφ}`.
fn capstan(friction: f64, angle: f64) -> f64 {
    (friction * angle).exp()
}

/// How far a measurement is off, as a share of what the law says; nothing if that is 0.
pub fn relative_error(analytic: f64, measured: f64) -> Option<f64> {
    Some(measured / analytic - 1.0).filter(|error| error.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    const G: DVec3 = DVec3::new(0.0, 0.0, -9.81);

    #[test]
    fn a_slope_of_20_degrees_holds_at_0_37_and_lets_go_at_0_35() {
        let (sin, cos) = 20f64.to_radians().sin_cos();
        let normal = DVec3::new(sin, 0.0, cos);
        assert_eq!(incline(1.0, G, normal, 0.37), 0.0);
        let expected = 9.81 * (sin - 0.35 * cos);
        assert!((incline(1.0, G, normal, 0.35) - expected).abs() < 1e-12);
        assert!((incline(0.5, G, normal, 0.35) - 0.5 * expected).abs() < 1e-12);
        assert!((incline(1.0, G, normal, 0.0) - 9.81 * sin).abs() < 1e-12);
    }

    #[test]
    fn a_sheet_at_1_m_s_stops_in_25_cm_at_0_2() {
        assert!((stopping(1.0, 0.2, 9.81) - 0.2548).abs() < 1e-4);
        assert!((stopping(1.0, 0.2, 0.5 * 9.81) - 0.5097).abs() < 1e-4);
        assert_eq!(stopping(1.0, 0.0, 9.81), f64::INFINITY);
    }

    #[test]
    fn half_a_turn_at_0_3_multiplies_by_2_57() {
        assert!((capstan(0.3, std::f64::consts::PI) - 2.566).abs() < 1e-3);
        assert_eq!(capstan(0.0, 1.0), 1.0);
    }

    #[test]
    fn errors_are_relative_where_there_is_something_to_compare_with() {
        assert!((relative_error(2.0, 2.1).unwrap() - 0.05).abs() < 1e-12);
        assert_eq!(relative_error(0.0, 0.1), None);
        assert_eq!(relative_error(f64::INFINITY, f64::INFINITY), None);
    }

    #[test]
    fn slip_counts_from_when_it_does_not_end_any_more() {
        let mut sighting = Sighting::default();
        for (slipping, ratio, measured) in
            [(true, 1.0, Some(1.0)), (false, 1.1, None), (true, 2.5, Some(2.5)), (true, 2.6, Some(2.5))]
        {
            sighting.look_for_slip(slipping, ratio);
            assert_eq!(sighting.measured(), measured);
        }
    }

    /// A scene, run to its end.
    fn run(name: &str, overrides: &[(&str, &str)]) -> (f64, f64) {
        let overrides: Vec<_> = overrides.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        let scene = Scene::load(name, &overrides).unwrap();
        let mut simulation = scene.build().unwrap();
        let law = Law::of(&scene, &simulation).unwrap();
        let mut sighting = Sighting::default();
        for _ in 0..scene.steps() {
            simulation.step().unwrap();
            law.look(&simulation, &mut sighting);
        }
        (law.analytic, sighting.measured().unwrap())
    }

    #[test]
    fn a_slope_is_measured_as_it_is() {
        let (analytic, measured) = run("incline", &[("obstacle.incline.friction", "0")]);
        assert!((analytic - 9.81 * 20f64.to_radians().sin()).abs() < 1e-9);
        assert!(relative_error(analytic, measured).unwrap().abs() < 1e-3, "{measured} and not {analytic}");
        let (analytic, measured) = run("incline", &[("obstacle.incline.friction", "0.4")]);
        assert!(analytic == 0.0 && measured.abs() < 1e-3, "{measured}");
    }
}
