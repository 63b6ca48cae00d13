//! Conversions of values.

use serde::{Deserialize, Serialize};
/// Conversions between types of equal lane count (`Bitcast`: of equal total bits).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ConvertOp {
    /// Integer to narrower integer, dropping high bits.
    Trunc,
    /// Integer to wider integer, zero-extended; from Bool: 0 or 1.
    ZExt,
    /// Integer to wider integer, sign-extended; from Bool: 0 or -1.
    SExt,
    /// Integer to integer with signed source and signed saturation.
    SatSToS,
    /// Integer to integer with signed source and unsigned saturation.
    SatSToU,
    /// Integer to integer with unsigned source and signed saturation.
    SatUToS,
    /// Integer to integer with unsigned source and unsigned saturation.
    SatUToU,
    /// Float to signed integer (default rounding: toward zero).
    FToS,
    /// Float to unsigned integer (default rounding: toward zero).
    FToU,
    /// Float to signed integer, saturating, NaN gives 0.
    FToSSat,
    /// Float to unsigned integer, saturating, NaN gives 0.
    FToUSat,
    /// Signed integer to float (default rounding: to nearest even).
    SToF,
    /// Unsigned integer to float (default rounding: to nearest even).
    UToF,
    /// Float to float of another width (default rounding: to nearest even).
    FToF,
    /// Same bits, other type; lane counts may differ.
    Bitcast,
    /// Pointer to I64, or its two words, low first: the value that the pointer has in memory.
    PtrToInt,
    /// I64, or its two words, to pointer.
    IntToPtr,
    /// Pointer to a pointer in another address space.
    AddressSpaceCast,
}
