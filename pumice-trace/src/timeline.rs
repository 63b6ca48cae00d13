//! The time line as data for the page: slices in rows, small ones merged until a page can hold them all.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::json;

use crate::analysis::sort_nested;
use crate::event::Kind;
use crate::trace::{Slice, Trace};

/// Tracks that a page shows.
const MOST_TRACKS: usize = 32;
/// Rows of a track: slices that lie in others stand below them.
const MOST_ROWS: usize = 6;
/// A merged run is at most this many times as long as the slices that are merged.
const LONGEST_RUN: u64 = 4;

/// Slices of a row that are shown as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    start: u64,
    end: u64,
    /// The number of slices.
    count: u64,
    /// The sum of their times.
    busy: u64,
    /// Name and kind of the longest, and its time.
    name: u32,
    kind: Kind,
    longest: u64,
}

impl Run {
    fn of(slice: &Slice) -> Self {
        Self {
            start: slice.start,
            end: slice.end,
            count: 1,
            busy: slice.time(),
            name: slice.name,
            kind: slice.kind,
            longest: slice.time(),
        }
    }

    fn take(&mut self, slice: &Slice) {
        self.end = self.end.max(slice.end);
        self.count += 1;
        self.busy += slice.time();
        if slice.time() > self.longest {
            (self.name, self.kind, self.longest) = (slice.name, slice.kind, slice.time());
        }
    }
}

/// A time line that fits a page.
pub struct Timeline {
    /// Slices shorter than this may be merged with their neighbours, in nanoseconds; 0 where all are shown.
    pub merged_below: u64,
    /// Tracks that are not shown.
    pub left_out: usize,
    tracks: Vec<(u32, Vec<Vec<Run>>)>,
}

/// Makes a time line of at most about `most` runs.
pub fn timeline(trace: &Trace, most: usize) -> Timeline {
    let mut slices = trace.slices.clone();
    sort_nested(&mut slices);
    let mut tracks: Vec<(u32, Vec<Vec<Slice>>)> = Vec::new();
    for slice in &slices {
        if tracks.last().is_none_or(|(track, _)| *track != slice.track) {
            tracks.push((slice.track, Vec::new()));
        }
        if let Some((_, rows)) = tracks.last_mut() {
            place(rows, slice);
        }
    }
    let left_out = choose(trace, &mut tracks);
    let (start, end) = trace.span().unwrap_or_default();
    let (mut merged_below, mut runs) = (0, merged(&tracks, 0));
    while number(&runs) > most {
        merged_below = (merged_below * 2).max((end - start) / most as u64).max(1);
        runs = merged(&tracks, merged_below);
    }
    Timeline {
        merged_below,
        left_out,
        tracks: runs,
    }
}

/// Puts a slice into the first row that has ended before it begins, or into the last one.
fn place(rows: &mut Vec<Vec<Slice>>, slice: &Slice) {
    let ended = |row: &Vec<Slice>| row.last().is_none_or(|last| last.end <= slice.start);
    let row = rows.iter().position(ended).unwrap_or(rows.len());
    let row = row.min(MOST_ROWS - 1);
    if row == rows.len() {
        rows.push(Vec::new());
    }
    rows[row].push(*slice);
}

/// Keeps the tracks with the most slices, queues before threads; gives the number of the others.
fn choose(trace: &Trace, tracks: &mut Vec<(u32, Vec<Vec<Slice>>)>) -> usize {
    let size = |rows: &[Vec<Slice>]| rows.iter().map(Vec::len).sum::<usize>();
    let is_thread = |track: u32| trace.tracks[track as usize].queue.is_none();
    tracks.sort_by_key(|(_, rows)| std::cmp::Reverse(size(rows)));
    let left_out = tracks.len().saturating_sub(MOST_TRACKS);
    tracks.truncate(MOST_TRACKS);
    tracks.sort_by_key(|&(track, _)| (is_thread(track), track));
    left_out
}

fn number(tracks: &[(u32, Vec<Vec<Run>>)]) -> usize {
    let rows = tracks.iter().flat_map(|(_, rows)| rows);
    rows.map(Vec::len).sum()
}

fn merged(tracks: &[(u32, Vec<Vec<Slice>>)], below: u64) -> Vec<(u32, Vec<Vec<Run>>)> {
    let of_rows = |rows: &Vec<Vec<Slice>>| rows.iter().map(|row| merge(row, below)).collect();
    tracks
        .iter()
        .map(|(track, rows)| (*track, of_rows(rows)))
        .collect()
}

/// Merges slices of a row that are shorter than `below`, as are the gaps between them.
fn merge(row: &[Slice], below: u64) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for slice in row {
        match runs.last_mut() {
            Some(run)
                if slice.time() < below
                    && run.longest < below
                    && slice.start.saturating_sub(run.end) < below
                    && slice.end - run.start < below.saturating_mul(LONGEST_RUN) =>
            {
                run.take(slice);
            }
            _ => runs.push(Run::of(slice)),
        }
    }
    runs
}

impl Timeline {
    /// The data for the page's script. A row is a list of numbers: the time since the end of the run before, the
    /// length, the name's index, and for merged runs, whose name is below zero (-1 - index), the number of
    /// slices and their time.
    pub fn json(&self, trace: &Trace) -> String {
        let start = trace.span().unwrap_or_default().0;
        let mut names = Names::default();
        let mut tracks = Vec::new();
        for (track, rows) in &self.tracks {
            let rows: Vec<String> = rows.iter().map(|row| names.row(row, start)).collect();
            let name = json!(trace.tracks[*track as usize].name);
            tracks.push(format!("{{\"name\":{name},\"rows\":[{}]}}", rows.join(",")));
        }
        let known = names.list.iter().map(|&(name, kind)| {
            let kind = match kind {
                Kind::Device if trace.kernels.contains_key(&name) => "kernel",
                Kind::Device => "transfer",
                Kind::Enqueued => "enqueued",
                Kind::Build => "build",
                Kind::Host => "host",
                Kind::Call | Kind::Other => "call",
            };
            json!([trace.name(name), kind])
        });
        let known: Vec<_> = known.collect();
        let (first, last) = trace.span().unwrap_or_default();
        format!(
            "{{\"span\":{},\"names\":{},\"tracks\":[{}]}}",
            last - first,
            json!(known),
            tracks.join(",")
        )
    }
}

/// Names with kinds, numbered as they come.
#[derive(Default)]
struct Names {
    list: Vec<(u32, Kind)>,
    numbers: HashMap<(u32, u8), i64>,
}

impl Names {
    fn number(&mut self, name: u32, kind: Kind) -> i64 {
        let list = &mut self.list;
        *self.numbers.entry((name, kind as u8)).or_insert_with(|| {
            list.push((name, kind));
            list.len() as i64 - 1
        })
    }

    fn row(&mut self, row: &[Run], start: u64) -> String {
        let mut text = String::from("[");
        let mut before = start;
        for run in row {
            let comma = if text.len() > 1 { "," } else { "" };
            let name = self.number(run.name, run.kind);
            // Runs of the last row may begin before the one before them ends.
            let since = run.start as i64 - before as i64;
            let (length, merged) = (run.end - run.start, run.count > 1);
            let _ = match merged {
                false => write!(text, "{comma}{since},{length},{name}"),
                true => write!(
                    text,
                    "{comma}{since},{length},{},{},{}",
                    -1 - name,
                    run.count,
                    run.busy
                ),
            };
            before = run.end;
        }
        text + "]"
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_TRACKS, number, timeline};
    use crate::trace::Trace;
    use crate::trace::tests::{slice, trace};

    fn traced(slices: &[String]) -> Trace {
        trace(&slices.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn slices_stand_below_those_that_they_lie_in() {
        let trace = traced(&[
            slice(1, "build", "inner", (2, 4), ""),
            slice(1, "api", "outer", (1, 9), ""),
            slice(1, "api", "next", (10, 11), ""),
        ]);
        let timeline = timeline(&trace, 100);
        assert_eq!((timeline.merged_below, timeline.left_out), (0, 0));
        let wanted = "{\"span\":10000,\"names\":[[\"outer\",\"call\"],[\"next\",\"call\"],\
                      [\"inner\",\"build\"]],\"tracks\":[{\"name\":\"thread 1\",\
                      \"rows\":[[0,8000,0,1000,1000,1],[1000,2000,2]]}]}";
        assert_eq!(timeline.json(&trace), wanted);
    }

    #[test]
    fn many_slices_are_merged_and_none_is_lost() {
        // Short calls in two bursts, and a long one.
        let burst = |start: u32| (0..5_000).map(move |n| (start + 2 * n, start + 2 * n + 1));
        let times = burst(0)
            .chain(burst(1_000_000))
            .chain([(2_000_000, 3_000_000)]);
        let slices: Vec<String> = times.map(|times| slice(1, "api", "c", times, "")).collect();
        let trace = traced(&slices);
        let timeline = timeline(&trace, 100);
        let runs = &timeline.tracks[0].1[0];
        assert!(number(&timeline.tracks) <= 100 && timeline.merged_below > 0);
        assert_eq!(runs.iter().map(|run| run.count).sum::<u64>(), 10_001);
        assert_eq!(runs.iter().map(|run| run.busy).sum::<u64>(), 1_010_000_000);
        let last = runs.last().unwrap();
        assert_eq!((last.count, last.busy), (1, 1_000_000_000));
        // The gap between the bursts is seen.
        assert!(
            runs.windows(2)
                .any(|pair| pair[1].start - pair[0].end > 900_000_000)
        );
    }

    #[test]
    fn only_some_tracks_are_shown() {
        let slices: Vec<String> = (0..40)
            .map(|n| slice(n, "api", "c", (n, n + 1), ""))
            .collect();
        let timeline = timeline(&traced(&slices), 1000);
        assert_eq!((timeline.tracks.len(), timeline.left_out), (MOST_TRACKS, 8));
    }

    #[test]
    fn overlapping_slices_have_rows_of_their_own_up_to_a_limit() {
        let slices: Vec<String> = (0..9)
            .map(|n| slice(1, "device", "k", (n, n + 20), ""))
            .collect();
        let trace = traced(&slices);
        let timeline = timeline(&trace, 1000);
        let rows: Vec<usize> = timeline.tracks[0].1.iter().map(Vec::len).collect();
        assert_eq!(rows, [1, 1, 1, 1, 1, 4]);
        assert!(
            timeline
                .json(&trace)
                .contains("[5000,20000,0,-19000,20000,0,")
        );
    }
}
