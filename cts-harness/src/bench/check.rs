//! The kernels' results, computed on the host: a fast driver that computes something else is
//! no fast driver.
//!
//! Each function takes what all three buffers held before one run and what the kernel's output
//! buffer holds after it. Large results are checked at a sample of their places.

use super::kernels::{BODIES, MATRIX, N, SIDE, TRANSFORMS};

/// Compares a buffer's bytes, given what it held before; says where it is wrong.
pub type ResultCheck = fn(before: &[f32], after: &[u8]) -> Result<(), String>;

fn word(bytes: &[u8], index: usize) -> Result<u32, String> {
    let word = bytes.get(4 * index..4 * index + 4);
    let word = word.and_then(|word| <[u8; 4]>::try_from(word).ok());
    word.map(u32::from_le_bytes)
        .ok_or_else(|| format!("no element {index}"))
}

/// Floats within `tolerance` of what is expected, relative above 1.
fn near(
    after: &[u8],
    tolerance: f64,
    expected: impl Iterator<Item = (usize, f64)>,
) -> Result<(), String> {
    for (index, want) in expected {
        let got = f64::from(f32::from_bits(word(after, index)?));
        let off = (got - want).abs();
        // A NaN is in no range.
        if !(0.0..=tolerance * want.abs().max(1.0)).contains(&off) {
            return Err(format!("wrong result: [{index}] is {got}, not {want}"));
        }
    }
    Ok(())
}

fn equal(after: &[u8], expected: impl Iterator<Item = (usize, u32)>) -> Result<(), String> {
    for (index, want) in expected {
        let got = word(after, index)?;
        if got != want {
            return Err(format!(
                "wrong result: [{index}] is {got:#x}, not {want:#x}"
            ));
        }
    }
    Ok(())
}

pub fn saxpy(x: &[f32], after: &[u8]) -> Result<(), String> {
    let expected = x.iter().map(|&x| f64::from(x) * 1.5);
    near(after, 1e-6, expected.enumerate())
}

pub fn copy4(x: &[f32], after: &[u8]) -> Result<(), String> {
    equal(after, x.iter().map(|x| x.to_bits()).enumerate())
}

pub fn reduction(x: &[f32], after: &[u8]) -> Result<(), String> {
    let sums = x[..N / 4].chunks(256);
    let sums = sums.map(|group| group.iter().copied().map(f64::from).sum());
    near(after, 1e-5, sums.enumerate())
}

pub fn scan(x: &[f32], after: &[u8]) -> Result<(), String> {
    let sums = x[..N / 16].chunks(256).flat_map(|group| {
        group.iter().scan(0.0, |sum, &x| {
            *sum += f64::from(x);
            Some(*sum)
        })
    });
    near(after, 1e-5, sums.enumerate())
}

pub fn histogram(x: &[f32], after: &[u8]) -> Result<(), String> {
    counted(x, after, 256)
}

pub fn histogram_of_16(x: &[f32], after: &[u8]) -> Result<(), String> {
    counted(x, after, 16)
}

/// The counts of the first N bytes modulo `bins`, added to what was there.
fn counted(x: &[f32], after: &[u8], bins: usize) -> Result<(), String> {
    let mut counts: Vec<u32> = x[..bins].iter().map(|x| x.to_bits()).collect();
    for byte in x[..N / 4].iter().flat_map(|x| x.to_le_bytes()) {
        let count = &mut counts[usize::from(byte) % bins];
        *count = count.wrapping_add(1);
    }
    equal(after, counts.into_iter().enumerate())
}

pub fn sgemm(a: &[f32], after: &[u8]) -> Result<(), String> {
    let products = (0..MATRIX * MATRIX).step_by(97).map(|at| {
        let (x, y) = (at % MATRIX, at / MATRIX);
        let sum = (0..MATRIX).map(|k| f64::from(a[y * MATRIX + k]) * f64::from(a[k * MATRIX + x]));
        (at, sum.sum())
    });
    near(after, 1e-5, products)
}

pub fn nbody(x: &[f32], after: &[u8]) -> Result<(), String> {
    let body = |i: usize| [0, 1, 2, 3].map(|lane| f64::from(x[4 * i + lane]));
    let forces = (0..BODIES).step_by(67).flat_map(|i| {
        let me = body(i);
        let mut sum = [0.0; 4];
        for other in (0..BODIES).map(body) {
            let to = [0, 1, 2, 3].map(|lane| other[lane] - me[lane]);
            let d = to[0] * to[0] + to[1] * to[1] + to[2] * to[2] + 0.01;
            let factor = other[3] / (d * d.sqrt());
            for lane in 0..4 {
                sum[lane] += factor * to[lane];
            }
        }
        (0..4).map(move |lane| (4 * i + lane, sum[lane]))
    });
    // Native functions may be as coarse as the device likes; sums of either sign cancel.
    let forces: Vec<(usize, f64)> = forces.collect();
    let most = forces.iter().map(|force| force.1.abs()).fold(0.0, f64::max);
    near(after, 1e-3 * most, forces.into_iter())
}

pub fn mandelbrot(_: &[f32], after: &[u8]) -> Result<(), String> {
    let mut wrong = 0;
    for at in 0..512 * 512 {
        let (x, y) = ((at % 512) as f32, (at / 512) as f32);
        let (cr, ci) = (-2.0 + 3.0 * x / 512.0, -1.5 + 3.0 * y / 512.0);
        let (mut zr, mut zi, mut n) = (0.0f32, 0.0f32, 0);
        while n < 256 && zr * zr + zi * zi < 4.0 {
            (zr, zi) = (zr * zr - zi * zi + cr, 2.0 * zr * zi + ci);
            n += 1;
        }
        wrong += u32::from(word(after, at)? != n);
    }
    // A fused multiply-add may turn a point at the border.
    match wrong {
        0..2000 => Ok(()),
        _ => Err(format!("wrong result: {wrong} pixels")),
    }
}

pub fn black_scholes(x: &[f32], after: &[u8]) -> Result<(), String> {
    let normal = |d: f64| 1.0 / (1.0 + (-1.702 * d).exp());
    let prices = x[..N / 4].iter().map(|&price| {
        let (s, x, r, v) = (f64::from(price) * 50.0 + 50.0, 100.0, 0.02, 0.3);
        let d1 = f64::ln(s / x) / v + (r + 0.5 * v * v) / v;
        s * normal(d1) - x * f64::exp(-r) * normal(d1 - v)
    });
    near(after, 1e-4, prices.enumerate())
}

pub fn hash(_: &[f32], after: &[u8]) -> Result<(), String> {
    let hashes = (0..N as u32 / 16).map(|id| {
        (0..64).fold(id, |mut x, i| {
            x ^= x >> 16;
            x = x.wrapping_mul(0x7feb_352d);
            x ^= x >> 15;
            x = x.wrapping_mul(0x846c_a68b);
            x.rotate_left(13).wrapping_add(i)
        })
    });
    equal(after, hashes.enumerate())
}

pub fn stencil(x: &[f32], after: &[u8]) -> Result<(), String> {
    let rows = 1..SIDE / 2 - 1;
    let sums = rows.flat_map(|y| {
        (1..SIDE - 1).map(move |column| {
            let at = y * SIDE + column;
            let five = [at, at - 1, at + 1, at - SIDE, at + SIDE];
            (at, 0.2 * five.map(|i| f64::from(x[i])).iter().sum::<f64>())
        })
    });
    near(after, 1e-5, sums)
}

pub fn transpose(x: &[f32], after: &[u8]) -> Result<(), String> {
    let turned = (0..1 << 20).map(|at| (at, x[(at % 1024) * 1024 + at / 1024].to_bits()));
    equal(after, turned)
}

pub fn bitonic(x: &[f32], after: &[u8]) -> Result<(), String> {
    let keys = (0..N / 4).map(|i| {
        let (low, high) = (x[i & !64], x[i | 64]);
        let up = i & 256 == 0;
        let swap = (low > high) == up;
        (i, if swap == (i & 64 == 0) { high } else { low }.to_bits())
    });
    equal(after, keys)
}

pub fn spmv(x: &[f32], after: &[u8]) -> Result<(), String> {
    const ROWS: usize = 1 << 16;
    let sums = (0..ROWS).map(|row| {
        let terms =
            (0..16).map(|k| f64::from(x[row * 16 + k]) * f64::from(x[(row + k * 37) % ROWS]));
        terms.sum()
    });
    near(after, 1e-5, sums.enumerate())
}

/// The first 32 bits of the fractional part of a root, for SHA-256's constants.
fn root_bits(number: u32, root: fn(f64) -> f64) -> u32 {
    (root(f64::from(number)).fract() * 4_294_967_296.0) as u32
}

fn sha256_block(block: [u32; 16]) -> [u32; 8] {
    let primes: Vec<u32> = (2..312)
        .filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0))
        .collect();
    let mut first = [0; 8];
    for (word, &prime) in first.iter_mut().zip(&primes) {
        *word = root_bits(prime, f64::sqrt);
    }
    let mut w = block.to_vec();
    for i in 16..64 {
        let (a, b): (u32, u32) = (w[i - 15], w[i - 2]);
        let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
        let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
        w.push(
            w[i - 16]
                .wrapping_add(s0)
                .wrapping_add(w[i - 7])
                .wrapping_add(s1),
        );
    }
    let mut s = first;
    for (word, &prime) in w.iter().zip(&primes) {
        let [a, b, c, d, e, f, g, h] = s;
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let t1 = h
            .wrapping_add(s1)
            .wrapping_add(choice)
            .wrapping_add(root_bits(prime, f64::cbrt))
            .wrapping_add(*word);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let t2 = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
        s = [t1.wrapping_add(t2), a, b, c, d.wrapping_add(t1), e, f, g];
    }
    [0, 1, 2, 3, 4, 5, 6, 7].map(|i| first[i].wrapping_add(s[i]))
}

pub fn sha256(_: &[f32], after: &[u8]) -> Result<(), String> {
    let digests = (0..N / 64).step_by(61).flat_map(|id| {
        let mut block = [0; 16];
        (block[0], block[1], block[15]) = (id as u32, 0x8000_0000, 32);
        let digest = sha256_block(block);
        (0..8).map(move |i| (8 * id + i, digest[i]))
    });
    equal(after, digests)
}

pub fn fft(x: &[f32], after: &[u8]) -> Result<(), String> {
    let numbers = (0..TRANSFORMS).step_by(37).flat_map(|group| {
        (0..256).step_by(5).flat_map(move |k| {
            let (mut re, mut im) = (0.0, 0.0);
            for n in 0..256 {
                let at = 2 * (256 * group + n);
                let (a, b) = (f64::from(x[at]), f64::from(x[at + 1]));
                let (s, c) = (-std::f64::consts::TAU * (n * k % 256) as f64 / 256.0).sin_cos();
                re += a * c - b * s;
                im += a * s + b * c;
            }
            let at = 2 * (256 * group + k);
            [(at, re), (at + 1, im)]
        })
    });
    // Native functions may be as coarse as the device likes.
    near(after, 0.05, numbers)
}

#[cfg(test)]
mod tests {
    use super::{near, sha256_block};

    #[test]
    fn the_host_s_sha_256_is_sha_256() {
        // "abc", FIPS 180-2's first example.
        let mut block = [0; 16];
        (block[0], block[15]) = (0x6162_6380, 24);
        let expected = [
            0xba78_16bf,
            0x8f01_cfea,
            0x4141_40de,
            0x5dae_2223,
            0xb003_61a3,
            0x9617_7a9c,
            0xb410_ff61,
            0xf200_15ad,
        ];
        assert_eq!(sha256_block(block), expected);
    }

    #[test]
    fn a_wrong_number_is_found() {
        let bytes = |number: f32| number.to_le_bytes();
        assert!(near(&bytes(1.0), 1e-3, [(0, 1.0005)].into_iter()).is_ok());
        assert!(near(&bytes(1.0), 1e-3, [(0, 1.002)].into_iter()).is_err());
        assert!(near(&bytes(f32::NAN), 1e-3, [(0, 1.0)].into_iter()).is_err());
        assert!(near(&bytes(1.0), 1e-3, [(1, 1.0)].into_iter()).is_err());
    }
}
