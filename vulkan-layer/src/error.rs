//! Errors of the Vulkan layer.

use ash::vk;

/// An error of the Vulkan layer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no usable Vulkan on this machine; the text says why.
    #[error("Vulkan is not available: {0}")]
    NoVulkan(String),
    /// Host memory ran out.
    #[error("out of host memory")]
    OutOfHostMemory,
    /// Device memory ran out.
    #[error("out of device memory")]
    OutOfDeviceMemory,
    /// An allocation would take more device memory than the process is to use (VK_EXT_memory_budget).
    #[error(
        "{size} bytes of device memory do not fit in the {left} that are left of the process's budget"
    )]
    OverBudget {
        /// Requested bytes.
        size: u64,
        /// Bytes left.
        left: u64,
    },
    /// The device is lost: every object of it is unusable from now on.
    #[error("the device is lost")]
    DeviceLost,
    /// A size is beyond a limit of the device.
    #[error("{what} of {size} is beyond the device's limit of {limit}")]
    TooLarge {
        /// Quantity that exceeds the limit.
        what: &'static str,
        /// Requested amount, in the limit's unit.
        size: u64,
        /// The device's limit.
        limit: u64,
    },
    /// The device lacks something that the call needs.
    #[error("the device does not support {0}")]
    Unsupported(String),
    /// The caller broke a documented rule of the call.
    #[error("invalid use: {0}")]
    InvalidUse(String),
    /// The driver refused a shader module or pipeline.
    #[error("the Vulkan driver could not build the pipeline: {0}")]
    Pipeline(String),
    /// Any other failure of a Vulkan call.
    #[error("{call} failed: {result}")]
    Vulkan {
        /// The call.
        call: &'static str,
        /// Its VkResult, as text.
        result: String,
    },
}

/// Results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Translates a VkResult, with the name of the call that gave it.
    pub(crate) fn from_vk(call: &'static str, result: vk::Result) -> Self {
        match result {
            vk::Result::ERROR_OUT_OF_HOST_MEMORY => Self::OutOfHostMemory,
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => Self::OutOfDeviceMemory,
            vk::Result::ERROR_DEVICE_LOST => Self::DeviceLost,
            other => Self::Vulkan {
                call,
                result: format!("{other:?}"),
            },
        }
    }
}

/// Names the call on the way out.
pub(crate) trait Context<T> {
    fn call(self, call: &'static str) -> Result<T>;
}

impl<T> Context<T> for std::result::Result<T, vk::Result> {
    fn call(self, call: &'static str) -> Result<T> {
        self.map_err(|result| Error::from_vk(call, result))
    }
}
