//! The applications: one row each, in [`debian`] and [`python`].

use super::{debian, python};
use crate::facts::Feature;

/// Test for success in the output. All checks of a row must hold, besides exit status 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// The text is there.
    Says(&'static str),
    /// The text is not there.
    Never(&'static str),
    /// The last number before the text is at least this: `25 passed`.
    Before(&'static str, u64),
    /// The last number after the text is at least this: `pass: 525`.
    After(&'static str, u64),
    /// Each number before the text is 0, and there is one: `0 test(s) failed`.
    Zero(&'static str),
}

/// An application.
#[derive(Clone, Copy, Debug)]
pub struct App {
    /// Name in reports.
    pub name: &'static str,
    /// Parts of OpenCL that it exercises.
    pub exercises: &'static str,
    /// Debian packages: `apt-get install --no-install-recommends`.
    pub debian: &'static [&'static str],
    /// Packages of PyPI, with versions, for the virtual environment that `$PYTHON` is of.
    pub python: &'static [&'static str],
    /// Command that runs once after the installation; not part of the time. As `command` otherwise.
    pub prepare: &'static str,
    /// Script for `sh`, in a folder of its own that stays from run to run. `$APPS` is this
    /// crate's folder `apps`, `$APPS_HOME` the folder of all applications, `$CLRUN` pumice-clrun.
    /// `$XDG_CACHE_HOME` is empty at its start, for drivers and applications alike.
    pub command: &'static str,
    /// Checks of the output.
    pub success: &'static [Check],
    /// Further checks on a device with this feature.
    pub success_with: Option<(Feature, &'static [Check])>,
    /// Feature that the device must have.
    pub needs: Option<Feature>,
    /// True if it installs within a minute and belongs to the tests that always run.
    pub quick: bool,
    /// Time limit in seconds, for a slow machine.
    pub limit: u64,
}

/// Default values of a row.
pub(super) const APP: App = App {
    name: "",
    exercises: "",
    debian: &[],
    python: &[],
    prepare: "",
    command: "",
    success: &[],
    success_with: None,
    needs: None,
    quick: false,
    limit: 300,
};

/// The rows of all groups.
const fn joined<const COUNT: usize>(groups: &[&[App]]) -> [App; COUNT] {
    let mut all = [APP; COUNT];
    let (mut group, mut at) = (0, 0);
    while group < groups.len() {
        let mut row = 0;
        while row < groups[group].len() {
            all[at] = groups[group][row];
            (row, at) = (row + 1, at + 1);
        }
        group += 1;
    }
    all
}

/// The list.
pub const APPS: &[App] =
    &joined::<{ debian::ROWS.len() + python::ROWS.len() }>(&[debian::ROWS, python::ROWS]);
