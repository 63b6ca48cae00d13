//! IR to Vulkan SPIR-V with NonSemantic.ClspvReflection.

/// A Vulkan SPIR-V module with its NonSemantic.ClspvReflection instructions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VulkanModule {
    /// The SPIR-V words, magic number first, reflection included.
    pub words: Vec<u32>,
}
