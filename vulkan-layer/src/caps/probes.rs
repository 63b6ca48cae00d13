//! Results of the start-up probes, as plain data.

use pumice_target::Arithmetic;
use pumice_target::matrix::NativeProduct;

/// Results of the probes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probes {
    /// The device's own arithmetic. Where the capability bits deny that denormals survive, only a row in
    /// [`crate::quirks`] lets the probe say so.
    pub arithmetic: Arithmetic,
    /// f64 denormals survive arithmetic, likewise.
    pub denorms_f64: bool,
    /// The device's products of matrices: exact if a probe found it or they are of integers.
    pub matrix_products: Vec<NativeProduct>,
    /// A shader reads the process's own memory at host addresses.
    pub host_addresses: bool,
    /// Log lines: capabilities raised above the capability bits, and probes that failed.
    pub notes: Vec<String>,
}

impl Probes {
    /// Adds the log line of a probe that failed.
    pub(crate) fn fail(&mut self, what: &str, error: &dyn std::fmt::Display) {
        self.notes.push(format!("{what}: {error}"));
    }
}
