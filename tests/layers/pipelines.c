/* A Vulkan layer that writes a line for each compute pipeline to the file that LAYER_PIPELINES names:
 *     ENTRY RESULT NANOSECONDS | NAME VALUE | NAME VALUE ...
 * RESULT is vkCreateComputePipelines's, NANOSECONDS the processor time of all threads meanwhile, which other processes do
 * not change much. The names and values are the driver's statistics
 * (VK_KHR_pipeline_executable_properties, which the layer turns on; none where the device lacks it). */
#define _GNU_SOURCE
#define LAYER_NAME "VK_LAYER_PUMICE_pipelines"
#include <stdint.h>
#include <vulkan/vulkan.h>

#define INSTANCE_OWN(X)
#define INSTANCE_NEXT(X) X(EnumerateDeviceExtensionProperties)
#define DEVICE_OWN(X) X(CreateComputePipelines)
#define DEVICE_NEXT(X) X(GetPipelineExecutablePropertiesKHR) X(GetPipelineExecutableStatisticsKHR)

struct device_data {
    int none;
};

static VkResult create_with_statistics(PFN_vkCreateDevice create, VkPhysicalDevice physical,
                                       const VkDeviceCreateInfo *info, const VkAllocationCallbacks *callbacks,
                                       VkDevice *made);
#define CREATE_DEVICE create_with_statistics

#include "vulkan_layer.h"

/* Guards the file, which lines of several threads go to. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int offers(VkPhysicalDevice physical, const char *name)
{
    PFN_vkEnumerateDeviceExtensionProperties enumerate = instance_of(physical)->EnumerateDeviceExtensionProperties;
    uint32_t count = 0;
    int found = 0;
    enumerate(physical, NULL, &count, NULL);
    VkExtensionProperties *all = room(count * sizeof *all);
    enumerate(physical, NULL, &count, all);
    for (uint32_t i = 0; i < count; i++)
        found |= !strcmp(all[i].extensionName, name);
    free(all);
    return found;
}

static VkResult create_with_statistics(PFN_vkCreateDevice create, VkPhysicalDevice physical,
                                       const VkDeviceCreateInfo *info, const VkAllocationCallbacks *callbacks,
                                       VkDevice *made)
{
    const char *name = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
    if (!offers(physical, name))
        return create(physical, info, callbacks, made);
    const char **names = room((info->enabledExtensionCount + 1) * sizeof *names);
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        names[i] = info->ppEnabledExtensionNames[i];
    names[info->enabledExtensionCount] = name;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR feature = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
        .pNext = (void *)info->pNext,
        .pipelineExecutableInfo = VK_TRUE,
    };
    VkDeviceCreateInfo more = *info;
    more.pNext = &feature;
    more.enabledExtensionCount++;
    more.ppEnabledExtensionNames = names;
    VkResult result = create(physical, &more, callbacks, made);
    free(names);
    return result;
}

static void opened(struct device *device)
{
    (void)device;
}

static void closing(struct device *device)
{
    (void)device;
}

static void put_value(FILE *file, const VkPipelineExecutableStatisticKHR *statistic)
{
    fprintf(file, " | %s ", statistic->name);
    if (statistic->format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR)
        fprintf(file, "%g", statistic->value.f64);
    else
        fprintf(file, "%lld", (long long)statistic->value.i64);
}

static void put_statistics(FILE *file, struct device *device, VkPipeline pipeline)
{
    VkPipelineInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = pipeline};
    uint32_t executables = 0;
    device->GetPipelineExecutablePropertiesKHR(device->handle, &info, &executables, NULL);
    for (uint32_t i = 0; i < executables; i++) {
        VkPipelineExecutableInfoKHR executable = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
            .pipeline = pipeline,
            .executableIndex = i,
        };
        uint32_t count = 0;
        device->GetPipelineExecutableStatisticsKHR(device->handle, &executable, &count, NULL);
        VkPipelineExecutableStatisticKHR *all = room(count * sizeof *all);
        for (uint32_t k = 0; k < count; k++)
            all[k].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
        device->GetPipelineExecutableStatisticsKHR(device->handle, &executable, &count, all);
        for (uint32_t k = 0; k < count; k++)
            put_value(file, &all[k]);
        free(all);
    }
}

static uint64_t processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* One at a time, so that each has a time of its own. */
static VKAPI_ATTR VkResult VKAPI_CALL own_CreateComputePipelines(VkDevice handle, VkPipelineCache cache,
                                                                 uint32_t count,
                                                                 const VkComputePipelineCreateInfo *infos,
                                                                 const VkAllocationCallbacks *callbacks,
                                                                 VkPipeline *made)
{
    struct device *device = device_of(handle);
    const char *path = getenv("LAYER_PIPELINES");
    VkResult all = VK_SUCCESS;
    for (uint32_t i = 0; i < count; i++) {
        VkComputePipelineCreateInfo info = infos[i];
        if (device->GetPipelineExecutableStatisticsKHR)
            info.flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
        uint64_t start = processor_ns();
        VkResult result = device->CreateComputePipelines(handle, cache, 1, &info, callbacks, &made[i]);
        uint64_t time = processor_ns() - start;
        pthread_mutex_lock(&lock);
        FILE *file = path ? fopen(path, "a") : NULL;
        if (file) {
            fprintf(file, "%s %d %llu", info.stage.pName, result, (unsigned long long)time);
            if (result == VK_SUCCESS && device->GetPipelineExecutableStatisticsKHR)
                put_statistics(file, device, made[i]);
            fputc('\n', file);
            fclose(file);
        }
        pthread_mutex_unlock(&lock);
        if (result != VK_SUCCESS)
            all = result;
    }
    return all;
}
