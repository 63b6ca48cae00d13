//! Devices that take single-precision denormals for zeros.

use super::Options;
use super::lanes::Lanes;
use pumice_ir::{ConvertOp, InstKind, Scalar};

/// The treatment of denormals by one instruction, among its operands and results.
#[derive(Clone, Copy, Debug)]
pub(super) struct Denormals {
    flushed: bool,
}

impl Denormals {
    /// Arithmetic flushes where the options say so; moving, selecting and bitcasting never do.
    pub fn of(options: &Options, kind: &InstKind) -> Self {
        let computes = match kind {
            InstKind::Convert { op, .. } => *op != ConvertOp::Bitcast,
            InstKind::Unary { .. }
            | InstKind::Binary { .. }
            | InstKind::FCmp { .. }
            | InstKind::Math { .. } => true,
            _ => false,
        };
        Self {
            flushed: options.flush_denormals && computes,
        }
    }

    /// Makes zeros of their sign of the denormals among values of a type.
    pub fn flush(self, scalar: Scalar, lanes: &mut Lanes) {
        if self.flushed && scalar == Scalar::F32 {
            for lane in lanes.iter_mut().filter(|lane| **lane & 0x7f80_0000 == 0) {
                *lane &= 0x8000_0000;
            }
        }
    }
}
