//! Which 3×3 blocks of a symmetric matrix may be non-zero, in an order that keeps the factor sparse.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::cholesky::{simplicial, supernodal};
use faer::sparse::{SymbolicSparseColMat, SymbolicSparseColMatRef};
use glam::DVec3;

use super::ordering;

/// Where a 3×3 block of the lower triangle is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slot {
    /// First value of the block's first column.
    base: u32,
    /// Entries in the block's first column: the distance to its second.
    stride: u32,
}

impl Slot {
    /// Indices of the first value of the block's three columns. In a diagonal block column `c` starts at row `c`.
    #[inline]
    pub fn columns(self, diagonal: bool) -> [usize; 3] {
        let (base, stride) = (self.base as usize, self.stride as usize);
        if diagonal {
            [base, base + stride, base + 2 * stride - 1]
        } else {
            [base, base + stride - 1, base + 2 * stride - 3]
        }
    }
}

/// The pattern of a symmetric matrix with one block row per vertex, and the symbolic factorisation of it.
#[derive(Debug)]
pub(crate) struct BlockPattern {
    order: Vec<usize>,
    rank: Vec<usize>,
    /// Per vertex in elimination order: the ranks below it that its column touches.
    below: Vec<Vec<usize>>,
    lower: SymbolicSparseColMat<u32>,
    symbolic: supernodal::SymbolicSupernodalCholesky<u32>,
}

impl BlockPattern {
    /// The pattern in which all vertices of each clique touch each other.
    ///
    /// # Panics
    /// If the matrix has more than 2³² non-zeros: that is a mesh of some twenty million nodes.
    pub fn new<'a>(places: &[DVec3], cliques: impl Iterator<Item = &'a [usize]>) -> Self {
        let mut graph = vec![Vec::new(); places.len()];
        for clique in cliques {
            for &i in clique {
                graph[i].extend(clique.iter().copied().filter(|&j| j != i));
            }
        }
        graph.iter_mut().for_each(|v| {
            v.sort_unstable();
            v.dedup();
        });
        let order = ordering::fill_reducing(&graph, places);
        let mut rank = vec![0; order.len()];
        order.iter().enumerate().for_each(|(k, &v)| rank[v] = k);
        let below: Vec<Vec<usize>> = order
            .iter()
            .enumerate()
            .map(|(k, &v)| {
                let mut below: Vec<usize> = graph[v].iter().map(|&w| rank[w]).filter(|&r| r > k).collect();
                below.sort_unstable();
                below
            })
            .collect();
        let lower = lower_triangle(&below);
        let symbolic = factorise(lower.as_ref());
        Self { order, rank, below, lower, symbolic }
    }

    /// Position of each vertex in the elimination order.
    pub fn rank(&self) -> &[usize] {
        &self.rank
    }

    /// The vertices in elimination order.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Where the block of `row` and `column` is stored; `row` must not come before `column` in the elimination order.
    ///
    /// # Panics
    /// If the two do not touch.
    pub fn slot(&self, row: usize, column: usize) -> Slot {
        let (r, c) = (self.rank[row], self.rank[column]);
        let start = self.lower.col_ptr()[3 * c];
        let stride = self.lower.col_ptr()[3 * c + 1] - start;
        if r == c {
            return Slot { base: start, stride };
        }
        let k = self.below[c].binary_search(&r).expect("a block of the pattern");
        Slot { base: start + 3 + 3 * k as u32, stride }
    }

    pub(super) fn lower(&self) -> SymbolicSparseColMatRef<'_, u32> {
        self.lower.as_ref()
    }

    pub(super) fn symbolic(&self) -> &supernodal::SymbolicSupernodalCholesky<u32> {
        &self.symbolic
    }
}

fn lower_triangle(below: &[Vec<usize>]) -> SymbolicSparseColMat<u32> {
    let n = 3 * below.len();
    let (mut start, mut rows) = (vec![0u32], Vec::new());
    for (k, below) in below.iter().enumerate() {
        for c in 0..3 {
            rows.extend((c..3).map(|r| (3 * k + r) as u32));
            rows.extend(below.iter().flat_map(|&b| (0..3).map(move |r| (3 * b + r) as u32)));
            start.push(u32::try_from(rows.len()).expect("at most 2³² non-zeros"));
        }
    }
    SymbolicSparseColMat::new_checked(n, n, start, None, rows)
}

fn factorise(lower: SymbolicSparseColMatRef<'_, u32>) -> supernodal::SymbolicSupernodalCholesky<u32> {
    let n = lower.nrows();
    let upper = lower.transpose().to_col_major().expect("memory for the pattern");
    let nnz = upper.row_idx().len();
    let (mut tree, mut counts) = (vec![0i32; n], vec![0u32; n]);
    let request = simplicial::prefactorize_symbolic_cholesky_scratch::<u32>(n, nnz)
        .or(supernodal::factorize_supernodal_symbolic_cholesky_scratch::<u32>(n));
    let mut memory = MemBuffer::new(request);
    let tree =
        simplicial::prefactorize_symbolic_cholesky(&mut tree, &mut counts, upper.as_ref(), MemStack::new(&mut memory));
    supernodal::factorize_supernodal_symbolic_cholesky(
        upper.as_ref(),
        tree,
        &counts,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .expect("memory for the pattern")
}
