//! Facts about an ELF file, read without loading it.

use std::path::Path;

use object::elf::{ET_EXEC, FileHeader32, FileHeader64, PT_INTERP};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, FileKind};

/// A version of glibc, for example (2, 36).
pub type Glibc = (u32, u32);

/// An executable or library.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elf {
    /// 32 or 64.
    pub bits: u32,
    /// `e_machine`.
    pub machine: u16,
    /// It names an interpreter: the system's loader loads it and its libraries.
    pub interpreted: bool,
    /// It is an executable at a fixed address.
    pub fixed: bool,
    /// The newest version of glibc's symbols that it needs.
    pub needs: Option<Glibc>,
    /// The newest version of glibc's symbols that it has.
    pub has: Option<Glibc>,
}

/// Reads a file. The error is a message.
pub fn read(path: &Path) -> Result<Elf, String> {
    let data = std::fs::read(path).map_err(|error| error.to_string())?;
    let unreadable = |error: object::Error| error.to_string();
    match FileKind::parse(&*data) {
        Ok(FileKind::Elf32) => parse::<FileHeader32<Endianness>>(&data, 32).map_err(unreadable),
        Ok(FileKind::Elf64) => parse::<FileHeader64<Endianness>>(&data, 64).map_err(unreadable),
        _ => Err("it is no ELF file".to_string()),
    }
}

fn parse<F: FileHeader<Endian = Endianness>>(data: &[u8], bits: u32) -> object::Result<Elf> {
    let header = F::parse(data)?;
    let endian = header.endian()?;
    let mut elf = Elf {
        bits,
        machine: header.e_machine(endian),
        fixed: header.e_type(endian) == ET_EXEC,
        ..Elf::default()
    };
    let segments = header.program_headers(endian, data)?;
    elf.interpreted = segments
        .iter()
        .any(|segment| segment.p_type(endian) == PT_INTERP);
    let sections = header.sections(endian, data)?;
    if let Some((mut needed, link)) = sections.gnu_verneed(endian, data)? {
        let strings = sections.strings(endian, data, link)?;
        while let Some((_, mut versions)) = needed.next()? {
            while let Some(version) = versions.next()? {
                elf.needs = elf.needs.max(glibc(version.name(endian, strings)?));
            }
        }
    }
    if let Some((mut defined, link)) = sections.gnu_verdef(endian, data)? {
        let strings = sections.strings(endian, data, link)?;
        while let Some((_, mut names)) = defined.next()? {
            // The first name is the version's own, others are its parents'.
            if let Some(name) = names.next()? {
                elf.has = elf.has.max(glibc(name.name(endian, strings)?));
            }
        }
    }
    Ok(elf)
}

/// `GLIBC_2.36`.
fn glibc(name: &[u8]) -> Option<Glibc> {
    let text = std::str::from_utf8(name).ok()?.strip_prefix("GLIBC_")?;
    let (major, minor) = text.split_once('.')?;
    let minor = minor.split('.').next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The newest symbol version of the system's C library for programs of this machine.
pub fn system_glibc(root: &Path, bits: u32) -> Option<Glibc> {
    let folders = [
        "lib/x86_64-linux-gnu",
        "lib/aarch64-linux-gnu",
        "lib64",
        "usr/lib64",
        "lib",
        "usr/lib",
    ];
    let libraries = folders
        .iter()
        .map(|folder| root.join(folder).join("libc.so.6"));
    let found = libraries.filter_map(|path| read(&path).ok());
    found.filter(|elf| elf.bits == bits).find_map(|elf| elf.has)
}

#[cfg(test)]
mod tests {
    use super::{glibc, read, system_glibc};
    use std::path::Path;

    #[test]
    fn versions_are_read() {
        assert_eq!(glibc(b"GLIBC_2.36"), Some((2, 36)));
        assert_eq!(glibc(b"GLIBC_2.2.5"), Some((2, 2)));
        assert_eq!(glibc(b"GLIBC_PRIVATE"), None);
        assert_eq!(glibc(b"GCC_3.0"), None);
    }

    #[test]
    fn an_executable_of_the_system_is_read() {
        let program = read(&std::env::current_exe().unwrap()).unwrap();
        assert_eq!(program.bits, usize::BITS);
        let system = system_glibc(Path::new("/"), program.bits);
        assert!(program.interpreted && program.needs.is_some());
        assert!(program.needs <= system, "{program:?} {system:?}");
        assert!(
            read(Path::new("/etc/passwd"))
                .unwrap_err()
                .contains("no ELF file")
        );
    }
}
