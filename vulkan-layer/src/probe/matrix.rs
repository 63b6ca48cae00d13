//! Start-up probe of products of cooperative matrices of floats.
//!
//! Vulkan says nothing about their rounding. A result is exact enough if it errs by at most one unit in the last place
//! of single precision for each of its sums, on the scale of all that is added; halves are rounded once behind that.

use pumice_numerics::{half_from_f64, half_to_f64};
use pumice_target::matrix::{Component, NativeProduct, Product, Use};

use super::{Random, run_with};
use crate::asm::{Module, class};
use crate::caps::FloatControls;
use crate::device::LogicalDevice;
use crate::error::Result;
use crate::objects::buffer::MemoryClass;

/// Products that are computed, each by a work-group of one sub-group.
const CASES: u32 = 20;

/// The kinds of cases, in turn.
const KINDS: u32 = 5;

/// Returns whether the device's results of a product are exact enough in a shader that declares `controls`.
///
/// # Errors
/// Errors of Vulkan calls.
pub(crate) fn is_exact(
    device: &LogicalDevice,
    controls: [FloatControls; 3],
    native: NativeProduct,
) -> Result<bool> {
    let product = native.product;
    if product.result == Component::Double {
        return Ok(false);
    }
    let cases: Vec<Case> = (0..CASES)
        .map(|number| Case::new(product, number))
        .collect();
    let operands = [Use::A, Use::B, Use::Accumulator];
    let mut buffers = Vec::new();
    for which in operands {
        let (component, _, _) = product.operand(which);
        let values = cases.iter().flat_map(|case| case.values(which));
        let bytes: Vec<u8> = values.flat_map(|&value| bytes(component, value)).collect();
        let buffer = device.create_buffer(bytes.len() as u64, MemoryClass::Staging)?;
        buffer.write(0, &bytes)?;
        buffers.push(buffer);
    }
    let size = product.result.bits() as usize / 8;
    let each = (product.m * product.n) as usize;
    let mut output = vec![0; CASES as usize * each * size];
    let to = device.create_buffer(output.len() as u64, MemoryClass::Readback)?;
    buffers.push(to.clone());
    let words = module(product, controls, device);
    run_with(device, &words, true, CASES, &buffers, &[])?;
    to.read(0, &mut output)?;
    Ok(cases
        .iter()
        .zip(output.chunks_exact(each * size))
        .all(|(case, results)| {
            let results = results.chunks_exact(size);
            let mut places =
                (0..product.m).flat_map(|row| (0..product.n).map(move |column| (row, column)));
            results
                .zip(&mut places)
                .all(|(result, place)| case.allows(place, number(product.result, result)))
        }))
}

fn bytes(component: Component, value: f64) -> Vec<u8> {
    match component {
        Component::Half => half_from_f64(value).to_ne_bytes().to_vec(),
        _ => (value as f32).to_ne_bytes().to_vec(),
    }
}

fn number(component: Component, bytes: &[u8]) -> f64 {
    match (component, bytes) {
        (Component::Half, &[a, b]) => half_to_f64(u16::from_ne_bytes([a, b])),
        (_, &[a, b, c, d]) => f64::from(f32::from_ne_bytes([a, b, c, d])),
        _ => f64::NAN,
    }
}

/// A product with its factors and the summand.
struct Case {
    product: Product,
    a: Vec<f64>,
    b: Vec<f64>,
    c: Vec<f64>,
}

impl Case {
    fn new(product: Product, number: u32) -> Self {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ u64::from(number) << 32);
        let kind = number % KINDS;
        let mut list = |component: Component, count: u32, exponents: std::ops::Range<i64>| {
            let values = (0..count).map(|_| {
                let span = (exponents.end - exponents.start) as u64;
                let exponent = exponents.start + (random.next() % span) as i64;
                let bits = random.next();
                // Sums of numbers of one sign show a rounding that is always downward.
                let sign = if kind == 4 { 0 } else { bits >> 63 };
                let fraction = bits & ((1 << 52) - 1);
                let value = sign << 63 | ((exponent + 1023) as u64) << 52 | fraction;
                round(component, f64::from_bits(value))
            });
            values.collect::<Vec<f64>>()
        };
        let exponents = match kind {
            // Denormal halves.
            1 => [-20..-14, -2..3],
            // Few terms count, the others are far below.
            2 => [-6..5, -6..5],
            _ => [-3..3, -3..3],
        };
        let [of_a, of_b] = exponents;
        let a = list(product.a, product.m * product.k, of_a);
        let b = list(product.b, product.k * product.n, of_b);
        let mut c = list(product.result, product.m * product.n, -3..3);
        let mut case = Self {
            product,
            a,
            b,
            c: c.clone(),
        };
        for row in 0..product.m {
            for column in 0..product.n {
                let at = (row * product.n + column) as usize;
                match kind {
                    // What is left is what a product rounded too early has lost.
                    3 => {
                        c[at] = 0.0;
                        case.c[at] = 0.0;
                        c[at] = -round(product.result, case.exact((row, column)).0);
                    }
                    1 => c[at] = 0.0,
                    _ => {}
                }
            }
        }
        case.c = c;
        case
    }

    fn values(&self, which: Use) -> &[f64] {
        match which {
            Use::A => &self.a,
            Use::B => &self.b,
            Use::Accumulator => &self.c,
        }
    }

    /// The exact result, and the sum of all magnitudes. Both are as good as exact in 53 bits.
    fn exact(&self, (row, column): (u32, u32)) -> (f64, f64) {
        let Product { n, k, .. } = self.product;
        let start = self.c[(row * n + column) as usize];
        (0..k).fold((start, start.abs()), |(sum, size), at| {
            let left = self.a[(row * k + at) as usize];
            let term = left * self.b[(at * n + column) as usize];
            (sum + term, size + term.abs())
        })
    }

    fn allows(&self, place: (u32, u32), result: f64) -> bool {
        let (exact, size) = self.exact(place);
        let unit = f64::from(f32::EPSILON);
        let mut most = f64::from(self.product.k + 1) * unit * size;
        if self.product.result == Component::Half {
            // Half a unit in the last place of the result, which has 11 bits.
            let exponent = exact.abs().log2().floor().max(-14.0);
            most += (exponent - 11.0).exp2();
        }
        (result - exact).abs() <= most
    }
}

fn round(component: Component, value: f64) -> f64 {
    match component {
        Component::Half => half_to_f64(half_from_f64(value)),
        _ => f64::from(value as f32),
    }
}

/// The kernel `probe`: each work-group multiplies the matrices that it has in three buffers, and writes to the fourth.
fn module(product: Product, controls: [FloatControls; 3], device: &LogicalDevice) -> Vec<u32> {
    let caps = device.capabilities();
    let mut m = Module::new();
    // CooperativeMatrixKHR, VulkanMemoryModel.
    [6022, 5345].into_iter().for_each(|c| m.capability(c));
    m.extension("SPV_KHR_cooperative_matrix");
    m.extension("SPV_KHR_vulkan_memory_model");
    let halves = [product.a, product.b, product.result].contains(&Component::Half);
    if halves {
        // Float16 and StorageBuffer16BitAccess.
        [9, 4433].into_iter().for_each(|c| m.capability(c));
    }
    let mut modes = Vec::new();
    let widths = [(16, halves), (32, true)];
    for (width, controls) in widths.into_iter().zip(controls) {
        if !width.1 {
            continue;
        }
        if controls.denorm_preserve {
            modes.push((4464, 4459, width.0));
        }
        if controls.rounding_rte {
            modes.push((4467, 4462, width.0));
        }
    }
    for &(capability, _, _) in &modes {
        m.capability(capability);
    }
    if !modes.is_empty() {
        m.extension("SPV_KHR_float_controls");
    }
    let uint = m.uint(32);
    let operands = [Use::A, Use::B, Use::Accumulator, Use::Accumulator];
    let buffers = operands.map(|which| product.operand(which).0);
    let mut binding = 0;
    let buffers = buffers.map(|component| {
        let float = m.float(component.bits());
        let variable = m.array_buffer(float, component.bits() / 8, 0, binding);
        binding += 1;
        variable
    });
    let group = m.builtin3(26);
    let uvec3 = m.vector(uint, 3);
    let types = operands.map(|which| {
        let (component, rows, columns) = product.operand(which);
        let float = m.float(component.bits());
        let [scope, rows, columns, which] = [3, rows, columns, which as u32].map(|n| m.u32(n));
        m.ty(4456, &[float, scope, rows, columns, which])
    });
    let function = m.begin("probe");
    m.mode(function, 17, &[caps.subgroup.size, 1, 1]);
    for &(_, mode, width) in &modes {
        m.mode(function, mode, &[width]);
    }
    let zero = m.u32(0);
    let ids = m.load(uvec3, group);
    let id = m.op(81, uint, &[ids, 0]);
    let mut pointers = [0; 4];
    for (pointer, (&which, &buffer)) in pointers.iter_mut().zip(operands.iter().zip(&buffers)) {
        let (component, rows, columns) = product.operand(which);
        let (float, size) = (m.float(component.bits()), m.u32(rows * columns));
        let at = m.op(132, uint, &[id, size]);
        *pointer = m.access(class::STORAGE_BUFFER, float, buffer, &[zero, at]);
    }
    let strides = operands.map(|which| m.u32(product.operand(which).2));
    let [a, b, c] = [0, 1, 2].map(|at| m.op(4457, types[at], &[pointers[at], zero, strides[at]]));
    let sum = m.op(4459, types[3], &[a, b, c]);
    m.op0(4458, &[pointers[3], sum, zero, strides[3]]);
    m.end();
    m.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(result: Component) -> Product {
        Product {
            m: 16,
            n: 8,
            k: 16,
            a: Component::Half,
            b: Component::Half,
            result,
        }
    }

    #[test]
    fn sums_of_single_precision_are_exact_enough_and_sums_of_halves_are_not() {
        for result in [Component::Half, Component::Float] {
            let (mut single, mut halves) = (true, true);
            for number in 0..CASES {
                let case = Case::new(product(result), number);
                for (row, column) in (0..16).flat_map(|row| (0..8).map(move |column| (row, column)))
                {
                    let terms = (0..16).map(|at| {
                        case.a[row as usize * 16 + at] * case.b[at * 8 + column as usize]
                    });
                    let start = case.c[(row * 8 + column) as usize];
                    let of = |component| {
                        let sum = terms
                            .clone()
                            .fold(start, |sum, term| round(component, sum + term));
                        round(result, sum)
                    };
                    single &= case.allows((row, column), of(Component::Float));
                    halves &= case.allows((row, column), of(Component::Half));
                }
            }
            assert!(single && !halves, "{result:?}");
        }
    }
}
