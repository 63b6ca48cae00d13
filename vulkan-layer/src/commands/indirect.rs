//! Commands whose sizes and times the device itself writes and reads.

use ash::vk;

use crate::commands::recorder::Recorder;
use crate::error::{Error, Result};
use crate::objects::buffer::Buffer;
use crate::objects::query::RESULT_SIZE;
use crate::objects::timer::Timer;

impl Recorder {
    /// Like [`Recorder::dispatch`], with the numbers of work-groups that the device finds in a buffer
    /// (VkDispatchIndirectCommand, `offset` a multiple of 4): no more than it takes.
    ///
    /// # Errors
    /// No pipeline bound, a range beyond the buffer's end.
    pub fn dispatch_indirect(&mut self, buffer: &Buffer, offset: u64) -> Result<()> {
        self.own(buffer)?;
        buffer.check_range(offset, size_of::<vk::DispatchIndirectCommand>() as u64)?;
        self.note_dispatch()?;
        // SAFETY: a pipeline is bound; the buffer is alive, kept, has the usage and the range. What
        // is in it is the caller's documented duty.
        unsafe { (self.device().raw).cmd_dispatch_indirect(self.raw(), buffer.raw(), offset) };
        self.keep(buffer.clone());
        Ok(())
    }

    /// Notes the time at which the commands that follow may start.
    ///
    /// # Errors
    /// A timer of another device.
    pub fn start_timer(&mut self, timer: &Timer) -> Result<()> {
        self.check_timer(timer)?;
        // SAFETY: the queries are the timer's; runs of the commands do not overlap.
        unsafe { (self.device().raw).cmd_reset_query_pool(self.raw(), timer.0.raw, 0, 2) };
        self.write_timer(timer, 0);
        Ok(())
    }

    /// Notes the time at which all commands before have ended, and writes both times (64-bit ticks) to a
    /// buffer.
    ///
    /// # Errors
    /// A timer of another device, a range beyond the buffer's end.
    pub fn stop_timer(&mut self, timer: &Timer, buffer: &Buffer, offset: u64) -> Result<()> {
        self.check_timer(timer)?;
        self.own(buffer)?;
        buffer.check_range(offset, 2 * RESULT_SIZE)?;
        self.write_timer(timer, 1);
        // SAFETY: both queries were written before in these commands; the buffer is alive, kept and
        // holds the range.
        unsafe {
            (self.device().raw).cmd_copy_query_pool_results(
                self.raw(),
                timer.0.raw,
                0,
                2,
                buffer.raw(),
                offset,
                RESULT_SIZE,
                vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT,
            );
        }
        self.keep((timer.clone(), buffer.clone()));
        Ok(())
    }

    fn write_timer(&self, timer: &Timer, query: u32) {
        // On an in-order device, earlier commands are complete when it reaches this one.
        let done = match self.device().runs_in_order {
            true => vk::PipelineStageFlags::TOP_OF_PIPE,
            false => vk::PipelineStageFlags::BOTTOM_OF_PIPE,
        };
        // SAFETY: the query was reset before in these commands.
        unsafe { (self.device().raw).cmd_write_timestamp(self.raw(), done, timer.0.raw, query) };
    }

    fn check_timer(&self, timer: &Timer) -> Result<()> {
        match timer.belongs_to(self.device()) {
            true => Ok(()),
            false => Err(Error::InvalidUse("a timer of another device".into())),
        }
    }
}
