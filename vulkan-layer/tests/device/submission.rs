//! Queues, timelines, timestamps, instances.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use pumice_filetests::skip::skip;
use pumice_vulkan_layer::caps::Driver;
use pumice_vulkan_layer::{
    CopyRegion, Error, Instance, InstanceConfig, MemoryClass, Wait, host_time_ns, quirks,
};

use crate::dispatch::{buffer_of, pipeline, storage_layout, whole, words};
use crate::modules::mark;
use crate::setup::{with_device, with_old_device_too};

#[test]
fn timelines_count_submissions() {
    with_old_device_too(|device| {
        let queue = device.create_queue().unwrap();
        assert_eq!(queue.timeline().completed(), Ok(0));
        assert_eq!(queue.wait(0, None), Ok(true));
        for expected in 1..=100 {
            let value = queue.submit(queue.recorder().unwrap(), &[]).unwrap();
            assert_eq!((value, queue.last_submitted()), (expected, expected));
        }
        assert_eq!(queue.wait(100, None), Ok(true));
        assert_eq!(queue.timeline().completed(), Ok(100));
        // A value that nobody submitted is not reached.
        let short = Some(Duration::from_millis(5));
        assert_eq!(queue.wait(101, short), Ok(false));
    });
}

/// A submission's semaphores may still be in the driver's hands when it is done (lavapipe), so
/// they are used again and never destroyed before the device.
#[test]
fn timelines_outlive_their_queues() {
    with_device(|device| {
        let mut counts = [0, 0];
        for _ in 0..200 {
            let (first, second) = (
                device.create_queue().unwrap(),
                device.create_queue().unwrap(),
            );
            let mut starts = [first.last_submitted(), second.last_submitted()];
            starts.sort_unstable();
            assert_eq!(starts, counts, "timelines go on where they stopped");
            let value = first.submit(first.recorder().unwrap(), &[]).unwrap();
            let wait = Wait {
                timeline: first.timeline().clone(),
                value,
            };
            let last = second.submit(second.recorder().unwrap(), &[wait]).unwrap();
            assert_eq!(second.wait(last, None), Ok(true));
            counts = counts.map(|count| count + 1);
        }
    });
}

/// Vulkan lets any number of threads wait for one semaphore; the validation layer of Debian 12
/// crashes when they do, so that they take turns under one.
#[test]
fn many_threads_wait_for_one_timeline() {
    with_old_device_too(|device| {
        let queue = device.create_queue().unwrap();
        let size = 4 << 20;
        let buffer = device
            .create_buffer(size, MemoryClass::DeviceLocal)
            .unwrap();
        for round in 0..300_u32 {
            let mut recorder = queue.recorder().unwrap();
            let word = round.to_le_bytes();
            recorder.fill_buffer(&buffer, 0, size, &word).unwrap();
            let value = queue.submit(recorder, &[]).unwrap();
            // All at once, while the device is busy.
            let start = Barrier::new(6);
            std::thread::scope(|scope| {
                for _ in 0..6 {
                    scope.spawn(|| {
                        start.wait();
                        assert_eq!(queue.timeline().block(value, None), Ok(true));
                    });
                }
            });
            assert!(queue.timeline().completed().unwrap() >= value);
        }
        let soon = Some(Duration::from_millis(2));
        let never = queue.last_submitted() + 1;
        assert_eq!(queue.timeline().block(never, soon), Ok(false));
    });
}

#[test]
fn queues_wait_for_each_other() {
    with_old_device_too(|device| {
        let (first, second) = (
            device.create_queue().unwrap(),
            device.create_queue().unwrap(),
        );
        assert!(!first.same(&second));
        let a = device
            .create_buffer(1 << 20, MemoryClass::DeviceLocal)
            .unwrap();
        let b = device
            .create_buffer(1 << 20, MemoryClass::Readback)
            .unwrap();
        for round in 0..20_u8 {
            let mut recorder = first.recorder().unwrap();
            recorder.fill_buffer(&a, 0, 1 << 20, &[round]).unwrap();
            let filled = first.submit(recorder, &[]).unwrap();
            let mut recorder = second.recorder().unwrap();
            let all = CopyRegion {
                from: 0,
                to: 0,
                size: 1 << 20,
            };
            recorder.copy_buffer(&a, &b, &[all]).unwrap();
            let wait = Wait {
                timeline: first.timeline().clone(),
                value: filled,
            };
            let copied = second.submit(recorder, &[wait]).unwrap();
            second.wait(copied, None).unwrap();
            let mut bytes = vec![0; 1 << 20];
            b.read(0, &mut bytes).unwrap();
            assert!(bytes.iter().all(|&byte| byte == round));
        }
    });
}

/// Each queue waits for the one before, all at once: a submission may wait for several queues, for what
/// has ended and for what has not begun.
#[test]
fn queues_wait_in_chains() {
    with_old_device_too(|device| {
        let count = 5;
        let queues: Vec<_> = (0..count).map(|_| device.create_queue().unwrap()).collect();
        let size = 64 << 10;
        let class = MemoryClass::Readback;
        let buffer = device.create_buffer(size, class).unwrap();
        let mut ends: Vec<Wait> = Vec::new();
        for round in 0..200_u8 {
            let queue = &queues[usize::from(round) % count];
            let mut recorder = queue.recorder().unwrap();
            recorder.fill_buffer(&buffer, 0, size, &[round]).unwrap();
            // All earlier ends, of which most are over.
            let value = queue.submit(recorder, &ends).unwrap();
            let timeline = queue.timeline().clone();
            ends.push(Wait { timeline, value });
            if round % 7 == 6 {
                ends.drain(..ends.len() / 2);
            }
        }
        let last = ends.last().unwrap();
        assert_eq!(last.timeline.wait(last.value, None), Ok(true));
        let mut bytes = vec![0; size as usize];
        buffer.read(0, &mut bytes).unwrap();
        assert!(bytes.iter().all(|&byte| byte == 199));
        assert!(ends.iter().all(Wait::is_over));
    });
}

#[test]
fn kept_objects_go_when_the_device_is_done() {
    struct Told(Arc<AtomicBool>);
    impl Drop for Told {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    with_old_device_too(|device| {
        let queue = device.create_queue().unwrap();
        let gone = Arc::new(AtomicBool::new(false));
        let mut recorder = queue.recorder().unwrap();
        recorder.keep(Told(Arc::clone(&gone)));
        let value = queue.submit(recorder, &[]).unwrap();
        queue.wait(value, None).unwrap();
        queue.reclaim();
        assert!(gone.load(Ordering::SeqCst));

        // A dropped recorder records nothing, and its commands are used again.
        gone.store(false, Ordering::SeqCst);
        let mut recorder = queue.recorder().unwrap();
        recorder.keep(Told(Arc::clone(&gone)));
        drop(recorder);
        assert!(gone.load(Ordering::SeqCst));
        assert_eq!(queue.last_submitted(), value);
        queue.submit(queue.recorder().unwrap(), &[]).unwrap();
    });
}

#[test]
fn recorders_on_many_threads() {
    with_old_device_too(|device| {
        let queue = device.create_queue().unwrap();
        let module = device.create_shader_module(&mark()).unwrap();
        let layout = storage_layout(device, 1, 4);
        let marked = pipeline(device, &module, "mark", &layout, &[(3, 0)]);
        std::thread::scope(|scope| {
            for thread in 0..4_u32 {
                let (queue, layout, marked) = (queue.clone(), &layout, &marked);
                scope.spawn(move || {
                    for round in 0..25 {
                        let out = buffer_of(device, MemoryClass::Readback, &[0]);
                        let resources = [(0, whole(&out))];
                        let set = device.create_descriptor_set(layout, 0, &resources).unwrap();
                        let mut recorder = queue.recorder().unwrap();
                        recorder.bind_pipeline(marked);
                        recorder.bind_descriptors(&set).unwrap();
                        let number = thread * 1000 + round;
                        recorder.push_constants(0, &number.to_ne_bytes()).unwrap();
                        recorder.dispatch([1, 1, 1]).unwrap();
                        let value = queue.submit(recorder, &[]).unwrap();
                        queue.wait(value, None).unwrap();
                        assert_eq!(words(&out), [number]);
                    }
                });
            }
        });
    });
}

#[test]
fn timestamps_run_with_the_host_clock() {
    with_old_device_too(|device| {
        if device.capabilities().timestamp_bits == 0 {
            skip("the device has no timestamps");
            return;
        }
        let queue = device.create_queue().unwrap();
        let buffer = device
            .create_buffer(32 << 20, MemoryClass::DeviceLocal)
            .unwrap();
        let pair = device.device_and_host_time().unwrap();
        assert!(host_time_ns().abs_diff(pair.host) < 1_000_000_000);
        for _ in 0..3 {
            let before = host_time_ns();
            let mut recorder = queue.recorder().unwrap();
            let start = recorder.write_timestamp().unwrap();
            recorder.fill_buffer(&buffer, 0, 32 << 20, &[3]).unwrap();
            recorder.barrier();
            let end = recorder.write_timestamp().unwrap();
            let value = queue.submit(recorder, &[]).unwrap();
            queue.wait(value, None).unwrap();
            let after = host_time_ns();
            let [start, end] = [start, end].map(|timestamp| timestamp.device_ns().unwrap());
            assert!(start < end, "{start} {end}");
            // Calibration is good to a fraction of a millisecond; leave ten for a loaded host.
            let slack = 10_000_000;
            assert!(device.to_host_time(start).unwrap() + slack >= before);
            assert!(device.to_host_time(end).unwrap() <= after + slack);
        }
        // More timestamps than one pool has, several times, so that pools are used again.
        let mut last = 0;
        for _ in 0..3 {
            let mut recorder = queue.recorder().unwrap();
            let many: Vec<_> = (0..1500)
                .map(|_| recorder.write_timestamp().unwrap())
                .collect();
            assert_eq!(recorder.timestamps(), 1500);
            let value = queue.submit(recorder, &[]).unwrap();
            queue.wait(value, None).unwrap();
            queue.reclaim();
            for timestamp in many {
                let time = timestamp.device_ns().unwrap();
                assert!(last <= time && time != 0, "{last} {time}");
                last = time;
            }
        }
    });
}

#[test]
fn without_vulkan_there_is_an_error_and_nothing_else() {
    let config = InstanceConfig {
        library: Some("libno-such-vulkan.so.1".into()),
        ..InstanceConfig::default()
    };
    assert!(matches!(Instance::load(&config), Err(Error::NoVulkan(_))));
    // A library that is not Vulkan's.
    let config = InstanceConfig {
        library: Some("libc.so.6".into()),
        ..InstanceConfig::default()
    };
    assert!(matches!(Instance::load(&config), Err(Error::NoVulkan(_))));
}

#[test]
fn masked_features_are_absent() {
    with_device(|device| {
        let there = device.capabilities().features;
        let config = InstanceConfig {
            masked: [
                "shaderFloat64",
                "VK_EXT_external_memory_host",
                "exactDivide",
            ]
            .map(String::from)
            .to_vec(),
            ..InstanceConfig::default()
        };
        let instance = Instance::load(&config).unwrap();
        let caps = instance.devices()[0].capabilities();
        assert!(!caps.features.shader_float64);
        assert_eq!(caps.host_import_alignment, None);
        let mut expected = there;
        expected.shader_float64 = false;
        assert_eq!(caps.features, expected);
        let masked = instance.devices()[0].open().unwrap();
        assert!(
            !masked.probes().arithmetic.exact_fma_f64 && !masked.probes().arithmetic.exact_div_f32
        );

        // Below the floor, a device is left out with the reason.
        let config = InstanceConfig {
            masked: vec!["vulkan1.0".into(), "shaderInt8".into()],
            ..InstanceConfig::default()
        };
        let instance = Instance::load(&config).unwrap();
        assert!(instance.devices().is_empty());
        let reason = "it has Vulkan 1.0, 1.1 is needed";
        assert_eq!(instance.left_out()[0].reason, reason);
    });
}

#[test]
fn faulty_drivers_are_left_out_where_that_is_asked_for() {
    with_device(|device| {
        let driver = &device.capabilities().driver;
        let config = InstanceConfig {
            without_faulty: true,
            ..InstanceConfig::default()
        };
        let instance = Instance::load(&config).unwrap();
        let left_out = instance.left_out().iter();
        let faulty: Vec<_> = left_out.filter(|device| device.faulty).collect();
        let offered = |id: u32| {
            let mut drivers = instance.devices().iter().map(|d| &d.capabilities().driver);
            drivers.any(|driver| driver.id == id)
        };
        let Some(quirk) = quirks::wrong_results(driver) else {
            assert!(faulty.iter().all(|device| device.driver != *driver));
            return assert!(offered(driver.id));
        };
        let ours = faulty.iter().find(|device| device.driver == *driver);
        let ours = ours.expect("the device is left out");
        let Driver { name, info, .. } = driver;
        let reason = format!(
            "its driver, {name} {info}, gives wrong results: {}",
            quirk.reason
        );
        assert_eq!((&ours.reason, &ours.cure), (&reason, &quirk.cure()));
        assert_eq!(instance.is_replaced(ours), offered(driver.id));
    });
}

#[test]
fn without_device_addresses_a_lower_floor_holds() {
    with_device(|device| {
        let mask = |names: &[&str]| InstanceConfig {
            masked: names.iter().map(|name| (*name).to_string()).collect(),
            ..InstanceConfig::default()
        };
        // The compiler makes up for narrow accesses.
        let without_bytes = Instance::load(&mask(&["storageBuffer8BitAccess"])).unwrap();
        assert!(!without_bytes.devices().is_empty());

        let masked = ["bufferDeviceAddress", "storageBuffer8BitAccess"];
        let instance = Instance::load(&mask(&masked)).unwrap();
        let lower = instance.devices()[0].open().unwrap();
        let class = MemoryClass::HostVisibleDevice;
        let buffer = lower.create_buffer(5, class).unwrap();
        assert_eq!((buffer.address(), buffer.size_in_words()), (0, 8));
        // The probes need no addresses, apart from the one that asks for the host's.
        let (with, without) = (device.probes(), lower.probes());
        assert!(!without.host_addresses);
        assert_eq!(
            without.arithmetic.exact_fma_f32,
            with.arithmetic.exact_fma_f32
        );
        assert_eq!(without.arithmetic.denorms_f32, with.arithmetic.denorms_f32);
    });
}
