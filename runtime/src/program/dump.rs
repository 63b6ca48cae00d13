//! Every stage of a build as files, for people (`PUMICE_DUMP`).
//!
//! Each build has a folder of its own, named by the process and a number. What it does not reach
//! is not there. The text of the passes is that of `compiler/ir/src/text`, which the file tests
//! and `pumicec` read.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use pumice_compiler::ir::text::module_to_text;
use pumice_compiler::ir::{LowerError, Module};

use crate::base::config;
use crate::base::files::{self, OpenMode};
use crate::base::log;

/// The files of one build.
pub struct Dump {
    folder: PathBuf,
}

/// Begins a build's files, if they are asked for.
pub fn start(options: &[u8]) -> Option<Dump> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let folder = log::process_path(&config::DUMP)?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("{}-{number:03}", std::process::id());
    let folder = PathBuf::from(folder).join(name);
    // A folder of this name may be there: process numbers come again.
    let made = files::make_folder(&folder).and_then(|()| files::check_folder(&folder));
    if let Err(error) = made {
        let name = config::DUMP.name;
        log::error!(
            "{name}: no stages are written: {}: {error}",
            folder.display()
        );
        return None;
    }
    log::info!("the stages go to {}", folder.display());
    let dump = Dump { folder };
    dump.file("options.txt", options);
    Some(dump)
}

impl Dump {
    fn file(&self, name: &str, bytes: &[u8]) {
        let path = self.folder.join(name);
        let written = files::open_private(&path, OpenMode::Truncate)
            .and_then(|mut file| file.write_all(bytes));
        if let Err(error) = written {
            log::error!("{}: {error}", path.display());
        }
    }

    /// A module.
    pub fn words(&self, name: &str, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.file(name, &bytes);
    }

    /// The source as the application gave it.
    pub fn source(&self, text: &[u8]) {
        self.file("source.cl", text);
    }

    /// A stage of the front end: text, syntax tree or typed tree.
    pub fn front_end(&self, stage: &str, text: &[u8]) {
        let name = match stage {
            "preprocessed" => "preprocessed.cl",
            "parsed" => "syntax.txt",
            _ => "typed.txt",
        };
        self.file(name, text);
    }

    /// A step of lowering: the IR as imported or after a pass, or the reason why there is none.
    /// Steps are numbered from 0.
    pub fn step(&self, number: usize, step: &str, result: Result<&Module, &LowerError>) {
        let name = format!("ir-{number:02}-{step}");
        match result {
            Ok(ir) => self.file(&format!("{name}.ir"), module_to_text(ir).as_bytes()),
            Err(error) => self.file(&format!("{name}.txt"), error.to_string().as_bytes()),
        }
    }
}
