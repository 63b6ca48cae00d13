#!/bin/sh
# A test binary that passes, fails, skips, crashes, hangs or lies as the sub-test's name says.
if [ "$1" = --list ]; then
    printf '\tgood\n\tbad\n\tabsent\n\tcrash\n\thang\n\tsilent\n\tleaves\n\tliar\n\tdata\n\targuments\n'
    exit 0
fi
for name; do :; done
say() { printf '{"results": {"%s": "%s"}}' "$name" "$1" >"$CL_CONFORMANCE_RESULTS_FILENAME"; }
case "$name" in
good) say pass ;;
bad) say fail; echo "wrong <value>"; exit 1 ;;
absent) say skip ;;
crash) kill -SEGV $$ ;;
hang) sleep 600 & echo "waiting for what never comes"; wait ;;
silent) exit 0 ;;
leaves) echo "cl_fake is not supported on this device. Skipping test." ;;
liar) say pass; exit 1 ;;
data) test -f spirv_bin/kernel.spv && say pass ;;
arguments) [ "$*" = "-w max_images arguments" ] && say pass ;;
esac
