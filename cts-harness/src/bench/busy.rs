//! The processor time that the driver itself takes, whatever its device does meanwhile: what an application
//! on a fast device waits for.

use super::list::{Row, What, less};
use super::rows::{LAUNCHING, SMALL, fresh, unique};
use super::vulkan::Twin;
use super::{Failure, Result, Subject};
use crate::cl::Arg;
use std::time::Instant;

/// Work of which the processor time is taken.
#[derive(Clone, Copy, Debug)]
pub(super) enum Busy {
    /// An empty kernel, so many before one clFinish.
    Launch(usize),
    /// A write of so many bytes, so many before one clFinish.
    Write(usize, usize),
    /// A build of a small kernel, and its first launch. With Vulkan alone: the pipeline of an empty shader.
    Build,
}

/// The rows.
pub(super) const ROWS: &[Row] = &[
    busy("processor time, launch and finish", Busy::Launch(1)),
    busy(
        "processor time, launch, 1000 before a finish",
        Busy::Launch(1000),
    ),
    busy(
        "processor time, write 64 KiB and finish",
        Busy::Write(64 << 10, 1),
    ),
    busy(
        "processor time, write 4 KiB, 1000 before a finish",
        Busy::Write(4 << 10, 1000),
    ),
    busy("processor time, build and first launch", Busy::Build),
];

const fn busy(name: &'static str, busy: Busy) -> Row {
    less(name, "µs", What::Busy(busy))
}

/// Builds that are timed together.
const BUILDS: usize = 10;

/// Nanoseconds that the processors have worked for this process.
fn processor_time() -> Result<u64> {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call fills the struct that it gets.
    let code = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    match code {
        0 => Ok(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64),
        _ => Err(Failure("clock_gettime".to_string())),
    }
}

/// Microseconds of processor time, of all threads, of each of `batch` that `run` does.
fn work_of_each(batch: usize, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    run()?;
    let begin = Instant::now();
    let start = processor_time()?;
    let mut done = 0;
    while done == 0 || begin.elapsed() < LAUNCHING {
        run()?;
        done += batch;
    }
    Ok((processor_time()? - start) as f64 * 1e-3 / done as f64)
}

impl Busy {
    /// The figure with Vulkan alone.
    pub fn floor(self, twin: &mut Twin) -> Result<f64> {
        match self {
            Busy::Launch(batch) => work_of_each(batch, || twin.launch(batch)),
            Busy::Write(size, batch) => {
                let host = vec![1; size];
                work_of_each(batch, || twin.copy(&host, batch))
            }
            Busy::Build => work_of_each(BUILDS, || {
                for _ in 0..BUILDS {
                    twin.make_pipeline(unique())?;
                    twin.launch(1)?;
                }
                Ok(())
            }),
        }
    }
}

impl Subject {
    /// Takes a figure.
    pub(super) fn busy(&self, busy: Busy) -> Result<f64> {
        match busy {
            Busy::Launch(batch) => {
                let kernel = self.empty_kernel()?;
                work_of_each(batch, || {
                    for _ in 0..batch {
                        self.device.enqueue(&kernel, None, &[64], None)?;
                    }
                    Ok(self.device.finish()?)
                })
            }
            Busy::Write(size, batch) => work_of_each(batch, || {
                let bytes = &self.host[..size];
                Ok(self.device.write_often(&self.buffers[1], bytes, batch)?)
            }),
            Busy::Build => {
                work_of_each(BUILDS, || (0..BUILDS).try_for_each(|_| self.first_launch()))
            }
        }
    }

    fn first_launch(&self) -> Result<()> {
        let code = format!("(k + {}) * p", unique());
        let source = fresh(&SMALL.replace("k * p", &code));
        let program = self.device.build(source.as_bytes(), "")?;
        let kernel = program.kernel("small")?;
        let args = [Arg::Buffer(&self.buffers[2]), Arg::Bytes(&[2, 0, 0, 0])];
        Ok(self.device.run(&kernel, &args, None, &[64], None)?)
    }
}
