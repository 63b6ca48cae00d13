//! PoCL's remote client and server (`pocld`), built once from Debian's source package below
//! `target/cluster`.

use super::network::Network;
use crate::private_apt;
use crate::sh::{self, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Debian's suite. Version 7.1 is the first that reports a lost server.
const SUITE: &str = "sid";

/// CMake's settings: no LLVM and no processor as a device, so that neither side compiles kernels.
const SETTINGS: &[&str] = &[
    "CMAKE_BUILD_TYPE=Release",
    "ENABLE_LLVM=0",
    "ENABLE_HOST_CPU_DEVICES=0",
    "ENABLE_REMOTE_CLIENT=1",
    "ENABLE_REMOTE_SERVER=1",
    "ENABLE_ICD=1",
    "ENABLE_LOADABLE_DRIVERS=0",
    "CMAKE_POSITION_INDEPENDENT_CODE=ON",
    "ENABLE_HWLOC=0",
    "ENABLE_EXAMPLES=0",
    "ENABLE_TESTS=1",
];

/// A built PoCL.
pub struct Engine {
    /// The source tree.
    pub source: PathBuf,
    /// CMake's build folder.
    pub build: PathBuf,
    /// A folder of ICD files that holds the client alone.
    pub vendors: PathBuf,
}

impl Engine {
    /// Builds what is not built yet.
    ///
    /// # Errors
    /// Text of the command that failed.
    pub fn get() -> Result<Engine> {
        let package = private_apt::unpack(SUITE, &["pocl-source"])?;
        let home = sh::target().join("cluster");
        let engine = Engine {
            source: home.join("pocl"),
            build: home.join("build"),
            vendors: home.join("vendors"),
        };
        if !engine.source.join("CMakeLists.txt").is_file() {
            sh::make_folder(&home)?;
            let archive = package.join("usr/src/pocl.tar.xz");
            let mut unpack = Command::new("tar");
            sh::output(unpack.arg("-C").arg(&home).arg("-xf").arg(&archive))?;
        }
        let settings = SETTINGS.join("\n");
        let stamp = engine.build.join("settings.txt");
        if !sh::read(&stamp).is_ok_and(|text| text == settings) {
            println!("configuring PoCL without LLVM (once)");
            let mut configure = Command::new("cmake");
            configure
                .arg("-S")
                .arg(&engine.source)
                .arg("-B")
                .arg(&engine.build);
            configure.args(SETTINGS.iter().map(|setting| format!("-D{setting}")));
            sh::output(&mut configure)?;
            sh::write(&stamp, settings)?;
        }
        engine.make("pocld")?;
        engine.make("pocl")?;
        let client = engine.build.join("lib/CL/libpocl.so");
        let icd = engine.vendors.join("pocl.icd");
        sh::write(&icd, format!("{}\n", client.display()))?;
        Ok(engine)
    }

    /// Builds one of CMake's targets.
    pub fn make(&self, target: &str) -> Result {
        let mut build = Command::new("cmake");
        build.arg("--build").arg(&self.build);
        let jobs = std::thread::available_parallelism().map_or(1, |count| count.get());
        build.args(["--target", target, "--parallel", &jobs.to_string()]);
        sh::output(&mut build).map(drop)
    }

    /// The server.
    pub fn server(&self) -> PathBuf {
        self.build.join("pocld/pocld")
    }

    /// The version, as the source names it.
    pub fn version(&self) -> Result<String> {
        let text = sh::read(&self.source.join("CMakeLists.txt"))?;
        let number = |name: &str| {
            let start = text.find(&format!("set({name}_VERSION "))?;
            text[start..].split([' ', ')']).nth(1).map(str::to_string)
        };
        match (number("MAJOR"), number("MINOR")) {
            (Some(major), Some(minor)) => Ok(format!("{major}.{minor}")),
            _ => Err("PoCL's CMakeLists.txt names no version".to_string()),
        }
    }

    /// A command that runs a program as a client of the servers with these addresses, one device each.
    ///
    /// PoCL 7.1 polls standard input where it means a pipe of its own, and takes its end for a lost
    /// connection. The program's input is therefore a pipe that neither ends nor has data.
    pub fn client(
        &self,
        network: &Network,
        program: &Path,
        addresses: &[String],
    ) -> Result<Command> {
        let silence = sh::target().join("cluster/silence");
        if !silence.exists() {
            sh::output(Command::new("mkfifo").arg(&silence))?;
        }
        let mut command = network.command(Path::new("sh"));
        command
            .args(["-c", "exec \"$@\" 0<>\"$0\""])
            .arg(silence)
            .arg(program)
            .env("OCL_ICD_VENDORS", &self.vendors)
            .env("POCL_BUILDING", "1")
            .env("POCL_CACHE_DIR", sh::target().join("cluster/cache"))
            .env("POCL_DEVICES", vec!["remote"; addresses.len()].join(" "));
        for (number, address) in addresses.iter().enumerate() {
            let parameters = format!("{address}/0");
            command.env(format!("POCL_REMOTE{number}_PARAMETERS"), parameters);
        }
        Ok(command)
    }
}

/// Compiles a program of `tests/cluster`.
pub fn program(name: &str) -> Result<PathBuf> {
    let source = sh::root().join(format!("tests/cluster/{name}.c"));
    let to = sh::target().join("cluster/programs").join(name);
    let link = ["-lOpenCL".to_string()];
    let headers: &[&Path] = &[&sh::root().join("tests/clients/common.h")];
    let modified = |path: &Path| path.metadata().and_then(|meta| meta.modified()).ok();
    if headers
        .iter()
        .any(|header| modified(header) > modified(&to))
    {
        // A program that was never built is no error.
        let _ = std::fs::remove_file(&to);
    }
    crate::clients::compile(&source, &to, &link)?;
    Ok(to)
}
