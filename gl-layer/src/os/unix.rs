//! Linux and Android.

use std::ffi::c_void;

use libloading::os::unix::{RTLD_LAZY, Symbol};

/// A library that something else in the process has loaded; it stays loaded while this value lives.
pub(crate) struct Library(libloading::os::unix::Library);

impl Library {
    /// Finds a library that is loaded.
    pub fn loaded(name: &str) -> Option<Self> {
        // SAFETY: RTLD_NOLOAD opens only what is there already, so no initializer runs.
        let library = unsafe {
            libloading::os::unix::Library::open(Some(name), RTLD_LAZY | libc::RTLD_NOLOAD)
        };
        library.ok().map(Self)
    }

    /// The address of a function of the library.
    pub fn function(&self, name: &str) -> Option<*mut c_void> {
        // SAFETY: the address is only passed on.
        let symbol: Result<Symbol<*mut c_void>, _> = unsafe { self.0.get(name.as_bytes()) };
        symbol.ok().map(|symbol| *symbol)
    }
}
