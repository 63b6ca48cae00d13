//! The environment of a kit's jobs: the kit's driver, and loaders and libraries for systems whose own will not do.

use super::{Kit, LOGS};
use crate::facts;
use crate::run;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The name of the driver's platform.
const PLATFORM: &str = "Pumice";

/// The folder of the kit's loader of OpenCL.
const OPENCL_LOADER: &str = "loaders/OpenCL";

impl Kit {
    /// Folders of the kit's loaders whose library the system does not find. Each folder of `loaders` holds one library.
    fn needed_loaders(&self) -> Vec<PathBuf> {
        let is_missing = |folder: &PathBuf| {
            let names = entries(folder);
            !names.is_empty() && names.iter().filter_map(|path| path.file_name()).all(lacks)
        };
        let folders = entries(&self.folder.join("loaders"));
        folders.into_iter().filter(is_missing).collect()
    }

    /// The environment of all jobs: the kit's driver alone, libraries that the system lacks, and
    /// caches that neither read nor fill the user's. Libraries in the folders `first` are found before the system's.
    fn environment(&self, out: &Path, first: &[PathBuf]) -> Result<Vec<(String, String)>, String> {
        let vendors = run::vendors_folder(&self.library, out)?;
        let mut env = vec![
            ("OCL_ICD_VENDORS".to_string(), vendors.display().to_string()),
            (
                "XDG_CACHE_HOME".to_string(),
                out.join("cache").display().to_string(),
            ),
        ];
        let loaders = self.needed_loaders();
        if !loaders.is_empty() || !first.is_empty() {
            let have = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
            let have = std::env::split_paths(&have).filter(|path| !path.as_os_str().is_empty());
            let paths = first.iter().cloned().chain(have).chain(loaders);
            let paths = std::env::join_paths(paths);
            let paths = paths.map_err(|error| format!("LD_LIBRARY_PATH: {error}"))?;
            env.push((
                "LD_LIBRARY_PATH".to_string(),
                paths.to_string_lossy().into_owned(),
            ));
        }
        Ok(env)
    }

    /// Asks the driver about its first device and gives the environment in which it answers. A system's loader that is
    /// too old for OCL_ICD_VENDORS does not find the driver: the kit's takes its place if it does.
    pub(super) fn reach_driver(
        &self,
        out: &Path,
        time: Option<Duration>,
    ) -> Result<Reached, String> {
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let limit = Duration::from_secs(60).min(time.unwrap_or(Duration::MAX));
        let reach = |first: &[PathBuf]| {
            let env = self.environment(out, first)?;
            let mut asking = Command::new(&own);
            asking.env_remove("OCL_ICD_FILENAMES");
            let facts = facts::ask(asking, PLATFORM, &env, &out.join(LOGS), limit);
            let own_loader = !first.is_empty();
            Ok::<_, String>(Reached {
                facts,
                env,
                own_loader,
            })
        };
        let reached = reach(&[])?;
        let loader = self.folder.join(OPENCL_LOADER);
        if reached.answered() || entries(&loader).is_empty() {
            return Ok(reached);
        }
        let by_own = reach(&[loader])?;
        Ok(if by_own.answered() { by_own } else { reached })
    }
}

/// The driver's words about its first device, and the environment of all jobs.
pub(super) struct Reached {
    pub facts: BTreeMap<String, String>,
    pub env: Vec<(String, String)>,
    /// True if the kit's loader of OpenCL stands before the system's.
    pub own_loader: bool,
}

impl Reached {
    fn answered(&self) -> bool {
        !self.facts.contains_key(facts::ERROR)
    }
}

/// The paths in a folder, in their order; none if it cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Returns whether the system does not find a library of that name.
fn lacks(name: &std::ffi::OsStr) -> bool {
    // SAFETY: these are the system's own loaders and libraries of numbers, whose constructors other programs run too.
    unsafe { libloading::Library::new(name) }.is_err()
}
