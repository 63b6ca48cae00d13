//! The machine code that the device's Vulkan driver makes of kernels, beside that of hand-written shaders.
//!
//! Both go to the driver in this process. The layer `pipelines` of `tests/layers`, which must be loaded,
//! writes the driver's statistics of each (VK_KHR_pipeline_executable_properties) to the file that
//! `LAYER_PIPELINES` names.

mod clang;
mod command;
mod list;
mod page;
mod shaders;
mod summary;

pub use command::{USAGE, command};

use crate::cl::Session;
use list::{GROUPS, Group, Shape};
use shaders::Device;
use std::path::{Path, PathBuf};
use summary::{Entry, Statistics, Summary};

/// Variable that names the layer's file.
const VARIABLE: &str = "LAYER_PIPELINES";

/// The layer's file.
struct Written(PathBuf);

impl Written {
    fn find() -> Result<Self, String> {
        let path = std::env::var_os(VARIABLE)
            .ok_or_else(|| format!("{VARIABLE} is not set: see docs/gpu-code.md"))?;
        Ok(Self(path.into()))
    }

    /// Runs something that makes a pipeline, and returns the statistics of the last one.
    fn of(&self, make: impl FnOnce() -> Result<(), String>) -> Result<Statistics, String> {
        // It need not exist yet.
        let _ = std::fs::remove_file(&self.0);
        make()?;
        let text = std::fs::read_to_string(&self.0)
            .map_err(|error| format!("{}: {error}", self.0.display()))?;
        let last = text.lines().last().unwrap_or("");
        Statistics::parse(last).ok_or_else(|| format!("the layer's line {last:?}"))
    }
}

/// Compiles all kernels whose name contains `only` for the first device of a platform. `folder` holds the
/// shaders; without statistics of the driver for a kernel, the summary says why.
///
/// # Errors
/// No device, no layer, or a group of kernels that does not build.
fn run(platform: &str, only: &str, folder: &Path) -> Result<Summary, String> {
    let written = Written::find()?;
    let session = Session::open(platform).map_err(|error| error.to_string())?;
    let device = Device::open()?;
    let scratch = written.0.with_extension("spv");
    let mut summary = Summary::new(&session.name);
    for group in GROUPS {
        let chosen = |(name, _): &&(&str, Shape)| name.contains(only);
        let kernels: Vec<_> = group.kernels.iter().filter(chosen).collect();
        if kernels.is_empty() {
            continue;
        }
        let options = format!("{} -cl-kernel-arg-info", group.options);
        let program = session.build(group.source.as_bytes(), &options);
        let program = program.map_err(|(error, log)| format!("{error}\n{log}"))?;
        for &&(name, shape) in &kernels {
            let ours = written.of(|| {
                let launched = (program.kernel(name))
                    .and_then(|kernel| session.launch_once_with(&kernel, shape.group, shape.local));
                launched.map_err(|error| format!("{name}: {error}"))
            });
            let glsl = of_shader(&written, &device, group, name, folder, &scratch);
            summary.entries.push(Entry {
                group: group.name.to_string(),
                kernel: name.to_string(),
                ours: ours?,
                glsl: glsl?,
            });
        }
    }
    // It is the shaders' alone.
    let _ = std::fs::remove_file(&scratch);
    Ok(summary)
}

fn of_shader(
    written: &Written,
    device: &Device,
    group: &Group,
    kernel: &str,
    folder: &Path,
    scratch: &Path,
) -> Result<Statistics, String> {
    let words = shaders::assemble(&folder.join(group.shaders), kernel, scratch)?;
    written.of(|| device.compile(&words))
}
