//! `pumice-cts apps`.

use crate::{USAGE, environment, finish};
use pumice_cts_harness::apps::{APPS, App, AppOptions, SUITE};
use pumice_cts_harness::facts;
use pumice_cts_harness::progress::Progress;
use pumice_cts_harness::record;
use pumice_cts_harness::result::Run;
use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

#[derive(Default)]
struct Arguments {
    icd: Option<PathBuf>,
    quick: bool,
    install: bool,
    list: bool,
    home: Option<PathBuf>,
    timeout: Option<u64>,
    expect: Option<PathBuf>,
    out: Option<PathBuf>,
    names: Vec<String>,
}

fn parse(args: &[String]) -> Result<Arguments, String> {
    let mut parsed = Arguments::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{arg} takes a value"));
        match arg.as_str() {
            "--icd" => parsed.icd = Some(value()?.into()),
            "--quick" => parsed.quick = true,
            "--install" => parsed.install = true,
            "--list" => parsed.list = true,
            "--home" => parsed.home = Some(value()?.into()),
            "--timeout" => {
                parsed.timeout = Some(value()?.parse().map_err(|_| "--timeout takes seconds")?)
            }
            "--expect" => parsed.expect = Some(value()?.into()),
            "--out" => parsed.out = Some(value()?.into()),
            option if option.starts_with('-') => {
                return Err(format!("unknown argument {option:?}\n\n{USAGE}"));
            }
            name => parsed.names.push(name.to_string()),
        }
    }
    Ok(parsed)
}

/// Returns the default installation folder of applications.
fn default_home() -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))
        .unwrap_or_else(std::env::temp_dir);
    cache.join("pumice-apps")
}

/// Runs the applications that the arguments select, one after the other: each may use all cores.
pub fn run(args: &[String]) -> Result<ExitCode, String> {
    let args = parse(args)?;
    if let Some(unknown) =
        (args.names.iter()).find(|name| APPS.iter().all(|app| app.name != **name))
    {
        return Err(format!("no application named {unknown:?}"));
    }
    let selected: Vec<&App> = (APPS.iter())
        .filter(|app| !args.quick || app.quick)
        .filter(|app| args.names.is_empty() || args.names.iter().any(|name| name == app.name))
        .collect();
    if args.list {
        let mut out = std::io::stdout().lock();
        for app in selected {
            let (name, exercises, install) = (app.name, app.exercises, app.install_line());
            // Who reads only the first lines closes the pipe.
            if writeln!(out, "{name}: {exercises}\n    {install}").is_err() {
                break;
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let home = args.home.unwrap_or_else(default_home);
    std::fs::create_dir_all(&home).map_err(|error| format!("{}: {error}", home.display()))?;
    let home = home
        .canonicalize()
        .map_err(|error| format!("{}: {error}", home.display()))?;
    let env = environment(args.icd.as_deref(), &home)?;
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut run = Run {
        facts: facts::ask(
            std::process::Command::new(&own),
            "",
            &env,
            &home,
            Duration::from_secs(60),
        ),
        ..Run::default()
    };
    run.facts.extend(record::facts_of_now());
    let options = AppOptions {
        home,
        install: args.install,
        env,
        limit: args.timeout.map(Duration::from_secs),
    };
    let names: Vec<(String, String)> = (selected.iter())
        .map(|app| (SUITE.to_string(), app.name.to_string()))
        .collect();
    let progress = Progress::new(&names, HashMap::new());
    let out = args.out.unwrap_or_else(|| "apps-result.json".into());
    for app in selected {
        let outcome = app.run(&run.facts, &options);
        progress.ended(&outcome);
        if !outcome.log.is_empty() {
            let last = outcome.log.trim_end().lines().last().unwrap_or_default();
            println!("    {last}");
        }
        run.outcomes.push(outcome);
        // Some applications take long: who stops a run keeps what it has shown.
        std::fs::write(&out, run.to_json())
            .map_err(|error| format!("{}: {error}", out.display()))?;
    }
    finish(&run, "Applications", &out, args.expect.as_deref())
}
