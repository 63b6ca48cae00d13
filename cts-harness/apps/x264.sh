# The encoder's lookahead on the device: the film must come out as well as without it.
# $1: frames. x264 takes GPUs only.
export PUMICE_DEVICE_TYPE=gpu
# Waves that move at several speeds, and a square.
python3 -c '
import math, sys
frames, width, height = int(sys.argv[1]), 320, 240
out = open("film.y4m", "wb")
out.write(b"YUV4MPEG2 W320 H240 F25:1 Ip A1:1 C420jpeg\n")
wave = [int(127 + 90 * math.sin(i / 11) + 30 * math.sin(i / 2.3)) for i in range(4096)]
for frame in range(frames):
    luma = bytearray()
    for y in range(height):
        row = [(wave[x + y + 3 * frame] + wave[2 * y + 2048 - 5 * frame]) // 2 for x in range(width)]
        if 60 <= y - 2 * frame < 110:
            row[50 + 4 * frame:90 + 4 * frame] = [235] * 40
        luma += bytes(row[:width])
    chroma = bytes(128 + (x + frame) % 32 for _ in range(height // 2) for x in range(width // 2))
    out.write(b"FRAME\n" + luma + chroma + chroma)
' "$1"
common="--threads 2 --lookahead-threads 1 --crf 23 --tune psnr --psnr film.y4m"
x264 $common -o host.264 2>host.txt
x264 --opencl $common -o device.264 2>device.txt
grep -i opencl device.txt
frames() { sed -n 's/.*encoded \([0-9]*\) frames.*/\1/p' "$1"; }
quality() { sed -n 's/.*PSNR Mean.*Global:\([0-9.]*\).*/\1/p' "$1" | tail -n 1; }
size() { wc -c <"$1"; }
echo "host: $(frames host.txt) frames, $(quality host.txt) dB, $(size host.264) bytes"
echo "device: $(frames device.txt) frames, $(quality device.txt) dB, $(size device.264) bytes"
# Motion vectors of the lookahead differ a little, and so do the choices that follow from them.
echo "$(frames device.txt) $1 $(quality host.txt) $(quality device.txt) $(size host.264) $(size device.264)" |
    awk '{ loss = $3 - $4; ratio = $6 / $5
           if ($1 == $2 && loss < 0.6 && loss > -0.6 && ratio > 0.85 && ratio < 1.15) print "films agree" }'
