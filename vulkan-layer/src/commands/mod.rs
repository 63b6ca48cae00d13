//! Recording and submission of commands.

mod barrier;
pub(crate) mod buffer_copy;
pub(crate) mod clock;
pub(crate) mod graph;
pub(crate) mod image_copy;
mod indirect;
pub(crate) mod recorder;
pub(crate) mod recording;
pub(crate) mod submit;
pub(crate) mod timeline;
