//! The interpreter: runs kernels of the IR on the CPU, as the oracle of tests.
//!
//! Takes: a verified [`Module`] before or after `lower_kernel_args`, arguments and a range.
//! Gives: the buffers' contents afterwards and the printf records, or a typed error that
//! names the instruction. Never: executes `MathOp::Ocl` (lower it first); shares arithmetic
//! with the passes that it checks, so [`float`] and `eval` are its own.
//!
//! Every allocation is a region of 2³² bytes of address space, so that stepping over a border
//! is always seen. An address is `region << 32 | offset`; region 0 is NULL. A generic pointer
//! carries its space in the two top bits: 0 global, 1 local, 2 private.
//!
//! Kernels that a kernel enqueues on the device run after it, from queues of the interpreter's own.
//!
//! The work-items of a group run one after the other, each up to its next barrier, collective
//! or end, or for a slice of instructions, so that one may wait for another.

mod args;
mod collective;
mod denormals;
mod eval;
mod exec;
pub mod float;
mod group;
pub mod half;
mod images;
mod lanes;
mod machine;
mod memory;
mod nodes;
mod pixel;

#[cfg(test)]
mod tests;

use pumice_ir::{ImageDim, KernelInfo, Module};
use pumice_target::device_queue::QUEUES;

pub use memory::buffer_address;
pub use nodes::Enqueued;

/// An image, whose pixels are the bytes of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// The number of the buffer in [`Inputs::buffers`]: its pixels, row after row without gaps.
    pub buffer: usize,
    /// Dimensionality of a layer.
    pub dim: ImageDim,
    /// Has layers.
    pub arrayed: bool,
    /// The size as [`pumice_ir::ImageOp::Size`] gives it, layers last; 1 where it has no more numbers.
    pub size: [u32; 3],
    /// `cl_channel_order`.
    pub order: u32,
    /// `cl_channel_type`.
    pub data_type: u32,
}

/// One kernel argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// Bytes of a value or struct, little-endian; three lanes take the room of three or four.
    Bytes(Vec<u8>),
    /// The address `offset` bytes into buffer `index` of [`Inputs::buffers`].
    Buffer {
        /// The buffer's number.
        index: usize,
        /// Bytes to its start.
        offset: u64,
    },
    /// A NULL pointer.
    Null,
    /// Local memory of so many bytes.
    Local(u64),
    /// The device queue of that number.
    Queue(u32),
    /// An image.
    Image(Image),
    /// A sampler: the sum of its `CLK_*` constants.
    Sampler(u32),
}

/// The memory and arguments of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// Global buffers; number i lies at [`buffer_address`]`(i)`.
    pub buffers: Vec<Vec<u8>>,
    /// Arguments in order.
    pub args: Vec<Arg>,
}

/// The range of work-items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NdRange {
    /// 1 to 3.
    pub work_dim: u32,
    /// Work-items by dimension; 1 where unused.
    pub global: [u64; 3],
    /// Work-group size; the last group of a dimension may be smaller.
    pub local: [u64; 3],
    /// Global offset.
    pub offset: [u64; 3],
}

impl NdRange {
    /// One dimension without offset.
    pub fn linear(global: u64, local: u64) -> Self {
        Self {
            work_dim: 1,
            global: [global, 1, 1],
            local: [local, 1, 1],
            offset: [0; 3],
        }
    }
}

/// Options of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Work-items of a sub-group of kernels that require no size.
    pub subgroup_size: u32,
    /// Instructions that all work-items together may execute.
    pub fuel: u64,
    /// True if loading private or local memory that nothing stored to is an error.
    pub check_uninitialised: bool,
    /// Bytes of the printf buffer, for code after `lower_printf`.
    pub printf_buffer_size: u32,
    /// Bytes of the device queues by number, 0 for those that there are not. Number 0 is the default.
    pub device_queues: [u32; QUEUES],
    /// Address of the memory of checks; 0 if there is none.
    pub check_memory: u64,
    /// Address of the word that tells kernels to end; 0 if nothing does.
    pub termination_flag: u64,
    /// True if arithmetic in single precision takes denormals for zeros, among operands and results.
    pub flush_denormals: bool,
    /// The same of double precision.
    pub flush_doubles: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            subgroup_size: 8,
            fuel: 50_000_000,
            check_uninitialised: true,
            printf_buffer_size: 1 << 20,
            device_queues: [256 << 10, 64 << 10, 0, 0, 0, 0, 0, 0],
            check_memory: 0,
            termination_flag: 0,
            flush_denormals: false,
            flush_doubles: false,
        }
    }
}

/// One argument of a printf call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrintfValue {
    /// Bits of each lane, and the type.
    Value(pumice_ir::Type, Vec<u64>),
    /// A string literal.
    String(Vec<u8>),
}

/// One printf call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintfRecord {
    /// The format string.
    pub format: Vec<u8>,
    /// The arguments.
    pub args: Vec<PrintfValue>,
}

/// The outcome of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The buffers.
    pub buffers: Vec<Vec<u8>>,
    /// printf calls in the order of execution.
    pub printf: Vec<PrintfRecord>,
    /// The printf buffer that code after `lower_printf` wrote to; empty if it did not.
    pub printf_buffer: Vec<u8>,
    /// The payloads that the kernel enqueued for other nodes of its execution graph.
    pub enqueued: Vec<Enqueued>,
}

/// The reason why a run stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The module has no such kernel.
    NoSuchKernel,
    /// The arguments or the range do not fit the kernel.
    BadArguments(String),
    /// An access outside of every allocation.
    OutOfBounds {
        /// The address, as the pointer has it.
        address: u64,
        /// Bytes accessed.
        size: u64,
    },
    /// An access to a private variable of a function that has returned.
    Dangling {
        /// The address.
        address: u64,
    },
    /// An access below the alignment that the instruction promises.
    Misaligned {
        /// The address.
        address: u64,
        /// The alignment that the instruction promises, in bytes.
        align: u32,
    },
    /// A load of private or local memory that nothing was stored to.
    Uninitialised {
        /// The address.
        address: u64,
    },
    /// A store to constant memory.
    ReadOnly {
        /// The address.
        address: u64,
    },
    /// A copy between regions that overlap without being equal.
    Overlap,
    /// Work-items wait at different barriers or collectives, or have ended.
    DivergentBarrier,
    /// More instructions than [`Options::fuel`].
    OutOfFuel,
    /// More than 1000 calls deep.
    CallDepth,
    /// Control reached `unreachable`.
    Unreachable,
    /// Something that must be lowered first or that only devices have.
    Unsupported(String),
}

/// An error with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterpError {
    /// The kind of error.
    pub kind: ErrorKind,
    /// `function, block: instruction`; empty if no instruction is at fault.
    pub place: String,
    /// The work-item's global id.
    pub global_id: [u64; 3],
}

impl std::fmt::Display for InterpError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.kind {
            ErrorKind::NoSuchKernel => write!(f, "no such kernel")?,
            ErrorKind::BadArguments(why) => write!(f, "bad arguments: {why}")?,
            ErrorKind::OutOfBounds { address, size } => {
                write!(f, "out of bounds: {size} bytes at {address:#x}")?;
            }
            ErrorKind::Dangling { address } => write!(f, "dangling pointer {address:#x}")?,
            ErrorKind::Misaligned { address, align } => {
                write!(f, "misaligned: {address:#x} is not aligned to {align}")?;
            }
            ErrorKind::Uninitialised { address } => {
                write!(f, "uninitialised memory at {address:#x}")?;
            }
            ErrorKind::ReadOnly { address } => write!(f, "store to constant {address:#x}")?,
            ErrorKind::Overlap => write!(f, "overlapping copy")?,
            ErrorKind::DivergentBarrier => write!(f, "divergent barrier or collective")?,
            ErrorKind::OutOfFuel => write!(f, "out of fuel")?,
            ErrorKind::CallDepth => write!(f, "calls nest too deeply")?,
            ErrorKind::Unreachable => write!(f, "reached unreachable")?,
            ErrorKind::Unsupported(what) => write!(f, "not executable: {what}")?,
        }
        if !self.place.is_empty() {
            let [x, y, z] = self.global_id;
            write!(f, " in {} by work-item ({x}, {y}, {z})", self.place)?;
        }
        Ok(())
    }
}

impl std::error::Error for InterpError {}

impl From<ErrorKind> for InterpError {
    fn from(kind: ErrorKind) -> Self {
        Self {
            kind,
            place: String::new(),
            global_id: [0; 3],
        }
    }
}

/// Runs a kernel over a range.
///
/// # Errors
/// The first thing that goes wrong, in the order of execution.
pub fn run(
    module: &Module,
    kernel: &str,
    inputs: &Inputs,
    range: &NdRange,
    options: &Options,
) -> Result<Output, InterpError> {
    run_node(module, kernel, inputs, range, options, &[])
}

/// Runs a kernel that receives payloads as a node of an execution graph: the words of each, its
/// group counts first.
///
/// # Errors
/// The first thing that goes wrong, in the order of execution.
pub fn run_node(
    module: &Module,
    kernel: &str,
    inputs: &Inputs,
    range: &NdRange,
    options: &Options,
    received: &[Vec<u32>],
) -> Result<Output, InterpError> {
    let Some(kernel) = module.kernels.iter().find(|k| k.name == kernel) else {
        return Err(ErrorKind::NoSuchKernel.into());
    };
    let range = in_invocations(kernel, range)?;
    machine::Machine::new(module, kernel, inputs, &range, options, received)?.run()
}

/// The range of a kernel's invocations, of which each may run several work-items.
fn in_invocations(kernel: &KernelInfo, range: &NdRange) -> Result<NdRange, InterpError> {
    let Some(coarse) = kernel.coarse else {
        return Ok(*range);
    };
    let items = u64::from(coarse.items);
    let mut range = *range;
    for size in [
        &mut range.global[0],
        &mut range.local[0],
        &mut range.offset[0],
    ] {
        if *size % items != 0 {
            let text = format!("invocations of {items} work-items");
            return Err(ErrorKind::BadArguments(text).into());
        }
        *size /= items;
    }
    Ok(range)
}
