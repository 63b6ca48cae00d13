//! Runs the kernels that belong to a program itself, initializers and finalizers (SPIR-V's execution
//! modes of those names, OpenCL 2.2's program initialization and clean-up kernels).
//!
//! Initializers run once per executable, as one work-item each and in the module's order, on a
//! queue of their own: a launch waits on the device for the value that [`Executable::run_initializers`]
//! gives, whichever queue it is in. Finalizers run once when the program goes, in the module's
//! order too, and only where initializers have had a reason to run.
//!
//! OpenCL's ND-range for both is (1, 1, 1). They have no arguments and may not use shared virtual
//! memory (OpenCL 3.0 API §3.2.1), so nobody can tell that initializers are submitted by the first
//! enqueue and not with its command.

use std::sync::Arc;

use parking_lot::Mutex;
use pumice_vulkan_layer::{self as vk, Buffer, LogicalDevice, Wait};

use crate::base::printf::Decoded;

use super::{Executable, Launch, LaunchError, NdRange};

/// Initializers or finalizers that have been submitted.
pub struct InitRun {
    /// `None` where there was nothing to submit.
    submitted: Option<(vk::Queue, u64)>,
    /// Printf buffers that nobody has decoded.
    printf: Mutex<Vec<Buffer>>,
}

impl InitRun {
    /// The wait of later commands; `None` where nothing was submitted.
    pub fn wait(&self) -> Option<Wait> {
        (self.submitted.as_ref()).map(|(queue, value)| Wait {
            timeline: queue.timeline().clone(),
            value: *value,
        })
    }

    /// The printf buffers, once a command that waited has ended; empty for every other caller.
    pub fn take_printf(&self) -> Vec<Buffer> {
        std::mem::take(&mut self.printf.lock())
    }

    /// Tells whether there is nothing left to wait for or to print.
    fn is_over(&self) -> bool {
        let ended = (self.submitted.as_ref())
            .is_none_or(|(queue, value)| queue.timeline().completed().is_ok_and(|at| at >= *value));
        ended && self.printf.lock().is_empty()
    }
}

impl Executable {
    /// Tells whether the program has initializers (CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT).
    pub fn has_initializers(&self) -> bool {
        !self.interface.init_fini.initializers.is_empty()
    }

    /// Tells whether the program has finalizers (CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT).
    pub fn has_finalizers(&self) -> bool {
        !self.interface.init_fini.finalizers.is_empty()
    }

    /// Submits the initializers, if no launch before this one did; gives what the launch waits
    /// for, `None` if that is nothing.
    ///
    /// # Errors
    /// See [`LaunchError`]; the next launch tries again.
    pub fn run_initializers(
        &self,
        device: &LogicalDevice,
    ) -> Result<Option<Arc<InitRun>>, LaunchError> {
        if !self.has_initializers() && !self.has_finalizers() {
            return Ok(None);
        }
        // Held while submitting: nobody goes on without the value.
        let mut slot = self.init_run.lock();
        let run = match &*slot {
            Some(run) => Arc::clone(run),
            None => {
                let made = Arc::new(self.submit_kernels(
                    device,
                    &self.interface.init_fini.initializers,
                    &[],
                )?);
                *slot = Some(Arc::clone(&made));
                made
            }
        };
        drop(slot);
        Ok((!run.is_over()).then_some(run))
    }

    /// Runs the finalizers, if there was a launch, and waits for them. All launches have ended.
    /// `print` gets what they print; gives what there was no room for, for each kernel.
    ///
    /// # Errors
    /// See [`LaunchError`].
    pub fn run_finalizers(
        &self,
        device: &LogicalDevice,
        print: &mut dyn FnMut(&[u8]),
    ) -> Result<Vec<Decoded>, LaunchError> {
        let Some(initializers) = self.init_run.lock().take() else {
            return Ok(Vec::new());
        };
        if !self.has_finalizers() {
            return Ok(Vec::new());
        }
        let waits: Vec<Wait> = initializers.wait().into_iter().collect();
        let finalizers =
            self.submit_kernels(device, &self.interface.init_fini.finalizers, &waits)?;
        if let Some((queue, value)) = &finalizers.submitted {
            queue.wait(*value, None)?;
        }
        let buffers = [initializers.take_printf(), finalizers.take_printf()].concat();
        let decoded = buffers
            .into_iter()
            .map(|buffer| self.decode_printf(buffer, print));
        Ok(decoded.collect::<pumice_vulkan_layer::Result<_>>()?)
    }

    fn submit_kernels(
        &self,
        device: &LogicalDevice,
        kernels: &[usize],
        waits: &[Wait],
    ) -> Result<InitRun, LaunchError> {
        let mut printf = Vec::new();
        if kernels.is_empty() {
            return Ok(InitRun {
                submitted: None,
                printf: Mutex::new(printf),
            });
        }
        let queue = device.create_queue()?;
        let mut recorder = queue.recorder()?;
        for &kernel in kernels {
            let launch = Launch {
                enqueue: None,
                checks: None,
                termination: None,
                queue: 0,
                kernel,
                range: &NdRange {
                    work_dim: 1,
                    global_offset: [0; 3],
                    global_size: [1; 3],
                    local_size: [1; 3],
                },
                args: &[],
                may_slice: false,
            };
            let mut prepared = self.prepare(device, &launch)?;
            recorder.barrier();
            prepared.record(&mut recorder)?;
            printf.extend(prepared.take_printf());
        }
        let value = queue.submit(recorder, waits)?;
        Ok(InitRun {
            submitted: Some((queue, value)),
            printf: Mutex::new(printf),
        })
    }
}
