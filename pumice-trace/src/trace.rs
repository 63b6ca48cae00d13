//! A trace as read: the slices, and what their details tell about kernels, transfers, builds and calls.
//!
//! A slice takes 32 bytes of memory; details are summed up at once and not kept.

use std::collections::{BTreeMap, HashMap};
use std::io::BufRead;

use serde_json::{Map, Value};

use crate::elements::{Elements, Fault};
use crate::event::{self, Event, Kind, Place};
use crate::times::Times;

/// Kernels whose sizes differ in more ways have the rest counted together.
const MOST_SIZES: usize = 32;

/// Work with a beginning and an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Nanoseconds of the host's clock.
    pub start: u64,
    /// Nanoseconds of the host's clock.
    pub end: u64,
    /// An index into [`Trace::tracks`].
    pub track: u32,
    /// An index into [`Trace::names`].
    pub name: u32,
    /// The kind of work.
    pub kind: Kind,
}

impl Slice {
    /// Nanoseconds.
    pub fn time(&self) -> u64 {
        self.end - self.start
    }
}

/// A thread or a queue.
#[derive(Debug)]
pub struct Track {
    /// Its name.
    pub name: String,
    /// The device and its driver, of a queue.
    pub queue: Option<(String, String)>,
    /// The last kernel that ran there.
    last: Option<u32>,
}

/// The launches of a kernel.
#[derive(Debug, Default)]
pub struct Kernel {
    /// Those that were the first with their work-group size: drivers may compile in them.
    pub first: Times,
    /// All others.
    pub later: Times,
    /// Numbers of launches by global and local size.
    pub sizes: BTreeMap<String, u64>,
    /// Launches of further sizes.
    pub other_sizes: u64,
    /// Kernels that it led to, with their numbers.
    pub enqueued: BTreeMap<String, u64>,
}

impl Kernel {
    /// The sum of all launches' times.
    pub fn total(&self) -> u64 {
        self.first.total + self.later.total
    }

    /// The number of launches.
    pub fn launches(&self) -> u64 {
        self.first.count + self.later.count
    }

    /// The launches to judge it by: the later ones where there are any.
    pub fn usual(&self) -> &Times {
        match self.later.count {
            0 => &self.first,
            _ => &self.later,
        }
    }
}

/// Numbers of builds by what the cache of built programs did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Cache {
    /// Taken from the cache.
    pub hits: u64,
    /// Not there, built.
    pub misses: u64,
    /// Built without the cache.
    pub off: u64,
}

/// Everything that the page tells of.
#[derive(Debug, Default)]
pub struct Trace {
    /// All slices, in the order of the file.
    pub slices: Vec<Slice>,
    /// Threads and queues.
    pub tracks: Vec<Track>,
    places: HashMap<Place, u32>,
    /// Names of slices, each once.
    pub names: Vec<String>,
    name_numbers: HashMap<String, u32>,
    /// Names of the programs, in the order of their traces.
    pub programs: Vec<String>,
    /// Pumice's version.
    pub version: String,
    /// Kernels by name.
    pub kernels: BTreeMap<u32, Kernel>,
    /// Transfers by kind, and true for those that the host did.
    pub transfers: BTreeMap<(String, bool), Times>,
    /// Kernels that the Vulkan driver compiled.
    pub compiled: BTreeMap<String, Times>,
    /// The cache of built programs.
    pub cache: Cache,
    /// Numbers of failed calls, by name.
    pub failed: BTreeMap<u32, u64>,
    /// The files that were cut short.
    pub cut: Vec<String>,
}

impl Trace {
    /// Adds a file's events.
    ///
    /// # Errors
    /// A file that cannot be read, or is no trace.
    pub fn read(&mut self, name: &str, input: impl BufRead) -> Result<(), Fault> {
        let mut elements = Elements::new(input);
        while let Some((line, text)) = elements.next_element()? {
            let event = event::read(text).map_err(|what| Fault::Text(line, what))?;
            self.add(event);
        }
        if elements.is_cut() {
            self.cut.push(name.to_string());
        }
        Ok(())
    }

    /// First and last moment; `None` without a slice.
    pub fn span(&self) -> Option<(u64, u64)> {
        let start = self.slices.iter().map(|slice| slice.start).min()?;
        let end = self.slices.iter().map(|slice| slice.end).max()?;
        Some((start, end))
    }

    /// The name of a slice, a kernel or a call.
    pub fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }

    fn add(&mut self, event: Event) {
        match event {
            Event::Ignored => {}
            Event::Fact { place, name, args } => self.add_fact(place, &name, &args),
            Event::Slice {
                place,
                kind,
                name,
                start,
                end,
                args,
            } => {
                let slice = Slice {
                    start,
                    end,
                    track: self.track(place),
                    name: self.number(&name),
                    kind,
                };
                self.slices.push(slice);
                self.add_details(&slice, &args);
            }
        }
    }

    fn add_fact(&mut self, place: Place, name: &str, args: &Map<String, Value>) {
        let text = |key: &str| text(args, key).to_string();
        match name {
            "thread_name" => {
                let track = self.track(place);
                self.tracks[track as usize].name = text("name");
            }
            "queue" => {
                let track = self.track(place);
                self.tracks[track as usize].queue = Some((text("device"), text("driver")));
            }
            "process_name" => self.programs.push(text("name")),
            "pumice" => self.version = text("version"),
            _ => {}
        }
    }

    fn track(&mut self, place: Place) -> u32 {
        let tracks = &mut self.tracks;
        *self.places.entry(place).or_insert_with(|| {
            tracks.push(Track {
                name: format!("thread {}", place.1),
                queue: None,
                last: None,
            });
            (tracks.len() - 1) as u32
        })
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.name_numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_string());
        self.name_numbers.insert(name.to_string(), number);
        number
    }

    fn add_details(&mut self, slice: &Slice, args: &Map<String, Value>) {
        match slice.kind {
            Kind::Call if !["", "CL_SUCCESS"].contains(&text(args, "result")) => {
                *self.failed.entry(slice.name).or_default() += 1;
            }
            Kind::Build => self.add_build(slice, args),
            Kind::Device if args.contains_key("kernel") => self.add_launch(slice, args),
            Kind::Device | Kind::Host => self.add_transfer(slice, args),
            Kind::Enqueued => self.add_enqueued(slice, args),
            Kind::Call | Kind::Other => {}
        }
    }

    fn add_build(&mut self, slice: &Slice, args: &Map<String, Value>) {
        match text(args, "cache") {
            "hit" => self.cache.hits += 1,
            "miss" => self.cache.misses += 1,
            "off" => self.cache.off += 1,
            _ => {}
        }
        if args.contains_key("kernel") {
            let times = self.compiled.entry(text(args, "kernel").to_string());
            times.or_default().add(slice.time(), None);
        }
    }

    fn add_launch(&mut self, slice: &Slice, args: &Map<String, Value>) {
        let number = self.number(text(args, "kernel"));
        self.tracks[slice.track as usize].last = Some(number);
        let kernel = self.kernels.entry(number).or_default();
        let times = match args.get("first_launch") {
            Some(Value::Bool(true)) => &mut kernel.first,
            _ => &mut kernel.later,
        };
        times.add(slice.time(), count(args, "argument_bytes"));
        let size = format!("{} / {}", extent(args, "global"), extent(args, "local"));
        if kernel.sizes.len() < MOST_SIZES || kernel.sizes.contains_key(&size) {
            *kernel.sizes.entry(size).or_default() += 1;
        } else {
            kernel.other_sizes += 1;
        }
    }

    fn add_transfer(&mut self, slice: &Slice, args: &Map<String, Value>) {
        let Some(bytes) = count(args, "bytes") else {
            return;
        };
        let name = self.name(slice.name);
        let kind = match text(args, "direction") {
            "" => name.to_string(),
            direction => format!("{name}: {direction}"),
        };
        let times = self.transfers.entry((kind, slice.kind == Kind::Host));
        times.or_default().add(slice.time(), Some(bytes));
    }

    /// Kernels that the track's last kernel led to: their numbers by name, beside a text that says in which way they
    /// ran.
    fn add_enqueued(&mut self, slice: &Slice, args: &Map<String, Value>) {
        let last = self.tracks[slice.track as usize].last;
        let Some(parent) = last.and_then(|last| self.kernels.get_mut(&last)) else {
            return;
        };
        let numbers = args
            .iter()
            .filter_map(|(name, arg)| Some((name, arg.as_u64()?)));
        for (name, number) in numbers {
            let count = parent.enqueued.entry(name.clone()).or_default();
            *count = count.saturating_add(number);
        }
    }
}

fn text<'a>(args: &'a Map<String, Value>, key: &str) -> &'a str {
    args.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn count(args: &Map<String, Value>, key: &str) -> Option<u64> {
    args.get(key).and_then(Value::as_u64)
}

/// The numbers of a list with a sign between them.
fn extent(args: &Map<String, Value>, key: &str) -> String {
    let list = args.get(key).and_then(Value::as_array);
    let numbers = list.into_iter().flatten().map(Value::to_string);
    numbers.collect::<Vec<_>>().join(" × ")
}

#[cfg(test)]
pub mod tests {
    use super::{Cache, Trace};

    /// A trace of some lines, each an event.
    pub fn trace(lines: &[&str]) -> Trace {
        let text = format!("[\n{}\n]\n", lines.join(",\n"));
        let mut trace = Trace::default();
        trace.read("a trace", text.as_bytes()).unwrap();
        trace
    }

    /// A slice on a track, with times in microseconds.
    pub fn slice(tid: u32, cat: &str, name: &str, times: (u32, u32), args: &str) -> String {
        let (ts, dur) = (times.0, times.1 - times.0);
        format!(
            "{{\"ph\":\"X\",\"pid\":1,\"tid\":{tid},\"cat\":\"{cat}\",\"name\":\"{name}\",\
             \"ts\":{ts},\"dur\":{dur},\"args\":{{{args}}}}}"
        )
    }

    fn launch(times: (u32, u32), more: &str) -> String {
        let args = format!("\"kernel\":\"k\",\"global\":[8, 6],\"local\":[4, 2]{more}");
        slice(9, "device", "k", times, &args)
    }

    #[test]
    fn launches_are_summed_up_by_kernel() {
        let bytes = ",\"argument_bytes\":1000";
        let lines = [
            launch((0, 90), ",\"first_launch\":true"),
            launch((100, 110), bytes),
            launch((200, 230), bytes),
        ];
        let trace = trace(&lines.each_ref().map(String::as_str));
        let kernel = trace.kernels.values().next().unwrap();
        assert_eq!((kernel.launches(), kernel.total()), (3, 130_000));
        let usual = kernel.usual();
        assert_eq!(
            (usual.min, usual.max, usual.mean()),
            (10_000, 30_000, 20_000)
        );
        assert_eq!(usual.gigabytes_per_second(), Some(2000.0 / 40_000.0));
        assert_eq!(kernel.sizes["8 × 6 / 4 × 2"], 3);
        assert_eq!(trace.span(), Some((0, 230_000)));
    }

    #[test]
    fn transfers_builds_and_calls_have_their_details() {
        let lines = [
            slice(
                9,
                "device",
                "transfer",
                (0, 4),
                "\"direction\":\"read\",\"bytes\":8000",
            ),
            slice(
                9,
                "host",
                "transfer",
                (5, 6),
                "\"direction\":\"read\",\"bytes\":10",
            ),
            slice(9, "device", "fill", (6, 7), "\"bytes\":10"),
            slice(
                2,
                "build",
                "build program",
                (0, 1),
                "\"call\":\"build\",\"cache\":\"hit\"",
            ),
            slice(
                2,
                "build",
                "build program",
                (1, 2),
                "\"call\":\"build\",\"cache\":\"miss\"",
            ),
            slice(
                1,
                "build",
                "the Vulkan driver compiles",
                (2, 5),
                "\"kernel\":\"k\"",
            ),
            slice(
                1,
                "api",
                "clFinish",
                (2, 5),
                "\"result\":\"CL_OUT_OF_RESOURCES\"",
            ),
            slice(1, "api", "clFinish", (5, 6), "\"result\":\"CL_SUCCESS\""),
        ];
        let trace = trace(&lines.each_ref().map(String::as_str));
        let of = |name: &str, host| &trace.transfers[&(name.to_string(), host)];
        assert_eq!(
            of("transfer: read", false).gigabytes_per_second(),
            Some(2.0)
        );
        assert_eq!(of("transfer: read", true).count, 1);
        assert_eq!(of("fill", false).bytes, 10);
        let wanted = Cache {
            hits: 1,
            misses: 1,
            off: 0,
        };
        assert_eq!(trace.cache, wanted);
        assert_eq!(trace.compiled["k"].total, 3_000);
        assert_eq!(trace.failed.values().sum::<u64>(), 1);
    }

    #[test]
    fn enqueued_kernels_stand_under_their_parent() {
        let lines = [
            launch((0, 90), ""),
            slice(
                9,
                "enqueued",
                "k.block0",
                (10, 20),
                "\"k.block0\":30,\"by\":\"a work graph\"",
            ),
            slice(
                9,
                "enqueued",
                "2 enqueued kernels",
                (20, 30),
                "\"k.block0\":1,\"k.block1\":1",
            ),
            slice(8, "enqueued", "lost", (20, 30), "\"lost\":1"),
        ];
        let trace = trace(&lines.each_ref().map(String::as_str));
        let kernel = trace.kernels.values().next().unwrap();
        let enqueued: Vec<_> = kernel
            .enqueued
            .iter()
            .map(|(k, n)| (k.as_str(), *n))
            .collect();
        assert_eq!(enqueued, [("k.block0", 31), ("k.block1", 1)]);
    }

    #[test]
    fn facts_name_tracks_and_programs() {
        let fact = |tid: u32, name: &str, args: &str| {
            format!(
                "{{\"ph\":\"M\",\"pid\":1,\"tid\":{tid},\"name\":\"{name}\",\"args\":{{{args}}}}}"
            )
        };
        let lines = [
            fact(0, "process_name", "\"name\":\"prog\""),
            fact(0, "pumice", "\"version\":\"0.1.0\""),
            fact(9, "thread_name", "\"name\":\"queue 0: gpu\""),
            fact(9, "queue", "\"device\":\"gpu\",\"driver\":\"mesa\""),
        ];
        let trace = trace(&lines.each_ref().map(String::as_str));
        assert_eq!(
            (trace.programs[0].as_str(), trace.version.as_str()),
            ("prog", "0.1.0")
        );
        assert_eq!(trace.tracks.len(), 1);
        let queue = ("gpu".to_string(), "mesa".to_string());
        assert_eq!(
            (trace.tracks[0].name.as_str(), &trace.tracks[0].queue),
            ("queue 0: gpu", &Some(queue))
        );
    }

    #[test]
    fn faults_have_their_line_and_cut_files_are_noted() {
        let mut trace = Trace::default();
        let fault = trace
            .read("t", "[\n{\"ph\":\"X\"}\n]".as_bytes())
            .unwrap_err();
        assert_eq!(fault.to_string(), "line 2: the event has no number \"pid\"");
        trace
            .read("cut", "[\n{\"ph\":\"i\"},\n{\"p".as_bytes())
            .unwrap();
        assert_eq!(trace.cut, ["cut"]);
    }
}
