//! The texels of an image, and the host's view of them.

use std::sync::Arc;

use pumice_vulkan_layer::{Image, ImageBox, ImageDesc, Recorder};

use crate::base::error::{Error, Result};
use crate::base::host_ptr::{HostBlock, HostSlice};
use crate::base::object::Ref;
use crate::base::region::{Extent, Layout, extent_of};
use crate::device::Device;
use crate::device::gpu;
use crate::memory::residency::{Access, Backing, Residency, Resident};

/// The texels of an image.
pub struct ImageStorage {
    residency: Residency<Texels>,
    /// The places of each level's texels in the host's view.
    layouts: Vec<Layout>,
    /// CL_MEM_USE_HOST_PTR: the application's memory.
    use_host: Option<HostSlice>,
}

/// Images of one description.
pub(super) struct Texels {
    desc: ImageDesc,
    /// Bytes of the host's view.
    host_size: usize,
}

/// The places of each level's texels in the host's view, and the bytes of all: the first level as `base` and `size`
/// say, the others behind it without gaps. `texel` is the number of a texel's bytes there.
pub(super) fn level_layouts(
    desc: &ImageDesc,
    texel: usize,
    base: Layout,
    size: usize,
) -> (Vec<Layout>, usize) {
    let (mut layouts, mut end) = (vec![base], size);
    for level in 1..desc.levels {
        let extent = extent_of(desc.level_box(level), texel);
        layouts.push(Layout::packed(extent).shifted(end));
        end = end.saturating_add(extent.iter().product());
    }
    (layouts, end)
}

impl Backing for Texels {
    type Memory = Image;

    fn allocate(&self, gpu: &gpu::OpenDevice) -> Result<Image> {
        gpu.create_image(&self.desc)
    }

    fn clear_by_host(&self, _: &gpu::OpenDevice, _: &Image, _: Access) -> bool {
        // The device gives it its layout in any case.
        false
    }

    fn record_clear(&self, recorder: &mut Recorder, memory: &Image, access: Access) -> Result<()> {
        recorder.initialize_image(memory).map_err(gpu::error)?;
        match gpu::zero_memory() && access != Access::Overwrite {
            true => recorder.clear_image(memory).map_err(gpu::error),
            false => Ok(()),
        }
    }

    fn is_mapped(&self, _: &Image) -> bool {
        false
    }

    fn migrate(
        &self,
        (from_device, from): (&gpu::OpenDevice, &Image),
        (to_device, to): (&gpu::OpenDevice, &Image),
    ) -> Result<()> {
        // It may be new.
        to_device.run(|recorder| recorder.initialize_image(to))?;
        for level in 0..self.desc.levels {
            let whole = self.desc.level_box(level);
            let extent = extent_of(whole, self.desc.format.texel_size());
            let (layout, size) = (Layout::packed(extent), extent.iter().product());
            let mut block = HostBlock::new(size).ok_or(Error::OutOfHostMemory)?;
            let bytes = block.slice();
            from_device.read_image(from, whole, bytes, layout)?;
            to_device.write_image(to, whole, bytes, layout)?;
        }
        Ok(())
    }

    fn host_size(&self) -> usize {
        self.host_size
    }
}

impl Resident for ImageStorage {
    type Backing = Texels;

    fn residency(&self) -> &Residency<Texels> {
        &self.residency
    }

    fn is_used(&self, _: Access) {}
}

impl ImageStorage {
    /// Makes the image on the first device, with its first contents if there are any. `layout` is the place of the
    /// first level in the host's view, `host_size` the bytes of that level there.
    pub fn new(
        devices: &[Ref<Device>],
        desc: ImageDesc,
        layout: Layout,
        host_size: usize,
        contents: Option<HostSlice>,
        use_host: Option<HostSlice>,
    ) -> Result<Arc<Self>> {
        let texel = desc.format.texel_size();
        let (layouts, host_size) = level_layouts(&desc, texel, layout, host_size);
        let storage = Self {
            residency: Residency::new(devices, Texels { desc, host_size }, None),
            layouts,
            use_host,
        };
        storage.residency.allocate_first()?;
        if let Some(contents) = contents.or(use_host) {
            let image = storage.on_device(0, Access::Overwrite)?;
            let whole = desc.level_box(0);
            let gpu = storage.residency.gpu(0)?;
            gpu.write_image(&image, whole, contents, layout)?;
        }
        Ok(Arc::new(storage))
    }

    /// All texels of the first level.
    pub fn whole(&self) -> ImageBox {
        self.residency.backing().desc.level_box(0)
    }

    /// The extent of a box's texels in bytes, rows and slices.
    pub fn extent(&self, area: ImageBox) -> Extent {
        extent_of(area, self.residency.backing().desc.format.texel_size())
    }

    /// The places of a level's texels in the host's view.
    pub fn layout(&self, level: u32) -> Layout {
        self.layouts[level as usize]
    }

    /// The access of a command that writes a box and reads nothing.
    pub fn writing(&self, area: ImageBox) -> Access {
        let levels = self.residency.backing().desc.levels;
        Access::writing(levels == 1 && area == self.whole())
    }

    /// The image on a device of the context, whatever it holds.
    pub fn allocation(&self, index: usize) -> Result<Image> {
        self.residency.allocation(index)
    }

    /// The image on a device of the context, holding the newest texels.
    pub fn on_device(&self, index: usize, access: Access) -> Result<Image> {
        self.residency.on_device(index, access)
    }

    /// Copies texels from a device of the context to the host.
    pub fn read(&self, index: usize, area: ImageBox, to: HostSlice, layout: Layout) -> Result<()> {
        let image = self.on_device(index, Access::Read)?;
        let gpu = self.residency.gpu(index)?;
        gpu.read_image(&image, area, to, layout)
    }

    /// Copies texels from the host to a device of the context.
    pub fn write(
        &self,
        index: usize,
        area: ImageBox,
        from: HostSlice,
        layout: Layout,
    ) -> Result<()> {
        let image = self.on_device(index, self.writing(area))?;
        let gpu = self.residency.gpu(index)?;
        gpu.write_image(&image, area, from, layout)
    }

    /// The memory in which the host finds a box, and the box's place in it.
    pub fn host_view(&self, area: ImageBox) -> Result<(HostSlice, Layout)> {
        let [x, y, z] = area.origin.map(|n| n as usize);
        let texel = self.residency.backing().desc.format.texel_size();
        let level = self.layout(area.level);
        let layout = Layout {
            offset: level.row(y, z) + x * texel,
            ..level
        };
        let memory = match self.use_host {
            Some(host) => host,
            None => self.residency.shadow()?,
        };
        Ok((memory, layout))
    }
}
