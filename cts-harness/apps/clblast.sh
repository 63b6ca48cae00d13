# Tests of CLBlast, each against the reference BLAS; the arguments are their names.
for name in "$@"; do
    "clblast_test_$name" -platform 0 -device 0 || echo "WRONG $name: status $?"
done
