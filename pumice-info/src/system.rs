//! The system around the driver: GPUs' device files, containers, the Vulkan loader's settings.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::manifests::Manifests;

/// Variables of loaders and compilers that change what programs find.
const VARIABLES: &[&str] = &[
    "OCL_ICD_VENDORS",
    "OPENCL_VENDOR_PATH",
    "OCL_ICD_FILENAMES",
    "OPENCL_LAYERS",
    "OPENCL_LAYER_PATH",
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "VK_ADD_DRIVER_FILES",
    "VK_LOADER_DRIVERS_SELECT",
    "VK_LOADER_DRIVERS_DISABLE",
    "VK_INSTANCE_LAYERS",
    "VK_LAYER_PATH",
    "MESA_VK_DEVICE_SELECT",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "HOME",
];

/// The system.
#[derive(Debug, Default)]
pub struct System {
    /// Render nodes of GPUs, with the reason where this user cannot open one.
    pub nodes: Vec<(PathBuf, Option<String>)>,
    /// NVIDIA's own driver has its device file here; it uses no render node.
    pub nvidia: bool,
    /// The kind of container that this process runs in.
    pub container: Option<&'static str>,
    /// The manifests of Vulkan drivers.
    pub manifests: Manifests,
    /// Variables that are set.
    pub variables: Vec<(&'static str, String)>,
}

impl System {
    /// Looks at the system below a folder.
    pub fn look(root: &Path, variable: impl Fn(&str) -> Option<String>) -> System {
        let set = |name: &&'static str| Some((*name, variable(name)?));
        let variables: Vec<_> = VARIABLES.iter().filter_map(set).collect();
        System {
            nodes: nodes(&root.join("dev/dri")),
            nvidia: root.join("dev/nvidiactl").exists(),
            container: container(root, variable("container").is_some()),
            manifests: Manifests::find(root, variable),
            variables,
        }
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        let nodes = self.nodes.iter();
        let nodes = nodes.map(|(path, error)| json!({ "path": path, "error": error }));
        let variables = self.variables.iter();
        let variables = variables.map(|(name, value)| (name.to_string(), json!(value)));
        json!({
            "render_nodes": nodes.collect::<Vec<_>>(),
            "nvidia": self.nvidia,
            "container": self.container,
            "vulkan_manifests": self.manifests.json(),
            "variables": variables.collect::<serde_json::Map<_, _>>(),
        })
    }
}

fn nodes(folder: &Path) -> Vec<(PathBuf, Option<String>)> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let is_node = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("renderD")
    };
    let mut paths: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(is_node)
        .collect();
    paths.sort();
    let open = |path: PathBuf| {
        let opened = std::fs::File::options().read(true).write(true).open(&path);
        (path, opened.err().map(|error| error.to_string()))
    };
    paths.into_iter().map(open).collect()
}

fn container(root: &Path, told: bool) -> Option<&'static str> {
    let there = |path: &str| root.join(path).exists();
    if there(".dockerenv") {
        Some("Docker")
    } else if there("run/.containerenv") {
        Some("Podman")
    } else {
        told.then_some("a container")
    }
}

#[cfg(test)]
mod tests {
    use super::System;

    #[test]
    fn containers_device_files_and_variables_are_seen() {
        let root = std::env::temp_dir().join(format!("system-{}", std::process::id()));
        std::fs::create_dir_all(root.join("dev/dri")).unwrap();
        let none = System::look(&root, |_| None);
        assert!(none.container.is_none() && none.nodes.is_empty() && !none.nvidia);
        std::fs::write(root.join(".dockerenv"), "").unwrap();
        // A folder cannot be opened for writing, whoever asks.
        std::fs::create_dir(root.join("dev/dri/renderD128")).unwrap();
        std::fs::write(root.join("dev/dri/renderD129"), "").unwrap();
        std::fs::write(root.join("dev/dri/card0"), "").unwrap();
        std::fs::write(root.join("dev/nvidiactl"), "").unwrap();
        let named = "/nowhere/a.json".to_string();
        let variable = |name: &str| (name == "VK_ICD_FILENAMES").then(|| named.clone());
        let system = System::look(&root, variable);
        std::fs::remove_dir_all(&root).unwrap();
        assert_eq!(system.container, Some("Docker"));
        assert!(system.nvidia);
        let errors: Vec<bool> = system
            .nodes
            .iter()
            .map(|(_, error)| error.is_some())
            .collect();
        assert_eq!(errors, [true, false]);
        assert_eq!(system.manifests.variable, Some("VK_ICD_FILENAMES"));
        assert_eq!(system.variables, [("VK_ICD_FILENAMES", named)]);
    }
}
