//! The rows of the pipeline fit together.

use super::{Ctx, PIPELINE, pipeline};
use crate::pass::{PassFn, PassKind};
use pumice_target::{Arithmetic, Checks, LowerOptions, Quirks, Target};

#[test]
fn each_row_finds_what_it_requires() {
    for (opt_disable, quirks) in [
        (false, Quirks::NONE),
        (true, Quirks::NONE),
        (false, Quirks::all()),
    ] {
        let mut options = LowerOptions::default();
        options.math.opt_disable = opt_disable;
        let mut held = Vec::new();
        let ctx = Ctx {
            target: &Target {
                quirks,
                ..Target::reference()
            },
            options: &options,
        };
        for pass in pipeline(&ctx) {
            for property in pass.requires {
                assert!(
                    held.contains(property),
                    "{} requires {property:?}, which no earlier row ensures",
                    pass.name
                );
            }
            held.extend_from_slice(pass.ensures);
        }
    }
}

fn address(run: PassFn) -> usize {
    match run {
        PassFn::Function(run) => run as usize,
        PassFn::TryFunction(run) => run as usize,
        PassFn::Module(run) => run as usize,
        PassFn::TryModule(run) => run as usize,
    }
}

#[test]
fn a_pass_that_stands_twice_says_why() {
    for (index, pass) in PIPELINE.iter().enumerate() {
        let earlier = &PIPELINE[..index];
        let is_new = earlier.iter().all(|other| other.name != pass.name);
        assert!(is_new, "{}", pass.name);
        let twice = earlier
            .iter()
            .any(|other| address(other.run) == address(pass.run));
        assert_eq!(twice, pass.again.is_some(), "{}", pass.name);
    }
}

#[test]
fn passes_for_quirks_run_only_for_them() {
    let options = LowerOptions::default();
    let target = Target::reference();
    let ctx = Ctx {
        target: &target,
        options: &options,
    };
    let is_quirk = |kind| matches!(kind, PassKind::DriverQuirk(_));
    assert!(pipeline(&ctx).all(|pass| !is_quirk(pass.kind)));
    let target = Target {
        quirks: Quirks::all(),
        int64: false,
        checks: Checks::all().with(pumice_target::Check::Robust),
        zero_private: true,
        flushes_f64: true,
        soft_f64: true,
        arithmetic: Arithmetic {
            denorms_f32: false,
            ..target.arithmetic
        },
        terminable: true,
        address_delta: true,
        shader_enqueue: true,
        coarse: true,
        groups_of_one: true,
        ..target
    };
    let ctx = Ctx {
        target: &target,
        options: &options,
    };
    assert_eq!(pipeline(&ctx).count(), PIPELINE.len());
}
