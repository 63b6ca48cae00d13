//! The test step of `install` and `uninstall`: for a user with a home folder of its own, on the system's
//! Vulkan drivers.

use crate::clients;
use crate::drivers::FAULTY_DRIVERS;
use crate::sh::{self, Finished, Result};
use crate::test::Report;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Time for a command; an installation may build first.
const LIMIT: Duration = Duration::from_secs(1200);

/// Variables that decide which drivers are found, or where a user's files lie.
const VARIABLES: &[&str] = &[
    FAULTY_DRIVERS,
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "VK_ADD_DRIVER_FILES",
    "OCL_ICD_VENDORS",
    "LD_LIBRARY_PATH",
    "XDG_DATA_HOME",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
];

/// A user with nothing but what a test installs.
pub struct User {
    /// The home folder.
    pub home: PathBuf,
}

impl User {
    /// Makes a user anew; `name` tells those of several tests apart.
    pub fn new(name: &str) -> Result<User> {
        let home = sh::target().join("users").join(name);
        if home.exists() {
            std::fs::remove_dir_all(&home)
                .map_err(|error| format!("{}: {error}", home.display()))?;
        }
        sh::make_folder(&home)?;
        Ok(User { home })
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        // Builds are the real user's.
        for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            if let (None, Some(home)) = (std::env::var_os(name), std::env::var_os("HOME")) {
                command.env(name, Path::new(&home).join(folder));
            }
        }
        for name in VARIABLES {
            command.env_remove(name);
        }
        command.env("HOME", &self.home);
        command
    }

    /// Runs `cargo xtask` with the words.
    pub fn xtask(&self, words: &[&str]) -> Result<Finished> {
        // A build may have replaced the file of the program that runs.
        let own = Path::new("/proc/self/exe");
        sh::run_limited(self.command(own).args(words), LIMIT)
    }

    /// Runs a script in a shell after a login: it has read the installed `env.sh`, and finds programs.
    pub fn shell(&self, script: &str) -> Result<Finished> {
        let mut command = self.command(Path::new("sh"));
        let script = format!(". ~/.local/share/pumice/env.sh\nPATH=~/.local/bin:$PATH\n{script}");
        sh::run_limited(command.args(["-c", &script]), LIMIT)
    }

    /// The files below the home folder, the cache of Mesa's shaders and ours excepted.
    fn files(&self) -> Result<String> {
        let words = [
            ".", "-name", ".cache", "-prune", "-o", "!", "-type", "d", "-print",
        ];
        sh::output(Command::new("find").args(words).current_dir(&self.home))
    }
}

/// Installs with a Vulkan driver and without, looks, and uninstalls.
pub fn run(report: &mut Report) -> Result {
    let user = User::new("installation")?;
    let done = user.xtask(&["install", "--user", "--debug"])?;
    report.record("install --user", done.verdict());
    let brought = done
        .stdout
        .contains("installing lavapipe of bookworm-backports");
    println!(
        "  lavapipe is {}brought along",
        if brought { "" } else { "not " }
    );
    let done = user.shell("pumice-info")?;
    report.record("pumice-info", finds(&done, " of Pumice here.\n"));
    let done = user.shell("clinfo -l")?;
    report.record(
        "clinfo",
        finds(&done, "Platform #0: Pumice\n `-- Device #0: "),
    );
    report.record("long loops", long_loops(&user));
    if brought {
        let done = user.xtask(&["install", "--user", "--debug", "--without-lavapipe"])?;
        report.record("install --without-lavapipe", done.verdict());
        let left_out = done.stdout.contains(" is left out: ");
        report.record("its reason", said(left_out, &done));
        let done = user.shell("pumice-info")?;
        let told = !done.ok && done.stdout.contains("apt install -t bookworm-backports");
        report.record("pumice-info without lavapipe", said(told, &done));
        // What was brought once is removed by either.
        user.xtask(&["install", "--user", "--debug"])?;
    }
    let done = user.xtask(&["uninstall", "--user"])?;
    report.record("uninstall --user", done.verdict());
    let left = user.files()?;
    report.record(
        "nothing is left",
        said(left.is_empty(), &done).map_err(|why| left + &why),
    );
    Ok(())
}

/// The client that counts to 200,000 on the first device.
fn long_loops(user: &User) -> Result {
    let source = sh::root().join("tests/clients/faulty_drivers.c");
    let client = sh::target().join("installed-clients/faulty_drivers");
    clients::compile(&source, &client, &["-lOpenCL".to_string()])?;
    user.shell(&client.display().to_string())?.verdict()
}

fn finds(done: &Finished, text: &str) -> Result {
    said(done.ok && done.stdout.contains(text), done)
}

fn said(right: bool, done: &Finished) -> Result {
    match right {
        true => Ok(()),
        false => Err(format!("{}\n{}{}", done.status, done.stdout, done.stderr)),
    }
}
