//! Throughput of math functions, and what the first use of one costs in a build.
//!
//! Each row's kernel calls its function sixteen times for each element, so that the function and
//! not the memory is what is timed; a sample of the sums is compared with the host's.

use super::kernels::N;
use super::{Clock, Failure, Result, Subject};
use crate::cl::Arg;

/// Prefix of the rows' names.
pub(super) const PREFIX: &str = "math: ";
/// Calls of the function for each element.
const CALLS: usize = 16;
/// Elements of a launch.
const ELEMENTS: usize = N / 32;

/// A function of one argument `v`, whose range is `low` to `high`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function {
    /// The row's name.
    pub name: &'static str,
    call: &'static str,
    low: f32,
    high: f32,
    host: fn(f64) -> f64,
}

const fn function(
    name: &'static str,
    call: &'static str,
    low: f32,
    high: f32,
    host: fn(f64) -> f64,
) -> Function {
    Function {
        name,
        call,
        low,
        high,
        host,
    }
}

/// The functions that are timed.
pub(super) const FUNCTIONS: &[Function] = &[
    function("math: exp", "exp(v)", -10.0, 10.0, f64::exp),
    function("math: log", "log(v)", 0.1, 100.0, f64::ln),
    function("math: sin", "sin(v)", -20.0, 20.0, f64::sin),
    function("math: pow", "pow(v, 1.7f)", 0.1, 10.0, |v| {
        v.powf(f64::from(1.7_f32))
    }),
    function("math: erfc", "erfc(v)", -3.0, 5.0, erfc),
    function("math: rsqrt", "rsqrt(v)", 0.1, 100.0, |v| 1.0 / v.sqrt()),
    function("math: fma", "fma(v, v, 0.25f)", -1.0, 1.0, |v| v * v + 0.25),
    function("math: cbrt", "cbrt(v)", 0.1, 100.0, f64::cbrt),
    function("math: tanh", "tanh(v)", -3.0, 3.0, f64::tanh),
    function("math: fmod", "fmod(v, 1.3f)", -30.0, 30.0, |v| {
        v % f64::from(1.3_f32)
    }),
];

/// A kernel with one library function, and one with many: what a first use costs.
pub(super) const ONE: &str = "kernel void one(global float *p)\n{\n    \
                              p[0] = erfc(p[1]);\n}\n";
pub(super) const MANY: &str = "kernel void many(global float *p)\n{\n    \
    p[0] = erfc(p[1]) + exp(p[2]) + log(p[3]) + sin(p[4]) + cos(p[5]) + tan(p[6]) + pow(p[7], p[8]);\n    \
    p[9] = asin(p[1]) + acos(p[2]) + atan(p[3]) + sinh(p[4]) + cosh(p[5]) + tanh(p[6]) + cbrt(p[7]);\n    \
    p[10] = log2(p[1]) + exp2(p[2]) + tgamma(p[3]) + lgamma(p[4]) + fmod(p[5], p[6]) + hypot(p[7], p[8]);\n}\n";

/// The complementary error function by Simpson's rule: no accuracy of note is needed.
fn erfc(x: f64) -> f64 {
    if x < 0.0 {
        return 2.0 - erfc(-x);
    }
    const STEPS: usize = 400;
    let width = 6.0 / STEPS as f64;
    let sum: f64 = (0..=STEPS)
        .map(|step| {
            let weight = match step {
                0 | STEPS => 1.0,
                odd if odd % 2 == 1 => 4.0,
                _ => 2.0,
            };
            let t = x + step as f64 * width;
            weight * (-t * t).exp()
        })
        .sum();
    sum * width / 3.0 * std::f64::consts::FRAC_2_SQRT_PI
}

fn source(function: &Function) -> String {
    format!(
        "kernel void math(global const float *x, global float *y, float low, float span)\n{{\n    \
         size_t i = get_global_id(0);\n    float sum = 0.0f;\n    \
         for (int k = 0; k < {CALLS}; k++) {{\n        \
         float v = low + span * (x[i] + k) * (1.0f / {CALLS});\n        sum += {};\n    }}\n    \
         y[i] = sum;\n}}\n",
        function.call
    )
}

/// Returns an element's expected sum, and the sum of the magnitudes, which its error is relative to.
fn expected(function: &Function, x: f32) -> (f64, f64) {
    let span = function.high - function.low;
    let values = (0..CALLS).map(|k| {
        let v = function.low + span * (x + k as f32) * (1.0 / CALLS as f32);
        (function.host)(f64::from(v))
    });
    values.fold((0.0, 0.0), |(sum, size), value| {
        (sum + value, size + value.abs())
    })
}

impl Subject {
    /// Millions of calls a second.
    pub(super) fn math(&mut self, function: &Function, clock: Clock) -> Result<f64> {
        let program = self.device.build(source(function).as_bytes(), "")?;
        let kernel = program.kernel("math")?;
        let (low, span) = (function.low, function.high - function.low);
        let (low, span) = (low.to_le_bytes(), span.to_le_bytes());
        // The first buffer is every kernel's input, which some write to.
        self.device.write(&self.buffers[0], &self.host)?;
        let args = [
            Arg::Buffer(&self.buffers[0]),
            Arg::Buffer(&self.buffers[2]),
            Arg::Bytes(&low),
            Arg::Bytes(&span),
        ];
        self.device.run(&kernel, &args, None, &[ELEMENTS], None)?;
        if self.checked.insert(function.name) {
            let after = self.device.read(&self.buffers[2])?;
            let elements = self.numbers.iter().zip(after.chunks_exact(4));
            for (&x, bytes) in elements.take(ELEMENTS).step_by(97) {
                let got = f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
                let (want, size) = expected(function, x);
                // A NaN is in no range.
                if !(0.0..=1e-4 * size).contains(&(got - want).abs()) {
                    return Err(Failure(format!("wrong result: {got}, not {want}")));
                }
            }
        }
        let best = self.time_of_kernel(&kernel, &[ELEMENTS], None, clock)?;
        Ok(1e-6 * (ELEMENTS * CALLS) as f64 / best)
    }
}

#[cfg(test)]
mod tests {
    use super::{FUNCTIONS, PREFIX, erfc, source};

    #[test]
    fn erfc_is_good_enough() {
        for (x, want) in [(0.0, 1.0), (1.0, 0.157_299_207), (-0.5, 1.520_499_878)] {
            assert!((erfc(x) - want).abs() < 1e-8, "{x}: {}", erfc(x));
        }
    }

    #[test]
    fn each_source_calls_its_function() {
        for function in FUNCTIONS {
            let text = source(function);
            assert!(text.contains(function.call) && function.name.starts_with(PREFIX));
        }
    }
}
