//! Samplers. A device has one of each kind at most, made at first use and kept: there are fewer
//! kinds than any device takes.

use std::collections::HashMap;
use std::sync::Arc;

use ash::vk;
use parking_lot::Mutex;

use crate::device::fault;
use crate::device::{DeviceShared, LogicalDevice};
use crate::error::{Context, Result};

/// Result of a sampler for coordinates outside the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// The texel at the edge.
    ClampToEdge,
    /// Transparent black; components that the format lacks are 0, 0 and 1.
    ClampToBorder,
    /// The image again. With normalised coordinates only.
    Repeat,
    /// The image again, every other time mirrored. With normalised coordinates only.
    MirroredRepeat,
}

/// Creation parameters of a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SamplerDesc {
    /// Coordinates outside the image.
    pub address: AddressMode,
    /// Linear filter, else the nearest texel.
    pub linear: bool,
    /// Coordinates from 0 to 1, else in texels.
    pub normalized: bool,
    /// Mixes the two mip levels next to the level of detail, else takes the nearer one. With normalised
    /// coordinates only.
    pub mip_linear: bool,
}

impl SamplerDesc {
    /// The nearest that Vulkan has: coordinates in texels cannot repeat and have one level, which OpenCL
    /// leaves undefined.
    fn possible(self) -> Self {
        let address = match self.address {
            AddressMode::Repeat | AddressMode::MirroredRepeat if !self.normalized => {
                AddressMode::ClampToEdge
            }
            address => address,
        };
        Self {
            address,
            mip_linear: self.mip_linear && self.normalized,
            ..self
        }
    }
}

/// A sampler. It lives as long as its device.
#[derive(Clone)]
pub struct Sampler {
    device: Arc<DeviceShared>,
    raw: vk::Sampler,
}

/// The samplers of a device; guards the map.
#[derive(Default)]
pub(crate) struct Samplers(Mutex<HashMap<SamplerDesc, vk::Sampler>>);

impl Samplers {
    /// # Safety
    /// No sampler is in use, and `device` is the one that they were made from.
    pub unsafe fn destroy(&self, device: &ash::Device) {
        for (_, sampler) in self.0.lock().drain() {
            // SAFETY: by this function's contract.
            unsafe { device.destroy_sampler(sampler, None) };
        }
    }
}

impl Sampler {
    pub(crate) fn raw(&self) -> vk::Sampler {
        self.raw
    }

    pub(crate) fn belongs_to(&self, device: &Arc<DeviceShared>) -> bool {
        Arc::ptr_eq(&self.device, device)
    }
}

impl LogicalDevice {
    /// The sampler of that kind.
    ///
    /// # Errors
    /// Out of memory.
    pub fn sampler(&self, desc: SamplerDesc) -> Result<Sampler> {
        let desc = desc.possible();
        let device = &self.shared;
        let mut samplers = device.samplers.0.lock();
        let raw = match samplers.get(&desc) {
            Some(&raw) => raw,
            None => {
                let raw = create(device, desc)?;
                samplers.insert(desc, raw);
                raw
            }
        };
        Ok(Sampler {
            device: Arc::clone(device),
            raw,
        })
    }
}

fn create(device: &DeviceShared, desc: SamplerDesc) -> Result<vk::Sampler> {
    let address = match desc.address {
        AddressMode::ClampToEdge => vk::SamplerAddressMode::CLAMP_TO_EDGE,
        AddressMode::ClampToBorder => vk::SamplerAddressMode::CLAMP_TO_BORDER,
        AddressMode::Repeat => vk::SamplerAddressMode::REPEAT,
        AddressMode::MirroredRepeat => vk::SamplerAddressMode::MIRRORED_REPEAT,
    };
    let filter = match desc.linear {
        true => vk::Filter::LINEAR,
        false => vk::Filter::NEAREST,
    };
    // Zeros of every kind have the same bits, so that the colour serves integer images too.
    let info = vk::SamplerCreateInfo::default()
        .mag_filter(filter)
        .min_filter(filter)
        .mipmap_mode(match desc.mip_linear {
            true => vk::SamplerMipmapMode::LINEAR,
            false => vk::SamplerMipmapMode::NEAREST,
        })
        // Coordinates in texels have level 0 alone.
        .max_lod(match desc.normalized {
            true => vk::LOD_CLAMP_NONE,
            false => 0.0,
        })
        .address_mode_u(address)
        .address_mode_v(address)
        .address_mode_w(address)
        .border_color(vk::BorderColor::FLOAT_TRANSPARENT_BLACK)
        .unnormalized_coordinates(!desc.normalized);
    fault::check("vkCreateSampler")?;
    // SAFETY: `info` lives through the call; unnormalised coordinates come with the modes that
    // Vulkan allows for them (`possible`), one filter and level 0.
    unsafe { device.raw.create_sampler(&info, None) }.call("vkCreateSampler")
}
