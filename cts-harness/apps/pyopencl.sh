# Tests of PyOpenCL's source distribution; the arguments go to pytest.
test -d source || { mkdir source.new && tar -xzf "$APPS_HOME"/sdist/pyopencl-*.tar.gz -C source.new && mv source.new source; }
cd source/pyopencl-*/test
PYOPENCL_NO_CACHE=1 "$PYTHON" -m pytest -q -p no:cacheprovider "$@"
