//! Fits of twins, whose truth is known. `taffeta validate` fits all of them; here is one, and what must hold of any fit.

use std::fs;

use taffeta_fit::fit::{Effort, Fit, Journal, JournalError, Problem, ProblemError, fit};
use taffeta_fit::twin::{self, Recipe, Scenario};
use taffeta_fit::{Capture, Errors, Parameter, Parameters, description, replay};

/// Wool laid on a table with high friction, as a file of markers tells it.
fn wool() -> (Recipe, Capture) {
    let recipe = Recipe::same(1, Scenario::TableclothHigh);
    let folder = tempfile::tempdir().unwrap();
    let path = twin::write(&twin::make(&recipe).unwrap(), folder.path()).unwrap();
    (recipe, description::read(&path).unwrap())
}

const THREE: [Parameter; 3] = [Parameter::Alpha, Parameter::Delta, Parameter::Mu];

fn fitted(captures: &[Capture], parameters: &[Parameter], effort: &Effort) -> Fit {
    let problem = Problem::new(captures, parameters, &Parameters::default()).unwrap();
    fit(&problem, effort, &Journal::in_memory(), &|_| {}).unwrap()
}

#[test]
fn a_tablecloth_is_recognised() {
    let (recipe, capture) = wool();
    let found = fitted(&[capture], &THREE, &Effort::default());
    assert!(found.rms_m < 5e-3 && found.warnings.is_empty(), "{} m, {:?}", found.rms_m, found.warnings);
    for estimate in &found.estimates {
        let truth = recipe.truth().get(estimate.parameter);
        let most = if estimate.parameter == Parameter::Mu { 0.05 } else { 0.10 };
        assert!((estimate.value / truth - 1.0).abs() < most, "{estimate:?}, and the truth is {truth}");
        assert!((estimate.interval[0]..=estimate.interval[1]).contains(&truth), "{estimate:?}, truth {truth}");
        assert!(estimate.identified);
    }
    // The table is touched, and for most of the time.
    let contact = found.errors[0].contacts[0];
    assert!(contact.after_m.is_none(), "there is nothing after the end");
    assert!(contact.interval.from > 0.5 && contact.interval.to > 3.9 && contact.during_m.is_some(), "{contact:?}");
}

/// A few candidates, and hardly any polish: enough to see that two runs do the same.
const HASTY: Effort = Effort { generations: 2, polish_steps: 1, replicates: 4, seed: 3 };

#[test]
fn threads_do_not_change_a_bit() {
    let (_, mut capture) = wool();
    capture.frames.truncate(120);
    let captures = [capture];
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fitted(&captures, &THREE, &HASTY))
    };
    let (one, three) = (with(1), with(3));
    assert_eq!(one.estimates, three.estimates);
    assert_eq!(one.rms_m.to_bits(), three.rms_m.to_bits());
    // Another seed draws something else.
    let other = fitted(&captures, &THREE, &Effort { seed: 4, ..HASTY });
    assert_ne!(one.estimates, other.estimates);
}

#[test]
fn an_interrupted_fit_goes_on_to_the_same_end() {
    let (_, mut capture) = wool();
    capture.frames.truncate(120);
    let captures = [capture];
    let problem = Problem::new(&captures, &THREE, &Parameters::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.csv");
    let run = || fit(&problem, &HASTY, &Journal::open(&path, &problem, &HASTY).unwrap(), &|_| {}).unwrap();
    let whole = run();
    let text = fs::read_to_string(&path).unwrap();
    let known = text.lines().count() - 2;
    assert_eq!(known, 2 * 8, "two generations of eight");

    // Killed in the middle of a line.
    fs::write(&path, &text[..text.len() * 2 / 3]).unwrap();
    let left = Journal::open(&path, &problem, &HASTY).unwrap().len();
    assert!(left > 0 && left < known, "{left} of {known}");
    let again = run();
    assert_eq!(whole.estimates, again.estimates);
    let lines = [text, fs::read_to_string(&path).unwrap()].map(|text| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    });
    assert_eq!(lines[0], lines[1]);

    // What is known is not simulated again: a journal that lies is believed.
    let lied: String = fs::read_to_string(&path)
        .unwrap()
        .lines()
        .enumerate()
        .map(|(k, line)| match line.rsplit_once(',') {
            Some((values, _)) if k >= 2 => format!("{values},{}\n", if k == 5 { 1e-9 } else { 1.0 }),
            _ => format!("{line}\n"),
        })
        .collect();
    fs::write(&path, &lied).unwrap();
    let misled = fit(
        &problem,
        &Effort { polish_steps: 0, replicates: 0, ..HASTY },
        &Journal::open(&path, &problem, &HASTY).unwrap(),
        &|_| {},
    );
    let liar: Vec<f64> = lied.lines().nth(5).unwrap().split(',').take(3).map(|cell| cell.parse().unwrap()).collect();
    assert_eq!(misled.unwrap().estimates.iter().map(|estimate| estimate.value).collect::<Vec<_>>(), liar);

    // Another fit does not go on with it.
    let two = Problem::new(&captures, &THREE[..2], &Parameters::default()).unwrap();
    assert!(matches!(Journal::open(&path, &two, &HASTY), Err(JournalError::Other { .. })));
    let mut moved = captures.clone();
    moved[0].frames[50].markers[3] = None;
    let moved = Problem::new(&moved, &THREE, &Parameters::default()).unwrap();
    assert!(matches!(Journal::open(&path, &moved, &HASTY), Err(JournalError::Other { .. })));
}

#[test]
fn what_captures_do_not_tell_is_said() {
    let (_, mut capture) = wool();
    // Before it moves: it hangs still, whatever its parameters.
    capture.frames.truncate(15);
    let captures = [capture];
    let found = fitted(&captures, &THREE, &HASTY);
    let mu = found.estimates[2];
    assert!(!mu.identified && mu.interval == Parameter::Mu.range(), "{mu:?}");
    assert!(found.warnings.iter().any(|warning| warning.contains("mu changes nothing")), "{:?}", found.warnings);

    let refused = |parameters: &[Parameter], captures: &[Capture]| {
        Problem::new(captures, parameters, &Parameters::default()).map(|_| ()).unwrap_err()
    };
    assert!(matches!(refused(&[], &captures), ProblemError::Nothing));
    assert!(matches!(refused(&[Parameter::Mu, Parameter::Mu], &captures), ProblemError::Twice("mu")));
    let mut known = captures.clone();
    known[0].obstacles[0].friction_known = true;
    assert!(matches!(refused(&THREE, &known), ProblemError::NoFriction));
}

#[test]
fn a_twin_is_seen_as_cameras_see() {
    let recipe = Recipe { missing: 0.2, ..Recipe::same(0, Scenario::TableclothLow) };
    let made = twin::make(&recipe).unwrap();
    let sights: Vec<bool> = made.capture.frames.iter().flat_map(|frame| &frame.markers).map(Option::is_some).collect();
    let lost = sights.iter().filter(|seen| !**seen).count() as f64 / sights.len() as f64;
    assert!((0.19..0.24).contains(&lost), "{lost}");
    assert_eq!((made.capture.frames.len(), made.capture.grid), (401, [4, 5]));
    // Noise of a tenth of a millimetre in each direction, as the hands show it.
    let folder = tempfile::tempdir().unwrap();
    let read = description::read(&twin::write(&made, folder.path()).unwrap()).unwrap();
    for held in &read.held {
        assert!((0.8e-4..1.2e-4).contains(&held.noise), "{}", held.noise);
    }
    assert_eq!(read.truth.map(|truth| [truth.alpha, truth.delta, truth.mu]), Some([3.6, 0.6, 0.0]));
    // The same seed, the same bits; another, another noise.
    let sights = |seed: u64| twin::make(&Recipe { seed, ..recipe }).unwrap().capture.frames[30].markers.clone();
    assert_eq!(sights(1), made.capture.frames[30].markers);
    assert_ne!(sights(2), made.capture.frames[30].markers);
}

/// Hems that slide over a table with a friction of 2 are lifted by it, come back and are lifted again: steps must end nevertheless.
#[test]
fn cloth_is_laid_whatever_the_friction() {
    for fabric in 0..4 {
        for scenario in [Scenario::TableclothLow, Scenario::TableclothHigh] {
            for recipe in [Recipe::same(fabric, scenario), Recipe::finer(fabric, scenario)] {
                let id = recipe.id();
                assert!(twin::make(&recipe).inspect_err(|error| eprintln!("{id}: {error}")).is_ok());
            }
        }
    }
}

#[test]
fn only_ratios_to_the_density_matter() {
    let (recipe, capture) = wool();
    let rms = |density: f64| {
        let replayed = replay(&capture, &Parameters { density, ..recipe.truth() }, &capture.discretisation).unwrap();
        Errors::new(&capture, &replayed).rms_m
    };
    let found = [0.03, 0.1804, 2.0].map(rms);
    assert!(found.iter().all(|rms| (rms - found[1]).abs() < 1e-5), "{found:?}");
}
