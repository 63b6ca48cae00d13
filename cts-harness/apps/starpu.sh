# Examples of StarPU with the OpenCL device as the only worker; each of them checks its own result.
export STARPU_HOME="$PWD" STARPU_NCPU=0 STARPU_NOPENCL=1 STARPU_OPENCL_ON_CPUS=1 STARPU_SILENT=1
examples=$(dirname "$(dpkg -L starpu-examples | grep /examples/add_vectors\$)")
passed=0
for name in "$@"; do
    timeout 200 "$examples/$name" >"$name.txt" 2>&1
    status=$?
    # 77: no worker can run the tasks.
    if test $status = 0; then
        passed=$((passed + 1))
        echo "ok $name"
    else
        echo "WRONG $name: status $status"
        tail -n 5 "$name.txt"
    fi
done
echo "$passed examples passed"
