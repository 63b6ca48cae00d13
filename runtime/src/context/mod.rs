//! Contexts: a set of devices and what is shared between them; `svm.rs` has shared virtual memory,
//! `device_queue.rs` the queues that kernels enqueue into, `printf.rs` the callback of cl_arm_printf,
//! `gl.rs` the share group of OpenGL, `termination.rs` the flags of cl_khr_terminate_context.

pub mod device_queue;
pub mod gl;
mod printf;
pub mod svm;
mod termination;
pub mod unified_svm;
pub mod usm;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use opencl_sys as cl;
use parking_lot::Mutex;
use pumice_gl_layer::ShareGroup;
use pumice_vulkan_layer::Buffer;

use crate::base::error::{Error, Result};
use crate::base::info::Info;
use crate::base::object::{Kind, Object, Ref};
use crate::base::printf as base_printf;
use crate::base::reason::Callback;
use crate::context::device_queue::DeviceQueues;
use crate::context::printf::Printf;
use crate::context::svm::Allocations;
use crate::context::termination::Termination;
use crate::device::platform::Platform;
use crate::device::{Device, Wishes, extensions};

pub use self::printf::PrintfCallback;

/// A function of the application that runs once when an object is destroyed.
pub type Destructor = Box<dyn FnOnce() + Send>;

/// A context object.
pub struct Context {
    devices: Vec<Ref<Device>>,
    /// [`Device::openings`] of each, by which a loss is known.
    openings: Vec<usize>,
    /// The properties as given, with the terminating zero; `None` for NULL.
    properties: Option<Vec<isize>>,
    notify: Option<Callback>,
    /// The application's printf callback; without one text goes to stdout.
    printf: Option<Arc<Printf>>,
    /// The wishes about programs.
    wishes: Wishes,
    /// The flags that end its kernels, if the application asked for them.
    termination: Option<Termination>,
    /// Guards the callbacks of clSetContextDestructorCallback, in order of registration.
    destructors: Mutex<Vec<Destructor>>,
    /// The share group of OpenGL, if the context was created with one.
    share_group: Option<Arc<ShareGroup>>,
    /// Guards the share groups by which images of displays of EGL are reached; they are opened under the lock.
    display_groups: Mutex<Vec<Arc<ShareGroup>>>,
    /// User events whose status is still to be set.
    open_user_events: AtomicUsize,
    /// Shared virtual memory.
    svm: Allocations,
    /// Guards which device queues there are, by the devices' places.
    device_queues: Mutex<Vec<DeviceQueues>>,
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("devices", &self.devices.len())
            .finish_non_exhaustive()
    }
}

impl Kind for Context {
    const TAG: u64 = u64::from_le_bytes(*b"pmcCONTX");
    const INVALID: Error = Error::InvalidContext;

    fn error_callback(&self) -> Option<Callback> {
        self.notify.clone()
    }
}

/// The place that commands are made for: a queue's device in its context.
#[derive(Clone, Debug)]
pub struct Placement {
    context: Ref<Context>,
    device: Ref<Device>,
    index: usize,
    number: usize,
}

impl Placement {
    /// The place of a new queue.
    ///
    /// # Errors
    /// CL_INVALID_DEVICE if the device is none of the context's.
    pub fn new(context: &Ref<Context>, device: &Ref<Device>) -> Result<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        let index = context
            .device_index(device)
            .ok_or_else(|| Error::InvalidDevice.because("the device is not one of the context"))?;
        Ok(Self {
            context: context.clone(),
            device: device.clone(),
            index,
            number: NEXT.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// The context.
    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    /// The device.
    pub fn device(&self) -> &Ref<Device> {
        &self.device
    }

    /// Its place among the context's devices, and so among the copies of a memory object.
    pub fn index(&self) -> usize {
        self.index
    }

    /// A number that no other queue has: launches of one queue can share memory in turn.
    pub fn number(&self) -> usize {
        self.number
    }

    /// CL_INVALID_CONTEXT if an object belongs to another context.
    ///
    /// # Errors
    /// [`Error::InvalidContext`].
    pub fn check_context(&self, other: &Ref<Context>) -> Result<()> {
        if self.context.handle() != other.handle() {
            return Err(Error::InvalidContext.because("the objects are of different contexts"));
        }
        Ok(())
    }
}

/// CL_PRINTF_CALLBACK_ARM.
pub const PRINTF_CALLBACK: isize = cl::CL_PRINTF_CALLBACK_ARM as isize;
/// CL_PRINTF_BUFFERSIZE_ARM.
const PRINTF_BUFFERSIZE: isize = cl::CL_PRINTF_BUFFERSIZE_ARM as isize;

/// CL_CONTEXT_MEMORY_INITIALIZE_KHR.
const MEMORY_INITIALIZE: isize = cl::CL_CONTEXT_MEMORY_INITIALIZE_KHR as isize;
const ZERO_LOCAL: u64 = cl::CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR;
const ZERO_PRIVATE: u64 = cl::CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR;

/// CL_CONTEXT_TERMINATE_KHR.
const TERMINATE: isize = cl::CL_CONTEXT_TERMINATE_KHR as isize;
/// CL_CONTEXT_TERMINATE_KHR as the headers of OpenCL 1.2 had it; no other property of contexts has the number.
const TERMINATE_1X: isize = 0x2010;

/// The functions of the application that a context calls.
#[derive(Default)]
pub struct Callbacks {
    /// pfn_notify.
    pub notify: Option<Callback>,
    /// CL_PRINTF_CALLBACK_ARM.
    pub printf: Option<PrintfCallback>,
}

/// Checks the property list of clCreateContext and clCreateContextFromType and gives it back
/// with its terminator. `is_platform` says whether a value is the platform's handle.
///
/// # Errors
/// [`Error::InvalidPlatform`] for another platform; [`Error::InvalidProperty`] for a name that is
/// unknown or stands twice, or for a value that is not valid.
pub fn check_properties(
    properties: Option<Vec<[isize; 2]>>,
    is_platform: impl Fn(isize) -> bool,
) -> Result<Option<Vec<isize>>> {
    let Some(pairs) = properties else {
        return Ok(None);
    };
    let mut list = Vec::with_capacity(pairs.len() * 2 + 1);
    for (index, [name, value]) in pairs.iter().copied().enumerate() {
        // CL_INVALID_PROPERTY if a property name is not supported, its value is not valid, or
        // the same name is given more than once.
        let one_name = |name| {
            if name == TERMINATE_1X {
                TERMINATE
            } else {
                name
            }
        };
        let same = |[earlier, _]: &[isize; 2]| one_name(*earlier) == one_name(name);
        if pairs[..index].iter().any(same) {
            let reason = format!("property {name:#x} is given twice");
            return Err(Error::InvalidProperty.because(reason));
        }
        match name {
            // CL_INVALID_PLATFORM if the platform is not a valid platform.
            cl::CL_CONTEXT_PLATFORM if !is_platform(value) => {
                let reason = "the value of CL_CONTEXT_PLATFORM is not this platform";
                return Err(Error::InvalidPlatform.because(reason));
            }
            cl::CL_CONTEXT_PLATFORM => {}
            cl::CL_CONTEXT_INTEROP_USER_SYNC if value == 0 || value == 1 => {}
            // A callback, and a size that may be ignored.
            PRINTF_CALLBACK if value != 0 => {}
            PRINTF_BUFFERSIZE if value > 0 => {}
            MEMORY_INITIALIZE if value as u64 & !(ZERO_LOCAL | ZERO_PRIVATE) == 0 => {}
            TERMINATE | TERMINATE_1X if value == 0 || value == 1 => {}
            // What they name is looked at when the context is created.
            name if gl::is_property(name) => {}
            _ => {
                let reason =
                    format!("{name:#x} is no property of contexts, or cannot be {value:#x}");
                return Err(Error::InvalidProperty.because(reason));
            }
        }
        list.extend([name, value]);
    }
    gl::check_user_sync(&list)?;
    list.push(0);
    Ok(Some(list))
}

/// The value of a property in a list with its terminator.
pub fn property(list: Option<&[isize]>, name: isize) -> Option<isize> {
    let mut pairs = list?.chunks_exact(2);
    pairs.find(|pair| pair[0] == name).map(|pair| pair[1])
}

impl Context {
    /// clCreateContext, after the property list. Devices given twice count once.
    ///
    /// # Errors
    /// Those that the specification lists for clCreateContext, in its order.
    pub fn create(
        properties: Option<Vec<isize>>,
        devices: Vec<Ref<Device>>,
        callbacks: Callbacks,
        share_group: Option<ShareGroup>,
    ) -> Result<Ref<Context>> {
        // CL_INVALID_VALUE if devices is NULL or num_devices is zero.
        if devices.is_empty() {
            return Err(Error::InvalidValue.because("the list of devices is empty"));
        }
        let mut unique: Vec<Ref<Device>> = Vec::with_capacity(devices.len());
        for device in devices {
            if !unique.iter().any(|d| d.handle() == device.handle()) {
                unique.push(device);
            }
        }
        let list = properties.as_deref();
        let zero = property(list, MEMORY_INITIALIZE).unwrap_or_default() as u64;
        let wishes = Wishes {
            zero_local: zero & ZERO_LOCAL != 0,
            zero_private: zero & ZERO_PRIVATE != 0,
            printf_buffer: property(list, PRINTF_BUFFERSIZE).unwrap_or_default() as u64,
            terminable: [TERMINATE, TERMINATE_1X]
                .iter()
                .any(|&name| property(list, name) == Some(1)),
        };
        // CL_INVALID_PROPERTY if a device cannot start local memory with zeros.
        let zeroes = |device: &Ref<Device>| extensions::zeroes_local(device.capabilities());
        if zero != 0 && !unique.iter().all(zeroes) {
            let reason = "a device does not have cl_khr_initialize_memory";
            return Err(Error::InvalidProperty.because(reason));
        }
        // CL_INVALID_PROPERTY if a device cannot end what it runs.
        if wishes.terminable && !unique.iter().all(|device| device.has_addresses()) {
            let reason = "a device does not have cl_khr_terminate_context";
            return Err(Error::InvalidProperty.because(reason));
        }
        // CL_INVALID_OPERATION if a device cannot share objects with OpenGL.
        if share_group.is_some() && !unique.iter().all(|device| device.has_images()) {
            let reason = "a device does not have cl_khr_gl_sharing";
            return Err(Error::InvalidOperation.because(reason));
        }
        // CL_DEVICE_NOT_AVAILABLE if a device cannot be opened. Its start-up probes run here too:
        // what drivers build up at their first shader is there when the ICD registers its exit
        // handler, which must run before theirs.
        for device in &unique {
            device.renew()?;
            device.target()?;
        }
        let termination = match wishes.terminable {
            true => Some(Termination::new(&unique)?),
            false => None,
        };
        let device_queues = unique.iter().map(|_| DeviceQueues::default()).collect();
        Ok(Object::new(Context {
            device_queues: Mutex::new(device_queues),
            openings: unique.iter().map(|device| device.openings()).collect(),
            devices: unique,
            properties,
            notify: callbacks.notify,
            printf: callbacks.printf.map(Printf::new),
            wishes,
            termination,
            share_group: share_group.map(Arc::new),
            display_groups: Mutex::default(),
            open_user_events: AtomicUsize::new(0),
            destructors: Mutex::new(Vec::new()),
            svm: Allocations::default(),
        }))
    }

    /// clCreateContextFromType, after the property list.
    ///
    /// # Errors
    /// Those that the specification lists for clCreateContextFromType, in its order.
    pub fn create_from_type(
        platform: &Ref<Platform>,
        properties: Option<Vec<isize>>,
        device_type: u64,
        callbacks: Callbacks,
        share_group: Option<ShareGroup>,
    ) -> Result<Ref<Context>> {
        let devices = platform.devices_of_type(device_type)?;
        Self::create(properties, devices, callbacks, share_group)
    }
}

impl Object<Context> {
    /// The devices, in the order given.
    pub fn devices(&self) -> &[Ref<Device>] {
        &self.devices
    }

    /// Tells whether kernels see addresses of global memory on any of its devices.
    pub fn has_addresses(&self) -> bool {
        self.devices.iter().any(|device| device.has_addresses())
    }

    /// Its shared virtual memory.
    pub(crate) fn svm(&self) -> &Allocations {
        &self.svm
    }

    /// The place of a device in [`Context::devices`].
    pub fn device_index(&self, device: &Ref<Device>) -> Option<usize> {
        self.devices
            .iter()
            .position(|d| d.handle() == device.handle())
    }

    /// CL_INVALID_OPERATION if no device supports images.
    ///
    /// # Errors
    /// [`Error::InvalidOperation`].
    pub fn check_images(&self) -> Result<()> {
        match self.devices.iter().any(|device| device.has_images()) {
            true => Ok(()),
            false => {
                Err(Error::InvalidOperation.because("no device of the context supports images"))
            }
        }
    }

    /// Tells the application's error callback about something, if it gave one.
    pub fn notify(&self, message: &str) {
        if let Some(notify) = &self.notify {
            notify(message);
        }
    }

    /// The wishes about its programs.
    pub(crate) fn wishes(&self) -> Wishes {
        self.wishes
    }

    /// Tells whether the context was created with CL_CONTEXT_TERMINATE_KHR.
    pub fn is_terminable(&self) -> bool {
        self.termination.is_some()
    }

    /// Tells whether the context has been terminated.
    pub fn is_terminated(&self) -> bool {
        self.termination.as_ref().is_some_and(Termination::is_set)
    }

    /// CL_CONTEXT_TERMINATED_KHR if the context has been terminated, CL_OUT_OF_RESOURCES if one of its devices was
    /// lost: what creates objects or enqueues commands asks first.
    ///
    /// # Errors
    /// [`Error::ContextTerminated`], [`Error::OutOfResources`].
    pub fn check_live(&self) -> Result<()> {
        if self.is_terminated() {
            return Err(Error::ContextTerminated.because("the context has been terminated"));
        }
        let mut devices = self.devices.iter().zip(&self.openings);
        if devices.any(|(device, &openings)| device.was_lost(openings)) {
            let reason = "a device of the context was lost; a new context gets it anew";
            return Err(Error::OutOfResources.because(reason));
        }
        Ok(())
    }

    /// The word that kernels on the device at a place look at, where the context can be terminated.
    pub(crate) fn termination_flag(&self, index: usize) -> Option<&Buffer> {
        self.termination.as_ref()?.flag(index)
    }

    /// Marks the context as terminated, ends its kernels and tells the application's callback; what becomes of the
    /// commands is for its queues (`queue::terminate`).
    ///
    /// # Errors
    /// Those that the specification lists for clTerminateContextKHR, in its order.
    pub(crate) fn terminate(&self) -> Result<()> {
        // CL_INVALID_OPERATION if the context was not created with CL_CONTEXT_TERMINATE_KHR set to CL_TRUE.
        let Some(termination) = &self.termination else {
            let reason = "the context was not created with CL_CONTEXT_TERMINATE_KHR";
            return Err(Error::InvalidOperation.because(reason));
        };
        // CL_CONTEXT_TERMINATED_KHR if it has already been terminated.
        termination.set(&self.devices)
    }

    /// Shows the text of a launch: to the application's callback, or on stdout.
    pub(crate) fn print(&self, text: Vec<u8>) {
        match &self.printf {
            Some(printf) if !text.is_empty() => printf.post(text),
            Some(_) => {}
            None => base_printf::print(&text),
        }
    }

    /// Waits until the application's printf callback has run for all that was printed.
    pub(crate) fn wait_printed(&self) {
        if let Some(printf) = &self.printf {
            printf.wait();
        }
    }

    /// clSetContextDestructorCallback.
    pub fn add_destructor(&self, destructor: Destructor) {
        self.destructors.lock().push(destructor);
    }

    /// clGetContextInfo.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for other names.
    pub fn info(self: &Ref<Context>, name: u32) -> Result<Info> {
        Ok(match name {
            cl::CL_CONTEXT_REFERENCE_COUNT => Info::u32(self.reference_count()),
            cl::CL_CONTEXT_NUM_DEVICES => Info::u32(self.devices.len() as u32),
            cl::CL_CONTEXT_DEVICES => Info::objects(&self.devices),
            cl::CL_CONTEXT_PROPERTIES => {
                let words: Vec<u64> = self
                    .properties
                    .iter()
                    .flatten()
                    .map(|word| *word as u64)
                    .collect();
                Info::u64s(&words)
            }
            _ => return Err(Error::InvalidValue),
        })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // The application may close its display as soon as it is told.
        self.share_group = None;
        self.display_groups.get_mut().clear();
        // The callbacks run in reverse order of registration.
        let destructors = std::mem::take(self.destructors.get_mut());
        for destructor in destructors.into_iter().rev() {
            destructor();
        }
    }
}
