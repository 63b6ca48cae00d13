//! Structured control flow, and what hangs on it, that drivers have got wrong, each by a shader as small as it gets. The
//! rows of `quirks.rs` are held against what the device at hand really does.

use pumice_vulkan_layer::asm::{Module, class};
use pumice_vulkan_layer::quirks::{self, QuirkKind};
use pumice_vulkan_layer::{LogicalDevice, MemoryClass, Resource};

use crate::dispatch::{buffer_of, pipeline, storage_layout, words};
use crate::setup::with_device;

const ADD: u16 = 128;
const MUL: u16 = 132;
const SUB: u16 = 130;
const MOD: u16 = 137;
const EQUAL: u16 = 170;
const LESS: u16 = 176;
const OR: u16 = 197;
const AND: u16 = 199;
const LABEL: u16 = 248;
const BRANCH: u16 = 249;
const BRANCH_IF: u16 = 250;
const LOOP_MERGE: u16 = 246;
const SELECTION_MERGE: u16 = 247;
const SWITCH: u16 = 251;
const VARIABLE: u16 = 59;
const STORE: u16 = 62;

/// Work-items per run; one work-group.
const ITEMS: u32 = 16;

/// A kernel body with two counters in Function variables.
struct Body {
    m: Module,
    function: u32,
    uint: u32,
    bool: u32,
    /// The work-item's number.
    id: u32,
    /// The result variable, 0 at first.
    result: u32,
    /// The loop's counter, 0 at first.
    counter: u32,
    out: u32,
}

impl Body {
    fn begin() -> Self {
        let mut m = Module::new();
        let uint = m.uint(32);
        let bool = m.ty(20, &[]);
        let uvec3 = m.vector(uint, 3);
        let out = m.word_buffer(0, 0);
        let ids = m.builtin3(28);
        let function = m.begin("k");
        m.mode(function, 17, &[ITEMS, 1, 1]);
        let pointer = m.pointer(class::FUNCTION, uint);
        let result = m.op(VARIABLE, pointer, &[class::FUNCTION]);
        let counter = m.op(VARIABLE, pointer, &[class::FUNCTION]);
        let zero = m.u32(0);
        m.op0(STORE, &[result, zero]);
        m.op0(STORE, &[counter, zero]);
        let ids = m.load(uvec3, ids);
        let id = m.op(81, uint, &[ids, 0]);
        Self {
            m,
            function,
            uint,
            bool,
            id,
            result,
            counter,
            out,
        }
    }

    /// Asks for the signs of zeros and for NaNs of floats (SignedZeroInfNanPreserve).
    fn preserve(&mut self) {
        self.m.capability(4466);
        self.m.extension("SPV_KHR_float_controls");
        self.m.mode(self.function, 4461, &[32]);
    }

    /// `variable += amount`
    fn add(&mut self, variable: u32, amount: u32) {
        let old = self.m.load(self.uint, variable);
        let amount = self.m.u32(amount);
        let sum = self.m.op(ADD, self.uint, &[old, amount]);
        self.m.op0(STORE, &[variable, sum]);
    }

    /// Ends a block and begins the next.
    fn go(&mut self, to: u32, next: u32) {
        self.m.op0(BRANCH, &[to]);
        self.m.op0(LABEL, &[next]);
    }

    fn finish(mut self) -> Vec<u32> {
        let zero = self.m.u32(0);
        let result = self.m.load(self.uint, self.result);
        let place = self
            .m
            .access(class::STORAGE_BUFFER, self.uint, self.out, &[zero, self.id]);
        self.m.op0(STORE, &[place, result]);
        self.m.end();
        self.m.finish()
    }
}

fn run(device: &LogicalDevice, words_of_module: &[u32]) -> Vec<u32> {
    let out = buffer_of(device, MemoryClass::Readback, &[0; ITEMS as usize]);
    let module = device.create_shader_module(words_of_module).unwrap();
    let layout = storage_layout(device, 1, 0);
    let pipeline = pipeline(device, &module, "k", &layout, &[]);
    let whole = Resource::Buffer {
        buffer: out.clone(),
        offset: 0,
        range: out.size(),
    };
    let set = device
        .create_descriptor_set(&layout, 0, &[(0, whole)])
        .unwrap();
    let queue = device.create_queue().unwrap();
    let mut recorder = queue.recorder().unwrap();
    recorder.bind_pipeline(&pipeline);
    recorder.bind_descriptors(&set).unwrap();
    recorder.dispatch([1, 1, 1]).unwrap();
    let value = queue.submit(recorder, &[]).unwrap();
    assert!(queue.wait(value, None).unwrap());
    words(&out)
}

/// Action of the switch's case.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Case {
    /// Leaves the loop.
    Break,
    /// Goes on with the next round.
    Continue,
    /// Leaves the loop in odd work-items, the switch in the others.
    BreakIfOdd,
    /// Goes on with the next round in odd work-items, leaves the switch in the others.
    ContinueIfOdd,
}

const CASES: [Case; 4] = [
    Case::Break,
    Case::Continue,
    Case::BreakIfOdd,
    Case::ContinueIfOdd,
];

/// ```text
/// for (i = 0; i < 10; ++i) {
///     result += 1;
///     switch (i - id % 8) { case 0: <case>; default: result += 10; }   // no fall-through
///     result += 100;
/// }
/// ```
fn switch_in_loop(case: Case) -> Vec<u32> {
    let mut b = Body::begin();
    let [header, body, done, on_case, other, merge, next] = [(); 7].map(|()| b.m.id());
    b.go(header, header);
    b.m.op0(LOOP_MERGE, &[done, next, 0]);
    b.go(body, body);
    let result = b.result;
    b.add(result, 1);
    let eight = b.m.u32(8);
    let lane = b.m.op(MOD, b.uint, &[b.id, eight]);
    let i = b.m.load(b.uint, b.counter);
    let selector = b.m.op(SUB, b.uint, &[i, lane]);
    b.m.op0(SELECTION_MERGE, &[merge, 0]);
    let leave = match case {
        Case::Break | Case::BreakIfOdd => done,
        Case::Continue | Case::ContinueIfOdd => next,
    };
    b.m.op0(SWITCH, &[selector, other, 0, on_case]);
    b.m.op0(LABEL, &[on_case]);
    if matches!(case, Case::Break | Case::Continue) {
        b.go(leave, other);
    } else {
        let (one, two) = (b.m.u32(1), b.m.u32(2));
        let parity = b.m.op(MOD, b.uint, &[b.id, two]);
        let odd = b.m.op(EQUAL, b.bool, &[parity, one]);
        b.m.op0(BRANCH_IF, &[odd, leave, merge]);
        b.m.op0(LABEL, &[other]);
    }
    b.add(result, 10);
    b.go(merge, merge);
    b.add(result, 100);
    b.go(next, next);
    let counter = b.counter;
    b.add(counter, 1);
    let i = b.m.load(b.uint, counter);
    let ten = b.m.u32(10);
    let more = b.m.op(LESS, b.bool, &[i, ten]);
    b.m.op0(BRANCH_IF, &[more, header, done]);
    b.m.op0(LABEL, &[done]);
    b.finish()
}

fn expected(case: Case, id: u32) -> u32 {
    let mut result = 0;
    for i in 0..10 {
        result += 1;
        if i == id % 8 {
            match case {
                Case::Break => break,
                Case::Continue => continue,
                Case::BreakIfOdd if id % 2 == 1 => break,
                Case::ContinueIfOdd if id % 2 == 1 => continue,
                Case::BreakIfOdd | Case::ContinueIfOdd => {}
            }
        } else {
            result += 10;
        }
        result += 100;
    }
    result
}

/// Each shape that the compiler writes is right on every driver.
#[test]
fn a_switch_in_a_loop_may_leave_it() {
    with_device(|device| {
        for case in CASES {
            let got = run(device, &switch_in_loop(case));
            let want: Vec<u32> = (0..ITEMS).map(|id| expected(case, id)).collect();
            assert_eq!(got, want, "{case:?}");
        }
    });
}

/// `result = bits of (0.0 - (float)(id >> 10))`
fn zero_minus_zero() -> Vec<u32> {
    let mut b = Body::begin();
    b.preserve();
    let float = b.m.float(32);
    let (zero, ten) = (b.m.constant(float, &[0]), b.m.u32(10));
    let number = b.m.op(194, b.uint, &[b.id, ten]);
    let number = b.m.op(112, float, &[number]);
    let difference = b.m.op(131, float, &[zero, number]);
    b.m.decorate(difference, 42, &[]);
    let bits = b.m.op(124, b.uint, &[difference]);
    b.m.op0(STORE, &[b.result, bits]);
    b.finish()
}

#[test]
fn zeros_subtracted_from_zero_are_positive_unless_a_quirk_says_otherwise() {
    with_device(|device| {
        let driver = &device.capabilities().driver;
        let negative = run(device, &zero_minus_zero())[0] != 0;
        assert_eq!(
            negative,
            quirks::has(driver, QuirkKind::GuardZeroSums),
            "{driver:?}"
        );
    });
}

/// `result = bits of (0.0 * float of bits (id | 0xbf800000))`
fn zero_times_negative() -> Vec<u32> {
    let mut b = Body::begin();
    b.preserve();
    let float = b.m.float(32);
    let (zero, minus_one) = (b.m.constant(float, &[0]), b.m.u32(0xbf80_0000));
    let number = b.m.op(OR, b.uint, &[b.id, minus_one]);
    let number = b.m.op(124, float, &[number]);
    let product = b.m.op(133, float, &[zero, number]);
    b.m.decorate(product, 42, &[]);
    let bits = b.m.op(124, b.uint, &[product]);
    b.m.op0(STORE, &[b.result, bits]);
    b.finish()
}

#[test]
fn zero_times_a_negative_number_is_negative_unless_a_quirk_says_otherwise() {
    with_device(|device| {
        let driver = &device.capabilities().driver;
        let positive = run(device, &zero_times_negative())[0] == 0;
        assert_eq!(
            positive,
            quirks::has(driver, QuirkKind::GuardZeroProducts),
            "{driver:?}"
        );
    });
}

/// `result = (long)(int)id < 5 ? 1 : 0`
fn widened_is_less() -> Vec<u32> {
    let mut b = Body::begin();
    b.m.capability(11);
    let long = b.m.uint(64);
    let five = b.m.constant(long, &[5, 0]);
    let (one, zero) = (b.m.u32(1), b.m.u32(0));
    let wide = b.m.op(114, long, &[b.id]);
    let less = b.m.op(177, b.bool, &[wide, five]);
    let answer = b.m.op(169, b.uint, &[less, one, zero]);
    b.m.op0(STORE, &[b.result, answer]);
    b.finish()
}

#[test]
fn widened_integers_compare_with_constants_unless_a_quirk_says_otherwise() {
    with_device(|device| {
        let driver = &device.capabilities().driver;
        let got = run(device, &widened_is_less());
        let want: Vec<u32> = (0..ITEMS).map(|id| u32::from(id < 5)).collect();
        let quirk = quirks::has(driver, QuirkKind::GuardWidenedCompares);
        assert_eq!(got != want, quirk, "{driver:?}");
    });
}

/// `result = low word of (ulong)(float)(id | 1 << 24 | 1ul << 32)`, of which a float holds 24 bits; both conversions carry
/// NoContraction if `exact`.
fn long_by_float(exact: bool) -> Vec<u32> {
    const NO_CONTRACTION: u32 = 42;
    let mut b = Body::begin();
    b.m.capability(11);
    let (float, long) = (b.m.float(32), b.m.uint(64));
    let high = b.m.constant(long, &[1 << 24, 1]);
    let wide = b.m.op(113, long, &[b.id]);
    let wide = b.m.op(OR, long, &[wide, high]);
    let number = b.m.op(112, float, &[wide]);
    let wide = b.m.op(109, long, &[number]);
    if exact {
        b.m.decorate(number, NO_CONTRACTION, &[]);
        b.m.decorate(wide, NO_CONTRACTION, &[]);
    }
    let low = b.m.op(113, b.uint, &[wide]);
    b.m.op0(STORE, &[b.result, low]);
    b.finish()
}

#[test]
fn longs_are_rounded_by_floats_unless_a_quirk_says_otherwise() {
    with_device(|device| {
        let driver = &device.capabilities().driver;
        // The float's last bit has the weight 512.
        let kept: Vec<u32> = (0..ITEMS).map(|id| id | 1 << 24).collect();
        let rounded: Vec<u32> = kept.iter().map(|low| (low + 256) & !511).collect();
        let quirk = quirks::has(driver, QuirkKind::ExactConversions);
        let want = if quirk { &kept } else { &rounded };
        assert_eq!(&run(device, &long_by_float(false)), want, "{driver:?}");
        assert_eq!(run(device, &long_by_float(true)), rounded, "{driver:?}");
    });
}

/// `result = bits of min(a, b)` for two negative denormals, of the bits `1 << 31 | id + 1` and `1 << 31 | id + 2`.
fn least_denormal() -> Vec<u32> {
    let mut b = Body::begin();
    b.preserve();
    let glsl = b.m.import("GLSL.std.450");
    let float = b.m.float(32);
    let numbers = [1, 2].map(|more| {
        let more = b.m.u32(1 << 31 | more);
        let bits = b.m.op(ADD, b.uint, &[b.id, more]);
        b.m.op(124, float, &[bits])
    });
    let least = b.m.op(12, float, &[glsl, 79, numbers[0], numbers[1]]);
    let bits = b.m.op(124, b.uint, &[least]);
    b.m.op0(STORE, &[b.result, bits]);
    b.finish()
}

#[test]
fn minima_of_denormals_are_right_or_zero_unless_a_quirk_says_otherwise() {
    with_device(|device| {
        let driver = &device.capabilities().driver;
        let got = run(device, &least_denormal());
        let right = (0..ITEMS).zip(&got).all(|(id, &bits)| {
            let magnitude = bits & !(1 << 31);
            magnitude == id + 2 || magnitude == 0
        });
        let quirk = quirks::has(driver, QuirkKind::FlushMinMax);
        assert_eq!(!right, quirk, "{driver:?}: {got:?}");
    });
}

/// `result = low word of the bits of trunc((double)id + 0x1p26 + 0.5)`, or of another function of GLSL.std.450 than trunc.
fn whole_doubles(function: u32) -> Vec<u32> {
    let mut b = Body::begin();
    b.m.capability(10);
    let glsl = b.m.import("GLSL.std.450");
    let (double, words) = (b.m.float(64), b.m.vector(b.uint, 2));
    let bits = (f64::from(1 << 26) + 0.5).to_bits();
    let half = b.m.constant(double, &[bits as u32, (bits >> 32) as u32]);
    let id = b.m.op(112, double, &[b.id]);
    let sum = b.m.op(129, double, &[id, half]);
    let whole = b.m.op(12, double, &[glsl, function, sum]);
    let bits = b.m.op(124, words, &[whole]);
    let low = b.m.op(81, b.uint, &[bits, 0]);
    b.m.op0(STORE, &[b.result, low]);
    b.finish()
}

#[test]
fn doubles_are_rounded_to_whole_numbers_unless_a_quirk_says_otherwise() {
    with_device(|device| {
        let driver = &device.capabilities().driver;
        if !device.capabilities().features.shader_float64 {
            return;
        }
        let want: Vec<u32> = (0..ITEMS).map(|id| id << 26).collect();
        let quirk = quirks::has(driver, QuirkKind::RoundDoubles);
        // Whether a function is wrong depends on the processor, too.
        for (function, name, may_be_wrong) in [
            (3, "trunc", quirk),
            (2, "roundEven", quirk),
            (8, "floor", false),
        ] {
            let got = run(device, &whole_doubles(function));
            assert!(got == want || may_be_wrong, "{name} of {driver:?}: {got:?}");
        }
    });
}

/// `for (i = 0; i < rounds; ++i) result += 1;`
fn long_loop(rounds: u32) -> Vec<u32> {
    let mut b = Body::begin();
    let [header, body, done, next, check] = [(); 5].map(|()| b.m.id());
    b.go(header, header);
    b.m.op0(LOOP_MERGE, &[done, next, 0]);
    b.go(check, check);
    let i = b.m.load(b.uint, b.counter);
    let rounds = b.m.u32(rounds);
    let more = b.m.op(LESS, b.bool, &[i, rounds]);
    b.m.op0(BRANCH_IF, &[more, body, done]);
    b.m.op0(LABEL, &[body]);
    let (result, counter) = (b.result, b.counter);
    b.add(result, 1);
    b.go(next, next);
    b.add(counter, 1);
    b.go(header, done);
    b.finish()
}

#[test]
fn a_loop_of_a_hundred_thousand_rounds_ends_there_unless_a_quirk_says_otherwise() {
    with_device(|device| {
        let driver = &device.capabilities().driver;
        let got = run(device, &long_loop(100_000));
        eprintln!("{} rounds of 100000", got[0]);
        let stops = got.iter().any(|&rounds| rounds != 100_000);
        let limit = quirks::has(driver, QuirkKind::LoopsStop);
        assert_eq!(stops, limit, "{driver:?}: {got:?}");
        assert_eq!(run(device, &long_loop(65_000)), [65_000; ITEMS as usize]);
    });
}

/// ```text
/// v = id * 0x9e3779b1; a = v & 0x7fffffff; up = a * a * 3 - 5;
/// if (a >= 0x7f800000) result = v;
/// else if (a < 0x20000000) result = v + v * v * 3;
/// else result = (up & 0x7fffffff) | (v & 0x80000000);    // or as a product of sums
/// ```
fn join_behind_branches(product: bool) -> Vec<u32> {
    let mut b = Body::begin();
    let [first, rest, small, large, inner, done] = [(); 6].map(|()| b.m.id());
    let uint = b.uint;
    let binary = |b: &mut Body, op: u16, x: u32, y: u32| b.m.op(op, uint, &[x, y]);
    let [factor, magnitude, sign, three, five, infinite, limit] = [
        0x9e37_79b1,
        0x7fff_ffff,
        0x8000_0000,
        3,
        5,
        0x7f80_0000,
        0x2000_0000,
    ]
    .map(|number| b.m.u32(number));
    let id = b.id;
    let v = binary(&mut b, MUL, id, factor);
    let a = binary(&mut b, AND, v, magnitude);
    let finite = b.m.op(LESS, b.bool, &[a, infinite]);
    b.m.op0(SELECTION_MERGE, &[done, 0]);
    b.m.op0(BRANCH_IF, &[finite, rest, first]);
    b.m.op0(LABEL, &[first]);
    b.m.op0(STORE, &[b.result, v]);
    b.go(done, rest);
    let below = b.m.op(LESS, b.bool, &[a, limit]);
    b.m.op0(SELECTION_MERGE, &[inner, 0]);
    b.m.op0(BRANCH_IF, &[below, small, large]);
    b.m.op0(LABEL, &[small]);
    let square = binary(&mut b, MUL, v, v);
    let thrice = binary(&mut b, MUL, square, three);
    let sum = binary(&mut b, ADD, v, thrice);
    b.m.op0(STORE, &[b.result, sum]);
    b.go(inner, large);
    let square = binary(&mut b, MUL, a, a);
    let thrice = binary(&mut b, MUL, square, three);
    let up = binary(&mut b, SUB, thrice, five);
    let (each, both) = if product { (OR, AND) } else { (AND, OR) };
    let masks = if product {
        [sign, magnitude]
    } else {
        [magnitude, sign]
    };
    let low = binary(&mut b, each, up, masks[0]);
    let high = binary(&mut b, each, v, masks[1]);
    let joined = binary(&mut b, both, low, high);
    b.m.op0(STORE, &[b.result, joined]);
    b.go(inner, inner);
    b.go(done, done);
    b.finish()
}

#[test]
fn bits_are_joined_behind_branches() {
    let joined = |id: u32| {
        let v = id.wrapping_mul(0x9e37_79b1);
        let a = v & 0x7fff_ffff;
        let up = a.wrapping_mul(a).wrapping_mul(3).wrapping_sub(5);
        match a {
            0x7f80_0000.. => v,
            0..0x2000_0000 => v.wrapping_add(v.wrapping_mul(v).wrapping_mul(3)),
            _ => (up & 0x7fff_ffff) | (v & 0x8000_0000),
        }
    };
    let want: Vec<u32> = (0..ITEMS).map(joined).collect();
    with_device(|device| {
        assert_eq!(run(device, &join_behind_branches(true)), want, "a product");
        // The quirk depends on the CPU, too.
        let got = run(device, &join_behind_branches(false));
        let quirk = quirks::has(&device.capabilities().driver, QuirkKind::SplitBitJoins);
        eprintln!("a sum of products is right: {}", got == want);
        assert!(got == want || quirk, "a sum: {got:x?}, not {want:x?}");
    });
}
