//! The cloth to be drawn.

use glam::DVec3;

use crate::RenderError;

/// Coordinates beyond this belong to a simulation that has blown up, and squaring them a few times
/// over would leave the range of floating point.
const FARTHEST: f64 = 1e9;

/// A sheet of cloth, borrowed from whoever simulates it.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    /// Where the nodes are; `z` is up.
    pub positions: &'a [DVec3],
    /// Triangles of nodes, anticlockwise as seen from the front.
    pub triangles: &'a [[usize; 3]],
    /// Mesh lines, drawn thin over the cloth; may be empty.
    pub edges: &'a [[usize; 2]],
    /// Nodes drawn as dots, such as the ones being held; may be empty.
    pub marked: &'a [usize],
    /// A colour for every node, the same on both sides, instead of one for each side; may be empty.
    pub colours: &'a [[u8; 3]],
}

impl Surface<'_> {
    /// Checks that every position can be drawn and every index refers to a node.
    pub(crate) fn check(&self) -> Result<(), RenderError> {
        // A NaN fails this comparison, as it should.
        let drawable = |position: &DVec3| position.abs().cmple(DVec3::splat(FARTHEST)).all();
        if let Some(node) = self.positions.iter().position(|p| !drawable(p)) {
            let position = self.positions[node];
            return Err(RenderError::NodePosition { node, position });
        }
        self.check_nodes("triangle", self.triangles)?;
        self.check_nodes("edge", self.edges)?;
        let marks: Vec<[usize; 1]> = self.marked.iter().map(|&node| [node]).collect();
        self.check_nodes("mark", &marks)?;
        let (colours, nodes) = (self.colours.len(), self.positions.len());
        if colours != 0 && colours != nodes {
            return Err(RenderError::Colours { colours, nodes });
        }
        Ok(())
    }

    fn check_nodes<const N: usize>(&self, item: &'static str, all: &[[usize; N]]) -> Result<(), RenderError> {
        let nodes = self.positions.len();
        for (index, members) in all.iter().enumerate() {
            if let Some(&node) = members.iter().find(|&&node| node >= nodes) {
                return Err(RenderError::MissingNode { item, index, node, nodes });
            }
        }
        Ok(())
    }

    /// The three corners of a triangle.
    fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|node| self.positions[node])
    }

    /// Mean length of the sides of the triangles; zero if there are none.
    pub(crate) fn mean_side(&self) -> f64 {
        let around = |nodes: &[usize; 3]| {
            let [a, b, c] = nodes.map(|node| self.positions[node]);
            a.distance(b) + b.distance(c) + c.distance(a)
        };
        let total: f64 = self.triangles.iter().map(around).sum();
        total / (3 * self.triangles.len()).max(1) as f64
    }

    /// Unit normals of the front at the nodes, each triangle weighing in by its area; zero where
    /// no triangle has any.
    pub(crate) fn node_normals(&self) -> Vec<DVec3> {
        let mut normals = vec![DVec3::ZERO; self.positions.len()];
        for (triangle, nodes) in self.triangles.iter().enumerate() {
            let [a, b, c] = self.corners(triangle);
            let twice_area = (b - a).cross(c - a);
            for &node in nodes {
                normals[node] += twice_area;
            }
        }
        for normal in &mut normals {
            *normal = normal.normalize_or_zero();
        }
        normals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_triangles_pull_a_node_normal_harder() {
        let positions = [DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0), DVec3::new(0.0, 1.0, 0.0), DVec3::new(0.0, 0.0, 1.0)];
        let surface = Surface {
            positions: &positions,
            triangles: &[[0, 1, 2], [0, 2, 3]],
            edges: &[],
            marked: &[],
            colours: &[],
        };
        let normal = surface.node_normals()[0];
        assert!((normal - DVec3::new(1.0, 0.0, 4.0).normalize()).length() < 1e-12);
    }
}
