//! Images and samplers as arguments of kernel files, in OpenCL's names and numbers.

use crate::Scalar;

/// Dimensionality of an image, by the name of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    /// A row of pixels.
    Image1d,
    /// Rows of pixels.
    Image1dArray,
    /// A row of pixels in a buffer.
    Image1dBuffer,
    /// A plane of pixels.
    Image2d,
    /// Planes of pixels.
    Image2dArray,
    /// A box of pixels.
    Image3d,
}

const KINDS: [(&str, ImageKind, usize); 6] = [
    ("image1d", ImageKind::Image1d, 1),
    ("image1d_array", ImageKind::Image1dArray, 2),
    ("image1d_buffer", ImageKind::Image1dBuffer, 1),
    ("image2d", ImageKind::Image2d, 2),
    ("image2d_array", ImageKind::Image2dArray, 3),
    ("image3d", ImageKind::Image3d, 3),
];

/// Channel orders: the name without `CL_`, the `cl_channel_order` and the number of channels.
const ORDERS: [(&str, u32, usize); 10] = [
    ("R", 0x10B0, 1),
    ("A", 0x10B1, 1),
    ("RG", 0x10B2, 2),
    ("RA", 0x10B3, 2),
    ("RGBA", 0x10B5, 4),
    ("BGRA", 0x10B6, 4),
    ("ARGB", 0x10B7, 4),
    ("INTENSITY", 0x10B8, 1),
    ("LUMINANCE", 0x10B9, 1),
    ("ABGR", 0x10C3, 4),
];

/// Channel types: the name without `CL_`, the `cl_channel_type` and the type of the bits.
const TYPES: [(&str, u32, Scalar); 12] = [
    ("SNORM_INT8", 0x10D0, Scalar::I8),
    ("SNORM_INT16", 0x10D1, Scalar::I16),
    ("UNORM_INT8", 0x10D2, Scalar::U8),
    ("UNORM_INT16", 0x10D3, Scalar::U16),
    ("SIGNED_INT8", 0x10D7, Scalar::I8),
    ("SIGNED_INT16", 0x10D8, Scalar::I16),
    ("SIGNED_INT32", 0x10D9, Scalar::I32),
    ("UNSIGNED_INT8", 0x10DA, Scalar::U8),
    ("UNSIGNED_INT16", 0x10DB, Scalar::U16),
    ("UNSIGNED_INT32", 0x10DC, Scalar::U32),
    ("HALF_FLOAT", 0x10DD, Scalar::F16),
    ("FLOAT", 0x10DE, Scalar::F32),
];

/// Addressing modes: the name without `CL_ADDRESS_`, the `cl_addressing_mode` and the bits of `CLK_ADDRESS_*`.
const ADDRESSING: [(&str, u32, u32); 5] = [
    ("NONE", 0x1130, 0),
    ("CLAMP_TO_EDGE", 0x1131, 2),
    ("CLAMP", 0x1132, 4),
    ("REPEAT", 0x1133, 6),
    ("MIRRORED_REPEAT", 0x1134, 8),
];

/// Filters: the name without `CL_FILTER_`, the `cl_filter_mode` and the bits of `CLK_FILTER_*`.
const FILTERS: [(&str, u32, u32); 2] = [("NEAREST", 0x1140, 0x10), ("LINEAR", 0x1141, 0x20)];

/// The row of a table with a name.
fn named<'t, N, T>(rows: &'t [(&str, N, T)], name: &str) -> Option<&'t (&'t str, N, T)> {
    rows.iter().find(|row| row.0 == name)
}

/// The row of a table with a number.
fn numbered<'t, T>(rows: &'t [(&str, u32, T)], number: u32) -> Option<&'t (&'t str, u32, T)> {
    rows.iter().find(|row| row.1 == number)
}

/// An image without its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// Dimensionality.
    pub kind: ImageKind,
    /// Width, then height and depth or layers; 1 where it has none.
    pub size: [u32; 3],
    /// `cl_channel_order`.
    pub order: u32,
    /// `cl_channel_type`.
    pub data_type: u32,
}

impl Image {
    /// Reads an image's type, its sizes with `x` between them, its channel order and type: `image2d 4x3 RGBA FLOAT`.
    ///
    /// # Errors
    /// The word that names nothing.
    pub fn parse([kind, sizes, order, data_type]: [&str; 4]) -> Result<Image, String> {
        let unknown = |word: &str| format!("{word:?} is nothing of an image");
        let &(_, kind, count) = named(&KINDS, kind).ok_or_else(|| unknown(kind))?;
        let parsed: Result<Vec<u32>, _> = sizes.split('x').map(str::parse).collect();
        let parsed = parsed.map_err(|_| unknown(sizes))?;
        if parsed.len() != count || parsed.contains(&0) {
            return Err(format!("{sizes:?}: the image has {count} sizes"));
        }
        let mut size = [1; 3];
        size[..count].copy_from_slice(&parsed);
        Ok(Image {
            kind,
            size,
            order: named(&ORDERS, order).ok_or_else(|| unknown(order))?.1,
            data_type: named(&TYPES, data_type)
                .ok_or_else(|| unknown(data_type))?
                .1,
        })
    }

    /// Returns whether a word names an image's type.
    pub fn is_kind(word: &str) -> bool {
        named(&KINDS, word).is_some()
    }

    /// The type of a channel's bits.
    pub fn scalar(&self) -> Scalar {
        numbered(&TYPES, self.data_type).map_or(Scalar::U8, |row| row.2)
    }

    /// Bytes of a pixel.
    pub fn pixel_bytes(&self) -> usize {
        let channels = numbered(&ORDERS, self.order).map_or(1, |row| row.2);
        channels * self.scalar().bytes()
    }

    /// Bytes of all pixels, row after row without gaps.
    pub fn bytes(&self) -> usize {
        let pixels: usize = self.size.iter().map(|&n| n as usize).product();
        pixels * self.pixel_bytes()
    }

    /// The format's name, for messages.
    pub fn format_name(&self) -> String {
        let order = numbered(&ORDERS, self.order).map_or("?", |row| row.0);
        let data_type = numbered(&TYPES, self.data_type).map_or("?", |row| row.0);
        format!("{order} {data_type}")
    }
}

/// A sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampler {
    /// Coordinates go from 0 to 1.
    pub normalized: bool,
    /// `cl_addressing_mode`.
    pub addressing: u32,
    /// `cl_filter_mode`.
    pub filter: u32,
}

impl Sampler {
    /// Reads a sampler: `CLAMP_TO_EDGE NEAREST`, with `NORMALIZED` behind where coordinates are.
    ///
    /// # Errors
    /// The words that name nothing.
    pub fn parse(words: &[&str]) -> Result<Sampler, String> {
        let unknown = || format!("{words:?} is no sampler");
        let (addressing, filter, normalized) = match *words {
            [addressing, filter] => (addressing, filter, false),
            [addressing, filter, "NORMALIZED"] => (addressing, filter, true),
            _ => return Err(unknown()),
        };
        let number = |rows: &[(&str, u32, u32)], word: &str| {
            named(rows, word).map(|row| row.1).ok_or_else(unknown)
        };
        Ok(Sampler {
            normalized,
            addressing: number(&ADDRESSING, addressing)?,
            filter: number(&FILTERS, filter)?,
        })
    }

    /// The sum of OpenCL C's constants that make it.
    pub fn mask(&self) -> u32 {
        let bits = |rows, number| numbered(rows, number).map_or(0, |row: &(_, _, u32)| row.2);
        u32::from(self.normalized)
            | bits(&ADDRESSING, self.addressing)
            | bits(&FILTERS, self.filter)
    }
}

#[cfg(test)]
mod tests {
    use super::{Image, ImageKind, Sampler};
    use crate::Scalar;

    #[test]
    fn images_are_read() {
        let image = Image::parse(["image2d_array", "4x3x2", "RG", "HALF_FLOAT"]).unwrap();
        assert_eq!(image.kind, ImageKind::Image2dArray);
        assert_eq!((image.size, image.order), ([4, 3, 2], 0x10B2));
        assert_eq!((image.scalar(), image.bytes()), (Scalar::F16, 96));
        assert_eq!(image.format_name(), "RG HALF_FLOAT");
        for words in [
            ["image2d", "4", "R", "FLOAT"],
            ["image1d", "0", "R", "FLOAT"],
            ["image1d", "4", "Q", "FLOAT"],
            ["image1d", "4", "R", "DOUBLE"],
        ] {
            assert!(Image::parse(words).is_err(), "{words:?}");
        }
    }

    #[test]
    fn samplers_are_read() {
        let sampler = Sampler::parse(&["MIRRORED_REPEAT", "NEAREST", "NORMALIZED"]).unwrap();
        assert_eq!((sampler.addressing, sampler.filter), (0x1134, 0x1140));
        assert_eq!(sampler.mask(), 0x19);
        assert!(Sampler::parse(&["CLAMP"]).is_err());
        assert!(Sampler::parse(&["CLAMP", "NEAREST", "NORMAL"]).is_err());
    }
}
