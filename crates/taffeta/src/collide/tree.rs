//! A tree of boxes over features of a surface, eight children to a branch.
//!
//! Its shape is that of an array: leaf `k` holds features `8k … 8k+7` of an order, branch `k` of each level the eight
//! branches `8k … 8k+7` below. The order comes from cutting the features in halves, again and again, across the longest
//! side of the box around their centres. Fitting new boxes leaves the order as it is: cloth hardly stretches, so what is
//! close on the sheet stays close, however it is crumpled.

use glam::DVec3;
use wide::u32x8;

use super::boxes::{Bounds, Boxes, LANES, bits};

/// A node that no feature has: fills the last leaf.
const NOBODY: u32 = u32::MAX;

/// A tree over features of `K` nodes each.
#[derive(Clone, Debug)]
pub(super) struct Tree<const K: usize> {
    /// The features in the order of the leaves.
    order: Vec<u32>,
    /// The nodes of the features of each leaf, lane by lane.
    nodes: Vec<[[u32; LANES]; K]>,
    /// Boxes: of the features, leaf by leaf; of the leaves; … of the branches below the root.
    levels: Vec<Vec<Boxes>>,
}

impl<const K: usize> Tree<K> {
    /// A tree over features at given positions. Its boxes are empty until they are fitted.
    pub fn new(features: &[[u32; K]], positions: &[DVec3]) -> Self {
        let mut levels = Vec::new();
        let mut count = features.len().div_ceil(LANES);
        loop {
            levels.push(vec![Boxes::EMPTY; count]);
            if count <= 1 {
                break;
            }
            count = count.div_ceil(LANES);
        }
        let leaves = vec![[[NOBODY; LANES]; K]; features.len().div_ceil(LANES)];
        let mut tree = Self { order: (0..features.len() as u32).collect(), nodes: leaves, levels };
        tree.rebuild(features, positions);
        tree
    }

    /// Chooses the order anew, for features that have come apart since.
    pub fn rebuild(&mut self, features: &[[u32; K]], positions: &[DVec3]) {
        // The sum serves as well as the mean.
        let centre = |f: u32| features[f as usize].iter().map(|&node| positions[node as usize]).sum::<DVec3>();
        // The features below each child of the root.
        let group = LANES.pow(self.levels.len() as u32 - 1);
        arrange(&mut self.order, group, &centre);
        for (k, &f) in self.order.iter().enumerate() {
            for (corner, &node) in features[f as usize].iter().enumerate() {
                self.nodes[k / LANES][corner][k % LANES] = node;
            }
        }
    }

    /// Fits the boxes of the features around those of their nodes, and all others around them.
    pub fn refit(&mut self, nodes: &[Bounds]) {
        let count = self.order.len();
        let Some((leaves, branches)) = self.levels.split_first_mut() else { return };
        for (k, (boxes, corners)) in leaves.iter_mut().zip(&self.nodes).enumerate() {
            for lane in 0..LANES.min(count - LANES * k) {
                let mut bounds = nodes[corners[0][lane] as usize];
                for corner in &corners[1..] {
                    bounds = bounds.union(&nodes[corner[lane] as usize]);
                }
                boxes.set(lane, &bounds);
            }
        }
        let mut below = &*leaves;
        for level in branches {
            for (k, boxes) in below.iter().enumerate() {
                level[k / LANES].set(k % LANES, &boxes.hull());
            }
            below = level;
        }
    }

    /// Every pair of features that overlap and share no node, once, the lower first.
    pub fn self_pairs(&self, found: &mut impl FnMut([u32; 2])) {
        if !self.order.is_empty() {
            self.pairs_within(self.levels.len() - 1, 0, &mut |a, b| found([a.min(b), a.max(b)]));
        }
    }

    fn pairs_within(&self, level: usize, k: usize, found: &mut impl FnMut(u32, u32)) {
        let boxes = &self.levels[level][k];
        for lane in 0..LANES {
            let bounds = boxes.lane(lane);
            // All ones above the lane.
            let later = u32::MAX << lane << 1;
            let others = boxes.overlapping(&bounds) & later;
            if level == 0 {
                self.meet(self, others, [k, lane], k, found);
                continue;
            }
            let child = LANES * k + lane;
            if child < self.levels[level - 1].len() {
                self.pairs_within(level - 1, child, found);
            }
            for other in bits(others) {
                self.pairs_across(self, level - 1, [child, LANES * k + other], &boxes.lane(other), found);
            }
        }
    }

    /// Every pair of a feature of this tree and one of another that overlap and share no node, once.
    pub fn pairs<const J: usize>(&self, other: &Tree<J>, found: &mut impl FnMut(u32, u32)) {
        if !self.order.is_empty() && !other.order.is_empty() {
            self.descend(other, [self.levels.len() - 1, 0], [other.levels.len() - 1, 0], found);
        }
    }

    /// Goes down the higher of two branches until they are on one level.
    fn descend<const J: usize>(
        &self,
        other: &Tree<J>,
        [i, k]: [usize; 2],
        [j, l]: [usize; 2],
        found: &mut impl FnMut(u32, u32),
    ) {
        let (mine, theirs) = (&self.levels[i][k], &other.levels[j][l]);
        if i > j {
            let lanes = mine.overlapping(&theirs.hull());
            bits(lanes).for_each(|lane| self.descend(other, [i - 1, LANES * k + lane], [j, l], found));
        } else if j > i {
            let lanes = theirs.overlapping(&mine.hull());
            bits(lanes).for_each(|lane| self.descend(other, [i, k], [j - 1, LANES * l + lane], found));
        } else {
            self.pairs_across(other, i, [k, l], &theirs.hull(), found);
        }
    }

    /// The pairs between branch `k` of this tree and branch `l` of another, whose box is given.
    fn pairs_across<const J: usize>(
        &self,
        other: &Tree<J>,
        level: usize,
        [k, l]: [usize; 2],
        bounds: &Bounds,
        found: &mut impl FnMut(u32, u32),
    ) {
        let (mine, theirs) = (&self.levels[level][k], &other.levels[level][l]);
        for lane in bits(mine.overlapping(bounds)) {
            let others = theirs.overlapping(&mine.lane(lane));
            if level == 0 {
                self.meet(other, others, [k, lane], l, found);
                continue;
            }
            for other_lane in bits(others) {
                let children = [LANES * k + lane, LANES * l + other_lane];
                self.pairs_across(other, level - 1, children, &theirs.lane(other_lane), found);
            }
        }
    }

    /// Tells of the pairs of one feature with the given lanes of a leaf, but for those that share a node.
    #[inline]
    fn meet<const J: usize>(
        &self,
        other: &Tree<J>,
        lanes: u32,
        [k, lane]: [usize; 2],
        l: usize,
        found: &mut impl FnMut(u32, u32),
    ) {
        if lanes == 0 {
            return;
        }
        let mut shared = u32x8::splat(0);
        for mine in &self.nodes[k] {
            let mine = u32x8::splat(mine[lane]);
            for theirs in &other.nodes[l] {
                shared |= mine.simd_eq(u32x8::new(*theirs));
            }
        }
        let feature = self.order[LANES * k + lane];
        for other_lane in bits(lanes & !shared.to_bitmask()) {
            found(feature, other.order[LANES * l + other_lane]);
        }
    }

    /// Every feature that overlaps a box.
    pub fn overlapping(&self, bounds: &Bounds, visit: &mut impl FnMut(u32)) {
        if !self.order.is_empty() {
            self.overlapping_below(self.levels.len() - 1, 0, bounds, visit);
        }
    }

    fn overlapping_below(&self, level: usize, k: usize, bounds: &Bounds, visit: &mut impl FnMut(u32)) {
        for lane in bits(self.levels[level][k].overlapping(bounds)) {
            match level {
                0 => visit(self.order[LANES * k + lane]),
                _ => self.overlapping_below(level - 1, LANES * k + lane, bounds, visit),
            }
        }
    }
}

/// Orders features so that each whole group of `group` of them is compact, and so within the groups.
fn arrange(order: &mut [u32], group: usize, centre: &impl Fn(u32) -> DVec3) {
    if order.len() <= 1 || group == 0 {
        return;
    }
    if order.len() <= group {
        return arrange(order, group / LANES, centre);
    }
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &f in &*order {
        (low, high) = (low.min(centre(f)), high.max(centre(f)));
    }
    let axis = (high - low).max_position();
    let middle = order.len().div_ceil(group) / 2 * group;
    order.select_nth_unstable_by(middle, |&a, &b| centre(a)[axis].total_cmp(&centre(b)[axis]).then(a.cmp(&b)));
    let (left, right) = order.split_at_mut(middle);
    arrange(left, group, centre);
    arrange(right, group, centre);
}
