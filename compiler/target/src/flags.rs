//! The options of the descriptor form on a command line.
//!
//! Invariant: [`OPTIONS`] is the one list of them; parsing and help derive from it.

use crate::Target;
use crate::abi::{DescriptorOptions, PodPlace, RangeForm};

/// The options as written on a command line, before they are held against each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DescriptorFlags {
    pod_ubo: bool,
    pod_push: bool,
    unclustered: bool,
    constant_ubo: bool,
    distinct_sets: bool,
    constants_in_buffer: bool,
    no_work_dim: bool,
    global_offset: bool,
    global_offset_push: bool,
    max_push_constants: Option<u32>,
    no_storage8: [bool; 3],
    no_storage16: [bool; 3],
    no_int8: bool,
    spirv_version: Option<(u8, u8)>,
    uniform_groups: bool,
    /// Any of them was written.
    any: bool,
}

/// Reads an option's value, `None` where it has none.
type Apply = fn(&mut DescriptorFlags, Option<&str>) -> Result<(), String>;

/// One option.
struct Row {
    name: &'static str,
    help: &'static str,
    apply: Apply,
}

/// `1`, `0`, `true` or `false`; 1 without a value.
fn switch(value: Option<&str>) -> Result<bool, String> {
    match value {
        None | Some("1" | "true") => Ok(true),
        Some("0" | "false") => Ok(false),
        Some(other) => Err(format!("'{other}' is neither 0 nor 1")),
    }
}

fn classes(slots: &mut [bool; 3], value: Option<&str>) -> Result<(), String> {
    for class in value
        .ok_or("ssbo, ubo or pushconstant is missing")?
        .split(',')
    {
        let index = match class {
            "ssbo" => 0,
            "ubo" => 1,
            "pushconstant" => 2,
            _ => return Err(format!("'{class}' is none of ssbo, ubo and pushconstant")),
        };
        slots[index] = true;
    }
    Ok(())
}

macro_rules! rows {
    ($($name:literal $help:literal |$f:ident, $v:ident| $body:expr;)*) => {
        &[$(Row { name: $name, help: $help, apply: |$f, $v| $body },)*]
    };
}

/// THE list of options of the descriptor form.
const OPTIONS: &[Row] = rows! {
    "-pod-ubo" "plain data in a uniform buffer"
        |f, v| switch(v).map(|on| f.pod_ubo = on);
    "-pod-pushconstant" "plain data in push constants"
        |f, v| switch(v).map(|on| f.pod_push = on);
    "-max-pushconstant-size" "bytes of push constants that the device has (128)"
        |f, v| {
            let bytes = v.and_then(|v| v.parse().ok()).ok_or("a number of bytes is missing")?;
            f.max_push_constants = Some(bytes);
            Ok(())
        };
    "-cluster-pod-kernel-args" "0: a binding for each plain data argument"
        |f, v| switch(v).map(|on| f.unclustered = !on);
    "-constant-args-ubo" "constant pointers are uniform buffers"
        |f, v| switch(v).map(|on| f.constant_ubo = on);
    "-distinct-kernel-descriptor-sets" "a descriptor set for each kernel"
        |f, v| switch(v).map(|on| f.distinct_sets = on);
    "-module-constants-in-storage-buffer" "constant data of the module is a buffer"
        |f, v| switch(v).map(|on| f.constants_in_buffer = on);
    "-work-dim" "0: get_work_dim() is always 3"
        |f, v| switch(v).map(|on| f.no_work_dim = !on);
    "-global-offset" "global offsets, by specialization constants"
        |f, v| switch(v).map(|on| f.global_offset = on);
    "-global-offset-push-constant" "global offsets, by push constants"
        |f, v| switch(v).map(|on| f.global_offset_push = on);
    "-no-8bit-storage" "ssbo,ubo,pushconstant: where the device has no 8-bit accesses"
        |f, v| classes(&mut f.no_storage8, v);
    "-no-16bit-storage" "ssbo,ubo,pushconstant: where the device has no 16-bit accesses"
        |f, v| classes(&mut f.no_storage16, v);
    "-int8" "0: the device has no 8-bit arithmetic"
        |f, v| switch(v).map(|on| f.no_int8 = !on);
    "-spv-version" "1.0 or 1.3"
        |f, v| {
            f.spirv_version = Some(match v {
                Some("1.0") => (1, 0),
                Some("1.3") => (1, 3),
                _ => return Err("only 1.0 and 1.3 are supported".into()),
            });
            Ok(())
        };
    "-uniform-workgroup-size" "work-groups of one size, whatever the language version"
        |f, v| switch(v).map(|on| f.uniform_groups = on);
};

/// The lines of `--help` about the options.
pub fn help() -> String {
    let line = |row: &Row| format!("  {:36}{}\n", row.name, row.help);
    OPTIONS.iter().map(line).collect()
}

impl DescriptorFlags {
    /// Takes a word of the command line, with one or two dashes; `false` if it is none of these
    /// options.
    ///
    /// # Errors
    /// A value that the option does not take.
    pub fn take(&mut self, word: &str) -> Result<bool, String> {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let name = name
            .strip_prefix('-')
            .filter(|n| n.starts_with('-'))
            .unwrap_or(name);
        let Some(row) = OPTIONS.iter().find(|row| row.name == name) else {
            return Ok(false);
        };
        (row.apply)(self, value).map_err(|why| format!("option '{word}': {why}"))?;
        self.any = true;
        Ok(true)
    }

    /// Returns whether an option was given that only the descriptor form has.
    pub fn any(&self) -> bool {
        self.any
    }

    /// Holds the options against each other. `regions` is true for OpenCL C 2.0 and later, whose
    /// ranges need push constants.
    ///
    /// # Errors
    /// Options that exclude each other, by name.
    pub fn resolve(&self, regions: bool) -> Result<DescriptorOptions, String> {
        let exclusive =
            |a: &str, b: &str| Err(format!("options '{a}' and '{b}' exclude each other"));
        if self.pod_ubo && self.pod_push {
            return exclusive("-pod-ubo", "-pod-pushconstant");
        }
        if self.pod_push && self.unclustered {
            return exclusive("-pod-pushconstant", "-cluster-pod-kernel-args=0");
        }
        let regions = regions && !self.uniform_groups;
        if self.pod_push && self.global_offset_push {
            // Module-wide push constants and a kernel's own do not go together in the mapping.
            return exclusive("-pod-pushconstant", "-global-offset-push-constant");
        }
        Ok(DescriptorOptions {
            pods: match (self.pod_ubo, self.pod_push) {
                (true, _) => PodPlace::Uniform,
                (_, true) => PodPlace::PushConstant,
                _ => PodPlace::StorageBuffer,
            },
            cluster_pods: !self.unclustered,
            constant_args_uniform: self.constant_ubo,
            distinct_sets: self.distinct_sets,
            constants_in_buffer: self.constants_in_buffer,
            range: if regions {
                RangeForm::Regions
            } else if self.global_offset_push {
                RangeForm::OffsetPush
            } else if self.global_offset {
                RangeForm::OffsetSpec
            } else {
                RangeForm::BuiltIns
            },
            work_dim: !self.no_work_dim,
            null_is_empty: false,
            opaque_pointers: false,
        })
    }

    /// Takes from a device what the options deny it.
    pub fn restrict(&self, target: &mut Target) {
        for (storage, no) in [
            (&mut target.storage8, self.no_storage8),
            (&mut target.storage16, self.no_storage16),
        ] {
            storage.storage_buffer &= !no[0];
            storage.uniform &= !no[1];
            storage.push_constant &= !no[2];
        }
        target.int8 &= !self.no_int8;
        if let Some(bytes) = self.max_push_constants {
            target.max_push_constants_size = bytes;
        }
        if let Some(version) = self.spirv_version {
            target.spirv_version = version;
            // Both came with Vulkan 1.2.
            target.vulkan_memory_model = false;
            target.memory_model_device_scope = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DescriptorFlags, OPTIONS, help};
    use crate::Target;
    use crate::abi::{DescriptorOptions, PodPlace, RangeForm};

    fn flags(words: &[&str]) -> Result<DescriptorFlags, String> {
        let mut flags = DescriptorFlags::default();
        for word in words {
            assert!(flags.take(word)?, "{word}");
        }
        Ok(flags)
    }

    fn resolved(words: &[&str]) -> Result<DescriptorOptions, String> {
        flags(words)?.resolve(false)
    }

    #[test]
    fn the_defaults_are_the_documents() {
        let options = resolved(&[]).unwrap();
        assert_eq!(options, DescriptorOptions::default());
        assert!(options.cluster_pods && options.work_dim && !options.constants_in_buffer);
        let options =
            resolved(&["--pod-ubo", "-cluster-pod-kernel-args=0", "-work-dim=0"]).unwrap();
        assert_eq!(options.pods, PodPlace::Uniform);
        assert!(!options.cluster_pods && !options.work_dim);
    }

    #[test]
    fn the_language_version_asks_for_regions() {
        let offset = flags(&["-global-offset"]).unwrap();
        assert_eq!(offset.resolve(false).unwrap().range, RangeForm::OffsetSpec);
        assert_eq!(offset.resolve(true).unwrap().range, RangeForm::Regions);
        let uniform = flags(&["-global-offset-push-constant", "-uniform-workgroup-size"]).unwrap();
        assert_eq!(uniform.resolve(true).unwrap().range, RangeForm::OffsetPush);
    }

    #[test]
    fn conflicts_are_named() {
        for (words, message) in [
            (
                &["-pod-ubo", "-pod-pushconstant"][..],
                "options '-pod-ubo' and '-pod-pushconstant' exclude each other",
            ),
            (
                &["-pod-pushconstant", "-cluster-pod-kernel-args=0"],
                "options '-pod-pushconstant' and '-cluster-pod-kernel-args=0' exclude each other",
            ),
            (
                &["-pod-pushconstant", "-global-offset-push-constant"],
                "options '-pod-pushconstant' and '-global-offset-push-constant' exclude each other",
            ),
            (
                &["-spv-version=1.6"],
                "option '-spv-version=1.6': only 1.0 and 1.3 are supported",
            ),
            (
                &["-no-8bit-storage=ssbo,image"],
                "option '-no-8bit-storage=ssbo,image': 'image' is none of ssbo, ubo and pushconstant",
            ),
            (
                &["-pod-ubo=x"],
                "option '-pod-ubo=x': 'x' is neither 0 nor 1",
            ),
            (
                &["-max-pushconstant-size"],
                "option '-max-pushconstant-size': a number of bytes is missing",
            ),
        ] {
            assert_eq!(resolved(words).unwrap_err(), message, "{words:?}");
        }
        assert_eq!(DescriptorFlags::default().take("-pod"), Ok(false));
    }

    #[test]
    fn devices_lose_what_is_denied() {
        let words = [
            "-no-16bit-storage=ubo,pushconstant",
            "-no-8bit-storage=ssbo",
            "-int8=0",
        ];
        let mut target = Target::reference();
        flags(&words).unwrap().restrict(&mut target);
        assert!(target.storage16.storage_buffer && !target.storage16.uniform);
        assert!(!target.storage8.storage_buffer && target.storage8.uniform && !target.int8);
        flags(&["-spv-version=1.0"]).unwrap().restrict(&mut target);
        assert!(target.spirv_version == (1, 0) && !target.vulkan_memory_model);
    }

    #[test]
    fn every_option_has_a_line_of_help() {
        assert_eq!(help().lines().count(), OPTIONS.len());
    }
}
