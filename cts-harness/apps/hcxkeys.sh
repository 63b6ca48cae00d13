# WPA's keys of a list of passwords: of the program for OpenCL and of that for the host.
seq -f 'password%g' 65 >words.txt
printf '%s\n' abcdefgh 'with blanks and signs: %&/()' 'Größenwahn' 12345678 \
    012345678901234567890123456789012345678901234567890123456789012 >>words.txt
rm -f host.txt device.txt
wlangenpmk -e "a network" -i words.txt -A host.txt
wlangenpmkocl -e "a network" -i words.txt -A device.txt
sort host.txt >host.sorted
sort device.txt >device.sorted
echo "$(comm -12 host.sorted device.sorted | grep -c '^[0-9a-f]\{64\}:') of $(wc -l <words.txt) keys equal"
comm -13 host.sorted device.sorted | sed 's/^/WRONG /'
