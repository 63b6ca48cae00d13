//! The device that the tests share, and the check that validation stays silent.

use std::sync::LazyLock;

use pumice_filetests::skip::skip;
use pumice_vulkan_layer::{Error, Instance, InstanceConfig, LogicalDevice};

type Loaded = LazyLock<Result<Instance, String>>;

/// The instance, or the reason that there is none.
static INSTANCE: Loaded = LazyLock::new(|| load(&[]));

/// One whose devices have Vulkan 1.1, no timeline semaphores, and queries that the host cannot reset.
static OLD_INSTANCE: Loaded =
    LazyLock::new(|| load(&["vulkan1.1", "timelineSemaphore", "hostQueryReset"]));

fn load(masked: &[&str]) -> Result<Instance, String> {
    let mut config = InstanceConfig {
        // Off where the driver is newer than the layer: it reports what it does not know.
        validation: std::env::var_os("PUMICE_TEST_WITHOUT_VALIDATION").is_none(),
        masked: masked.iter().map(|name| name.to_string()).collect(),
        ..InstanceConfig::default()
    };
    if let Ok(instance) = Instance::load(&config) {
        return Ok(instance);
    }
    config.validation = false;
    match Instance::load(&config) {
        Ok(instance) => {
            skip("the validation layer is not installed: tests run without");
            Ok(instance)
        }
        Err(Error::NoVulkan(why)) => Err(format!("no Vulkan: {why}")),
        Err(error) => panic!("{error}"),
    }
}

/// Validation messages are the instance's, so tests that look at them run one at a time.
static TURN: parking_lot::Mutex<()> = parking_lot::Mutex::new(());

/// Runs a test with a fresh device and asserts that validation said nothing.
pub fn with_device(test: impl FnOnce(&LogicalDevice)) {
    run(&INSTANCE, test);
}

/// Likewise, then with a device of Vulkan 1.1 without what later versions have for submissions.
pub fn with_old_device_too(test: impl Fn(&LogicalDevice)) {
    run(&INSTANCE, &test);
    run(&OLD_INSTANCE, |device| {
        let caps = device.capabilities();
        assert!(caps.api_version < (1, 2, 0) && !caps.features.timeline_semaphore);
        test(device);
    });
}

fn run(instance: &'static Loaded, test: impl FnOnce(&LogicalDevice)) {
    let instance = match &**instance {
        Ok(instance) => instance,
        Err(reason) => return skip(reason),
    };
    let Some(physical) = instance.devices().first() else {
        let left_out = instance.left_out();
        return skip(&format!("no device above the floor: {left_out:?}"));
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
