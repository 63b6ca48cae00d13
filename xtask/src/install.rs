//! Installing the driver and its programs, and registering it with the ICD loaders.
//!
//! Only copying needs root: everything is built as the user, then copied through sudo where the
//! user may not write. The installed `.icd` file is derived from `OpenCL.icd.json`: one line with
//! the library's path.
//!
//! No loader has a per-user folder. For one user there is a vendors folder that holds our file and
//! links to the system's, and a script `env.sh` that makes the links anew and sets OCL_ICD_VENDORS;
//! `~/.profile` reads it at each login, so that the links do not go stale.

use crate::lavapipe;
use crate::layout;
use crate::release::{self, Built, Profile};
use crate::sh::{self, Result};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Default folder of the loaders.
const SYSTEM_VENDORS: &str = "/etc/OpenCL/vendors";

const USAGE: &str = "\
cargo xtask install [--prefix P] [--user] [--without-lavapipe]
cargo xtask uninstall [--prefix P] [--user] [--cache]

Installs libpumice.so, pumicec, pumice-info, pumice-trace, their manual pages and completions, and
registers the driver. Builds as you; copies through sudo where you may not write. Run it without sudo.

Debian 12's own lavapipe gives wrong results, and Pumice leaves it out. Where it is the only Vulkan
driver, lavapipe of Debian's backports is installed beside it, for Vulkan programs to see.

  --prefix P   install below P instead of /usr/local
  --user       for your user alone: ~/.local, or P
  --without-lavapipe
               install no Vulkan driver, and say how to get one
  --debug      install the debug build: for trying the installation itself
  --cache      remove the cache of built programs too; without it you are asked
";

/// The script that a user's `~/.profile` reads; `{}` is the vendors folder.
const ENVIRONMENT: &str = "\
# Selects the vendors folder with Pumice and the system's OpenCL drivers, as they are now.
OCL_ICD_VENDORS='{}'
for icd in \"$OCL_ICD_VENDORS\"/*.icd; do
    if [ -L \"$icd\" ]; then rm -f \"$icd\"; fi
done
for icd in /etc/OpenCL/vendors/*.icd; do
    if [ -e \"$icd\" ] && [ \"${icd##*/}\" != pumice.icd ]; then
        ln -s \"$icd\" \"$OCL_ICD_VENDORS/\"
    fi
done
unset icd
export OCL_ICD_VENDORS
";

/// Paths of an installation's files.
pub struct InstallPaths {
    /// Pumice's library.
    pub library: PathBuf,
    vendors: PathBuf,
    /// The folder of programs, pages and completions.
    prefix: PathBuf,
    user: bool,
    /// Places of a Vulkan driver that may come with it.
    pub lavapipe: lavapipe::Place,
}

/// A command line of install or uninstall.
struct Arguments {
    paths: InstallPaths,
    cache: bool,
    lavapipe: bool,
    profile: Profile,
}

/// The library's file name from the manifest.
pub fn library_name() -> Result<String> {
    let text = sh::read(&sh::root().join("OpenCL.icd.json"))?;
    let manifest: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| format!("OpenCL.icd.json: {error}"))?;
    manifest["ICD"]["library_path"]
        .as_str()
        .map(String::from)
        .ok_or_else(|| "OpenCL.icd.json: ICD.library_path is missing".to_string())
}

fn home() -> Result<PathBuf> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty());
    home.map(PathBuf::from).ok_or("HOME is not set".to_string())
}

/// A folder of the user's by the XDG base directory specification.
fn user_folder(variable: &str, below_home: &str) -> Result<PathBuf> {
    match std::env::var_os(variable).filter(|value| !value.is_empty()) {
        Some(folder) => Ok(PathBuf::from(folder)),
        None => Ok(home()?.join(below_home)),
    }
}

/// Reads a command line; `None` where it asks for help.
fn arguments(args: &[String]) -> Result<Option<Arguments>> {
    let (mut prefix, mut user, mut cache, mut lavapipe) = (None, false, false, true);
    let mut profile = Profile::Release;
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "--user" => user = true,
            "--cache" => cache = true,
            "--without-lavapipe" => lavapipe = false,
            "--debug" => profile = Profile::Debug,
            "--prefix" => {
                prefix = Some(PathBuf::from(rest.next().ok_or("--prefix takes a folder")?))
            }
            "--help" | "-h" => return Ok(None),
            other => return Err(format!("unknown argument {other:?}\n\n{USAGE}")),
        }
    }
    let paths = match user {
        true => user_paths(prefix)?,
        false => system_paths(prefix),
    };
    Ok(Some(Arguments {
        paths,
        cache,
        lavapipe,
        profile,
    }))
}

fn system_paths(prefix: Option<PathBuf>) -> InstallPaths {
    let prefix = prefix.unwrap_or_else(|| PathBuf::from("/usr/local"));
    let usual = prefix == Path::new("/usr") || prefix == Path::new("/usr/local");
    InstallPaths {
        library: prefix.join(layout::LIBRARY),
        lavapipe: lavapipe::Place {
            library: prefix.join("lib/pumice/libvulkan_lvp.so"),
            manifest: prefix.join(layout::LAVAPIPE_MANIFEST),
            searched: usual,
        },
        // The loaders know only one folder; a prefix other than /usr or /usr/local keeps
        // its own, for OCL_ICD_VENDORS.
        vendors: match usual {
            true => PathBuf::from(SYSTEM_VENDORS),
            false => prefix.join("etc/OpenCL/vendors"),
        },
        prefix,
        user: false,
    }
}

fn user_paths(prefix: Option<PathBuf>) -> Result<InstallPaths> {
    let data = match &prefix {
        Some(prefix) => prefix.join("share/pumice"),
        None => user_folder("XDG_DATA_HOME", ".local/share")?.join("pumice"),
    };
    let manifest = Path::new(layout::LAVAPIPE_MANIFEST);
    let manifest = manifest.strip_prefix("share").unwrap_or(manifest);
    Ok(InstallPaths {
        library: data.join(library_name()?),
        lavapipe: lavapipe::Place {
            library: data.join("libvulkan_lvp.so"),
            // The Vulkan loader knows one folder of a user's, whatever the prefix.
            manifest: user_folder("XDG_DATA_HOME", ".local/share")?.join(manifest),
            searched: true,
        },
        vendors: data.join("vendors"),
        prefix: match prefix {
            Some(prefix) => prefix,
            None => home()?.join(".local"),
        },
        user: true,
    })
}

/// Runs commands that change the file system, through sudo where the user may not.
pub struct Hands {
    sudo: bool,
}

impl Hands {
    /// Looks whether a folder, or the one that it would be made in, can be written.
    pub fn for_folder(folder: &Path) -> Result<Hands> {
        let there = folder.ancestors().find(|folder| folder.exists());
        let there = there.unwrap_or(Path::new("/"));
        let mut test = Command::new("test");
        let writable = sh::output(test.arg("-w").arg(there)).is_ok();
        match writable || sh::on_path("sudo") {
            true => Ok(Hands { sudo: !writable }),
            false => Err(format!(
                "you may not write to {}, and there is no sudo: use --user or another --prefix",
                there.display()
            )),
        }
    }

    fn command(&self, program: &str) -> Command {
        match self.sudo {
            true => {
                let mut command = Command::new("sudo");
                command.arg(program);
                command
            }
            false => Command::new(program),
        }
    }

    /// Copies a file; a process that has the old one mapped keeps it whole.
    pub fn copy(&self, from: &Path, to: &Path, mode: u32) -> Result {
        let mode = format!("{mode:o}");
        let fresh = to.with_file_name(format!(".{}.new", sh::file_name(to)));
        let mut install = self.command("install");
        sh::run(install.args(["-D", "-m", &mode]).args([from, &fresh]))?;
        sh::run(self.command("mv").arg("-f").args([&fresh, to]))
    }

    /// Removes a file or folder.
    pub fn remove(&self, path: &Path) -> Result {
        sh::run(self.command("rm").arg("-rf").arg(path))
    }

    /// Removes a folder and those above it that are then empty.
    fn tidy(&self, folder: &Path) {
        let mut command = self.command("rmdir");
        // A folder that is not empty stays, which is no failure.
        let _ = command
            .args(["-p", "--ignore-fail-on-non-empty"])
            .arg(folder)
            .output();
    }
}

/// `cargo xtask install`.
pub fn install(args: &[String]) -> Result {
    let Some(arguments) = arguments(args)? else {
        print!("{USAGE}");
        return Ok(());
    };
    let built = release::all(arguments.profile)?;
    let paths = arguments.paths;
    register(&built.library, &paths)?;
    copy_programs(&built, &paths)?;
    println!("installed {}", paths.library.display());
    let bin = paths.prefix.join("bin");
    println!(
        "installed pumicec, pumice-info and pumice-trace in {}",
        bin.display()
    );
    lavapipe::ensure(&paths, &built.info, arguments.lavapipe)?;
    if paths.vendors == Path::new(SYSTEM_VENDORS) {
        println!("registered in {SYSTEM_VENDORS}: every OpenCL program finds it");
    } else {
        println!("to use it, put this line into ~/.profile and log in again:");
        println!("  {}", environment_line(&paths.vendors));
    }
    println!("pumice-info shows whether it works");
    Ok(())
}

fn copy_programs(built: &Built, paths: &InstallPaths) -> Result {
    let hands = Hands::for_folder(&paths.prefix)?;
    for file in layout::files(built)? {
        if file.place != Path::new(layout::LIBRARY) {
            hands.copy(&file.source, &paths.prefix.join(&file.place), file.mode)?;
        }
    }
    Ok(())
}

/// Builds the library, installs it for this user alone and returns the vendors folder.
pub fn install_for_user(profile: Profile) -> Result<PathBuf> {
    let paths = user_paths(None)?;
    register(&release::library(profile)?, &paths)?;
    lavapipe::ensure(&paths, &release::info(profile)?, true)?;
    Ok(paths.vendors)
}

/// The line that makes programs find a vendors folder: of a user's, the script beside it.
pub fn environment_line(vendors: &Path) -> String {
    let script = vendors.with_file_name("env.sh");
    match script.exists() {
        true => format!(". '{}'", script.display()),
        false => format!("export OCL_ICD_VENDORS='{}'", vendors.display()),
    }
}

fn register(library: &Path, paths: &InstallPaths) -> Result {
    let folder = paths.library.parent().expect("a library lies in a folder");
    Hands::for_folder(folder)?.copy(library, &paths.library, 0o644)?;
    let icd = sh::target().join("layout/pumice.icd");
    sh::write(&icd, format!("{}\n", paths.library.display()))?;
    let hands = Hands::for_folder(&paths.vendors)?;
    hands.copy(&icd, &paths.vendors.join("pumice.icd"), 0o644)?;
    if paths.user {
        let script = paths.vendors.with_file_name("env.sh");
        let vendors = paths.vendors.display().to_string();
        sh::write(&script, ENVIRONMENT.replace("{}", &vendors))?;
        sh::output(Command::new("sh").arg(&script))?;
    }
    Ok(())
}

/// `cargo xtask uninstall`.
pub fn uninstall(args: &[String]) -> Result {
    let Some(arguments) = arguments(args)? else {
        print!("{USAGE}");
        return Ok(());
    };
    let paths = &arguments.paths;
    let lavapipe = &paths.lavapipe;
    let mut files = vec![paths.vendors.join("pumice.icd"), paths.library.clone()];
    files.extend([lavapipe.manifest.clone(), lavapipe.library.clone()]);
    if paths.user {
        files.push(paths.vendors.with_file_name("env.sh"));
        files.extend(links(&paths.vendors)?);
    }
    files.extend(layout::places().map(|place| paths.prefix.join(place)));
    let there: Vec<_> = files
        .iter()
        .filter(|path| path.symlink_metadata().is_ok())
        .collect();
    for path in &there {
        let folder = path.parent().expect("a file lies in a folder");
        let hands = Hands::for_folder(folder)?;
        hands.remove(path)?;
        println!("removed {}", path.display());
        // Only empty folders go; anything that a user put there stays.
        if folder.to_string_lossy().contains("pumice") {
            hands.tidy(folder);
        }
    }
    if there.is_empty() {
        println!("nothing was installed there");
    }
    remove_cache(arguments.cache)
}

/// The links of a user's vendors folder.
fn links(vendors: &Path) -> Result<Vec<PathBuf>> {
    if !vendors.is_dir() {
        return Ok(Vec::new());
    }
    let files = sh::files_with(vendors, &["icd"])?;
    Ok(files.into_iter().filter(|path| path.is_symlink()).collect())
}

/// Removes the cache of built programs where that is wanted.
fn remove_cache(wanted: bool) -> Result {
    let cache = user_folder("XDG_CACHE_HOME", ".cache")?.join("pumice");
    if !cache.is_dir() {
        return Ok(());
    }
    let asked = || {
        if !std::io::stdin().is_terminal() {
            println!("the cache {} stays; --cache removes it", cache.display());
            return false;
        }
        eprint!(
            "remove the cache of built programs, {}? [y/N] ",
            cache.display()
        );
        let mut answer = String::new();
        // No answer is no.
        let _ = std::io::stdin().read_line(&mut answer);
        answer.trim().eq_ignore_ascii_case("y")
    };
    if wanted || asked() {
        Hands { sudo: false }.remove(&cache)?;
        println!("removed {}", cache.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{arguments, system_paths};
    use std::path::{Path, PathBuf};

    fn parse(words: &[&str]) -> Result<Option<super::Arguments>, String> {
        arguments(
            &words
                .iter()
                .map(|word| word.to_string())
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn help_is_no_error() {
        assert!(matches!(parse(&["--help"]), Ok(None)));
        let message = parse(&["--prefx"]).err().unwrap();
        assert!(message.contains("\"--prefx\"") && message.contains("--prefix P"));
    }

    #[test]
    fn prefixes_have_their_folders() {
        let paths = system_paths(None);
        assert_eq!(paths.library, Path::new("/usr/local/lib/libpumice.so"));
        assert_eq!(paths.vendors, Path::new("/etc/OpenCL/vendors"));
        let paths = system_paths(Some(PathBuf::from("/opt/p")));
        assert_eq!(paths.vendors, Path::new("/opt/p/etc/OpenCL/vendors"));
        let user = parse(&["--user", "--prefix", "/h"]).unwrap().unwrap().paths;
        assert!(user.user && user.library.starts_with("/h/share/pumice"));
        assert_eq!(user.vendors, Path::new("/h/share/pumice/vendors"));
        assert!(user.lavapipe.searched && user.lavapipe.library.starts_with("/h/share/pumice"));
        let manifest = "/usr/local/share/vulkan/icd.d/pumice_lvp_icd.json";
        let system = system_paths(None).lavapipe;
        assert_eq!(
            (system.manifest.as_path(), system.searched),
            (Path::new(manifest), true)
        );
        assert!(
            !system_paths(Some(PathBuf::from("/opt/p")))
                .lavapipe
                .searched
        );
        assert!(!parse(&["--without-lavapipe"]).unwrap().unwrap().lavapipe);
    }
}
