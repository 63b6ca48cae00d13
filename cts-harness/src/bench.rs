//! Speed of one or two drivers: each figure is taken on both alternately in one run, so that
//! what else the machine does meets both, and the ratio has a spread.
//!
//! The one list of what is measured is [`ROWS`]; the kernels are in `bench/kernels.cl`.

use crate::cl::{Arg, Buffer, Device, Error, Program};
use serde_json::{Value, json};
use std::fmt::Write;
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

const KERNELS: &str = include_str!("../bench/kernels.cl");
const SMALL: &str = "kernel void small(global int *p, int n)\n{\n    int i = get_global_id(0);\n    \
                     for (int k = 0; k < n; ++k)\n        p[i] += k * p[i + 1];\n}\n";
const EMPTY: &str = "kernel void empty(global int *p)\n{\n    if (get_global_id(0) > 100000)\n        \
                     p[0] = 1;\n}\n";

/// Floats in each of the three big buffers.
const FLOATS: usize = 1 << 22;

/// A kernel's argument, as data.
#[derive(Clone, Copy, Debug)]
enum Give {
    /// One of the three buffers.
    Buf(usize),
    Int(i32),
    Float(f32),
    /// Bytes of local memory.
    Local(usize),
}

/// A kernel to time.
#[derive(Clone, Copy, Debug)]
struct Launch {
    kernel: &'static str,
    args: &'static [Give],
    global: &'static [usize],
    local: Option<&'static [usize]>,
    /// What one run does, in the row's unit times seconds.
    work: f64,
}

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

const fn kernel(
    kernel: &'static str,
    unit: &'static str,
    args: &'static [Give],
    global: &'static [usize],
    local: Option<&'static [usize]>,
    work: f64,
) -> Row {
    let launch = Launch {
        kernel,
        args,
        global,
        local,
        work,
    };
    row(kernel, unit, true, What::Kernel(launch))
}

const N: usize = FLOATS;
const SIDE: usize = 2048;
const MATRIX: usize = 256;
const BODIES: usize = 2048;

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
    kernel(
        "saxpy",
        "GB/s",
        &[Give::Buf(0), Give::Buf(1), Give::Float(0.5)],
        &[N],
        None,
        12e-9 * N as f64,
    ),
    kernel(
        "copy4",
        "GB/s",
        &[Give::Buf(0), Give::Buf(1)],
        &[N / 4],
        None,
        8e-9 * N as f64,
    ),
    kernel(
        "reduction",
        "GB/s",
        &[Give::Buf(0), Give::Buf(2), Give::Local(1024)],
        &[N / 4],
        Some(&[256]),
        1e-9 * N as f64,
    ),
    kernel(
        "scan",
        "GB/s",
        &[Give::Buf(0), Give::Buf(2), Give::Local(1024)],
        &[N / 16],
        Some(&[256]),
        0.5e-9 * N as f64,
    ),
    kernel(
        "histogram",
        "GB/s",
        &[Give::Buf(0), Give::Buf(2), Give::Int(64)],
        &[N / 64],
        Some(&[64]),
        1e-9 * N as f64,
    ),
    kernel(
        "sgemm",
        "GFLOPS",
        &[
            Give::Buf(0),
            Give::Buf(1),
            Give::Buf(2),
            Give::Int(MATRIX as i32),
        ],
        &[MATRIX, MATRIX],
        None,
        2e-9 * (MATRIX * MATRIX * MATRIX) as f64,
    ),
    kernel(
        "sgemm_tiled",
        "GFLOPS",
        &[
            Give::Buf(0),
            Give::Buf(1),
            Give::Buf(2),
            Give::Int(MATRIX as i32),
        ],
        &[MATRIX, MATRIX],
        Some(&[16, 16]),
        2e-9 * (MATRIX * MATRIX * MATRIX) as f64,
    ),
    kernel(
        "nbody",
        "GFLOPS",
        &[Give::Buf(0), Give::Buf(2), Give::Int(BODIES as i32)],
        &[BODIES],
        Some(&[64]),
        20e-9 * (BODIES * BODIES) as f64,
    ),
    kernel(
        "mandelbrot",
        "Mpix/s",
        &[Give::Buf(2), Give::Int(512), Give::Int(512)],
        &[512, 512],
        None,
        512.0 * 512e-6,
    ),
    kernel(
        "black_scholes",
        "Mopt/s",
        &[Give::Buf(0), Give::Buf(2)],
        &[N / 4],
        None,
        0.25e-6 * N as f64,
    ),
    kernel(
        "hash",
        "Mh/s",
        &[Give::Buf(2)],
        &[N / 16],
        None,
        0.0625e-6 * N as f64,
    ),
    kernel(
        "stencil",
        "Mpix/s",
        &[Give::Buf(0), Give::Buf(2), Give::Int(SIDE as i32)],
        &[SIDE - 2, SIDE / 2 - 2],
        None,
        0.5e-6 * (SIDE * SIDE) as f64,
    ),
    kernel(
        "transpose",
        "GB/s",
        &[Give::Buf(0), Give::Buf(2), Give::Int(1024)],
        &[1024, 1024],
        Some(&[16, 16]),
        8e-9 * 1048576.0,
    ),
    kernel(
        "bitonic",
        "Mkeys/s",
        &[Give::Buf(2), Give::Int(64), Give::Int(256)],
        &[N / 4],
        None,
        0.25e-6 * N as f64,
    ),
    kernel(
        "spmv",
        "GFLOPS",
        &[Give::Buf(0), Give::Buf(1), Give::Buf(2), Give::Int(1 << 16)],
        &[1 << 16],
        None,
        32e-9 * 65536.0,
    ),
];

/// A driver under measurement.
struct Subject {
    device: Device,
    kernels: Program,
    empty: Program,
    buffers: [Buffer; 3],
    host: Vec<u8>,
    /// Makes each source new.
    builds: u32,
}

impl Subject {
    fn open(platform: &str) -> Result<Self> {
        let device = Device::open(platform)?;
        let numbers: Vec<u8> = (0..FLOATS)
            .flat_map(|i| ((i * 7919 % 1024) as f32 / 1024.0).to_le_bytes())
            .collect();
        let buffer = || device.buffer(&numbers);
        Ok(Self {
            kernels: device.build(KERNELS.as_bytes(), "")?,
            empty: device.build(EMPTY.as_bytes(), "")?,
            buffers: [buffer()?, buffer()?, buffer()?],
            host: numbers,
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

    fn measure(&mut self, what: What) -> Result<f64> {
        let gigabytes = self.host.len() as f64 * 1e-9;
        match what {
            What::BuildSmall => self.build_ms(SMALL),
            What::BuildKernels => self.build_ms(KERNELS),
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
                let best = best_of(|| Ok(self.device.write(&self.buffers[1], &self.host)?))?;
                Ok(gigabytes / best)
            }
            What::Read => {
                let (device, buffer, host) = (&self.device, &self.buffers[1], &mut self.host);
                let best = best_of(|| Ok(device.read_into(buffer, host)?))?;
                Ok(gigabytes / best)
            }
            What::Memcpy => {
                let mut copy = vec![1; self.host.len()];
                let best = best_of(|| {
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
            What::Kernel(launch) => self.kernel(&launch),
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

    fn kernel(&self, launch: &Launch) -> Result<f64> {
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
        self.device
            .run(&kernel, &args, None, launch.global, launch.local)?;
        let best = best_of(|| {
            self.device
                .enqueue(&kernel, None, launch.global, launch.local)?;
            Ok(self.device.finish()?)
        })?;
        Ok(launch.work / best)
    }
}

/// The shortest of some runs, in seconds.
fn best_of(mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    let begin = Instant::now();
    let mut best = f64::MAX;
    let mut runs = 0;
    while runs < 3 || (begin.elapsed() < Duration::from_millis(100) && runs < 50) {
        let start = Instant::now();
        run()?;
        best = best.min(start.elapsed().as_secs_f64());
        runs += 1;
    }
    Ok(best)
}

/// A row's figures on each driver, one per round, or why there are none.
#[derive(Clone, Debug)]
pub struct Figure {
    name: &'static str,
    unit: &'static str,
    more: bool,
    values: Vec<std::result::Result<Vec<f64>, String>>,
}

impl Figure {
    /// How much better the first driver is than the second: median of the rounds, least, most.
    fn ratio(&self) -> Option<[f64; 3]> {
        let [Ok(first), Ok(second)] = &self.values[..] else {
            return None;
        };
        let ratios: Vec<f64> = (first.iter().zip(second))
            .map(|(a, b)| if self.more { a / b } else { b / a })
            .collect();
        Some([median(&ratios), least(&ratios), most(&ratios)])
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// A whole run.
#[derive(Clone, Debug)]
pub struct Report {
    drivers: Vec<String>,
    figures: Vec<Figure>,
}

/// Measures rows whose name contains `only` on the platforms, one or two, in so many rounds.
///
/// # Errors
/// A platform without a device, or one that cannot build the kernels.
pub fn run(platforms: &[String], rounds: usize, only: &str) -> Result<Report> {
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
    for row in ROWS.iter().filter(|row| row.name.contains(only)) {
        let mut values = vec![Ok(Vec::new()); subjects.len()];
        for _ in 0..rounds {
            for (subject, values) in subjects.iter_mut().zip(&mut values) {
                if let Ok(list) = values {
                    match subject.measure(row.what) {
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
            values,
        });
    }
    Ok(Report { drivers, figures })
}

impl Report {
    /// A Markdown table.
    pub fn table(&self) -> String {
        let mut text = String::new();
        for (index, driver) in self.drivers.iter().enumerate() {
            let _ = writeln!(text, "- driver {}: {driver}", index + 1);
        }
        let two = self.drivers.len() == 2;
        text += "\n| figure | unit | driver 1 |";
        text += if two {
            " driver 2 | ratio (least–most) |\n"
        } else {
            "\n"
        };
        text += if two {
            "|---|---|---|---|---|\n"
        } else {
            "|---|---|---|\n"
        };
        for figure in &self.figures {
            let _ = write!(text, "| {} | {} |", figure.name, figure.unit);
            for values in &figure.values {
                let _ = match values {
                    Ok(values) => write!(text, " {} |", short(median(values))),
                    Err(why) => write!(text, " failed: {} |", why.replace('|', "/")),
                };
            }
            match figure.ratio() {
                Some([middle, least, most]) => {
                    let _ = write!(text, " {middle:.2} ({least:.2}–{most:.2}) |");
                }
                None if two => text += " – |",
                None => {}
            }
            text.push('\n');
        }
        if let Some(mean) = self.mean_of_kernels() {
            let _ = writeln!(text, "\nGeometric mean of the kernels' ratios: {mean:.2}");
        }
        text
    }

    /// The geometric mean of the ratios of the rows that are kernels.
    fn mean_of_kernels(&self) -> Option<f64> {
        let is_kernel = |name: &str| {
            let row = ROWS.iter().find(|row| row.name == name);
            row.is_some_and(|row| matches!(row.what, What::Kernel(_)))
        };
        let logs: Vec<f64> = (self.figures.iter())
            .filter(|figure| is_kernel(figure.name))
            .filter_map(|figure| Some(figure.ratio()?[0].ln()))
            .collect();
        (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
    }

    /// Everything, every round.
    pub fn json(&self) -> Value {
        let figures: Vec<Value> = (self.figures.iter())
            .map(|figure| {
                let values: Vec<Value> = (figure.values.iter())
                    .map(|values| match values {
                        Ok(values) => json!(values),
                        Err(why) => json!({ "failed": why }),
                    })
                    .collect();
                json!({
                    "name": figure.name,
                    "unit": figure.unit,
                    "more_is_better": figure.more,
                    "rounds": values,
                    "ratio": figure.ratio(),
                })
            })
            .collect();
        json!({ "drivers": self.drivers, "figures": figures, "kernels_mean": self.mean_of_kernels() })
    }
}

/// Three significant digits.
fn short(value: f64) -> String {
    let digits = if value == 0.0 {
        0.0
    } else {
        2.0 - value.abs().log10().floor()
    };
    format!("{value:.*}", digits.clamp(0.0, 6.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::{Figure, KERNELS, ROWS, Report, What, short};

    #[test]
    fn each_kernel_row_names_a_kernel_of_the_file() {
        for row in ROWS {
            if let What::Kernel(launch) = row.what {
                let head = format!("kernel void {}(", launch.kernel);
                let (_, rest) = KERNELS.split_once(&head).expect(launch.kernel);
                let params = rest.split(')').next().unwrap_or("").split(',').count();
                assert_eq!(params, launch.args.len(), "{}", launch.kernel);
            }
        }
    }

    #[test]
    fn a_ratio_above_one_is_the_first_driver_s_favour() {
        let figure = |more, first: &[f64], second: &[f64]| Figure {
            name: "saxpy",
            unit: "",
            more,
            values: vec![Ok(first.to_vec()), Ok(second.to_vec())],
        };
        let faster = figure(true, &[4.0, 6.0, 2.0], &[2.0, 2.0, 2.0]);
        assert_eq!(faster.ratio(), Some([2.0, 1.0, 3.0]));
        let sooner = figure(false, &[1.0], &[4.0]);
        assert_eq!(sooner.ratio(), Some([4.0, 4.0, 4.0]));
        let failed = Figure {
            values: vec![Ok(vec![1.0]), Err("why".into())],
            ..sooner
        };
        assert_eq!(failed.ratio(), None);
        let report = Report {
            drivers: vec!["a".into(), "b".into()],
            figures: vec![faster, failed],
        };
        assert_eq!(report.mean_of_kernels(), Some(2.0));
        assert!(report.table().contains("| 2.00 (1.00–3.00) |"));
        assert!(report.table().contains("failed: why"));
    }

    #[test]
    fn three_digits() {
        assert_eq!(short(1234.5), "1234");
        assert_eq!(short(12.345), "12.3");
        assert_eq!(short(0.012345), "0.0123");
        assert_eq!(short(0.0), "0");
    }
}
