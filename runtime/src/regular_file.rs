//! Files that somebody else named: only regular ones are opened, and read up to a size.
//!
//! Opening a FIFO waits for its writer, opening a device can do anything, and `/dev/zero` has no
//! end. A path is therefore looked at before it is opened, and what was opened is looked at again:
//! the name may mean another file by then.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

fn refused<T>(why: String) -> io::Result<T> {
    Err(io::Error::new(ErrorKind::InvalidInput, why))
}

/// Opens a regular file for reading; a symbolic link to one is followed.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] for a file of another kind, which is not opened, and the system's.
pub fn open(path: &Path) -> io::Result<File> {
    if !path.metadata()?.is_file() {
        return refused("it is not a regular file".into());
    }
    // Neither opening nor reading waits, whatever stands there by now.
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return refused("it is not a regular file".into());
    }
    Ok(file)
}

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] for a file of another kind or a larger one, and the system's.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let too_large = || refused(format!("it is larger than {} MiB", limit >> 20));
    let size = file.metadata()?.len();
    if size > limit {
        return too_large();
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size as usize)?;
    // The size is only what the file says of itself; those of /proc say 0.
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return too_large();
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::read;
    use std::path::Path;

    #[test]
    fn only_regular_files_are_read() {
        let refusal = |path: &str| {
            let error = read(Path::new(path), 1 << 20).unwrap_err();
            error.to_string()
        };
        for path in ["/dev/zero", "/dev/null", "/"] {
            assert_eq!(refusal(path), "it is not a regular file", "{path}");
        }
        assert!(refusal("/no/such/file").contains("No such file"));
    }

    #[test]
    fn size_is_bounded() {
        let path = std::env::temp_dir().join(format!("pumice-sizes-{}", std::process::id()));
        std::fs::write(&path, vec![b'x'; 3 << 20]).unwrap();
        assert_eq!(read(&path, 3 << 20).unwrap().len(), 3 << 20);
        let error = read(&path, 2 << 20).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than 2 MiB");
        std::fs::remove_file(&path).unwrap();
        // A file whose size is said to be 0.
        let text = read(Path::new("/proc/self/status"), 1 << 20).unwrap();
        assert!(text.starts_with(b"Name:"));
    }
}
