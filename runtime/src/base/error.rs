//! The OpenCL error codes as one type.
//!
//! Every check in the runtime answers with [`Error`]; the C ABI turns it into a `cl_int` with
//! [`Error::code`] in one place.

/// The constants, wherever the crate has them.
mod codes {
    pub use opencl_sys::cl_egl::CL_INVALID_EGL_OBJECT_KHR;
    #[allow(clippy::wildcard_imports, reason = "the names that the one list uses")]
    pub use opencl_sys::*;
}

macro_rules! errors {
    ($($name:ident = $cl:ident;)*) => {
        /// An OpenCL error code, named as the specification names it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Error {
            $(
                #[doc = concat!("`", stringify!($cl), "`")]
                $name,
            )*
        }

        impl Error {
            /// The `cl_int` that the API returns.
            pub fn code(self) -> i32 {
                match self {
                    $(Error::$name => codes::$cl,)*
                }
            }

            /// The constant's name, for log lines.
            pub fn name(self) -> &'static str {
                match self {
                    $(Error::$name => stringify!($cl),)*
                }
            }
        }
    };
}

errors! {
    DeviceNotFound = CL_DEVICE_NOT_FOUND;
    DeviceNotAvailable = CL_DEVICE_NOT_AVAILABLE;
    CompilerNotAvailable = CL_COMPILER_NOT_AVAILABLE;
    MemObjectAllocationFailure = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    OutOfResources = CL_OUT_OF_RESOURCES;
    OutOfHostMemory = CL_OUT_OF_HOST_MEMORY;
    ProfilingInfoNotAvailable = CL_PROFILING_INFO_NOT_AVAILABLE;
    MemCopyOverlap = CL_MEM_COPY_OVERLAP;
    ImageFormatMismatch = CL_IMAGE_FORMAT_MISMATCH;
    ImageFormatNotSupported = CL_IMAGE_FORMAT_NOT_SUPPORTED;
    BuildProgramFailure = CL_BUILD_PROGRAM_FAILURE;
    MapFailure = CL_MAP_FAILURE;
    MisalignedSubBufferOffset = CL_MISALIGNED_SUB_BUFFER_OFFSET;
    ExecStatusErrorForEventsInWaitList = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    CompileProgramFailure = CL_COMPILE_PROGRAM_FAILURE;
    LinkerNotAvailable = CL_LINKER_NOT_AVAILABLE;
    LinkProgramFailure = CL_LINK_PROGRAM_FAILURE;
    DevicePartitionFailed = CL_DEVICE_PARTITION_FAILED;
    KernelArgInfoNotAvailable = CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    InvalidValue = CL_INVALID_VALUE;
    InvalidDeviceType = CL_INVALID_DEVICE_TYPE;
    InvalidPlatform = CL_INVALID_PLATFORM;
    InvalidDevice = CL_INVALID_DEVICE;
    InvalidContext = CL_INVALID_CONTEXT;
    InvalidQueueProperties = CL_INVALID_QUEUE_PROPERTIES;
    InvalidCommandQueue = CL_INVALID_COMMAND_QUEUE;
    InvalidHostPtr = CL_INVALID_HOST_PTR;
    InvalidMemObject = CL_INVALID_MEM_OBJECT;
    InvalidImageFormatDescriptor = CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    InvalidImageSize = CL_INVALID_IMAGE_SIZE;
    InvalidSampler = CL_INVALID_SAMPLER;
    InvalidBinary = CL_INVALID_BINARY;
    InvalidBuildOptions = CL_INVALID_BUILD_OPTIONS;
    InvalidProgram = CL_INVALID_PROGRAM;
    InvalidProgramExecutable = CL_INVALID_PROGRAM_EXECUTABLE;
    InvalidKernelName = CL_INVALID_KERNEL_NAME;
    InvalidKernelDefinition = CL_INVALID_KERNEL_DEFINITION;
    InvalidKernel = CL_INVALID_KERNEL;
    InvalidArgIndex = CL_INVALID_ARG_INDEX;
    InvalidArgValue = CL_INVALID_ARG_VALUE;
    InvalidArgSize = CL_INVALID_ARG_SIZE;
    InvalidKernelArgs = CL_INVALID_KERNEL_ARGS;
    InvalidWorkDimension = CL_INVALID_WORK_DIMENSION;
    InvalidWorkGroupSize = CL_INVALID_WORK_GROUP_SIZE;
    InvalidWorkItemSize = CL_INVALID_WORK_ITEM_SIZE;
    InvalidGlobalOffset = CL_INVALID_GLOBAL_OFFSET;
    InvalidEventWaitList = CL_INVALID_EVENT_WAIT_LIST;
    InvalidEvent = CL_INVALID_EVENT;
    InvalidOperation = CL_INVALID_OPERATION;
    InvalidBufferSize = CL_INVALID_BUFFER_SIZE;
    InvalidGlobalWorkSize = CL_INVALID_GLOBAL_WORK_SIZE;
    InvalidProperty = CL_INVALID_PROPERTY;
    InvalidImageDescriptor = CL_INVALID_IMAGE_DESCRIPTOR;
    InvalidMipLevel = CL_INVALID_MIP_LEVEL;
    InvalidCompilerOptions = CL_INVALID_COMPILER_OPTIONS;
    InvalidLinkerOptions = CL_INVALID_LINKER_OPTIONS;
    InvalidDevicePartitionCount = CL_INVALID_DEVICE_PARTITION_COUNT;
    InvalidPipeSize = CL_INVALID_PIPE_SIZE;
    InvalidDeviceQueue = CL_INVALID_DEVICE_QUEUE;
    InvalidSpecId = CL_INVALID_SPEC_ID;
    MaxSizeRestrictionExceeded = CL_MAX_SIZE_RESTRICTION_EXCEEDED;
    InvalidCommandBuffer = CL_INVALID_COMMAND_BUFFER_KHR;
    InvalidSyncPointWaitList = CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
    IncompatibleCommandQueue = CL_INCOMPATIBLE_COMMAND_QUEUE_KHR;
    InvalidMutableCommand = CL_INVALID_MUTABLE_COMMAND_KHR;
    InvalidSemaphore = CL_INVALID_SEMAPHORE_KHR;
    ContextTerminated = CL_CONTEXT_TERMINATED_KHR;
    InvalidGlObject = CL_INVALID_GL_OBJECT;
    InvalidGlShareGroup = CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
    InvalidEglObject = CL_INVALID_EGL_OBJECT_KHR;
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::error::Error for Error {}

/// The runtime's result.
pub type Result<T> = std::result::Result<T, Error>;

#[cfg(test)]
mod tests {
    use super::Error;

    #[test]
    fn codes_are_the_specifications() {
        assert_eq!(Error::InvalidValue.code(), -30);
        assert_eq!(Error::DeviceNotFound.code(), -1);
        assert_eq!(Error::InvalidSpecId.code(), -71);
        assert_eq!(Error::InvalidKernel.name(), "CL_INVALID_KERNEL");
    }
}
