//! Windows. Files are as private as the folders they are in: a user's profile is that user's alone.

use std::ffi::c_void;
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use super::Links;

/// Opens a symbolic link itself instead of what it leads to.
const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
const MEM_COMMIT: u32 = 0x1000;
const PAGE_NOACCESS: u32 = 0x01;
const PAGE_GUARD: u32 = 0x100;

/// MEMORY_BASIC_INFORMATION of 64-bit processes.
#[repr(C)]
#[derive(Default)]
struct MemoryInformation {
    base: usize,
    allocation_base: usize,
    allocation_protection: u32,
    partition: u16,
    size: usize,
    state: u32,
    protection: u32,
    kind: u32,
}

#[link(name = "kernel32")]
unsafe extern "system" {
    fn VirtualQuery(at: *const c_void, info: *mut MemoryInformation, size: usize) -> usize;
}

/// Always false: Windows has no executables with another user's rights.
pub(crate) fn is_privileged() -> bool {
    false
}

/// Tells whether a folder is not marked as read-only; the rights of its user show when a file is made.
pub(crate) fn may_write_in(folder: &Path) -> bool {
    std::fs::metadata(folder).is_ok_and(|meta| !meta.permissions().readonly())
}

/// Tells whether memory of the process is there and can be used: `length` bytes from the start of a page on.
pub(crate) fn is_mapped(start: usize, length: usize) -> bool {
    let end = start.saturating_add(length);
    let mut at = start;
    while at < end {
        let mut info = MemoryInformation::default();
        let size = size_of::<MemoryInformation>();
        // SAFETY: VirtualQuery reads no memory of the range, and fills `info`.
        let known = unsafe { VirtualQuery(at as *const c_void, &raw mut info, size) } != 0;
        let usable =
            info.state == MEM_COMMIT && info.protection & (PAGE_NOACCESS | PAGE_GUARD) == 0;
        if !known || !usable || info.size == 0 {
            return false;
        }
        at = info.base.saturating_add(info.size);
    }
    true
}

/// Bytes of a page on every Windows of 64 bits.
pub(crate) fn page_size() -> usize {
    4096
}

/// Has a symbolic link opened itself if links are refused: it is no regular file then.
pub(crate) fn plain_open(options: &mut OpenOptions, links: Links) {
    if links == Links::Refused {
        options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
    }
}

/// Always false: links are opened, and refused by their kind.
pub(crate) fn is_link_refusal(_: &io::Error) -> bool {
    false
}

/// Does nothing: a file has the rights of its folder.
pub(crate) fn keep_private(_: &mut OpenOptions) {}

/// Does nothing: a folder has the rights of the one above.
pub(crate) fn make_private(_: &mut DirBuilder) {}

/// Tells whether something can be written to but has no places: a console or a pipe.
pub(crate) fn is_stream(meta: &Metadata) -> bool {
    !meta.is_file() && !meta.is_dir() && !meta.is_symlink()
}

/// Always passes: see the module.
///
/// # Errors
/// None.
pub fn check_own(_: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Always passes: see the module.
///
/// # Errors
/// None.
pub(crate) fn check_owner(_: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Writes all bytes at a place of a file.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write_at(file: &File, mut bytes: &[u8], mut place: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = file.seek_write(bytes, place)?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = &bytes[written..];
        place += written as u64;
    }
    Ok(())
}
