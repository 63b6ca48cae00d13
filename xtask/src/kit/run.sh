#!/bin/sh
# Tests Pumice on this machine's Vulkan driver: ./run [--seconds N] [--jobs N] [--part PART]... [--out FOLDER]
here=$(cd "$(dirname "$0")" && pwd) || exit 2
# The runner is an OpenCL program and needs a loader to start: the kit's, if the system has none.
if ! "$here/bin/pumice-cts" help >/dev/null 2>&1; then
    LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$here/loaders/OpenCL
    export LD_LIBRARY_PATH
fi
exec "$here/bin/pumice-cts" kit "$here" "$@"
