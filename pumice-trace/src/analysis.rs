//! Conclusions from slices: the time that devices are busy, the gaps between, the time that builds and calls
//! take.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::event::Kind;
use crate::times::Times;
use crate::trace::{Slice, Trace};

/// A device that has queues.
#[derive(Debug)]
pub struct Device {
    /// Its name.
    pub name: String,
    /// Its Vulkan driver.
    pub driver: String,
    /// The number of its queues.
    pub queues: usize,
    /// The times in which it ran something: in order, with gaps between them.
    busy: Vec<(u64, u64)>,
}

impl Device {
    /// Nanoseconds in which it ran something.
    pub fn busy(&self) -> u64 {
        self.busy.iter().map(|(start, end)| end - start).sum()
    }

    /// The beginning of its first command and the end of its last.
    pub fn span(&self) -> Option<(u64, u64)> {
        Some((self.busy.first()?.0, self.busy.last()?.1))
    }
}

/// The devices of a trace, by name.
pub fn devices(trace: &Trace) -> Vec<Device> {
    let mut devices: BTreeMap<&str, Device> = BTreeMap::new();
    for track in &trace.tracks {
        let Some((name, driver)) = &track.queue else {
            continue;
        };
        let device = devices.entry(name).or_insert_with(|| Device {
            name: name.clone(),
            driver: driver.clone(),
            queues: 0,
            busy: Vec::new(),
        });
        device.queues += 1;
    }
    for slice in &trace.slices {
        let queue = &trace.tracks[slice.track as usize].queue;
        if let (Kind::Device, Some((name, _))) = (slice.kind, queue) {
            if let Some(device) = devices.get_mut(name.as_str()) {
                device.busy.push((slice.start, slice.end));
            }
        }
    }
    let mut devices: Vec<Device> = devices.into_values().collect();
    for device in &mut devices {
        device.busy = joined(std::mem::take(&mut device.busy));
    }
    devices
}

/// Times in order, with those that touch made one.
fn joined(mut times: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    times.sort_unstable();
    let mut joined: Vec<(u64, u64)> = Vec::new();
    for (start, end) in times {
        match joined.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    joined
}

/// A time in which a device ran nothing between two commands.
#[derive(Debug, PartialEq, Eq)]
pub struct Gap {
    /// An index into the devices.
    pub device: usize,
    /// Nanoseconds of the host's clock.
    pub start: u64,
    /// Nanoseconds of the host's clock.
    pub end: u64,
    /// The calls, builds and commands of the host's in it, with their own nanoseconds: those without the
    /// slices that lie in them. Longest first.
    pub host: Vec<(String, u64)>,
    /// Nanoseconds in which no thread was in a call of OpenCL.
    pub outside: u64,
}

/// The longest gaps of all devices, longest first.
pub fn gaps(trace: &Trace, devices: &[Device], most: usize) -> Vec<Gap> {
    let mut all: Vec<(u64, usize, u64)> = Vec::new();
    for (number, device) in devices.iter().enumerate() {
        for pair in device.busy.windows(2) {
            all.push((pair[1].0 - pair[0].1, number, pair[0].1));
        }
    }
    all.sort_unstable_by_key(|&(length, device, start)| (Reverse(length), device, start));
    all.truncate(most);
    let gap =
        |(length, device, start): (u64, usize, u64)| in_gap(trace, device, (start, start + length));
    all.into_iter().map(gap).collect()
}

/// A gap with what the host did in it.
fn in_gap(trace: &Trace, device: usize, (start, end): (u64, u64)) -> Gap {
    let inside = |slice: &&Slice| {
        let host = matches!(slice.kind, Kind::Call | Kind::Build | Kind::Host);
        host && slice.start < end && slice.end > start
    };
    let clipped = |slice: &Slice| Slice {
        start: slice.start.max(start),
        end: slice.end.min(end),
        ..*slice
    };
    let slices: Vec<Slice> = trace.slices.iter().filter(inside).map(clipped).collect();
    let calls = slices.iter().filter(|slice| slice.kind == Kind::Call);
    let calls = joined(calls.map(|slice| (slice.start, slice.end)).collect());
    let in_calls: u64 = calls.iter().map(|(start, end)| end - start).sum();
    let mut own: BTreeMap<u32, u64> = BTreeMap::new();
    own_times(slices, |slice, time| {
        *own.entry(slice.name).or_default() += time
    });
    let mut host: Vec<(String, u64)> = own
        .into_iter()
        .filter(|(_, time)| *time > 0)
        .map(|(name, time)| (trace.name(name).to_string(), time))
        .collect();
    host.sort_by_key(|(_, time)| Reverse(*time));
    Gap {
        device,
        start,
        end,
        host,
        outside: end - start - in_calls,
    }
}

/// Puts slices so that each stands before those that lie in it, track by track.
pub fn sort_nested(slices: &mut [Slice]) {
    slices.sort_by_key(|slice| (slice.track, slice.start, Reverse(slice.end)));
}

/// Gives each slice's time without that of the slices that lie in it on its track.
pub fn own_times(mut slices: Vec<Slice>, mut tell: impl FnMut(&Slice, u64)) {
    sort_nested(&mut slices);
    let mut around: Vec<(Slice, u64)> = Vec::new();
    for slice in slices {
        while let Some((outer, own)) = around.last_mut() {
            if outer.track == slice.track && slice.start < outer.end {
                // A slice that ends behind its surrounding one counts there as far as that goes.
                *own = own.saturating_sub(slice.end.min(outer.end) - slice.start);
                break;
            }
            tell(outer, *own);
            around.pop();
        }
        around.push((slice, slice.time()));
    }
    around
        .iter()
        .rev()
        .for_each(|(slice, own)| tell(slice, *own));
}

/// The stages of builds with their own times, by name.
pub fn stages(trace: &Trace) -> BTreeMap<u32, Times> {
    let builds = trace
        .slices
        .iter()
        .filter(|slice| slice.kind == Kind::Build);
    let mut stages: BTreeMap<u32, Times> = BTreeMap::new();
    own_times(builds.copied().collect(), |slice, time| {
        stages.entry(slice.name).or_default().add(time, None);
    });
    stages
}

/// The calls of OpenCL by name.
pub fn calls(trace: &Trace) -> BTreeMap<u32, Times> {
    let mut calls: BTreeMap<u32, Times> = BTreeMap::new();
    for slice in trace.slices.iter().filter(|slice| slice.kind == Kind::Call) {
        calls.entry(slice.name).or_default().add(slice.time(), None);
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::{calls, devices, gaps, joined, stages};
    use crate::trace::Trace;
    use crate::trace::tests::{slice, trace};

    const QUEUE: &str =
        r#"{"ph":"M","pid":1,"tid":9,"name":"queue","args":{"device":"gpu","driver":"mesa"}}"#;

    fn traced(slices: &[String]) -> Trace {
        let mut lines = vec![QUEUE];
        lines.extend(slices.iter().map(String::as_str));
        trace(&lines)
    }

    #[test]
    fn busy_time_is_counted_once() {
        assert_eq!(
            joined(vec![(5, 9), (0, 3), (2, 4), (9, 10)]),
            [(0, 4), (5, 10)]
        );
        let trace = traced(&[
            slice(9, "device", "a", (10, 30), ""),
            slice(9, "device", "b", (20, 40), ""),
            slice(9, "device", "a", (60, 70), ""),
            slice(9, "host", "map", (0, 100), ""),
            slice(9, "enqueued", "x", (60, 90), ""),
        ]);
        let devices = devices(&trace);
        assert_eq!((devices.len(), devices[0].queues), (1, 1));
        assert_eq!(devices[0].busy(), 40_000);
        assert_eq!(devices[0].span(), Some((10_000, 70_000)));
    }

    #[test]
    fn a_gap_tells_what_the_host_did() {
        let trace = traced(&[
            slice(9, "device", "a", (0, 10), ""),
            slice(9, "device", "a", (20, 30), ""),
            slice(9, "device", "a", (130, 140), ""),
            // From before the gap until within it, with the driver's part inside.
            slice(1, "api", "clEnqueueNDRangeKernel", (25, 60), ""),
            slice(1, "build", "the Vulkan driver compiles", (26, 56), ""),
            slice(2, "api", "clFinish", (50, 70), ""),
            slice(1, "api", "clFinish", (135, 139), ""),
        ]);
        let gaps = gaps(&trace, &devices(&trace), 1);
        assert_eq!(gaps.len(), 1);
        let gap = &gaps[0];
        assert_eq!((gap.start, gap.end), (30_000, 130_000));
        let host: Vec<_> = gap
            .host
            .iter()
            .map(|(name, time)| (name.as_str(), *time))
            .collect();
        let wanted = [
            ("the Vulkan driver compiles", 26_000),
            ("clFinish", 20_000),
            ("clEnqueueNDRangeKernel", 4_000),
        ];
        assert_eq!(host, wanted);
        assert_eq!(gap.outside, 60_000);
    }

    #[test]
    fn stages_do_not_count_what_lies_in_them() {
        let trace = traced(&[
            slice(3, "build", "build program", (0, 100), "\"cache\":\"miss\""),
            slice(3, "build", "compile", (10, 30), ""),
            slice(3, "build", "lower", (40, 90), ""),
            slice(4, "build", "compile", (10, 20), ""),
            slice(1, "api", "clBuildProgram", (0, 110), ""),
        ]);
        let stages = stages(&trace);
        let of = |name: &str| {
            let number = trace.names.iter().position(|other| other == name).unwrap();
            let times = &stages[&(number as u32)];
            (times.count, times.total)
        };
        assert_eq!(of("build program"), (1, 30_000));
        assert_eq!(of("compile"), (2, 30_000));
        assert_eq!(of("lower"), (1, 50_000));
        assert_eq!(calls(&trace).values().next().unwrap().total, 110_000);
    }
}
