//! Where `#include` finds files: headers given to clCompileProgram, then the folders.

use std::path::Path;

use pumice_compiler::{IncludeResolver, IncludedFile};

/// The headers and folders of one compilation.
#[derive(Clone, Debug, Default)]
pub struct Includes {
    /// Names and texts of clCompileProgram's input headers.
    pub headers: Vec<(String, Vec<u8>)>,
    /// `-I` folders in order.
    pub folders: Vec<String>,
}

impl IncludeResolver for Includes {
    fn resolve(&self, name: &str, angled: bool, from: &str) -> Option<IncludedFile> {
        // OpenCL 3.0 API §5.8.2: embedded headers are searched before folders.
        if let Some((name, text)) = self.headers.iter().find(|(known, _)| known == name) {
            return Some(IncludedFile {
                path: name.clone(),
                text: text.clone(),
            });
        }
        let read = |path: &Path| {
            let text = std::fs::read(path).ok()?;
            Some(IncludedFile {
                path: path.to_string_lossy().into_owned(),
                text,
            })
        };
        if Path::new(name).is_absolute() {
            return read(Path::new(name));
        }
        // Quotes: beside the including file first, which for the program's source is the
        // current folder.
        if !angled {
            let beside = Path::new(from).parent().unwrap_or(Path::new(""));
            if let Some(file) = read(&beside.join(name)) {
                return Some(file);
            }
        }
        self.folders
            .iter()
            .find_map(|folder| read(&Path::new(folder).join(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::Includes;
    use pumice_compiler::IncludeResolver;

    #[test]
    fn embedded_headers_come_first() {
        let includes = Includes {
            headers: vec![("a/b.h".into(), b"x".to_vec())],
            folders: vec!["/no/such/folder".into()],
        };
        assert_eq!(includes.resolve("a/b.h", true, "").unwrap().text, b"x");
        assert!(includes.resolve("b.h", false, "a/b.h").is_none());
    }
}
