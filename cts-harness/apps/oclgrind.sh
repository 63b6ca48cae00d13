# Our kernel files on Oclgrind's own device, which looks for races and accesses out of bounds. Left
# out are those where its interpreter computes otherwise than every driver tried, lacks a function or a type, or crashes, and
# those that its clang refuses.
files=$(grep -L -e 'build-log' -e 'cl_khr' -e cl_amd -e cl_arm -e 'sub_group' -e '-cl-std=CL[23]' -e printf "$APPS"/../../compiler/filetests/run/*.cl |
    grep -v -e /bit_joins.cl -e /brace_elision.cl -e /byte_functions.cl -e /designators.cl -e /flexible_members.cl -e /function_edges -e /integer_bits.cl -e /lane_functions.cl -e /least_normals.cl -e /lgamma_r_float.cl -e /options_fast -e /options_single -e /conversions.cl -e /expressions_from_memory.cl -e /native_math.cl | head -n 30)
test -n "$files"
test -x "$CLRUN" || { echo "missing: $CLRUN, which stands beside pumice-cts"; exit 1; }
for file in $files; do
    timeout 60 oclgrind --data-races --log oclgrind.log "$CLRUN" Oclgrind "$file" >said.txt 2>&1 ||
        echo "WRONG $(basename "$file"): $( (grep FAIL -A1 said.txt || cat said.txt) | tail -n 1)"
    if test -s oclgrind.log; then echo "FOUND in $(basename "$file")"; head -n 12 oclgrind.log; fi
    rm -f oclgrind.log
done
echo "$(echo "$files" | wc -l) kernel files"
