//! Opening files without being led astray: by symbolic links, FIFOs and devices, or by what another
//! user owns or can change.

use std::fs::{self, DirBuilder, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::os::{self, refused};

pub use crate::os::{Links, check_own};

/// The fate of a file that exists where one is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// It grows at its end.
    Append,
    /// It is emptied.
    Truncate,
    /// That is an error.
    CreateNew,
}

/// Says in words that the last part of a path is a symbolic link.
fn name_link(error: io::Error) -> io::Error {
    match os::is_link_refusal(&error) {
        true => refused("it is a symbolic link, which is not followed"),
        false => error,
    }
}

/// Opens a regular file for reading. FIFOs and devices are not opened at all.
///
/// # Errors
/// The file cannot be opened, or is of another kind.
pub fn open_regular(path: &Path, links: Links) -> io::Result<File> {
    let check = |meta: &Metadata| match meta.is_file() {
        true => Ok(()),
        false => Err(refused("it is not a regular file")),
    };
    let meta = match links {
        Links::Followed => fs::metadata(path)?,
        Links::Refused => fs::symlink_metadata(path)?,
    };
    check(&meta)?;
    // Without blocking, should a FIFO have taken its place meanwhile.
    let mut options = File::options();
    options.read(true);
    os::plain_open(&mut options, links);
    let file = options.open(path).map_err(name_link)?;
    check(&file.metadata()?)?;
    Ok(file)
}

/// Reads a regular file of `limit` bytes at most.
///
/// # Errors
/// As [`open_regular`]; a file that is larger.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path, Links::Followed)?;
    let too_large = || {
        refused(match limit >> 20 {
            0 => format!("it is larger than {limit} bytes"),
            mib => format!("it is larger than {mib} MiB"),
        })
    };
    let size = file.metadata()?.len();
    if size > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size as usize)?;
    // The size is only what the file says of itself; those of /proc say 0.
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_large());
    }
    Ok(bytes)
}

/// Reads a regular file of text, of `limit` bytes at most.
///
/// # Errors
/// As [`read`]; bytes that are not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    String::from_utf8(read(path, limit)?)
        .map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

/// Opens a file for writing that nobody else can read. It is made with mode 0600 and never reached by
/// a symbolic link.
///
/// # Errors
/// The file cannot be opened, or belongs to another user.
pub fn open_private(path: &Path, mode: OpenMode) -> io::Result<File> {
    let mut options = File::options();
    options
        .append(mode == OpenMode::Append)
        .write(true)
        .create(true)
        .create_new(mode == OpenMode::CreateNew);
    os::keep_private(&mut options);
    // A FIFO that nobody reads is an error, not a wait.
    os::plain_open(&mut options, Links::Refused);
    let file = options.open(path).map_err(name_link)?;
    let meta = file.metadata()?;
    if meta.is_file() {
        os::check_owner(&meta)?;
        if mode == OpenMode::Truncate {
            file.set_len(0)?;
        }
    } else if !os::is_stream(&meta) {
        return Err(refused("it is neither a file nor a terminal"));
    }
    Ok(file)
}

/// Makes a folder and those above it, which only this user can read.
///
/// # Errors
/// A folder cannot be made.
pub fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    os::make_private(&mut builder);
    builder.recursive(true).create(path)
}

/// Checks that no other user owns a folder or can put files into it.
///
/// # Errors
/// One does or can; there is no such folder.
pub fn check_folder(path: &Path) -> io::Result<()> {
    let link = fs::symlink_metadata(path)?;
    if link.is_symlink() {
        // Its user may have it elsewhere; another user may not choose where.
        os::check_owner(&link)?;
    }
    let meta = fs::metadata(path)?;
    if !meta.is_dir() {
        return Err(io::Error::from(ErrorKind::NotADirectory));
    }
    os::check_own(&meta)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
    use std::path::PathBuf;
    use std::process::Command;

    const NOBODY: u32 = 65_534;

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("pumice-files-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        make_folder(&path).unwrap();
        path
    }

    fn why<T>(result: io::Result<T>) -> String {
        result
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn what_is_written_is_private_and_no_link_is_followed() {
        let folder = scratch("private");
        let (file, link) = (folder.join("file"), folder.join("link"));
        open_private(&file, OpenMode::Append)
            .unwrap()
            .write_all(b"one")
            .unwrap();
        open_private(&file, OpenMode::Append)
            .unwrap()
            .write_all(b"two")
            .unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"onetwo");
        assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
        drop(open_private(&file, OpenMode::Truncate).unwrap());
        assert_eq!(fs::read(&file).unwrap(), b"");
        assert!(open_private(&file, OpenMode::CreateNew).is_err());
        // A link to a file that is there, and one to a file that would be made.
        for target in ["file", "none"] {
            symlink(folder.join(target), &link).unwrap();
            for mode in [OpenMode::Append, OpenMode::Truncate, OpenMode::CreateNew] {
                assert!(open_private(&link, mode).is_err());
            }
            let error = open_private(&link, OpenMode::Append);
            assert_eq!(why(error), "it is a symbolic link, which is not followed");
            let error = open_regular(&link, Links::Refused);
            assert_eq!(why(error), "it is not a regular file");
            fs::remove_file(&link).unwrap();
        }
        assert!(!folder.join("none").exists());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn pipes_and_devices_are_not_read() {
        let folder = scratch("pipe");
        let pipe = folder.join("pipe");
        assert!(
            Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        for path in [
            pipe.as_path(),
            Path::new("/dev/zero"),
            Path::new("/"),
            &folder,
        ] {
            for links in [Links::Followed, Links::Refused] {
                assert_eq!(why(open_regular(path, links)), "it is not a regular file");
            }
            assert_eq!(why(read_text(path, 10)), "it is not a regular file");
        }
        // Nobody reads it.
        assert!(open_private(&pipe, OpenMode::Append).is_err());
        let file = folder.join("text");
        fs::write(&file, "0123456789").unwrap();
        assert_eq!(read_text(&file, 10).unwrap(), "0123456789");
        assert_eq!(why(read_text(&file, 9)), "it is larger than 9 bytes");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn folders_that_others_own_or_can_write_are_refused() {
        let folder = scratch("others");
        check_folder(&folder).unwrap();
        for (mode, ok) in [(0o755, true), (0o770, false), (0o702, false), (0o700, true)] {
            fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
            let checked = check_folder(&folder);
            assert_eq!(checked.is_ok(), ok, "{mode:o}");
            if !ok {
                assert_eq!(
                    why(checked),
                    format!("other users may write to it (mode {mode:o})")
                );
            }
        }
        // The user's own link is as good as the folder.
        let link = folder.join("link");
        symlink(&folder, &link).unwrap();
        check_folder(&link).unwrap();
        // Only root can give files away; for others the root folder is another user's.
        // SAFETY: geteuid has no precondition and cannot fail.
        let user = unsafe { libc::geteuid() };
        let of_others = match user {
            0 => {
                chown(&folder, Some(NOBODY), None).unwrap();
                folder.clone()
            }
            _ => PathBuf::from("/"),
        };
        let owner = fs::metadata(&of_others).unwrap().uid();
        assert_ne!(owner, user);
        let wanted = format!("it belongs to user {owner}, this process runs as user {user}");
        assert_eq!(why(check_folder(&of_others)), wanted);
        fs::remove_dir_all(folder).unwrap();
    }

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
