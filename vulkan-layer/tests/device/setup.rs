//! The device that the tests share, and the check that validation stays silent.

use std::sync::LazyLock;

use pumice_vulkan_layer::{Device, Error, Instance, InstanceConfig};

static INSTANCE: LazyLock<Option<Instance>> = LazyLock::new(|| {
    let mut config = InstanceConfig {
        // Off where the driver is newer than the layer: it reports what it does not know.
        validation: std::env::var_os("PUMICE_TEST_WITHOUT_VALIDATION").is_none(),
        ..InstanceConfig::default()
    };
    if let Ok(instance) = Instance::load(&config) {
        return Some(instance);
    }
    eprintln!("the validation layer is not installed: testing without");
    config.validation = false;
    match Instance::load(&config) {
        Ok(instance) => Some(instance),
        Err(Error::NoVulkan(why)) => {
            eprintln!("skipped: no Vulkan: {why}");
            None
        }
        Err(error) => panic!("{error}"),
    }
});

/// Validation messages are the instance's, so tests that look at them run one at a time.
static TURN: parking_lot::Mutex<()> = parking_lot::Mutex::new(());

/// Runs a test with a fresh device and asserts that validation said nothing.
pub fn with_device(test: impl FnOnce(&Device)) {
    let Some(instance) = &*INSTANCE else {
        return;
    };
    let Some(physical) = instance.devices().first() else {
        eprintln!(
            "skipped: no device above the floor: {:?}",
            instance.left_out()
        );
        return;
    };
    let _turn = TURN.lock();
    let before = instance.validation_messages().len();
    {
        let device = physical.open().unwrap();
        test(&device);
    }
    let messages = instance.validation_messages();
    // A layer that is older than the driver does not know all of its extensions.
    let known = |message: &&String| {
        !message.contains("unknown VkStructureType")
            && !message.contains("is not supported by this layer")
    };
    let messages: Vec<_> = messages[before..].iter().filter(known).collect();
    assert!(messages.is_empty(), "{messages:#?}");
}
