# OpenCL filters of ffmpeg: the frames' checksums must be those in ffmpeg.md5, on which two other
# drivers agree.
filter() {
    name=$1
    shift
    sum=$(ffmpeg -v error -init_hw_device opencl=ocl:0.0 -filter_hw_device ocl -f lavfi \
        -i testsrc2=size=320x240:rate=5:duration=1 "$@" -f framemd5 - 2>error.txt | grep -v '^#' | md5sum | cut -d' ' -f1)
    if grep -qx "$name $sum" "$APPS/ffmpeg.md5"; then
        echo "ok $name"
    else
        echo "WRONG $name $sum $(head -n 1 error.txt)"
    fi
}
simple() { filter "$1" -vf "format=yuv420p,hwupload,$2,hwdownload,format=yuv420p"; }
simple avgblur avgblur_opencl=3
simple boxblur boxblur_opencl=2
simple unsharp unsharp_opencl
simple sobel sobel_opencl
simple prewitt prewitt_opencl
simple roberts roberts_opencl
simple erosion erosion_opencl
simple dilation dilation_opencl
simple transpose transpose_opencl
simple pad pad_opencl=400:300:20:20
simple convolution "convolution_opencl=0 -1 0 -1 5 -1 0 -1 0:0 -1 0 -1 5 -1 0 -1 0:0 -1 0 -1 5 -1 0 -1 0:0 -1 0 -1 5 -1 0 -1 0"
filter colorkey -vf "format=bgra,hwupload,colorkey_opencl=red:0.3:0.1,hwdownload,format=bgra"
filter overlay -f lavfi -i testsrc=size=80x60:rate=5:duration=1 -filter_complex \
    "[0]format=yuv420p,hwupload[a];[1]format=yuv420p,hwupload[b];[a][b]overlay_opencl=10:10,hwdownload,format=yuv420p"
cat >invert.cl <<'KERNEL'
kernel void invert(write_only image2d_t to, unsigned index, read_only image2d_t from)
{
    const sampler_t sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at, 1.0f - read_imagef(from, sampler, at));
}
KERNEL
simple program "program_opencl=source=invert.cl:kernel=invert"

# Between a decoder and an encoder: the frames of the encoded film are those of a film that the processor's filter makes.
ffmpeg -v error -y -f lavfi -i testsrc2=size=320x240:rate=5:duration=2 -c:v mpeg4 -q:v 3 film.mp4
frames() { ffmpeg -v error -i "$1" -f framemd5 - | grep -v '^#'; }
film() {
    ffmpeg -v error -y -init_hw_device opencl=ocl:0.0 -filter_hw_device ocl -i film.mp4 \
        -vf "$2" -c:v ffv1 "$1.mkv" 2>error.txt
}
film device "format=yuv420p,hwupload,transpose_opencl=dir=clock,hwdownload,format=yuv420p"
film host "format=yuv420p,transpose=dir=clock"
count=$(frames device.mkv | wc -l)
if [ "$count" = 10 ] && [ "$(frames device.mkv)" = "$(frames host.mkv)" ]; then
    echo "ok film of $count frames"
else
    echo "WRONG film of $count frames $(head -n 1 error.txt)"
fi
