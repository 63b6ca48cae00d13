# One hash mode of hashcat with its self-test: it must find the password of its own example.
# $1 is the mode. The kernel cache is in $XDG_CACHE_HOME, hence empty.
mode=$1
export HOME="$PWD" XDG_DATA_HOME="$PWD/data"
field() { hashcat --hash-info -m "$mode" | sed -n "s/^ *Example\.$1[. ]*: //p"; }
hash=$(field Hash)
password=$(field Pass)
printf '%s\n' "$hash" >hash.txt
printf 'wrong\nnearly\n%s\nlast one\n' "$password" >words.txt
# hashcat sizes its memory by the memory that the device reports.
ulimit -v 24000000
hashcat -D 1,2 --force --potfile-disable --hwmon-disable --backend-vector-width 1 -n 1 -u 32 -T 64 \
    --quiet -a 0 -m "$mode" hash.txt words.txt >found.txt
cat found.txt
grep -q ":$password\$" found.txt && echo "password found"
