//! Compilers of the test programs in C and C++: the system's, or one of another architecture whose
//! programs an emulator runs.

use crate::sh::{self, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compilers of C and C++ for one architecture.
pub struct Compiler {
    /// Compiles and links C.
    pub c: PathBuf,
    /// Compiles and links C++.
    pub cpp: PathBuf,
    /// The emulator and its arguments, before a program's path; none for this machine's own programs.
    pub emulator: Option<Vec<String>>,
}

impl Compiler {
    /// The system's gcc and g++.
    pub fn system() -> Self {
        Self {
            c: "gcc".into(),
            cpp: "g++".into(),
            emulator: None,
        }
    }

    /// The same compilers for libraries, which no emulator runs.
    pub fn of_libraries(self) -> Self {
        Self {
            emulator: None,
            ..self
        }
    }

    /// Compiles one C or C++ source, unless the executable is newer. With an emulator, the file is a
    /// script that runs the program, which lies beside it with `.elf` behind its name.
    pub fn compile(&self, source: &Path, to: &Path, link: &[String]) -> Result {
        if is_newer(to, source)? {
            return Ok(());
        }
        if let Some(dir) = to.parent() {
            sh::make_folder(dir)?;
        }
        let program = match self.emulator {
            Some(_) => to.with_extension("elf"),
            None => to.to_path_buf(),
        };
        let cpp = source.extension().is_some_and(|ext| ext == "cpp");
        let mut command = Command::new(if cpp { &self.cpp } else { &self.c });
        command
            .args(["-O1", "-g", "-Wall", "-o"])
            .arg(&program)
            .arg(source)
            .args(link)
            .args(["-lm", "-lpthread"]);
        sh::output(&mut command)?;
        match &self.emulator {
            Some(emulator) => write_script(to, emulator, &program),
            None => Ok(()),
        }
    }
}

/// Returns whether an executable is newer than its source and all that the source may include:
/// clients include headers of their folder, and one another.
fn is_newer(executable: &Path, source: &Path) -> Result<bool> {
    let modified = |path: &Path| path.metadata().and_then(|meta| meta.modified()).ok();
    let included = source
        .parent()
        .map(|dir| sh::files_with(dir, &["h", "c"]))
        .transpose()?
        .unwrap_or_default();
    let sources = included.iter().map(PathBuf::as_path).chain([source]);
    let newest = sources.filter_map(modified).max();
    Ok(modified(executable).is_some_and(|built| newest.is_some_and(|source| built > source)))
}

/// Writes a script that runs a program with words before it and passes arguments on.
pub fn write_script(to: &Path, words: &[String], program: &Path) -> Result {
    use std::os::unix::fs::PermissionsExt;
    let quoted: Vec<String> = words
        .iter()
        .chain([&program.display().to_string()])
        .map(|word| format!("'{}'", word.replace('\'', "'\\''")))
        .collect();
    sh::write(to, format!("#!/bin/sh\nexec {} \"$@\"\n", quoted.join(" ")))?;
    std::fs::set_permissions(to, std::fs::Permissions::from_mode(0o755))
        .map_err(|error| format!("{}: {error}", to.display()))
}

#[cfg(test)]
mod tests {
    use super::write_script;
    use crate::sh;
    use std::path::Path;
    use std::process::Command;

    #[test]
    fn scripts_pass_every_word_on() {
        let script = sh::target().join("xtask-output/it's a script");
        let words = ["printf", "%s|", "a b", "it's"].map(String::from);
        write_script(&script, &words, Path::new("$HOME")).expect("it is written");
        let told = sh::output(Command::new(&script).args(["c d", "*"])).expect("it runs");
        assert_eq!(told, "a b|it's|$HOME|c d|*|");
    }
}
