//! The parts of every API object: the ICD header, the kind tag, the API reference count.
//!
//! A handle is the address of an [`Object`], which an `Arc` owns. All references that the
//! application holds together own exactly one strong count; commands and child objects hold
//! their own. So the API's reference count never depends on what the driver keeps alive.
//!
//! Invariant: the first word of an object is the address of the ICD dispatch table (cl_khr_icd).

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use crate::base::error::Error;
use crate::base::reason::Callback;

/// Address of the dispatch table, set once by the ICD before the first object exists.
static DISPATCH: AtomicUsize = AtomicUsize::new(0);

/// Tells the runtime where the dispatch table lies; call before the first object is made.
pub fn set_dispatch(table: usize) {
    DISPATCH.store(table, Ordering::Release);
}

/// Tells the kinds of objects apart at run time.
pub trait Kind {
    /// The tag in the header; each kind has its own.
    const TAG: u64;
    /// The error of a call whose handle is not of this kind.
    const INVALID: Error;

    /// The error callback of the object's context, if the application gave one.
    fn error_callback(&self) -> Option<Callback> {
        None
    }
}

/// The tag that replaces an object's own when it is destroyed.
const DEAD: u64 = 0xdead_0bec_7dea_d000;

/// The words in front of every object.
#[repr(C)]
#[derive(Debug)]
pub struct Header {
    dispatch: AtomicUsize,
    tag: AtomicU64,
    external: AtomicU32,
}

impl Header {
    /// The kind tag, [`Kind::TAG`] of the object behind this header.
    pub fn tag(&self) -> u64 {
        self.tag.load(Ordering::Acquire)
    }
}

/// An API object: header, then what it is.
#[repr(C)]
#[derive(Debug)]
pub struct Object<T: Kind> {
    header: Header,
    inner: T,
}

/// A counted reference to an object inside the driver.
pub type Ref<T> = Arc<Object<T>>;

impl<T: Kind> Object<T> {
    /// Makes an object that no API reference holds yet; see [`Object::publish`].
    pub fn new(inner: T) -> Ref<T> {
        Arc::new(Self::unshared(inner))
    }

    /// The object by value, for `Arc::new_cyclic`.
    pub fn unshared(inner: T) -> Self {
        Self {
            header: Header {
                dispatch: AtomicUsize::new(DISPATCH.load(Ordering::Acquire)),
                tag: AtomicU64::new(T::TAG),
                external: AtomicU32::new(0),
            },
            inner,
        }
    }

    /// The handle: the object's address. Holds no reference.
    pub fn handle(self: &Ref<T>) -> usize {
        Arc::as_ptr(self) as usize
    }

    /// Gives the application one more reference and returns the handle.
    pub fn publish(self: Ref<T>) -> usize {
        let handle = self.handle();
        if self.header.external.fetch_add(1, Ordering::AcqRel) == 0 {
            // The application's references own one strong count together, given back by the
            // release that takes the last of them (`take_back`).
            let _ = Arc::into_raw(self);
        }
        handle
    }

    /// Takes one API reference back. `Ok(true)` when it was the last one: the caller then owns
    /// the strong count that `publish` gave to the application.
    ///
    /// # Errors
    /// The error of an invalid handle if the application holds no reference.
    pub fn unpublish(&self) -> Result<bool, Error> {
        let result =
            self.header
                .external
                .fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| {
                    count.checked_sub(1)
                });
        match result {
            Ok(before) => Ok(before == 1),
            Err(_) => Err(T::INVALID),
        }
    }

    /// CL_*_REFERENCE_COUNT.
    pub fn reference_count(&self) -> u32 {
        self.header.external.load(Ordering::Acquire)
    }
}

impl<T: Kind> Deref for Object<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: Kind> Drop for Object<T> {
    fn drop(&mut self) {
        // A handle used after its last release is then recognised, as long as the memory has
        // not found another owner.
        self.header.tag.store(DEAD, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Object};
    use crate::base::error::Error;

    struct Thing;
    impl Kind for Thing {
        const TAG: u64 = 7;
        const INVALID: Error = Error::InvalidValue;
    }

    #[test]
    fn api_references_own_one_strong_count() {
        let thing = Object::new(Thing);
        let weak = std::sync::Arc::downgrade(&thing);
        thing.clone().publish();
        thing.clone().publish();
        assert_eq!(thing.reference_count(), 2);
        assert_eq!(weak.strong_count(), 2);
        assert_eq!(thing.unpublish(), Ok(false));
        assert_eq!(thing.unpublish(), Ok(true));
        assert_eq!(thing.unpublish(), Err(Error::InvalidValue));
    }

    #[test]
    fn the_header_starts_with_the_loaders_word() {
        assert_eq!(std::mem::offset_of!(super::Header, dispatch), 0);
        assert_eq!(std::mem::offset_of!(Object<Thing>, header), 0);
    }
}
