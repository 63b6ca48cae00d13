//! Vulkan for the runtime: the only crate that sees ash.
//!
//! Takes plain data (configuration, SPIR-V words, sizes, bytes) and gives devices, buffers,
//! pipelines and submissions as safe objects. Shows no `vk::` type, reads no environment, prints
//! nothing, never calls up, and knows nothing of OpenCL or of the compiler.
//!
//! ```text
//! Instance::load(&InstanceConfig)         Error::NoVulkan where there is none
//!   .devices() / .left_out()              PhysicalDevice above the floor / the others, with reasons
//! PhysicalDevice::capabilities()          Capabilities: plain data for Target and clGetDeviceInfo
//!   .open() -> LogicalDevice              everything below is a clonable handle that keeps its parents
//! LogicalDevice::create_buffer(size, class)
//!                                         Buffer: address(), size(), mapped(), read(), write()
//!   .import_host_memory(ptr, size)        Buffer over the application's memory (unsafe)
//!   .import_memory(MemoryFd, fd, size)    Buffer over another API's memory
//!   .create_shared_buffer(size, class, Sharing)  Buffer whose pointer the host can use; address_delta()
//!   .create_semaphore(SemaphoreFd)        BinarySemaphore with import and export; Recorder::wait_for, signal
//!   .create_image(&ImageDesc)             Image; .create_image_view(…), .create_buffer_view(…), .sampler(desc)
//!   .create_shader_module(words)          non-semantic sets are stripped here
//!   .create_pipeline_layout(&desc)        descriptor sets and push-constant size, held to the limits
//!   .create_pipeline(&PipelineDesc)       one pipeline per set of specialization values
//!   .create_graph(&GraphDesc)             Graph: kernels that start one another; .create_scratch()
//!   .create_descriptor_set(&layout, i, &[(binding, Resource)])
//!   .create_queue() -> Queue              one timeline each
//!   .device_and_host_time(), .to_host_time(ns)
//!   .probes()                             what a shader found out (denormals, exact fma, …)
//! Queue::recorder() -> Recorder           bind_pipeline, bind_descriptors, push_constants, dispatch,
//!                                         dispatch_base, copy_buffer(regions), write_buffer, fill_buffer,
//!                                         initialize_image, copy_image, copy_buffer_to_image, copy_image_to_buffer,
//!                                         initialize_scratch, dispatch_graph,
//!                                         barrier, write_timestamp, keep(object)
//!   .reusable_recorder(), into_recording() commands that Recorder::run puts into other recorders, often
//!   .submit(recorder, &[Wait]) -> value   timeline().completed(), wait(value, timeout)
//! ```
//!
//! A recorder keeps every object that was recorded until its submission is done; memory that
//! shaders reach through addresses alone is kept by [`Recorder::keep`]. There are no implicit
//! barriers between commands or submissions; the host sees all writes of a finished submission.
//!
//! Layers, lowest first; a module knows its siblings and the lines above its own:
//!
//! ```text
//! error, raw           errors; what ash lacks
//! os                   what differs between operating systems
//! features, format     bits and formats by name
//! caps                 Capabilities, Probes: plain data, and the queries that fill them
//! quirks, asm          the list of driver quirks; an assembler for probes
//! device               instance, device, memory, and what a device keeps one of
//! objects              buffers, images, descriptor sets, pipelines, graphs, timestamps
//! commands             recorder, queue, clocks
//! probe                start-up probes, which run kernels
//! shared               memory whose pointers have one value on the host and in kernels
//! ```
//!
//! Invariant: no object is destroyed before the device is done with it, whatever order the caller
//! drops handles in.

pub mod asm;
pub mod caps;
mod commands;
mod device;
mod error;
mod features;
mod format;
mod objects;
pub mod os;
mod probe;
mod promoted;
pub mod quirks;
mod raw;
mod shared;

pub use caps::Probes;
pub use caps::{Capabilities, DeviceType};
pub use commands::buffer_copy::CopyRegion;
pub use commands::clock::host_time_ns;
pub use commands::graph::NodePayloads;
pub use commands::image_copy::TexelRows;
pub use commands::recorder::Recorder;
pub use commands::recording::Recording;
pub use commands::submit::Queue;
pub use commands::timeline::{Timeline, Wait};
pub use device::LogicalDevice;
pub use device::fault::{Fault, FaultCount, fault_counts};
pub use device::instance::{Instance, InstanceConfig, LeftOut, PhysicalDevice};
pub use device::pools::TimePair;
pub use device::sampler::{AddressMode, Sampler, SamplerDesc};
pub use error::{Error, Result};
pub use features::Features;
pub use format::{Format, FormatFeatures};
pub use objects::buffer::{Buffer, MemoryClass};
pub use objects::descriptor::{DescriptorSet, Resource};
pub use objects::external::{MemoryFd, imports};
pub use objects::graph::{Graph, GraphDesc, NodeDesc, Scratch};
pub use objects::image::{
    BufferView, Component, IDENTITY, Image, ImageBox, ImageDesc, ImageKind, ImageView,
};
pub use objects::pipeline::{
    Binding, BindingKind, Pipeline, PipelineDesc, PipelineLayout, PipelineLayoutDesc, ShaderModule,
};
pub use objects::query::Timestamp;
pub use objects::semaphore::{BinarySemaphore, SemaphoreFd, shares};
pub use objects::timer::Timer;
pub use probe::{AccurateFunctions, can_mask};
pub use shared::Sharing;
