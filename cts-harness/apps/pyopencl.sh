# Tests of PyOpenCL's source distribution; the arguments go to pytest. Without any it only unpacks.
test -d source || { mkdir source.new && tar -xzf "$APPS_HOME"/sdist/pyopencl-*.tar.gz -C source.new && mv source.new source; }
test $# -gt 0 || exit 0
cd source/pyopencl-*/test
PYOPENCL_NO_CACHE=1 "$PYTHON" -m pytest -q -p no:cacheprovider "$@"
