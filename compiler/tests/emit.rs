//! File tests of emission: OpenCL C in, disassembled Kernel SPIR-V out.
//!
//! `filetests/emit/*.cl`; the first line may hold build options: `// RUN: -cl-std=CL2.0`. The
//! module, or the build log where there is none, stands in the `.spvasm` file beside;
//! `PUMICE_BLESS=1` writes those anew. Every module must pass spirv-val.

mod support;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use pumice_compiler::{CompileOptions, NoIncludes, Source, Target, compile};

fn run(path: &Path) -> Result<String, String> {
    let text = std::fs::read(path).expect("readable");
    let first = String::from_utf8_lossy(text.split(|b| *b == b'\n').next().unwrap_or(&[]));
    let options = first.strip_prefix("// RUN:").unwrap_or("").trim();
    let options = CompileOptions::parse(options).map_err(|e| format!("{e:?}"))?;
    let source = Source {
        name: "test.cl",
        text: &text,
    };
    let outcome = compile(source, &options, &Target::full(), &NoIncludes);
    let Some(module) = outcome.output else {
        return Ok(outcome.log);
    };
    let listing = support::disassemble(&module.words);
    // The OpenCL environments refuse what an extension of OpenCL adds.
    let has = |what: &str| listing.contains(what);
    let extended = has("OpCapability Float16\n")
        || has("OpCapability ImageMipmap\n")
        || has(" 1 0 Unknown ReadOnly\n");
    let environment = if module.words[1] > 0x0001_0200 {
        "spv1.6"
    } else if extended {
        "spv1.2"
    } else {
        "opencl2.2"
    };
    support::validate(&module.words, environment).map_err(|e| format!("{e}\n{listing}"))?;
    Ok(format!("{}{listing}", outcome.log))
}

#[test]
fn emitted_modules() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests/emit");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&dir)
        .expect("the folder exists")
        .map(|e| e.expect("readable").path())
        .filter(|p| p.extension().is_some_and(|e| e == "cl"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let bless = std::env::var_os("PUMICE_BLESS").is_some();
    let mut failures = String::new();
    for path in files {
        let name = path.display();
        let actual = match run(&path) {
            Ok(actual) => actual,
            Err(error) => {
                let _ = writeln!(failures, "==== {name}\n{error}");
                continue;
            }
        };
        let expected_path = path.with_extension("spvasm");
        if bless {
            std::fs::write(&expected_path, &actual).expect("writable");
            continue;
        }
        let expected = std::fs::read_to_string(&expected_path).unwrap_or_default();
        if expected != actual {
            let _ = writeln!(
                failures,
                "==== {name}\n---- expected\n{expected}---- actual\n{actual}"
            );
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
