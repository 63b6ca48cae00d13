//! Asks the operating system about this process. One of the runtime's few places with `unsafe`.

/// Tells whether the process has rights that its user lacks: a set-uid or set-gid executable, or one with
/// capabilities (AT_SECURE, as secure_getenv has it). What the user says is then not to be followed.
pub fn is_privileged() -> bool {
    // SAFETY: getauxval reads the process's auxiliary vector; an entry that is not there is 0.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// Tells whether the process may make and remove files in a folder.
pub fn may_write_in(folder: &std::path::Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let Ok(path) = std::ffi::CString::new(folder.as_os_str().as_bytes()) else {
        return false;
    };
    // SAFETY: the path is a C string; faccessat only reads it.
    let answer = unsafe {
        libc::faccessat(
            libc::AT_FDCWD,
            path.as_ptr(),
            libc::W_OK | libc::X_OK,
            libc::AT_EACCESS,
        )
    };
    answer == 0
}

/// The number of the user with whose rights the process runs.
pub fn effective_user() -> u32 {
    // SAFETY: geteuid has no precondition and cannot fail.
    unsafe { libc::geteuid() }
}
