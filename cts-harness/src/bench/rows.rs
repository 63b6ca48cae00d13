//! Measurements besides kernels: builds, launches, transfers, the process.

use super::kernels::N;
use super::list::What;
use super::vulkan::Twin;
use super::{Clock, Failure, Result, SOURCE, Subject, best_of, child};
use crate::cl::{self, Arg};
use ash::vk;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub(super) const SMALL: &str = "kernel void small(global int *p, int n)\n{\n    int i = get_global_id(0);\n    \
                     for (int k = 0; k < n; ++k)\n        p[i] += k * p[i + 1];\n}\n";
/// A kernel that does next to nothing and may still not be left out.
pub(super) const EMPTY: &str = "kernel void empty(global int *p)\n{\n    \
                                if (get_global_id(0) > 100000)\n        p[0] = 1;\n}\n";

/// The first so many kernels of a text, with what stands between them.
fn first_kernels(text: &str, count: usize) -> &str {
    let end = text.match_indices("kernel void").nth(count);
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

/// A number that no run had before, positive as an int: what caches on disk keep from earlier runs
/// never meets it.
pub(super) fn unique() -> u32 {
    static LAST: AtomicU32 = AtomicU32::new(0);
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    // Wraps after 15 hours.
    let ticks = (now.as_micros() / 25 % (1 << 31)) as u32;
    let next = |last: u32| Some(ticks.max(last + 1));
    let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
    last.map_or(ticks, |last| ticks.max(last + 1))
}

/// A source that no cache has seen, neither as text nor as what a front end makes of it.
pub(super) fn fresh(text: &str) -> String {
    let number = unique();
    let pid = std::process::id();
    format!("{text}\n#define FRESH \"{pid}\"\nconstant int fresh{number} = {number};\n")
}

/// Resident memory of this process, or the most that it ever was, in MiB.
pub(super) fn resident(key: &str) -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")
        .map_err(|error| Failure(format!("/proc/self/status: {error}")))?;
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    let kib: Option<f64> = line.and_then(|rest| {
        let word = rest.trim_start_matches(':').split_whitespace().next()?;
        word.parse().ok()
    });
    kib.map(|kib| kib / 1024.0)
        .ok_or_else(|| Failure(format!("/proc/self/status has no {key}")))
}

/// Returns the speed of `driver` relative to `plain`, both measured in turns.
pub(super) fn share_of<T>(
    state: &mut T,
    mut plain: impl FnMut(&mut T) -> cl::Result<()>,
    mut driver: impl FnMut(&mut T) -> cl::Result<()>,
) -> Result<f64> {
    let mut best = [f64::MAX; 2];
    for _ in 0..12 {
        let start = Instant::now();
        plain(state)?;
        best[0] = best[0].min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        driver(state)?;
        best[1] = best[1].min(start.elapsed().as_secs_f64());
    }
    Ok(best[0] / best[1])
}

/// Launches are repeated for so long at least.
pub(super) const LAUNCHING: Duration = Duration::from_millis(300);

/// Microseconds of each, when `run` does `batch` of them and waits: the best of some runs, of
/// fifty batches each where a batch is one, since what else the machine does only adds.
pub(super) fn time_of_each(batch: usize, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    let (chunks, batches) = if batch == 1 { (40, 50) } else { (5, 1) };
    let mut best = f64::MAX;
    let begin = Instant::now();
    let mut done = 0;
    while done < chunks || begin.elapsed() < LAUNCHING {
        done += 1;
        let start = Instant::now();
        for _ in 0..batches {
            run()?;
        }
        best = best.min(microseconds(start, batches * batch));
    }
    Ok(best)
}

fn microseconds(start: Instant, count: usize) -> f64 {
    start.elapsed().as_secs_f64() * 1e6 / count as f64
}

impl Subject {
    fn build_ms(&mut self, text: &str) -> Result<f64> {
        let mut best = f64::MAX;
        for _ in 0..5 {
            let source = fresh(text);
            let start = Instant::now();
            let program = self.device.build(source.as_bytes(), "")?;
            best = best.min(start.elapsed().as_secs_f64() * 1e3);
            drop(program);
        }
        Ok(best)
    }

    /// Milliseconds to the first result of a source that nobody has seen.
    fn first_result_ms(&self) -> Result<f64> {
        let mut best = f64::MAX;
        for _ in 0..5 {
            // A number in the code, so that the driver below has nothing in a cache either.
            let code = format!("(k + {}) * p", unique());
            let source = fresh(&SMALL.replace("k * p", &code));
            let start = Instant::now();
            self.first_result(&source)?;
            best = best.min(start.elapsed().as_secs_f64() * 1e3);
        }
        Ok(best)
    }

    /// Runs a task in a process of its own a second time.
    fn child_again(&self, task: child::Task, source: &str) -> Result<f64> {
        self.home()?.child(task, source)?;
        self.home()?.child(task, source)
    }

    /// Takes one figure.
    pub(super) fn measure(&mut self, what: What, clock: Clock) -> Result<f64> {
        match what {
            What::BuildSmall => self.build_ms(SMALL),
            What::BuildTen => self.build_ms(first_kernels(SOURCE, 10)),
            What::BuildKernels => self.build_ms(SOURCE),
            What::BuildMath(source) => self.build_ms(source),
            What::BuildLarge => {
                let kernels = (0..200).map(|i| SMALL.replace("small", &format!("kernel{i}")));
                self.build_ms(&kernels.collect::<String>())
            }
            What::BuildAgain => self.child_again(child::Task::Build, &fresh(SOURCE)),
            What::FirstResult => self.first_result_ms(),
            What::LaunchedByKernel => self.launches_by_device("all"),
            What::LaunchedByEachOther => self.launches_by_device("chain"),
            What::LaunchFinish => self.launches(1),
            What::LaunchBatched => self.launches(1000),
            What::LaunchChain => self.chained_launches(),
            What::LaunchOutOfOrder => self.launches_out_of_order(),
            What::Replayed => self.replays(false),
            What::ReplayedChanged => self.replays(true),
            What::LaunchProfiling => self.launches_profiling(false),
            What::LaunchProfiled => self.launches_profiling(true),
            What::Busy(busy) => self.busy(busy),
            What::LaunchMemory(count) => self.memory_of_launches(count),
            What::Write => self.write_speed(),
            What::Read => self.read_speed(),
            What::Memcpy => self.copy_speed(),
            What::WriteShare => self.write_share(),
            What::ReadShare => self.read_share(),
            What::Map => self.map_speed(),
            What::ReadSmall => self.small_read(),
            What::MapSmall => self.small_map(),
            What::HandOver => self.hand_over(),
            What::HandOverGl => self.hand_over_gl(),
            What::CopyBack => self.copy_back(),
            What::Semaphore => self.semaphores(),
            What::SubBuffers => self.launches_of_sub_buffers(),
            What::NewBuffer(size) => self.launches_of_new_buffers(size),
            What::StartUp => self.child_again(child::Task::StartUp, ""),
            What::StartUpFirst => {
                self.home()?.forget()?;
                self.home()?.child(child::Task::StartUp, "")
            }
            What::Resident => self.home()?.child(child::Task::Resident, SMALL),
            What::LibrarySize => self.home()?.library_size(),
            What::Kernel(launch) => self.kernel(&launch, clock),
            What::Grouped(grouped) => self.grouped(&grouped, clock),
            What::Math(function) => self.math(&function, clock),
            What::Image(on) => self.image(&on, clock),
        }
    }

    fn first_result(&self, source: &str) -> Result<()> {
        let program = self.device.build(source.as_bytes(), "")?;
        let kernel = program.kernel("small")?;
        let args = [Arg::Buffer(&self.buffers[2]), Arg::Bytes(&[2, 0, 0, 0])];
        self.device.run(&kernel, &args, None, &[64], None)?;
        Ok(self.device.read_into(&self.buffers[2], &mut [0; 16])?)
    }
}

/// The floor of a row on the raw-Vulkan twin, where it has one.
pub(super) fn floor(twin: &mut Twin, subject: &Subject, what: What) -> Option<Result<f64>> {
    let bytes = N * size_of::<f32>();
    let gigabytes = bytes as f64 * 1e-9;
    let launches = |twin: &Twin, batch: usize| {
        twin.launch(batch)?;
        time_of_each(batch, || twin.launch(batch))
    };
    Some(match what {
        What::LaunchFinish => launches(twin, 1),
        What::LaunchBatched | What::LaunchChain | What::LaunchOutOfOrder => launches(twin, 1000),
        What::Replayed => (twin.record(1000, vk::CommandBufferUsageFlags::empty()))
            .and_then(|()| time_of_each(1000, || twin.submit())),
        What::Write | What::Map => {
            let host = vec![1u8; bytes];
            best_of(Clock::Wall, || {
                twin.write(&host);
                Ok(())
            })
            .map(|best| gigabytes / best)
        }
        What::Read => {
            let mut host = vec![1u8; bytes];
            best_of(Clock::Wall, || {
                twin.read(&mut host);
                Ok(())
            })
            .map(|best| gigabytes / best)
        }
        What::Busy(busy) => busy.floor(twin),
        What::StartUp | What::StartUpFirst => {
            let task = child::Task::TwinStartUp;
            subject.home().and_then(|home| home.child(task, &twin.name))
        }
        What::Resident => {
            let task = child::Task::TwinResident;
            subject.home().and_then(|home| home.child(task, &twin.name))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{first_kernels, fresh, resident, unique};
    use crate::bench::SOURCE;

    #[test]
    fn ten_kernels_are_ten() {
        let ten = first_kernels(SOURCE, 10);
        assert_eq!(ten.matches("kernel void").count(), 10);
        assert!(first_kernels("kernel void a() {}", 10).ends_with('}'));
    }

    #[test]
    fn no_source_comes_twice() {
        let numbers: Vec<u32> = (0..1000).map(|_| unique()).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b));
        let texts = [fresh("text"), fresh("text")];
        assert!(texts[0] != texts[1] && texts[0].starts_with("text\n"));
    }

    #[test]
    fn memory_is_read() {
        let now = resident("VmRSS").unwrap();
        let most = resident("VmHWM").unwrap();
        assert!(now > 1.0 && most >= now * 0.9, "{now} {most}");
        assert!(resident("VmNothing").is_err());
    }
}
