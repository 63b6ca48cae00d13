//! Semaphores (cl_khr_semaphore): binary ones, which commands of queues signal and wait for.
//!
//! The first wait belongs to the first signal, the second to the second, whichever is enqueued first. A wait
//! waits for the event of its signal; one that has none yet waits for a promise, which the signal keeps.

use std::collections::VecDeque;

use opencl_sys as cl;
use parking_lot::Mutex;

use crate::base::error::{Error, Result};
use crate::base::info::Info;
use crate::base::log;
use crate::base::object::{Kind, Object, Ref};
use crate::command::{Command, Empty};
use crate::context::Context;
use crate::device::Device;
use crate::queue::event::Event;
use crate::queue::{Queue, WaitList};

/// A semaphore object.
pub struct Semaphore {
    context: Ref<Context>,
    devices: Vec<Ref<Device>>,
    /// The list given to clCreateSemaphoreWithPropertiesKHR, with its terminator.
    property_list: Vec<u64>,
    /// Guards the signals and waits that are not over.
    rounds: Mutex<VecDeque<Round>>,
}

/// A signal and the wait for it.
struct Round {
    /// The signal's event, or the promise of one.
    signal: Ref<Event>,
    is_promise: bool,
    /// True once a wait has taken it.
    taken: bool,
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

/// Tells whether a property has a list, with a terminator, for a value.
pub fn has_list(name: u64) -> bool {
    name == DEVICES
}

/// A property as the application gave it.
pub struct Property {
    /// Its name.
    pub name: u64,
    /// Its value, or the elements of its list.
    pub values: Vec<u64>,
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
    /// clCreateSemaphoreWithPropertiesKHR. `device` gives the device of a handle.
    pub fn create(
        context: &Ref<Context>,
        properties: Option<Vec<Property>>,
        property_list: Vec<u64>,
        device: impl Fn(u64) -> Result<Ref<Device>>,
    ) -> Result<Ref<Semaphore>> {
        // CL_INVALID_VALUE if sema_props is NULL.
        let properties = properties.ok_or(Error::InvalidValue)?;
        let (mut kind, mut devices) = (None, None);
        for (index, property) in properties.iter().enumerate() {
            // CL_INVALID_PROPERTY if a name or value is not valid, or a name stands there twice.
            if properties[..index].iter().any(|p| p.name == property.name) {
                return Err(Error::InvalidProperty);
            }
            match (property.name, &*property.values) {
                (TYPE, &[BINARY]) => {
                    kind = Some(());
                }
                (DEVICES, handles) => devices = Some(handles),
                _ => return Err(Error::InvalidProperty),
            }
        }
        // CL_INVALID_VALUE if there is no type.
        kind.ok_or(Error::InvalidValue)?;
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
        Ok(Object::new(Semaphore {
            context: context.clone(),
            devices,
            property_list,
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

    /// Takes the next signal that no wait has taken, or a promise of it.
    fn take(&self) -> Ref<Event> {
        let mut rounds = self.rounds.lock();
        forget(&mut rounds);
        if let Some(round) = rounds.iter_mut().find(|round| !round.taken) {
            round.taken = true;
            return round.signal.clone();
        }
        let promise = Event::create_user(&self.context);
        rounds.push_back(Round {
            signal: promise.clone(),
            is_promise: true,
            taken: true,
            wait: None,
        });
        promise
    }

    /// Notes the event of a wait that has taken `signal`.
    fn note_wait(&self, signal: &Ref<Event>, wait: &Ref<Event>) {
        let mut rounds = self.rounds.lock();
        let round = rounds
            .iter_mut()
            .find(|round| round.signal.handle() == signal.handle());
        if let Some(round) = round {
            round.wait = Some(wait.clone());
        }
    }

    /// Gives back a signal that a failed call has taken.
    fn give_back(&self, signal: &Ref<Event>) {
        let mut rounds = self.rounds.lock();
        if let Some(round) = rounds
            .iter_mut()
            .find(|round| round.signal.handle() == signal.handle())
        {
            round.taken = false;
        }
    }

    /// Notes the event of a signal, which keeps the oldest promise.
    fn note_signal(&self, event: &Ref<Event>) {
        let mut rounds = self.rounds.lock();
        forget(&mut rounds);
        let Some(round) = rounds.iter_mut().find(|round| round.is_promise) else {
            rounds.push_back(Round {
                signal: event.clone(),
                is_promise: false,
                taken: false,
                wait: None,
            });
            return;
        };
        let promise = std::mem::replace(&mut round.signal, event.clone());
        round.is_promise = false;
        drop(rounds);
        // The promise ends as the signal ends.
        let kept = event.set_callback(
            cl::CL_COMPLETE,
            Box::new(move |_, status| {
                let _ = promise.set_user_status(status);
            }),
        );
        if let Err(error) = kept {
            log::error!("the end of a semaphore's signal cannot be awaited: {error}");
        }
    }
}

/// Drops the rounds that are over.
fn forget(rounds: &mut VecDeque<Round>) {
    rounds.retain(|round| !round.wait.as_ref().is_some_and(|wait| wait.is_done()));
}

/// clEnqueueWaitSemaphoresKHR and clEnqueueSignalSemaphoresKHR.
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
    let command = |command_type| {
        Command::Empty(Empty {
            command_type,
            keeps: Some(std::sync::Arc::new(semaphores.to_vec())),
            parts: None,
        })
    };
    if operation == Operation::Signal {
        let event = queue.enqueue(command(cl::CL_COMMAND_SEMAPHORE_SIGNAL_KHR), wait, false)?;
        for semaphore in semaphores {
            semaphore.note_signal(&event);
        }
        return Ok(event);
    }
    let signals: Vec<Ref<Event>> = semaphores.iter().map(|s| s.take()).collect();
    wait.events.extend(signals.iter().cloned());
    let done = queue.enqueue(command(cl::CL_COMMAND_SEMAPHORE_WAIT_KHR), wait, false);
    for (semaphore, signal) in semaphores.iter().zip(&signals) {
        match &done {
            Ok(event) => semaphore.note_wait(signal, event),
            Err(_) => semaphore.give_back(signal),
        }
    }
    done
}

impl Object<Semaphore> {
    /// clGetSemaphoreInfoKHR.
    pub fn info(self: &Ref<Semaphore>, name: u32) -> Result<Info> {
        Ok(match name {
            cl::CL_SEMAPHORE_CONTEXT_KHR => Info::object(&self.context),
            cl::CL_SEMAPHORE_REFERENCE_COUNT_KHR => Info::u32(self.reference_count()),
            cl::CL_SEMAPHORE_PROPERTIES_KHR => Info::u64s(&self.property_list),
            cl::CL_SEMAPHORE_TYPE_KHR => Info::u32(cl::CL_SEMAPHORE_TYPE_BINARY_KHR),
            cl::CL_SEMAPHORE_PAYLOAD_KHR => Info::u64(u64::from(self.is_signaled())),
            cl::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR => Info::objects(&self.devices),
            _ => return Err(Error::InvalidValue),
        })
    }

    /// clGetSemaphoreHandleForTypeKHR: no semaphore can be made to give a handle.
    ///
    /// # Errors
    /// Always.
    pub fn check_export(&self, device: &Ref<Device>) -> Result<()> {
        // CL_INVALID_DEVICE if the semaphore cannot be shared with the device.
        if !self
            .devices
            .iter()
            .any(|own| own.handle() == device.handle())
        {
            return Err(Error::InvalidDevice);
        }
        // CL_INVALID_VALUE if the handle's type was not named when the semaphore was created.
        Err(Error::InvalidValue)
    }

    /// Tells whether a signal is over and the wait for it is not.
    fn is_signaled(&self) -> bool {
        let rounds = self.rounds.lock();
        rounds.iter().any(|round| {
            let waiting = (round.wait.as_ref()).is_none_or(|wait| !wait.is_done());
            !round.is_promise && round.signal.status() == cl::CL_COMPLETE && waiting
        })
    }
}
