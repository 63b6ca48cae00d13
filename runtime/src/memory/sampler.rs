//! Sampler objects.

use opencl_sys as cl;
use pumice_reflection::MIP_LINEAR;
use pumice_vulkan_layer::{AddressMode, SamplerDesc};

use crate::base::error::{Error, Result};
use crate::base::info::Info;
use crate::base::object::{Kind, Object, Ref};
use crate::base::reason::Callback;
use crate::context::Context;

/// A sampler object.
#[derive(Debug)]
pub struct Sampler {
    context: Ref<Context>,
    normalized: bool,
    /// CL_ADDRESS_*.
    addressing: u32,
    /// CL_FILTER_*.
    filter: u32,
    /// CL_FILTER_*, between mip levels.
    mip_filter: u32,
    /// The least and the largest level of detail.
    lod: [f32; 2],
    /// The list given to clCreateSamplerWithProperties, with its terminator.
    properties: Option<Vec<u64>>,
}

/// The properties of a sampler that is to be made, by their defaults.
struct Settings {
    normalized: u64,
    addressing: u32,
    filter: u32,
    mip_filter: u32,
    lod: [f32; 2],
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            normalized: u64::from(true),
            addressing: cl::CL_ADDRESS_CLAMP,
            filter: cl::CL_FILTER_NEAREST,
            mip_filter: cl::CL_FILTER_NEAREST,
            lod: [0.0, f32::MAX],
        }
    }
}

impl Kind for Sampler {
    const TAG: u64 = u64::from_le_bytes(*b"pmcSAMPL");
    const INVALID: Error = Error::InvalidSampler;

    fn error_callback(&self) -> Option<Callback> {
        self.context.error_callback()
    }
}

impl Sampler {
    /// clCreateSampler.
    ///
    /// # Errors
    /// Those that the specification lists for clCreateSampler, in its order.
    pub fn create(
        context: &Ref<Context>,
        normalized: u32,
        addressing: u32,
        filter: u32,
    ) -> Result<Ref<Sampler>> {
        context.check_images()?;
        let settings = Settings {
            normalized: u64::from(normalized),
            addressing,
            filter,
            ..Settings::default()
        };
        Self::checked(context, settings, None)
    }

    /// clCreateSamplerWithProperties; `None` for NULL.
    ///
    /// # Errors
    /// Those that the specification lists for clCreateSamplerWithProperties, in its order.
    pub fn with_properties(
        context: &Ref<Context>,
        pairs: Option<&[[u64; 2]]>,
    ) -> Result<Ref<Sampler>> {
        context.check_images()?;
        let list = pairs.map(|pairs| {
            let words = pairs.iter().flatten().copied();
            words.chain([0]).collect::<Vec<u64>>()
        });
        let pairs = pairs.unwrap_or_default();
        let mut settings = Settings::default();
        for (index, [name, value]) in pairs.iter().copied().enumerate() {
            // CL_INVALID_VALUE if a property or its value is not valid, or given twice.
            let twice = pairs[..index].iter().any(|[earlier, _]| *earlier == name);
            let invalid = || {
                Error::InvalidValue.because(format!(
                    "{name:#x} is no property of samplers, is given twice or cannot be {value:#x}"
                ))
            };
            let value32 = u32::try_from(value).map_err(|_| invalid())?;
            match u32::try_from(name) {
                _ if twice => return Err(invalid()),
                Ok(cl::CL_SAMPLER_NORMALIZED_COORDS) => settings.normalized = value,
                Ok(cl::CL_SAMPLER_ADDRESSING_MODE) => settings.addressing = value32,
                Ok(cl::CL_SAMPLER_FILTER_MODE) => settings.filter = value32,
                Ok(cl::CL_SAMPLER_MIP_FILTER_MODE) => settings.mip_filter = value32,
                // The bits of a cl_float.
                Ok(cl::CL_SAMPLER_LOD_MIN) => settings.lod[0] = f32::from_bits(value32),
                Ok(cl::CL_SAMPLER_LOD_MAX) => settings.lod[1] = f32::from_bits(value32),
                _ => return Err(invalid()),
            }
        }
        Self::checked(context, settings, list)
    }

    fn checked(
        context: &Ref<Context>,
        settings: Settings,
        properties: Option<Vec<u64>>,
    ) -> Result<Ref<Sampler>> {
        // CL_INVALID_VALUE if a value is not valid.
        let addresses = cl::CL_ADDRESS_NONE..=cl::CL_ADDRESS_MIRRORED_REPEAT;
        let filters = cl::CL_FILTER_NEAREST..=cl::CL_FILTER_LINEAR;
        let Settings {
            normalized,
            addressing,
            filter,
            mip_filter,
            lod,
        } = settings;
        let filtered = filters.contains(&filter) && filters.contains(&mip_filter);
        if normalized > 1 || !addresses.contains(&addressing) || !filtered {
            return Err(Error::InvalidValue.because(format!(
                "normalized_coords {normalized}, addressing_mode {addressing:#x} or filter_mode {filter:#x} is not valid"
            )));
        }
        if lod.iter().any(|lod| lod.is_nan()) {
            return Err(Error::InvalidValue.because("a level of detail is not a number"));
        }
        Ok(Object::new(Sampler {
            context: context.clone(),
            normalized: normalized != 0,
            addressing,
            filter,
            mip_filter,
            lod,
            properties,
        }))
    }

    /// The context.
    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    /// The description for Vulkan.
    pub fn desc(&self) -> SamplerDesc {
        SamplerDesc {
            // Without a mode, coordinates are inside.
            address: match self.addressing {
                cl::CL_ADDRESS_CLAMP => AddressMode::ClampToBorder,
                cl::CL_ADDRESS_REPEAT => AddressMode::Repeat,
                cl::CL_ADDRESS_MIRRORED_REPEAT => AddressMode::MirroredRepeat,
                _ => AddressMode::ClampToEdge,
            },
            linear: self.filter == cl::CL_FILTER_LINEAR,
            normalized: self.normalized,
            mip_linear: self.mip_filter == cl::CL_FILTER_LINEAR,
        }
    }

    /// The least and the largest level of detail.
    pub fn lod(&self) -> [f32; 2] {
        self.lod
    }

    /// The sampler as modules know it: the encoding of LiteralSampler's mask, and `MIP_LINEAR`.
    pub fn mask(&self) -> u32 {
        let address = match self.addressing {
            cl::CL_ADDRESS_NONE => 0,
            cl::CL_ADDRESS_CLAMP_TO_EDGE => 2,
            cl::CL_ADDRESS_CLAMP => 4,
            cl::CL_ADDRESS_REPEAT => 6,
            _ => 8,
        };
        let filter = match self.filter {
            cl::CL_FILTER_LINEAR => 0x20,
            _ => 0x10,
        };
        let between_levels = match self.mip_filter {
            cl::CL_FILTER_LINEAR => MIP_LINEAR,
            _ => 0,
        };
        u32::from(self.normalized) | address | filter | between_levels
    }
}

impl Object<Sampler> {
    /// clGetSamplerInfo.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for other names.
    pub fn info(self: &Ref<Sampler>, name: u32) -> Result<Info> {
        Ok(match name {
            cl::CL_SAMPLER_REFERENCE_COUNT => Info::u32(self.reference_count()),
            cl::CL_SAMPLER_CONTEXT => Info::object(&self.context),
            cl::CL_SAMPLER_NORMALIZED_COORDS => Info::bool(self.normalized),
            cl::CL_SAMPLER_ADDRESSING_MODE => Info::u32(self.addressing),
            cl::CL_SAMPLER_FILTER_MODE => Info::u32(self.filter),
            cl::CL_SAMPLER_MIP_FILTER_MODE => Info::u32(self.mip_filter),
            cl::CL_SAMPLER_LOD_MIN => Info::u32(self.lod[0].to_bits()),
            cl::CL_SAMPLER_LOD_MAX => Info::u32(self.lod[1].to_bits()),
            cl::CL_SAMPLER_PROPERTIES => Info::u64s(self.properties.as_deref().unwrap_or_default()),
            _ => return Err(Error::InvalidValue),
        })
    }
}
