//! Regular grids of nodes, and names for their corners and sides.

use glam::DVec3;

use super::{Element, Mesh, MeshError};

/// Beyond this many nodes a request is a mistake, better refused than left to exhaust memory.
const MAX_NODES: usize = 1 << 26;

/// How the quads of a grid are cut into triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diagonal {
    /// From (column, row) to (column + 1, row + 1).
    Forward,
    /// From (column + 1, row) to (column, row + 1).
    Backward,
    /// Forward where column + row is even, backward elsewhere.
    Alternating,
}

/// The shape of a grid of nodes: node = row · `nx` + column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GridShape {
    /// Nodes along a row (the number of columns), at least 2.
    pub nx: usize,
    /// Nodes along a column (the number of rows), at least 2.
    pub ny: usize,
}

/// A corner of a grid: row 0 is the bottom, column 0 the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridCorner {
    /// First row, first column.
    BottomLeft,
    /// First row, last column.
    BottomRight,
    /// Last row, first column.
    TopLeft,
    /// Last row, last column.
    TopRight,
}

/// A side of a grid: row 0 is the bottom, column 0 the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridSide {
    /// The first row.
    Bottom,
    /// The last row.
    Top,
    /// The first column.
    Left,
    /// The last column.
    Right,
}

impl GridCorner {
    /// The corner called `bottom-left`, `bottom-right`, `top-left` or `top-right`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "bottom-left" => Some(Self::BottomLeft),
            "bottom-right" => Some(Self::BottomRight),
            "top-left" => Some(Self::TopLeft),
            "top-right" => Some(Self::TopRight),
            _ => None,
        }
    }
}

impl GridSide {
    /// The side called `bottom`, `top`, `left` or `right`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "bottom" => Some(Self::Bottom),
            "top" => Some(Self::Top),
            "left" => Some(Self::Left),
            "right" => Some(Self::Right),
            _ => None,
        }
    }
}

impl GridShape {
    /// A shape of `nx` columns and `ny` rows of nodes.
    pub fn new(nx: usize, ny: usize) -> Result<Self, MeshError> {
        if nx < 2 || ny < 2 {
            return Err(MeshError::GridTooSmall { nx, ny });
        }
        match nx.checked_mul(ny) {
            Some(count) if count <= MAX_NODES => Ok(Self { nx, ny }),
            _ => Err(MeshError::GridTooLarge { nx, ny }),
        }
    }

    /// The node at a column and a row.
    pub fn node(&self, col: usize, row: usize) -> usize {
        row * self.nx + col
    }

    /// The node at a corner.
    pub fn corner(&self, corner: GridCorner) -> usize {
        let (right, top) = (self.nx - 1, self.ny - 1);
        match corner {
            GridCorner::BottomLeft => self.node(0, 0),
            GridCorner::BottomRight => self.node(right, 0),
            GridCorner::TopLeft => self.node(0, top),
            GridCorner::TopRight => self.node(right, top),
        }
    }

    /// The nodes along a side, corners included, ascending.
    pub fn side(&self, side: GridSide) -> Vec<usize> {
        let (right, top) = (self.nx - 1, self.ny - 1);
        match side {
            GridSide::Bottom => (0..self.nx).map(|col| self.node(col, 0)).collect(),
            GridSide::Top => (0..self.nx).map(|col| self.node(col, top)).collect(),
            GridSide::Left => (0..self.ny).map(|row| self.node(0, row)).collect(),
            GridSide::Right => (0..self.ny).map(|row| self.node(right, row)).collect(),
        }
    }

    /// The column and row of each cell's lower left node, row by row.
    fn cells(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.ny - 1).flat_map(move |row| (0..self.nx - 1).map(move |col| (col, row)))
    }

    /// The four nodes around the cell at a column and a row.
    fn cell_nodes(&self, col: usize, row: usize) -> [usize; 4] {
        let low = self.node(col, row);
        [low, low + 1, low + self.nx + 1, low + self.nx]
    }

    fn positions(&self, place: impl Fn(f64, f64) -> DVec3) -> Vec<DVec3> {
        let (right, top) = ((self.nx - 1) as f64, (self.ny - 1) as f64);
        (0..self.nx * self.ny)
            .map(|node| {
                let (col, row) = (node % self.nx, node / self.nx);
                place(col as f64 / right, row as f64 / top)
            })
            .collect()
    }
}

impl Mesh {
    /// A grid of `nx` × `ny` nodes joined by quads, without UVs.
    ///
    /// `place(s, t)` gives the position of a node, with s from 0 to 1 along the columns and t
    /// from 0 to 1 along the rows. The front is where s to t turns counter-clockwise.
    pub fn grid(nx: usize, ny: usize, place: impl Fn(f64, f64) -> DVec3) -> Result<Mesh, MeshError> {
        let shape = GridShape::new(nx, ny)?;
        let quads = shape.cells().map(|(col, row)| Element::Quad(shape.cell_nodes(col, row))).collect();
        let mesh = Mesh::new(shape.positions(place), quads, None)?;
        Ok(mesh.with_grid_shape(shape))
    }

    /// The nodes of [`Mesh::grid`], with each quad cut in two triangles.
    pub fn triangle_grid(
        nx: usize,
        ny: usize,
        diagonal: Diagonal,
        place: impl Fn(f64, f64) -> DVec3,
    ) -> Result<Mesh, MeshError> {
        let shape = GridShape::new(nx, ny)?;
        let triangles = shape
            .cells()
            .flat_map(|(col, row)| {
                let forward = match diagonal {
                    Diagonal::Forward => true,
                    Diagonal::Backward => false,
                    Diagonal::Alternating => (col + row) % 2 == 0,
                };
                let [a, b, c, d] = shape.cell_nodes(col, row);
                if forward { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
            })
            .map(Element::Triangle)
            .collect();
        let mesh = Mesh::new(shape.positions(place), triangles, None)?;
        Ok(mesh.with_grid_shape(shape))
    }
}
