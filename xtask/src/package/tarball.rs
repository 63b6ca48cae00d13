//! The tarball, for distributions without a package: the installed files below one folder, and a
//! script that copies them.

use super::{NAME, VERSION, copy, fresh, licences, write};
use crate::layout;
use crate::release::{Built, Profile};
use crate::sh::{self, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The install script.
const SCRIPT: &str = r#"#!/bin/sh
# Installs Pumice: ./install.sh [--remove] [PREFIX]; PREFIX is /usr/local unless given.
set -eu
remove=
if [ "${1:-}" = --help ]; then
    sed -n '2s/^# //p' "$0"
    exit
fi
if [ "${1:-}" = --remove ]; then
    remove=yes
    shift
fi
prefix=${1:-/usr/local}
here=$(cd "$(dirname "$0")" && pwd)
case $prefix in
/usr | /usr/local) vendors=/etc/OpenCL/vendors ;;
/*) vendors=$prefix/etc/OpenCL/vendors ;;
*) echo "install.sh: PREFIX must begin with /" >&2; exit 2 ;;
esac
above=$prefix
while [ ! -e "$above" ]; do above=$(dirname "$above"); done
if [ ! -w "$above" ]; then
    echo "install.sh: $above cannot be written: call it with sudo, or give a PREFIX of your own" >&2
    exit 1
fi
cd "$here/files"
find . -type f | while read -r file; do
    if [ "$remove" ]; then
        rm -f "$prefix/$file"
    elif [ -x "$file" ]; then
        install -D -m 755 "$file" "$prefix/$file"
    else
        install -D -m 644 "$file" "$prefix/$file"
    fi
done
if [ "$remove" ]; then
    rm -f "$vendors/pumice.icd"
    case $prefix in
    /usr | /usr/local)
        rmdir --ignore-fail-on-non-empty "$prefix/libexec/pumice" "$prefix/share/doc/pumice" \
            "$prefix/share/cmake/Pumice" 2>/dev/null || true
        ;;
    *) [ ! -d "$prefix" ] || find "$prefix" -depth -type d -empty -delete ;;
    esac
    echo "removed; the cache of built programs is ~/.cache/pumice"
    exit
fi
mkdir -p "$vendors"
echo "$prefix/lib/libpumice.so" >"$vendors/pumice.icd"
echo "installed in $prefix"
if [ "$vendors" != /etc/OpenCL/vendors ]; then
    echo "to use it: export OCL_ICD_VENDORS='$vendors'"
fi
echo "$prefix/bin/pumice-info shows whether it works"
"#;

/// The folder in the tarball.
fn name() -> String {
    format!("{NAME}-{VERSION}-linux-{}", std::env::consts::ARCH)
}

/// The tarball's file.
pub fn file_name(profile: Profile) -> String {
    let ending = match profile {
        Profile::Release => "tar.xz",
        Profile::Debug => "tar",
    };
    format!("{}.{ending}", name())
}

/// Makes the tarball in a folder; `moment` is the time of everything in it.
pub fn make(built: &Built, profile: Profile, moment: &str, folder: &Path) -> Result<PathBuf> {
    let name = name();
    let staging = folder.join("tarball");
    let root = staging.join(&name);
    fresh(&root)?;
    for file in layout::files(built)? {
        copy(
            &file.source,
            &root.join("files").join(&file.place),
            file.mode,
        )?;
    }
    let documents = root.join("files/share/doc").join(NAME);
    for document in ["LICENSE-APACHE", "LICENSE-MIT", "CHANGELOG.md"] {
        copy(&sh::root().join(document), &documents.join(document), 0o644)?;
    }
    write(&documents.join("THIRD-PARTY"), licences::third_party()?)?;
    let script = root.join("install.sh");
    write(&script, SCRIPT)?;
    sh::output(Command::new("chmod").args(["-R", "u=rwX,go=rX"]).arg(&root))?;
    sh::output(Command::new("chmod").arg("755").arg(&script))?;
    let compression = match profile {
        Profile::Release => "--xz",
        Profile::Debug => "--sparse",
    };
    let tarball = folder.join(file_name(profile));
    let mut tar = Command::new("tar");
    tar.args([
        "--sort=name",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        compression,
    ])
    .arg(format!("--mtime=@{moment}"))
    .arg("-C")
    .arg(&staging)
    .arg("-cf")
    .arg(&tarball)
    .arg(&name);
    sh::output(&mut tar)?;
    Ok(tarball)
}
