//! Libraries that the process has loaded already.

use std::ffi::c_void;

use crate::error::Refusal;
use crate::os::Library;

/// A library that something else in the process has loaded; it stays loaded while this value lives.
pub(crate) struct Loaded {
    library: Library,
    name: &'static str,
}

impl Loaded {
    /// Finds the first of several libraries that is loaded.
    pub fn find(names: &[&'static str]) -> Result<Self, Refusal> {
        let open = |name: &&'static str| {
            let library = Library::loaded(name)?;
            Some(Loaded { library, name })
        };
        names.iter().find_map(open).ok_or_else(|| {
            Refusal::NoBinding(format!("the process has not loaded {}", names.join(" or ")))
        })
    }

    /// A function of the library, as a pointer of type `F`.
    ///
    /// # Safety
    /// `F` is a pointer to a function with the type that the library's header gives this name.
    pub unsafe fn function<F: Copy>(&self, name: &str) -> Result<F, Refusal> {
        assert_eq!(size_of::<F>(), size_of::<*mut c_void>());
        let address = (self.library.function(name))
            .ok_or_else(|| Refusal::NoBinding(format!("{} has no {name}", self.name)))?;
        // SAFETY: the caller's contract; both have the size of a pointer.
        Ok(unsafe { std::mem::transmute_copy(&address) })
    }
}
