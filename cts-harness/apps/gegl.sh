# Operations of GEGL, the core of GIMP, on the device and on the host. Bytes of the 8-bit results
# may differ by one level.
kind=cpu
clinfo --raw | grep -q "CL_DEVICE_TYPE .*_GPU" && kind=gpu
wrong=0
used=0
render() {
    name=$1
    GEGL_USE_OPENCL=no gegl -o host.ppm -- gegl:plasma width=200 height=120 seed=5 "$@" >host.txt 2>&1
    PUMICE_LOG=debug GEGL_USE_OPENCL=$kind gegl -o device.ppm -- gegl:plasma width=200 height=120 seed=5 "$@" >device.txt 2>&1
    # GEGL falls back to the host without a word; only our own log shows it.
    if grep -q ": submits " device.txt || ! grep -q "^pumice: " device.txt; then used=$((used + 1)); else echo "$name ran on the host"; fi
    different=$(cmp -l host.ppm device.ppm 2>&1 | awk '
        function octal(text) { return int(text / 100) * 64 + int(text / 10) % 10 * 8 + text % 10 }
        !/^ *[0-9]/ { print "all"; failed = 1; exit }
        { off = octal($2) - octal($3); if (off > 1 || off < -1) count++ }
        END { if (!failed) print count + 0 }')
    if test "$different" = 0 && test -s device.ppm; then
        echo "ok $name"
    else
        echo "WRONG $name: $different bytes"
        wrong=$((wrong + 1))
    fi
}
render gegl:brightness-contrast contrast=1.3 brightness=0.1
render gegl:hue-chroma hue=40 chroma=12
render gegl:invert-linear
render gegl:value-invert
render gegl:mono-mixer red=0.5 green=0.2 blue=0.1
render gegl:video-degradation
render gegl:threshold value=0.45
render gegl:levels in-low=0.1 in-high=0.8 out-high=0.9
render gegl:opacity value=0.6
render gegl:gaussian-blur std-dev-x=3 std-dev-y=2
render gegl:box-blur radius=4
render gegl:bilateral-filter blur-radius=3
render gegl:edge-laplace
render gegl:edge-sobel
render gegl:motion-blur-linear length=9 angle=30
render gegl:pixelize size-x=7 size-y=5
render gegl:unsharp-mask std-dev=2 scale=1.5
render gegl:vignette
render gegl:texturize-canvas
render gegl:noise-hsv seed=3
render gegl:red-eye-removal
echo "$used operations used the device"
echo "$wrong wrong"
