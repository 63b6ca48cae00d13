/* A Vulkan program whose memory leaves it as file descriptors, and the socket to the program that takes them. */
#ifndef PUMICE_CLIENT_VULKAN_SHARE_H
#define PUMICE_CLIENT_VULKAN_SHARE_H
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vulkan_call.h"

/* An allocation that the host writes and reads through a mapping. */
struct shared {
    VkBuffer buffer;
    VkDeviceMemory memory;
    int *mapped;
    int fd;
};

static VkDevice device;
static PFN_vkGetMemoryFdKHR get_memory_fd;

/* A type of memory that the host maps. */
static inline uint32_t mapped_type(VkPhysicalDevice physical, uint32_t allowed)
{
    VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++)
        if (allowed >> i & 1 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    fprintf(stderr, "no mapped memory for a buffer that is shared\n");
    exit(1);
}

static inline struct shared allocate(VkPhysicalDevice physical, VkDeviceSize size)
{
    struct shared made;
    VkExternalMemoryBufferCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                 .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .pNext = &external,
                               .size = size,
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VK(vkCreateBuffer(device, &info, NULL, &made.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, made.buffer, &needs);
    VkExportMemoryAllocateInfo exported = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                           .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .pNext = &exported,
                                       .allocationSize = needs.size,
                                       .memoryTypeIndex = mapped_type(physical, needs.memoryTypeBits)};
    VK(vkAllocateMemory(device, &allocation, NULL, &made.memory));
    VK(vkBindBufferMemory(device, made.buffer, made.memory, 0));
    void *mapped;
    VK(vkMapMemory(device, made.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
    made.mapped = mapped;
    VkMemoryGetFdInfoKHR get = {.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                                .memory = made.memory,
                                .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VK(get_memory_fd(device, &get, &made.fd));
    return made;
}

/* Sends a byte with a descriptor, or without one if it is -1. */
static inline void send_fd(int socket, int fd)
{
    char byte = 'f', control[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(header), &fd, sizeof fd);
    }
    /* The other program is gone where it has no use for the memory. */
    (void)!sendmsg(socket, &message, MSG_NOSIGNAL);
}

/* Waits for such a byte: the descriptor, or -1. `answered` is 0 if the other program is gone. */
static inline int receive_fd(int socket, int *answered)
{
    int fd = -1;
    char byte, control[CMSG_SPACE(sizeof fd)];
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    *answered = recvmsg(socket, &message, 0) == 1;
    if (*answered && CMSG_FIRSTHDR(&message))
        memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    return fd;
}

/* Passes the turn on with a byte, or waits for it: the byte, 0 if the other program is gone. */
static inline int turn(int socket, char byte)
{
    if (byte)
        return send(socket, &byte, 1, MSG_NOSIGNAL) == 1;
    return read(socket, &byte, 1) == 1 ? byte : 0;
}
/* Runs the Vulkan program in a process of its own, with a socket between both: the status of main. */
static inline int two_programs(int (*vulkan)(int), void (*opencl)(int))
{
    int sockets[2], status = 1;
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    pid_t child = fork();
    if (child == 0) {
        close(sockets[0]);
        exit(vulkan(sockets[1]));
    }
    close(sockets[1]);
    opencl(sockets[0]);
    close(sockets[0]);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return failures != 0;
}
#endif
