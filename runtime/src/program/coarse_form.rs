//! A program's form with coarse copies of its kernels (`passes/optimize/coarsen`).
//!
//! Lowering takes longer with copies, and drivers for processors compile the copy when they first run it, for several times
//! as long as the kernel: milliseconds for a small one, seconds for a large one, and the launch waits. So the form is made, in
//! the background, once the device has run one of the kernels for a good part of that time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use pumice_compiler::Target;
use pumice_vulkan_layer::Capabilities;

use crate::base::exit;
use crate::base::log;
use crate::base::trace;
use crate::device::{Device, coarse};
use crate::executable::Executable;
use crate::program::compile_thread::in_background;
use crate::program::lowering::Lowering;

/// A kernel's copy is not worth it before the device has run the kernel for so many nanoseconds.
const LEAST: u64 = 20_000_000;
/// Drivers compile a copy for at least so many times as long as the kernel itself.
const COPY_COST: u64 = 2;

/// The form of one build.
pub struct CoarseForm {
    lowering: Lowering,
    /// The time that the device has spent on each kernel.
    spent: Vec<Spent>,
    is_begun: AtomicBool,
    /// The form, once it has been made; `None` if the program has none.
    made: OnceLock<Option<Arc<Executable>>>,
}

/// The nanoseconds for which the device has run a kernel.
#[derive(Default)]
struct Spent {
    sum: AtomicU64,
    last: AtomicU64,
    /// The time for which the driver compiled the kernel when it first ran it.
    compiling: OnceLock<u64>,
}

impl Spent {
    /// Notes a launch. Drivers compile a kernel when they first run it: of two launches in a row the shorter counts, and the
    /// first one's difference to the second is the compiler's.
    fn note(&self, nanoseconds: u64) {
        let last = self.last.swap(nanoseconds, Ordering::Relaxed);
        self.sum.fetch_add(nanoseconds.min(last), Ordering::Relaxed);
        if last > 0 {
            let _ = self.compiling.set(last.saturating_sub(nanoseconds));
        }
    }

    /// Returns whether the device has run it for as long as the driver compiled it.
    fn is_as_long_as_compiling(&self) -> bool {
        let compiling = self.compiling.get();
        compiling.is_some_and(|&time| self.sum.load(Ordering::Relaxed) >= time)
    }

    fn is_enough(&self) -> bool {
        let sum = self.sum.load(Ordering::Relaxed);
        let compiling = self.compiling.get();
        compiling.is_some_and(|time| sum >= LEAST.max(time.saturating_mul(COPY_COST)))
    }
}

impl CoarseForm {
    /// The form of a program that may get it: launches for a processor whose kernels have device addresses, no checks, and no
    /// variables of the program's, of which there would be two.
    pub(super) fn new(
        executable: &Executable,
        lowering: &Lowering,
        caps: &Capabilities,
    ) -> Option<Self> {
        let fits = coarse::takes_copies_later(caps) && lowering.may_have_forms();
        (fits && executable.is_stateless()).then(|| Self {
            lowering: lowering.clone(),
            spent: executable
                .kernels()
                .iter()
                .map(|_| Spent::default())
                .collect(),
            is_begun: AtomicBool::new(false),
            made: OnceLock::new(),
        })
    }

    /// Notes for how many nanoseconds the device has run a kernel.
    pub fn note_time(&self, kernel: usize, nanoseconds: u64) {
        if !self.spent[kernel].is_enough() {
            self.spent[kernel].note(nanoseconds);
        }
    }

    /// Returns whether another form of a kernel may pay, for which the driver compiles it once more.
    pub fn may_pay_again(&self, kernel: usize) -> bool {
        self.spent[kernel].is_as_long_as_compiling()
    }

    /// The executable for the next launch of a kernel, if the form has it and the device has run the kernel for long enough.
    /// None once the process exits: the driver would compile the copy while its compiler's exit handlers run.
    pub fn executable(&self, kernel: usize) -> Option<&Arc<Executable>> {
        if exit::is_leaving() {
            return None;
        }
        let made = (self.made.get()).filter(|_| self.spent[kernel].is_enough())?;
        made.as_ref().filter(|made| made.has_copies(kernel))
    }

    /// As [`CoarseForm::executable`]; makes the form when it is time to.
    pub fn for_launch(
        self: &Arc<Self>,
        kernel: usize,
        (executable, device): (&Arc<Executable>, &Device),
    ) -> Option<Arc<Executable>> {
        let is_due = self.spent[kernel].is_enough();
        if is_due && !self.is_begun.swap(true, Ordering::Relaxed) {
            let held = (self.clone(), executable.clone());
            let caps = device.capabilities().clone();
            in_background(held, move |(form, executable)| form.make(executable, &caps));
        }
        self.executable(kernel).cloned()
    }

    fn make(&self, executable: &Executable, caps: &Capabilities) {
        let _span = trace::span("build", "lower with coarse copies");
        let target = Target {
            coarse: true,
            ..Target::clone(&self.lowering.target)
        };
        let made = self.lowering.executable(&target, caps);
        let made = made.inspect_err(|log| {
            log::debug!("no coarse copies of the program's kernels: {log}");
        });
        let made = made.ok().filter(|made| made.stands_for(executable, caps));
        let _ = self.made.set(made.map(Arc::new));
    }
}
