//! Vulkan objects that commands use.

pub(crate) mod buffer;
pub(crate) mod descriptor;
pub(crate) mod external;
pub(crate) mod graph;
pub(crate) mod host_memory;
pub(crate) mod image;
pub(crate) mod pipeline;
pub(crate) mod query;
pub(crate) mod semaphore;
pub(crate) mod timer;
