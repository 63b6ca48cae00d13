# A picture developed with OpenCL must be the one developed without.
export HOME="$PWD" XDG_CONFIG_HOME="$PWD/config"
test -f in.png || ffmpeg -v error -f lavfi -i testsrc2=size=640x480:rate=1:duration=1 -frames:v 1 in.png
rm -f with.tif without.tif
name=$(clinfo --raw | sed -n 's/.*CL_DEVICE_NAME *//p' | head -n 1)
key=$(printf '%s' "$name" | tr '[:upper:]' '[:lower:]' | tr -cd '[:alnum:]')
platform=$(clinfo --raw | sed -n 's/.*CL_PLATFORM_NAME *//p' | head -n 1 | tr '[:upper:]' '[:lower:]' | tr -cd '[:alnum:]')
develop() {
    to=$1
    shift
    darktable-cli in.png "$to" --core --configdir config --library :memory: "$@" 2>&1
}
develop with.tif -d opencl --conf "cldevice_v5_$key=0 250 0 16 16 128 0 0 0.000 0.000 0.250" \
    --conf "clplatform_$platform=TRUE" --conf opencl=TRUE | tee log.txt | tail -n 40
develop without.tif --disable-opencl | tail -n 1
# A run that quietly left OpenCL alone shows nothing.
grep -qi "opencl.*processed\|\[opencl_init\].*successfully enabled\|opencl.*: *ON\|OpenCL AVAILABLE" log.txt || echo "OpenCL was not used"
cmp with.tif without.tif && echo "pictures agree"
