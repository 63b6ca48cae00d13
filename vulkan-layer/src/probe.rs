//! What a shader finds out at start-up where the capability bits say less than the device does.
//!
//! A probe only ever raises: whatever fails on the way counts as "no". Rounding is compared with
//! the host's IEEE arithmetic over cases where a shortcut would show.

use crate::asm::{Module, class};
use crate::buffer::{Buffer, MemoryClass};
use crate::descriptor::Resource;
use crate::device::Device;
use crate::error::Result;
use crate::pipeline::{Binding, BindingKind, LayoutDesc, PipelineDesc};
use crate::quirks::{self, Change};

/// What the probes found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probes {
    /// f32 denormals survive arithmetic without any execution mode. Where the capability bit
    /// denies it, only a row in [`crate::quirks`] lets the probe say so.
    pub denorms_f32: bool,
    /// f64 denormals likewise.
    pub denorms_f64: bool,
    /// GLSL.std.450 Fma on f32 rounds once.
    pub exact_fma_f32: bool,
    /// GLSL.std.450 Fma on f64 rounds once.
    pub exact_fma_f64: bool,
    /// OpFDiv on f32 is correctly rounded.
    pub exact_div_f32: bool,
    /// GLSL.std.450 Sqrt on f32 is correctly rounded.
    pub exact_sqrt_f32: bool,
    /// A shader reads the process's own memory at host addresses.
    pub host_addresses: bool,
    /// What was raised above the capability bits, and what failed, for the log.
    pub notes: Vec<String>,
}

/// Numbers of cases per group below.
const CASES: usize = 512;

pub(crate) fn run(device: &Device) -> Probes {
    let mut probes = Probes::default();
    if let Err(error) = probe_f32(device, &mut probes) {
        probes
            .notes
            .push(format!("probe of f32 arithmetic: {error}"));
    }
    if device.capabilities().features.shader_float64 {
        if let Err(error) = probe_f64(device, &mut probes) {
            probes
                .notes
                .push(format!("probe of f64 arithmetic: {error}"));
        }
    }
    let driver = &device.capabilities().driver;
    if quirks::has(driver, Change::ProbeHostAddresses) {
        match probe_host_addresses(device) {
            Ok(found) => probes.host_addresses = found,
            Err(error) => probes
                .notes
                .push(format!("probe of host addresses: {error}")),
        }
    }
    let controls = device.capabilities().float_controls;
    if !quirks::has(driver, Change::ProbeDenormals) {
        // The bits are believed: what a probe sees may not hold for every instruction.
        probes.denorms_f32 &= controls[1].denorm_preserve;
        probes.denorms_f64 &= controls[2].denorm_preserve;
    }
    let raised = [
        (
            "f32 denormals",
            probes.denorms_f32,
            controls[1].denorm_preserve,
        ),
        (
            "f64 denormals",
            probes.denorms_f64,
            controls[2].denorm_preserve,
        ),
        ("host-equal device addresses", probes.host_addresses, false),
    ];
    for (what, found, listed) in raised {
        if found && !listed {
            probes.notes.push(format!("{what} found by probe"));
        }
    }
    probes
}

/// A fixed sequence of numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// A float with a random mantissa and an exponent in the range given.
fn f32_with(random: &mut Random, exponents: std::ops::Range<i64>) -> f32 {
    let span = (exponents.end - exponents.start) as u64;
    let exponent = exponents.start + (random.next() % span) as i64;
    let bits = random.next();
    let sign = (bits >> 40 & 1) as u32;
    f32::from_bits(sign << 31 | ((exponent + 127) as u32) << 23 | (bits & 0x7f_ffff) as u32)
}

fn f64_with(random: &mut Random, exponents: std::ops::Range<i64>) -> f64 {
    let span = (exponents.end - exponents.start) as u64;
    let exponent = exponents.start + (random.next() % span) as i64;
    let bits = random.next();
    f64::from_bits((bits >> 63) << 63 | ((exponent + 1023) as u64) << 52 | (bits & ((1 << 52) - 1)))
}

/// The kernel `probe`: `inputs` loads from place `id * inputs` of the first buffer on, `body`,
/// and as many stores into the second as it gives results.
fn arithmetic_module(
    width: u32,
    inputs: u32,
    body: impl FnOnce(&mut Module, u32, u32, &[u32]) -> Vec<u32>,
) -> Vec<u32> {
    let mut m = Module::new();
    if width == 64 {
        m.capability(10);
    }
    let glsl = m.import("GLSL.std.450");
    let (uint, float) = (m.uint(32), m.float(width));
    let from = m.array_buffer(float, width / 8, 0, 0);
    let to = m.array_buffer(float, width / 8, 0, 1);
    let group = m.builtin3(26);
    let uvec3 = m.vector(uint, 3);
    let function = m.begin("probe");
    m.mode(function, 17, &[1, 1, 1]);
    let zero = m.u32(0);
    let ids = m.load(uvec3, group);
    let id = m.op(81, uint, &[ids, 0]);
    let place = |m: &mut Module, count: u32, index: u32| {
        let (stride, index) = (m.u32(count), m.u32(index));
        let scaled = m.op(132, uint, &[id, stride]);
        m.op(128, uint, &[scaled, index])
    };
    let mut values = Vec::new();
    for index in 0..inputs {
        let at = place(&mut m, inputs, index);
        values.push(m.load_at(class::STORAGE_BUFFER, float, from, &[zero, at]));
    }
    let results = body(&mut m, glsl, float, &values);
    for (index, &result) in (0..).zip(&results) {
        let at = place(&mut m, results.len() as u32, index);
        let pointer = m.access(class::STORAGE_BUFFER, float, to, &[zero, at]);
        m.op0(62, &[pointer, result]);
    }
    m.end();
    m.finish()
}

/// The kernel `probe` that copies a word for each work-group from one address to another.
fn copy_module() -> Vec<u32> {
    let mut m = Module::new();
    m.capability(11);
    m.capability(5347);
    m.extension("SPV_KHR_physical_storage_buffer");
    let (uint, ulong) = (m.uint(32), m.uint(64));
    let push = m.block(class::PUSH_CONSTANT, &[(ulong, 0), (ulong, 8)]);
    let group = m.builtin3(26);
    let uvec3 = m.vector(uint, 3);
    let function = m.begin("probe");
    m.mode(function, 17, &[1, 1, 1]);
    let (zero, one, size) = (m.u32(0), m.u32(1), m.u32(4));
    let ids = m.load(uvec3, group);
    let id = m.op(81, uint, &[ids, 0]);
    let at = m.op(132, uint, &[id, size]);
    let from = m.load_at(class::PUSH_CONSTANT, ulong, push, &[zero]);
    let to = m.load_at(class::PUSH_CONSTANT, ulong, push, &[one]);
    let from = m.at_address(uint, from, at);
    let value = m.load_aligned(uint, from, 4);
    let to = m.at_address(uint, to, at);
    m.store_aligned(to, value, 4);
    m.end();
    m.finish()
}

/// Runs the kernel `probe` of a module over `groups` work-groups with these input bytes.
fn run_module(
    device: &Device,
    words: &[u32],
    groups: u32,
    input: &[u8],
    output_size: usize,
) -> Result<Vec<u8>> {
    let from = device.create_buffer(input.len() as u64, MemoryClass::Staging)?;
    let to = device.create_buffer(output_size as u64, MemoryClass::Readback)?;
    from.write(0, input)?;
    run_with(device, words, groups, &[from, to.clone()], &[])?;
    let mut output = vec![0; output_size];
    to.read(0, &mut output)?;
    Ok(output)
}

/// Runs it with buffers at the bindings of set 0 and with push constants.
fn run_with(
    device: &Device,
    words: &[u32],
    groups: u32,
    buffers: &[Buffer],
    push: &[u8],
) -> Result<()> {
    let module = device.create_shader_module(words)?;
    let kind = BindingKind::StorageBuffer;
    let bindings = (0..buffers.len() as u32).map(|binding| Binding { binding, kind });
    let bindings: Vec<Binding> = bindings.collect();
    let layout = device.create_layout(&LayoutDesc {
        sets: if bindings.is_empty() {
            Vec::new()
        } else {
            vec![bindings]
        },
        push_constant_size: push.len() as u32,
    })?;
    let pipeline = device.create_pipeline(&PipelineDesc {
        module: &module,
        entry: "probe",
        layout: &layout,
        specialization: &[],
        dispatch_base: false,
        subgroup_size: None,
    })?;
    let queue = device.create_queue()?;
    let mut recorder = queue.recorder()?;
    recorder.bind_pipeline(&pipeline);
    if !buffers.is_empty() {
        let whole = |buffer: &Buffer| Resource::Buffer {
            buffer: buffer.clone(),
            offset: 0,
            range: buffer.size(),
        };
        let resources: Vec<_> = (0..).zip(buffers.iter().map(whole)).collect();
        recorder.bind_descriptors(&device.create_descriptor_set(&layout, 0, &resources)?)?;
    }
    if !push.is_empty() {
        recorder.push_constants(0, push)?;
    }
    recorder.dispatch([groups, 1, 1])?;
    let value = queue.submit(recorder, &[])?;
    queue.wait(value, None)?;
    Ok(())
}

fn f32_cases() -> Vec<[f32; 3]> {
    let mut random = Random(0x1234_5678_9abc_def1);
    (0..CASES)
        .map(|index| {
            let (a, b) = match index % 4 {
                // The sum below cancels all but what a product rounded first has lost.
                0 => (f32_with(&mut random, -8..8), f32_with(&mut random, -8..8)),
                // Products that are denormal.
                1 => (
                    f32_with(&mut random, -80..-66),
                    f32_with(&mut random, -70..-60),
                ),
                // Denormal operands.
                2 => {
                    let denormal = f32::from_bits((random.next() % 0x7f_ffff) as u32 + 1);
                    (denormal, f32_with(&mut random, -3..20))
                }
                _ => (
                    f32_with(&mut random, -60..60),
                    f32_with(&mut random, -60..60),
                ),
            };
            let c = if index % 4 == 0 { -(a * b) } else { a };
            [a, b, c]
        })
        .collect()
}

fn probe_f32(device: &Device, probes: &mut Probes) -> Result<()> {
    let words = arithmetic_module(32, 3, |m, glsl, float, values| {
        let &[a, b, c] = values else {
            return Vec::new();
        };
        let fma = m.op(12, float, &[glsl, 50, a, b, c]);
        let div = m.op(136, float, &[a, b]);
        let positive = m.op(12, float, &[glsl, 4, a]);
        let sqrt = m.op(12, float, &[glsl, 31, positive]);
        let mul = m.op(133, float, &[a, b]);
        let add = m.op(129, float, &[a, c]);
        for id in [div, mul, add] {
            m.decorate(id, 42, &[]);
        }
        vec![fma, div, sqrt, mul, add]
    });
    let cases = f32_cases();
    let input: Vec<u8> = cases
        .iter()
        .flatten()
        .flat_map(|x| x.to_ne_bytes())
        .collect();
    let output = run_module(device, &words, CASES as u32, &input, CASES * 5 * 4)?;
    let got: Vec<f32> = (output.chunks_exact(4))
        .map(|b| f32::from_ne_bytes([b[0], b[1], b[2], b[3]]))
        .collect();

    let mut holds = [true; 5];
    let mut denorms = true;
    for ([a, b, c], got) in cases.iter().zip(got.chunks_exact(5)) {
        let expected = [a.mul_add(*b, *c), a / b, a.abs().sqrt(), a * b, a + c];
        for (index, (&expected, &got)) in expected.iter().zip(got).enumerate() {
            let same = expected.to_bits() == got.to_bits();
            let small = [*a, *b, *c, expected].iter().any(|x| x.is_subnormal());
            if small {
                denorms &= same || index < 3;
                continue;
            }
            holds[index] &= same;
        }
    }
    // With denormals kept, rounding must hold for them too.
    if denorms {
        for ([a, b, c], got) in cases.iter().zip(got.chunks_exact(5)) {
            let expected = [a.mul_add(*b, *c), a / b, a.abs().sqrt()];
            for (index, (expected, got)) in expected.iter().zip(got).enumerate() {
                holds[index] &= expected.to_bits() == got.to_bits();
            }
        }
    }
    probes.denorms_f32 = denorms && holds[3] && holds[4];
    [
        probes.exact_fma_f32,
        probes.exact_div_f32,
        probes.exact_sqrt_f32,
        _,
        _,
    ] = holds;
    Ok(())
}

fn probe_f64(device: &Device, probes: &mut Probes) -> Result<()> {
    let words = arithmetic_module(64, 3, |m, glsl, float, values| {
        let &[a, b, c] = values else {
            return Vec::new();
        };
        let fma = m.op(12, float, &[glsl, 50, a, b, c]);
        let mul = m.op(133, float, &[a, b]);
        let add = m.op(129, float, &[a, c]);
        for id in [mul, add] {
            m.decorate(id, 42, &[]);
        }
        vec![fma, mul, add]
    });
    let mut random = Random(0xfeed_5678_9abc_def1);
    let cases: Vec<[f64; 3]> = (0..CASES)
        .map(|index| match index % 3 {
            0 => {
                let (a, b) = (f64_with(&mut random, -8..8), f64_with(&mut random, -8..8));
                [a, b, -(a * b)]
            }
            1 => {
                let a = f64_with(&mut random, -520..-510);
                [a, f64_with(&mut random, -520..-510), a]
            }
            _ => {
                let denormal = f64::from_bits(random.next() % ((1 << 52) - 1) + 1);
                [denormal, f64_with(&mut random, -3..40), denormal]
            }
        })
        .collect();
    let input: Vec<u8> = cases
        .iter()
        .flatten()
        .flat_map(|x| x.to_ne_bytes())
        .collect();
    let output = run_module(device, &words, CASES as u32, &input, CASES * 3 * 8)?;
    let got: Vec<u64> = (output.chunks_exact(8))
        .map(|b| u64::from_ne_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]))
        .collect();
    let (mut fma, mut arithmetic) = (true, true);
    for ([a, b, c], got) in cases.iter().zip(got.chunks_exact(3)) {
        fma &= a.mul_add(*b, *c).to_bits() == got[0];
        arithmetic &= (a * b).to_bits() == got[1] && (a + c).to_bits() == got[2];
    }
    probes.exact_fma_f64 = fma;
    probes.denorms_f64 = arithmetic;
    Ok(())
}

/// Whether a shader reads and writes memory of this process at its host address. Tried only
/// where the driver's own mapped memory has equal addresses already.
fn probe_host_addresses(device: &Device) -> Result<bool> {
    let buffer = device.create_buffer(256, MemoryClass::Readback)?;
    let mapped = buffer.mapped().map(|pointer| pointer.as_ptr() as u64);
    if mapped != Some(buffer.address()) {
        return Ok(false);
    }
    let input = Box::new([1.5_f32, -2.25, 3.0, 1024.0]);
    let output: Box<[std::sync::atomic::AtomicU32; 4]> = Box::default();
    let (from, to) = (input.as_ptr() as u64, output.as_ptr() as u64);
    let mut push = from.to_ne_bytes().to_vec();
    push.extend(to.to_ne_bytes());
    run_with(device, &copy_module(), 4, &[], &push)?;
    let same = (input.iter().zip(output.iter()))
        .all(|(a, b)| a.to_bits() == b.load(std::sync::atomic::Ordering::Relaxed));
    Ok(same)
}
