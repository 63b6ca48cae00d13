//! Pixels: the bits of channels and the four lanes that kernels see (section 8.3 of the specification).

use super::ErrorKind;
use super::eval::signed;
use super::half::{f16_to_f64, f64_to_f16};
use super::lanes::Lanes;
use pumice_ir::{Scalar, Texel};
use pumice_target::image::{channel_order, channel_type};

/// The orders without alpha by their distance from CL_R: R, RG, RGB, LUMINANCE and DEPTH.
const OPAQUE: u32 = 1 << 0 | 1 << 2 | 1 << 4 | 1 << 9 | 1 << 13;

/// The meaning of a channel's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    /// Signed, 1 is the largest number.
    Snorm,
    /// Unsigned, 1 is the largest number.
    Unorm,
    Signed,
    Unsigned,
    Float,
}

/// A pixel's form in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    order: u32,
    number: Number,
    /// The type of a channel's bits.
    scalar: Scalar,
    /// The lane of each channel in memory's order.
    lanes: &'static [usize],
}

fn lanes_of_order(order: u32) -> Option<&'static [usize]> {
    Some(match order {
        channel_order::R | channel_order::INTENSITY | channel_order::LUMINANCE => &[0],
        channel_order::A => &[3],
        channel_order::RG => &[0, 1],
        channel_order::RA => &[0, 3],
        channel_order::RGBA => &[0, 1, 2, 3],
        channel_order::BGRA => &[2, 1, 0, 3],
        channel_order::ARGB => &[3, 0, 1, 2],
        channel_order::ABGR => &[3, 2, 1, 0],
        _ => return None,
    })
}

impl Format {
    /// The format of a `cl_channel_order` and a `cl_channel_type`; `None` for those that are not known here.
    pub fn of(order: u32, data_type: u32) -> Option<Self> {
        let (number, scalar) = match data_type {
            channel_type::SNORM_INT8 => (Number::Snorm, Scalar::I8),
            channel_type::SNORM_INT16 => (Number::Snorm, Scalar::I16),
            channel_type::UNORM_INT8 => (Number::Unorm, Scalar::I8),
            channel_type::UNORM_INT16 => (Number::Unorm, Scalar::I16),
            channel_type::SIGNED_INT8 => (Number::Signed, Scalar::I8),
            channel_type::SIGNED_INT16 => (Number::Signed, Scalar::I16),
            channel_type::SIGNED_INT32 => (Number::Signed, Scalar::I32),
            channel_type::UNSIGNED_INT8 => (Number::Unsigned, Scalar::I8),
            channel_type::UNSIGNED_INT16 => (Number::Unsigned, Scalar::I16),
            channel_type::UNSIGNED_INT32 => (Number::Unsigned, Scalar::I32),
            channel_type::HALF_FLOAT => (Number::Float, Scalar::F16),
            channel_type::FLOAT => (Number::Float, Scalar::F32),
            _ => return None,
        };
        let lanes = lanes_of_order(order)?;
        Some(Self {
            order,
            number,
            scalar,
            lanes,
        })
    }

    /// Bytes of a pixel.
    pub fn bytes(&self) -> u64 {
        self.lanes.len() as u64 * u64::from(self.scalar.bytes())
    }

    /// Refuses functions of another class of numbers: their results are undefined.
    pub fn check(&self, texel: Texel) -> Result<(), ErrorKind> {
        let own = match self.number {
            Number::Signed => Texel::Signed,
            Number::Unsigned => Texel::Unsigned,
            Number::Snorm | Number::Unorm | Number::Float => Texel::Float,
        };
        match own == texel {
            true => Ok(()),
            false => Err(ErrorKind::Unsupported(format!(
                "{texel:?} numbers of an image of {own:?} ones"
            ))),
        }
    }

    fn one(&self) -> u64 {
        match self.number {
            Number::Signed | Number::Unsigned => 1,
            _ => u64::from(1f32.to_bits()),
        }
    }

    /// The four lanes of a pixel in memory.
    pub fn read(&self, bytes: &[u8]) -> Lanes {
        let mut pixel = Lanes::from_slice(&[0, 0, 0, self.one()]);
        for (&lane, channel) in (self.lanes.iter()).zip(bytes.chunks(self.scalar.bytes() as usize))
        {
            let bits = (channel.iter().rev()).fold(0, |bits, byte| bits << 8 | u64::from(*byte));
            pixel[lane] = self.lane(bits);
        }
        let first = pixel[0];
        match self.order {
            channel_order::INTENSITY => pixel.fill(first),
            channel_order::LUMINANCE => pixel[..3].fill(first),
            _ => {}
        }
        pixel
    }

    /// The colour outside of an image for samplers that clamp to the border.
    pub fn border(&self) -> Lanes {
        let opaque = OPAQUE >> (self.order - channel_order::R) & 1 != 0;
        Lanes::from_slice(&[0, 0, 0, if opaque { self.one() } else { 0 }])
    }

    /// The bytes of a pixel, of its four lanes.
    pub fn write(&self, pixel: &[u64]) -> Vec<u8> {
        let width = self.scalar.bytes() as usize;
        let channels = self.lanes.iter();
        channels
            .flat_map(|&lane| self.bits(pixel[lane]).to_le_bytes()[..width].to_vec())
            .collect()
    }

    /// The largest number of a channel.
    fn most(&self) -> f32 {
        let bits = self.scalar.bits() - u32::from(self.number == Number::Snorm);
        ((1u32 << bits) - 1) as f32
    }

    fn lane(&self, bits: u64) -> u64 {
        let float = |value: f32| u64::from(value.to_bits());
        match self.number {
            Number::Snorm => float((signed(self.scalar, bits) as f32 / self.most()).max(-1.0)),
            Number::Unorm => float(bits as f32 / self.most()),
            Number::Signed => signed(self.scalar, bits) as u64 & 0xffff_ffff,
            Number::Unsigned => bits,
            Number::Float if self.scalar == Scalar::F16 => float(f16_to_f64(bits as u16) as f32),
            Number::Float => bits,
        }
    }

    fn bits(&self, lane: u64) -> u64 {
        let float = f32::from_bits(lane as u32);
        let most = i64::from(u32::MAX >> (32 - self.scalar.bits()));
        match self.number {
            // NaN becomes 0.
            Number::Snorm | Number::Unorm => {
                let least = if self.number == Number::Snorm {
                    -1.0
                } else {
                    0.0
                };
                // The most negative number is not written: -1 is the one above it.
                let scaled = float.clamp(least, 1.0) * self.most();
                scaled.round_ties_even() as i64 as u64
            }
            Number::Signed => signed(Scalar::I32, lane).clamp(-(most / 2) - 1, most / 2) as u64,
            Number::Unsigned => lane.min(most as u64),
            Number::Float if self.scalar == Scalar::F16 => u64::from(f64_to_f16(f64::from(float))),
            Number::Float => lane,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Format;
    use pumice_ir::Texel;
    use pumice_target::image::{channel_order, channel_type};

    fn floats(lanes: [f32; 4]) -> [u64; 4] {
        lanes.map(|lane| u64::from(lane.to_bits()))
    }

    #[test]
    fn orders_place_channels() {
        let of = |order| Format::of(order, channel_type::UNSIGNED_INT8).unwrap();
        assert_eq!(
            of(channel_order::BGRA).read(&[1, 2, 3, 4])[..],
            [3, 2, 1, 4]
        );
        assert_eq!(of(channel_order::ARGB).write(&[1, 2, 3, 4]), [4, 1, 2, 3]);
        assert_eq!(of(channel_order::RG).read(&[1, 2])[..], [1, 2, 0, 1]);
        assert_eq!(of(channel_order::A).read(&[7])[..], [0, 0, 0, 7]);
        assert_eq!(of(channel_order::LUMINANCE).read(&[7])[..], [7, 7, 7, 1]);
        assert_eq!(of(channel_order::R).border()[..], [0, 0, 0, 1]);
        assert_eq!(of(channel_order::RGBA).border()[..], [0, 0, 0, 0]);
    }

    #[test]
    fn numbers_saturate_and_round() {
        let written = |data_type, lane: u64| {
            Format::of(channel_order::R, data_type)
                .unwrap()
                .write(&[lane])
        };
        assert_eq!(written(channel_type::SIGNED_INT8, 200), [127]);
        assert_eq!(
            written(channel_type::SIGNED_INT8, -200i32 as u32 as u64),
            [128]
        );
        assert_eq!(written(channel_type::UNSIGNED_INT8, 300), [255]);
        assert_eq!(written(channel_type::UNSIGNED_INT32, 0xffff_ffff), [255; 4]);
        let float = |value: f32| u64::from(value.to_bits());
        assert_eq!(written(channel_type::UNORM_INT8, float(2.0)), [255]);
        assert_eq!(written(channel_type::UNORM_INT8, float(f32::NAN)), [0]);
        assert_eq!(written(channel_type::UNORM_INT8, float(0.5)), [128]);
        assert_eq!(written(channel_type::SNORM_INT8, float(-1.0)), [129]);
        assert_eq!(written(channel_type::HALF_FLOAT, float(1.0)), [0, 0x3c]);
    }

    #[test]
    fn normalized_numbers_reach_one() {
        let read =
            |data_type, bytes: &[u8]| Format::of(channel_order::R, data_type).unwrap().read(bytes);
        assert_eq!(
            read(channel_type::UNORM_INT8, &[255])[..],
            floats([1.0, 0.0, 0.0, 1.0])
        );
        assert_eq!(
            read(channel_type::SNORM_INT8, &[128])[..],
            floats([-1.0, 0.0, 0.0, 1.0])
        );
        assert_eq!(
            read(channel_type::UNORM_INT16, &[255, 255])[..],
            floats([1.0, 0.0, 0.0, 1.0])
        );
        assert!(
            Format::of(channel_order::R, channel_type::UNORM_INT8)
                .unwrap()
                .check(Texel::Float)
                .is_ok()
        );
        assert!(
            Format::of(channel_order::R, channel_type::UNORM_INT8)
                .unwrap()
                .check(Texel::Signed)
                .is_err()
        );
    }
}
