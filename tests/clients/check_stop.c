/* Check mode with `stop`: the first report ends the launch, whose event has an error; the context goes on. */
// client: env PUMICE_CHECK=bounds,stop
// client: env PUMICE_LOG=off
#include "common.h"

static const char *source = "kernel void fill(global int *out, int n)\n"
                            "{\n"
                            "    int i = get_global_id(0);\n"
                            "    for (int k = 0; k < 1000000000; k++)\n"
                            "        out[n + i + (k & 1)] = k | 1;\n"
                            "    out[i] = 5;\n"
                            "}\n"
                            "kernel void right(global int *out) { out[get_global_id(0)] = 3; }\n";

static cl_int launch(cl_command_queue queue, cl_kernel kernel)
{
    size_t size = 4;
    cl_event event;
    cl_int status = 1;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, &event));
    clWaitForEvents(1, &event);
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    MUST(clReleaseEvent(event));
    return status;
}

int main(void)
{
    cl_device_id device = pumice_device();
    cl_device_svm_capabilities svm = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    /* Without addresses nothing is checked. */
    if (!svm)
        return finish();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueue, context, device, 0);
    cl_program program = PROGRAM(context, source, "");
    int data[4] = {9, 9, 9, 9}, n = 4;
    cl_mem out = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof data, data);
    cl_kernel fill = MADE(clCreateKernel, program, "fill");
    MUST(clSetKernelArg(fill, 0, sizeof out, &out));
    MUST(clSetKernelArg(fill, 1, sizeof n, &n));
    /* A thousand million rounds would take minutes. */
    EQ(launch(queue, fill), CL_OUT_OF_RESOURCES);
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    for (int i = 0; i < 4; i++)
        EQ(data[i], 9);
    cl_kernel right = MADE(clCreateKernel, program, "right");
    MUST(clSetKernelArg(right, 0, sizeof out, &out));
    EQ(launch(queue, right), CL_COMPLETE);
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    for (int i = 0; i < 4; i++)
        EQ(data[i], 3);
    MUST(clReleaseKernel(right));
    MUST(clReleaseKernel(fill));
    MUST(clReleaseMemObject(out));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
