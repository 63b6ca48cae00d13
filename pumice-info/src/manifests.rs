//! The manifests of Vulkan drivers, by the Vulkan loader's rules: JSON files that name libraries.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// Variables that name manifests, or folders of them; the first that is set counts.
const VARIABLES: &[&str] = &["VK_DRIVER_FILES", "VK_ICD_FILENAMES"];
/// Folders that the loader reads unless a variable names others.
const FOLDERS: &[&str] = &[
    "etc/vulkan/icd.d",
    "usr/local/etc/vulkan/icd.d",
    "usr/local/share/vulkan/icd.d",
    "usr/share/vulkan/icd.d",
];

/// The manifests that the loader reads.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Manifests {
    /// The variable that names them; `None` for those of the system.
    pub variable: Option<&'static str>,
    /// Files that exist.
    pub files: Vec<PathBuf>,
    /// Files and folders that the variable names, but which do not exist.
    pub missing: Vec<String>,
}

impl Manifests {
    /// Finds the manifests below a folder, `/` for those of this system.
    pub fn find(root: &Path, variable: impl Fn(&str) -> Option<String>) -> Manifests {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let named = VARIABLES.iter().find_map(|name| Some((*name, set(name)?)));
        let Some((name, value)) = named else {
            let home = || Some(Path::new(&set("HOME")?).join(".local/share"));
            let data = set("XDG_DATA_HOME").map(PathBuf::from).or_else(home);
            let folders = FOLDERS.iter().map(|folder| root.join(folder));
            let folders = folders.chain(data.map(|data| data.join("vulkan/icd.d")));
            return Manifests {
                files: folders.flat_map(|folder| of_folder(&folder)).collect(),
                ..Manifests::default()
            };
        };
        let paths = value.split(':').filter(|path| !path.is_empty());
        let (there, missing): (Vec<_>, Vec<_>) = paths.partition(|path| Path::new(path).exists());
        let files = there.into_iter().map(Path::new);
        Manifests {
            variable: Some(name),
            files: files
                .flat_map(|path| match path.is_dir() {
                    true => of_folder(path),
                    false => vec![path.to_path_buf()],
                })
                .collect(),
            missing: missing.into_iter().map(String::from).collect(),
        }
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        json!({ "variable": self.variable, "files": self.files, "missing": self.missing })
    }
}

/// The manifests of a folder; none where it cannot be read.
fn of_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut files: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::Manifests;
    use std::path::PathBuf;

    #[test]
    fn a_variable_counts_before_the_folders() {
        let root = std::env::temp_dir().join(format!("manifests-{}", std::process::id()));
        let files = [
            "etc/vulkan/icd.d/b.json",
            "etc/vulkan/icd.d/a.json",
            "usr/share/vulkan/icd.d/c.json",
            "home/.local/share/vulkan/icd.d/d.json",
            "data/vulkan/icd.d/e.json",
        ];
        for file in files.iter().chain(&["etc/vulkan/icd.d/readme.txt"]) {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "{}").unwrap();
        }
        let place = |below: &str| root.join(below).display().to_string();
        let find = |variables: &[(&str, String)]| {
            Manifests::find(&root, |name| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| value.clone())
            })
        };
        let paths =
            |names: &[&str]| -> Vec<PathBuf> { names.iter().map(|name| root.join(name)).collect() };
        let home = ("HOME", place("home"));
        let of_user = find(std::slice::from_ref(&home));
        let of_data = find(&[home.clone(), ("XDG_DATA_HOME", place("data"))]);
        // A folder stands for its manifests.
        let list = format!(
            "/nowhere/x.json:{}:{}",
            place(files[2]),
            place("data/vulkan/icd.d")
        );
        let named = find(&[
            home,
            ("VK_DRIVER_FILES", String::new()),
            ("VK_ICD_FILENAMES", list),
        ]);
        std::fs::remove_dir_all(&root).unwrap();
        assert_eq!(of_user.variable, None);
        assert_eq!(
            of_user.files,
            paths(&[files[1], files[0], files[2], files[3]])
        );
        assert_eq!(
            of_data.files,
            paths(&[files[1], files[0], files[2], files[4]])
        );
        let expected = Manifests {
            variable: Some("VK_ICD_FILENAMES"),
            files: paths(&[files[2], files[4]]),
            missing: vec!["/nowhere/x.json".to_string()],
        };
        assert_eq!(named, expected);
    }
}
