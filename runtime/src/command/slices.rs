//! Recording of launches, as a whole or in slices.

use super::Retire;
use pumice_vulkan_layer::Buffer;

use super::checks::Run;
use super::image_arguments::record_staged;
use super::ndrange::{KernelLaunch, Ready, prepare};
use super::output::Output;
use crate::base::error::{Error, Result};
use crate::context::Placement;
use crate::device::gpu;
use crate::executable::Prepared;

impl Ready {
    /// A launch without images that are rows of buffers, and without checks.
    pub(super) fn of(prepared: Prepared) -> Self {
        Self {
            prepared,
            staged: Vec::new(),
            known: None,
        }
    }

    fn takes_turns(&self) -> bool {
        !self.staged.is_empty() || self.prepared.takes_turns()
    }

    /// Tells whether it takes one submission and no turns, and nothing is left to do behind it.
    pub(super) fn is_simple(&self) -> bool {
        let reports = self.known.is_some() || self.prepared.printf().is_some();
        !reports && !self.takes_turns() && self.slices() == 1
    }

    fn slices(&self) -> usize {
        // Copies before and after the launch would have to be cut off too.
        match self.staged.is_empty() {
            true => self.prepared.slices(),
            false => 1,
        }
    }
}

impl KernelLaunch {
    /// The number of submissions that the launch is to take.
    pub(super) fn count_slices(&self, on: &Placement) -> usize {
        // For another queue it is prepared anew, and whole.
        if on.number() != self.queue {
            return 1;
        }
        self.prepared.lock().as_ref().map_or(1, Ready::slices)
    }

    /// Tells whether the launch uses memory of its queue's, or may do so when it is prepared anew.
    pub(super) fn shares_memory(&self, on: &Placement) -> bool {
        let prepared = self.prepared.lock();
        let ready = prepared.as_ref().filter(|_| on.number() == self.queue);
        ready.is_none_or(Ready::takes_turns)
    }

    /// Has the driver generate the kernel's code, where that would be part of the launch's time. Returns whether something was recorded.
    pub(super) fn generate_code(
        &self,
        on: &Placement,
        recorder: &mut gpu::Recorder,
    ) -> Result<bool> {
        let slot = self.prepared.lock();
        let ready = slot.as_ref().filter(|_| on.number() == self.queue);
        ready.map_or(Ok(false), |ready| {
            let recorded = ready.prepared.generate_code(recorder);
            recorded.map_err(gpu::error)
        })
    }

    /// Records a slice that is not the last.
    pub(super) fn record_early(
        &self,
        recorder: &mut gpu::Recorder,
        slice: usize,
    ) -> Result<Retire> {
        let slot = self.prepared.lock();
        let ready = slot.as_ref().ok_or(Error::OutOfResources)?;
        let recorded = ready.prepared.record_dispatches(recorder, slice..slice + 1);
        recorded.map_err(gpu::error)?;
        Ok(Retire::nothing())
    }

    /// Records the dispatches from a number on; the rest is to be done when all have ended.
    pub(super) fn record_from(
        &self,
        on: &Placement,
        recorder: &mut gpu::Recorder,
        from: usize,
    ) -> Result<Retire> {
        let (printf, checks) = self.dispatch(on, recorder, from)?;
        if self.initializers.is_none() && printf.is_none() && checks.is_none() {
            return Ok(Retire::nothing());
        }
        let initializers = self.initializers.clone();
        let mut output = Output::new(
            &self.device_kernel.executable,
            &self.kernel,
            on,
            initializers,
        );
        output.printf = printf;
        output.checks = checks;
        Ok(Retire::with(move || output.print()))
    }

    /// See [`super::DeviceCommand::record_again`].
    pub(super) fn dispatch_again(
        &self,
        on: &Placement,
        recorder: &mut gpu::Recorder,
    ) -> Result<()> {
        let as_it_is = self.joins && on.number() == self.queue;
        if let (Some(ready), true) = (&*self.prepared.lock(), as_it_is) {
            return (ready.prepared.record_again(recorder)).map_err(gpu::error);
        }
        recorder.barrier();
        self.record_from(on, recorder, 0).map(drop)
    }

    /// Records dispatches, the last among them; gives the launch's printf buffer and its checks.
    fn dispatch(
        &self,
        on: &Placement,
        recorder: &mut gpu::Recorder,
        from: usize,
    ) -> Result<(Option<Buffer>, Option<Run>)> {
        let mut slot = self.prepared.lock();
        let own_queue = on.number() == self.queue;
        if let (Some(ready), true) = (slot.as_ref(), own_queue && self.joins) {
            let recorded = ready.prepared.record_dispatches(recorder, from..);
            recorded.map_err(gpu::error)?;
            return Ok((None, None));
        }
        let there = if own_queue { slot.take() } else { None };
        let mut ready = match there {
            Some(ready) => ready,
            None => prepare(
                on,
                &self.kernel,
                &self.device_kernel,
                &self.args,
                &self.range,
            )?,
        };
        record_staged(&ready.prepared, &ready.staged, from.., recorder)?;
        let printf = ready.prepared.take_printf();
        let checks = ready.prepared.take_checks().zip(ready.known.clone());
        let checks = checks.map(|(memory, known)| Run {
            memory,
            known,
            range: self.range,
        });
        if printf.is_none() && checks.is_none() && own_queue {
            *slot = Some(ready);
        }
        Ok((printf, checks))
    }
}
