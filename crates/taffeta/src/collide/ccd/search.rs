//! The search in time: stretches are cleared one after the other, earliest first.

use std::marker::PhantomData;

use glam::DVec3;

use super::clearance::{Clearance, Direction};
use super::facet::{Facet, Feature, Polygon};
use super::pair::Pair;
use super::real::{Real, Vector};

/// A stretch that holds a certain contact is not cut further than this part of the motion.
const FINE: f64 = 1.0 / (1u64 << 20) as f64;

/// The part of the time for which a plane lasts that is taken before the next plane is sought.
const LAST: f64 = 1.0 - 1.0 / 64.0;

/// The least part of a stretch to cut off. Where the nearest direction turns fast, its plane lasts too short to go by.
const LEAST: f64 = 1.0 / 8.0;

/// How deep inside a facet, as part of it, the origin is before and after it went through for certain. What it moves by in a
/// stretch as short as [`FINE`] is far less.
const DEEP: f64 = 1e-3;

/// The earliest time that could not be cleared of coming within `separation`, `None` if there is none.
pub(super) fn earliest<P: Polygon<K>, const K: usize>(
    x_t0: &[DVec3; 4],
    x_t1: &[DVec3; 4],
    separation: f64,
) -> Option<f64> {
    let (from, to) = (P::facet(x_t0), P::facet(x_t1));
    let Some(mut search) = Search::<f64, P, K>::new(from, to, separation) else {
        return Some(0.0);
    };
    if search.clearance.by_own_plane([&search.from, &search.to]) {
        return None;
    }
    let mut finely = None;
    let outcome = search.clear_between(0.0, 1.0, &mut |from, to| {
        // A separation is not known to more than the digits of a double.
        if separation > 0.0 {
            return Err(from);
        }
        let finely =
            finely.get_or_insert_with(|| Search::<Pair, P, K>::new(P::facet(x_t0), P::facet(x_t1), separation));
        let finely = finely.as_mut().ok_or(from)?;
        let outcome = finely.clear_between(Pair::new(from), Pair::new(to), &mut |part, _| Err(part));
        // Rounded down, because the time is a promise.
        outcome.map_err(|t| from.max(t.value().next_down()))
    });
    outcome.err()
}

/// What is done with a stretch of time that could not be cleared.
type Resort<'a, R> = &'a mut dyn FnMut(R, R) -> Result<(), R>;

/// A motion that is being cleared.
struct Search<R, P, const K: usize> {
    from: Facet<R, K>,
    to: Facet<R, K>,
    clearance: Clearance,
    separation: f64,
    /// Instants looked at so far.
    instants: u32,
    polygon: PhantomData<P>,
}

/// The facet at one time.
#[derive(Clone, Copy)]
struct Instant<R, const K: usize> {
    t: R,
    facet: Facet<R, K>,
    /// The direction that tells it from the origin; `None` where it touches, for all one can tell.
    direction: Option<Direction<R>>,
    /// The side on which the origin is, ±1, if it is above or below the inside of the facet and not near its edges; else 0.
    side: f64,
}

impl<R: Real, P: Polygon<K>, const K: usize> Search<R, P, K> {
    /// `None` if the lengths of the motion are out of range.
    #[inline]
    fn new(from: Facet<R, K>, to: Facet<R, K>, separation: f64) -> Option<Self> {
        let clearance = Clearance::new(&from, &to, separation)?;
        Some(Self { from, to, clearance, separation, instants: 0, polygon: PhantomData })
    }

    /// Clears the motion between two times: see [`Self::clear`].
    fn clear_between(&mut self, from: R, to: R, resort: Resort<R>) -> Result<(), R> {
        let (start, end) = (self.instant(from), self.instant(to));
        self.clear(start, &end, resort)
    }

    /// Clears a stretch of time, or says where the part begins that could not be. Parts that are too hard go to `resort`.
    fn clear(&mut self, mut from: Instant<R, K>, to: &Instant<R, K>, resort: Resort<R>) -> Result<(), R> {
        loop {
            let facets = [&from.facet, &to.facet];
            let failing = match from.direction {
                Some(direction) => self.clearance.failing(facets, direction),
                None => Some(0.0),
            };
            let Some(failing) = failing else {
                return Ok(());
            };
            if let (Some(start), Some(end)) = (from.direction, to.direction)
                && self.clearance.by_turning_plane(facets, [start, end])
            {
                return Ok(());
            }
            if self.clearance.by_own_plane(facets) {
                return Ok(());
            }
            let width = (to.t - from.t).value();
            let is_contact = from.side * to.side < 0.0 || (self.separation > 0.0 && to.direction.is_none());
            if (width <= FINE && is_contact) || self.instants >= R::MAX_INSTANTS {
                return Err(from.t);
            }
            if from.direction.is_none() || width <= R::SHORTEST {
                return resort(from.t, to.t);
            }
            let middle = self.instant(from.t + R::new(width * cut(failing)));
            self.clear(from, &middle, resort)?;
            from = middle;
        }
    }

    /// The facet at a time, and the direction that tells it from the origin.
    fn instant(&mut self, t: R) -> Instant<R, K> {
        self.instants += 1;
        let facet = self.from.between(&self.to, t);
        let normal = facet.normal();
        let side = if normal.dot(facet.corners[0]).value() < 0.0 { -1.0 } else { 1.0 };
        let own = normal * R::new(side);
        let nearest = P::nearest(&facet);
        let toward = match nearest {
            Feature::Corner(k) => facet.corners[k],
            Feature::Edge(i, j) => across(facet.corners[i], facet.corners[j]),
            Feature::Inside { .. } => own,
        };
        let clearance = self.clearance;
        let direction = clearance.direction(&facet, toward).or_else(|| {
            // Close to the origin it is hard to tell what is nearest.
            let edges = P::EDGES.iter().map(|&(i, j)| across(facet.corners[i], facet.corners[j]));
            let others = std::iter::once(own).chain(edges).chain(facet.corners);
            let good = others.filter_map(|toward| clearance.direction(&facet, toward));
            good.max_by(|a, b| a.reach.total_cmp(&b.reach))
        });
        let is_deep = matches!(nearest, Feature::Inside { depth } if depth > DEEP);
        Instant { t, facet, direction, side: if is_deep { side } else { 0.0 } }
    }
}

/// The part of a stretch after which to cut it, if the plane of its start fails after some part of it.
fn cut(failing: f64) -> f64 {
    // Just before a plane fails the next one can take over. A plane that fails soon says how short the stretch should be.
    if failing > 0.25 { LAST * failing } else { f64::max(2.0 * failing, LEAST) }
}

/// The direction from the origin to the line through two points, at a right angle to it.
fn across<R: Real>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    let line = b - a;
    let square = line.value().length_squared();
    let reject = |x: Vector<R>| x - line * R::new(x.dot(line).value() / square);
    // Each pass leaves an error of the rounding of the last; the last is to be one of the rounding of what remains.
    (0..R::PASSES).fold(a, |x, _| reject(x))
}
