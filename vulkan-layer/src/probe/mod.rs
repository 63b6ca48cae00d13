//! Start-up probes: small shaders that test the device beyond what its capability bits promise.
//!
//! A probe can only raise a capability: if anything fails on the way, the answer is "no".
//! [`float`] probes floating-point arithmetic, [`functions`] functions.

use crate::asm::{Module, class};
use crate::caps::{DeviceType, FloatControls, Probes, TIMESTAMPS};
use crate::device::{LogicalDevice, fault};
use crate::error::Result;
use crate::features::Features;
use crate::objects::buffer::{Buffer, MemoryClass};
use crate::objects::descriptor::Resource;
use crate::objects::pipeline::{Binding, BindingKind, PipelineDesc, PipelineLayoutDesc};
use crate::quirks::{self, QuirkKind};
use pumice_target::Arithmetic;
use pumice_target::matrix::NativeProduct;

mod float;
mod functions;
mod matrix;

use float::Found;
pub use functions::AccurateFunctions;

/// The mask's name of device addresses that are the process's own.
const HOST_ADDRESSES: &str = "hostAddresses";

/// The mask's names of what probes find; those but [`HOST_ADDRESSES`] can be taken for found.
const NAMES: [&str; 13] = [
    "denormals",
    "exactFma",
    "exactDivide",
    "exactSqrt",
    "accurateDivide",
    "accurateExp2",
    "accurateLog2",
    "relaxedExp2",
    "relaxedLog2",
    "accurateRoots",
    "accurateSine",
    "exactMatrices",
    HOST_ADDRESSES,
];

/// Returns whether a word of a mask means something here: a feature, the name of an extension, what probes find, a version.
pub fn can_mask(word: &str) -> bool {
    let is_version = |minor: &str| minor.parse::<u32>().is_ok();
    match word.strip_prefix('+') {
        Some(found) => NAMES.contains(&found) && found != HOST_ADDRESSES,
        None => {
            Features::NAMES.contains(&word)
                || NAMES.contains(&word)
                || word == TIMESTAMPS
                || word.starts_with("VK_")
                || word.strip_prefix("vulkan1.").is_some_and(is_version)
        }
    }
}

impl LogicalDevice {
    /// Returns the results of the start-up probes; they run at the first call.
    pub fn probes(&self) -> &Probes {
        (self.shared.probes).get_or_init(|| {
            let probes = run(self);
            fault::arm(self);
            probes
        })
    }
}

fn run(device: &LogicalDevice) -> Probes {
    let mut probes = Probes::default();
    let features = &device.capabilities().features;
    let mut controls = device.capabilities().float_controls;
    let mut widths = [Found::default(); 3];
    let there = [
        features.shader_float16 && features.storage_buffer16_bit_access,
        true,
        features.shader_float64,
    ];
    for (index, found) in widths.iter_mut().enumerate().filter(|(i, _)| there[*i]) {
        match float::run(device, index, controls[index]) {
            Ok(result) => *found = result,
            Err(error) => {
                let what = format!("probe of f{} arithmetic", 16 << index);
                probes.fail(&what, &error);
            }
        }
    }
    let unasked = nearest_unasked(device, &mut probes);
    if let Some(unasked) = unasked {
        controls[1].rounding_rte = false;
        widths[1].fma &= unasked.fma;
        widths[1].sqrt &= unasked.sqrt;
    }
    let [half, single, double] = mask(widths, &device.capabilities().masked);
    let driver = &device.capabilities().driver;
    // Without the row the bits are believed: what a probe sees may not hold for every instruction.
    let sees = quirks::has(driver, QuirkKind::ProbeDenormals);
    let keeps =
        |found: Found, index: usize| found.denorms && (sees || controls[index].denorm_preserve);
    let denorms_f32 = keeps(single, 1);
    let functions = find_functions(device, controls[1], denorms_f32, &mut probes);
    probes.denorms_f64 = keeps(double, 2);
    probes.arithmetic = Arithmetic {
        denorms_f16: keeps(half, 0),
        denorms_f32,
        exact_fma_f16: half.fma,
        exact_fma_f32: single.fma,
        exact_fma_f64: double.fma,
        exact_div_f16: half.div,
        exact_div_f32: single.div,
        accurate_div_f32: functions.divide,
        nearest_unasked_f32: unasked.is_some(),
        exact_div_f64: double.div,
        exact_sqrt_f32: single.sqrt,
        exact_sqrt_f64: double.sqrt,
        accurate_exp2_f32: functions.exp2,
        accurate_log2_f32: functions.log2,
        relaxed_exp2_f32: functions.relaxed_exp2,
        relaxed_log2_f32: functions.relaxed_log2,
        accurate_roots_f32: functions.roots,
        accurate_sine_f32: functions.sine,
    };
    probes.matrix_products = find_products(device, controls, &mut probes);
    let is_masked = device.capabilities().is_masked(HOST_ADDRESSES);
    if quirks::has(driver, QuirkKind::ProbeHostAddresses) && !is_masked {
        match probe_host_addresses(device) {
            Ok(found) => probes.host_addresses = found,
            Err(error) => probes.fail("probe of host addresses", &error),
        }
    }
    let raised = [
        (
            "f16 denormals",
            probes.arithmetic.denorms_f16,
            controls[0].denorm_preserve,
        ),
        (
            "f32 denormals",
            probes.arithmetic.denorms_f32,
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

/// Probes 32-bit arithmetic in a shader that does not ask for rounding to nearest, where that mode is known to make divisions
/// slow; gives the results if sums and products are rounded to nearest all the same.
fn nearest_unasked(device: &LogicalDevice, probes: &mut Probes) -> Option<Found> {
    let caps = device.capabilities();
    let controls = caps.float_controls[1];
    if !quirks::has(&caps.driver, QuirkKind::RoundingSlowsDivision) || !controls.rounding_rte {
        return None;
    }
    let unasked = FloatControls {
        rounding_rte: false,
        ..controls
    };
    match float::run(device, 1, unasked) {
        Ok(found) => found.nearest.then_some(found),
        Err(error) => {
            probes.fail("probe of rounding", &error);
            None
        }
    }
}

/// Probes the device's functions. Processors have them as code like the library's own: there is nothing to win, and
/// the start would take longer. `keeps_denormals` as the probe of f32 arithmetic found it.
fn find_functions(
    device: &LogicalDevice,
    controls: FloatControls,
    keeps_denormals: bool,
    probes: &mut Probes,
) -> AccurateFunctions {
    let caps = device.capabilities();
    let mut found = AccurateFunctions::default();
    if caps.device_type != DeviceType::Cpu {
        match device.probe_functions(controls, keeps_denormals) {
            Ok(functions) => found = functions,
            Err(error) => probes.fail("probe of functions", &error),
        }
    }
    for (name, accurate) in [
        ("accurateDivide", &mut found.divide),
        ("accurateExp2", &mut found.exp2),
        ("accurateLog2", &mut found.log2),
        ("relaxedExp2", &mut found.relaxed_exp2),
        ("relaxedLog2", &mut found.relaxed_log2),
        ("accurateRoots", &mut found.roots),
        ("accurateSine", &mut found.sine),
    ] {
        *accurate = told(&caps.masked, name).unwrap_or(*accurate);
    }
    found
}

/// Probes the device's products of matrices of floats; those of integers are exact. Processors have them as code, which
/// is slower than plain code: theirs are left out unless the mask wants them.
fn find_products(
    device: &LogicalDevice,
    controls: [FloatControls; 3],
    probes: &mut Probes,
) -> Vec<NativeProduct> {
    let caps = device.capabilities();
    let told = told(&caps.masked, "exactMatrices");
    if caps.device_type == DeviceType::Cpu && told != Some(true) {
        return Vec::new();
    }
    let mut products = caps.matrix_products.clone();
    for native in products.iter_mut().filter(|native| !native.exact) {
        native.exact = match told {
            Some(told) => told,
            None => matrix::is_exact(device, controls, *native).unwrap_or_else(|error| {
                probes.fail("probe of matrices", &error);
                false
            }),
        };
    }
    products
}

/// The answer of the mask to a name: `false` denies it, `true` (behind a plus sign) takes it for found unseen. The
/// last mention counts.
fn told(names: &[String], wanted: &str) -> Option<bool> {
    debug_assert!(NAMES.contains(&wanted), "{wanted} is a name of the mask");
    names.iter().rev().find_map(|name| {
        let (name, there) = match name.strip_prefix('+') {
            Some(name) => (name, true),
            None => (name.as_str(), false),
        };
        (name == wanted).then_some(there)
    })
}

/// Sets what the names deny or take for found.
fn mask(mut widths: [Found; 3], names: &[String]) -> [Found; 3] {
    for found in &mut widths {
        found.fma = told(names, "exactFma").unwrap_or(found.fma);
        found.div = told(names, "exactDivide").unwrap_or(found.div);
        found.sqrt = told(names, "exactSqrt").unwrap_or(found.sqrt);
        found.denorms = told(names, "denormals").unwrap_or(found.denorms);
    }
    widths
}

/// A fixed sequence of numbers.
pub(crate) struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// The kernel `probe`: `inputs` loads from place `id * inputs` of the first buffer on, `body`,
/// and as many stores into the second as it gives results. `modes` are execution modes of this
/// width with their capabilities.
pub(crate) fn arithmetic_module(
    width: u32,
    inputs: u32,
    modes: &[(u32, u32)],
    body: impl FnOnce(&mut Module, u32, u32, &[u32]) -> Vec<u32>,
) -> Vec<u32> {
    let mut m = Module::new();
    match width {
        // Float16 and StorageBuffer16BitAccess.
        16 => [9, 4433].into_iter().for_each(|c| m.capability(c)),
        64 => m.capability(10),
        _ => {}
    }
    for &(capability, _) in modes {
        m.capability(capability);
    }
    if !modes.is_empty() {
        m.extension("SPV_KHR_float_controls");
    }
    let glsl = m.import("GLSL.std.450");
    let (uint, float) = (m.uint(32), m.float(width));
    let from = m.array_buffer(float, width / 8, 0, 0);
    let to = m.array_buffer(float, width / 8, 0, 1);
    let group = m.builtin3(26);
    let uvec3 = m.vector(uint, 3);
    let function = m.begin("probe");
    m.mode(function, 17, &[1, 1, 1]);
    for &(_, mode) in modes {
        m.mode(function, mode, &[width]);
    }
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
    m.capability(5347);
    m.extension("SPV_KHR_physical_storage_buffer");
    let uint = m.uint(32);
    let address = m.vector(uint, 2);
    let push = m.block(class::PUSH_CONSTANT, &[(address, 0), (address, 8)]);
    let group = m.builtin3(26);
    let uvec3 = m.vector(uint, 3);
    let function = m.begin("probe");
    m.mode(function, 17, &[1, 1, 1]);
    let (zero, one, size) = (m.u32(0), m.u32(1), m.u32(4));
    let ids = m.load(uvec3, group);
    let id = m.op(81, uint, &[ids, 0]);
    let at = m.op(132, uint, &[id, size]);
    let from = m.load_at(class::PUSH_CONSTANT, address, push, &[zero]);
    let to = m.load_at(class::PUSH_CONSTANT, address, push, &[one]);
    let from = m.at_address(uint, from, at);
    let value = m.load_aligned(uint, from, 4);
    let to = m.at_address(uint, to, at);
    m.store_aligned(to, value, 4);
    m.end();
    m.finish()
}

/// Runs the kernel `probe` of a module over `groups` work-groups with these input bytes.
pub(crate) fn run_module(
    device: &LogicalDevice,
    words: &[u32],
    groups: u32,
    input: &[u8],
    output_size: usize,
) -> Result<Vec<u8>> {
    let from = device.create_buffer(input.len() as u64, MemoryClass::Staging)?;
    let to = device.create_buffer(output_size as u64, MemoryClass::Readback)?;
    from.write(0, input)?;
    run_with(device, words, false, groups, &[from, to.clone()], &[])?;
    let mut output = vec![0; output_size];
    to.read(0, &mut output)?;
    Ok(output)
}

/// Copies a word for each of `groups` work-groups between the two addresses in the push constants.
pub(crate) fn run_at_addresses(device: &LogicalDevice, groups: u32, push: &[u8]) -> Result<()> {
    run_with(device, &copy_module(), false, groups, &[], push)
}

/// Runs it with buffers at the bindings of set 0 and with push constants; where the device can promise that, in full
/// sub-groups, which modules with matrices need.
fn run_with(
    device: &LogicalDevice,
    words: &[u32],
    full_subgroups: bool,
    groups: u32,
    buffers: &[Buffer],
    push: &[u8],
) -> Result<()> {
    let module = device.create_shader_module(words)?;
    let kind = BindingKind::StorageBuffer;
    let bindings = (0..buffers.len() as u32).map(|binding| Binding { binding, kind });
    let bindings: Vec<Binding> = bindings.collect();
    let layout = device.create_pipeline_layout(&PipelineLayoutDesc {
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
        full_subgroups,
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

/// Tests whether a shader reads and writes this process's memory at its host address. Tried only
/// if device and host addresses of the driver's own mapped memory are equal already.
fn probe_host_addresses(device: &LogicalDevice) -> Result<bool> {
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
    run_at_addresses(device, 4, &push)?;
    let same = (input.iter().zip(output.iter()))
        .all(|(a, b)| a.to_bits() == b.load(std::sync::atomic::Ordering::Relaxed));
    Ok(same)
}

#[cfg(test)]
mod tests {
    use super::float::Found;
    use super::mask;

    #[test]
    fn names_deny_and_assert() {
        let names = ["exactDivide".to_string(), "+exactFma".to_string()];
        let found = Found {
            div: true,
            sqrt: true,
            ..Found::default()
        };
        for found in mask([found; 3], &names) {
            assert!(found.fma && found.sqrt && !found.div && !found.denorms);
        }
    }
}
