//! Random control-flow graphs as IR text: for the structurizer's tests and the device's.

use std::fmt::Write;

/// A small generator (PCG's multiplier), so that failures repeat.
pub struct Random(pub u64);

impl Random {
    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

/// Any graph of `n` blocks: each takes a parameter, stores what it saw, and branches on a hash
/// of a step counter, so that every path is taken by some input. A counter ends the run.
pub fn random_function(random: &mut Random, n: u64) -> String {
    let mut text = String::from(
        "kernel \"k\" fn0 {\n  pointer global\n  value i32\n}\n\n\
         func fn0 \"k\"(ptr.global, i32) -> () export {\n\
         block0(v0: ptr.global, v1: i32):\n  jump block1(i32 0, v1)\n",
    );
    let mut value = 100;
    for block in 1..n {
        let base = value;
        value += 20;
        let [step, hash, slot, next, addr, mixed, stop] = [0, 1, 2, 3, 4, 5, 6].map(|i| base + i);
        let _ = write!(
            text,
            "block{block}(v{step}: i32, v{hash}: i32):\n\
             \x20 v{slot}: i64 = zext v{step}\n\
             \x20 v{}: i64 = imul v{slot}, i64 4\n\
             \x20 v{addr}: ptr.global = ptr_add v0, v{}\n\
             \x20 store v{addr}, i32 {block}, align 4\n\
             \x20 v{next}: i32 = iadd v{step}, i32 1\n\
             \x20 v{}: i32 = imul v{hash}, i32 1664525\n\
             \x20 v{mixed}: i32 = iadd v{}, i32 {}\n\
             \x20 v{stop}: bool = icmp.uge v{next}, i32 60\n\
             \x20 branch v{stop}, block{}, block{}\n\
             block{}:\n",
            base + 7,
            base + 7,
            base + 8,
            base + 8,
            1013904223 + block,
            n,
            1000 + block,
            1000 + block,
        );
        let call = |random: &mut Random| {
            let target = if random.below(3) == 0 {
                1 + random.below(n)
            } else {
                (block + 1 + random.below(3)).min(n)
            };
            if target == n {
                format!("block{n}")
            } else {
                let second = if random.below(4) == 0 { next } else { mixed };
                format!("block{target}(v{next}, v{second})")
            }
        };
        match random.below(6) {
            0 => {
                let dest = call(random);
                let _ = writeln!(text, "  jump {dest}");
            }
            1 => {
                let (a, b, c, d) = (call(random), call(random), call(random), call(random));
                let _ = write!(
                    text,
                    "  v{}: i32 = lshr v{mixed}, i32 13\n  v{}: i32 = and v{}, i32 3\n  \
                     switch v{}, {a}, [0: {b}, 1: {c}, 2: {d}]\n",
                    base + 9,
                    base + 10,
                    base + 9,
                    base + 10
                );
            }
            _ => {
                let (a, b) = (call(random), call(random));
                let bit = 8 + random.below(20);
                let (shifted, low, taken) = (base + 9, base + 10, base + 11);
                let _ = write!(
                    text,
                    "  v{shifted}: i32 = lshr v{mixed}, i32 {bit}\n  \
                     v{low}: i32 = and v{shifted}, i32 1\n  \
                     v{taken}: bool = icmp.eq v{low}, i32 0\n  \
                     branch v{taken}, {a}, {b}\n"
                );
            }
        }
    }
    let _ = write!(text, "block{n}:\n  return\n}}\n");
    text
}

/// The same function for a group of work-items: each has 512 bytes of the buffer, and a start
/// value that differs in the bits of `mask`.
pub fn by_work_item(text: &str, mask: u64) -> String {
    let start = format!(
        "  v2: i64 = builtin.local_linear_id\n  v3: i32 = trunc v2\n  \
         v4: i32 = and v3, i32 {mask}\n  v5: i32 = iadd v1, v4\n  \
         v6: i64 = imul v2, i64 512\n  v7: ptr.global = ptr_add v0, v6\n  \
         jump block1(i32 0, v5)\n"
    );
    text.replace("ptr_add v0, ", "ptr_add v7, ")
        .replace("  jump block1(i32 0, v1)\n", &start)
}
