//! Memory that another API or process has allocated (cl_khr_external_memory), and the APIs that memory objects are
//! shared with.
//!
//! A buffer is that memory itself. An image has texels of its own, and the memory holds them row by row: to
//! acquire the image copies them from there, to release it copies them back.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use opencl_sys as cl;
use parking_lot::Mutex;
use pumice_gl_layer::{Object as ContentObject, Picture, ShareGroup};
use pumice_vulkan_layer::{Buffer, MemoryFd, imports};

use crate::base::error::{Error, Result};
use crate::base::object::Ref;
use crate::base::property::{Property, repeats};
use crate::context::Context;
use crate::device::Device;
use crate::device::gpu;
use crate::memory::Mem;
use crate::memory::device_address;
use crate::memory::egl::EglImage;
use crate::memory::flags::HOST_PTR_BITS;
use crate::memory::gl::GlObject;
use crate::os::Fd;

/// CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR among properties.
const OPAQUE_FD: u64 = cl::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR as u64;
/// CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR among properties.
const DMA_BUF: u64 = cl::CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR as u64;

/// The API that memory objects are acquired from and released to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// OpenGL (cl_khr_gl_sharing).
    Gl,
    /// EGL (cl_khr_egl_image).
    Egl,
    /// Whoever has the memory too (cl_khr_external_memory).
    Memory,
}

impl Owner {
    /// The type of the command that acquires, if `to_us`, or releases.
    pub fn command_type(self, to_us: bool) -> u32 {
        use cl::cl_egl;
        match (self, to_us) {
            (Owner::Gl, true) => cl::CL_COMMAND_ACQUIRE_GL_OBJECTS,
            (Owner::Gl, false) => cl::CL_COMMAND_RELEASE_GL_OBJECTS,
            (Owner::Egl, true) => cl_egl::CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR,
            (Owner::Egl, false) => cl_egl::CL_COMMAND_RELEASE_EGL_OBJECTS_KHR,
            (Owner::Memory, true) => cl::CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR,
            (Owner::Memory, false) => cl::CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR,
        }
    }

    /// The command's name in logs.
    pub fn command_name(self, to_us: bool) -> &'static str {
        match (self, to_us) {
            (Owner::Gl, true) => "acquire of OpenGL",
            (Owner::Gl, false) => "release to OpenGL",
            (Owner::Egl, true) => "acquire of EGL",
            (Owner::Egl, false) => "release to EGL",
            (Owner::Memory, true) => "acquire",
            (Owner::Memory, false) => "release",
        }
    }
}

/// The thing of another API that a memory object was made of.
pub enum External {
    /// Memory of the device's.
    Memory(ExternalMemory),
    /// An object of OpenGL, whose contents are copied.
    Gl(GlObject),
    /// An image of EGL, whose contents are copied.
    Egl(EglImage),
}

/// Memory of the device's that another API or process has allocated.
pub struct ExternalMemory {
    /// The device that the memory is on.
    pub device: Ref<Device>,
    /// The memory.
    pub bytes: Buffer,
    /// Guards the event of the last acquire or release, of a folder that memory does not know.
    last: Mutex<Option<Box<dyn Any + Send>>>,
}

impl ExternalMemory {
    /// The event of the acquire or release that was enqueued last.
    pub fn last_hand_over<E: Clone + 'static>(&self) -> Option<E> {
        self.last.lock().as_ref()?.downcast_ref::<E>().cloned()
    }

    /// Notes the event of an acquire or release.
    pub fn note_hand_over(&self, event: impl Any + Send) {
        let before = self.last.lock().replace(Box::new(event));
        drop(before);
    }
}

impl Mem {
    /// The device's memory of another API that it was made of.
    pub fn external_memory(&self) -> Option<&ExternalMemory> {
        match self.external() {
            Some(External::Memory(memory)) => Some(memory),
            Some(External::Gl(_) | External::Egl(_)) | None => None,
        }
    }

    /// The object of OpenGL or EGL that it was made of, as copies know it.
    ///
    /// # Errors
    /// [`Error::InvalidGlObject`], [`Error::InvalidEglObject`] or [`Error::InvalidMemObject`] if it was not made of one of
    /// the owner's.
    pub fn shared(&self, owner: Owner) -> Result<&Shared> {
        match (owner, self.external()) {
            (Owner::Gl, Some(External::Gl(object))) => Ok(object.shared()),
            (Owner::Egl, Some(External::Egl(image))) => Ok(image.shared()),
            (Owner::Gl, _) => {
                Err(Error::InvalidGlObject.because("the object was not made of one of OpenGL's"))
            }
            (Owner::Egl, _) => {
                Err(Error::InvalidEglObject.because("the object was not made of an image of EGL"))
            }
            (Owner::Memory, _) => Err(Error::InvalidMemObject),
        }
    }
}

/// An object of OpenGL that copies reach.
pub struct Shared {
    /// The share group that has the object.
    pub group: Arc<ShareGroup>,
    /// The object that has the contents.
    pub object: ContentObject,
    /// The levels of OpenGL's that are the levels of the image; none for bytes.
    pub levels: Vec<(u32, Picture)>,
    /// The acquires' own part of [`Contents::writes`](crate::memory::residency::Contents::writes).
    acquired: AtomicU64,
}

impl Shared {
    /// An object that nobody has acquired yet.
    pub(super) fn new(
        group: &Arc<ShareGroup>,
        object: ContentObject,
        levels: Vec<(u32, Picture)>,
    ) -> Self {
        Self {
            group: group.clone(),
            object,
            levels,
            acquired: AtomicU64::new(0),
        }
    }

    /// Notes that an acquire has written the memory object's contents once.
    pub fn note_acquired(&self) {
        self.acquired.fetch_add(1, Ordering::AcqRel);
    }

    /// Tells whether a memory object that kernels do not write has what the acquires brought: neither the host nor a copy
    /// has written it.
    pub fn is_unchanged(&self, mem: &Mem) -> bool {
        !mem.kernel_writes() && mem.contents().writes() == self.acquired.load(Ordering::Acquire)
    }
}

/// The properties of a new memory object.
#[derive(Default)]
pub struct Properties {
    /// The list as given, with its terminator; `None` for NULL.
    pub list: Option<Vec<u64>>,
    handle: Option<Handle>,
    /// The object of OpenGL or EGL that the memory object is made of.
    pub(super) shared: Option<External>,
    /// CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT.
    pub(super) fixed_addresses: bool,
}

/// A handle of memory, and the device that imports it.
struct Handle {
    device: Ref<Device>,
    kind: MemoryFd,
    /// The error of a value that is no descriptor is told after those of the other arguments: a program that has given its
    /// descriptor away still learns of them.
    fd: Result<Fd>,
}

/// Tells whether a property has a list, with a terminator, for a value.
pub fn has_list(name: u64) -> bool {
    name == cl::CL_MEM_DEVICE_HANDLE_LIST_KHR
}

impl Properties {
    /// Those of a memory object that is made of an object of OpenGL or EGL.
    pub(super) fn of_shared(object: External) -> Self {
        Self {
            shared: Some(object),
            ..Self::default()
        }
    }

    /// Checks the properties of a buffer or image. `device` gives the device of a handle, `fd` another
    /// descriptor of the file that a value names.
    ///
    /// The memory is associated with one device: only that which allocated it, or its twin in another
    /// process, can be expected to know its layout.
    ///
    /// # Errors
    /// CL_INVALID_PROPERTY, CL_INVALID_DEVICE, in the order of clCreateBufferWithProperties.
    pub fn check(
        context: &Ref<Context>,
        (properties, list): (Option<Vec<Property>>, Vec<u64>),
        device: impl Fn(u64) -> Result<Ref<Device>>,
        fd: impl Fn(u64) -> Result<Fd>,
    ) -> Result<Self> {
        let Some(properties) = properties else {
            return Ok(Self::default());
        };
        // CL_INVALID_PROPERTY if a name or value is not valid, or a name stands there twice.
        if repeats(&properties) {
            return Err(Error::InvalidProperty);
        }
        let (mut handle, mut devices, mut fixed_addresses) = (None, None, false);
        for Property { name, values } in &properties {
            let kind = match *name {
                OPAQUE_FD => MemoryFd::Opaque,
                DMA_BUF => MemoryFd::DmaBuf,
                cl::CL_MEM_DEVICE_HANDLE_LIST_KHR => {
                    devices = Some(values);
                    continue;
                }
                cl::CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT => {
                    fixed_addresses = match values[..] {
                        [0] => false,
                        [1] => true,
                        _ => return Err(Error::InvalidProperty),
                    };
                    // CL_INVALID_OPERATION if no device of the context has the extension.
                    device_address::check_support(context)?;
                    continue;
                }
                _ => return Err(Error::InvalidProperty),
            };
            let known = |device: &Ref<Device>| imports(device.capabilities(), kind);
            // CL_INVALID_PROPERTY if there is more than one handle, or no device knows its kind.
            if handle.is_some() || !context.devices().iter().any(known) {
                return Err(Error::InvalidProperty);
            }
            handle = Some((kind, values.first().copied().ok_or(Error::InvalidProperty)?));
        }
        let list = Some(list);
        let Some((kind, value)) = handle else {
            // CL_INVALID_PROPERTY if devices are given without a handle.
            return match devices {
                Some(_) => Err(Error::InvalidProperty),
                None => Ok(Self {
                    list,
                    fixed_addresses,
                    ..Self::default()
                }),
            };
        };
        let device = match (devices.map(|values| &**values), context.devices()) {
            (Some(&[value]), _) => device(value)?,
            (None, [only]) => only.clone(),
            _ => return Err(Error::InvalidDevice),
        };
        // CL_INVALID_DEVICE if the device is none of the context's, or cannot import the handle.
        context.device_index(&device).ok_or(Error::InvalidDevice)?;
        if !imports(device.capabilities(), kind) {
            return Err(Error::InvalidDevice);
        }
        let fd = fd(value);
        let handle = Some(Handle { device, kind, fd });
        Ok(Self {
            list,
            handle,
            fixed_addresses,
            shared: None,
        })
    }

    /// Tells whether the memory is another API's.
    pub fn is_external(&self) -> bool {
        self.handle.is_some()
    }

    /// CL_INVALID_PROPERTY if a property is for buffers only.
    pub(super) fn check_image(&self) -> Result<()> {
        match self.fixed_addresses {
            true => Err(Error::InvalidProperty.because("an image has no device address")),
            false => Ok(()),
        }
    }

    /// CL_INVALID_VALUE if flags ask for memory of the host's where the memory is another API's.
    pub(super) fn check_flags(&self, flags: u64) -> Result<()> {
        match self.is_external() && flags & HOST_PTR_BITS != 0 {
            true => Err(Error::InvalidValue),
            false => Ok(()),
        }
    }

    /// Imports the memory, `size` bytes of it.
    ///
    /// # Errors
    /// CL_INVALID_PROPERTY if the driver refuses the handle, for example because its memory is smaller.
    pub(super) fn import(self, size: usize) -> Result<Option<External>> {
        let Some(Handle { device, kind, fd }) = self.handle else {
            return Ok(self.shared);
        };
        let bytes = device.gpu()?.raw().import_memory(kind, fd?, size as u64);
        let bytes = bytes.map_err(|error| match gpu::error(error) {
            Error::OutOfResources => Error::InvalidProperty,
            other => other,
        })?;
        Ok(Some(External::Memory(ExternalMemory {
            device,
            bytes,
            last: Mutex::default(),
        })))
    }
}
