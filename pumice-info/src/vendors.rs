//! The drivers that an ICD loader looks for, by its rules: `.icd` files that name libraries.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::elf::{self, Elf};

/// The folder that loaders read unless a variable names another.
const DEFAULT: &str = "/etc/OpenCL/vendors";
/// Variables that name another folder, a file or a library, the first that is set counts. The Khronos
/// loader knows the second alone.
const VARIABLES: &[&str] = &["OPENCL_VENDOR_PATH", "OCL_ICD_VENDORS"];
/// Folders in which a library without a path is looked for.
const FOLDERS: &[&str] = &[
    "/usr/local/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/lib64",
    "/lib",
];

/// The place of the `.icd` files.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The variable that names it; `None` for the default.
    pub variable: Option<String>,
    /// A folder, a file or a library.
    pub path: PathBuf,
}

/// A driver that a loader opens.
#[derive(Debug)]
pub struct Vendor {
    /// The `.icd` file.
    pub file: PathBuf,
    /// The library as the file names it; empty where the file cannot be read.
    pub library: String,
    /// The library's file, where it was found.
    pub path: Option<PathBuf>,
    /// The library, or the reason why it cannot be read.
    pub elf: Result<Elf, String>,
}

/// Finds the place that the loaders look at.
pub fn place(variable: impl Fn(&str) -> Option<String>) -> Place {
    let set = VARIABLES.iter().find_map(|name| {
        let value = variable(name).filter(|value| !value.is_empty())?;
        Some((name.to_string(), value))
    });
    match set {
        Some((name, value)) => Place {
            variable: Some(name),
            path: value.into(),
        },
        None => Place {
            variable: None,
            path: DEFAULT.into(),
        },
    }
}

/// Lists the drivers at a place; the error says why there are none.
pub fn list(place: &Path) -> Result<Vec<Vendor>, String> {
    let meta = std::fs::metadata(place).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "does not exist".to_string(),
        _ => format!("cannot be read ({error})"),
    })?;
    if !meta.is_dir() {
        let icd = place.extension().is_some_and(|end| end == "icd");
        return Ok(vec![match icd {
            true => vendor(place),
            false => library(place, place.display().to_string()),
        }]);
    }
    let entries = std::fs::read_dir(place).map_err(|error| format!("cannot be read ({error})"))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "icd"))
        .collect();
    files.sort();
    match files.is_empty() {
        true => Err("has no .icd file".to_string()),
        false => Ok(files.iter().map(|file| vendor(file)).collect()),
    }
}

/// The names of the `.icd` files that programs would find if no variable named another place.
pub fn default_names() -> Vec<String> {
    let list = list(Path::new(DEFAULT)).unwrap_or_default();
    list.iter().map(Vendor::name).collect()
}

/// Reads an `.icd` file: its first line names a library.
fn vendor(file: &Path) -> Vendor {
    match std::fs::read_to_string(file) {
        Ok(text) => library(
            file,
            text.lines().next().unwrap_or_default().trim().to_string(),
        ),
        Err(error) => Vendor {
            file: file.into(),
            library: String::new(),
            path: None,
            elf: Err(error.to_string()),
        },
    }
}

fn library(file: &Path, name: String) -> Vendor {
    let path = match name.contains('/') {
        true => Some(PathBuf::from(&name)),
        false => {
            let paths = FOLDERS.iter().map(|folder| Path::new(folder).join(&name));
            paths.into_iter().find(|path| path.exists())
        }
    };
    let elf = match &path {
        Some(path) => elf::read(path),
        // The loader of the system may know more folders; the probe tells.
        None => Err("it is in none of the usual folders".to_string()),
    };
    Vendor {
        file: file.into(),
        library: name,
        path,
        elf,
    }
}

impl Vendor {
    /// True for the file that names Pumice.
    pub fn is_pumice(&self) -> bool {
        let name = Path::new(&self.library).file_name();
        name.is_some_and(|name| name.to_string_lossy().starts_with("libpumice.so"))
    }

    /// The file's name.
    pub fn name(&self) -> String {
        let name = self.file.file_name().unwrap_or(self.file.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        json!({
            "file": self.file,
            "library": self.library,
            "path": self.path,
            "bits": self.elf.as_ref().ok().map(|elf| elf.bits),
            "error": self.elf.as_ref().err(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, list, place};
    use std::path::{Path, PathBuf};

    #[test]
    fn a_variable_names_the_place() {
        let of = |set: &'static [(&str, &str)]| {
            place(move |name| {
                let found = set.iter().find(|(n, _)| *n == name);
                found.map(|(_, value)| value.to_string())
            })
        };
        let named = |variable: &str| Place {
            variable: Some(variable.to_string()),
            path: "/a".into(),
        };
        assert_eq!(of(&[]).path, Path::new("/etc/OpenCL/vendors"));
        assert_eq!(of(&[("OCL_ICD_VENDORS", "")]).variable, None);
        assert_eq!(of(&[("OCL_ICD_VENDORS", "/a")]), named("OCL_ICD_VENDORS"));
        assert_eq!(
            of(&[("OCL_ICD_VENDORS", "/b"), ("OPENCL_VENDOR_PATH", "/a")]),
            named("OPENCL_VENDOR_PATH")
        );
    }

    #[test]
    fn the_files_of_a_folder_are_read() {
        let folder: PathBuf = std::env::temp_dir().join(format!("vendors-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        assert_eq!(list(&folder).unwrap_err(), "has no .icd file");
        std::fs::write(folder.join("b.icd"), "/nowhere/libpumice.so\n").unwrap();
        std::fs::write(folder.join("a.icd"), "libnowhere.so.1").unwrap();
        std::fs::write(folder.join("other.txt"), "x").unwrap();
        let vendors = list(&folder).unwrap();
        assert_eq!(
            vendors.iter().map(|v| v.name()).collect::<Vec<_>>(),
            ["a.icd", "b.icd"]
        );
        assert!(!vendors[0].is_pumice() && vendors[0].path.is_none());
        assert!(vendors[1].is_pumice() && vendors[1].elf.is_err());
        assert_eq!(list(&folder.join("b.icd")).unwrap().len(), 1);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(list(&folder).unwrap_err(), "does not exist");
    }
}
