//! Memory objects: what buffers, sub-buffers and images have in common, and the first two.

use std::sync::Arc;

use opencl_sys as cl;
use parking_lot::Mutex;

use crate::base::error::{Error, Result};
use crate::base::host_ptr::HostSlice;
use crate::base::info::Info;
use crate::base::object::{Kind, Object, Ref};
use crate::base::reason::Callback;
use crate::base::region::{Extent, Layout};
use crate::context::{Context, Destructor};
use crate::device::Device;
use crate::device::depth_stencil::CL_DEPTH_STENCIL;
use crate::device::format::NO_ACCESS;
use crate::memory::device_address::Addresses;
use crate::memory::external::{External, ExternalMemory, Properties};
use crate::memory::flags::{
    check_flags, check_host_ptr, check_immutable, inherited_flags, with_default_access,
};
use crate::memory::image::ImageMem;
use crate::memory::mapping::Mappings;
use crate::memory::part::Part;
use crate::memory::pipe::Pipe;
use crate::memory::registry;
use crate::memory::residency::{Access, Contents};
use crate::memory::storage::{self, Shared, Storage};

/// A memory object: a buffer, a part of one, an image or a pipe.
pub struct Mem {
    flags: u64,
    size: usize,
    /// Offset in the storage.
    origin: usize,
    parent: Option<Ref<Mem>>,
    /// The properties as given, with the terminating zero; `None` for NULL.
    properties: Option<Vec<u64>>,
    /// The address of the application's memory (CL_MEM_USE_HOST_PTR), else 0.
    host_address: usize,
    /// True if that is shared virtual memory.
    uses_svm: bool,
    content: Content,
    /// Memory of another API.
    external: Option<External>,
    /// Its addresses, with CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT.
    addresses: Option<Addresses>,
    mappings: Mappings,
    /// Guards the destructor callbacks, in order of registration.
    destructors: Mutex<Vec<Destructor>>,
    /// Dropped last: the context's own end tells the application that nothing uses its display any more.
    context: Ref<Context>,
}

pub(super) enum Content {
    Bytes(Arc<Storage>),
    Image(ImageMem),
    Pipe(Pipe),
}

/// The properties of a memory object that its maker decides.
pub(super) struct MemDesc {
    pub context: Ref<Context>,
    /// With the default access filled in.
    pub flags: u64,
    /// In bytes.
    pub size: usize,
    /// The properties as given, with the terminating zero; `None` for NULL.
    pub properties: Option<Vec<u64>>,
    /// The object whose memory this one shows.
    pub parent: Option<Ref<Mem>>,
    /// The address of the application's memory (CL_MEM_USE_HOST_PTR), else 0.
    pub host_address: usize,
    /// Memory of another API.
    pub external: Option<External>,
}

impl std::fmt::Debug for Mem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mem")
            .field("flags", &self.flags)
            .field("size", &self.size)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

impl Kind for Mem {
    const TAG: u64 = u64::from_le_bytes(*b"pmcMEMOB");
    const INVALID: Error = Error::InvalidMemObject;

    fn error_callback(&self) -> Option<Callback> {
        self.context.error_callback()
    }
}

impl Mem {
    /// clCreateBufferWithProperties. `host` is host_ptr with `size` bytes, `None` for NULL.
    ///
    /// # Errors
    /// Those that the specification lists for clCreateBufferWithProperties, in its order.
    pub fn create(
        context: &Ref<Context>,
        mut properties: Properties,
        flags: u64,
        size: usize,
        host: Option<HostSlice>,
    ) -> Result<Ref<Mem>> {
        check_flags(flags)?;
        properties.check_flags(flags)?;
        check_immutable(flags, properties.is_external())?;
        // CL_INVALID_BUFFER_SIZE if size is 0, or beyond every device's
        // CL_DEVICE_MAX_MEM_ALLOC_SIZE.
        let limit = context
            .devices()
            .iter()
            .map(|d| d.max_allocation())
            .max()
            .unwrap_or(0);
        if size == 0 || size as u64 > limit {
            return Err(Error::InvalidBufferSize.because(match size {
                0 => "the size is 0".to_string(),
                _ => format!(
                    "{size} bytes are more than CL_DEVICE_MAX_MEM_ALLOC_SIZE of every device ({limit})"
                ),
            }));
        }
        check_host_ptr(flags, host.is_some())?;
        let use_host = host.filter(|_| flags & cl::CL_MEM_USE_HOST_PTR != 0);
        let contents = host.filter(|_| flags & cl::CL_MEM_COPY_HOST_PTR != 0);
        let host_cached = flags & (cl::CL_MEM_USE_HOST_PTR | cl::CL_MEM_ALLOC_HOST_PTR) != 0;
        let svm = use_host.and_then(|host| context.svm_find(host.address()));
        let uses_svm = svm.is_some();
        if let Some(host) = host {
            storage::check_shared(context, host, use_host.is_some())?;
        }
        let svm = svm.filter(|(_, offset)| *offset == 0);
        let svm = svm.map(|(allocation, _)| Shared {
            memory: allocation.memory().clone(),
            copied: allocation.is_away(),
        });
        let list = properties.list.take();
        let fixed_addresses = properties.fixed_addresses;
        let external = properties.import(size)?;
        let devices = context.devices();
        let own = match (use_host, &svm, &external) {
            (Some(host), None, None) => Storage::of_used_host(devices, host)?,
            _ => None,
        };
        let (storage, origin) = match (&external, own) {
            (_, Some(own)) => own,
            (Some(External::Memory(ExternalMemory { device, bytes, .. })), None) => {
                let index = context.device_index(device).ok_or(Error::InvalidDevice)?;
                let storage = Storage::external(devices, size, (index, bytes.clone()))?;
                (storage, 0)
            }
            _ => {
                let storage = Storage::new(devices, size, contents, use_host, svm, host_cached)?;
                (storage, 0)
            }
        };
        let addresses = fixed_addresses.then(|| Addresses::of(context, &storage));
        let object = Object::new(Mem {
            context: context.clone(),
            flags: with_default_access(flags),
            size,
            origin,
            parent: None,
            properties: list,
            host_address: use_host.map_or(0, HostSlice::address),
            uses_svm,
            content: Content::Bytes(storage),
            external,
            addresses: addresses.transpose()?,
            mappings: Mappings::default(),
            destructors: Mutex::default(),
        });
        if let Some(addresses) = &object.addresses {
            addresses.register(&object);
        }
        registry::note(&object);
        Ok(object)
    }

    /// A buffer of memory that the application has imported; it begins at a byte of the storage.
    pub(super) fn imported(
        context: &Ref<Context>,
        flags: u64,
        size: usize,
        (storage, origin): (Arc<Storage>, usize),
    ) -> Ref<Mem> {
        Object::new(Mem {
            context: context.clone(),
            flags: with_default_access(flags),
            size,
            origin,
            parent: None,
            properties: None,
            host_address: 0,
            uses_svm: false,
            content: Content::Bytes(storage),
            external: None,
            addresses: None,
            mappings: Mappings::default(),
            destructors: Mutex::default(),
        })
    }

    /// An image or a pipe.
    pub(super) fn of_desc(desc: MemDesc, content: Content) -> Ref<Mem> {
        Object::new(Mem {
            context: desc.context,
            flags: desc.flags,
            size: desc.size,
            origin: 0,
            uses_svm: desc.parent.as_ref().is_some_and(|parent| parent.uses_svm),
            parent: desc.parent,
            properties: desc.properties,
            host_address: desc.host_address,
            content,
            external: desc.external,
            addresses: None,
            mappings: Mappings::default(),
            destructors: Mutex::default(),
        })
    }
}

impl Object<Mem> {
    /// clCreateSubBuffer with CL_BUFFER_CREATE_TYPE_REGION.
    ///
    /// # Errors
    /// Those that the specification lists for clCreateSubBuffer, in its order.
    pub fn create_sub(self: &Ref<Mem>, flags: u64, origin: usize, size: usize) -> Result<Ref<Mem>> {
        self.context.check_live()?;
        // CL_INVALID_MEM_OBJECT if buffer is a sub-buffer or no buffer.
        let storage = self.storage()?;
        if self.parent.is_some() {
            return Err(Error::InvalidMemObject.because("the object is a sub-buffer"));
        }
        check_flags(flags)?;
        let inherited = inherited_flags(self, flags)?;
        // CL_INVALID_VALUE if the region is out of bounds; CL_INVALID_BUFFER_SIZE if its size is
        // 0.
        if size == 0 {
            return Err(Error::InvalidBufferSize.because("the size is 0"));
        }
        self.check_range(origin, size)?;
        // CL_MISALIGNED_SUB_BUFFER_OFFSET if origin suits no device of the context.
        let aligns = self.context.devices().iter().map(|d| d.base_alignment());
        let least = aligns.min().unwrap_or(1);
        if origin % least != 0 {
            let reason = format!("origin {origin} is no multiple of a device's {least} bytes");
            return Err(Error::MisalignedSubBufferOffset.because(reason));
        }
        Ok(Object::new(Mem {
            context: self.context.clone(),
            flags: inherited,
            size,
            origin: self.origin + origin,
            parent: Some(self.clone()),
            properties: None,
            host_address: match self.host_address {
                0 => 0,
                address => address + origin,
            },
            uses_svm: self.uses_svm,
            content: Content::Bytes(storage.clone()),
            external: None,
            addresses: None,
            mappings: Mappings::default(),
            destructors: Mutex::default(),
        }))
    }

    /// The addresses of the first byte on the context's devices: CL_INVALID_OPERATION if the buffer was not
    /// created with CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, nor the one that it is a part of.
    fn device_addresses(&self) -> Result<Vec<u64>> {
        let parent = self.parent.as_ref().and_then(|p| p.addresses.as_ref());
        let addresses = self.addresses.as_ref().or(parent).ok_or_else(|| {
            let reason = "the buffer was not created with CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT";
            Error::InvalidOperation.because(reason)
        })?;
        let shifted = |address: &u64| match address {
            0 => 0,
            _ => address + self.origin as u64,
        };
        Ok(addresses.list().iter().map(shifted).collect())
    }

    /// clGetMemObjectInfo.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for other names.
    pub fn info(self: &Ref<Mem>, name: u32) -> Result<Info> {
        Ok(match name {
            cl::CL_MEM_TYPE => Info::u32(match &self.content {
                Content::Bytes(_) => cl::CL_MEM_OBJECT_BUFFER,
                Content::Image(image) => image.image_type(),
                Content::Pipe(_) => cl::CL_MEM_OBJECT_PIPE,
            }),
            cl::CL_MEM_FLAGS => Info::u64(self.flags),
            cl::CL_MEM_SIZE => Info::size(self.size),
            cl::CL_MEM_HOST_PTR => Info::size(self.host_address),
            cl::CL_MEM_MAP_COUNT => Info::u32(self.mappings.count() as u32),
            cl::CL_MEM_REFERENCE_COUNT => Info::u32(self.reference_count()),
            cl::CL_MEM_CONTEXT => Info::object(&self.context),
            cl::CL_MEM_ASSOCIATED_MEMOBJECT => Info::optional(self.parent.as_ref()),
            cl::CL_MEM_OFFSET => Info::size(self.offset()),
            cl::CL_MEM_USES_SVM_POINTER => Info::bool(self.uses_svm),
            cl::CL_MEM_DEVICE_ADDRESS_EXT => Info::u64s(&self.device_addresses()?),
            cl::CL_MEM_PROPERTIES => Info::u64s(self.properties.as_deref().unwrap_or_default()),
            _ => return Err(Error::InvalidValue),
        })
    }
}

impl Object<Mem> {
    /// clGetImageInfo: CL_INVALID_MEM_OBJECT if it is no image.
    ///
    /// # Errors
    /// [`Error::InvalidMemObject`]; [`Error::InvalidValue`] for other names.
    pub fn image_info(self: &Ref<Mem>, name: u32) -> Result<Info> {
        let image = self.image().ok_or(Error::InvalidMemObject)?;
        match name {
            cl::CL_IMAGE_BUFFER => {
                let parent = self.parent.as_ref();
                Ok(Info::optional(
                    parent.filter(|parent| parent.image().is_none()),
                ))
            }
            _ => image.info(name),
        }
    }
}

impl Mem {
    /// The context.
    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// `cl_mem_flags`, with the default access filled in.
    pub fn flags(&self) -> u64 {
        self.flags
    }

    /// CL_MEM_OFFSET.
    fn offset(&self) -> usize {
        let parent = self.parent.as_ref().filter(|_| self.image().is_none());
        parent.map_or(0, |parent| self.origin - parent.origin)
    }

    /// The address of the application's memory (CL_MEM_USE_HOST_PTR), else 0.
    pub fn host_address(&self) -> usize {
        self.host_address
    }

    /// The buffer that it is a part of.
    pub fn parent(&self) -> Option<&Ref<Mem>> {
        self.parent.as_ref()
    }

    /// Offset of its first byte in the storage.
    pub fn origin(&self) -> usize {
        self.origin
    }

    /// A buffer's bytes: CL_INVALID_MEM_OBJECT if it is an image or a pipe.
    ///
    /// # Errors
    /// [`Error::InvalidMemObject`].
    pub fn storage(&self) -> Result<&Arc<Storage>> {
        match &self.content {
            Content::Bytes(storage) => Ok(storage),
            Content::Image(_) => Err(Error::InvalidMemObject.because("an image is given")),
            Content::Pipe(_) => Err(Error::InvalidMemObject.because("a pipe is given")),
        }
    }

    /// The bytes that a kernel gets as a buffer or a pipe: CL_INVALID_MEM_OBJECT if it is an image.
    ///
    /// # Errors
    /// [`Error::InvalidMemObject`].
    pub fn kernel_storage(&self) -> Result<&Arc<Storage>> {
        match &self.content {
            Content::Pipe(pipe) => Ok(&pipe.storage),
            _ => self.storage(),
        }
    }

    /// A part of a buffer: CL_INVALID_MEM_OBJECT if it is an image or a pipe.
    ///
    /// # Errors
    /// [`Error::InvalidMemObject`].
    pub fn bytes(&self, offset: usize, size: usize) -> Result<Part> {
        Ok(Part::Bytes {
            storage: self.storage()?.clone(),
            place: Layout::linear(self.origin + offset),
            extent: [size, 1, 1],
        })
    }

    /// clSetContentSizeBufferPoCL: a migration copies only the bytes that mean something.
    ///
    /// # Errors
    /// Those that cl_pocl_content_size lists, in its order.
    pub fn set_content_size(&self, content_size: &Mem) -> Result<()> {
        // CL_INVALID_VALUE if one is no buffer, or the number does not fit.
        let storages = (self.storage(), content_size.storage());
        let (Ok(storage), Ok(number)) = storages else {
            return Err(Error::InvalidValue.because("an image is given"));
        };
        if content_size.size < size_of::<u64>() {
            return Err(Error::InvalidValue.because("the buffer of the size has less than 8 bytes"));
        }
        // CL_INVALID_CONTEXT if they are of different contexts.
        if self.context.handle() != content_size.context.handle() {
            return Err(Error::InvalidContext.because("the objects are of different contexts"));
        }
        // A part says nothing of the whole, which is what is copied.
        if self.parent.is_none() && self.origin == 0 {
            storage.set_content_size(number, content_size.origin);
        }
        Ok(())
    }

    /// Its properties as an image; `None` for a buffer or a pipe.
    pub fn image(&self) -> Option<&ImageMem> {
        match &self.content {
            Content::Image(image) => Some(image),
            Content::Bytes(_) | Content::Pipe(_) => None,
        }
    }

    /// Its sizes as a pipe: CL_INVALID_MEM_OBJECT if it is none.
    ///
    /// # Errors
    /// [`Error::InvalidMemObject`].
    pub fn pipe(&self) -> Result<&Pipe> {
        match &self.content {
            Content::Pipe(pipe) => Ok(pipe),
            _ => Err(Error::InvalidMemObject.because("the object is no pipe")),
        }
    }

    /// Tells whether its texels are depths.
    pub fn is_depth_image(&self) -> bool {
        let order = self.image().map(|image| image.format().order);
        matches!(order, Some(cl::CL_DEPTH | CL_DEPTH_STENCIL))
    }

    /// The memory of another API that it was made of.
    pub fn external(&self) -> Option<&External> {
        self.external.as_ref()
    }

    /// Its contents.
    pub fn contents(&self) -> Arc<dyn Contents> {
        match &self.content {
            Content::Bytes(storage) => storage.clone(),
            Content::Image(image) => image.contents(),
            Content::Pipe(pipe) => pipe.storage.clone(),
        }
    }

    /// Makes a device of the context hold the newest contents.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn on_device(&self, index: usize, access: Access) -> Result<()> {
        self.contents().bring(index, access)
    }

    /// Tells whether kernels may write to it.
    pub fn kernel_writes(&self) -> bool {
        let never = cl::CL_MEM_READ_ONLY | cl::CL_MEM_IMMUTABLE_EXT | NO_ACCESS;
        self.flags & never == 0
    }

    /// CL_INVALID_OPERATION if the object is immutable (cl_ext_immutable_memory_objects).
    ///
    /// # Errors
    /// [`Error::InvalidOperation`].
    pub fn check_mutable(&self) -> Result<()> {
        match self.flags & cl::CL_MEM_IMMUTABLE_EXT {
            0 => Ok(()),
            _ => Err(Error::InvalidOperation.because("the object is immutable")),
        }
    }

    /// CL_INVALID_OPERATION if the host may not read the object's bytes.
    ///
    /// # Errors
    /// [`Error::InvalidOperation`].
    pub fn check_host_reads(&self) -> Result<()> {
        if self.flags & (cl::CL_MEM_HOST_WRITE_ONLY | cl::CL_MEM_HOST_NO_ACCESS) != 0 {
            let reason = "the object's flags do not let the host read it";
            return Err(Error::InvalidOperation.because(reason));
        }
        Ok(())
    }

    /// CL_INVALID_OPERATION if the host may not write the object's bytes.
    ///
    /// # Errors
    /// [`Error::InvalidOperation`].
    pub fn check_host_writes(&self) -> Result<()> {
        if self.flags & (cl::CL_MEM_HOST_READ_ONLY | cl::CL_MEM_HOST_NO_ACCESS) != 0 {
            let reason = "the object's flags do not let the host write it";
            return Err(Error::InvalidOperation.because(reason));
        }
        self.check_mutable()
    }

    /// CL_INVALID_VALUE if `size` bytes at `offset` are not inside the object.
    ///
    /// # Errors
    /// [`Error::InvalidValue`].
    pub fn check_range(&self, offset: usize, size: usize) -> Result<()> {
        match offset.checked_add(size) {
            Some(end) if end <= self.size => Ok(()),
            _ => Err(Error::InvalidValue.because(format!(
                "{size} bytes at offset {offset} are not inside the {} bytes of the object",
                self.size
            ))),
        }
    }

    /// CL_INVALID_VALUE if the region is not inside the object.
    ///
    /// # Errors
    /// [`Error::InvalidValue`].
    pub fn check_region(&self, layout: Layout, extent: Extent) -> Result<()> {
        match layout.end(extent) {
            Some(end) if end <= self.size => Ok(()),
            _ => Err(Error::InvalidValue.because(format!(
                "the region is not inside the {} bytes of the object",
                self.size
            ))),
        }
    }

    /// CL_MISALIGNED_SUB_BUFFER_OFFSET if it is a sub-buffer whose offset does not suit `device`.
    ///
    /// # Errors
    /// [`Error::MisalignedSubBufferOffset`].
    pub fn check_alignment(&self, device: &Device) -> Result<()> {
        // An image of a sub-buffer lies where that does.
        let shown = self.parent.as_deref().filter(|_| self.image().is_some());
        if let Some(buffer) = shown {
            return buffer.check_alignment(device);
        }
        if self.parent.is_some() && self.offset() % device.base_alignment() != 0 {
            return Err(Error::MisalignedSubBufferOffset);
        }
        Ok(())
    }

    /// The parts that the application has mapped.
    pub fn mappings(&self) -> &Mappings {
        &self.mappings
    }

    /// clSetMemObjectDestructorCallback.
    pub fn add_destructor(&self, destructor: Destructor) {
        self.destructors.lock().push(destructor);
    }
}

impl Drop for Mem {
    fn drop(&mut self) {
        // The callbacks run in reverse order of registration, before the memory is freed.
        for destructor in std::mem::take(self.destructors.get_mut()).into_iter().rev() {
            destructor();
        }
    }
}
