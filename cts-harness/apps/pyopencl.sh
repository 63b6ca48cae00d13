# Tests of PyOpenCL's source distribution; the arguments go to pytest.
test -d source || { mkdir source.new && tar -xzf "$APPS_HOME"/sdist/pyopencl-*.tar.gz -C source.new && mv source.new source; }
cd source/pyopencl-*/test
# A test looks into the cache, so it is on, but empty at first.
rm -rf cache
XDG_CACHE_HOME="$PWD/cache" "$PYTHON" -m pytest -q -p no:cacheprovider "$@"
