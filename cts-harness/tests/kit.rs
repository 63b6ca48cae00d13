//! `pumice-cts kit` over a kit of shell commands, without a driver.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with a kit, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, kit: &str) -> Folder {
        let dir = std::env::temp_dir().join(format!("pumice-kit-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("kit.json"), kit).unwrap();
        Folder(dir)
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pumice-cts"));
        command
            .arg("kit")
            .arg(&self.0)
            .args(args)
            .env("OCL_ICD_FILENAMES", "/nonexistent/other.so");
        command
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join("results").join(name)).unwrap()
    }

    /// The results by name.
    fn result(&self, name: &str) -> Value {
        let text = self.read("results.jsonl");
        let lines: Vec<Value> = (text.lines())
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let mut own = lines.into_iter().filter(|line| line["name"] == name);
        let first = own.next();
        assert!(own.next().is_none(), "{name} twice:\n{text}");
        first.unwrap_or_default()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder left behind in the temporary folder does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn job(part: &str, name: &str, script: &str) -> Value {
    json!({
        "part": part,
        "name": name,
        "words": ["/bin/sh", "-c", script],
        "env": {"PUMICE_CACHE": "off"},
        "limit": 600,
    })
}

fn kit(jobs: &[Value]) -> String {
    let kit = json!({
        "about": "Pumice for tests",
        "library": "lib/libnone.so",
        "on_request": ["rough"],
        "jobs": jobs,
    });
    kit.to_string()
}

#[test]
fn each_kind_of_end_is_told_apart() {
    let mut hangs = job("clients", "hangs", "echo waiting; sleep 600 & wait");
    hangs["limit"] = json!(0.5);
    let mut says = job("clients", "says", "echo FAIL said");
    says["never"] = json!("FAIL");
    let mut facts = job(
        "facts",
        "facts",
        "cat $OCL_ICD_VENDORS/driver.icd; echo [$OCL_ICD_FILENAMES] $PUMICE_CACHE",
    );
    facts["alone"] = json!(true);
    let lacks = "echo x: error while loading shared libraries: libGL.so.1; exit 127";
    let mut quiet = job("clients", "quiet", "echo CL_BUILD_FAILURE");
    quiet["never"] = json!("FAIL");
    let jobs = [
        facts,
        quiet,
        job("clients", "passes", "seq 10000"),
        job("clients", "fails", "seq 10000; echo FAIL why; exit 3"),
        hangs,
        job("clients", "crashes", "echo before; kill -SEGV $$"),
        says,
        job("clients", "lacks", lacks),
        json!({"part": "files", "name": "absent", "words": ["bin/absent"], "limit": 9}),
        job("rough", "rough", "exit 1"),
    ];
    let folder = Folder::new("ends", &kit(&jobs));
    let output = folder.run(&["--jobs", "3"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let results = [
        ("facts", "pass"),
        ("passes", "pass"),
        ("quiet", "pass"),
        ("fails", "fail"),
        ("hangs", "timeout"),
        ("crashes", "crash"),
        ("says", "fail"),
        ("lacks", "skip"),
        ("absent", "fail"),
    ];
    for (name, result) in results {
        assert_eq!(folder.result(name)["result"], result, "{name}");
    }
    assert_eq!(folder.result("rough"), Value::Null);
    let log = |name: &str| folder.result(name)["log"].as_str().unwrap().to_string();
    let library = folder.0.canonicalize().unwrap().join("lib/libnone.so");
    assert_eq!(log("facts"), format!("{}\n[] off\n", library.display()));
    // Of a pass the end is kept, of a failure everything.
    assert_eq!(log("passes").len(), 2 << 10);
    assert!(log("passes").ends_with("\n10000\n"));
    assert!(log("fails").starts_with("1\n2\n") && log("fails").ends_with("exit status 3"));
    assert_eq!(log("hangs"), "waiting\nkilled after 0.5 s");
    assert_eq!(log("crashes"), "before\nkilled by signal 11");
    assert!(
        log("absent").starts_with("bin/absent: "),
        "{}",
        log("absent")
    );

    let report = folder.read("report.txt");
    assert!(String::from_utf8_lossy(&output.stdout).contains(&report));
    let row = |part: &str| {
        let mut rows = report.lines().filter(|line| line.starts_with(part));
        let words = rows.next().unwrap_or_default().split_whitespace().skip(1);
        words
            .map(|word| word.parse().unwrap())
            .collect::<Vec<u32>>()
    };
    // Jobs, then pass, fail, crash, timeout, cut, skip, not run.
    assert_eq!(row("facts "), [1, 1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(row("clients "), [7, 2, 2, 1, 1, 0, 1, 0]);
    assert_eq!(row("files "), [1, 0, 1, 0, 0, 0, 0, 0]);
    assert!(row("rough ").is_empty(), "{report}");
    for (name, reason) in [("fails", "FAIL why"), ("lacks", "libGL.so.1")] {
        let (_, rest) = report.split_once(&format!("clients {name} ")).unwrap();
        assert!(rest.lines().nth(1).unwrap().contains(reason), "{report}");
    }
    assert!(!report.contains("clients passes"), "{report}");
    assert!(folder.0.join("results/logs/clients-fails.txt").is_file());
    assert!(!folder.0.join("results/logs/clients-passes.txt").exists());
}

#[test]
fn a_run_that_is_out_of_time_keeps_what_it_has() {
    let jobs = [
        job("clients", "passes", "echo well"),
        job("clients", "endless", "echo begun; sleep 600"),
        job("clients", "late", "echo late"),
    ];
    let folder = Folder::new("time", &kit(&jobs));
    let output = folder.run(&["--jobs", "1", "--seconds", "3"]);
    // What was cut says nothing about the driver.
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(folder.result("passes")["result"], "pass");
    assert_eq!(folder.result("endless")["result"], "cut");
    assert_eq!(folder.result("endless")["log"], "begun\n");
    assert_eq!(folder.result("late"), Value::Null);
    let report = folder.read("report.txt");
    let row = report.lines().find(|line| line.starts_with("clients "));
    let words: Vec<&str> = row.unwrap().split_whitespace().collect();
    assert_eq!(words, ["clients", "3", "1", "0", "0", "0", "1", "0", "1"]);
}

#[test]
fn jobs_that_want_to_be_alone_are() {
    // Each fails if another one's mark is there.
    let script = "set -C; : >mark || exit 1; sleep 0.1; rm mark";
    let jobs = ["a", "b", "c"].map(|name| {
        let mut job = job("bench", name, script);
        job["alone"] = json!(true);
        job
    });
    let folder = Folder::new("alone", &kit(&jobs));
    let output = folder.run(&["--jobs", "3"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn parts_are_asked_for_by_name() {
    let jobs = [job("clients", "a", "exit 1"), job("rough", "b", "true")];
    let folder = Folder::new("parts", &kit(&jobs));
    assert_eq!(folder.run(&["--part", "rough"]).status.code(), Some(0));
    assert_eq!(folder.result("b")["result"], "pass");
    assert_eq!(folder.result("a"), Value::Null);
    assert_eq!(folder.run(&["--part", "client"]).status.code(), Some(2));
}

#[test]
fn loaders_are_taken_only_if_the_system_lacks_the_library() {
    let folder = Folder::new(
        "loaders",
        &kit(&[job("facts", "a", "echo $LD_LIBRARY_PATH")]),
    );
    for (name, library) in [("c", "libc.so.6"), ("none", "libpumice-none.so.9")] {
        let loader = folder.0.join("loaders").join(name);
        std::fs::create_dir_all(&loader).unwrap();
        std::fs::write(loader.join(library), "").unwrap();
    }
    folder.run(&[]);
    let log = folder.result("a")["log"].as_str().unwrap().to_string();
    let last = log.trim().rsplit(':').next().unwrap();
    assert!(last.ends_with("/loaders/none"), "{log}");
    assert!(!log.contains("/loaders/c"), "{log}");
}

/// Makes a loader of OpenCL in a folder.
fn compile_loader(folder: &Path, more: &[&str]) {
    std::fs::create_dir_all(folder).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake/loader.c");
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-Wall", "-Wl,-soname,libOpenCL.so.1"])
        .args(more)
        .arg("-o")
        .arg(folder.join("libOpenCL.so.1"))
        .arg(source)
        .status();
    assert!(status.unwrap().success());
}

/// Whatever loader the system has: the kit's takes its place where it alone finds the driver.
#[test]
fn the_kits_loader_of_opencl_is_taken_if_the_systems_does_not_find_the_driver() {
    const LOST: &[&str] = &["-DLOST"];
    const FINDS: &[&str] = &[];
    let cases: [(&str, &[&str], &[&str], bool); 3] = [
        ("lost", LOST, FINDS, true),
        ("found", FINDS, FINDS, false),
        ("none", LOST, LOST, false),
    ];
    for (name, of_system, of_kit, taken) in cases {
        let jobs = [job("facts", "a", "echo $LD_LIBRARY_PATH")];
        let folder = Folder::new(&format!("loader-{name}"), &kit(&jobs));
        let folder_path = folder.0.canonicalize().unwrap();
        let (system, own) = (
            folder_path.join("system"),
            folder_path.join("loaders/OpenCL"),
        );
        compile_loader(&system, of_system);
        compile_loader(&own, of_kit);
        let mut command = folder.command(&[]);
        let output = command.env("LD_LIBRARY_PATH", &system).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
        let log = folder.result("a")["log"].as_str().unwrap().to_string();
        let paths: Vec<PathBuf> = std::env::split_paths(log.trim()).collect();
        let expected = match taken {
            true => vec![own, system],
            false => vec![system],
        };
        assert_eq!(paths, expected, "{name}");
        let report = folder.read("report.txt");
        let says = |text: &str| report.lines().any(|line| line.starts_with(text));
        assert_eq!(says("OpenCL loader: the kit's, since"), taken, "{report}");
        assert_eq!(says("Device: fake"), name != "none", "{report}");
    }
}

#[test]
fn logs_of_an_earlier_run_go_away() {
    let folder = Folder::new("stale", &kit(&[job("facts", "a", "exit 1")]));
    // A folder of that name that no run made is left alone.
    let other = folder.0.join("results/logs/notes.txt");
    std::fs::create_dir_all(other.parent().unwrap()).unwrap();
    std::fs::write(&other, "mine").unwrap();
    folder.run(&[]);
    assert!(other.exists());
    let log = folder.0.join("results/logs/facts-a.txt");
    assert!(log.exists());
    std::fs::write(
        folder.0.join("kit.json"),
        kit(&[job("facts", "b", "exit 1")]),
    )
    .unwrap();
    folder.run(&[]);
    assert!(folder.0.join("results/logs/facts-b.txt").exists());
    assert!(!log.exists());
}

#[test]
fn kits_that_cannot_be_read_are_a_message() {
    for text in [
        "",
        "{",
        "[]",
        "{\"jobs\": 1}",
        "{\"jobs\": [{}]}",
        "{\"jobs\": []}",
    ] {
        let output = Folder::new("bad", text).run(&[]);
        assert_eq!(output.status.code(), Some(2), "{text}: {output:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("kit.json: "), "{text}: {said}");
        assert!(!said.contains("panicked"), "{said}");
    }
    let folder = Folder::new("gone", "{}");
    std::fs::remove_file(folder.0.join("kit.json")).unwrap();
    assert_eq!(folder.run(&[]).status.code(), Some(2));
}
