// client: without-vulkan
/* The driver on a machine without any Vulkan device: a platform with zero devices, every query of
 * the platform answered, every wrong handle refused, nothing printed, nothing aborted.
 * Run with VK_DRIVER_FILES and VK_ICD_FILENAMES naming no driver. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <string.h>

static int failures;
#define CHECK(cond)                                                      \
    do {                                                                 \
        if (!(cond)) {                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);   \
            failures++;                                                  \
        }                                                                \
    } while (0)

int main(void)
{
    cl_uint count = 0;
    CHECK(clGetPlatformIDs(0, NULL, &count) == CL_SUCCESS);
    CHECK(count == 1);
    cl_platform_id platform = NULL;
    CHECK(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    CHECK(clGetPlatformIDs(0, &platform, NULL) == CL_INVALID_VALUE);
    if (!platform)
        return 1;

    char text[512];
    size_t size = 0;
    CHECK(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof text, text, &size) == CL_SUCCESS);
    CHECK(strcmp(text, "Pumice") == 0 && size == strlen(text) + 1);
    CHECK(clGetPlatformInfo(platform, CL_PLATFORM_NAME, 3, text, NULL) == CL_INVALID_VALUE);
    CHECK(clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, NULL, &size) == CL_SUCCESS && size == 7);
    CHECK(clGetPlatformInfo(platform, 0x7fff, sizeof text, text, NULL) == CL_INVALID_VALUE);
    CHECK(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, sizeof text, text, NULL) == CL_SUCCESS);
    CHECK(strstr(text, "cl_khr_icd") != NULL);
    CHECK(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof text, text, NULL) == CL_SUCCESS);
    CHECK(strncmp(text, "OpenCL 3.1 ", 11) == 0);

    cl_uint devices = 77;
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &devices) == CL_DEVICE_NOT_FOUND);
    CHECK(clGetDeviceIDs(platform, 0, 0, NULL, &devices) == CL_INVALID_DEVICE_TYPE);
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL) == CL_INVALID_VALUE);

    cl_int error = 0;
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    CHECK(clCreateContextFromType(properties, CL_DEVICE_TYPE_ALL, NULL, NULL, &error) == NULL);
    CHECK(error == CL_DEVICE_NOT_FOUND);
    CHECK(clCreateContextFromType(properties, 0, NULL, NULL, &error) == NULL);
    CHECK(error == CL_INVALID_DEVICE_TYPE);

    /* The platform is no context, queue, ...: the tag in its header says so. */
    void *wrong = platform;
    CHECK(clRetainContext(wrong) == CL_INVALID_CONTEXT);
    CHECK(clReleaseCommandQueue(wrong) == CL_INVALID_COMMAND_QUEUE);
    CHECK(clReleaseMemObject(wrong) == CL_INVALID_MEM_OBJECT);
    CHECK(clReleaseProgram(wrong) == CL_INVALID_PROGRAM);
    CHECK(clReleaseKernel(wrong) == CL_INVALID_KERNEL);
    CHECK(clReleaseEvent(wrong) == CL_INVALID_EVENT);
    CHECK(clReleaseSampler(wrong) == CL_INVALID_SAMPLER);
    CHECK(clGetDeviceInfo(wrong, CL_DEVICE_NAME, sizeof text, text, NULL) == CL_INVALID_DEVICE);
    CHECK(clCreateBuffer(wrong, 0, 16, NULL, &error) == NULL && error == CL_INVALID_CONTEXT);
    CHECK(clFinish(wrong) == CL_INVALID_COMMAND_QUEUE);
    CHECK(clRetainContext(NULL) == CL_INVALID_CONTEXT);
    CHECK(clReleaseEvent(NULL) == CL_INVALID_EVENT);

    CHECK(clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSubGroupInfoKHR") != NULL);
    CHECK(clGetExtensionFunctionAddressForPlatform(platform, "clNoSuchThing") == NULL);

    if (failures)
        return 1;
    puts("ok");
    return 0;
}
