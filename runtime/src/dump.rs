//! Every stage of a build as files, for people (`PUMICE_DUMP`).
//!
//! Each build has a folder of its own, named by the process and a number. What it does not reach
//! is not there. The text of the passes is that of `compiler/src/ir/text`, which the file tests
//! and `pumicec` read.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use pumice_compiler::backend::{
    pass::Ctx,
    pipeline::{pipeline, run_pass},
};
use pumice_compiler::ir::text::module_to_text;
use pumice_compiler::{
    CompileOptions, IncludeResolver, KernelModule, LowerOptions, Source, Target, backend, frontend,
};

use crate::config;
use crate::files::{self, Contents};
use crate::log;

/// The files of one build.
pub struct Dump {
    folder: PathBuf,
}

/// Begins a build's files, if they are asked for.
pub fn start(options: &str) -> Option<Dump> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let folder = log::process_path(&config::DUMP)?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("{}-{number:03}", std::process::id());
    let folder = PathBuf::from(folder).join(name);
    // A folder of this name may be there: process numbers come again.
    let made = files::make_folder(&folder).and_then(|()| files::check_folder(&folder));
    if let Err(error) = made {
        log::error!("{}: {error}", folder.display());
        return None;
    }
    log::info!("the stages go to {}", folder.display());
    let dump = Dump { folder };
    dump.file("options.txt", options.as_bytes());
    Some(dump)
}

impl Dump {
    fn file(&self, name: &str, bytes: &[u8]) {
        let path = self.folder.join(name);
        let written = files::open_private(&path, Contents::Replaced)
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

    /// The front end's stages before code: text, syntax tree, typed tree.
    pub fn source(
        &self,
        source: Source<'_>,
        options: &CompileOptions,
        target: &Target,
        includes: &dyn IncludeResolver,
    ) {
        self.file("source.cl", source.text);
        let stages = [
            (
                "preprocessed.cl",
                frontend::preprocess(source, options, target, includes).output,
            ),
            (
                "syntax.txt",
                frontend::parse(source, options, target, includes)
                    .output
                    .map(String::into_bytes),
            ),
            (
                "typed.txt",
                frontend::check(source, options, target, includes)
                    .output
                    .map(String::into_bytes),
            ),
        ];
        for (name, text) in stages {
            if let Some(text) = text {
                self.file(name, &text);
            }
        }
    }

    /// The IR as imported and after each pass.
    pub fn passes(&self, module: &KernelModule, target: &Target, options: &LowerOptions) {
        let mut ir = match backend::to_ir(&module.words, options) {
            Ok(ir) => ir,
            Err(error) => return self.file("ir-00-import.txt", error.to_string().as_bytes()),
        };
        self.file("ir-00-import.ir", module_to_text(&ir).as_bytes());
        let ctx = Ctx { target, options };
        for (index, pass) in pipeline(&ctx).enumerate() {
            let name = format!("ir-{:02}-{}", index + 1, pass.name);
            if let Err(error) = run_pass(pass, &mut ir, &ctx) {
                return self.file(&format!("{name}.txt"), error.to_string().as_bytes());
            }
            self.file(&format!("{name}.ir"), module_to_text(&ir).as_bytes());
        }
    }
}
