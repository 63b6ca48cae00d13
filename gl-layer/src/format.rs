//! The one list of formats of textures and renderbuffers that OpenCL has images of (OpenCL 3.1 API, table "OpenGL
//! internal formats and corresponding OpenCL internal formats").

/// The channels of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channels {
    /// Red.
    R,
    /// Red and green.
    Rg,
    /// Red, green, blue and alpha.
    Rgba,
    /// The same with sRGB's curve on the colours.
    SrgbAlpha,
    /// A depth.
    Depth,
    /// A depth beside a stencil value that is not looked at.
    DepthStencil,
}

/// The numbers in a channel, of so many bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// 0 to 1.
    Unorm8,
    /// 0 to 1.
    Unorm16,
    /// 0 to 1.
    Unorm24,
    /// -1 to 1.
    Snorm8,
    /// -1 to 1.
    Snorm16,
    /// Signed integers.
    Sint8,
    /// Signed integers.
    Sint16,
    /// Signed integers.
    Sint32,
    /// Unsigned integers.
    Uint8,
    /// Unsigned integers.
    Uint16,
    /// Unsigned integers.
    Uint32,
    /// Floats of 16 bits.
    Half,
    /// Floats of 32 bits.
    Float,
}

/// The numbers that shaders see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Floats, normalised numbers among them.
    Floats,
    /// Signed integers.
    Signed,
    /// Unsigned integers.
    Unsigned,
}

/// A format.
#[derive(Debug, PartialEq, Eq)]
pub struct TextureFormat {
    /// The sized internal format.
    pub internal: u32,
    /// The channels.
    pub channels: Channels,
    /// Their numbers.
    pub numbers: Numbers,
}

macro_rules! formats {
    ($($internal:literal $channels:ident $numbers:ident;)*) => {
        /// Every format.
        pub const FORMATS: &[TextureFormat] = &[$(TextureFormat {
            internal: $internal,
            channels: Channels::$channels,
            numbers: Numbers::$numbers,
        },)*];
    };
}

formats! {
    // GL_RGBA8, GL_SRGB8_ALPHA8
    0x8058 Rgba Unorm8;
    0x8C43 SrgbAlpha Unorm8;
    // GL_RGBA{8,16,32}I, GL_RGBA{8,16,32}UI
    0x8D8E Rgba Sint8;
    0x8D88 Rgba Sint16;
    0x8D82 Rgba Sint32;
    0x8D7C Rgba Uint8;
    0x8D76 Rgba Uint16;
    0x8D70 Rgba Uint32;
    // GL_RGBA8_SNORM, GL_RGBA16, GL_RGBA16_SNORM, GL_RGBA16F, GL_RGBA32F
    0x8F97 Rgba Snorm8;
    0x805B Rgba Unorm16;
    0x8F9B Rgba Snorm16;
    0x881A Rgba Half;
    0x8814 Rgba Float;
    // GL_R8, GL_R8_SNORM, GL_R16, GL_R16_SNORM, GL_R16F, GL_R32F
    0x8229 R Unorm8;
    0x8F94 R Snorm8;
    0x822A R Unorm16;
    0x8F98 R Snorm16;
    0x822D R Half;
    0x822E R Float;
    // GL_R{8,16,32}I, GL_R{8,16,32}UI
    0x8231 R Sint8;
    0x8233 R Sint16;
    0x8235 R Sint32;
    0x8232 R Uint8;
    0x8234 R Uint16;
    0x8236 R Uint32;
    // GL_RG8, GL_RG8_SNORM, GL_RG16, GL_RG16_SNORM, GL_RG16F, GL_RG32F
    0x822B Rg Unorm8;
    0x8F95 Rg Snorm8;
    0x822C Rg Unorm16;
    0x8F99 Rg Snorm16;
    0x822F Rg Half;
    0x8230 Rg Float;
    // GL_RG{8,16,32}I, GL_RG{8,16,32}UI
    0x8237 Rg Sint8;
    0x8239 Rg Sint16;
    0x823B Rg Sint32;
    0x8238 Rg Uint8;
    0x823A Rg Uint16;
    0x823C Rg Uint32;
    // GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT16, GL_DEPTH24_STENCIL8, GL_DEPTH32F_STENCIL8
    0x8CAC Depth Float;
    0x81A5 Depth Unorm16;
    0x88F0 DepthStencil Unorm24;
    0x8CAD DepthStencil Float;
}

/// GL_RGBA, which names no sizes.
const RGBA: u32 = 0x1908;
/// GL_RED.
const RED: u32 = 0x1903;
/// GL_R32F.
const R32F: u32 = 0x822E;
/// GL_BGRA.
const BGRA: u32 = 0x80E1;
/// The number of components, an internal format of OpenGL 1.0.
const FOUR: u32 = 4;
/// GL_UNSIGNED_NORMALIZED.
const UNSIGNED_NORMALIZED: i32 = 0x8C17;
/// GL_SIGNED_NORMALIZED.
const SIGNED_NORMALIZED: i32 = 0x8F9C;
/// GL_FLOAT.
const FLOAT: i32 = 0x1406;
/// GL_INT.
const INT: i32 = 0x1404;
/// GL_UNSIGNED_INT.
const UNSIGNED_INT: i32 = 0x1405;

impl TextureFormat {
    /// The format of an internal format. One without sizes is that of its red and alpha channels' bits.
    pub(crate) fn find(internal: u32, [red, alpha]: [i32; 2]) -> Option<&'static TextureFormat> {
        let sized = match internal {
            RGBA | BGRA | FOUR if (red, alpha) == (8, 8) => FORMATS[0].internal,
            other => other,
        };
        FORMATS.iter().find(|format| format.internal == sized)
    }

    /// The format of texels whose channels have so many bits, `data_type` being `GL_UNSIGNED_NORMALIZED` and so on. Texels
    /// without alpha have all four channels: OpenGL gives 1 and takes whatever is written.
    pub(crate) fn of_channels(
        [red, green, blue, alpha]: [i32; 4],
        data_type: i32,
        is_srgb: bool,
    ) -> Option<&'static TextureFormat> {
        let channels = match [green, blue, alpha] {
            [0, 0, 0] => Channels::R,
            [second, 0, 0] if second == red => Channels::Rg,
            [second, third, last] if [second, third] == [red; 2] && (last == red || last == 0) => {
                match is_srgb {
                    true => Channels::SrgbAlpha,
                    false => Channels::Rgba,
                }
            }
            _ => return None,
        };
        let numbers = match (data_type, red) {
            (UNSIGNED_NORMALIZED, 8) => Numbers::Unorm8,
            (UNSIGNED_NORMALIZED, 16) => Numbers::Unorm16,
            (SIGNED_NORMALIZED, 8) => Numbers::Snorm8,
            (SIGNED_NORMALIZED, 16) => Numbers::Snorm16,
            (FLOAT, 16) => Numbers::Half,
            (FLOAT, 32) => Numbers::Float,
            (INT, 8) => Numbers::Sint8,
            (INT, 16) => Numbers::Sint16,
            (INT, 32) => Numbers::Sint32,
            (UNSIGNED_INT, 8) => Numbers::Uint8,
            (UNSIGNED_INT, 16) => Numbers::Uint16,
            (UNSIGNED_INT, 32) => Numbers::Uint32,
            _ => return None,
        };
        let found =
            |format: &&TextureFormat| (format.channels, format.numbers) == (channels, numbers);
        FORMATS.iter().find(found)
    }

    /// Bytes of a texel in host memory. A depth beside a stencil value is a float there.
    pub fn texel_size(&self) -> usize {
        let channels = match self.channels {
            Channels::R | Channels::Depth => 1,
            Channels::DepthStencil => return 4,
            Channels::Rg => 2,
            Channels::Rgba | Channels::SrgbAlpha => 4,
        };
        channels
            * match self.numbers {
                Numbers::Unorm8 | Numbers::Snorm8 | Numbers::Sint8 | Numbers::Uint8 => 1,
                Numbers::Unorm16
                | Numbers::Snorm16
                | Numbers::Sint16
                | Numbers::Uint16
                | Numbers::Half => 2,
                Numbers::Unorm24 | Numbers::Sint32 | Numbers::Uint32 | Numbers::Float => 4,
            }
    }

    /// The numbers that shaders see.
    pub(crate) fn kind(&self) -> Kind {
        use Numbers::{Sint8, Sint16, Sint32, Uint8, Uint16, Uint32};
        match self.numbers {
            Sint8 | Sint16 | Sint32 => Kind::Signed,
            Uint8 | Uint16 | Uint32 => Kind::Unsigned,
            _ => Kind::Floats,
        }
    }

    /// The internal format of a texture whose texels shaders see as they lie in host memory: without sRGB's curve.
    pub(crate) fn plain_internal(&self) -> u32 {
        match self.channels {
            Channels::SrgbAlpha => FORMATS[0].internal,
            _ => self.internal,
        }
    }

    /// The internal format of a texture whose texels can be drawn as they lie in host memory, and the format and type of
    /// its transfers. OpenGL need not draw depths as colours, nor normalised numbers with a sign: these are drawn as integers
    /// ([`TextureFormat::steps`]), since transfers of floats follow one of two rules for them (OpenGL 4.1 and before, 4.2).
    pub(crate) fn drawn(&self) -> (u32, u32, u32) {
        let (format, data_type) = self.transfer();
        let integers = match self.numbers {
            _ if self.is_depth() => return (R32F, RED, data_type),
            Numbers::Snorm8 => Numbers::Sint8,
            Numbers::Snorm16 => Numbers::Sint16,
            _ => return (self.plain_internal(), format, data_type),
        };
        let is_alike =
            |other: &&TextureFormat| (other.channels, other.numbers) == (self.channels, integers);
        match FORMATS.iter().find(is_alike) {
            Some(alike) => (alike.internal, alike.transfer().0, data_type),
            None => (self.internal, format, data_type),
        }
    }

    /// The integer that stands for 1 in a channel, if numbers with a sign are normalised.
    pub(crate) fn steps(&self) -> Option<u32> {
        match self.numbers {
            Numbers::Snorm8 => Some(127),
            Numbers::Snorm16 => Some(32767),
            _ => None,
        }
    }

    /// Tells whether texels are depths.
    pub(crate) fn is_depth(&self) -> bool {
        matches!(self.channels, Channels::Depth | Channels::DepthStencil)
    }

    /// The format and type by which OpenGL's transfers have texels in host memory without a change.
    pub(crate) fn transfer(&self) -> (u32, u32) {
        let format = match (self.channels, self.kind() != Kind::Floats) {
            (Channels::R, false) => RED,
            (Channels::R, true) => 0x8D94,
            (Channels::Rg, false) => 0x8227,
            (Channels::Rg, true) => 0x8228,
            (Channels::Rgba | Channels::SrgbAlpha, false) => RGBA,
            (Channels::Rgba | Channels::SrgbAlpha, true) => 0x8D99,
            (Channels::Depth | Channels::DepthStencil, _) => 0x1902,
        };
        let numbers = match self.channels {
            Channels::DepthStencil => Numbers::Float,
            _ => self.numbers,
        };
        let data_type = match numbers {
            Numbers::Snorm8 | Numbers::Sint8 => 0x1400,
            Numbers::Unorm8 | Numbers::Uint8 => 0x1401,
            Numbers::Snorm16 | Numbers::Sint16 => 0x1402,
            Numbers::Unorm16 | Numbers::Uint16 => 0x1403,
            Numbers::Sint32 => 0x1404,
            Numbers::Unorm24 | Numbers::Uint32 => 0x1405,
            Numbers::Float => 0x1406,
            Numbers::Half => 0x140B,
        };
        (format, data_type)
    }
}

#[cfg(test)]
mod tests {
    use super::{FORMATS, TextureFormat};

    #[test]
    fn internal_formats_are_unique() {
        for format in FORMATS {
            let found = TextureFormat::find(format.internal, [0, 0]);
            assert!(found.is_some_and(|found| found == format), "{format:?}");
        }
    }

    #[test]
    fn normalised_numbers_with_a_sign_are_drawn_as_integers() {
        let drawn = |internal| TextureFormat::find(internal, [0, 0]).unwrap().drawn();
        // GL_RGBA8_SNORM and GL_R16_SNORM as GL_RGBA8I and GL_R16I.
        assert_eq!(drawn(0x8F97), (0x8D8E, 0x8D99, 0x1400));
        assert_eq!(drawn(0x8F98), (0x8233, 0x8D94, 0x1402));
    }

    #[test]
    fn formats_without_sizes_are_told_by_their_bits() {
        let found = TextureFormat::find(0x1908, [8, 8]);
        assert_eq!(found.map(|format| format.internal), Some(0x8058));
        assert_eq!(TextureFormat::find(0x1908, [5, 1]), None);
    }

    #[test]
    fn formats_are_told_by_their_channels() {
        let of = |bits, data_type, is_srgb| {
            let found = TextureFormat::of_channels(bits, data_type, is_srgb);
            found.map(|format| format.internal)
        };
        let (unorm, float) = (super::UNSIGNED_NORMALIZED, super::FLOAT);
        // GL_RGBA8 with and without alpha, GL_SRGB8_ALPHA8, GL_R8, GL_RG16F, GL_RGBA16F.
        assert_eq!(of([8; 4], unorm, false), Some(0x8058));
        assert_eq!(of([8, 8, 8, 0], unorm, false), Some(0x8058));
        assert_eq!(of([8; 4], unorm, true), Some(0x8C43));
        assert_eq!(of([8, 0, 0, 0], unorm, false), Some(0x8229));
        assert_eq!(of([16, 16, 0, 0], float, false), Some(0x822F));
        assert_eq!(of([16; 4], float, false), Some(0x881A));
        // GL_RGB565, GL_RGB10_A2, nothing, and numbers of no type.
        assert_eq!(of([5, 6, 5, 0], unorm, false), None);
        assert_eq!(of([10, 10, 10, 2], unorm, false), None);
        assert_eq!(of([0; 4], unorm, false), None);
        assert_eq!(of([8; 4], 0, false), None);
    }

    #[test]
    fn texels_have_the_size_that_transfers_have() {
        let size = |internal| TextureFormat::find(internal, [0, 0]).unwrap().texel_size();
        assert_eq!(size(0x8058), 4);
        assert_eq!(size(0x8D82), 16);
        assert_eq!(size(0x822F), 4);
        assert_eq!(size(0x81A5), 2);
        assert_eq!(size(0x8CAD), 4);
    }
}
