//! Buffers, copies and fills.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use pumice_filetests::skip::skip;
use pumice_vulkan_layer::{Buffer, CopyRegion, Error, LogicalDevice, MemoryClass, Recorder};

use crate::setup::with_device;

fn submit(device: &LogicalDevice, record: impl FnOnce(&mut Recorder)) {
    let queue = device.create_queue().unwrap();
    let mut recorder = queue.recorder().unwrap();
    record(&mut recorder);
    let value = queue.submit(recorder, &[]).unwrap();
    assert!(queue.wait(value, None).unwrap());
}

fn contents(device: &LogicalDevice, buffer: &Buffer) -> Vec<u8> {
    let back = device
        .create_buffer(buffer.size(), MemoryClass::Readback)
        .unwrap();
    submit(device, |recorder| {
        let region = CopyRegion {
            from: 0,
            to: 0,
            size: buffer.size(),
        };
        recorder.copy_buffer(buffer, &back, &[region]).unwrap();
    });
    let mut bytes = vec![0; buffer.size() as usize];
    back.read(0, &mut bytes).unwrap();
    bytes
}

#[test]
fn classes_sizes_and_addresses() {
    with_device(|device| {
        let classes = [
            (MemoryClass::DeviceLocal, false),
            (MemoryClass::HostVisibleDevice, true),
            (MemoryClass::Staging, true),
            (MemoryClass::Readback, true),
        ];
        for (class, mapped) in classes {
            for size in [1, 4, 100, 4096, 17 << 20] {
                let buffer = device.create_buffer(size, class).unwrap();
                assert_eq!((buffer.size(), buffer.memory_class()), (size, class));
                assert_eq!(buffer.address() % 256, 0);
                assert_ne!(buffer.address(), 0);
                assert!(buffer.mapped().is_some() || !mapped);
            }
        }
        assert!(matches!(
            device.create_buffer(0, MemoryClass::DeviceLocal),
            Err(Error::InvalidUse(_))
        ));
        assert!(matches!(
            device.create_buffer(u64::MAX, MemoryClass::DeviceLocal),
            Err(Error::TooLarge { .. })
        ));
        let buffer = device.create_buffer(16, MemoryClass::Staging).unwrap();
        assert!(buffer.write(8, &[1; 8]).is_ok());
        assert!(buffer.write(9, &[1; 8]).is_err());
        assert!(buffer.read(u64::MAX, &mut [0; 2]).is_err());
    });
}

#[test]
fn writes_at_any_offset() {
    with_device(|device| {
        let buffer = device
            .create_buffer(200_000, MemoryClass::DeviceLocal)
            .unwrap();
        let long: Vec<u8> = (0..100_001_u32).map(|i| (i % 251) as u8).collect();
        submit(device, |recorder| {
            recorder.fill_buffer(&buffer, 0, 200_000, &[0xee]).unwrap();
            recorder.barrier();
            recorder.write_buffer(&buffer, 4, b"word").unwrap();
            recorder.write_buffer(&buffer, 9, b"odd").unwrap();
            recorder.write_buffer(&buffer, 1001, &long).unwrap();
            recorder.write_buffer(&buffer, 7, b"").unwrap();
            assert!(recorder.write_buffer(&buffer, 199_999, b"ab").is_err());
        });
        let mut expected = vec![0xee; 200_000];
        expected[4..8].copy_from_slice(b"word");
        expected[9..12].copy_from_slice(b"odd");
        expected[1001..101_002].copy_from_slice(&long);
        assert!(contents(device, &buffer) == expected);
    });
}

#[test]
fn fills_with_every_pattern_size() {
    with_device(|device| {
        for length in [1_usize, 2, 3, 4, 8, 16, 32, 64, 128] {
            let pattern: Vec<u8> = (0..length).map(|i| (i * 7 + length) as u8).collect();
            let (offset, count) = (length * 3, (700_000 / length).max(1));
            let size = offset + count * length + 5;
            let buffer = device
                .create_buffer(size as u64, MemoryClass::DeviceLocal)
                .unwrap();
            submit(device, |recorder| {
                recorder.fill_buffer(&buffer, 0, size as u64, &[1]).unwrap();
                recorder.barrier();
                let length = (count * length) as u64;
                recorder
                    .fill_buffer(&buffer, offset as u64, length, &pattern)
                    .unwrap();
            });
            let mut expected = vec![1; size];
            expected[offset..size - 5].copy_from_slice(&pattern.repeat(count));
            assert!(contents(device, &buffer) == expected, "{length}");
        }
        let buffer = device.create_buffer(16, MemoryClass::DeviceLocal).unwrap();
        submit(device, |recorder| {
            assert!(recorder.fill_buffer(&buffer, 0, 16, &[]).is_err());
            assert!(recorder.fill_buffer(&buffer, 0, 15, &[0; 4]).is_err());
            assert!(recorder.fill_buffer(&buffer, 8, 16, &[0; 4]).is_err());
        });
    });
}

/// A rectangle is as many regions as it has rows.
#[test]
fn copies_by_regions() {
    with_device(|device| {
        let from = device.create_buffer(64 * 64, MemoryClass::Staging).unwrap();
        let to = device
            .create_buffer(32 * 32, MemoryClass::DeviceLocal)
            .unwrap();
        let source: Vec<u8> = (0..64 * 64).map(|i| (i % 253) as u8).collect();
        from.write(0, &source).unwrap();
        submit(device, |recorder| {
            recorder.fill_buffer(&to, 0, 1024, &[0]).unwrap();
            recorder.barrier();
            let mut regions: Vec<_> = (0..10_u64)
                .map(|row| CopyRegion {
                    from: (row + 5) * 64 + 3,
                    to: row * 32 + 1,
                    size: 13,
                })
                .collect();
            regions.push(CopyRegion::default());
            recorder.copy_buffer(&from, &to, &regions).unwrap();
            let beyond = CopyRegion {
                from: 0,
                to: 1020,
                size: 5,
            };
            assert!(recorder.copy_buffer(&from, &to, &[beyond]).is_err());
        });
        let mut expected = vec![0; 1024];
        for row in 0..10 {
            let at = (row + 5) * 64 + 3;
            expected[row * 32 + 1..row * 32 + 14].copy_from_slice(&source[at..at + 13]);
        }
        assert_eq!(contents(device, &to), expected);
    });
}

#[test]
fn host_memory_is_imported() {
    with_device(|device| {
        let Some(alignment) = device.capabilities().host_import_alignment else {
            skip("the device imports no host memory");
            return;
        };
        let size = alignment * 4;
        let layout = Layout::from_size_align(size as usize, alignment as usize).unwrap();
        // SAFETY: the layout has a size above 0.
        let pointer = NonNull::new(unsafe { alloc_zeroed(layout) }).unwrap();
        {
            // SAFETY: the memory lives until after the buffer, as below.
            let odd = unsafe { device.import_host_memory(pointer.add(1), alignment) };
            assert!(matches!(odd, Err(Error::InvalidUse(_))));
            // SAFETY: as above.
            let buffer = unsafe { device.import_host_memory(pointer, size) }.unwrap();
            assert_eq!(buffer.mapped(), Some(pointer));
            submit(device, |recorder| {
                recorder.fill_buffer(&buffer, 4, 8, &[0xab]).unwrap();
            });
        }
        // SAFETY: the memory is this test's, and no buffer is left.
        let bytes = unsafe { std::slice::from_raw_parts(pointer.as_ptr(), 16) };
        assert_eq!(bytes[..4], [0; 4]);
        assert_eq!(bytes[4..12], [0xab; 8]);
        // SAFETY: allocated above with this layout.
        unsafe { dealloc(pointer.as_ptr(), layout) };
    });
}

#[test]
fn memory_comes_back() {
    with_device(|device| {
        for _ in 0..200 {
            let buffer = device
                .create_buffer(64 << 20, MemoryClass::DeviceLocal)
                .unwrap();
            drop(buffer);
        }
    });
}
