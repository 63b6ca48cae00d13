//! `pumice-cts` itself against scripted test binaries and a driver that crashes, hangs or ends
//! the process: whatever they do, the other sub-tests' results come.

use pumice_cts_harness::facts;
use pumice_cts_harness::result::{Run, Status};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const LIST: &str = "# the list\n\
                    Fake,fake/test_fake bad good absent crash hang silent leaves liar data\n\
                    Fake (max size),fake/test_fake max_images arguments\n\
                    CL_DEVICE_TYPE_CPU, Not built,gone/test_gone\n";

/// A build of the CTS with one suite, in a folder of its own.
struct Build(PathBuf);

impl Build {
    fn new(name: &str) -> Build {
        let dir = std::env::temp_dir().join(format!("pumice-tool-{}-{name}", std::process::id()));
        let suite = dir.join("bin/fake");
        std::fs::create_dir_all(suite.join("spirv_bin")).unwrap();
        std::fs::write(suite.join("spirv_bin/kernel.spv"), "data").unwrap();
        let binary = suite.join("test_fake");
        std::fs::write(&binary, include_str!("fake/test_fake.sh")).unwrap();
        std::fs::set_permissions(&binary, std::fs::Permissions::from_mode(0o755)).unwrap();
        for list in ["quick", "full"] {
            let name = format!("bin/opencl_conformance_tests_{list}.csv");
            std::fs::write(dir.join(name), LIST).unwrap();
        }
        Build(dir)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// `pumice-cts run` over the build, in `how` of the fake driver.
    fn run(&self, how: &str, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_pumice-cts"))
            .args(["run", "--timeout", "3", "--bin"])
            .arg(self.path("bin"))
            .arg("--icd")
            .arg(driver())
            .arg("--out")
            .arg(self.path("result.json"))
            .args(args)
            .env("FAKE_DRIVER", how)
            .output()
            .unwrap()
    }

    fn result(&self) -> Run {
        Run::from_json(&std::fs::read_to_string(self.path("result.json")).unwrap()).unwrap()
    }
}

impl Drop for Build {
    fn drop(&mut self) {
        // A folder left behind in the temporary folder does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The fake driver, compiled once per process.
fn driver() -> &'static Path {
    static DRIVER: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    DRIVER.get_or_init(|| {
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libfakedriver.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake/driver.c");
        let status = Command::new("cc")
            .args(["-shared", "-fPIC", "-Wall", "-o"])
            .arg(&library)
            .arg(source)
            .status()
            .unwrap();
        assert!(status.success());
        library
    })
}

#[test]
fn each_kind_of_end_is_told_apart() {
    let build = Build::new("ends");
    let output = build.run("none", &["--jobs", "4"]);
    assert_eq!(output.status.code(), Some(1));
    let run = build.result();
    let ends: Vec<(&str, Status)> = run
        .outcomes
        .iter()
        .map(|o| (o.test.as_str(), o.status))
        .collect();
    use Status::{Crash, Fail, Pass, Skip, Timeout};
    assert_eq!(
        ends,
        [
            ("good", Pass),
            ("bad", Fail),
            ("absent", Skip),
            ("crash", Crash),
            ("hang", Timeout),
            ("silent", Fail),
            ("leaves", Skip),
            ("liar", Fail),
            ("data", Pass),
            ("arguments", Pass),
        ]
    );
    assert_eq!(run.outcomes[9].suite, "fake(max_images)");
    let log = |test: &str| &run.outcomes.iter().find(|o| o.test == test).unwrap().log;
    assert!(log("bad").contains("wrong <value>"));
    assert!(log("crash").contains("killed by signal 11"));
    assert!(log("hang").contains("waiting"));
    assert_eq!(run.left_out.len(), 1, "{:?}", run.left_out);
    let html = std::fs::read_to_string(build.path("result.html")).unwrap();
    assert!(html.contains("wrong &lt;value&gt;") && html.contains("gone: "));
}

#[test]
fn a_driver_that_cannot_even_be_asked_leaves_the_rest_standing() {
    let build = Build::new("driver");
    for (how, fact) in [
        ("crash", "killed by signal 11"),
        ("exit", "exit status 7"),
        ("none", "clGetPlatformIDs"),
    ] {
        let output = build.run(how, &["--test", "good"]);
        assert_eq!(output.status.code(), Some(0), "{how}: {output:?}");
        let run = build.result();
        assert!(run.facts[facts::ERROR].contains(fact), "{how}: {run:?}");
        assert_eq!(run.outcomes.len(), 1);
    }
}

#[test]
fn binaries_run_by_way_of_another_command() {
    let build = Build::new("through");
    build.run("none", &["--test", "hang", "--through", "timeout 1"]);
    let run = build.result();
    assert_eq!(run.outcomes[0].status, Status::Fail);
    assert!(run.outcomes[0].log.contains("exit status 124"));
}

#[test]
fn expectations_decide_the_exit_status() {
    let build = Build::new("expect");
    let file = build.path("expect.txt");
    let with = |text: &str, args: &[&str]| {
        std::fs::write(&file, text).unwrap();
        let mut all = vec!["--expect", file.to_str().unwrap()];
        all.extend(args);
        build.run("none", &all).status.code()
    };
    let quick = ["--test", "good", "--test", "bad", "--test", "absent"];
    assert_eq!(with("fake bad fail\nfake ab* skip\n", &quick), Some(0));
    // One that passes against expectation is told too.
    assert_eq!(with("fake * fail|skip\n", &quick), Some(1));
    assert_eq!(with("fake bad sometimes\n", &quick), Some(2));
}

#[test]
fn shards_add_up() {
    let build = Build::new("shards");
    let tests = ["--test", "good", "--test", "data", "--test", "absent"];
    for (shard, count) in [("1/2", 2), ("2/2", 1)] {
        let mut args = vec!["--shard", shard];
        args.extend(tests);
        build.run("none", &args);
        assert_eq!(build.result().outcomes.len(), count);
        let name = format!("shard{}.json", &shard[..1]);
        std::fs::rename(build.path("result.json"), build.path(&name)).unwrap();
    }
    let status = Command::new(env!("CARGO_BIN_EXE_pumice-cts"))
        .arg("merge")
        .args(["result.json", "shard1.json", "shard2.json"].map(|name| build.path(name)))
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(build.result().outcomes.len(), 3);
    assert_eq!(
        build.run("none", &["--shard", "3/2"]).status.code(),
        Some(2)
    );
}

#[test]
fn a_run_goes_on_where_an_earlier_one_stopped() {
    let build = Build::new("resume");
    let tests = ["--test", "good", "--test", "bad", "--test", "absent"];
    build.run("none", &tests);
    let mut earlier = build.result();
    assert!(earlier.facts.contains_key("date"), "{:?}", earlier.facts);
    // A time that no run measures marks what was kept.
    for outcome in &mut earlier.outcomes {
        outcome.seconds = 4321.0;
    }
    std::fs::write(build.path("result.json"), earlier.to_json()).unwrap();
    let mut resumed = vec!["--resume", "--test", "data"];
    resumed.extend(tests);
    build.run("none", &resumed);
    let run = build.result();
    let kept: Vec<(&str, bool)> = (run.outcomes.iter())
        .map(|o| (o.test.as_str(), o.seconds == 4321.0))
        .collect();
    assert_eq!(
        kept,
        [
            ("good", true),
            ("absent", true),
            ("bad", false),
            ("data", false)
        ]
    );
    earlier
        .facts
        .insert(facts::VULKAN_DRIVER.to_string(), "another".to_string());
    std::fs::write(build.path("result.json"), earlier.to_json()).unwrap();
    assert_eq!(build.run("none", &resumed).status.code(), Some(2));
}
