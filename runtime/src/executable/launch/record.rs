//! Recording of launches that are prepared.

use std::ops::RangeBounds;

use pumice_vulkan_layer as vk;
use pumice_vulkan_layer::{Buffer, Recorder};

use super::plan::PlannedDispatch;
use super::{CheckMemory, Prepared};

impl PlannedDispatch {
    /// Records the dispatch by the bound pipeline.
    fn record(&self, recorder: &mut Recorder) -> vk::Result<()> {
        match self.base {
            Some(base) => recorder.dispatch_base(base, self.region.groups),
            None => recorder.dispatch(self.region.groups),
        }
    }
}

impl Prepared {
    /// Records the launch: binds and dispatches, with barriers only where it takes turns with others.
    ///
    /// # Errors
    /// A recorder of another device.
    pub fn record(&self, recorder: &mut Recorder) -> vk::Result<()> {
        self.record_dispatches(recorder, ..)
    }

    /// Records the launch right behind itself, where pipeline, descriptors and push constants are set, with the barrier
    /// between the two.
    ///
    /// # Errors
    /// As [`Prepared::record`].
    pub fn record_again(&self, recorder: &mut Recorder) -> vk::Result<()> {
        match &self.held.plan.dispatches[..] {
            [only] => {
                recorder.barrier_of_dispatches();
                only.record(recorder)
            }
            _ => {
                recorder.barrier();
                self.record(recorder)
            }
        }
    }

    /// The number of submissions that the launch is to be spread over, a dispatch in each: one, or all dispatches.
    pub fn slices(&self) -> usize {
        let plan = &self.held.plan;
        match plan.is_sliced {
            true => plan.dispatches.len().max(1),
            false => 1,
        }
    }

    /// Tells whether the launch uses memory that launches of its queue share in turn.
    pub fn takes_turns(&self) -> bool {
        self.held.plan.variables.is_some()
    }

    /// Records some of the launch's dispatches, by their numbers.
    ///
    /// # Errors
    /// A recorder of another device.
    pub fn record_dispatches(
        &self,
        recorder: &mut Recorder,
        chosen: impl RangeBounds<usize>,
    ) -> vk::Result<()> {
        let plan = &self.held.plan;
        let mut is_bound = false;
        let all = plan.dispatches.iter().zip(&self.pushes).enumerate();
        for (_, (dispatch, push)) in all.filter(|(index, _)| chosen.contains(index)) {
            if plan.variables.is_some() {
                // Memory of variables is shared with other launches of the queue.
                recorder.barrier();
            }
            self.bind(recorder, dispatch, &mut is_bound)?;
            recorder.push_constants(0, push)?;
            dispatch.record(recorder)?;
        }
        recorder.keep_shared(&self.held);
        Ok(())
    }

    /// Binds a dispatch's pipeline, and behind the first one descriptors too: all pipelines of a kernel have one layout, so
    /// they stay bound.
    fn bind(
        &self,
        recorder: &mut Recorder,
        dispatch: &PlannedDispatch,
        is_bound: &mut bool,
    ) -> vk::Result<()> {
        recorder.bind_pipeline(&dispatch.pipeline);
        if !std::mem::replace(is_bound, true) {
            for set in &self.sets {
                recorder.bind_descriptors(set)?;
            }
        }
        Ok(())
    }

    /// Dispatches no work-groups by pipelines that have not been dispatched yet, where the driver would generate their code in the
    /// launch's time ([`Pipeline::lacks_code`](vk::Pipeline::lacks_code)): with all bound that the launch needs, since the code may
    /// depend on it. Returns whether something was recorded.
    ///
    /// # Errors
    /// A recorder of another device.
    pub fn generate_code(&self, recorder: &mut Recorder) -> vk::Result<bool> {
        let mut is_bound = false;
        let all = self.held.plan.dispatches.iter().zip(&self.pushes);
        for (dispatch, push) in all.filter(|(dispatch, _)| dispatch.pipeline.lacks_code()) {
            self.bind(recorder, dispatch, &mut is_bound)?;
            recorder.push_constants(0, push)?;
            recorder.dispatch([0; 3])?;
        }
        if is_bound {
            recorder.keep_shared(&self.held);
        }
        Ok(is_bound)
    }

    /// Records the one dispatch of the launch with numbers of work-groups that the device finds in a
    /// buffer.
    ///
    /// # Errors
    /// A launch of another number of dispatches, a range beyond the buffer's end.
    pub fn record_indirect(
        &self,
        recorder: &mut Recorder,
        (buffer, offset): (&Buffer, u64),
    ) -> vk::Result<()> {
        let plan = &self.held.plan;
        let ([dispatch], [push]) = (&plan.dispatches[..], &self.pushes[..]) else {
            return Err(vk::Error::InvalidUse(
                "a launch of several dispatches".into(),
            ));
        };
        if plan.variables.is_some() {
            recorder.barrier();
        }
        self.bind(recorder, dispatch, &mut false)?;
        recorder.push_constants(0, push)?;
        recorder.dispatch_indirect(buffer, offset)?;
        recorder.keep_shared(&self.held);
        Ok(())
    }

    /// The work-groups of the one dispatch of the launch.
    pub fn groups(&self) -> u64 {
        let dispatches = self.held.plan.dispatches.iter();
        let groups = dispatches.map(|dispatch| dispatch.region.groups.map(u64::from));
        groups.map(|groups| groups.iter().product::<u64>()).sum()
    }

    /// The memory of this launch's checks, to be read once the submission is done. `None` for a kernel without
    /// checks, or where it was taken.
    pub fn take_checks(&mut self) -> Option<CheckMemory> {
        self.check.take()
    }

    /// The work-items of an invocation, at most: more than 1 where the launch takes the kernel's coarse copy.
    pub fn items_per_invocation(&self) -> u32 {
        let dispatches = self.held.plan.dispatches.iter();
        dispatches.map(|dispatch| dispatch.items).max().unwrap_or(1)
    }

    /// The printf buffer of this launch, while it was not taken.
    pub fn printf(&self) -> Option<&Buffer> {
        self.printf.as_ref()
    }

    /// The printf buffer of this launch, to be given to [`Executable::decode_printf`] once the
    /// submission is done. `None` when the kernel does not print, or it was taken.
    pub fn take_printf(&mut self) -> Option<Buffer> {
        self.printf.take()
    }
}
