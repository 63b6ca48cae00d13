# A picture developed with OpenCL must be the one developed without.
export HOME="$PWD" XDG_CONFIG_HOME="$PWD/config"
test -f in.png || ffmpeg -v error -f lavfi -i testsrc2=size=640x480:rate=1:duration=1 -frames:v 1 in.png
rm -f with.tif without.tif
said() { clinfo --raw | sed -n "s/.*$1 *//p" | head -n 1; }
letters() { printf %s "$1" | tr '[:upper:]' '[:lower:]' | tr -cd '[:alnum:]'; }
device=$(said CL_DEVICE_NAME)
name=$(letters "$device")
short=$(letters "${device%% (*}")
platform=$(letters "$(said CL_PLATFORM_NAME)")
develop() {
    to=$1
    shift
    darktable-cli in.png "$to" --core --configdir config --library :memory: "$@" 2>&1
}
# darktable leaves devices that are processors alone unless its configuration says otherwise; newer
# ones put the platform before the device's name there, and leave what stands in parentheses out of
# some names. darktable 4.2 has keys of version 4, with one number less.
use="0 250 0 16 16 128 0 0 0.000 0.000 0.250"
use_4_2="0 250 0 16 16 128 0 0 0.000 0.250"
develop with.tif -d opencl --conf "cldevice_v5_$name=$use" --conf "cldevice_v5_$platform$name=$use" \
    --conf "cldevice_v5_$platform$short=$use" --conf "cldevice_v4_$name=$use_4_2" \
    --conf "clplatform_$platform=TRUE" --conf opencl=TRUE >log.txt
tail -n 40 log.txt
develop without.tif --disable-opencl | tail -n 1
# A run that quietly left OpenCL alone shows nothing. darktable 4.2 counts the events that it gives up
# unseen between two runs of its pipeline as not successful; of those that failed it says so.
grep -q "opencl_summary_statistics.*: [1-9][0-9]* out of" log.txt || echo "OpenCL was not used"
grep -E "opencl_events_flush.* (failed|could not get)" log.txt && echo "a command failed"
# The files tell when they were made.
pixels() { ffmpeg -v error -i "$1" -f md5 -; }
test "$(pixels with.tif)" = "$(pixels without.tif)" && echo "pictures agree"
