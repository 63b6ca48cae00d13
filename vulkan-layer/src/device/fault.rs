//! Vulkan calls that fail on purpose, for tests of what happens then.
//!
//! A call that may run out of something asks [`check`] before it is made. The plan is the process's
//! and is in force once the first device has run its start-up probes.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;

use crate::device::{DeviceShared, LogicalDevice};
use crate::error::{Error, Result};

/// One line of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The Vulkan function's name, or `*` for every one that asks.
    pub call: String,
    /// Error to return. A loss comes once; after it all calls return [`Error::DeviceLost`], until a device is opened.
    pub error: Error,
    /// Every how manieth call fails, or which one loses the devices.
    pub every: u32,
}

impl Fault {
    /// Reads `CALL:host|device|lost:EVERY`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let (call, error, every) = (parts.next()?, parts.next()?, parts.next()?);
        let error = match error {
            "host" => Error::OutOfHostMemory,
            "device" => Error::OutOfDeviceMemory,
            "lost" => Error::DeviceLost,
            _ => return None,
        };
        let every = every.parse().ok().filter(|every| *every > 0)?;
        (parts.next().is_none() && !call.is_empty()).then(|| Self {
            call: call.into(),
            error,
            every,
        })
    }
}

static PLAN: OnceLock<Vec<(Fault, AtomicU32)>> = OnceLock::new();
static ARMED: AtomicBool = AtomicBool::new(false);
/// True from a loss on until a device is opened.
static LOST: AtomicBool = AtomicBool::new(false);
/// Guards the devices that a loss is to stop.
static DEVICES: Mutex<Vec<Weak<DeviceShared>>> = Mutex::new(Vec::new());

/// Sets the plan; the first one stays.
pub(crate) fn plan(faults: &[Fault]) {
    if !faults.is_empty() {
        let counted = faults.iter().map(|f| (f.clone(), AtomicU32::new(0)));
        let _ = PLAN.set(counted.collect());
    }
}

/// The counts of a line of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultCount {
    /// The call.
    pub call: String,
    /// The number of calls so far.
    pub calls: u32,
    /// The number of those that have failed.
    pub given: u32,
}

/// Returns the counts of the plan's lines.
pub fn fault_counts() -> Vec<FaultCount> {
    let lines = PLAN.get().into_iter().flatten();
    let count = |(fault, count): &(Fault, AtomicU32)| {
        let calls = count.load(Ordering::Acquire);
        let failed = calls / fault.every;
        FaultCount {
            call: fault.call.clone(),
            calls,
            given: match fault.error {
                Error::DeviceLost => failed.min(1),
                _ => failed,
            },
        }
    };
    lines.map(count).collect()
}

/// Puts the plan in force, for the losses of `device` too.
pub(crate) fn arm(device: &LogicalDevice) {
    if PLAN.get().is_some() {
        DEVICES.lock().push(Arc::downgrade(&device.shared));
        ARMED.store(true, Ordering::Release);
    }
}

/// The error of a device that a plan lost. A truly lost device executes nothing any more, so its
/// objects may be destroyed at once (Vulkan 1.2, §4.2.3); one that is lost only by plan has to come
/// to its end first. Not to be called with a VkQueue locked.
///
/// # Errors
/// [`Error::DeviceLost`] after a loss.
pub(crate) fn check_loss() -> Result<()> {
    if !lost() {
        return Ok(());
    }
    // Who comes second returns when all have stopped.
    let mut devices = DEVICES.lock();
    for shared in devices.drain(..).filter_map(|device| device.upgrade()) {
        shared.lost.store(true, Ordering::Release);
        LogicalDevice { shared }.wait_idle();
    }
    Err(Error::DeviceLost)
}

/// Makes calls succeed again: a device is about to be opened. Those that were lost stay so.
pub(crate) fn begin_anew() {
    if check_loss().is_err() {
        LOST.store(false, Ordering::Release);
    }
}

/// Returns whether a plan has lost the devices; nothing may be submitted after that.
pub(crate) fn lost() -> bool {
    LOST.load(Ordering::Acquire)
}

/// The error that a call is to fail with now, if it is. Not to be called with a VkQueue locked.
pub(crate) fn check(call: &str) -> Result<()> {
    if !ARMED.load(Ordering::Acquire) {
        return Ok(());
    }
    check_loss()?;
    for (fault, count) in PLAN.get().into_iter().flatten() {
        if fault.call != "*" && fault.call != call {
            continue;
        }
        let count = count.fetch_add(1, Ordering::AcqRel) + 1;
        let lost = fault.error == Error::DeviceLost;
        if count % fault.every == 0 && (!lost || count == fault.every) {
            if lost {
                LOST.store(true, Ordering::Release);
                return check_loss();
            }
            return Err(fault.error.clone());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Fault;
    use crate::error::Error;

    #[test]
    fn plans_are_read() {
        let fault = Fault::parse("vkCreateBuffer:device:3").unwrap();
        assert_eq!(fault.call, "vkCreateBuffer");
        assert_eq!(fault.error, Error::OutOfDeviceMemory);
        assert_eq!(fault.every, 3);
        for wrong in [
            "",
            "x",
            "x:host",
            "x:host:0",
            "x:any:1",
            "x:host:1:2",
            ":host:1",
        ] {
            assert_eq!(Fault::parse(wrong), None, "{wrong}");
        }
    }
}
