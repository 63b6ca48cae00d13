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

/// Tells whether memory of the process is there: `length` bytes from the start of a page on.
pub fn is_mapped(start: usize, length: usize) -> bool {
    const PIECE: usize = 16 << 20;
    // One byte a page; pages have 4 KiB at least.
    let mut there = vec![0; PIECE / 4096];
    (0..length).step_by(PIECE).all(|at| {
        let length = PIECE.min(length - at);
        let address = (start + at) as *mut libc::c_void;
        // SAFETY: mincore reads no memory of the range, and writes a byte a page, for which there is room.
        unsafe { libc::mincore(address, length, there.as_mut_ptr()) == 0 }
    })
}

/// Bytes of a page.
pub fn page_size() -> usize {
    // SAFETY: sysconf has no precondition; it knows the name on every Linux.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}

/// The number of the user with whose rights the process runs.
pub fn effective_user() -> u32 {
    // SAFETY: geteuid has no precondition and cannot fail.
    unsafe { libc::geteuid() }
}
