//! The page: one HTML file that needs nothing else.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::analysis::{self, Device, Gap};
use crate::format::{bytes, digits, escape, number, percent, time};
use crate::table::{Cell, Table};
use crate::timeline::timeline;
use crate::times::Times;
use crate::trace::{Kernel, Trace};

/// Rows of a table; what is beyond is summed up or left out with a note.
const MOST_ROWS: usize = 100;
/// Gaps that are listed.
const MOST_GAPS: usize = 10;
/// Runs of slices that the time line has.
const MOST_RUNS: usize = 20_000;
/// Things that are listed of a gap or a kernel.
const MOST_PARTS: usize = 4;

/// The run of the program, where this program started it.
pub struct Run {
    /// Its time in nanoseconds, from its start to its end.
    pub time: u64,
    /// Its end, in words.
    pub end: String,
}

/// Writes the page.
pub fn page(trace: &Trace, run: Option<&Run>) -> String {
    let devices = analysis::devices(trace);
    let gaps = analysis::gaps(trace, &devices, MOST_GAPS);
    let mut names = trace.programs.clone();
    names.dedup();
    let title = match names.len() {
        0 => "a program".to_string(),
        1..=MOST_PARTS => names.join(", "),
        count => format!("{} and {} others", names[0], count - 1),
    };
    let body = [
        notes(trace, run),
        tiles(trace, run, &devices, &gaps),
        time_line(trace),
        kernels(trace),
        self::gaps(trace, &devices, &gaps),
        transfers(trace),
        builds(trace),
        calls(trace),
        devices_table(trace, &devices),
    ];
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{title}: what ran</title>\n<style>\n{css}</style>\n</head>\n<body>\n\
         <h1>What ran: {title}</h1>\n\
         <p class=\"dim\">pumice-trace {version}; the driver was Pumice {driver}.</p>\n\
         {body}<script>\n{script}</script>\n</body>\n</html>\n",
        title = escape(&title),
        css = include_str!("page.css"),
        version = env!("CARGO_PKG_VERSION"),
        driver = escape(match trace.version.as_str() {
            "" => "of an unknown version",
            version => version,
        }),
        body = body.concat(),
        script = include_str!("page.js"),
    )
}

/// Facts that a reader must know before the figures.
fn notes(trace: &Trace, run: Option<&Run>) -> String {
    let mut notes = Vec::new();
    if let Some(run) = run.filter(|run| run.end != "status 0") {
        notes.push(format!("The program ended with {}.", run.end));
    }
    for file in &trace.cut {
        notes.push(format!(
            "{file} was cut short: what ran after its end is missing."
        ));
    }
    if trace.kernels.is_empty() {
        notes.push("No kernel ran, or none that the trace tells of.".to_string());
    }
    let note = |note: String| format!("<div class=\"warn\">{}</div>\n", escape(&note));
    notes.into_iter().map(note).collect()
}

/// The length of the trace in nanoseconds.
fn length(trace: &Trace) -> u64 {
    trace.span().map_or(0, |(start, end)| end - start)
}

/// The most important figures.
fn tiles(trace: &Trace, run: Option<&Run>, devices: &[Device], gaps: &[Gap]) -> String {
    let tile = |figure: &str, what: &str| {
        let (figure, what) = (escape(figure), escape(what));
        format!("<div class=\"tile\"><b>{figure}</b><span>{what}</span></div>\n")
    };
    let mut tiles = String::from("<div class=\"tiles\">\n");
    match run {
        Some(run) => tiles += &tile(&time(run.time), "the program's time, start to end"),
        None => tiles += &tile(&time(length(trace)), "from the first event to the last"),
    }
    for device in devices {
        let (start, end) = device.span().unwrap_or_default();
        let of = format!(
            "{} busy, of {} from its first command to its last",
            device.name,
            time(end - start)
        );
        tiles += &tile(&percent(device.busy(), end - start), &of);
    }
    let launches: u64 = trace.kernels.values().map(Kernel::launches).sum();
    let kernel_time: u64 = trace.kernels.values().map(Kernel::total).sum();
    let what = match trace.kernels.len() {
        1 => format!("launches of one kernel, {}", time(kernel_time)),
        count => format!("launches of {count} kernels, {}", time(kernel_time)),
    };
    tiles += &tile(&number(launches), &what);
    let moved: u64 = trace.transfers.values().map(|times| times.bytes).sum();
    tiles += &tile(&bytes(moved), "read, written, copied and filled");
    let building: u64 = analysis::stages(trace)
        .values()
        .map(|times| times.total)
        .sum();
    let all = trace.cache.hits + trace.cache.misses + trace.cache.off;
    let hits = format!(
        "in builds; {} of {} from the cache",
        trace.cache.hits,
        plural(all, "program")
    );
    tiles += &tile(&time(building), &hits);
    if let Some(gap) = gaps.first() {
        tiles += &tile(
            &time(gap.end - gap.start),
            "longest gap between two commands",
        );
    }
    tiles + "</div>\n"
}

fn plural(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{} {what}s", number(count)),
    }
}

fn time_line(trace: &Trace) -> String {
    let line = timeline(trace, MOST_RUNS);
    let mut hints = vec!["Drag to move; Ctrl and the wheel, or + and -, to zoom; double-click a slice to see it whole.".to_string()];
    if line.merged_below > 0 {
        let below = time(line.merged_below);
        hints.push(format!(
            "Neighbours shorter than {below} are drawn as one slice, paler where there are gaps."
        ));
    }
    if line.left_out > 0 {
        hints.push(format!(
            "{} with fewer slices are not shown.",
            plural(line.left_out as u64, "track")
        ));
    }
    // A script's text must not contain the end of its element.
    let data = line.json(trace).replace('<', "\\u003c");
    format!(
        "<h2>Time line</h2>\n\
         <div class=\"tools\"><button id=\"nearer\">+</button><button id=\"farther\">−</button>\
         <button id=\"whole\">whole</button><span class=\"key dim\">\
         <i style=\"background:hsl(220 58% 50%)\"></i>kernels, a colour each\
         <i style=\"background:hsl(174 52% 38%)\"></i>transfers\
         <i style=\"background:hsl(88 34% 42%)\"></i>commands of the host\
         <i style=\"background:hsl(32 72% 48%)\"></i>builds\
         <i style=\"background:hsl(214 18% 52%)\"></i>calls</span></div>\n\
         <div class=\"time\"><canvas id=\"timeline\" tabindex=\"0\" aria-label=\"time line\"></canvas>\
         <div id=\"tip\"></div></div>\n<noscript><p>The time line needs JavaScript.</p></noscript>\n\
         <p class=\"dim\">{}</p>\n<script type=\"application/json\" id=\"timeline-data\">{data}</script>\n",
        escape(&hints.join(" "))
    )
}

/// A section; empty where its table is.
fn section(heading: &str, table: Table, notes: &[&str]) -> String {
    if table.is_empty() {
        return String::new();
    }
    let notes: String = notes
        .iter()
        .map(|note| format!("<p class=\"dim\">{}</p>\n", escape(note)))
        .collect();
    format!("<h2>{}</h2>\n{}{notes}", escape(heading), table.html())
}

fn time_cell(nanoseconds: u64) -> Cell {
    Cell::number(nanoseconds as f64, time(nanoseconds))
}

fn rate_cell(times: &Times) -> Cell {
    match times.gigabytes_per_second() {
        Some(rate) => Cell::number(rate, digits(rate)),
        None => Cell::number(0.0, "–".to_string()),
    }
}

fn count_cell(count: u64) -> Cell {
    Cell::number(count as f64, number(count))
}

/// The sizes of a kernel, the most frequent first.
fn sizes(kernel: &Kernel) -> String {
    let mut sizes: Vec<(&String, &u64)> = kernel.sizes.iter().collect();
    sizes.sort_by_key(|&(size, count)| (Reverse(*count), size));
    let shown: Vec<String> = match sizes[..] {
        [(size, _)] => vec![size.clone()],
        _ => sizes
            .iter()
            .take(MOST_PARTS)
            .map(|(size, count)| format!("{size} ({count}×)"))
            .collect(),
    };
    let rest: u64 = sizes
        .iter()
        .skip(MOST_PARTS)
        .map(|(_, count)| **count)
        .sum::<u64>()
        + kernel.other_sizes;
    match rest {
        0 => shown.join("; "),
        _ => format!("{}; others ({rest}×)", shown.join("; ")),
    }
}

fn kernels(trace: &Trace) -> String {
    let mut table = Table::new(&[
        "kernel",
        "#launches",
        "#total",
        "#share",
        "#first",
        "#mean",
        "#min",
        "#max",
        "#GB/s",
        "global / local size",
    ]);
    let all: u64 = trace.kernels.values().map(Kernel::total).sum();
    let mut kernels: Vec<(&str, &Kernel)> = trace
        .kernels
        .iter()
        .map(|(name, kernel)| (trace.name(*name), kernel))
        .collect();
    kernels.sort_by_key(|&(name, kernel)| (Reverse(kernel.total()), name));
    for (name, kernel) in kernels.iter().take(MOST_ROWS) {
        let usual = kernel.usual();
        table.row(vec![
            Cell::name(name),
            count_cell(kernel.launches()),
            time_cell(kernel.total()),
            Cell::share(kernel.total(), all),
            match kernel.first.count {
                0 => Cell::number(0.0, "–".to_string()),
                _ => time_cell(kernel.first.total),
            },
            time_cell(usual.mean()),
            time_cell(usual.min),
            time_cell(usual.max),
            rate_cell(usual),
            Cell::text(&sizes(kernel)),
        ]);
        let mut children: Vec<(&String, &u64)> = kernel.enqueued.iter().collect();
        children.sort_by_key(|&(name, count)| (Reverse(*count), name));
        for (child, count) in children.into_iter().take(MOST_ROWS) {
            table.child(vec![
                Cell::name(&format!("enqueued: {child}")),
                Cell::number(*count as f64, number(*count)),
            ]);
        }
    }
    if let Some(rest) = kernels.get(MOST_ROWS..).filter(|rest| !rest.is_empty()) {
        let total: u64 = rest.iter().map(|(_, kernel)| kernel.total()).sum();
        let launches: u64 = rest.iter().map(|(_, kernel)| kernel.launches()).sum();
        let name = plural(rest.len() as u64, "further kernel");
        let cells = [
            Cell::name(&name),
            count_cell(launches),
            time_cell(total),
            Cell::share(total, all),
        ];
        table.row(cells.into());
    }
    let mut notes = vec![
        "Times are the device's. “First” is the time of the launches that were the first with their local size: some \
         drivers compile in them. Mean, min, max and GB/s leave these out where there are others.",
        "GB/s is the size of all buffers, images and shared allocations among the arguments, each counted once, by the \
         time, with 10⁹ bytes a GB. The kernel may read less of them, or the same bytes many times: it is the \
         bandwidth of a kernel that reads or writes each byte once.",
    ];
    if trace
        .kernels
        .values()
        .any(|kernel| !kernel.enqueued.is_empty())
    {
        notes.push(
            "The time of a kernel that enqueues others is that of all that it led to, as the host saw it; the lines \
             below it count the kernels that it led to.",
        );
    }
    section("Kernels", table, &notes)
}

fn gaps(trace: &Trace, devices: &[Device], gaps: &[Gap]) -> String {
    let several = devices.len() > 1;
    let mut table = Table::new(match several {
        true => &["#gap", "#from", "device", "the host meanwhile"],
        false => &["#gap", "#from", "the host meanwhile"],
    });
    let start = trace.span().unwrap_or_default().0;
    for gap in gaps {
        let mut parts: Vec<String> = Vec::new();
        for (name, own) in gap.host.iter().take(MOST_PARTS) {
            parts.push(format!("{name} {}", time(*own)));
        }
        if gap.outside > 0 {
            parts.push(format!("outside OpenCL {}", time(gap.outside)));
        }
        let mut cells = vec![time_cell(gap.end - gap.start), time_cell(gap.start - start)];
        if several {
            cells.push(Cell::text(&devices[gap.device].name));
        }
        cells.push(Cell::text(&parts.join(" · ")));
        table.row(cells);
    }
    let notes = [
        "The longest times in which a device ran nothing between two commands. Calls and builds have their own time, \
         without what lies in them; those of several threads, and a build and the call that waits for it, go on \
         at the same time. “Outside OpenCL” is the time in which no thread was in a call.",
    ];
    section("Gaps on the device", table, &notes)
}

fn transfers(trace: &Trace) -> String {
    let mut table = Table::new(&[
        "transfer", "by", "#number", "#bytes", "#total", "#mean", "#GB/s",
    ]);
    let mut rows: Vec<(&(String, bool), &Times)> = trace.transfers.iter().collect();
    rows.sort_by_key(|(_, times)| Reverse(times.total));
    for ((kind, host), times) in rows.into_iter().take(MOST_ROWS) {
        table.row(vec![
            Cell::name(kind),
            Cell::text(if *host { "the host" } else { "the device" }),
            count_cell(times.count),
            Cell::number(times.bytes as f64, bytes(times.bytes)),
            time_cell(times.total),
            time_cell(times.mean()),
            rate_cell(times),
        ]);
    }
    let note = "The host moves bytes itself where it reaches the device's memory. Maps that copy nothing are not listed.";
    section("Transfers", table, &[note])
}

/// The stages of builds, and the kernels that the Vulkan driver compiled.
fn builds(trace: &Trace) -> String {
    let stages = analysis::stages(trace);
    let all: u64 = stages.values().map(|times| times.total).sum();
    let mut table = Table::new(&["stage", "#number", "#total", "#share", "#longest"]);
    for (name, times) in by_total(trace, &stages) {
        let name = match name {
            "build program" => "cache, loading and the rest",
            name => name,
        };
        table.row(vec![
            Cell::name(name),
            count_cell(times.count),
            time_cell(times.total),
            Cell::share(times.total, all),
            time_cell(times.max),
        ]);
    }
    let mut slowest: Vec<(&String, &Times)> = trace.compiled.iter().collect();
    slowest.sort_by_key(|(_, times)| Reverse(times.total));
    let slowest: Vec<String> = slowest
        .into_iter()
        .take(MOST_PARTS)
        .map(|(name, times)| format!("{name} {}", time(times.total)))
        .collect();
    let cache = &trace.cache;
    let mut notes = vec![format!(
        "The cache of built programs: {}, {}, {} without the cache.",
        plural(cache.hits, "hit"),
        match cache.misses {
            1 => "1 miss".to_string(),
            misses => format!("{} misses", number(misses)),
        },
        plural(cache.off, "build"),
    )];
    if !slowest.is_empty() {
        notes.push(format!(
            "The Vulkan driver compiled longest: {}.",
            slowest.join(", ")
        ));
    }
    let notes: Vec<&str> = notes.iter().map(String::as_str).collect();
    section("Builds", table, &notes)
}

/// Names with times, the largest sum first.
fn by_total<'a>(trace: &'a Trace, times: &'a BTreeMap<u32, Times>) -> Vec<(&'a str, &'a Times)> {
    let mut rows: Vec<(&str, &Times)> = times
        .iter()
        .map(|(name, times)| (trace.name(*name), times))
        .collect();
    rows.sort_by_key(|&(name, times)| (Reverse(times.total), name));
    rows
}

fn calls(trace: &Trace) -> String {
    let calls = analysis::calls(trace);
    let mut table = Table::new(&["call", "#number", "#failed", "#total", "#mean", "#longest"]);
    let failed: BTreeMap<&str, u64> = trace
        .failed
        .iter()
        .map(|(name, count)| (trace.name(*name), *count))
        .collect();
    for (name, times) in by_total(trace, &calls).into_iter().take(MOST_ROWS) {
        table.row(vec![
            Cell::name(name),
            count_cell(times.count),
            count_cell(failed.get(name).copied().unwrap_or(0)),
            time_cell(times.total),
            time_cell(times.mean()),
            time_cell(times.max),
        ]);
    }
    let note = "Calls that wait (clFinish, clWaitForEvents, blocking reads) have the time of what they wait for.";
    section("Calls of OpenCL", table, &[note])
}

fn devices_table(trace: &Trace, devices: &[Device]) -> String {
    let mut table = Table::new(&[
        "device",
        "Vulkan driver",
        "#queues",
        "#busy",
        "#of the trace",
    ]);
    for device in devices {
        table.row(vec![
            Cell::name(&device.name),
            Cell::text(&device.driver),
            count_cell(device.queues as u64),
            time_cell(device.busy()),
            Cell::share(device.busy(), length(trace)),
        ]);
    }
    let note = "A device is busy while a command of any of its queues runs there; commands that overlap count once. \
                A kernel that enqueues others is busy from its start to the end of all that it led to. A trace writes timestamps around each command, which takes some time of its own.";
    section("Devices", table, &[note])
}
