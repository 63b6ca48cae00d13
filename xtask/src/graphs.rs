//! Work graphs (VK_AMDX_shader_enqueue) on a lavapipe built from Debian's source package.
//!
//! Debian's own build leaves beta extensions out. The source is fetched by apt, repaired by edits of ours,
//! since Mesa 25.0 compiles no kernel that reads a payload or starts another (docs/device-enqueue.md), and
//! built once under `target/graphs`. A build that was interrupted goes on where it was.

use crate::cargo_tests;
use crate::clients::{self, Setting};
use crate::drivers::VulkanDriver;
use crate::kernel_files;
use crate::private_apt;
use crate::programs;
use crate::sh::{self, Result};
use crate::test::{self, Matrix, Report};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The suite whose Mesa is built: that of the second driver's version.
const SUITE: &str = "trixie";

/// Our changes to Mesa, and the version that they are of.
const EDITS: &str = include_str!("../mesa/work-graphs.edits");
const VERSION: &str = "25.0.7";

/// The built library below the build folder.
const LIBRARY: &str = "src/gallium/targets/lavapipe/libvulkan_lvp.so";

/// Options of Mesa's build: lavapipe alone, with beta extensions, compiled quickly.
const OPTIONS: &[&str] = &[
    "-Dbuildtype=plain",
    "-Doptimization=0",
    "-Ddebug=false",
    "-Db_ndebug=false",
    "-Dplatforms=",
    "-Dvulkan-drivers=swrast",
    "-Dgallium-drivers=llvmpipe",
    "-Dvulkan-beta=true",
    "-Dvulkan-layers=",
    "-Dllvm=enabled",
    "-Dshared-llvm=enabled",
    "-Dopengl=false",
    "-Dgles1=disabled",
    "-Dgles2=disabled",
    "-Degl=disabled",
    "-Dglx=disabled",
    "-Dgbm=disabled",
    "-Dgallium-va=disabled",
    "-Dgallium-vdpau=disabled",
    "-Dvideo-codecs=",
    "-Dshader-cache=disabled",
    "-Dxmlconfig=disabled",
    "-Dzstd=disabled",
    "-Dvalgrind=disabled",
    "-Dlibunwind=disabled",
    "-Dlmsensors=disabled",
    "-Dbuild-tests=false",
    "-Dtools=",
];

/// meson's settings of this machine: the system's Python has the modules that Mesa's generators need,
/// and LLVM is that of Debian 12.
const MACHINE: &str = "[binaries]\nllvm-config = 'llvm-config-15'\npython3 = '/usr/bin/python3'\n";

/// Takes the checks between Mesa's passes out, a quarter of the step's time.
const UNCHECKED: (&str, &str) = ("NIR_DEBUG", "novalidate");

/// The step.
pub fn run(report: &mut Report) -> Result {
    let driver = driver()?;
    run_graphs(report, &driver)?;
    run_clients(report, &driver)?;
    programs::random_enqueueing(report, &driver, &[(UNCHECKED.0, UNCHECKED.1.into())])
}

/// The files of graphs, started through the Vulkan layer.
fn run_graphs(report: &mut Report, driver: &VulkanDriver) -> Result {
    let mut command = test::cargo(&["test", "--quiet", "--package", "pumice-runtime"]);
    command.args(["--test", "graphs_on_device", "--", "--ignored"]);
    command.arg(&report.filter);
    driver.select(&mut command);
    // The system's validation layer is older than the driver.
    command.env("PUMICE_TEST_WITHOUT_VALIDATION", "1");
    command.env(UNCHECKED.0, UNCHECKED.1);
    cargo_tests::run_command(report, "work graphs", &mut command)
}

/// A way in which blocks run: a name, the variable that leads to it, and words of the log that tell of it.
type Way = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static str,
);

const WAYS: &[Way] = &[
    ("work graphs", &[], "by a work graph"),
    (
        "masked",
        &[("PUMICE_MASK", "shaderEnqueue")],
        "by indirect dispatches",
    ),
    (
        "refused graphs",
        &[(
            "PUMICE_FAULTS",
            "vkCreateExecutionGraphPipelinesAMDX:host:1",
        )],
        "by indirect dispatches",
    ),
];

/// The clients and kernel files that enqueue, by work graphs, without them, and where the driver refuses them.
fn run_clients(report: &mut Report, driver: &VulkanDriver) -> Result {
    let library = test::build_debug()?;
    let vendors = clients::vendors_folder("debug", &library)?;
    let mut all = clients::compile_all(&library)?;
    let matrix = Matrix {
        messages: None,
        label: driver.name.to_string(),
        setting: Setting {
            vendors: &vendors,
            driver: Some(driver),
            loader: None,
            env: &[],
        },
    };
    let outcome = test::assert_driver(test::list_devices(&all)?, &matrix, driver);
    report.record(&format!("driverInfo · {}", matrix.label), outcome);
    all.retain(|client| client.name.starts_with("device_enqueue"));
    let runner = test::build_runner()?;
    for &(name, variables, told) in WAYS {
        let variables = variables
            .iter()
            .chain(&[("PUMICE_LOG", "debug"), UNCHECKED]);
        let env: Vec<(&str, String)> = variables
            .map(|&(name, value)| (name, value.to_string()))
            .collect();
        let matrix = Matrix {
            messages: None,
            label: format!("{} · {name}", driver.name),
            setting: Setting {
                env: &env,
                ..matrix.setting
            },
        };
        test::run_clients(report, &all, &matrix, test::Share::All);
        run_kernels(report, &runner, &matrix, told)?;
    }
    Ok(())
}

/// Runs the kernel files that enqueue in one process, and looks for the way in which they ran in its log.
fn run_kernels(report: &mut Report, runner: &Path, matrix: &Matrix<'_>, told: &str) -> Result {
    let mut files = kernel_files::served(&matrix.setting)?;
    files.retain(|file| {
        let name = sh::file_name(file);
        name.starts_with("enqueue_") && name.contains(&report.filter)
    });
    let mut command = Command::new(runner);
    command.arg("Pumice").args(&files);
    matrix.setting.apply(&mut command);
    let done = sh::run_limited(&mut command, Duration::from_secs(600))?;
    println!("  {}", done.stdout.lines().last().unwrap_or_default());
    let outcome = match done.verdict() {
        Ok(()) if !files.is_empty() && !done.stderr.contains(told) => {
            Err(format!("the log does not say `{told}`"))
        }
        outcome => outcome,
    };
    report.record(&format!("kernel files · {}", matrix.label), outcome);
    Ok(())
}

/// Builds the driver where it is not built yet.
fn driver() -> Result<VulkanDriver> {
    let home = sh::target().join("graphs");
    let source = edited_source(&home)?;
    let build = home.join("build");
    let meson = private_apt::unpack(SUITE, &["meson"])?;
    if !build.join("build.ninja").is_file() {
        configure(&meson, &source, &build, &home)?;
    }
    let mut ninja = Command::new("nice");
    ninja.args(["-n", "15", "ninja", "-C"]).arg(&build);
    sh::run(ninja.arg(LIBRARY).env("PYTHONPATH", modules(&meson)))?;
    let manifest = home.join("lvp_icd.json");
    let text = serde_json::json!({
        "file_format_version": "1.0.1",
        "ICD": { "library_path": build.join(LIBRARY), "api_version": "1.4.305" },
    });
    sh::write(&manifest, text.to_string())?;
    Ok(VulkanDriver {
        name: "lavapipe (work graphs)",
        manifest,
        driver_info: "llvmpipe Mesa 25.0",
        library_path: Vec::new(),
        lacks: &[],
        faulty: false,
    })
}

/// Unpacks Mesa's source package with Debian's patches and our edits.
fn edited_source(home: &Path) -> Result<PathBuf> {
    let source = home.join("source");
    let done = home.join("source.edits");
    if sh::read(&done).is_ok_and(|edits| edits == EDITS) {
        return Ok(source);
    }
    let package = private_apt::source(SUITE, "mesa")?;
    let description = sh::files_with(&package, &["dsc"])?;
    let description = description.first().ok_or("no .dsc file in the package")?;
    // A tree that is half unpacked, or has other edits.
    let _ = std::fs::remove_dir_all(&source);
    sh::make_folder(home)?;
    let mut unpack = Command::new("dpkg-source");
    unpack
        .args(["--no-copy", "-x"])
        .arg(description)
        .arg(&source);
    sh::output(&mut unpack)?;
    let version = sh::read(&source.join("VERSION"))?;
    if version.trim() != VERSION {
        return Err(format!(
            "Mesa {}: the edits are of {VERSION}",
            version.trim()
        ));
    }
    for (file, edits) in files(EDITS)? {
        let path = source.join(file);
        let text = sh::read(&path)?;
        let edited =
            edit(&text, &edits).ok_or_else(|| format!("{file}: an edit behind its end"))?;
        sh::write(&path, edited)?;
    }
    sh::write(&done, EDITS)?;
    Ok(source)
}

/// Lines of a file that are taken out, and those that take their place.
struct Edit<'a> {
    /// The first line, from 1 on; the line above the new ones where none is taken out.
    line: usize,
    count: usize,
    new: Vec<&'a str>,
}

/// The edits by file, as `work-graphs.edits` has them.
fn files(text: &str) -> Result<Vec<(&str, Vec<Edit<'_>>)>> {
    let mut files: Vec<(&str, Vec<Edit<'_>>)> = Vec::new();
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let unknown = || format!("no line of edits: {line}");
        if let Some(name) = line.strip_prefix("file ") {
            files.push((name, Vec::new()));
            continue;
        }
        let (_, edits) = files.last_mut().ok_or_else(unknown)?;
        if let Some(place) = line.strip_prefix("@ ") {
            let (at, count) = place.split_once(' ').ok_or_else(unknown)?;
            let number = |word: &str| word.parse().map_err(|_| unknown());
            edits.push(Edit {
                line: number(at)?,
                count: number(count)?,
                new: Vec::new(),
            });
        } else {
            let new = line.strip_prefix('+').ok_or_else(unknown)?;
            edits.last_mut().ok_or_else(unknown)?.new.push(new);
        }
    }
    Ok(files)
}

/// Edits a text; `None` if it is too short. Line numbers are those of the text as it was.
fn edit(text: &str, edits: &[Edit<'_>]) -> Option<String> {
    let mut lines: Vec<&str> = text.lines().collect();
    for edit in edits.iter().rev() {
        let first = edit.line - usize::from(edit.count > 0);
        let range = first..first + edit.count;
        lines.get(range.clone())?;
        lines.splice(range, edit.new.iter().copied());
    }
    Some(lines.join("\n") + "\n")
}

fn configure(meson: &Path, source: &Path, build: &Path, home: &Path) -> Result {
    let machine = home.join("machine.ini");
    sh::write(&machine, MACHINE)?;
    let mut command = Command::new("/usr/bin/python3");
    command
        .arg(meson.join("usr/bin/meson"))
        .arg("setup")
        .args([build, source])
        .arg("--native-file")
        .arg(&machine)
        .args(OPTIONS)
        .env("PYTHONPATH", modules(meson));
    sh::output(&mut command).map(drop)
}

/// The Python modules of an unpacked meson.
fn modules(meson: &Path) -> PathBuf {
    meson.join("usr/lib/python3/dist-packages")
}

#[cfg(test)]
mod tests {
    use super::{EDITS, edit, files};

    #[test]
    fn edits_take_lines_out_and_put_lines_in() {
        let parsed = files("# note\nfile a.c\n@ 1 0\n+new\n@ 3 2\n+x\n+\n").expect("edits");
        let (name, edits) = &parsed[0];
        assert_eq!(*name, "a.c");
        let edited = edit("1\n2\n3\n4\n5\n", edits).expect("long enough");
        assert_eq!(edited, "1\nnew\n2\nx\n\n5\n");
        assert!(edit("1\n2\n3\n", edits).is_none());
        assert!(files("@ 1 0").is_err() && files("file a\n?").is_err());
        assert!(files(EDITS).is_ok_and(|files| !files.is_empty()));
    }
}
