//! Speed of one or two drivers: each figure is taken on both alternately in one run, so that
//! what else the machine does meets both, and the ratio has a spread.
//!
//! What is measured is [`ROWS`] and [`kernels::KERNELS`], whose results [`check`] verifies.

mod check;
mod kernels;
mod report;

use crate::cl::{Arg, Buffer, Device, Error, Program};
use kernels::{Give, KERNELS, Launch, N};
use report::Figure;
pub use report::Report;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// A failed measurement: the call, or the build log.
#[derive(Clone, Debug)]
pub struct Failure(String);

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}

impl From<(Error, String)> for Failure {
    fn from((error, log): (Error, String)) -> Self {
        Self(format!("{error}: {}", log.lines().next().unwrap_or("")))
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

type Result<T> = std::result::Result<T, Failure>;

const SOURCE: &str = include_str!("../../bench/kernels.cl");
const SMALL: &str = "kernel void small(global int *p, int n)\n{\n    int i = get_global_id(0);\n    \
                     for (int k = 0; k < n; ++k)\n        p[i] += k * p[i + 1];\n}\n";
const EMPTY: &str = "kernel void empty(global int *p)\n{\n    if (get_global_id(0) > 100000)\n        \
                     p[0] = 1;\n}\n";

/// How a row is measured.
#[derive(Clone, Copy, Debug)]
enum What {
    /// Milliseconds of clBuildProgram for so many functions like the small one, or the kernels
    /// of this benchmark.
    BuildSmall,
    BuildKernels,
    BuildLarge,
    /// Milliseconds from source to the first result, small kernel.
    FirstResult,
    /// Microseconds of an empty kernel and clFinish.
    LaunchFinish,
    /// Microseconds of each of a thousand empty kernels before one clFinish.
    LaunchBatched,
    /// GB/s of a 16 MiB clEnqueueWriteBuffer or clEnqueueReadBuffer, and of memcpy.
    Write,
    Read,
    Memcpy,
    /// Microseconds of a blocking read of 16 bytes.
    ReadSmall,
    Kernel(Launch),
}

/// One figure.
#[derive(Clone, Copy, Debug)]
struct Row {
    name: &'static str,
    unit: &'static str,
    /// Whether more is better.
    more: bool,
    what: What,
}

const fn row(name: &'static str, unit: &'static str, more: bool, what: What) -> Row {
    Row {
        name,
        unit,
        more,
        what,
    }
}

/// What is measured.
const ROWS: &[Row] = &[
    row("build, small kernel", "ms", false, What::BuildSmall),
    row(
        "build, this list's kernels",
        "ms",
        false,
        What::BuildKernels,
    ),
    row("build, 200 kernels", "ms", false, What::BuildLarge),
    row("build to first result", "ms", false, What::FirstResult),
    row("launch and finish", "µs", false, What::LaunchFinish),
    row(
        "launch, 1000 before a finish",
        "µs",
        false,
        What::LaunchBatched,
    ),
    row("write 16 MiB", "GB/s", true, What::Write),
    row("read 16 MiB", "GB/s", true, What::Read),
    row("memcpy 16 MiB", "GB/s", true, What::Memcpy),
    row("read 16 bytes", "µs", false, What::ReadSmall),
];

/// A driver under measurement.
struct Subject {
    device: Device,
    kernels: Program,
    empty: Program,
    buffers: [Buffer; 3],
    /// What the buffers hold at first.
    numbers: Vec<f32>,
    /// As many bytes of the host's.
    host: Vec<u8>,
    /// The kernels whose results have been looked at.
    checked: BTreeSet<&'static str>,
    /// Makes each source new.
    builds: u32,
}

impl Subject {
    fn open(platform: &str) -> Result<Self> {
        let device = Device::open(platform)?;
        let numbers: Vec<f32> = (0..N).map(|i| (i * 7919 % 1024) as f32 / 1024.0).collect();
        let host: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let buffer = || device.buffer(&host);
        Ok(Self {
            kernels: device.build(SOURCE.as_bytes(), "")?,
            empty: device.build(EMPTY.as_bytes(), "")?,
            buffers: [buffer()?, buffer()?, buffer()?],
            numbers,
            host,
            checked: BTreeSet::new(),
            builds: 0,
            device,
        })
    }

    /// A source that no cache has seen.
    fn fresh(&mut self, text: &str) -> String {
        self.builds += 1;
        let (pid, count) = (std::process::id(), self.builds);
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default()
            .as_nanos();
        format!(
            "{text}\n#define FRESH \"{pid} {count} {now}\"\nconstant int fresh{count} = {count};\n"
        )
    }

    fn build_ms(&mut self, text: &str) -> Result<f64> {
        let mut best = f64::MAX;
        for _ in 0..5 {
            let source = self.fresh(text);
            let start = Instant::now();
            let program = self.device.build(source.as_bytes(), "")?;
            best = best.min(start.elapsed().as_secs_f64() * 1e3);
            drop(program);
        }
        Ok(best)
    }

    fn measure(&mut self, what: What, clock: Clock) -> Result<f64> {
        let gigabytes = self.host.len() as f64 * 1e-9;
        match what {
            What::BuildSmall => self.build_ms(SMALL),
            What::BuildKernels => self.build_ms(SOURCE),
            What::BuildLarge => {
                let mut text = String::new();
                for i in 0..200 {
                    text += &SMALL.replace("small", &format!("kernel{i}"));
                }
                self.build_ms(&text)
            }
            What::FirstResult => {
                let (source, count) = (self.fresh(SMALL), self.builds as i32);
                // A number in the code, so that the driver below has nothing in a cache either.
                let source = source.replace("k * p", &format!("(k + {count}) * p"));
                let start = Instant::now();
                let program = self.device.build(source.as_bytes(), "")?;
                let kernel = program.kernel("small")?;
                let args = [Arg::Buffer(&self.buffers[2]), Arg::Bytes(&[2, 0, 0, 0])];
                self.device.run(&kernel, &args, None, &[64], None)?;
                self.device.read_into(&self.buffers[2], &mut [0; 16])?;
                Ok(start.elapsed().as_secs_f64() * 1e3)
            }
            What::LaunchFinish => self.launches(1),
            What::LaunchBatched => self.launches(1000),
            What::Write => {
                let best = best_of(Clock::Wall, || {
                    Ok(self.device.write(&self.buffers[1], &self.host)?)
                })?;
                Ok(gigabytes / best)
            }
            What::Read => {
                let (device, buffer, host) = (&self.device, &self.buffers[1], &mut self.host);
                let best = best_of(Clock::Wall, || Ok(device.read_into(buffer, host)?))?;
                Ok(gigabytes / best)
            }
            What::Memcpy => {
                let mut copy = vec![1; self.host.len()];
                let best = best_of(Clock::Wall, || {
                    copy.copy_from_slice(std::hint::black_box(&self.host));
                    std::hint::black_box(&copy);
                    Ok(())
                })?;
                Ok(gigabytes / best)
            }
            What::ReadSmall => {
                let start = Instant::now();
                for _ in 0..500 {
                    self.device.read_into(&self.buffers[1], &mut [0; 16])?;
                }
                Ok(start.elapsed().as_secs_f64() * 1e6 / 500.0)
            }
            What::Kernel(launch) => self.kernel(&launch, clock),
        }
    }

    fn launches(&self, batch: usize) -> Result<f64> {
        let kernel = self.empty.kernel("empty")?;
        let args = [Arg::Buffer(&self.buffers[2])];
        self.device.run(&kernel, &args, None, &[64], None)?;
        let rounds = 1000 / batch;
        let start = Instant::now();
        for _ in 0..rounds {
            for _ in 0..batch {
                self.device.enqueue(&kernel, None, &[64], None)?;
            }
            self.device.finish()?;
        }
        Ok(start.elapsed().as_secs_f64() * 1e6 / (rounds * batch) as f64)
    }

    fn kernel(&mut self, launch: &Launch, clock: Clock) -> Result<f64> {
        let kernel = self.kernels.kernel(launch.kernel)?;
        let bytes: Vec<[u8; 4]> = (launch.args.iter())
            .map(|give| match give {
                Give::Int(number) => number.to_le_bytes(),
                Give::Float(number) => number.to_le_bytes(),
                Give::Buf(_) | Give::Local(_) => [0; 4],
            })
            .collect();
        let args: Vec<Arg<'_>> = (launch.args.iter().zip(&bytes))
            .map(|(give, bytes)| match give {
                Give::Buf(index) => Arg::Buffer(&self.buffers[*index]),
                Give::Int(_) | Give::Float(_) => Arg::Bytes(bytes),
                Give::Local(size) => Arg::Local(*size),
            })
            .collect();
        // Earlier rounds and kernels have written into the buffers.
        let before: Vec<u8> = self.numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        for buffer in &self.buffers {
            self.device.write(buffer, &before)?;
        }
        self.device
            .run(&kernel, &args, None, launch.global, launch.local)?;
        if self.checked.insert(launch.kernel) {
            let after = self.device.read(&self.buffers[launch.output])?;
            (launch.check)(&self.numbers, &after).map_err(Failure)?;
        }
        let best = best_of(clock, || {
            self.device
                .enqueue(&kernel, None, launch.global, launch.local)?;
            Ok(self.device.finish()?)
        })?;
        Ok(launch.work / best)
    }
}

/// What a kernel's time is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The wall's.
    Wall,
    /// The processor time of all threads of the process: what a driver whose device is the
    /// processor needs, whatever else the machine does.
    Processor,
}

impl Clock {
    /// Seconds since some moment.
    fn now(self, start: Instant) -> Result<f64> {
        if self == Clock::Wall {
            return Ok(start.elapsed().as_secs_f64());
        }
        let mut nanoseconds = 0.0;
        let why = |e: std::io::Error| Failure(format!("/proc/self/task: {e}"));
        for task in std::fs::read_dir("/proc/self/task").map_err(why)? {
            let path = task.map_err(why)?.path().join("schedstat");
            // A thread that has just ended has no time any more.
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let ran = text.split(' ').next().and_then(|text| text.parse().ok());
            nanoseconds += ran.unwrap_or(0.0);
        }
        Ok(nanoseconds * 1e-9)
    }
}

/// The shortest of some runs, in seconds.
fn best_of(clock: Clock, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    let begin = Instant::now();
    let mut best = f64::MAX;
    let mut runs = 0;
    while runs < 3 || (begin.elapsed() < Duration::from_millis(100) && runs < 50) {
        let start = clock.now(begin)?;
        run()?;
        best = best.min(clock.now(begin)? - start);
        runs += 1;
    }
    Ok(best)
}

/// Everything that can be measured, in order.
fn rows() -> impl Iterator<Item = Row> {
    let kernels = KERNELS
        .iter()
        .map(|launch| row(launch.kernel, launch.unit, true, What::Kernel(*launch)));
    ROWS.iter().copied().chain(kernels)
}

/// Measures rows whose name contains `only` on the platforms, one or two, in so many rounds.
/// `clock` is for the kernels.
///
/// # Errors
/// A platform without a device, or one that cannot build the kernels.
pub fn run(platforms: &[String], rounds: usize, only: &str, clock: Clock) -> Result<Report> {
    let mut subjects = Vec::new();
    let mut drivers = Vec::new();
    for platform in platforms {
        let subject = Subject::open(platform).map_err(|e| Failure(format!("{platform}: {e}")))?;
        let device = &subject.device;
        drivers.push(format!(
            "{} ({}, {})",
            device.platform_name, device.name, device.version
        ));
        subjects.push(subject);
    }
    let mut figures = Vec::new();
    for row in rows().filter(|row| row.name.contains(only)) {
        let mut values = vec![Ok(Vec::new()); subjects.len()];
        for _ in 0..rounds {
            for (subject, values) in subjects.iter_mut().zip(&mut values) {
                if let Ok(list) = values {
                    match subject.measure(row.what, clock) {
                        Ok(value) => list.push(value),
                        Err(failure) => *values = Err(failure.to_string()),
                    }
                }
            }
        }
        figures.push(Figure {
            name: row.name,
            unit: row.unit,
            more: row.more,
            is_kernel: matches!(row.what, What::Kernel(_)),
            values,
        });
    }
    Ok(Report {
        drivers,
        figures,
        clock,
    })
}

#[cfg(test)]
mod tests {
    use super::{KERNELS, SOURCE};

    #[test]
    fn each_kernel_row_names_a_kernel_of_the_file() {
        for launch in KERNELS {
            let head = format!("kernel void {}(", launch.kernel);
            let (_, rest) = SOURCE.split_once(&head).expect(launch.kernel);
            let params = rest.split(')').next().unwrap_or("").split(',').count();
            assert_eq!(params, launch.args.len(), "{}", launch.kernel);
        }
    }
}
