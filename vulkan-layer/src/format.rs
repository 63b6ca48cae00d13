//! THE list of image formats: a name of ours, Vulkan's, bytes a texel, SPIR-V's name, and what a device does
//! with each.

use ash::vk;
use ash::vk::{FormatFeatureFlags as F, FormatFeatureFlags2 as F2};
use pumice_spirv::ImageFormat;

use crate::features::Features;

macro_rules! formats {
    ($($name:ident $vulkan:ident $bytes:literal $in_shaders:ident,)*) => {
        /// A format of texels, named as Vulkan names it.
        #[allow(missing_docs, reason = "the names say it")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Format { $($name,)* }

        impl Format {
            /// Every format.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Bytes of a texel.
            pub fn texel_size(self) -> usize {
                match self { $(Self::$name => $bytes,)* }
            }

            /// SPIR-V's name of the format; `Unknown` where it has none.
            pub fn in_shaders(self) -> ImageFormat {
                match self { $(Self::$name => ImageFormat::$in_shaders,)* }
            }

            pub(crate) fn raw(self) -> vk::Format {
                match self { $(Self::$name => vk::Format::$vulkan,)* }
            }
        }
    };
}

formats! {
    R8Unorm R8_UNORM 1 R8,
    R8Snorm R8_SNORM 1 R8Snorm,
    R8Sint R8_SINT 1 R8i,
    R8Uint R8_UINT 1 R8ui,
    R16Unorm R16_UNORM 2 R16,
    R16Snorm R16_SNORM 2 R16Snorm,
    R16Sint R16_SINT 2 R16i,
    R16Uint R16_UINT 2 R16ui,
    R16Sfloat R16_SFLOAT 2 R16f,
    R32Sint R32_SINT 4 R32i,
    R32Uint R32_UINT 4 R32ui,
    R32Sfloat R32_SFLOAT 4 R32f,
    Rg8Unorm R8G8_UNORM 2 Rg8,
    Rg8Snorm R8G8_SNORM 2 Rg8Snorm,
    Rg8Sint R8G8_SINT 2 Rg8i,
    Rg8Uint R8G8_UINT 2 Rg8ui,
    Rg16Unorm R16G16_UNORM 4 Rg16,
    Rg16Snorm R16G16_SNORM 4 Rg16Snorm,
    Rg16Sint R16G16_SINT 4 Rg16i,
    Rg16Uint R16G16_UINT 4 Rg16ui,
    Rg16Sfloat R16G16_SFLOAT 4 Rg16f,
    Rg32Sint R32G32_SINT 8 Rg32i,
    Rg32Uint R32G32_UINT 8 Rg32ui,
    Rg32Sfloat R32G32_SFLOAT 8 Rg32f,
    Rgba8Unorm R8G8B8A8_UNORM 4 Rgba8,
    Rgba8Snorm R8G8B8A8_SNORM 4 Rgba8Snorm,
    Rgba8Sint R8G8B8A8_SINT 4 Rgba8i,
    Rgba8Uint R8G8B8A8_UINT 4 Rgba8ui,
    Rgba8Srgb R8G8B8A8_SRGB 4 Unknown,
    Rgba16Unorm R16G16B16A16_UNORM 8 Rgba16,
    Rgba16Snorm R16G16B16A16_SNORM 8 Rgba16Snorm,
    Rgba16Sint R16G16B16A16_SINT 8 Rgba16i,
    Rgba16Uint R16G16B16A16_UINT 8 Rgba16ui,
    Rgba16Sfloat R16G16B16A16_SFLOAT 8 Rgba16f,
    Rgba32Sint R32G32B32A32_SINT 16 Rgba32i,
    Rgba32Uint R32G32B32A32_UINT 16 Rgba32ui,
    Rgba32Sfloat R32G32B32A32_SFLOAT 16 Rgba32f,
    Bgra8Unorm B8G8R8A8_UNORM 4 Unknown,
    Bgra8Snorm B8G8R8A8_SNORM 4 Unknown,
    Bgra8Sint B8G8R8A8_SINT 4 Unknown,
    Bgra8Uint B8G8R8A8_UINT 4 Unknown,
    Bgra8Srgb B8G8R8A8_SRGB 4 Unknown,
    R5g6b5Unorm R5G6B5_UNORM_PACK16 2 Unknown,
    A1r5g5b5Unorm A1R5G5B5_UNORM_PACK16 2 Unknown,
    A2r10g10b10Unorm A2R10G10B10_UNORM_PACK32 4 Unknown,
    A2b10g10r10Unorm A2B10G10R10_UNORM_PACK32 4 Rgb10A2,
}

impl Format {
    /// Returns whether shaders that name the format need StorageImageExtendedFormats.
    pub fn is_extended(self) -> bool {
        use ImageFormat as F;
        !matches!(
            self.in_shaders(),
            F::Rgba32f
                | F::Rgba16f
                | F::R32f
                | F::Rgba8
                | F::Rgba8Snorm
                | F::Rgba32i
                | F::Rgba16i
                | F::Rgba8i
                | F::R32i
                | F::Rgba32ui
                | F::Rgba16ui
                | F::Rgba8ui
                | F::R32ui
        )
    }

    /// Returns whether shaders can name the format.
    fn is_named(self, extended_formats: bool) -> bool {
        self.in_shaders() != ImageFormat::Unknown && (extended_formats || !self.is_extended())
    }
}

/// Supported uses of a format, for images of optimal tiling unless a field says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormatFeatures {
    /// Sampled images, and copies from and to them.
    pub sampled: bool,
    /// Linear filters.
    pub linear_filter: bool,
    /// Storage images, written without a format in the shader.
    pub storage_write: bool,
    /// Storage images, read: without a format in the shader if the device can do that, else with it.
    pub storage_read: bool,
    /// Uniform texel buffers.
    pub uniform_texel: bool,
    /// Storage texel buffers, with a format in the shader.
    pub storage_texel: bool,
    /// Storage texel buffers, written without a format in the shader.
    pub storage_texel_write: bool,
    /// Storage texel buffers, read: without a format in the shader if the device can do that, else with it.
    pub storage_texel_read: bool,
}

/// The features of all formats.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormatTable {
    /// The formats, each with its features.
    pub rows: Vec<(Format, FormatFeatures)>,
    /// Storage texel buffers are read with a format in the shader alone, though storage images are read without.
    pub texel_reads_name_formats: bool,
}

/// Asks for the features of every format. `device` tells of access without a format; a Vulkan 1.3 device
/// (`per_format`) says so of each format.
pub(crate) fn query(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    device: &Features,
    per_format: bool,
) -> FormatTable {
    let ask = |format: &Format| {
        let mut three = vk::FormatProperties3::default();
        let mut two = vk::FormatProperties2::default();
        if per_format {
            two = two.push_next(&mut three);
        }
        // SAFETY: `physical` was enumerated from `instance`; the chain has what 1.3 defines only
        // where the device has 1.3.
        unsafe {
            instance.get_physical_device_format_properties2(physical, format.raw(), &mut two);
        }
        Told::new(
            *format,
            two.format_properties,
            device,
            per_format.then_some(three),
        )
    };
    let all: Vec<Told> = Format::ALL.iter().map(ask).collect();
    let without = F2::STORAGE_READ_WITHOUT_FORMAT;
    let texel_reads_name_formats = device.shader_storage_image_read_without_format
        && !all.iter().any(|told| told.buffer3.contains(without));
    let rows = all.iter().map(|told| {
        let features = features(told, device, texel_reads_name_formats);
        (told.format, features)
    });
    FormatTable {
        rows: rows.collect(),
        texel_reads_name_formats,
    }
}

/// A format as the driver describes it.
struct Told {
    format: Format,
    properties: vk::FormatProperties,
    /// Access without a format in the shader, of optimal images and of texel buffers.
    image3: F2,
    buffer3: F2,
}

impl Told {
    fn new(
        format: Format,
        properties: vk::FormatProperties,
        device: &Features,
        three: Option<vk::FormatProperties3<'_>>,
    ) -> Self {
        // Without per-format reports, the device's own feature holds for all formats.
        let (image3, buffer3) = match three {
            Some(three) => (three.optimal_tiling_features, three.buffer_features),
            None => {
                let read = device.shader_storage_image_read_without_format;
                let write = device.shader_storage_image_write_without_format;
                let mut all = F2::empty();
                for (there, bit) in [
                    (read, F2::STORAGE_READ_WITHOUT_FORMAT),
                    (write, F2::STORAGE_WRITE_WITHOUT_FORMAT),
                ] {
                    all |= if there { bit } else { F2::empty() };
                }
                (all, all)
            }
        };
        Self {
            format,
            properties,
            image3,
            buffer3,
        }
    }
}

fn features(told: &Told, device: &Features, texel_reads_name_formats: bool) -> FormatFeatures {
    let read = device.shader_storage_image_read_without_format;
    let write = device.shader_storage_image_write_without_format;
    let named = (told.format).is_named(device.shader_storage_image_extended_formats);
    let image = |bits| told.properties.optimal_tiling_features.contains(bits);
    let buffer = |bits| told.properties.buffer_features.contains(bits);
    let reads = |bits: F2, without: bool| match without {
        true => bits.contains(F2::STORAGE_READ_WITHOUT_FORMAT),
        false => named,
    };
    let writes = |bits: F2| write && bits.contains(F2::STORAGE_WRITE_WITHOUT_FORMAT);
    FormatFeatures {
        sampled: image(F::SAMPLED_IMAGE | F::TRANSFER_SRC | F::TRANSFER_DST),
        linear_filter: image(F::SAMPLED_IMAGE_FILTER_LINEAR),
        storage_write: image(F::STORAGE_IMAGE) && writes(told.image3),
        storage_read: image(F::STORAGE_IMAGE) && reads(told.image3, read),
        uniform_texel: buffer(F::UNIFORM_TEXEL_BUFFER),
        storage_texel: buffer(F::STORAGE_TEXEL_BUFFER),
        storage_texel_write: buffer(F::STORAGE_TEXEL_BUFFER) && writes(told.buffer3),
        storage_texel_read: buffer(F::STORAGE_TEXEL_BUFFER)
            && reads(told.buffer3, read && !texel_reads_name_formats),
    }
}
