//! The search for the valley of the error, over all of the parameters' ranges, by CMA-ES.

use cmaes::{CMAESOptions, DVector};

use super::problem::{Counter, HOPELESS, Problem};
use super::{Effort, FitError, Journal};

/// How far the first generation is spread, of the ranges.
const SPREAD: f64 = 0.25;

/// Candidates in a generation for so many parameters.
pub fn population(parameters: usize) -> usize {
    // Even, for the cores.
    6 + 2 * (parameters / 2)
}

/// The best values that were found.
pub fn search(problem: &Problem, effort: &Effort, journal: &Journal, counter: &Counter) -> Result<Vec<f64>, FitError> {
    let parameters = problem.parameters();
    let usual: Vec<f64> = parameters.iter().map(|&p| problem.with(0, &[]).get(p)).collect();
    if effort.generations == 0 {
        return Ok(usual);
    }
    let values = |places: &DVector<f64>| -> Vec<f64> {
        parameters.iter().zip(places.iter()).map(|(parameter, &place)| parameter.at(place)).collect()
    };
    let error = |places: &DVector<f64>| {
        let values = values(places);
        let known = journal.known(&values);
        let rms = known.unwrap_or_else(|| problem.rms(&values));
        journal.note(&values, rms);
        counter.note(rms);
        // Outside the ranges the error is that at their ends, and more.
        let outside: f64 = places.iter().map(|place| (place - place.clamp(0.0, 1.0)).powi(2)).sum();
        rms * (1.0 + outside)
    };
    let begin: Vec<f64> = parameters.iter().zip(&usual).map(|(parameter, &value)| parameter.place(value)).collect();
    let options = CMAESOptions::new(begin, SPREAD)
        .seed(effort.seed)
        .population_size(population(parameters.len()))
        .max_generations(effort.generations)
        // A tenth of what cameras see.
        .tol_fun(1e-5)
        .tol_x(1e-4);
    let Ok(mut strategy) = options.build(error) else { return Ok(usual) };
    while strategy.next_parallel().is_none() {
        journal.save()?;
    }
    journal.save()?;
    let best = strategy.overall_best_individual().filter(|best| best.value < HOPELESS);
    Ok(best.map_or(usual, |best| values(&best.point)))
}
