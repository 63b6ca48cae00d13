//! Linux and Android.

use std::ffi::CString;
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use super::{Links, refused};

/// The mode of files that the driver writes: sources and programs are their user's alone.
const PRIVATE_FILE: u32 = 0o600;
/// The mode of its folders.
const PRIVATE_FOLDER: u32 = 0o700;
/// The bits of a mode by which others may write.
const OTHERS_WRITE: u32 = 0o022;

/// Tells whether the process has rights that its user lacks: a set-uid or set-gid executable, or one with
/// capabilities (AT_SECURE, as secure_getenv has it). What the user says is then not to be followed.
pub(crate) fn is_privileged() -> bool {
    // SAFETY: getauxval reads the process's auxiliary vector; an entry that is not there is 0.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// Tells whether the process may make and remove files in a folder.
pub(crate) fn may_write_in(folder: &Path) -> bool {
    // AT_EACCESS, which the headers of Android lack.
    const EFFECTIVE: i32 = 0x200;
    let Ok(path) = CString::new(folder.as_os_str().as_bytes()) else {
        return false;
    };
    // SAFETY: the path is a C string; faccessat only reads it.
    let answer = unsafe {
        libc::faccessat(
            libc::AT_FDCWD,
            path.as_ptr(),
            libc::W_OK | libc::X_OK,
            EFFECTIVE,
        )
    };
    answer == 0
}

/// Tells whether memory of the process is there: `length` bytes from the start of a page on.
pub(crate) fn is_mapped(start: usize, length: usize) -> bool {
    const PIECE: usize = 16 << 20;
    // One byte a page; pages have 4 KiB at least.
    let mut there = vec![0_u8; PIECE / 4096];
    (0..length).step_by(PIECE).all(|at| {
        let length = PIECE.min(length - at);
        let address = (start + at) as *mut libc::c_void;
        // SAFETY: mincore reads no memory of the range, and writes a byte a page, for which there is room.
        unsafe { libc::mincore(address, length, there.as_mut_ptr().cast()) == 0 }
    })
}

/// Bytes of a page.
pub(crate) fn page_size() -> usize {
    // SAFETY: sysconf has no precondition; it knows the name on every Linux.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}

/// Has a file opened without waiting for the other end of a FIFO, and not by a symbolic link if links are refused.
pub(crate) fn plain_open(options: &mut OpenOptions, links: Links) {
    let link_flag = match links {
        Links::Followed => 0,
        Links::Refused => libc::O_NOFOLLOW,
    };
    options.custom_flags(link_flag | libc::O_NONBLOCK);
}

/// Tells whether a file was not opened because its path is a symbolic link.
pub(crate) fn is_link_refusal(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ELOOP)
}

/// Has a new file made that nobody else can read.
pub(crate) fn keep_private(options: &mut OpenOptions) {
    options.mode(PRIVATE_FILE);
}

/// Has new folders made that nobody else can read.
pub(crate) fn make_private(builder: &mut DirBuilder) {
    builder.mode(PRIVATE_FOLDER);
}

/// Tells whether something can be written to but has no places: a terminal or a pipe.
pub(crate) fn is_stream(meta: &Metadata) -> bool {
    meta.file_type().is_char_device() || meta.file_type().is_fifo()
}

/// Checks that no other user owns a file or folder or can write to it.
///
/// # Errors
/// One does or can.
pub fn check_own(meta: &Metadata) -> io::Result<()> {
    check_owner(meta)?;
    let mode = meta.mode() & 0o7777;
    if mode & OTHERS_WRITE != 0 {
        return Err(refused(format!(
            "other users may write to it (mode {mode:o})"
        )));
    }
    Ok(())
}

/// Checks that no other user owns a file or folder.
///
/// # Errors
/// One does.
pub(crate) fn check_owner(meta: &Metadata) -> io::Result<()> {
    // SAFETY: geteuid has no precondition and cannot fail.
    let (owner, user) = (meta.uid(), unsafe { libc::geteuid() });
    if owner != user {
        return Err(refused(format!(
            "it belongs to user {owner}, this process runs as user {user}"
        )));
    }
    Ok(())
}

/// Writes all bytes at a place of a file.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write_at(file: &File, bytes: &[u8], place: u64) -> io::Result<()> {
    file.write_all_at(bytes, place)
}
