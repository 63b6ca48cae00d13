//! Kernel files (`filetests/run/*.cl`) through the front end, the importer and the interpreter:
//! what a device must compute, computed without one.
//!
//! [`KernelFile`] describes the directives; `pumice-clrun` runs the same files on devices.

use std::path::Path;

use pumice_backend::import::VariableForm;
use pumice_backend::pass::Ctx;
use pumice_backend::{self as backend, pipeline};
use pumice_compiler::{LowerOptions, Target};
use pumice_filetests::golden::{Failures, files};
use pumice_filetests::{KernelFile, Run};
use pumice_interp::Options;
use pumice_ir::Module;
use pumice_test_support::build::linked;
use pumice_test_support::{filetests, interpretable, low_targets, run_target, runs};

/// A moment at which a module is interpreted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// Before the passes.
    Imported,
    /// After the passes.
    Lowered,
}

fn run_file(
    path: &Path,
    target: &Target,
    opt_disable: bool,
    moments: &[Moment],
) -> Result<(), String> {
    let text = std::fs::read_to_string(path).expect("readable");
    let KernelFile {
        options,
        build_log,
        defined_by,
        runs,
    } = KernelFile::parse_test(&text)?;
    let built = linked(&text, &options, target);
    if !build_log.is_empty() {
        let log = match built {
            Ok(_) => return Err("builds, and should not".to_string()),
            Err(log) => log,
        };
        return match build_log.iter().find(|line| !log.contains(line.as_str())) {
            None => Ok(()),
            Some(text) => Err(format!("the log lacks {text:?}:\n{log}")),
        };
    }
    let module = built?;
    let mut lower = LowerOptions::default();
    lower.math.opt_disable = opt_disable;
    let ctx = Ctx {
        target,
        options: &lower,
    };
    if moments.contains(&Moment::Imported) && defined_by.is_none() {
        for (form, when) in [
            (VariableForm::Memory, "before the passes"),
            (backend::variable_form(target), "with variables as values"),
        ] {
            run_all(&interpretable(&module.words, form, &ctx)?, &runs, when)?;
        }
    }
    let mut ir = backend::to_ir(&module.words, target, &lower).map_err(|e| e.to_string())?;
    pipeline::run_pipeline(&mut ir, &ctx, &mut |_, _| {}).map_err(|e| format!("{e:?}"))?;
    if moments.contains(&Moment::Lowered) {
        run_all(&ir, &runs, "after the passes")?;
    }
    Ok(())
}

/// Interprets every run of a file on one form of its module.
fn run_all(ir: &Module, runs: &[Run], when: &str) -> Result<(), String> {
    for run in runs {
        runs::execute(
            ir,
            run,
            &runs::range_of_single_items(run),
            &Options::default(),
        )
        .map_err(|error| format!("{} {when}: {error}", run.kernel))?;
    }
    Ok(())
}

#[test]
fn kernel_files_compute_what_they_say() {
    let mut failures = Failures::default();
    failures.check_all(&files(&filetests("run"), &["cl"], 60), |path| {
        run_file(
            path,
            &run_target(),
            false,
            &[Moment::Imported, Moment::Lowered],
        )
    });
    failures.finish();
}

#[test]
fn kernel_files_compute_the_same_where_they_can_be_ended() {
    let target = Target {
        terminable: true,
        ..run_target()
    };
    let mut failures = Failures::default();
    failures.check_all(&files(&filetests("run"), &["cl"], 60), |path| {
        run_file(path, &target, false, &[Moment::Lowered])
    });
    failures.finish();
}

/// Kernel files with what devices without 64-bit integers cannot do, and the text of the refusal.
const NEED_INT64: &[(&str, &str)] = &[
    (
        "float_atomics_double",
        "use of type 'atomic_double' requires cl_khr_int64_base_atomics",
    ),
    ("atomics64", "no matching function for call to 'atom_add'"),
    (
        "mixed_atomics",
        "no matching function for call to 'atom_add'",
    ),
];

#[test]
fn kernel_files_compute_the_same_on_low_devices() {
    let mut failures = Failures::default();
    for (name, target) in low_targets() {
        failures.check_all(&files(&filetests("run"), &["cl"], 60), |path| {
            let stem = path.file_stem().expect("a file").to_string_lossy();
            let refused = (NEED_INT64.iter()).find(|(file, _)| *file == stem && !target.int64);
            for (how, opt_disable, moments) in [
                ("", false, &[Moment::Imported, Moment::Lowered][..]),
                (", unoptimised", true, &[Moment::Lowered]),
            ] {
                match (run_file(path, &target, opt_disable, moments), refused) {
                    (Err(why), Some((_, text))) if why.contains(text) => Ok(()),
                    (Ok(()), Some(_)) => Err("builds, and is said not to".to_string()),
                    (outcome, _) => outcome.map_err(|why| format!("{name}{how}: {why}")),
                }?;
            }
            Ok(())
        });
    }
    failures.finish();
}
