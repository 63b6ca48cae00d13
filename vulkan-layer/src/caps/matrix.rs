//! Products of cooperative matrices that a device lists (VK_KHR_cooperative_matrix).

use ash::vk;
use pumice_target::matrix::{Component, NativeProduct, Product, products};

use super::Capabilities;

/// Asks for the products.
pub(super) fn query(
    caps: &mut Capabilities,
    entry: &ash::Entry,
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
) -> Result<(), vk::Result> {
    let mut stages = vk::PhysicalDeviceCooperativeMatrixPropertiesKHR::default();
    let mut head = vk::PhysicalDeviceProperties2::default().push_next(&mut stages);
    let functions = ash::khr::cooperative_matrix::Instance::new(entry, instance);
    // SAFETY: `physical` was enumerated from `instance` and has the extension.
    let listed = unsafe {
        instance.get_physical_device_properties2(physical, &mut head);
        functions.get_physical_device_cooperative_matrix_properties(physical)?
    };
    let supported = stages.cooperative_matrix_supported_stages;
    if supported.contains(vk::ShaderStageFlags::COMPUTE) {
        caps.matrix_products = listed.iter().filter_map(known).collect();
    }
    Ok(())
}

/// The product, if OpenCL programs can have it.
fn known(listed: &vk::CooperativeMatrixPropertiesKHR<'_>) -> Option<NativeProduct> {
    let component = |ty: vk::ComponentTypeKHR| Component::of_number(ty.as_raw() as u32);
    let product = Product {
        m: listed.m_size,
        n: listed.n_size,
        k: listed.k_size,
        a: component(listed.a_type)?,
        b: component(listed.b_type)?,
        result: component(listed.result_type)?,
    };
    let fits = listed.scope == vk::ScopeKHR::SUBGROUP
        && listed.c_type == listed.result_type
        && products().any(|other| other == product);
    fits.then_some(NativeProduct {
        product,
        saturating: listed.saturating_accumulation != vk::FALSE,
        exact: !product.result.is_float(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed() -> vk::CooperativeMatrixPropertiesKHR<'static> {
        vk::CooperativeMatrixPropertiesKHR::default()
            .m_size(16)
            .n_size(16)
            .k_size(16)
            .a_type(vk::ComponentTypeKHR::UINT8)
            .b_type(vk::ComponentTypeKHR::SINT8)
            .c_type(vk::ComponentTypeKHR::SINT32)
            .result_type(vk::ComponentTypeKHR::SINT32)
            .scope(vk::ScopeKHR::SUBGROUP)
    }

    #[test]
    fn products_that_programs_can_have_are_taken() {
        let native = known(&listed()).expect("a product of cl_pumice_cooperative_matrix");
        let components = (native.product.a, native.product.b, native.product.result);
        assert_eq!(
            components,
            (Component::Uchar, Component::Char, Component::Int)
        );
        assert!(native.exact && !native.saturating);
        let saturating = known(&listed().saturating_accumulation(true));
        assert!(saturating.is_some_and(|native| native.saturating));
        let halves = vk::ComponentTypeKHR::FLOAT16;
        let halves = listed().a_type(halves).b_type(halves);
        let halves = halves
            .c_type(vk::ComponentTypeKHR::FLOAT32)
            .result_type(vk::ComponentTypeKHR::FLOAT32);
        assert!(known(&halves).is_some_and(|native| !native.exact));
        for other in [
            listed().scope(vk::ScopeKHR::WORKGROUP),
            listed().k_size(64),
            listed().c_type(vk::ComponentTypeKHR::UINT32),
            listed().a_type(vk::ComponentTypeKHR::SINT16),
        ] {
            assert_eq!(known(&other), None);
        }
    }
}
