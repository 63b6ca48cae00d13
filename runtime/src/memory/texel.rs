//! From a colour to the bits of a texel (clEnqueueFillImage).

use pumice_numerics::half_from_f64;

use crate::device::format::{Class, ImageFormat, Packing};

/// A colour's four components as the application gave them: bits of floats, ints or uints,
/// depending on the format.
pub type Color = [u32; 4];

/// The bytes of a texel of that colour, or of a group of them.
pub fn pack(format: &ImageFormat, color: Color) -> Vec<u8> {
    match format.packing {
        Packing::Raw(bits) => return raw_group(bits, color[0].min((1 << bits) - 1)),
        Packing::Yuv(places) => return yuv_group(places, color),
        Packing::Native | Packing::High(_) => {}
    }
    let mut bits = 0_u128;
    let mut at = 0;
    for &(width, component) in format.channels {
        if let Some(component) = component {
            let used = match format.packing {
                Packing::High(used) => used,
                _ => width,
            };
            let value = channel(format.class, used, color[component], component);
            bits |= u128::from(value) << (at + width - used);
        }
        at += width;
    }
    bits.to_le_bytes()[..format.texel_size()].to_vec()
}

/// A group of texels of `bits` bits that hold one value.
fn raw_group(bits: u32, value: u32) -> Vec<u8> {
    let low = bits - 8;
    let count = 8 / low;
    let mut bytes = vec![(value >> low) as u8; count as usize];
    let rest = value & ((1 << low) - 1);
    bytes.push((0..count).fold(0, |byte, n| byte | rest << (n * low)) as u8);
    bytes
}

/// Two texels of packed YUV of one colour: V, Y and U.
fn yuv_group(places: u32, color: Color) -> Vec<u8> {
    let [v, y, u, _] = color.map(|raw| channel(Class::Unorm, 8, raw, 0) as u8);
    let place = |digit: u32| (places >> (4 * digit) & 15) as usize;
    let mut bytes = vec![0; 4];
    (bytes[place(0)], bytes[place(0) + 2]) = (y, y);
    (bytes[place(1)], bytes[place(2)]) = (u, v);
    bytes
}

fn channel(class: Class, width: u32, raw: u32, component: usize) -> u32 {
    let mask = u32::MAX >> (32 - width);
    let float = || f64::from(f32::from_bits(raw));
    match class {
        Class::Unorm => scaled(float(), 0.0, mask) as u32,
        Class::Snorm => scaled(float(), -1.0, mask >> 1) as u32 & mask,
        Class::Srgb if component < 3 => scaled(srgb(float()), 0.0, mask) as u32,
        Class::Srgb => scaled(float(), 0.0, mask) as u32,
        Class::Sint => {
            let most = (mask >> 1) as i32;
            (raw as i32).clamp(-most - 1, most) as u32 & mask
        }
        Class::Uint => raw.min(mask),
        Class::Float if width == 16 => u32::from(half_from_f64(float())),
        Class::Float => raw,
    }
}

/// A number between `least` and 1 as a multiple of 1/`one`, ties to even; NaN is 0.
fn scaled(value: f64, least: f64, one: u32) -> i64 {
    if value.is_nan() {
        return 0;
    }
    (value.clamp(least, 1.0) * f64::from(one)).round_ties_even() as i64
}

/// sRGB's curve, from linear light.
fn srgb(linear: f64) -> f64 {
    if linear.is_nan() || linear <= 0.0 {
        0.0
    } else if linear < 0.003_130_8 {
        12.92 * linear
    } else {
        1.055 * linear.min(1.0).powf(1.0 / 2.4) - 0.055
    }
}

#[cfg(test)]
mod tests {
    use opencl_sys as cl;

    use super::pack;
    use crate::device::format::find;

    fn floats(order: u32, data_type: u32, color: [f32; 4]) -> Vec<u8> {
        pack(find(order, data_type).unwrap(), color.map(f32::to_bits))
    }

    #[test]
    fn colours_become_texels() {
        let color = [0.0, 0.5, 1.0, 2.0];
        assert_eq!(
            floats(cl::CL_RGBA, cl::CL_UNORM_INT8, color),
            [0, 128, 255, 255]
        );
        assert_eq!(
            floats(cl::CL_BGRA, cl::CL_UNORM_INT8, color),
            [255, 128, 0, 255]
        );
        assert_eq!(floats(cl::CL_A, cl::CL_UNORM_INT8, color), [255]);
        let signed = [-1.0, -2.0, 0.25, f32::NAN];
        assert_eq!(
            floats(cl::CL_RGBA, cl::CL_SNORM_INT8, signed),
            [0x81, 0x81, 32, 0]
        );
        assert_eq!(
            floats(cl::CL_R, cl::CL_HALF_FLOAT, [1.5; 4]),
            0x3e00_u16.to_le_bytes()
        );
        let packed = floats(cl::CL_RGB, cl::CL_UNORM_SHORT_565, [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(packed, 0xf800_u16.to_le_bytes());
        let srgb = floats(cl::CL_sRGBA, cl::CL_UNORM_INT8, [0.5, 0.0, 1.0, 0.5]);
        assert_eq!(srgb, [188, 0, 255, 128]);
        let format = find(cl::CL_RGBA, cl::CL_SIGNED_INT8).unwrap();
        let ints = [-1, -200, 200, 5].map(|n: i32| n as u32);
        assert_eq!(pack(format, ints), [0xff, 0x80, 0x7f, 5]);
        let unorm = floats(cl::CL_RG, cl::CL_UNORM_INT10X6_EXT, [1.0, 0.25, 0.0, 0.0]);
        assert_eq!(unorm, [0xc0, 0xff, 0x00, 0x40]);
        let ints = |data_type, value| pack(find(cl::CL_R, data_type).unwrap(), [value; 4]);
        assert_eq!(ints(cl::CL_UNSIGNED_INT14X2_EXT, 0x1234), [0xd0, 0x48]);
        let raw10 = ints(cl::CL_UNSIGNED_INT_RAW10_EXT, 0x2a6);
        assert_eq!(raw10, [0xa9, 0xa9, 0xa9, 0xa9, 0b10101010]);
        let raw12 = ints(cl::CL_UNSIGNED_INT_RAW12_EXT, 5000);
        assert_eq!(raw12, [0xff, 0xff, 0xff]);
        let color = [0.0, 0.2, 1.0, 0.0];
        let yuv = |order| floats(order, cl::CL_UNORM_INT8, color);
        assert_eq!(yuv(cl::CL_YUYV_INTEL), [51, 255, 51, 0]);
        assert_eq!(yuv(cl::CL_UYVY_INTEL), [255, 51, 0, 51]);
        assert_eq!(yuv(cl::CL_YVYU_INTEL), [51, 0, 51, 255]);
        assert_eq!(yuv(cl::CL_VYUY_INTEL), [0, 51, 255, 51]);
        let format = find(cl::CL_RG, cl::CL_UNSIGNED_INT32).unwrap();
        assert_eq!(pack(format, [1, 2, 3, 4]), [1, 0, 0, 0, 2, 0, 0, 0]);
    }
}
