//! Recordings that submissions run again and again.

use std::sync::Arc;

use ash::vk;
use parking_lot::Mutex;

use crate::commands::recorder::{Kept, Recorder};
use crate::commands::submit::{Commands, Queue};
use crate::device::DeviceShared;
use crate::device::fault;
use crate::error::{Context, Error, Result};

/// Commands that any number of submissions to the device's queues can run, also at the same time
/// ([`Recorder::run`]). Cheap to clone. Keeps all objects that it uses.
#[derive(Clone)]
pub struct Recording(Arc<Inner>);

struct Inner {
    device: Arc<DeviceShared>,
    commands: Commands,
    /// Guards nothing: makes the objects shareable between threads.
    _kept: Mutex<Vec<Kept>>,
}

impl Queue {
    /// Begins commands that are to be run more than once; [`Recorder::into_recording`] ends them.
    ///
    /// # Errors
    /// Out of memory.
    pub fn reusable_recorder(&self) -> Result<Recorder> {
        let level = vk::CommandBufferLevel::SECONDARY;
        let commands = self.0.new_commands(level)?;
        Recorder::begin(&self.0, commands, level)
    }
}

impl Recorder {
    /// Ends commands that were begun with [`Queue::reusable_recorder`].
    ///
    /// # Errors
    /// Out of memory, a recorder of another kind, or one with timestamps, which have one time only.
    pub fn into_recording(mut self) -> Result<Recording> {
        if self.level != vk::CommandBufferLevel::SECONDARY || self.timestamps() > 0 {
            return Err(Error::InvalidUse("commands for one submission only".into()));
        }
        let device = Arc::clone(self.queue.device());
        fault::check("vkEndCommandBuffer")?;
        // SAFETY: the command buffer is recording.
        unsafe { device.raw.end_command_buffer(self.raw()) }.call("vkEndCommandBuffer")?;
        let Some(commands) = self.commands.take() else {
            return Err(Error::InvalidUse("commands that were taken".into()));
        };
        Ok(Recording(Arc::new(Inner {
            device,
            commands,
            _kept: Mutex::new(std::mem::take(&mut self.kept)),
        })))
    }

    /// Runs recordings, one after the other as if their commands were recorded here: barriers in
    /// them order them with each other too. No pipeline is bound afterwards.
    ///
    /// # Errors
    /// A recording of another device, or a recorder of [`Queue::reusable_recorder`].
    pub fn run(&mut self, recordings: &[Recording]) -> Result<()> {
        let own = |recording: &Recording| Arc::ptr_eq(&recording.0.device, self.queue.device());
        if self.level != vk::CommandBufferLevel::PRIMARY || !recordings.iter().all(own) {
            return Err(Error::InvalidUse("a recording that cannot run here".into()));
        }
        if recordings.is_empty() {
            return Ok(());
        }
        let raw: Vec<_> = (recordings.iter())
            .map(|recording| recording.0.commands.buffer)
            .collect();
        // SAFETY: the command buffers are complete, allow simultaneous use, and are kept.
        unsafe {
            self.queue
                .device()
                .raw
                .cmd_execute_commands(self.raw(), &raw)
        };
        self.keep(recordings.to_vec());
        self.forget_pipeline();
        Ok(())
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: submissions keep what they run until they are done, so nothing uses the pool.
        unsafe { self.commands.destroy(&self.device.raw) };
    }
}
