//! The list of measurements besides kernels.

use super::busy::Busy;
use super::groups::Grouped;
use super::images::OnImage;
use super::kernels::Launch;
use super::math::{self, Function};

/// Method of measurement of a row.
#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    /// Milliseconds of clBuildProgram: one small kernel, ten of this benchmark's, all of them,
    /// two hundred small ones.
    BuildSmall,
    BuildTen,
    BuildKernels,
    BuildLarge,
    /// The same for a kernel with one library function and one with twenty.
    BuildMath(&'static str),
    /// Milliseconds of clBuildProgram for all kernels in a second process.
    BuildAgain,
    /// Milliseconds from source to the first result, small kernel.
    FirstResult,
    /// Microseconds of an empty kernel and clFinish.
    LaunchFinish,
    /// Microseconds of each of a thousand empty kernels before one clFinish: plain, each behind
    /// the event of the one before, independent on an out-of-order queue.
    LaunchBatched,
    LaunchChain,
    LaunchOutOfOrder,
    /// Microseconds of each of a thousand empty kernels in a command buffer that is enqueued before one
    /// clFinish: as it is, and after another argument for one of them.
    Replayed,
    ReplayedChanged,
    /// The same of a thousand that a kernel enqueues, all of them or each the next one.
    LaunchedByKernel,
    LaunchedByEachOther,
    /// Time of a thousand empty kernels before one clFinish on a profiling queue, divided by the
    /// time on a plain queue, measured in turns: without events, and with an event for each.
    LaunchProfiling,
    LaunchProfiled,
    /// Microseconds of processor time of all threads.
    Busy(Busy),
    /// MiB that so many launches before one clFinish add to the process.
    LaunchMemory(usize),
    /// GB/s of 16 MiB: clEnqueueWriteBuffer, clEnqueueReadBuffer, memcpy, a map that is written.
    Write,
    Read,
    Memcpy,
    Map,
    /// Speed of a write or read relative to memcpy, measured beside it.
    WriteShare,
    ReadShare,
    /// Microseconds of a blocking read of 16 bytes, and of mapping and unmapping them.
    ReadSmall,
    MapSmall,
    /// Microseconds of handing 16 MiB of memory that Vulkan has allocated over and back, and of reading and
    /// writing as much by the host.
    HandOver,
    CopyBack,
    /// Microseconds of acquiring and releasing 16 MiB that are a buffer of OpenGL's.
    HandOverGl,
    /// Microseconds of signalling a semaphore and waiting for it.
    Semaphore,
    /// Microseconds of making a sub-buffer, launching a kernel on it and releasing it.
    SubBuffers,
    /// Microseconds of making a buffer of so many bytes, launching a kernel that writes all of it and
    /// releasing it.
    NewBuffer(usize),
    /// Of a process that opens the device, builds and runs a small kernel: milliseconds to the
    /// device when one such process has been before, and when none has, MiB resident at its end,
    /// MiB of the driver's library.
    StartUp,
    StartUpFirst,
    Resident,
    LibrarySize,
    Kernel(Launch),
    /// A kernel by functions of work-groups or sub-groups.
    Grouped(Grouped),
    /// Millions of calls a second.
    Math(Function),
    /// Millions of pixels a second.
    Image(OnImage),
}

/// One figure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub name: &'static str,
    pub unit: &'static str,
    /// True if a larger figure is better.
    pub more: bool,
    pub what: What,
}

/// A row.
pub(super) const fn row(name: &'static str, unit: &'static str, more: bool, what: What) -> Row {
    Row {
        name,
        unit,
        more,
        what,
    }
}

/// A row where less is better.
pub(super) const fn less(name: &'static str, unit: &'static str, what: What) -> Row {
    row(name, unit, false, what)
}

/// The list.
pub(super) const ROWS: &[Row] = &[
    less("build, small kernel", "ms", What::BuildSmall),
    less("build, ten kernels", "ms", What::BuildTen),
    less("build, this list's kernels", "ms", What::BuildKernels),
    less("build, 200 kernels", "ms", What::BuildLarge),
    less("build, first use of erfc", "ms", What::BuildMath(math::ONE)),
    less(
        "build, first use of 20 math functions",
        "ms",
        What::BuildMath(math::MANY),
    ),
    less(
        "build, this list's kernels, second process",
        "ms",
        What::BuildAgain,
    ),
    less("build to first result", "ms", What::FirstResult),
    less("launch and finish", "µs", What::LaunchFinish),
    less("launch, 1000 before a finish", "µs", What::LaunchBatched),
    less(
        "launch, each behind the last one's event",
        "µs",
        What::LaunchChain,
    ),
    less("launch, out of order", "µs", What::LaunchOutOfOrder),
    less("launch, 1000 in a command buffer", "µs", What::Replayed),
    less(
        "launch, 1000 in a command buffer, one changed",
        "µs",
        What::ReplayedChanged,
    ),
    less(
        "launch, 1000 enqueued by a kernel",
        "µs",
        What::LaunchedByKernel,
    ),
    less(
        "launch, 1000 enqueued by each other",
        "µs",
        What::LaunchedByEachOther,
    ),
    less(
        "launch on a profiling queue, a plain one is 1",
        "×",
        What::LaunchProfiling,
    ),
    less(
        "launch on a profiling queue with events, a plain one without is 1",
        "×",
        What::LaunchProfiled,
    ),
    less(
        "memory added by 20000 launches",
        "MiB",
        What::LaunchMemory(20_000),
    ),
    less(
        "memory added by 1000000 launches",
        "MiB",
        What::LaunchMemory(1_000_000),
    ),
    row("write 16 MiB", "GB/s", true, What::Write),
    row("read 16 MiB", "GB/s", true, What::Read),
    row("memcpy 16 MiB", "GB/s", true, What::Memcpy),
    row("write, memcpy is 1", "×", true, What::WriteShare),
    row("read, memcpy is 1", "×", true, What::ReadShare),
    row("map 16 MiB and fill", "GB/s", true, What::Map),
    less("read 16 bytes", "µs", What::ReadSmall),
    less("map and unmap 16 bytes", "µs", What::MapSmall),
    less(
        "16 MiB of Vulkan's memory acquired and released",
        "µs",
        What::HandOver,
    ),
    less("16 MiB read and written back", "µs", What::CopyBack),
    less(
        "16 MiB of OpenGL's acquired and released",
        "µs",
        What::HandOverGl,
    ),
    less("semaphore signaled and waited for", "µs", What::Semaphore),
    less("sub-buffer, launch on it", "µs", What::SubBuffers),
    less(
        "new buffer of 64 KiB, kernel that fills it",
        "µs",
        What::NewBuffer(64 << 10),
    ),
    less(
        "new buffer of 16 MiB, kernel that fills it",
        "µs",
        What::NewBuffer(16 << 20),
    ),
    less("process start to device", "ms", What::StartUp),
    less(
        "process start to device, empty caches",
        "ms",
        What::StartUpFirst,
    ),
    less("resident memory of a small process", "MiB", What::Resident),
    less("size of the driver's library", "MiB", What::LibrarySize),
];

impl What {
    /// Returns whether it takes minutes on a slow driver; it then runs only with `--long`.
    pub(super) fn is_long(self) -> bool {
        matches!(self, What::LaunchMemory(count) if count > 100_000)
    }
}
