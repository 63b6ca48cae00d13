//! The one table of environment variables that the driver reads.

/// An environment variable.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
}

impl Variable {
    /// Its value, if it is set to something that is not empty.
    pub fn value(&self) -> Option<String> {
        std::env::var(self.name).ok().filter(|v| !v.is_empty())
    }
}

macro_rules! variables {
    ($($ident:ident = $name:literal, $help:literal;)*) => {
        $(#[doc = $help] pub const $ident: Variable = Variable { name: $name, help: $help };)*
        /// All of them, in the order of the documentation.
        pub const VARIABLES: &[Variable] = &[$($ident,)*];
    };
}

variables! {
    LOG = "PUMICE_LOG",
        "Log to stderr: off (default), error, warn, info or debug.";
    DEVICE_TYPE = "PUMICE_DEVICE_TYPE",
        "Report every device as cpu, gpu or accelerator instead of what Vulkan says it is.";
    DEVICE_NAME = "PUMICE_DEVICE_NAME",
        "Report this text as CL_DEVICE_NAME of every device.";
    VALIDATION = "PUMICE_VALIDATION",
        "Set to anything: load the Khronos validation layer (no devices without it), print its messages.";
    MASK = "PUMICE_MASK",
        "Vulkan features and device extensions to treat as absent, separated by commas.";
    STAGING_ONLY = "PUMICE_STAGING_ONLY",
        "Set to anything: copy buffers through staging memory even where the host can reach them.";
    VULKAN_LIBRARY = "PUMICE_VULKAN_LIBRARY",
        "The Vulkan loader to open instead of libvulkan.so.1.";
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_unique_and_prefixed() {
        let mut names: Vec<_> = super::VARIABLES.iter().map(|v| v.name).collect();
        assert!(names.iter().all(|n| n.starts_with("PUMICE_")));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), super::VARIABLES.len());
    }

    #[test]
    fn the_documentation_has_every_variable() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/environment.md");
        let text = std::fs::read_to_string(page).unwrap();
        for variable in super::VARIABLES {
            let row = format!("| `{}` | {} |", variable.name, variable.help);
            assert!(text.contains(&row), "missing: {row}");
        }
        assert_eq!(text.matches("| `PUMICE_").count(), super::VARIABLES.len());
    }
}
