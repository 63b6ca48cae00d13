//! Memory objects and samplers.
//!
//! - `buffer.rs`: the memory object, and buffers; `image.rs`, `image_desc.rs`, `image_create.rs`: images; `sampler.rs`: samplers
//! - `image_requirements.rs`: limits and alignments of images
//! - `image_rows.rs`: images of a buffer's rows
//! - `planar.rs`: planar images
//! - `external.rs`: memory of other APIs, `gl.rs`, `egl.rs`: objects of OpenGL and EGL; `device_address.rs`: buffers whose addresses the application knows
//! - `flags.rs`: `cl_mem_flags`
//! - `import.rs`: memory of the application, imported
//! - `residency.rs`: the copies of contents on devices; `storage.rs`, `image_storage.rs`: of bytes, of texels
//! - `clearing.rs`: clears of new contents by the device
//! - `pipe.rs`, `pipe_create.rs`: pipes
//! - `part.rs`: parts of contents, for commands that copy and map; `mapping.rs`: what is mapped
//! - `texel.rs`: colours as texels
//! - `written.rs`: the bytes of buffers that something wrote, for check mode

pub mod buffer;
pub mod clearing;
pub mod device_address;
pub mod egl;
pub mod external;
mod flags;
pub mod gl;
pub mod image;
pub mod image_create;
pub mod image_desc;
pub mod image_requirements;
pub mod image_rows;
mod image_storage;
pub mod import;
pub mod mapping;
pub mod part;
pub mod pipe;
mod pipe_create;
pub mod planar;
pub mod registry;
pub mod residency;
pub mod sampler;
pub mod storage;
pub mod texel;
pub mod written;

pub use buffer::Mem;
