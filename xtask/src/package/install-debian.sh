#!/bin/sh
# Installs Pumice on Debian, with a Vulkan driver for the processor: sudo sh ./install-debian.sh
# The package stands beside this script. apt asks before it installs.
# On a Debian 12 without a GPU, Debian's backports become a source of apt: its own Mesa gives wrong results there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
package=$here/pumice_@VERSION@_$(dpkg --print-architecture).deb
if [ ! -f "$package" ]; then
    echo "install-debian.sh: $package is not there" >&2
    exit 1
fi
if [ "$(id -u)" != 0 ]; then
    echo "install-debian.sh: it changes the system: call it with sudo" >&2
    exit 1
fi
apt-get update
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
suite=
if [ "$codename" = bookworm ] && ! ls /dev/dri/renderD* >/dev/null 2>&1; then
    suite=bookworm-backports
    if ! apt-cache policy | grep -q "n=$suite,"; then
        mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
        list=/etc/apt/sources.list.d/backports.list
        echo "deb ${mirror:-http://deb.debian.org/debian} $suite main" >"$list"
        echo "install-debian.sh: $list is new: Mesa comes from Debian's backports"
        apt-get update
    fi
fi
apt-get install ${suite:+-t "$suite"} "$package" mesa-vulkan-drivers
pumice-info | head -n 1
