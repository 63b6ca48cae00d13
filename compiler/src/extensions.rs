//! `-cl-ext=` of pumicec and of file tests: the device without some of its extensions and features, or with others.
use crate::{Target, full_target};

/// One entry of the option's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionChange {
    name: String,
    add: bool,
}

/// Parses `-cl-ext=+NAME,-NAME,-all`.
///
/// # Errors
/// An entry without a sign or a name, in clang's words.
pub fn parse(arg: &str) -> Result<Vec<ExtensionChange>, String> {
    let list = arg.strip_prefix("-cl-ext=").unwrap_or(arg);
    let entry = |entry: &str| {
        let add = entry.starts_with('+');
        match entry.strip_prefix(['+', '-']) {
            Some(name) if !name.is_empty() => Ok(ExtensionChange {
                name: name.to_string(),
                add,
            }),
            _ => Err(format!(
                "invalid value '{entry}' in '{arg}': an entry is +NAME or -NAME"
            )),
        }
    };
    list.split(',').map(entry).collect()
}

/// Changes the extensions and features of a device in order.
pub fn apply(changes: &[ExtensionChange], target: &mut Target) {
    for change in changes {
        match (change.name.as_str(), change.add) {
            ("all", true) => {
                let full = full_target();
                (target.extensions, target.features) = (full.extensions, full.features);
            }
            ("all", false) => {
                target.extensions.clear();
                target.features.clear();
            }
            (name, add) => {
                let names = match name.starts_with("__opencl_c_") {
                    true => &mut target.features,
                    false => &mut target.extensions,
                };
                names.retain(|known| known != name);
                if name == "cl_khr_int64_base_atomics" && !add {
                    // No 64-bit atomics at all, also not on buffers alone.
                    target.int64_buffer_atomics = false;
                    target.int64_shared_atomics = false;
                }
                if add {
                    names.push(name.to_string());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{apply, parse};
    use crate::full_target;

    #[test]
    fn entries_apply_in_order() {
        let mut target = full_target();
        apply(
            &parse("-cl-ext=-all,+cl_khr_fp64,+__opencl_c_fp64,-cl_khr_fp64").expect("valid"),
            &mut target,
        );
        assert!(target.extensions.is_empty());
        assert_eq!(target.features, ["__opencl_c_fp64"]);
        apply(&parse("-cl-ext=+all").expect("valid"), &mut target);
        assert_eq!(target.extensions, full_target().extensions);
    }

    #[test]
    fn an_entry_needs_its_sign() {
        for arg in ["-cl-ext=cl_khr_fp64", "-cl-ext=", "-cl-ext=+"] {
            parse(arg).expect_err(arg);
        }
    }
}
