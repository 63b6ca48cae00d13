//! Devices that take denormals of single or double precision for zeros.

use super::Options;
use super::lanes::Lanes;
use pumice_ir::{ConvertOp, InstKind, Scalar};

/// The treatment of denormals by one instruction, among its operands and results.
#[derive(Clone, Copy, Debug)]
pub(super) struct Denormals {
    singles: bool,
    doubles: bool,
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
            singles: options.flush_denormals && computes,
            doubles: options.flush_doubles && computes,
        }
    }

    /// Makes zeros of their sign of the denormals among values of a type.
    pub fn flush(self, scalar: Scalar, lanes: &mut Lanes) {
        let (exponent, sign) = match scalar {
            Scalar::F32 if self.singles => (0x7f80_0000, 0x8000_0000),
            Scalar::F64 if self.doubles => (0x7ff << 52, 1 << 63),
            _ => return,
        };
        for lane in lanes.iter_mut().filter(|lane| **lane & exponent == 0) {
            *lane &= sign;
        }
    }
}
