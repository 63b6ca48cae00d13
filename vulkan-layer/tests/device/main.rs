//! Tests against the machine's first Vulkan device, under the validation layer where it is
//! installed. Without any Vulkan device each test says so and passes.

mod arithmetic;
mod buffers;
mod control_flow;
mod dispatch;
mod graphs;
mod images;
mod modules;
mod setup;
mod submission;
