//! Printing of what kernels wrote with printf.

use std::sync::Arc;

use pumice_vulkan_layer::Buffer;

use crate::base::callback;
use crate::base::error::Result;
use crate::base::object::Ref;
use crate::base::printf;
use crate::command::checks::Run;
use crate::context::{Context, Placement};
use crate::device::gpu;
use crate::executable::{Executable, InitRun};
use crate::program::kernel::Kernel;

/// The printf buffers of a launch. The launch's own belongs to its recording and is read each time
/// that the recording has run.
pub(super) struct Output {
    executable: Arc<Executable>,
    kernel: Ref<Kernel>,
    context: Ref<Context>,
    initializers: Option<Arc<InitRun>>,
    /// The launch's own.
    pub(super) printf: Option<Buffer>,
    /// The faults that the launch's checks found.
    pub(super) checks: Option<Run>,
}

impl Output {
    /// The output of a kernel without a buffer of its own yet.
    pub(super) fn new(
        executable: &Arc<Executable>,
        kernel: &Ref<Kernel>,
        on: &Placement,
        initializers: Option<Arc<InitRun>>,
    ) -> Self {
        Self {
            executable: executable.clone(),
            kernel: kernel.clone(),
            context: on.context().clone(),
            initializers,
            printf: None,
            checks: None,
        }
    }

    /// Prints everything.
    pub(super) fn print(&mut self) -> Result<()> {
        // The first kernel to end prints what the initializers did.
        let before = self.initializers.take();
        for buffer in before.map_or_else(Vec::new, |run| run.take_printf()) {
            self.print_buffer(&buffer)?;
            self.executable.keep_printf(buffer);
        }
        if let Some(buffer) = &self.printf {
            self.print_buffer(buffer)?;
        }
        printf::flush();
        match &self.checks {
            Some(run) => run.tell(&self.executable, self.kernel.name(), &self.context),
            None => Ok(()),
        }
    }

    /// Prints what a buffer holds, and empties it.
    pub(super) fn print_buffer(&self, buffer: &Buffer) -> Result<()> {
        let mut all = Vec::new();
        let decoded = (self.executable)
            .read_printf(buffer, &mut |text| all.extend_from_slice(text))
            .map_err(gpu::error)?;
        self.context.print(all);
        let launch = format!("kernel `{}`", self.kernel.name());
        if let Some(complaint) = printf::complain(&launch, decoded) {
            let context = self.context.clone();
            callback::post(move || context.notify(&complaint));
        }
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(buffer) = self.printf.take() {
            self.executable.keep_printf(buffer);
        }
    }
}
