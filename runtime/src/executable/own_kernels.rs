//! The kernels that a program runs by itself: initializers and finalizers (SPIR-V's execution
//! modes of those names, OpenCL 2.2's program initialization and clean-up kernels).
//!
//! Initializers run once per executable, as one work-item each and in the module's order, on a
//! queue of their own: a launch waits on the device for the value that [`Executable::start`]
//! gives, whichever queue it is in. Finalizers run once when the program goes, in the module's
//! order too, and only where initializers have had a reason to run.
//!
//! OpenCL's ND-range for both is (1, 1, 1). They have no arguments and may not use shared virtual
//! memory (OpenCL 3.0 API §3.2.1), so nobody can tell that initializers are submitted by the first
//! enqueue and not with its command.

use std::sync::Arc;

use parking_lot::Mutex;
use pumice_reflection::Role;
use pumice_vulkan_layer::{Buffer, Device, Queue, Wait};

use super::interface::KernelInterface;
use super::{Decoded, Executable, Launch, LaunchError, NdRange};

/// Which kernels are the program's own, by their place behind those of applications.
#[derive(Debug, Default)]
pub(super) struct OwnKernels {
    /// The number of applications' kernels.
    pub first: usize,
    initializers: Vec<usize>,
    finalizers: Vec<usize>,
}

impl OwnKernels {
    /// Moves the program's own kernels behind the others.
    ///
    /// # Errors
    /// One of them has arguments.
    pub fn take(roles: &[Role], kernels: &mut Vec<KernelInterface>) -> Result<Self, String> {
        let own = |index: usize| (roles.iter()).any(|role| role.kernel().0 as usize == index);
        for role in roles {
            // The reader gives references to kernels that are there.
            if let Some(kernel) = kernels.get(role.kernel().0 as usize) {
                if !kernel.info.args.is_empty() {
                    let (name, role) = (&kernel.info.name, role.name());
                    return Err(format!("kernel `{name}`: an {role} has arguments"));
                }
            }
        }
        // Stable: both parts keep the module's order.
        let mut order: Vec<usize> = (0..kernels.len()).collect();
        order.sort_by_key(|&index| own(index));
        let place = |index: usize| order.iter().position(|&old| old == index);
        let of = |is: fn(&Role) -> bool| -> Vec<usize> {
            let kernels = roles.iter().filter(|role| is(role));
            kernels
                .filter_map(|role| place(role.kernel().0 as usize))
                .collect()
        };
        let made = Self {
            first: (0..kernels.len()).filter(|&index| !own(index)).count(),
            initializers: of(|role| matches!(role, Role::Initializer(_))),
            finalizers: of(|role| matches!(role, Role::Finalizer(_))),
        };
        let mut old: Vec<_> = std::mem::take(kernels).into_iter().map(Some).collect();
        kernels.extend(order.iter().filter_map(|&index| old[index].take()));
        Ok(made)
    }
}

/// Kernels of the program's own that have been submitted.
pub struct Started {
    /// `None` where there was nothing to submit.
    submitted: Option<(Queue, u64)>,
    /// Printf buffers that nobody has decoded.
    printf: Mutex<Vec<Buffer>>,
}

impl Started {
    /// What later commands wait for.
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

    /// Whether there is nothing left to wait for or to print.
    fn is_over(&self) -> bool {
        let ended = (self.submitted.as_ref())
            .is_none_or(|(queue, value)| queue.timeline().completed().is_ok_and(|at| at >= *value));
        ended && self.printf.lock().is_empty()
    }
}

impl Executable {
    /// Whether the program has initializers (CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT).
    pub fn has_initializers(&self) -> bool {
        !self.interface.own.initializers.is_empty()
    }

    /// Whether the program has finalizers (CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT).
    pub fn has_finalizers(&self) -> bool {
        !self.interface.own.finalizers.is_empty()
    }

    /// Submits the initializers, if no launch before this one did; gives what the launch waits
    /// for, `None` if that is nothing.
    ///
    /// # Errors
    /// See [`LaunchError`]; the next launch tries again.
    pub fn start(&self, device: &Device) -> Result<Option<Arc<Started>>, LaunchError> {
        if !self.has_initializers() && !self.has_finalizers() {
            return Ok(None);
        }
        // Held while submitting: nobody goes on without the value.
        let mut slot = self.started.lock();
        let started = match &*slot {
            Some(started) => Arc::clone(started),
            None => {
                let made = Arc::new(self.run_own(device, &self.interface.own.initializers, &[])?);
                *slot = Some(Arc::clone(&made));
                made
            }
        };
        drop(slot);
        Ok((!started.is_over()).then_some(started))
    }

    /// Runs the finalizers, if there was a launch, and waits for them. All launches have ended.
    /// `print` gets what they print; gives what there was no room for, for each kernel.
    ///
    /// # Errors
    /// See [`LaunchError`].
    pub fn finish(
        &self,
        device: &Device,
        print: &mut dyn FnMut(&[u8]),
    ) -> Result<Vec<Decoded>, LaunchError> {
        let Some(started) = self.started.lock().take() else {
            return Ok(Vec::new());
        };
        if !self.has_finalizers() {
            return Ok(Vec::new());
        }
        let waits: Vec<Wait> = started.wait().into_iter().collect();
        let ended = self.run_own(device, &self.interface.own.finalizers, &waits)?;
        if let Some((queue, value)) = &ended.submitted {
            queue.wait(*value, None)?;
        }
        let buffers = [started.take_printf(), ended.take_printf()].concat();
        let decoded = buffers
            .into_iter()
            .map(|buffer| self.decode_printf(buffer, print));
        Ok(decoded.collect::<pumice_vulkan_layer::Result<_>>()?)
    }

    fn run_own(
        &self,
        device: &Device,
        kernels: &[usize],
        waits: &[Wait],
    ) -> Result<Started, LaunchError> {
        let mut printf = Vec::new();
        if kernels.is_empty() {
            return Ok(Started {
                submitted: None,
                printf: Mutex::new(printf),
            });
        }
        let queue = device.create_queue()?;
        let mut recorder = queue.recorder()?;
        for &kernel in kernels {
            let launch = Launch {
                queue: 0,
                kernel,
                range: &NdRange {
                    work_dim: 1,
                    global_offset: [0; 3],
                    global_size: [1; 3],
                    local_size: [1; 3],
                },
                args: &[],
            };
            let mut prepared = self.prepare(device, &launch)?;
            recorder.barrier();
            prepared.record(&mut recorder)?;
            printf.extend(prepared.take_printf());
        }
        let value = queue.submit(recorder, waits)?;
        Ok(Started {
            submitted: Some((queue, value)),
            printf: Mutex::new(printf),
        })
    }
}
