//! Libraries that the process has loaded already.

use std::ffi::c_void;

use libloading::os::unix::{Library, RTLD_LAZY, Symbol};

use crate::error::Refusal;

/// A library that something else in the process has loaded; it stays loaded while this value lives.
pub(crate) struct Loaded {
    library: Library,
    name: &'static str,
}

impl Loaded {
    /// Finds the first of several libraries that is loaded.
    pub fn find(names: &[&'static str]) -> Result<Self, Refusal> {
        let open = |name: &&'static str| {
            // SAFETY: RTLD_NOLOAD opens only what is there already, so no initializer runs.
            let library = unsafe { Library::open(Some(name), RTLD_LAZY | libc::RTLD_NOLOAD) };
            library.ok().map(|library| Loaded { library, name })
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
        // SAFETY: the caller's contract.
        let symbol: Result<Symbol<F>, _> = unsafe { self.library.get(name.as_bytes()) };
        let symbol =
            symbol.map_err(|_| Refusal::NoBinding(format!("{} has no {name}", self.name)))?;
        Ok(*symbol)
    }
}
