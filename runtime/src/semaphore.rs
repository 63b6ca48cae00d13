//! Semaphores (cl_khr_semaphore): binary ones, which commands of queues signal and wait for.
//!
//! The n-th wait is paired with the n-th signal, whichever is enqueued first. A wait waits for the event of
//! its signal. While the signal is not enqueued, a user event stands for it, the promise, which ends as the
//! signal ends.
//!
//! A semaphore that is shared with another API (cl_khr_external_semaphore) is a Vulkan semaphore, which
//! submissions signal and wait for.

use std::collections::VecDeque;
use std::sync::Arc;

use opencl_sys as cl;
use parking_lot::Mutex;
use pumice_vulkan_layer::{BinarySemaphore, SemaphoreFd, shares};

use crate::base::error::{Error, Result};
use crate::base::info::Info;
use crate::base::object::{Kind, Object, Ref};
use crate::base::property::{Property, repeats};
use crate::command::{Command, DeviceCommand, Empty, Retire, Visit};
use crate::context::{Context, Placement};
use crate::device::Device;
use crate::device::gpu;
use crate::os::Fd;
use crate::queue::event::Event;
use crate::queue::{Queue, WaitList};

/// A semaphore object.
pub struct Semaphore {
    context: Ref<Context>,
    devices: Vec<Ref<Device>>,
    /// The list given to clCreateSemaphoreWithPropertiesKHR, with its terminator.
    property_list: Vec<u64>,
    /// The Vulkan semaphore, if another API shares it.
    shared: Option<Shared>,
    /// Guards the signals and waits that have not ended.
    rounds: Mutex<VecDeque<Round>>,
}

/// A semaphore that is shared with another API.
struct Shared {
    device: Ref<Device>,
    /// Commands keep the one that was there when they were enqueued.
    semaphore: Mutex<BinarySemaphore>,
    kind: SemaphoreFd,
    /// True if the application imported a handle, false if it may export one.
    imported: bool,
}

/// A signal and the wait for it.
struct Round {
    /// The signal's event, or the promise of one.
    signal: Ref<Event>,
    is_promise: bool,
    /// True once a wait is paired with the signal.
    paired: bool,
    wait: Option<Ref<Event>>,
}

impl std::fmt::Debug for Semaphore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Semaphore")
            .field("property_list", &self.property_list)
            .finish_non_exhaustive()
    }
}

impl Kind for Semaphore {
    const TAG: u64 = u64::from_le_bytes(*b"pmcSEMAP");
    const INVALID: Error = Error::InvalidSemaphore;
}

/// CL_SEMAPHORE_TYPE_KHR among properties.
const TYPE: u64 = cl::CL_SEMAPHORE_TYPE_KHR as u64;
/// CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR among properties.
const DEVICES: u64 = cl::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR as u64;
/// CL_SEMAPHORE_TYPE_BINARY_KHR as a property's value.
const BINARY: u64 = cl::CL_SEMAPHORE_TYPE_BINARY_KHR as u64;

/// CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR.
const EXPORTS: u64 = cl::CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR;

/// Tells whether a property's value is a list with a terminator.
pub fn has_list(name: u64) -> bool {
    name == DEVICES || name == EXPORTS
}

/// CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR as a query.
const CL_SEMAPHORE_EXPORT_HANDLE_TYPES_INFO: u32 = cl::CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR as u32;

/// The CL_SEMAPHORE_HANDLE_*_KHR of a kind of handle.
fn handle_number(kind: SemaphoreFd) -> u32 {
    match kind {
        SemaphoreFd::Opaque => cl::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
        SemaphoreFd::Sync => cl::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
    }
}

/// The kind of handle of a CL_SEMAPHORE_HANDLE_*_KHR; `None` for unknown ones.
fn handle_kind(number: u64) -> Option<SemaphoreFd> {
    match u32::try_from(number).ok()? {
        cl::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR => Some(SemaphoreFd::Opaque),
        cl::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR => Some(SemaphoreFd::Sync),
        _ => None,
    }
}

/// The two things that a command does with semaphores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// clEnqueueWaitSemaphoresKHR
    Wait,
    /// clEnqueueSignalSemaphoresKHR
    Signal,
}

impl Semaphore {
    /// clCreateSemaphoreWithPropertiesKHR. `device` looks a device's handle up; `fd` duplicates the file
    /// descriptor in a property's value, with `None` for -1.
    ///
    /// # Errors
    /// Those that the specification lists for clCreateSemaphoreWithPropertiesKHR, in its order.
    pub fn create(
        context: &Ref<Context>,
        properties: Option<Vec<Property>>,
        property_list: Vec<u64>,
        device: impl Fn(u64) -> Result<Ref<Device>>,
        fd: impl Fn(u64) -> Result<Option<Fd>>,
    ) -> Result<Ref<Semaphore>> {
        // CL_INVALID_VALUE if sema_props is NULL.
        let properties = properties.ok_or(Error::InvalidValue)?;
        let (mut kind, mut devices) = (None, None);
        let (mut import, mut exports) = (None, None);
        let known = |kind: &SemaphoreFd| {
            let mut devices = context.devices().iter();
            devices.any(|device| shares(device.capabilities(), *kind))
        };
        // CL_INVALID_PROPERTY if a name or value is not valid, or a name is repeated.
        if repeats(&properties) {
            return Err(Error::InvalidProperty);
        }
        for property in &properties {
            match (property.name, &*property.values) {
                (TYPE, &[BINARY]) => {
                    kind = Some(());
                }
                (DEVICES, handles) => devices = Some(handles),
                (EXPORTS, kinds) => {
                    let all = kinds.iter().map(|kind| handle_kind(*kind).filter(known));
                    let all: Option<Vec<SemaphoreFd>> = all.collect();
                    exports = Some(all.ok_or(Error::InvalidProperty)?);
                }
                (name, &[value]) => {
                    let kind = handle_kind(name).filter(known);
                    let kind = kind.ok_or(Error::InvalidProperty)?;
                    // CL_INVALID_PROPERTY if there is more than one handle.
                    if import.replace((kind, value)).is_some() {
                        return Err(Error::InvalidProperty);
                    }
                }
                _ => return Err(Error::InvalidProperty),
            }
        }
        // CL_INVALID_VALUE if there is no type, or there are several types of handles to export.
        kind.ok_or(Error::InvalidValue)?;
        let exports = exports.unwrap_or_default();
        if exports.len() > 1 {
            return Err(Error::InvalidValue);
        }
        let devices = match devices {
            // CL_INVALID_DEVICE if the list is not one device of the context.
            Some(&[handle]) => {
                let device = device(handle)?;
                context.device_index(&device).ok_or(Error::InvalidDevice)?;
                vec![device]
            }
            Some(_) => return Err(Error::InvalidDevice),
            // CL_INVALID_PROPERTY if the context has several devices and there is no list.
            None if context.devices().len() > 1 => return Err(Error::InvalidProperty),
            None => context.devices().to_vec(),
        };
        let export = exports.first().copied();
        // CL_INVALID_OPERATION if the semaphore is to import a handle and to export one.
        if import.is_some() && export.is_some() {
            return Err(Error::InvalidOperation);
        }
        let shared = match (import, export) {
            (Some((kind, value)), _) => {
                let shared = Shared::new(&devices[0], kind, true)?;
                shared.import(&shared.current(), fd(value)?)?;
                Some(shared)
            }
            (None, Some(kind)) => Some(Shared::new(&devices[0], kind, false)?),
            (None, None) => None,
        };
        Ok(Object::new(Semaphore {
            context: context.clone(),
            devices,
            property_list,
            shared,
            rounds: Mutex::default(),
        }))
    }

    /// CL_INVALID_COMMAND_QUEUE if the queue's device is none of the semaphore's, CL_INVALID_CONTEXT if
    /// their contexts are not the same.
    fn check(&self, queue: &Ref<Queue>) -> Result<()> {
        let device = queue.device().handle();
        if !self.devices.iter().any(|own| own.handle() == device) {
            return Err(Error::InvalidCommandQueue);
        }
        queue.on().check_context(&self.context)
    }

    /// Pairs a wait with the next signal, or with a promise of it.
    fn pair(&self) -> Ref<Event> {
        let mut rounds = self.rounds.lock();
        forget(&mut rounds);
        if let Some(round) = rounds.iter_mut().find(|round| !round.paired) {
            round.paired = true;
            return round.signal.clone();
        }
        let promise = Event::create_user(&self.context);
        rounds.push_back(Round {
            signal: promise.clone(),
            is_promise: true,
            paired: true,
            wait: None,
        });
        promise
    }

    /// Pairs a wait with the next signal that this process has enqueued, if there is one.
    fn pair_known(&self) -> Option<Ref<Event>> {
        let mut rounds = self.rounds.lock();
        forget(&mut rounds);
        let round = rounds.iter_mut().find(|round| !round.paired)?;
        round.paired = true;
        Some(round.signal.clone())
    }

    /// Notes the event of the wait that is paired with `signal`.
    fn note_wait(&self, signal: &Ref<Event>, wait: &Ref<Event>) {
        let mut rounds = self.rounds.lock();
        let round = rounds
            .iter_mut()
            .find(|round| round.signal.handle() == signal.handle());
        if let Some(round) = round {
            round.wait = Some(wait.clone());
        }
    }

    /// Leaves `signal` to the next wait: the one that it was paired with was not enqueued.
    fn unpair(&self, signal: &Ref<Event>) {
        let mut rounds = self.rounds.lock();
        if let Some(round) = rounds
            .iter_mut()
            .find(|round| round.signal.handle() == signal.handle())
        {
            round.paired = false;
        }
    }

    /// Notes the event of a signal, which takes the place of the oldest promise.
    fn note_signal(&self, event: &Ref<Event>) {
        let mut rounds = self.rounds.lock();
        forget(&mut rounds);
        let Some(round) = rounds.iter_mut().find(|round| round.is_promise) else {
            rounds.push_back(Round {
                signal: event.clone(),
                is_promise: false,
                paired: false,
                wait: None,
            });
            return;
        };
        let promise = std::mem::replace(&mut round.signal, event.clone());
        round.is_promise = false;
        drop(rounds);
        // Not by a callback, which stands behind those of the application.
        event.lead(promise);
    }
}

/// Drops the rounds whose wait has ended.
fn forget(rounds: &mut VecDeque<Round>) {
    rounds.retain(|round| !round.wait.as_ref().is_some_and(|wait| wait.is_done()));
}

/// clEnqueueWaitSemaphoresKHR and clEnqueueSignalSemaphoresKHR.
///
/// # Errors
/// Those that the specification lists for clEnqueueWaitSemaphoresKHR and
/// clEnqueueSignalSemaphoresKHR, in its order.
pub fn enqueue(
    queue: &Ref<Queue>,
    operation: Operation,
    semaphores: &[Ref<Semaphore>],
    mut wait: WaitList,
) -> Result<Ref<Event>> {
    for semaphore in semaphores {
        semaphore.check(queue)?;
    }
    for event in &wait.events {
        queue.on().check_context(event.context())?;
    }
    // CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if an event has failed.
    if wait.events.iter().any(|event| event.status() < 0) {
        return Err(Error::ExecStatusErrorForEventsInWaitList);
    }
    let shared = semaphores
        .iter()
        .any(|semaphore| semaphore.shared.is_some());
    let command = |command_type| match shared {
        true => Command::Device(Arc::new(SharedOperation {
            operation,
            semaphores: semaphores
                .iter()
                .filter_map(|semaphore| Some(semaphore.shared.as_ref()?.current()))
                .collect(),
        })),
        false => Command::Empty(Empty {
            command_type,
            keeps: Some(Arc::new(semaphores.to_vec())),
            parts: None,
        }),
    };
    if operation == Operation::Signal {
        let event = queue.enqueue(command(cl::CL_COMMAND_SEMAPHORE_SIGNAL_KHR), wait, false)?;
        for semaphore in semaphores {
            semaphore.note_signal(&event);
        }
        return Ok(event);
    }
    // The device itself waits for a shared semaphore, for a signal of this process too.
    let signals = semaphores.iter().map(|semaphore| match semaphore.shared {
        Some(_) => semaphore.pair_known(),
        None => Some(semaphore.pair()),
    });
    let signals: Vec<Option<Ref<Event>>> = signals.collect();
    for (semaphore, signal) in semaphores.iter().zip(&signals) {
        if semaphore.shared.is_none() {
            wait.events.extend(signal.clone());
        }
    }
    let done = queue.enqueue(command(cl::CL_COMMAND_SEMAPHORE_WAIT_KHR), wait, false);
    for (semaphore, signal) in semaphores.iter().zip(&signals) {
        match (&done, signal) {
            (Ok(event), Some(signal)) => semaphore.note_wait(signal, event),
            (Err(_), Some(signal)) => semaphore.unpair(signal),
            (_, None) => {}
        }
    }
    done
}

impl Shared {
    fn new(device: &Ref<Device>, kind: SemaphoreFd, imported: bool) -> Result<Self> {
        // CL_INVALID_DEVICE if the device cannot share such handles.
        if !shares(device.capabilities(), kind) {
            return Err(Error::InvalidDevice);
        }
        Ok(Self {
            device: device.clone(),
            semaphore: Mutex::new(create(device, kind)?),
            kind,
            imported,
        })
    }

    fn current(&self) -> BinarySemaphore {
        self.semaphore.lock().clone()
    }

    /// CL_INVALID_PROPERTY if the driver refuses the handle.
    fn import(&self, to: &BinarySemaphore, fd: Option<Fd>) -> Result<()> {
        // Only a sync file can be -1.
        if fd.is_none() && self.kind != SemaphoreFd::Sync {
            return Err(Error::InvalidProperty);
        }
        let imported = to.import(self.kind, fd);
        imported.map_err(|error| match gpu::error(error) {
            Error::OutOfResources => Error::InvalidProperty,
            other => other,
        })
    }

    /// Imports a handle for the waits that come. Those that were enqueued before may still use the semaphore, and
    /// Vulkan imports into one that nothing uses: this makes another.
    fn import_again(&self, fd: Option<Fd>) -> Result<()> {
        let fresh = create(&self.device, self.kind)?;
        self.import(&fresh, fd)?;
        *self.semaphore.lock() = fresh;
        Ok(())
    }
}

fn create(device: &Ref<Device>, kind: SemaphoreFd) -> Result<BinarySemaphore> {
    let semaphore = device.gpu()?.raw().create_semaphore(kind);
    semaphore.map_err(gpu::error)
}

/// The command that waits for semaphores or signals them, where at least one is shared.
struct SharedOperation {
    operation: Operation,
    semaphores: Vec<BinarySemaphore>,
}

impl DeviceCommand for SharedOperation {
    fn command_type(&self) -> u32 {
        match self.operation {
            Operation::Wait => cl::CL_COMMAND_SEMAPHORE_WAIT_KHR,
            Operation::Signal => cl::CL_COMMAND_SEMAPHORE_SIGNAL_KHR,
        }
    }

    fn name(&self) -> &str {
        "semaphores"
    }

    fn is_alone(&self) -> bool {
        true
    }

    fn uses(&self, _: &mut Visit<'_>) -> Result<()> {
        Ok(())
    }

    fn record(&self, _: &Placement, recorder: &mut gpu::Recorder) -> Result<Retire> {
        for semaphore in &self.semaphores {
            let recorded = match self.operation {
                Operation::Wait => recorder.wait_for(semaphore),
                Operation::Signal => recorder.signal(semaphore),
            };
            recorded.map_err(gpu::error)?;
        }
        Ok(Retire::nothing())
    }
}

impl Object<Semaphore> {
    /// clGetSemaphoreInfoKHR.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for other names.
    pub fn info(self: &Ref<Semaphore>, name: u32) -> Result<Info> {
        Ok(match name {
            cl::CL_SEMAPHORE_CONTEXT_KHR => Info::object(&self.context),
            cl::CL_SEMAPHORE_REFERENCE_COUNT_KHR => Info::u32(self.reference_count()),
            cl::CL_SEMAPHORE_PROPERTIES_KHR => Info::u64s(&self.property_list),
            cl::CL_SEMAPHORE_TYPE_KHR => Info::u32(cl::CL_SEMAPHORE_TYPE_BINARY_KHR),
            cl::CL_SEMAPHORE_PAYLOAD_KHR => Info::u64(u64::from(self.is_signaled())),
            cl::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR => Info::objects(&self.devices),
            CL_SEMAPHORE_EXPORT_HANDLE_TYPES_INFO if self.may_be_shared() => {
                let kind = self.exported().map(handle_number);
                Info::u32s(kind.as_slice())
            }
            cl::CL_SEMAPHORE_EXPORTABLE_KHR if self.may_be_shared() => {
                Info::bool(self.exported().is_some())
            }
            _ => return Err(Error::InvalidValue),
        })
    }

    /// Tells whether a device shares semaphores at all, and so knows the queries about it.
    fn may_be_shared(&self) -> bool {
        let mut devices = self.devices.iter();
        devices.any(|device| device.capabilities().shares_semaphores())
    }

    /// The kind of handle that it exports.
    fn exported(&self) -> Option<SemaphoreFd> {
        let shared = self.shared.as_ref().filter(|shared| !shared.imported);
        shared.map(|shared| shared.kind)
    }

    /// The checks of clGetSemaphoreHandleForTypeKHR.
    ///
    /// # Errors
    /// CL_INVALID_DEVICE, CL_INVALID_VALUE.
    pub fn check_export(&self, device: &Ref<Device>, kind: u32) -> Result<()> {
        // CL_INVALID_DEVICE if the semaphore cannot be shared with the device.
        if !self
            .devices
            .iter()
            .any(|own| own.handle() == device.handle())
        {
            return Err(Error::InvalidDevice);
        }
        // CL_INVALID_VALUE if the handle's type was not named when the semaphore was created.
        match self.exported().map(handle_number) == Some(kind) {
            true => Ok(()),
            false => Err(Error::InvalidValue),
        }
    }

    /// clGetSemaphoreHandleForTypeKHR, after its checks; `None` is the sync file -1.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES for a sync file without a signal, or if the driver refuses.
    pub fn export(&self) -> Result<Option<Fd>> {
        let shared = self.shared.as_ref().ok_or(Error::InvalidValue)?;
        if shared.kind == SemaphoreFd::Sync {
            // CL_OUT_OF_RESOURCES: a sync file is a copy of a signal, which must have been submitted.
            let signal = self.pair_known().ok_or(Error::OutOfResources)?;
            if let Some(queue) = signal.queue() {
                queue.flush();
            }
            if signal.batch().is_none() {
                signal.wait();
            }
            self.note_wait(&signal, &signal);
        }
        shared.current().export(shared.kind).map_err(gpu::error)
    }

    /// clReImportSemaphoreSyncFdKHR; `fd` gives the descriptor, `None` for -1.
    ///
    /// # Errors
    /// CL_INVALID_SEMAPHORE_KHR, CL_INVALID_VALUE.
    pub fn import_again(&self, fd: impl FnOnce() -> Result<Option<Fd>>) -> Result<()> {
        let sync = |shared: &&Shared| shared.imported && shared.kind == SemaphoreFd::Sync;
        // CL_INVALID_SEMAPHORE_KHR if the semaphore was not made of a sync file.
        let shared = self.shared.as_ref().filter(sync);
        let shared = shared.ok_or(Error::InvalidSemaphore)?;
        // CL_INVALID_VALUE if the descriptor is not valid.
        let imported = fd().and_then(|fd| shared.import_again(fd));
        imported.map_err(|error| match error {
            Error::InvalidProperty => Error::InvalidValue,
            other => other,
        })
    }

    /// Tells whether there is a signal that has ended and whose wait has not.
    fn is_signaled(&self) -> bool {
        let rounds = self.rounds.lock();
        rounds.iter().any(|round| {
            let waiting = (round.wait.as_ref()).is_none_or(|wait| !wait.is_done());
            !round.is_promise && round.signal.status() == cl::CL_COMPLETE && waiting
        })
    }
}
