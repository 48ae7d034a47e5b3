//! Supernodes: runs of consecutive vertices whose columns of the factor share their rows, eliminated as one dense front.

use std::ops::Range;

use super::aligned::{LANES, floor};

/// A supernode, in elimination ranks.
#[derive(Clone, Debug)]
pub(super) struct Supernode {
    /// First vertex.
    pub first: usize,
    /// Number of vertices.
    pub columns: usize,
    /// Vertices after it that its columns touch, ascending.
    pub rows: Vec<usize>,
    /// Supernodes whose updates it receives, in the order in which they were made.
    pub children: Vec<usize>,
    /// Where each of its rows stands in the front of the supernode it updates.
    pub into_parent: Vec<u32>,
    /// The same in runs of rows that are neighbours there too.
    pub runs: Vec<Run>,
    /// Where it leaves its update.
    pub update: Range<usize>,
}

/// Rows of a supernode that are neighbours in the front of its parent: those from the end of the run before on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Run {
    /// The row after the last.
    pub end: u32,
    /// By how much its rows stand further down there.
    pub shift: u32,
}

impl Supernode {
    fn new(shape: &Shape) -> Self {
        let (children, into_parent, runs, update) = (Vec::new(), Vec::new(), Vec::new(), 0..0);
        let rows = Vec::with_capacity(shape.rows);
        Self { first: shape.first, columns: shape.columns, rows, children, into_parent, runs, update }
    }

    /// Vertices of its front: its own and its rows.
    pub fn front(&self) -> usize {
        self.columns + self.rows.len()
    }

    /// Distance between the columns of its front, which begin at vector boundaries.
    pub fn stride(&self) -> usize {
        (3 * self.front()).next_multiple_of(LANES)
    }

    /// Where a vertex stands in its front.
    pub fn position(&self, vertex: usize) -> Option<usize> {
        if vertex < self.first + self.columns {
            vertex.checked_sub(self.first)
        } else {
            self.rows.binary_search(&vertex).ok().map(|k| self.columns + k)
        }
    }
}

/// The vertices of a forest, every subtree in one run, children before parents.
pub(super) fn postorder(parent: &[Option<usize>]) -> Vec<usize> {
    let mut children = vec![Vec::new(); parent.len()];
    let mut pending = Vec::new();
    for v in (0..parent.len()).rev() {
        match parent[v] {
            Some(p) => children[p].push(v),
            None => pending.push(v),
        }
    }
    let mut order = Vec::with_capacity(parent.len());
    while let Some(v) = pending.pop() {
        order.push(v);
        pending.extend(children[v].iter().rev());
    }
    order.reverse();
    order
}

/// The supernodes of a graph whose vertices are in postorder: given the elimination tree, the entries of every column of the
/// factor, and the later neighbours of a vertex in any order.
pub(super) fn supernodes<I: Iterator<Item = usize>>(
    parent: &[Option<usize>],
    counts: &[usize],
    later: impl Fn(usize) -> I,
) -> Vec<Supernode> {
    // Whether columns are merged depends on how many rows they have: which they are is asked of the outcome only.
    let mut shapes: Vec<Shape> = Vec::with_capacity(counts.len());
    for (first, (&parent, &count)) in parent.iter().zip(counts).enumerate() {
        let mut shape = Shape { first, columns: 1, rows: count - 1, parent, padding: 0 };
        while let Some(merged) = shapes.last().and_then(|last| merge(last, &shape)) {
            shapes.pop();
            shape = merged;
        }
        shapes.push(shape);
    }
    let mut owner = Vec::with_capacity(counts.len());
    shapes.iter().enumerate().for_each(|(s, shape)| owner.extend(std::iter::repeat_n(s, shape.columns)));
    let mut nodes: Vec<Supernode> = shapes.iter().map(Supernode::new).collect();
    let mut seen = vec![usize::MAX; counts.len()];
    for (s, shape) in shapes.iter().enumerate() {
        let (before, rest) = nodes.split_at_mut(s);
        let Supernode { first, columns, ref mut rows, ref children, .. } = rest[0];
        let inherited = children.iter().flat_map(|&child| before[child].rows.iter().copied());
        for row in (first..first + columns).flat_map(&later).chain(inherited) {
            if row >= first + columns && seen[row] != s {
                seen[row] = s;
                rows.push(row);
            }
        }
        rows.sort_unstable();
        if let Some(parent) = shape.parent {
            nodes[owner[parent]].children.push(s);
        }
    }
    for (s, shape) in shapes.iter().enumerate() {
        if let Some(parent) = shape.parent {
            let (before, after) = nodes.split_at_mut(s + 1);
            link(&mut before[s], &after[owner[parent] - s - 1]);
        }
    }
    nodes
}

/// A supernode as far as merging is concerned.
#[derive(Clone, Copy)]
struct Shape {
    first: usize,
    columns: usize,
    /// Number of vertices after it that its columns touch.
    rows: usize,
    /// The first of them.
    parent: Option<usize>,
    /// Zeros that merging stored, in blocks.
    padding: usize,
}

/// Columns and the share of stored zeros up to which a supernode is merged with the one it updates: many small fronts
/// cost more than a few zeros.
const MERGE: [(usize, f64); 3] = [(4, 0.6), (12, 0.25), (usize::MAX, 0.08)];

fn merge(child: &Shape, parent: &Shape) -> Option<Shape> {
    if child.parent != Some(parent.first) {
        return None;
    }
    let columns = child.columns + parent.columns;
    let padding = child.padding + parent.padding + child.columns * (parent.columns + parent.rows - child.rows);
    let size = columns * (columns + 1) / 2 + columns * parent.rows;
    let share = padding as f64 / size as f64;
    let pays = MERGE.iter().any(|&(most, limit)| columns <= most && share <= limit);
    pays.then_some(Shape { first: child.first, columns, padding, ..*parent })
}

/// Tells a supernode where its rows stand in the one it updates, which has them all.
fn link(node: &mut Supernode, parent: &Supernode) {
    let mut behind = (parent.columns..).zip(&parent.rows);
    node.into_parent.reserve_exact(node.rows.len());
    for (k, &row) in (0..).zip(&node.rows) {
        let position = if row < parent.first + parent.columns {
            row - parent.first
        } else {
            behind.find(|&(_, &other)| other == row).expect("a parent has the rows of its child").0
        } as u32;
        node.into_parent.push(position);
        match node.runs.last_mut() {
            Some(last) if last.shift == position - k => last.end = k + 1,
            _ => node.runs.push(Run { end: k + 1, shift: position - k }),
        }
    }
}

/// Gives the updates of some supernodes places from `begin` on, each of which is used again once the parent has received its
/// update. Returns the end of the memory that takes.
pub(super) fn place_updates(nodes: &mut [Supernode], some: Range<usize>, begin: usize) -> usize {
    let mut taken: Vec<(Range<usize>, usize)> = Vec::new();
    let mut end = begin;
    for (s, node) in nodes.iter_mut().enumerate().take(some.end).skip(some.start) {
        let len = 3 * node.rows.len() * (node.stride() - floor(3 * node.columns));
        // The first gap that is wide enough.
        let mut start = begin;
        let mut at = taken.len();
        for (k, (range, _)) in taken.iter().enumerate() {
            if start + len <= range.start {
                at = k;
                break;
            }
            start = range.end;
        }
        node.update = start..start + len;
        taken.insert(at, (start..start + len, s));
        end = end.max(start + len);
        taken.retain(|(range, owner)| !node.children.contains(owner) && !range.is_empty());
    }
    end
}
