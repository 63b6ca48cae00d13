//! Rows of launches: of kernels that do next to nothing, or little with a buffer made for them.

use super::rows::{fresh, resident, share_of, time_of_each};
use super::{Failure, Result, Subject};
use crate::cl::{Arg, Kernel};

const FILL: &str = "kernel void fill(global uint4 *p)\n{\n    p[get_global_id(0)] = 1;\n}\n";

impl Subject {
    /// The empty kernel after its first launch.
    pub(super) fn empty_kernel(&self) -> Result<Kernel> {
        let kernel = self.empty.kernel("empty")?;
        let args = [Arg::Buffer(&self.buffers[2])];
        self.device.run(&kernel, &args, None, &[64], None)?;
        Ok(kernel)
    }

    /// Microseconds of each of `batch` launches before a finish.
    pub(super) fn launches(&self, batch: usize) -> Result<f64> {
        let kernel = self.empty_kernel()?;
        time_of_each(batch, || {
            for _ in 0..batch {
                self.device.enqueue(&kernel, None, &[64], None)?;
            }
            Ok(self.device.finish()?)
        })
    }

    /// The same where each launch waits for the event of the one before.
    pub(super) fn chained_launches(&self) -> Result<f64> {
        let kernel = self.empty_kernel()?;
        time_of_each(1000, || {
            let mut last = None;
            for _ in 0..1000 {
                last = Some(self.device.enqueue_after(&kernel, 64, last.as_ref())?);
            }
            Ok(self.device.finish()?)
        })
    }

    /// The same on an out-of-order queue.
    pub(super) fn launches_out_of_order(&self) -> Result<f64> {
        let kernel = self.empty_kernel()?;
        let device = self.device.out_of_order()?;
        device.enqueue(&kernel, None, &[64], None)?;
        device.finish()?;
        time_of_each(1000, || {
            for _ in 0..1000 {
                device.enqueue(&kernel, None, &[64], None)?;
            }
            Ok(device.finish()?)
        })
    }

    /// Microseconds of each launch of a command buffer's replay, one of them `changed` before each.
    pub(super) fn replays(&self, changed: bool) -> Result<f64> {
        let kernel = self.empty_kernel()?;
        let replay = self.device.command_buffer(&kernel, 1000, changed)?;
        let mut turn = 0;
        time_of_each(1000, || {
            if changed {
                turn += 1;
                replay.set_first_argument(turn % 1000, &self.buffers[turn % 2])?;
            }
            replay.enqueue()?;
            Ok(self.device.finish()?)
        })
    }

    /// The time of launches on a profiling queue relative to one without, with an event each if asked for.
    pub(super) fn launches_profiling(&mut self, with_events: bool) -> Result<f64> {
        let kernel = self.empty_kernel()?;
        let profiling = self.device.profiling()?;
        let share = share_of(
            self,
            |s| s.device.launch_many(&kernel),
            |_| {
                if !with_events {
                    return profiling.launch_many(&kernel);
                }
                for _ in 0..1000 {
                    profiling.enqueue_after(&kernel, 64, None)?;
                }
                profiling.finish()
            },
        )?;
        Ok(share.recip())
    }

    /// MiB that `count` launches take before a finish.
    pub(super) fn memory_of_launches(&self, count: usize) -> Result<f64> {
        let kernel = self.empty_kernel()?;
        // Set-up during the first launches belongs to the process, not to this row.
        self.launches(1000)?;
        let before = resident("VmRSS")?;
        for _ in 0..count {
            self.device.enqueue(&kernel, None, &[64], None)?;
        }
        let after = resident("VmRSS")?;
        self.device.finish()?;
        Ok((after - before).max(0.0))
    }

    /// Microseconds of each signal and wait of a semaphore.
    pub(super) fn semaphores(&self) -> Result<f64> {
        if !self.device.has_extension("cl_khr_semaphore")? {
            // rusticl has the functions all the same, and ends the process that makes one.
            return Err(Failure("the device has no semaphores".into()));
        }
        let semaphore = self.device.semaphore()?;
        time_of_each(1000, || {
            for _ in 0..1000 {
                semaphore.pass()?;
            }
            Ok(self.device.finish()?)
        })
    }

    /// Microseconds of each launch with a sub-buffer made for it.
    pub(super) fn launches_of_sub_buffers(&self) -> Result<f64> {
        let kernel = self.empty.kernel("empty")?;
        time_of_each(1000, || {
            for i in 0..1000 {
                let part = self.device.sub_buffer(&self.buffers[1], i * 4096, 4096)?;
                self.device.set_args(&kernel, &[Arg::Buffer(&part)])?;
                self.device.enqueue(&kernel, None, &[64], None)?;
            }
            Ok(self.device.finish()?)
        })
    }

    /// Microseconds of each launch that fills a buffer of `size` bytes made for it.
    pub(super) fn launches_of_new_buffers(&self, size: usize) -> Result<f64> {
        let program = self.device.build(fresh(FILL).as_bytes(), "")?;
        let kernel = program.kernel("fill")?;
        let count = if size > 1 << 20 { 10 } else { 100 };
        time_of_each(count, || {
            for _ in 0..count {
                let buffer = self.device.new_buffer(size)?;
                let args = [Arg::Buffer(&buffer)];
                (self.device).run(&kernel, &args, None, &[size / 16], None)?;
            }
            Ok(())
        })
    }
}
