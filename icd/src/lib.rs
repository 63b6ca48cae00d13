//! `libpumice.so`: the C ABI of OpenCL over the runtime, and nothing else.
//!
//! Takes what a C program or the ICD loader passes: handles, pointers, counts, NULLs. Turns them
//! into references, slices and options, calls the runtime, and turns results back into return
//! codes and `errcode_ret`. Checks handles, pointers and counts; every other rule of the
//! specification is the runtime's.
//!
//! Never: lets a panic out; decides anything about OpenCL; exports a name outside [`table`].
#![allow(
    clippy::missing_safety_doc,
    reason = "each entry point's contract is the specification's"
)]
#![allow(clippy::too_many_arguments, reason = "the C API's")]
#![allow(missing_docs, reason = "the functions are the C API's, one for one")]

mod addressed;
mod callback;
mod command_buffer;
mod context;
mod device;
mod egl;
mod enqueue;
mod event;
mod exit;
mod gl;
mod hand_over;
mod handle;
mod image;
mod info;
mod kernel;
mod launch;
mod memory;
mod os;
mod pipe;
mod platform;
mod print;
mod program;
mod queue;
mod record;
mod sampler;
mod semaphore;
mod shapes;
mod shim;
mod svm;
mod table;
mod usm;
