//! What can go wrong between a sheet of cloth and a file on disk.

use std::path::PathBuf;

use glam::DVec3;

/// Why a picture could not be made or saved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// A side of the picture has no pixels, or more than can reasonably be drawn.
    #[error("a picture of {width}×{height} pixels: each side must be between 1 and {limit}")]
    PictureSize {
        /// Width asked for, in pixels.
        width: usize,
        /// Height asked for, in pixels.
        height: usize,
        /// The longest side allowed.
        limit: usize,
    },
    /// An animation of nothing.
    #[error("an animation needs a picture")]
    NoPictures,
    /// The pictures of an animation are not of one size.
    #[error("the pictures of an animation are of {}×{} and of {}×{} pixels: draw them alike", first[0], first[1], other[0], other[1])]
    SizesDiffer {
        /// Width and height of the first, in pixels.
        first: [usize; 2],
        /// Width and height of another.
        other: [usize; 2],
    },
    /// A node has a coordinate that is not a number, infinite or absurdly far away.
    #[error("node {node} is at {position}, which cannot be drawn")]
    NodePosition {
        /// Index of the node.
        node: usize,
        /// Where the surface says it is.
        position: DVec3,
    },
    /// A triangle, an edge or a mark refers to a node the surface does not have.
    #[error("{item} {index} refers to node {node}, but the surface has {nodes} nodes")]
    MissingNode {
        /// What refers to the node: `"triangle"`, `"edge"` or `"mark"`.
        item: &'static str,
        /// Index of the triangle, edge or mark.
        index: usize,
        /// The node it refers to.
        node: usize,
        /// How many nodes there are.
        nodes: usize,
    },
    /// Some nodes have a colour and others have none.
    #[error("there are {colours} colours for {nodes} nodes: give every node one, or none")]
    Colours {
        /// How many colours there are.
        colours: usize,
        /// How many nodes.
        nodes: usize,
    },
    /// A body cannot be drawn.
    #[error("body {index} cannot be drawn")]
    Body {
        /// Index of the body.
        index: usize,
        /// What is wrong with its nodes or triangles.
        source: Box<RenderError>,
    },
    /// The camera does not define a view.
    #[error("the camera does not define a view: {why}")]
    Camera {
        /// What is wrong with it.
        why: &'static str,
    },
    /// A setting of the style is out of its range.
    #[error("the style cannot be used: {why}")]
    Style {
        /// What is wrong with it.
        why: &'static str,
    },
    /// The picture could not be encoded as a PNG.
    #[error("the picture could not be encoded")]
    Encoding(#[from] png::EncodingError),
    /// The pictures could not be encoded as a GIF.
    #[error("the animation could not be encoded")]
    Gif(#[from] gif::EncodingError),
    /// The file could not be written.
    #[error("{} could not be written", path.display())]
    File {
        /// The file in question.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}
