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
    /// Zeros that merging stored, in blocks.
    padding: usize,
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
    fn new(first: usize, columns: usize, rows: Vec<usize>, padding: usize) -> Self {
        let (children, into_parent, runs, update) = (Vec::new(), Vec::new(), Vec::new(), 0..0);
        Self { first, columns, rows, children, into_parent, runs, update, padding }
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

/// Parent of every vertex in the elimination tree of a graph given by its later neighbours; `None` at a root.
pub(super) fn elimination_tree(below: &[Vec<usize>]) -> Vec<Option<usize>> {
    let n = below.len();
    let mut above = vec![Vec::new(); n];
    below.iter().enumerate().for_each(|(i, later)| later.iter().for_each(|&j| above[j].push(i)));
    let (mut parent, mut ancestor) = (vec![None; n], vec![None; n]);
    for (j, above) in above.iter().enumerate() {
        for &i in above {
            let mut vertex = i;
            while let Some(next) = ancestor[vertex].replace(j) {
                if next == j {
                    break;
                }
                vertex = next;
            }
            if parent[vertex].is_none() && vertex != j {
                parent[vertex] = Some(j);
            }
        }
    }
    parent
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

/// The supernodes of a graph whose vertices are in postorder.
pub(super) fn supernodes(below: &[Vec<usize>]) -> Vec<Supernode> {
    let mut nodes: Vec<Supernode> = Vec::new();
    for (first, rows) in columns(below).into_iter().enumerate() {
        let mut node = Supernode::new(first, 1, rows, 0);
        while let Some(merged) = nodes.last().and_then(|last| merge(last, &node)) {
            nodes.pop();
            node = merged;
        }
        nodes.push(node);
    }
    link(&mut nodes);
    nodes
}

/// Rows of every column of the factor, the diagonal left out.
fn columns(below: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut columns: Vec<Vec<usize>> = Vec::with_capacity(below.len());
    let mut children = vec![Vec::new(); below.len()];
    for (j, below) in below.iter().enumerate() {
        let mut rows = below.clone();
        for &child in &children[j] {
            let inherited: &Vec<usize> = &columns[child];
            rows.extend(inherited.iter().filter(|&&r| r != j));
        }
        rows.sort_unstable();
        rows.dedup();
        if let Some(&parent) = rows.first() {
            children[parent].push(j);
        }
        columns.push(rows);
    }
    columns
}

/// Columns and the share of stored zeros up to which a supernode is merged with the one it updates: many small fronts
/// cost more than a few zeros.
const MERGE: [(usize, f64); 3] = [(4, 0.6), (12, 0.25), (usize::MAX, 0.08)];

fn merge(child: &Supernode, parent: &Supernode) -> Option<Supernode> {
    if child.rows.first() != Some(&parent.first) {
        return None;
    }
    let columns = child.columns + parent.columns;
    let padding = child.padding + parent.padding + child.columns * (parent.front() - child.rows.len());
    let size = columns * (columns + 1) / 2 + columns * parent.rows.len();
    let share = padding as f64 / size as f64;
    let pays = MERGE.iter().any(|&(most, limit)| columns <= most && share <= limit);
    pays.then(|| Supernode::new(child.first, columns, parent.rows.clone(), padding))
}

/// Tells every supernode who updates it and where.
fn link(nodes: &mut [Supernode]) {
    let mut owner = Vec::new();
    nodes.iter().enumerate().for_each(|(s, node)| owner.extend(std::iter::repeat_n(s, node.columns)));
    for s in 0..nodes.len() {
        let Some(&row) = nodes[s].rows.first() else { continue };
        let parent = owner[row];
        let positions: Vec<u32> = nodes[s]
            .rows
            .iter()
            .map(|&r| nodes[parent].position(r).expect("a parent has the rows of its child") as u32)
            .collect();
        let shifts = positions.iter().zip(0..).map(|(&position, row)| position - row);
        let runs = shifts.zip(1..).fold(Vec::<Run>::new(), |mut runs, (shift, end)| {
            match runs.last_mut() {
                Some(last) if last.shift == shift => last.end = end,
                _ => runs.push(Run { end, shift }),
            }
            runs
        });
        (nodes[s].into_parent, nodes[s].runs) = (positions, runs);
        nodes[parent].children.push(s);
    }
}

/// Gives every update a place, which is used again once the parent has received it. Returns the room that takes.
pub(super) fn place_updates(nodes: &mut [Supernode]) -> usize {
    let mut taken: Vec<(Range<usize>, usize)> = Vec::new();
    let mut room = 0;
    for (s, node) in nodes.iter_mut().enumerate() {
        let len = 3 * node.rows.len() * (node.stride() - floor(3 * node.columns));
        // The first gap that is wide enough.
        let mut start = 0;
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
        room = room.max(start + len);
        taken.retain(|(range, owner)| !node.children.contains(owner) && !range.is_empty());
    }
    room
}
