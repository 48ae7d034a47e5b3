//! Which nodes are close to each other along the cloth, however it is folded.

use crate::cloth::Surface;

/// Rings of triangles around a node whose nodes are close to it. Edges are no shorter than the cloth is thick, so that
/// whatever is within two thicknesses along the cloth is among them, also where triangles are flat.
const RINGS: usize = 3;

/// The nodes within three rings of triangles around each node; what can be sewn together is one.
#[derive(Clone, Debug, Default)]
pub struct Rings {
    /// The names of the nodes, in ascending order, node by node, and where each begins.
    nodes: Vec<u32>,
    start: Vec<u32>,
    names: Vec<u32>,
}

impl Rings {
    /// The rings of a surface.
    pub fn new(surface: &Surface) -> Self {
        let count = surface.node_count();
        let names: Vec<u32> = (0..count).map(|node| surface.name(node as u32)).collect();
        let mut next = vec![Vec::new(); count];
        for edge in surface.edges() {
            let [a, b] = edge.map(|node| names[node as usize]);
            next[a as usize].push(b);
            next[b as usize].push(a);
        }
        let mut seen = vec![u32::MAX; count];
        let (mut nodes, mut start) = (Vec::new(), vec![0]);
        for node in 0..count as u32 {
            let first = nodes.len();
            // A node that goes by the name of another needs no list.
            if names[node as usize] == node {
                seen[node as usize] = node;
                nodes.push(node);
                let mut ring = first;
                for _ in 0..RINGS {
                    let end = nodes.len();
                    for k in ring..end {
                        for &other in &next[nodes[k] as usize] {
                            if std::mem::replace(&mut seen[other as usize], node) != node {
                                nodes.push(other);
                            }
                        }
                    }
                    ring = end;
                }
                nodes[first..].sort_unstable();
            }
            start.push(nodes.len() as u32);
        }
        Self { nodes, start, names }
    }

    /// Whether some node of one part is close to some node of another along the cloth.
    pub fn join(&self, one: &[usize], other: &[usize]) -> bool {
        one.iter().any(|&a| {
            let name = self.names[a] as usize;
            let around = &self.nodes[self.start[name] as usize..self.start[name + 1] as usize];
            other.iter().any(|&b| around.binary_search(&self.names[b]).is_ok())
        })
    }
}
