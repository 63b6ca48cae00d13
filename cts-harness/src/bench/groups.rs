//! Reduction, scan and histogram by the functions of work-groups and of sub-groups, beside those in local memory; their text is
//! `bench/groups.cl`.

use super::check;
use super::kernels::{Give, Launch, N};
use super::{Clock, Result, Subject};

pub(super) const SOURCE: &str = include_str!("../../bench/groups.cl");

/// A kernel in one form.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grouped {
    /// The row's name.
    pub name: &'static str,
    /// The macro that chooses the form.
    pub form: &'static str,
    pub launch: Launch,
}

const REDUCTION: Launch = Launch {
    kernel: "reduction",
    unit: "GB/s",
    args: &[Give::Buf(0), Give::Buf(2)],
    global: &[N / 4],
    local: Some(&[256]),
    work: 1e-9 * N as f64,
    output: 2,
    check: check::reduction,
};

const SCAN: Launch = Launch {
    kernel: "scan",
    global: &[N / 16],
    work: 0.5e-9 * N as f64,
    check: check::scan,
    ..REDUCTION
};

const HISTOGRAM: Launch = Launch {
    kernel: "histogram",
    args: &[Give::Buf(0), Give::Buf(2), Give::Int(64)],
    global: &[N / 64],
    local: Some(&[64]),
    check: check::histogram_of_16,
    ..REDUCTION
};

const fn grouped(name: &'static str, form: &'static str, launch: Launch) -> Grouped {
    Grouped { name, form, launch }
}

/// The forms.
pub(super) const GROUPED: &[Grouped] = &[
    grouped("reduction, work-group function", "WORK_GROUP", REDUCTION),
    grouped("reduction, sub-group functions", "SUB_GROUP", REDUCTION),
    grouped("scan, work-group function", "WORK_GROUP", SCAN),
    grouped("scan, sub-group functions", "SUB_GROUP", SCAN),
    grouped("histogram of 16, local memory", "LOCAL_MEMORY", HISTOGRAM),
    grouped(
        "histogram of 16, work-group functions",
        "WORK_GROUP",
        HISTOGRAM,
    ),
    grouped(
        "histogram of 16, sub-group functions",
        "SUB_GROUP",
        HISTOGRAM,
    ),
];

impl Subject {
    /// The speed of a kernel in its form.
    pub(super) fn grouped(&mut self, grouped: &Grouped, clock: Clock) -> Result<f64> {
        let options = format!("-cl-std=CL3.0 -D {}", grouped.form);
        let program = self.device.build(SOURCE.as_bytes(), &options)?;
        let kernel = program.kernel(grouped.launch.kernel)?;
        self.speed(&kernel, grouped.name, &grouped.launch, clock)
    }
}
