//! Buffers whose addresses on devices the application knows (cl_ext_buffer_device_address).
//!
//! A buffer keeps the address that it has on each device of its context. Kernels get such addresses as arguments
//! and from memory, without the buffer's handle: the registry here finds the buffer again, so that a launch
//! brings its newest contents to the device and keeps it alive.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::base::error::{Error, Result};
use crate::base::object::{Object, Ref};
use crate::context::Context;
use crate::memory::Mem;

/// A context's handle, a device's place in it, and the address of the buffer's first byte there.
type Key = (usize, usize, u64);

/// Guards the buffers with known addresses, of all contexts.
static REGISTRY: Mutex<BTreeMap<Key, Weak<Object<Mem>>>> = Mutex::new(BTreeMap::new());

/// The addresses of a buffer as kernels see them, one for each device of its context: 0 on a device without
/// addresses.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    context: usize,
    list: Vec<u64>,
}

impl Addresses {
    /// The addresses, one for each device.
    pub fn list(&self) -> &[u64] {
        &self.list
    }

    /// Gives the buffer memory on every device, and notes its addresses.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn of(context: &Ref<Context>, buffer: &super::storage::Storage) -> Result<Self> {
        let list = context.devices().iter().enumerate().map(|(index, device)| {
            if !device.has_addresses() {
                return Ok(0);
            }
            let memory = buffer.allocation(index)?;
            Ok(memory.pointer())
        });
        Ok(Self {
            context: context.handle(),
            list: list.collect::<Result<_>>()?,
        })
    }

    /// Makes the buffer known to [`find`].
    pub fn register(&self, buffer: &Ref<Mem>) {
        let mut registry = REGISTRY.lock();
        for (index, &address) in self.list.iter().enumerate().filter(|(_, a)| **a != 0) {
            registry.insert((self.context, index, address), Arc::downgrade(buffer));
        }
    }
}

impl Drop for Addresses {
    fn drop(&mut self) {
        if self.list.is_empty() {
            return;
        }
        let mut registry = REGISTRY.lock();
        for (index, &address) in self.list.iter().enumerate() {
            let key = (self.context, index, address);
            // Another buffer may have the memory already.
            if registry.get(&key).is_some_and(|b| b.strong_count() == 0) {
                registry.remove(&key);
            }
        }
    }
}

/// The buffer of a context that has a byte at an address of its device number `index`, with the byte's offset.
pub fn find(context: &Ref<Context>, index: usize, address: u64) -> Option<(Ref<Mem>, u64)> {
    let first = (context.handle(), index, 0);
    let (start, buffer) = {
        let registry = REGISTRY.lock();
        let mut before = registry.range(first..=(first.0, index, address));
        let (key, buffer) = before.next_back()?;
        (key.2, buffer.clone())
    };
    // Not under the lock: it may be the last reference.
    let (buffer, offset) = (buffer.upgrade()?, address - start);
    (offset < buffer.size() as u64).then_some((buffer, offset))
}

/// CL_INVALID_OPERATION if no device of the context has addresses that kernels see.
///
/// # Errors
/// [`Error::InvalidOperation`].
pub fn check_support(context: &Object<Context>) -> Result<()> {
    match context.has_addresses() {
        true => Ok(()),
        false => {
            let reason = "no device of the context supports cl_ext_buffer_device_address";
            Err(Error::InvalidOperation.because(reason))
        }
    }
}
