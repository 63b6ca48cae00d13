//! Link options of `libpumice.so`.
//!
//! - `-Bsymbolic`: calls between our own functions never go through a loader that exports the
//!   same names.
//! - `-z nodelete`: the driver has threads and process-wide state; it is never unloaded.
//! - `-soname`: the name that an application linked directly against it looks for.
//!
//! The exported names are those with `#[no_mangle]`, which rustc already lists in its version
//! script for a cdylib; everything else is local.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // A DLL binds its own functions, and is named by its file.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "windows") {
        return;
    }
    for option in ["-Bsymbolic", "-znodelete", "-soname=libpumice.so"] {
        println!("cargo::rustc-cdylib-link-arg=-Wl,{option}");
    }
}
