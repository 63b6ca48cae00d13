//! Images of every kind, views and samplers: what is copied in comes out, and what is wrong is
//! refused before Vulkan sees it.

use pumice_vulkan_layer::{
    AddressMode, Component, Error, Format, IDENTITY, ImageBox, ImageDesc, ImageKind, LogicalDevice,
    MemoryClass, Recorder, SamplerDesc,
};

use crate::setup::with_device;

fn run(device: &LogicalDevice, record: impl FnOnce(&mut Recorder)) {
    let queue = device.create_queue().unwrap();
    let mut recorder = queue.recorder().unwrap();
    record(&mut recorder);
    let value = queue.submit(recorder, &[]).unwrap();
    queue.wait(value, None).unwrap();
}

const KINDS: [(ImageKind, [u32; 3], u32); 5] = [
    (ImageKind::D1, [7, 1, 1], 1),
    (ImageKind::D1Array, [7, 1, 1], 3),
    (ImageKind::D2, [7, 5, 1], 1),
    (ImageKind::D2Array, [7, 5, 1], 3),
    (ImageKind::D3, [7, 5, 3], 1),
];

fn desc(kind: ImageKind, extent: [u32; 3], layers: u32) -> ImageDesc {
    ImageDesc {
        kind,
        format: Format::R32Uint,
        extent,
        layers,
        levels: 1,
        reinterpreted: false,
    }
}

#[test]
fn every_kind_keeps_its_texels() {
    with_device(|device| {
        for (kind, extent, layers) in KINDS {
            let desc = desc(kind, extent, layers);
            let image = device.create_image(&desc).unwrap();
            let other = device.create_image(&desc).unwrap();
            let all = desc.level_box(0);
            let count: u32 = all.extent.iter().product();
            let bytes: Vec<u8> = (0..count).flat_map(u32::to_le_bytes).collect();
            let size = bytes.len() as u64;
            let from = device.create_buffer(size, MemoryClass::Staging).unwrap();
            let to = device.create_buffer(size, MemoryClass::Readback).unwrap();
            from.write(0, &bytes).unwrap();
            run(device, |recorder| {
                recorder.initialize_image(&image).unwrap();
                recorder.initialize_image(&other).unwrap();
                recorder
                    .copy_buffer_to_image(&from, 0, &image, all)
                    .unwrap();
                recorder.barrier();
                recorder.copy_image((&image, all), (&other, all)).unwrap();
                recorder.barrier();
                recorder.copy_image_to_buffer(&other, all, &to, 0).unwrap();
            });
            let mut got = vec![0; bytes.len()];
            to.read(0, &mut got).unwrap();
            assert_eq!(got, bytes, "{kind:?}");
            // A view of any order of components.
            let swizzle = [Component::Zero, Component::R, Component::One, Component::R];
            for components in [IDENTITY, swizzle] {
                device
                    .create_image_view(&image, desc.format, components, None)
                    .unwrap();
            }
        }
    });
}

#[test]
fn levels_keep_their_texels() {
    with_device(|device| {
        for (kind, extent, layers) in KINDS {
            let base = desc(kind, extent, layers);
            let desc = ImageDesc {
                levels: base.most_levels(),
                ..base
            };
            assert_eq!(desc.levels, 3);
            let image = device.create_image(&desc).unwrap();
            let boxes: Vec<ImageBox> = (0..desc.levels)
                .map(|level| desc.level_box(level))
                .collect();
            let count: u32 = boxes.iter().map(|b| b.extent.iter().product::<u32>()).sum();
            let bytes: Vec<u8> = (0..count).flat_map(u32::to_le_bytes).collect();
            let size = bytes.len() as u64;
            let from = device.create_buffer(size, MemoryClass::Staging).unwrap();
            let to = device.create_buffer(size, MemoryClass::Readback).unwrap();
            from.write(0, &bytes).unwrap();
            run(device, |recorder| {
                recorder.initialize_image(&image).unwrap();
                recorder.clear_image(&image).unwrap();
                recorder.barrier();
                let mut at = 0;
                for &part in &boxes {
                    recorder
                        .copy_buffer_to_image(&from, at, &image, part)
                        .unwrap();
                    at += 4 * u64::from(part.extent.iter().product::<u32>());
                }
                recorder.barrier();
                let mut at = 0;
                for &part in &boxes {
                    recorder
                        .copy_image_to_buffer(&image, part, &to, at)
                        .unwrap();
                    at += 4 * u64::from(part.extent.iter().product::<u32>());
                }
            });
            let mut got = vec![0; bytes.len()];
            to.read(0, &mut got).unwrap();
            assert_eq!(got, bytes, "{kind:?}");
            for level in [None, Some(0), Some(2)] {
                device
                    .create_image_view(&image, desc.format, IDENTITY, level)
                    .unwrap();
            }
            let beyond = device.create_image_view(&image, desc.format, IDENTITY, Some(3));
            assert!(beyond.is_err());
        }
    });
}

#[test]
fn wrong_images_are_refused() {
    with_device(|device| {
        let refused = |desc: ImageDesc| device.create_image(&desc).err().unwrap();
        let invalid = |error: Error| matches!(error, Error::InvalidUse(_));
        let large = |error: Error| matches!(error, Error::TooLarge { .. });
        assert!(invalid(refused(desc(ImageKind::D2, [4, 0, 1], 1))));
        assert!(invalid(refused(desc(ImageKind::D1, [4, 2, 1], 1))));
        assert!(invalid(refused(desc(ImageKind::D2, [4, 4, 1], 2))));
        let limits = &device.capabilities().limits;
        let wide = limits.max_image_2d + 1;
        assert!(large(refused(desc(ImageKind::D2, [wide, 1, 1], 1))));
        let layers = limits.max_image_layers + 1;
        assert!(large(refused(desc(ImageKind::D1Array, [1, 1, 1], layers))));

        for levels in [0, 4] {
            let plane = desc(ImageKind::D2, [4, 4, 1], 1);
            assert!(invalid(refused(ImageDesc { levels, ..plane })));
        }
        let plane = desc(ImageKind::D2, [4, 4, 1], 1);
        let image = device.create_image(&plane).unwrap();
        let view = device.create_image_view(&image, Format::R32Sint, IDENTITY, None);
        assert!(invalid(view.err().unwrap()));
        let buffer = device.create_buffer(64, MemoryClass::Readback).unwrap();
        let texels = |offset, count| {
            let view = device.create_buffer_view(&buffer, Format::R32Uint, offset, count);
            view.map(drop)
        };
        assert!(texels(0, 16).is_ok());
        assert!(texels(0, 17).is_err() && texels(0, 0).is_err() && texels(1, 1).is_err());
        run(device, |recorder| {
            recorder.initialize_image(&image).unwrap();
            let beyond = ImageBox {
                level: 0,
                origin: [1, 0, 0],
                extent: [4, 4, 1],
            };
            assert!(
                recorder
                    .copy_buffer_to_image(&buffer, 0, &image, beyond)
                    .is_err()
            );
            let all = plane.level_box(0);
            let missing = ImageBox { level: 1, ..all };
            assert!(
                recorder
                    .copy_buffer_to_image(&buffer, 0, &image, missing)
                    .is_err()
            );
            assert!(
                recorder
                    .copy_buffer_to_image(&buffer, 1, &image, all)
                    .is_err()
            );
            assert!(
                recorder
                    .copy_image_to_buffer(&image, all, &buffer, 4)
                    .is_err()
            );
            let row = device
                .create_image(&desc(ImageKind::D1, [4, 1, 1], 1))
                .unwrap();
            let line = row.desc().level_box(0);
            assert!(recorder.copy_image((&image, line), (&row, line)).is_err());
            let part = ImageBox {
                extent: [2, 2, 1],
                ..all
            };
            assert!(recorder.copy_image((&image, all), (&image, part)).is_err());
        });
    });
}

#[test]
fn samplers_of_every_kind() {
    with_device(|device| {
        for address in [
            AddressMode::ClampToEdge,
            AddressMode::ClampToBorder,
            AddressMode::Repeat,
            AddressMode::MirroredRepeat,
        ] {
            for bits in 0..8 {
                let desc = SamplerDesc {
                    address,
                    linear: bits & 1 != 0,
                    normalized: bits & 2 != 0,
                    mip_linear: bits & 4 != 0,
                };
                device.sampler(desc).unwrap();
            }
        }
    });
}
