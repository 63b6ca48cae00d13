// client: link -lvulkan
// client: without-layers
// client: without-newest-layer
/* clImportMemoryARM: buffers of a dma_buf that a Vulkan program exported. The layer ends a process in which one of two
 * instances was destroyed. */
#include <fcntl.h>
#include <unistd.h>

#include "import_memory.h"
#include "vulkan_call.h"

static VkInstance instance;
static VkBuffer buffer_of_fd;

/* A dma_buf of the first Vulkan device, and where the host sees it. */
static int export(VkDevice *device, VkDeviceMemory *memory, int **mapped)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VK(vkCreateInstance(&info, NULL, &instance));
    uint32_t count = 1;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkResult listed = vkEnumeratePhysicalDevices(instance, &count, &physical);
    CHECK(listed == VK_SUCCESS || listed == VK_INCOMPLETE);
    float priority = 1;
    VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                      .queueCount = 1,
                                      .pQueuePriorities = &priority};
    const char *names[] = {"VK_KHR_external_memory_fd", "VK_EXT_external_memory_dma_buf"};
    VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .queueCreateInfoCount = 1,
                                 .pQueueCreateInfos = &queues,
                                 .enabledExtensionCount = 2,
                                 .ppEnabledExtensionNames = names};
    VK(vkCreateDevice(physical, &create, NULL, device));
    const VkExternalMemoryHandleTypeFlagBits kind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
    VkExternalMemoryBufferCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                 .handleTypes = kind};
    VkBufferCreateInfo buffer_info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .pNext = &external,
                                      .size = 1 << 14,
                                      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VK(vkCreateBuffer(*device, &buffer_info, NULL, &buffer_of_fd));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(*device, buffer_of_fd, &needs);
    VkExportMemoryAllocateInfo exported = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, .handleTypes = kind};
    VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .pNext = &exported,
                                       .allocationSize = needs.size,
                                       .memoryTypeIndex = (uint32_t)__builtin_ctz(needs.memoryTypeBits)};
    VkResult allocated = vkAllocateMemory(*device, &allocation, NULL, memory);
    if (allocated != VK_SUCCESS)
        return -1;
    VK(vkBindBufferMemory(*device, buffer_of_fd, *memory, 0));
    void *address;
    VK(vkMapMemory(*device, *memory, 0, VK_WHOLE_SIZE, 0, &address));
    *mapped = address;
    PFN_vkGetMemoryFdKHR get_fd = (PFN_vkGetMemoryFdKHR)vkGetDeviceProcAddr(*device, "vkGetMemoryFdKHR");
    VkMemoryGetFdInfoKHR get = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = *memory, .handleType = kind};
    int fd = -1;
    VK(get_fd(*device, &get, &fd));
    return fd;
}

static void dma_buf(void)
{
    const intptr_t list[] = {TYPE, DMA_BUF, CONSISTENT, 1, 0};
    int none = -1;
    EQ(refused(0, list, &none, 64), CL_INVALID_PROPERTY);
    EQ(refused(0, list, NULL, 64), CL_INVALID_VALUE);
    VkDevice device;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    int *mapped = NULL;
    int fd = export(&device, &memory, &mapped);
    if (fd < 0) {
        /* The kernel of the machine lets nobody make one. */
        puts("no dma_buf can be made");
        goto end;
    }
    cl_mem buffer = MADE(import, context, CL_MEM_READ_WRITE, list, &fd, N * sizeof(int));
    use(buffer, mapped);
    MUST(clReleaseMemObject(buffer));
    EQ(refused(0, list, &fd, 1 << 24), CL_INVALID_BUFFER_SIZE);
    /* The descriptor is still the application's. */
    CHECK(fcntl(fd, F_GETFD) >= 0);
    close(fd);
end:
    vkDestroyBuffer(device, buffer_of_fd, NULL);
    vkFreeMemory(device, memory, NULL);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
}

int main(void)
{
    cl_device_id device = pumice_device();
    static char names[8192];
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    begin(device);
    if (strstr(names, "cl_arm_import_memory_dma_buf")) {
        dma_buf();
    } else {
        const intptr_t list[] = {TYPE, DMA_BUF, 0};
        int fd = 1;
        EQ(refused(0, list, &fd, 64), CL_INVALID_PROPERTY);
    }
    end();
    return finish();
}
