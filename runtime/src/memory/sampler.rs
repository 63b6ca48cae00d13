//! Sampler objects.

use opencl_sys as cl;
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
    /// The list given to clCreateSamplerWithProperties, with its terminator.
    properties: Option<Vec<u64>>,
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
        Self::checked(context, u64::from(normalized), addressing, filter, None)
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
        let mut normalized = u64::from(true);
        let mut addressing = cl::CL_ADDRESS_CLAMP;
        let mut filter = cl::CL_FILTER_NEAREST;
        for (index, [name, value]) in pairs.iter().copied().enumerate() {
            // CL_INVALID_VALUE if a property or its value is not valid, or given twice.
            let twice = pairs[..index].iter().any(|[earlier, _]| *earlier == name);
            let value32 = u32::try_from(value).map_err(|_| Error::InvalidValue)?;
            match u32::try_from(name) {
                _ if twice => return Err(Error::InvalidValue),
                Ok(cl::CL_SAMPLER_NORMALIZED_COORDS) => normalized = value,
                Ok(cl::CL_SAMPLER_ADDRESSING_MODE) => addressing = value32,
                Ok(cl::CL_SAMPLER_FILTER_MODE) => filter = value32,
                _ => return Err(Error::InvalidValue),
            }
        }
        Self::checked(context, normalized, addressing, filter, list)
    }

    fn checked(
        context: &Ref<Context>,
        normalized: u64,
        addressing: u32,
        filter: u32,
        properties: Option<Vec<u64>>,
    ) -> Result<Ref<Sampler>> {
        // CL_INVALID_VALUE if a value is not valid.
        let addresses = cl::CL_ADDRESS_NONE..=cl::CL_ADDRESS_MIRRORED_REPEAT;
        let filters = cl::CL_FILTER_NEAREST..=cl::CL_FILTER_LINEAR;
        if normalized > 1 || !addresses.contains(&addressing) || !filters.contains(&filter) {
            return Err(Error::InvalidValue);
        }
        Ok(Object::new(Sampler {
            context: context.clone(),
            normalized: normalized != 0,
            addressing,
            filter,
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
        }
    }

    /// The sampler as modules know it: the encoding of LiteralSampler's mask.
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
        u32::from(self.normalized) | address | filter
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
            cl::CL_SAMPLER_PROPERTIES => Info::u64s(self.properties.as_deref().unwrap_or_default()),
            _ => return Err(Error::InvalidValue),
        })
    }
}
