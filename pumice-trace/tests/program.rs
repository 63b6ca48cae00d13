//! The program as users run it.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A folder of the test's own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn start(folder: &PathBuf, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pumice-trace"));
    command
        .current_dir(folder)
        .env("TMPDIR", folder)
        .args(words);
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Two launches with a gap, in which the host builds, and a read; no bracket.
const EVENTS: &str = r#"[
{"ph":"M","pid":7,"tid":0,"name":"process_name","args":{"name":"pro<gram"}},
{"ph":"M","pid":7,"tid":1000000,"name":"thread_name","args":{"name":"queue 0: gpu"}},
{"ph":"M","pid":7,"tid":1000000,"name":"queue","args":{"device":"gpu","driver":"a driver 1.0"}},
{"ph":"X","pid":7,"tid":1000000,"cat":"device","name":"k","ts":100.000,"dur":10.000,"args":{"kernel":"k","global":[64],"local":[8],"argument_bytes":20000}},
{"ph":"X","pid":7,"tid":1,"cat":"api","name":"clBuildProgram","ts":120.000,"dur":50.000,"args":{"result":"CL_BUILD_PROGRAM_FAILURE"}},
{"ph":"X","pid":7,"tid":1000000,"cat":"device","name":"k","ts":200.000,"dur":30.000,"args":{"kernel":"k","global":[64],"local":[8],"argument_bytes":20000}},
{"ph":"X","pid":7,"tid":1000000,"cat":"device","name":"transfer","ts":230.000,"dur":10.000,"args":{"direction":"read","bytes":40000}}"#;

#[test]
fn a_report_has_the_figures() {
    let folder = folder("figures");
    std::fs::write(folder.join("t.json"), format!("{EVENTS}\n]\n")).unwrap();
    let output = start(&folder, &["report", "t.json", "-o", "p.html"]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(said(&output), "pumice-trace: wrote p.html\n");
    let page = std::fs::read_to_string(folder.join("p.html")).unwrap();
    for part in [
        "<h1>What ran: pro&lt;gram</h1>",
        // Two launches, 40 µs, all of the time, no first one, 20 µs, 10 to 30 µs, 40 kB in 40 µs.
        "<td class=\"name\">k</td><td class=\"n\" data-v=\"2\">2</td>\
         <td class=\"n\" data-v=\"40000\">40.0 µs</td>\
         <td class=\"n share\" data-v=\"40000\" style=\"--share:100.0%\">100.0 %</td>\
         <td class=\"n\" data-v=\"0\">–</td><td class=\"n\" data-v=\"20000\">20.0 µs</td>\
         <td class=\"n\" data-v=\"10000\">10.0 µs</td><td class=\"n\" data-v=\"30000\">30.0 µs</td>\
         <td class=\"n\" data-v=\"1\">1.00</td><td>64 / 8</td>",
        "<td class=\"n\" data-v=\"90000\">90.0 µs</td><td class=\"n\" data-v=\"10000\">10.0 µs</td>\
         <td>clBuildProgram 50.0 µs · outside OpenCL 40.0 µs</td>",
        "<td class=\"name\">transfer: read</td><td>the device</td><td class=\"n\" data-v=\"1\">1</td>\
         <td class=\"n\" data-v=\"40000\">40.0 kB</td>",
        "<td class=\"name\">clBuildProgram</td><td class=\"n\" data-v=\"1\">1</td><td class=\"n\" data-v=\"1\">1</td>",
        "<b>35.7 %</b><span>gpu busy, of 140 µs from its first command to its last</span>",
        "<td class=\"name\">gpu</td><td>a driver 1.0</td>",
    ] {
        assert!(page.contains(part), "no {part} in\n{page}");
    }
    assert!(!page.contains("cut short") && !page.contains("<gram"));
    // The page needs no network.
    assert!(!page.contains("http:") && !page.contains("https:"));
}

#[test]
fn a_cut_trace_is_read_as_far_as_it_goes() {
    let folder = folder("cut");
    let events = format!("{EVENTS},\n{{\"ph\":\"X\",\"pi");
    std::fs::write(folder.join("t.json"), events).unwrap();
    let output = start(&folder, &["report", "t.json"]);
    assert!(output.status.success(), "{}", said(&output));
    let page = std::fs::read_to_string(folder.join("pumice-trace.html")).unwrap();
    assert!(page.contains("t.json was cut short: what ran after its end is missing."));
    assert!(page.contains("<td class=\"name\">transfer: read</td>"));
}

#[test]
fn what_is_no_trace_is_refused_with_its_line() {
    let folder = folder("malformed");
    let time = EVENTS.replace("\"dur\":30.000", "\"dur\":\"long\"");
    for (text, why) in [
        ("", "t.json: line 1: no array of events begins here"),
        ("<html>", "t.json: line 1: no array of events begins here"),
        ("[\n7]", "t.json: line 2: an event must be an object"),
        (
            "[\n{\"a\"}]",
            "t.json: line 2: expected `:` at line 1 column 5",
        ),
        (&time, "t.json: line 7: the event has no time \"dur\""),
        ("[]", "t.json: the trace has no event with a time"),
        (
            "[\u{0}]",
            "t.json: line 1: expected value at line 1 column 1",
        ),
    ] {
        std::fs::write(folder.join("t.json"), text).unwrap();
        let output = start(&folder, &["report", "t.json"]);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert_eq!(said(&output), format!("pumice-trace: error: {why}\n"));
        assert!(!folder.join("pumice-trace.html").exists());
    }
    let output = start(&folder, &["report", "none.json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).starts_with("pumice-trace: error: none.json: "));
    let output = start(&folder, &["report"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        said(&output),
        "pumice-trace: error: no trace to read (pumice-trace --help)\n"
    );
}

#[test]
fn a_page_of_many_events_has_a_bounded_size() {
    let folder = folder("many");
    let mut text = String::from("[");
    for n in 0..26_000_u32 {
        let comma = if n > 0 { "," } else { "" };
        let (tid, name) = (n % 40, n % 7);
        let _ = write!(
            text,
            "{comma}\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{tid},\"cat\":\"device\",\"name\":\"k{name}\",\"ts\":{n},\
             \"dur\":0.5,\"args\":{{\"kernel\":\"k{n}\",\"global\":[{n}],\"local\":[1]}}}}"
        );
    }
    std::fs::write(folder.join("t.json"), text + "\n]\n").unwrap();
    let output = start(&folder, &["report", "t.json"]);
    assert!(output.status.success(), "{}", said(&output));
    let page = std::fs::read_to_string(folder.join("pumice-trace.html")).unwrap();
    assert!(page.len() < 1 << 20, "{} bytes", page.len());
    assert!(
        page.contains("25,900 further kernels"),
        "the rest is summed up"
    );
    assert!(page.contains("8 tracks with fewer slices are not shown."));
    assert!(page.contains(" are drawn as one slice"));
}

/// A script that writes a trace as the driver does, then `more`.
fn traced(more: &str) -> String {
    // The driver replaces %p by the process's number.
    format!("cat > \"${{PUMICE_TRACE%\\%p.json}}$$.json\" <<'END'\n{EVENTS}\n]\nEND\n{more}")
}

#[test]
fn a_run_has_the_programs_output_and_status() {
    let folder = folder("run");
    let script = traced("echo out; echo err >&2; exit 3");
    let output = start(&folder, &["run", "--", "sh", "-c", &script]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert_eq!(output.stdout, b"out\n");
    assert_eq!(
        said(&output),
        "err\npumice-trace: wrote pumice-trace.html\n"
    );
    let page = std::fs::read_to_string(folder.join("pumice-trace.html")).unwrap();
    assert!(page.contains("The program ended with status 3."));
    assert!(page.contains("the program&#39;s time") || page.contains("the program's time"));
    // Neither traces nor their folder stay.
    let left: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(left, ["pumice-trace.html"]);
}

#[test]
fn a_run_of_several_processes_makes_one_page() {
    let folder = folder("several");
    let script = traced("sh -c \"$SCRIPT\"");
    let inner = traced("")
        .replace("\"pid\":7", "\"pid\":8")
        .replace("pro<gram", "inner");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pumice-trace"));
    command
        .current_dir(&folder)
        .env("SCRIPT", inner.replace("\"pid\":7", "\"pid\":8"));
    command.args([
        "run", "--keep", "traces", "-o", "p.html", "--", "sh", "-c", &script,
    ]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(std::fs::read_dir(folder.join("traces")).unwrap().count(), 2);
    let page = std::fs::read_to_string(folder.join("p.html")).unwrap();
    assert!(
        page.contains("<td class=\"name\">k</td><td class=\"n\" data-v=\"4\">4</td>"),
        "{page}"
    );
    assert!(page.contains("inner"));
    // Another run's page has that run alone.
    let words = ["run", "--keep", "traces", "--", "sh", "-c", &traced("")];
    let output = start(&folder, &words);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(std::fs::read_dir(folder.join("traces")).unwrap().count(), 3);
    let page = std::fs::read_to_string(folder.join("pumice-trace.html")).unwrap();
    assert!(page.contains("<td class=\"name\">k</td><td class=\"n\" data-v=\"2\">2</td>"));
}

#[test]
fn interrupts_are_the_programs() {
    let folder = folder("interrupted");
    let script = traced("kill -INT $PPID; kill -QUIT $PPID; kill -KILL $$");
    let output = start(&folder, &["run", "--", "sh", "-c", &script]);
    assert_eq!(output.status.code(), Some(128 + 9), "{}", said(&output));
    let page = std::fs::read_to_string(folder.join("pumice-trace.html")).unwrap();
    assert!(page.contains("The program ended with signal 9."));
}

#[test]
fn a_run_without_a_page_says_why() {
    let folder = folder("nothing");
    let output = start(&folder, &["run", "--", "true"]);
    assert_eq!(output.status.code(), Some(125));
    let why = "pumice-trace: error: the program wrote no trace: it did not use a device of Pumice, or ignores its \
               environment (pumice-info tells whether there is one)\n";
    assert_eq!(said(&output), why);
    let output = start(&folder, &["run", "--", "false"]);
    assert_eq!(output.status.code(), Some(1));
    let output = start(&folder, &["run", "--", "./no-such-program"]);
    assert_eq!(output.status.code(), Some(127));
    assert!(
        said(&output).starts_with("pumice-trace: error: ./no-such-program: "),
        "{}",
        said(&output)
    );
    let output = start(&folder, &["run", "--keep", "/proc/none", "--", "true"]);
    assert_eq!(output.status.code(), Some(125));
    assert!(
        said(&output).starts_with("pumice-trace: error: /proc/none: "),
        "{}",
        said(&output)
    );
    let output = start(
        &folder,
        &[
            "run",
            "-o",
            "no-folder/p.html",
            "--",
            "sh",
            "-c",
            &traced(""),
        ],
    );
    assert_eq!(output.status.code(), Some(125));
    assert!(
        said(&output).starts_with("pumice-trace: error: no-folder/p.html: "),
        "{}",
        said(&output)
    );
}
