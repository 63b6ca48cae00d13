//! Division of numbers of two words.
//!
//! A branch takes the device's own division of words if both high words are zero. Else a
//! quotient of two words by one, normalised so that its divisor's top bit is set, is made of two
//! digits of 16 bits, each guessed by a division of words and at most 2 too large. Knuth, The Art
//! of Computer Programming, volume 2, 4.3.1, algorithm D. A divisor of two words is cut to its top
//! word, after which the quotient is at most 1 too small.

use super::words::{Words, icmp, leading_zeros, mul, select, shift, sub};
use crate::expand::Expander;
use pumice_ir::{BinaryOp, IntCond, Type, Value};

/// Quotient and remainder of unsigned scalars. The divisor is not 0.
pub(super) fn divide(x: &mut Expander<'_>, a: Words, b: Words) -> [Words; 2] {
    let zero = x.splat(Type::I32, 0);
    let (short, long, done) = (x.new_block(), x.new_block(), x.new_block());
    let results = [0; 4].map(|_| x.func.append_param(done, Type::I32));
    let above = x.bin(BinaryOp::Or, a.high, b.high);
    let is_short = x.icmp_const(IntCond::Eq, above, 0);
    x.branch_bare(is_short, [short, long], short);
    // The divisor's low word here. Elsewhere no zero either, should somebody compute it there.
    let divisor = x.bin(BinaryOp::Or, b.low, b.high);
    let quotient = x.bin(BinaryOp::UDiv, a.low, divisor);
    let product = x.bin(BinaryOp::IMul, quotient, b.low);
    let rest = x.bin(BinaryOp::ISub, a.low, product);
    x.jump(done, &[quotient, zero, rest, zero], long);
    let [quotient, rest] = divide_long(x, a, b);
    let values = [quotient.low, quotient.high, rest.low, rest.high];
    x.jump(done, &values, done);
    let [low, high, rest_low, rest_high] = results;
    [
        Words { low, high },
        Words {
            low: rest_low,
            high: rest_high,
        },
    ]
}

fn divide_long(x: &mut Expander<'_>, a: Words, b: Words) -> [Words; 2] {
    let zero = x.splat(Type::I32, 0);
    let one = x.splat(Type::I32, 1);
    let is_word = x.icmp_const(IntCond::Eq, b.high, 0);
    // By one word: the quotient's high word first, then its rest before the dividend's low word.
    let divisor = x.select(is_word, b.low, one);
    let quotient_high = x.bin(BinaryOp::UDiv, a.high, divisor);
    let product = x.bin(BinaryOp::IMul, quotient_high, divisor);
    let rest_high = x.bin(BinaryOp::ISub, a.high, product);
    let by_word = Words {
        low: a.low,
        high: rest_high,
    };
    let top = x.select(is_word, b.low, b.high);
    let places = leading_zeros(
        x,
        Words {
            low: zero,
            high: top,
        },
    );
    let by_word = shift(x, BinaryOp::Shl, by_word, places);
    let one_place = x.splat(Type::I32, 1);
    let by_two = shift(x, BinaryOp::LShr, a, one_place);
    let normal_low = x.bin(BinaryOp::Shl, b.low, places);
    let normal_high = shift(x, BinaryOp::Shl, b, places).high;
    let normal = x.select(is_word, normal_low, normal_high);
    let dividend = select(x, is_word, by_word, by_two);
    let digits = divide_by_normal(x, dividend, normal);
    // By two words: the quotient of the halves, cut to size and made too small rather than too
    // large.
    let back = x.bin_const(BinaryOp::Xor, places, 31);
    let cut = x.bin(BinaryOp::LShr, digits, back);
    let some = x.icmp_const(IntCond::Ne, cut, 0);
    let some = super::words::as_word(x, some);
    let cut = x.bin(BinaryOp::ISub, cut, some);
    let quotient = Words {
        low: x.select(is_word, digits, cut),
        high: x.select(is_word, quotient_high, zero),
    };
    let product = mul(x, quotient, b);
    let rest = sub(x, a, product);
    let more = icmp(x, IntCond::Uge, rest, b);
    let step = super::words::as_word(x, more);
    // The one more never crosses words: a quotient by one word is exact, one by two words short.
    let quotient = Words {
        low: x.bin(BinaryOp::IAdd, quotient.low, step),
        high: quotient.high,
    };
    let less = sub(x, rest, b);
    [quotient, select(x, more, less, rest)]
}

/// Two words by a word whose top bit is set and which is above the dividend's high word.
fn divide_by_normal(x: &mut Expander<'_>, a: Words, divisor: Value) -> Value {
    let parts = [
        x.bin_const(BinaryOp::LShr, divisor, 16),
        x.bin_const(BinaryOp::And, divisor, 0xffff),
    ];
    let next = x.bin_const(BinaryOp::LShr, a.low, 16);
    let first = digit(x, a.high, next, parts);
    let rest = rest_of(x, a.high, next, first, divisor);
    let last = x.bin_const(BinaryOp::And, a.low, 0xffff);
    let second = digit(x, rest, last, parts);
    let high = x.bin_const(BinaryOp::Shl, first, 16);
    x.bin(BinaryOp::IAdd, high, second)
}

/// `above * 2^16 + next - digit * divisor`, modulo a word, in which it fits.
fn rest_of(x: &mut Expander<'_>, above: Value, next: Value, digit: Value, by: Value) -> Value {
    let moved = x.bin_const(BinaryOp::Shl, above, 16);
    let sum = x.bin(BinaryOp::IAdd, moved, next);
    let product = x.bin(BinaryOp::IMul, digit, by);
    x.bin(BinaryOp::ISub, sum, product)
}

/// A digit of 16 bits: guessed by the divisor's upper part, then corrected twice.
fn digit(x: &mut Expander<'_>, above: Value, next: Value, [upper, lower]: [Value; 2]) -> Value {
    let mut guess = x.bin(BinaryOp::UDiv, above, upper);
    let product = x.bin(BinaryOp::IMul, guess, upper);
    let mut rest = x.bin(BinaryOp::ISub, above, product);
    for _ in 0..2 {
        let too_wide = x.icmp_const(IntCond::Uge, guess, 1 << 16);
        let product = x.bin(BinaryOp::IMul, guess, lower);
        let moved = x.bin_const(BinaryOp::Shl, rest, 16);
        let sum = x.bin(BinaryOp::IAdd, moved, next);
        let too_large = x.icmp(IntCond::Ugt, product, sum);
        let wrong = x.bin(BinaryOp::Or, too_wide, too_large);
        // A rest of more than 16 bits says that the guess is right.
        let undecided = x.icmp_const(IntCond::Ult, rest, 1 << 16);
        let wrong = x.bin(BinaryOp::And, wrong, undecided);
        let step = super::words::as_word(x, wrong);
        guess = x.bin(BinaryOp::ISub, guess, step);
        let more = x.bin(BinaryOp::IAdd, rest, upper);
        rest = x.select(wrong, more, rest);
    }
    guess
}
