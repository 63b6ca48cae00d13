//! Speed of one or two drivers. Each figure is taken on both in turns, so that other load on the
//! machine affects both, and the ratio has a spread.
//!
//! Measures [`list::ROWS`], [`kernels::KERNELS`] and [`groups::GROUPED`], whose results [`check`]
//! verifies, and [`math::FUNCTIONS`]. For launches and transfers it also measures the cost in Vulkan alone
//! ([`vulkan`]).

mod busy;
mod check;
pub mod child;
mod enqueuing;
mod exported;
mod groups;
mod images;
mod kernels;
mod launches;
mod list;
mod math;
mod plot;
mod report;
mod rows;
mod transfers;
pub(crate) mod vulkan;

use crate::cl::{Arg, Buffer, Error, Kernel, Program, Session};
use kernels::{Give, KERNELS, Launch, N};
use list::{ROWS, Row, What, row};
use report::Figure;
pub use report::Report;
use rows::EMPTY;
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

pub(crate) type Result<T> = std::result::Result<T, Failure>;

const SOURCE: &str = include_str!("../../bench/kernels.cl");
/// A driver under measurement.
struct Subject {
    device: Session,
    kernels: Program,
    empty: Program,
    /// The kernels on images; the error of a device that has none.
    images: Result<Program>,
    buffers: [Buffer; 3],
    /// Initial contents of the buffers.
    numbers: Vec<f32>,
    /// As many bytes of the host's.
    host: Vec<u8>,
    /// And once more, for memcpy: as old as the buffers, since memory of a fresh process is copied
    /// a tenth faster than what was allocated later, wherever it belongs (pages that lie together
    /// share entries of the TLB).
    beside: Vec<u8>,
    /// The rows whose results have been looked at.
    checked: BTreeSet<&'static str>,
    /// The driver alone, for children; the reason where a process of its own cannot be made.
    home: Result<child::Home>,
}

impl Drop for Subject {
    fn drop(&mut self) {
        if let Ok(home) = &self.home {
            home.remove();
        }
    }
}

impl Subject {
    fn open(platform: &str) -> Result<Self> {
        let device = Session::open(platform)?;
        let numbers: Vec<f32> = (0..N).map(|i| (i * 7919 % 1024) as f32 / 1024.0).collect();
        let host: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let buffer = || device.buffer(&host);
        Ok(Self {
            kernels: device.build(SOURCE.as_bytes(), "")?,
            empty: device.build(EMPTY.as_bytes(), "")?,
            images: device
                .build(images::SOURCE.as_bytes(), "")
                .map_err(Failure::from),
            buffers: [buffer()?, buffer()?, buffer()?],
            beside: host.clone(),
            numbers,
            host,
            checked: BTreeSet::new(),
            home: child::Home::find(platform),
            device,
        })
    }

    /// The driver alone.
    fn home(&self) -> Result<&child::Home> {
        self.home.as_ref().map_err(Failure::clone)
    }

    fn kernel(&mut self, launch: &Launch, clock: Clock) -> Result<f64> {
        let kernel = self.kernels.kernel(launch.kernel)?;
        self.speed(&kernel, launch.kernel, launch, clock)
    }

    /// The speed of a row's kernel, in the launch's unit. Its result is checked the first time.
    fn speed(
        &mut self,
        kernel: &Kernel,
        name: &'static str,
        launch: &Launch,
        clock: Clock,
    ) -> Result<f64> {
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
            .run(kernel, &args, None, launch.global, launch.local)?;
        if self.checked.insert(name) {
            let after = self.device.read(&self.buffers[launch.output])?;
            (launch.check)(&self.numbers, &after).map_err(Failure)?;
            self.warm_up(kernel, &args, launch.global, launch.local)?;
        }
        let best = self.time_of_kernel(kernel, launch.global, launch.local, clock)?;
        Ok(launch.work / best)
    }

    /// Launches a kernel until the driver has made of it what it makes of kernels that run often.
    fn warm_up(
        &self,
        kernel: &Kernel,
        args: &[Arg<'_>],
        global: &[usize],
        local: Option<&[usize]>,
    ) -> Result<()> {
        let start = Instant::now();
        while start.elapsed() < WARM_UP {
            self.device.run(kernel, args, None, global, local)?;
        }
        Ok(())
    }

    /// The least seconds that a launch of a kernel takes among others before one finish.
    fn time_of_kernel(
        &self,
        kernel: &Kernel,
        global: &[usize],
        local: Option<&[usize]>,
        clock: Clock,
    ) -> Result<f64> {
        let launch_many = |count: usize| {
            for _ in 0..count {
                self.device.enqueue(kernel, None, global, local)?;
            }
            Ok(self.device.finish()?)
        };
        let start = Instant::now();
        launch_many(1)?;
        let count = launches_before_a_finish(start.elapsed());
        let best = best_of(clock, || launch_many(count))?;
        Ok(best / count as f64)
    }
}

/// Source of a kernel's time.
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

/// A kernel runs for so long before it is measured: drivers may compile it a second time once they know that it is used.
const WARM_UP: Duration = Duration::from_millis(400);

/// The time that a kernel's launches before one finish take at least, unless there would be more than [`MOST_LAUNCHES`] of
/// them: much longer than a launch and a finish take, which have rows of their own.
const KERNEL_TIME: Duration = Duration::from_millis(3);

/// The number of a kernel's launches before one finish at most.
const MOST_LAUNCHES: u128 = 200;

/// The number of launches before one finish, of a kernel of which a launch and a finish take this time.
fn launches_before_a_finish(one: Duration) -> usize {
    let count = KERNEL_TIME.as_nanos() / one.as_nanos().max(1);
    count.clamp(1, MOST_LAUNCHES) as usize
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
    let groups = groups::GROUPED.iter().map(|grouped| {
        row(
            grouped.name,
            grouped.launch.unit,
            true,
            What::Grouped(*grouped),
        )
    });
    let functions = math::FUNCTIONS
        .iter()
        .map(|function| row(function.name, "Mcalls/s", true, What::Math(*function)));
    let overheads = ROWS.iter().chain(busy::ROWS).copied();
    let images = images::ROWS.iter().copied();
    overheads
        .chain(kernels)
        .chain(groups)
        .chain(functions)
        .chain(images)
}

/// Selection of measurements.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Number of times that each figure is taken.
    pub rounds: usize,
    /// Rows whose name contains one of these; all rows if there are none.
    pub only: Vec<String>,
    /// With those that take minutes.
    pub long: bool,
    /// For the kernels.
    pub clock: Clock,
}

impl Choice {
    fn takes(&self, row: &Row) -> bool {
        let named = self.only.iter().any(|text| row.name.contains(text));
        (named || self.only.is_empty()) && (self.long || !row.what.is_long())
    }
}

/// Measures the rows that are chosen on the platforms, one or two. `told` gets a line for each figure as soon
/// as it is taken.
///
/// # Errors
/// A platform without a device, or one that cannot build the kernels.
pub fn run(platforms: &[String], choice: &Choice, mut told: impl FnMut(&str)) -> Result<Report> {
    let clock = choice.clock;
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
    // Without Vulkan there is no floor, and a CPU driver is measured all the same.
    let like = subjects.first().map_or("", |subject| &subject.device.name);
    let mut twin = vulkan::Twin::open(like, N * size_of::<f32>()).ok();
    let mut figures = Vec::new();
    for row in rows().filter(|row| choice.takes(row)) {
        let mut values = vec![Ok(Vec::new()); subjects.len()];
        let mut floor: Option<std::result::Result<Vec<f64>, String>> = None;
        for _ in 0..choice.rounds {
            if let (Some(twin), Some(first)) = (&mut twin, subjects.first()) {
                match (rows::floor(twin, first, row.what), &mut floor) {
                    (Some(Ok(value)), Some(Ok(list))) => list.push(value),
                    (Some(Ok(value)), None) => floor = Some(Ok(vec![value])),
                    (Some(Err(failure)), _) => floor = Some(Err(failure.to_string())),
                    (None, _) | (_, Some(Err(_))) => {}
                }
            }
            for (subject, values) in subjects.iter_mut().zip(&mut values) {
                if let Ok(list) = values {
                    match subject.measure(row.what, clock) {
                        Ok(value) => list.push(value),
                        Err(failure) => *values = Err(failure.to_string()),
                    }
                }
            }
        }
        let figure = Figure {
            name: row.name.to_string(),
            unit: row.unit.to_string(),
            more: row.more,
            is_kernel: matches!(row.what, What::Kernel(_)),
            values,
            floor,
        };
        told(&figure.line());
        figures.push(figure);
    }
    Ok(Report {
        twin: twin.map(|twin| twin.name.clone()),
        drivers,
        figures,
        clock,
    })
}

#[cfg(test)]
mod tests {
    use super::{KERNELS, SOURCE, groups, launches_before_a_finish};
    use std::time::Duration;

    #[test]
    fn short_kernels_are_launched_often_before_a_finish() {
        let count = |micros| launches_before_a_finish(Duration::from_micros(micros));
        assert_eq!([0, 15, 100, 2000, 30_000].map(count), [200, 200, 30, 1, 1]);
    }

    #[test]
    fn each_kernel_row_names_a_kernel_of_its_file() {
        let kernels = KERNELS.iter().map(|launch| (SOURCE, launch));
        let grouped = groups::GROUPED.iter();
        let grouped = grouped.map(|grouped| (groups::SOURCE, &grouped.launch));
        for (source, launch) in kernels.chain(grouped) {
            let head = format!("kernel void {}(", launch.kernel);
            let (_, rest) = source.split_once(&head).expect(launch.kernel);
            let params = rest.split(')').next().unwrap_or("").split(',').count();
            assert_eq!(params, launch.args.len(), "{}", launch.kernel);
        }
    }
}
