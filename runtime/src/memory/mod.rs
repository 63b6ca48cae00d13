//! Memory objects and samplers.
//!
//! - `buffer.rs`: the memory object, and buffers; `image.rs`, `image_create.rs`: images; `sampler.rs`: samplers
//! - `external.rs`: memory of other APIs
//! - `residency.rs`: the copies of contents on devices; `storage.rs`, `image_storage.rs`: of bytes, of texels
//! - `pipe.rs`, `pipe_create.rs`: pipes
//! - `part.rs`: parts of contents, for commands that copy and map
//! - `texel.rs`: colours as texels

pub mod buffer;

pub mod external;
pub mod image;
pub mod image_create;
mod image_storage;
pub mod part;
pub mod pipe;
mod pipe_create;
pub mod residency;
pub mod sampler;
pub mod storage;
pub mod texel;

pub use buffer::Mem;
