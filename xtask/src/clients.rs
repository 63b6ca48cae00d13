//! End-to-end clients: programs in C and C++ that reach the driver through an ICD loader.
//!
//! Every `tests/clients/*.c` and `*.cpp` is one client. It checks its own results, ends with
//! exit status 0 when they are right, and never prints `FAIL`. Comment lines near its top may
//! say how it is run:
//!
//! * `// client: env NAME=VALUE` — an environment variable;
//! * `// client: without-vulkan` — no Vulkan driver is visible;
//! * `// client: link -lNAME...` — more libraries;
//! * `// client: link-driver` — linked with libpumice.so itself instead of a loader;
//! * `// client: without-layers` — not under the validation layer;
//! * `// client: without-newest-layer` — not under the newest one, which brings its C library;
//! * `// client: once` — only with the system's driver and loader;
//! * `// client: once-a-driver` — not again with other settings of a driver, or another loader;
//! * `// client: one-form` — not again with another form of kernels ([`MASK`]) on the same driver;
//! * `// client: all-drivers` — likewise, and with every Vulkan driver in one process;
//! * `// client: needs THING...` — not on drivers that lack one of these ([`VulkanDriver::lacks`]).
//!
//! A client that sets all variables of a setting itself does not run in it: nothing would be new.

use crate::compiler::Compiler;
use crate::drivers::{self, VulkanDriver};
use crate::sh::{self, Finished, Result};
use crate::workers;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The variable by which a setting asks for another form of kernels, such as one without device addresses.
pub const MASK: &str = "PUMICE_MASK";

/// A compiled client and how to run it.
pub struct Client {
    /// File stem.
    pub name: String,
    /// The executable.
    pub path: PathBuf,
    /// `env` directives.
    pub env: Vec<(String, String)>,
    /// `without-vulkan`.
    pub without_vulkan: bool,
    /// `without-layers`.
    pub without_layers: bool,
    /// `without-newest-layer`.
    pub without_newest_layer: bool,
    /// Its commands use memory without order, which synchronization validation would tell of.
    pub races: bool,
    /// `once`.
    pub once: bool,
    /// `once-a-driver`.
    pub once_a_driver: bool,
    /// `one-form`.
    pub one_form: bool,
    /// `all-drivers`.
    pub all_drivers: bool,
    /// `link-driver`.
    pub link_driver: bool,
    /// `needs`.
    pub needs: Vec<String>,
}

/// Compiles one C or C++ source with the system's compiler, unless the executable is newer.
pub fn compile(source: &Path, to: &Path, link: &[String]) -> Result {
    Compiler::system().compile(source, to, link)
}

/// Compiles all clients of `tests/clients`. `library` is the driver, for `link-driver`.
pub fn compile_all(library: &Path) -> Result<Vec<Client>> {
    compile_into(&sh::target().join("clients"), library, &[])
}

/// The same into a folder, with more arguments for the linker's driver.
pub fn compile_into(out: &Path, library: &Path, more: &[String]) -> Result<Vec<Client>> {
    let sources = sh::files_with(&sh::root().join("tests/clients"), &["c", "cpp"])?;
    compile_sources(&Compiler::system(), &sources, out, library, more)
}

/// Compiles the clients with these names into a folder, by a compiler of choice.
///
/// # Errors
/// A name that no client has; what the compiler refuses.
pub fn compile_named(
    compiler: &Compiler,
    names: &[&str],
    out: &Path,
    library: &Path,
) -> Result<Vec<Client>> {
    let folder = sh::root().join("tests/clients");
    let file = |name: &&str| {
        let mut paths = ["c", "cpp"]
            .map(|ext| folder.join(format!("{name}.{ext}")))
            .into_iter();
        let found = paths.find(|path| path.is_file());
        found.ok_or_else(|| format!("there is no client {name}"))
    };
    let sources = names.iter().map(file).collect::<Result<Vec<_>>>()?;
    compile_sources(compiler, &sources, out, library, &[])
}

/// Reads the directives of clients and compiles them.
fn compile_sources(
    compiler: &Compiler,
    sources: &[PathBuf],
    out: &Path,
    library: &Path,
    more: &[String],
) -> Result<Vec<Client>> {
    let compiled = workers::map(sources, workers::count(), |source| {
        let (client, mut link) = describe(source, out, library)?;
        link.extend(more.iter().cloned());
        compiler.compile(source, &client.path, &link)?;
        Ok(client)
    });
    compiled.into_iter().collect()
}

/// Reads the directives of all clients of `tests/clients`, which would be compiled into a folder.
#[cfg(test)]
pub fn describe_all(out: &Path) -> Result<Vec<Client>> {
    let sources = sh::files_with(&sh::root().join("tests/clients"), &["c", "cpp"])?;
    let described = sources.iter().map(|source| describe(source, out, out));
    described
        .map(|described| described.map(|(client, _)| client))
        .collect()
}

/// Reads the directives of a client; gives the linker's words, too.
fn describe(source: &Path, out: &Path, library: &Path) -> Result<(Client, Vec<String>)> {
    let name = source
        .file_stem()
        .expect("listed files have names")
        .to_string_lossy()
        .into_owned();
    let text = sh::read(source)?;
    let mut client = Client {
        path: out.join(&name),
        name,
        env: Vec::new(),
        without_vulkan: false,
        without_layers: false,
        without_newest_layer: false,
        races: false,
        once: false,
        once_a_driver: false,
        one_form: false,
        all_drivers: false,
        link_driver: false,
        needs: Vec::new(),
    };
    let mut link = vec!["-lOpenCL".to_string()];
    for line in text.lines().take(40) {
        let Some(directive) = line.trim().strip_prefix("// client: ") else {
            // In another kind of comment it would be passed over without a word.
            match line
                .trim_start_matches(['/', '*', ' '])
                .starts_with("client:")
            {
                true => return Err(format!("{}: {line}: no directive", source.display())),
                false => continue,
            }
        };
        match directive.split_once(' ') {
            Some(("env", pair)) => {
                let (key, value) = pair
                    .split_once('=')
                    .ok_or_else(|| format!("{}: {line}", source.display()))?;
                client.env.push((key.to_string(), value.to_string()));
            }
            Some(("link", libraries)) => {
                link.extend(libraries.split_whitespace().map(str::to_string));
            }
            Some(("needs", things)) => {
                client
                    .needs
                    .extend(things.split_whitespace().map(str::to_string));
            }
            None if directive == "without-vulkan" => client.without_vulkan = true,
            None if directive == "without-layers" => client.without_layers = true,
            None if directive == "without-newest-layer" => client.without_newest_layer = true,
            None if directive == "races" => client.races = true,
            None if directive == "once" => client.once = true,
            None if directive == "once-a-driver" => client.once_a_driver = true,
            None if directive == "one-form" => client.one_form = true,
            None if directive == "all-drivers" => {
                client.once = true;
                client.all_drivers = true;
            }
            None if directive == "link-driver" => {
                client.link_driver = true;
                let dir = library.parent().expect("the library lies in a folder");
                link = vec![
                    library.display().to_string(),
                    format!("-Wl,-rpath,{}", dir.display()),
                ];
            }
            _ => return Err(format!("{}: unknown directive: {line}", source.display())),
        }
    }
    Ok((client, link))
}

/// Compiles a layer of `tests/layers`: one of the OpenCL loader, or of the Vulkan loader.
pub fn compile_layer(name: &str) -> Result<PathBuf> {
    compile_layer_into(&Compiler::system(), name, &sh::target().join("layers"))
}

fn compile_layer_into(compiler: &Compiler, name: &str, folder: &Path) -> Result<PathBuf> {
    let source = sh::root().join(format!("tests/layers/{name}.c"));
    let to = folder.join(format!("lib{name}-layer.so"));
    let flags = ["-shared", "-fPIC", "-fvisibility=hidden"];
    compiler.compile(&source, &to, &flags.map(str::to_string))?;
    Ok(to)
}

/// Compiles a layer of the Vulkan loader and writes its manifest, beside the library. The layer's
/// name is `VK_LAYER_PUMICE_` and the source's.
pub fn compile_vulkan_layer(name: &str) -> Result<PathBuf> {
    compile_vulkan_layer_into(&Compiler::system(), name, &sh::target().join("layers"))
}

/// The same into a folder, by a compiler of choice.
pub fn compile_vulkan_layer_into(
    compiler: &Compiler,
    name: &str,
    folder: &Path,
) -> Result<PathBuf> {
    let library = compile_layer_into(compiler, name, folder)?;
    let manifest = serde_json::json!({
        "file_format_version": "1.1.0",
        "layer": {
            "name": format!("VK_LAYER_PUMICE_{name}"),
            "type": "GLOBAL",
            "library_path": library,
            "api_version": "1.3.239",
            "implementation_version": "1",
            "description": "a layer of Pumice's tests",
        },
    });
    let path = folder.join(format!("{name}.json"));
    sh::write(&path, manifest.to_string())?;
    Ok(path)
}

/// Environment and drivers of a client's run.
pub struct Setting<'a> {
    /// A folder with the one .icd file of the driver under test.
    pub vendors: &'a Path,
    /// The Vulkan driver; `None` for no driver at all.
    pub driver: Option<&'a VulkanDriver>,
    /// A folder with another loader's libOpenCL.so.1; `None` for the system's.
    pub loader: Option<&'a Path>,
    /// More environment.
    pub env: &'a [(&'a str, String)],
}

/// The name that a report gives a client of a list.
pub fn name(client: &&Client) -> String {
    client.name.clone()
}

impl Client {
    /// Returns whether the client runs under validation layers.
    pub fn runs_validated(&self) -> bool {
        !self.without_vulkan && !self.without_layers
    }

    /// Returns whether a setting's driver has what the client needs, and the setting changes something for the client.
    pub fn suits(&self, setting: &Setting<'_>) -> bool {
        let lacks = setting.driver.map_or(&[][..], |driver| driver.lacks);
        let lacking = self
            .needs
            .iter()
            .any(|thing| lacks.contains(&thing.as_str()));
        let sets = |name: &str| self.env.iter().any(|(own, _)| own == name);
        let (optimiser, _) = drivers::without_optimiser();
        let names = setting.env.iter().map(|(name, _)| *name);
        // The optimiser changes nothing that a client looks at.
        let changes: Vec<&str> = names.filter(|name| *name != optimiser).collect();
        let replaced = !changes.is_empty() && changes.iter().all(|name| sets(name));
        let other_form = setting.env.iter().any(|(name, _)| *name == MASK);
        !(lacking || replaced || self.one_form && other_form)
    }
}

impl Setting<'_> {
    /// Sets the environment of a command that is an OpenCL client.
    pub fn apply(&self, command: &mut Command) {
        command.env("OCL_ICD_VENDORS", self.vendors);
        // Tests build what they say they build, and leave nothing in the user's folders.
        command.env("PUMICE_CACHE", "off");
        let mut library_path: Vec<PathBuf> =
            self.loader.iter().map(|dir| dir.to_path_buf()).collect();
        match self.driver {
            Some(driver) => {
                library_path.extend(driver.library_path.iter().cloned());
                driver.select(command);
            }
            None => {
                command.env("VK_DRIVER_FILES", "/nonexistent/no-driver.json");
                command.env("VK_ICD_FILENAMES", "/nonexistent/no-driver.json");
            }
        }
        if let Ok(path) = std::env::join_paths(library_path) {
            if !path.is_empty() {
                command.env("LD_LIBRARY_PATH", path);
            }
        }
        for (key, value) in self.env {
            command.env(key, value);
        }
    }
}

/// Runs a client in a setting.
pub fn run(client: &Client, setting: &Setting<'_>, limit: Duration) -> Result<Finished> {
    let mut command = Command::new(&client.path);
    command.current_dir(sh::root());
    let without = Setting {
        driver: None,
        ..*setting
    };
    let setting = if client.without_vulkan {
        &without
    } else {
        setting
    };
    setting.apply(&mut command);
    command.envs(client.env.iter().map(|(key, value)| (key, value)));
    sh::run_limited(&mut command, limit)
}

/// Writes a vendors folder that holds one driver, under `target/`.
pub fn vendors_folder(name: &str, library: &Path) -> Result<PathBuf> {
    let dir = sh::target().join("vendors").join(name);
    sh::write(&dir.join("pumice.icd"), format!("{}\n", library.display()))?;
    Ok(dir)
}
