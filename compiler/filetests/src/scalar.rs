//! Scalar types of OpenCL C as directives name them, and the bytes of their numbers.

use pumice_numerics::{half_from_f64, half_to_f64};

/// A scalar type of buffer elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// char
    I8,
    /// uchar
    U8,
    /// short
    I16,
    /// ushort
    U16,
    /// int
    I32,
    /// uint
    U32,
    /// long
    I64,
    /// ulong
    U64,
    /// half
    F16,
    /// float
    F32,
    /// double
    F64,
}

impl Scalar {
    /// The types with their names.
    const NAMES: [(&'static str, Scalar); 11] = [
        ("char", Scalar::I8),
        ("uchar", Scalar::U8),
        ("short", Scalar::I16),
        ("ushort", Scalar::U16),
        ("int", Scalar::I32),
        ("uint", Scalar::U32),
        ("long", Scalar::I64),
        ("ulong", Scalar::U64),
        ("half", Scalar::F16),
        ("float", Scalar::F32),
        ("double", Scalar::F64),
    ];

    fn from_name(name: &str) -> Option<Scalar> {
        let row = Self::NAMES.iter().find(|(known, _)| *known == name);
        row.map(|&(_, scalar)| scalar)
    }

    /// The type's name in OpenCL C.
    pub fn name(self) -> &'static str {
        let row = Self::NAMES.iter().find(|(_, scalar)| *scalar == self);
        row.map_or("", |&(name, _)| name)
    }

    /// Splits a type's name, `float4` for example, into its scalar and its lanes.
    ///
    /// # Errors
    /// A name that is none of OpenCL C's numbers.
    pub fn parse_type(name: &str) -> Result<(Scalar, usize), String> {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let unknown = || format!("unknown type {name:?}");
        let scalar = Scalar::from_name(stem).ok_or_else(unknown)?;
        let lanes = match &name[stem.len()..] {
            "" => 1,
            digits => digits.parse().map_err(|_| unknown())?,
        };
        Ok((scalar, lanes))
    }

    /// Size in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 | Scalar::F16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// The little-endian bytes of a number as written. `0x` begins the bits of any type.
    ///
    /// # Errors
    /// Text that is no number of this type.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, String> {
        let bad = || format!("{text:?} is no {self:?}");
        let bits: u64 = match (self, text.strip_prefix("0x")) {
            (_, Some(hex)) => u64::from_str_radix(hex, 16).map_err(|_| bad())?,
            (Scalar::F16, None) => {
                u64::from(half_from_f64(text.parse::<f64>().map_err(|_| bad())?))
            }
            (Scalar::F32, None) => u64::from(text.parse::<f32>().map_err(|_| bad())?.to_bits()),
            (Scalar::F64, None) => text.parse::<f64>().map_err(|_| bad())?.to_bits(),
            (_, None) if text.starts_with('-') => text.parse::<i64>().map_err(|_| bad())? as u64,
            (_, None) => text.parse::<u64>().map_err(|_| bad())?,
        };
        Ok(bits.to_le_bytes()[..self.bytes()].to_vec())
    }

    fn bits(bytes: &[u8]) -> u64 {
        let mut word = [0u8; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    }

    /// The number in a failure's message, with its bits where these say more.
    pub fn show(self, bytes: &[u8]) -> String {
        let bits = Self::bits(bytes);
        match self {
            Scalar::I8 => (bits as i8).to_string(),
            Scalar::I16 => (bits as i16).to_string(),
            Scalar::I32 => (bits as i32).to_string(),
            Scalar::I64 => (bits as i64).to_string(),
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => bits.to_string(),
            Scalar::F16 => format!("{:?} ({bits:#06x})", half_to_f64(bits as u16)),
            Scalar::F32 => format!("{:?} ({bits:#010x})", f32::from_bits(bits as u32)),
            Scalar::F64 => format!("{:?} ({bits:#018x})", f64::from_bits(bits)),
        }
    }

    /// The value of a float; `None` for integers.
    pub fn value(self, bytes: &[u8]) -> Option<f64> {
        let bits = Self::bits(bytes);
        match self {
            Scalar::F16 => Some(half_to_f64(bits as u16)),
            Scalar::F32 => Some(f64::from(f32::from_bits(bits as u32))),
            Scalar::F64 => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// One unit in the last place of `value`.
    pub fn ulp(self, value: f64) -> f64 {
        let (mantissa, least) = match self {
            Scalar::F16 => (10, -14),
            Scalar::F32 => (23, -126),
            _ => (52, -1022),
        };
        let exponent = if value == 0.0 {
            least
        } else {
            (value.abs().log2().floor() as i32).max(least)
        };
        2f64.powi(exponent - mantissa)
    }
}
