//! Bytes of images, whatever their channels (SPV_INTEL_subgroups' blocks), by reads and writes of whole pixels.
//!
//! The runtime shows such an image as unsigned integers as large as its pixels. Their size follows from
//! the order and the type of the channels, which the driver tells. Pixels of more than four bytes are not
//! shown at all.

use crate::expand::Expander;
use crate::passes::lower::channel_types::on_image;
use pumice_ir::{
    BinaryOp, Function, HandleInfo, ImageOp, ImageType, Inst, InstKind, IntCond, KernelInfo,
    LowerError, Scalar, SourceLoc, Texel, Type, Value,
};
use pumice_target::image::{channel_order, channel_type};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::hash::Hash;

/// Channel types of 8 bits, counted from the first one: CL_SNORM_INT8, CL_UNORM_INT8, CL_SIGNED_INT8, CL_UNSIGNED_INT8.
const BYTES: u64 = 1 << 0 | 1 << 2 | 1 << 7 | 1 << 10;
/// Channel types of 16 bits: CL_SNORM_INT16, CL_UNORM_INT16, CL_SIGNED_INT16, CL_UNSIGNED_INT16, CL_HALF_FLOAT.
const SHORTS: u64 = 1 << 1 | 1 << 3 | 1 << 8 | 1 << 11 | 1 << 13;
/// Pixels of 16 bits: CL_UNORM_SHORT_565, CL_UNORM_SHORT_555.
const PACKED_SHORTS: u64 = 1 << 4 | 1 << 5;
/// Orders of one channel, counted from the first order: CL_R, CL_A, CL_INTENSITY, CL_LUMINANCE, CL_DEPTH.
const SINGLES: u64 = 1 << 0 | 1 << 1 | 1 << 8 | 1 << 9 | 1 << 13;
/// Orders of two channels: CL_RG, CL_RA.
const PAIRS: u64 = 1 << 2 | 1 << 3;

/// An access of bytes: its image, and what the kernel is told of it.
struct Bytes {
    image: ImageType,
    handle: Value,
    x: Value,
    y: Value,
    /// The binary logarithm of a pixel's bytes: 0 to 2.
    log: Value,
}

/// Returns whether an operation is on bytes of an image.
pub(super) fn is_of_bytes(op: ImageOp) -> bool {
    matches!(op, ImageOp::ReadBytes | ImageOp::WriteBytes)
}

/// Checks that an image is shown to a kernel either as bits or as numbers. `images` gives the origins of the images
/// of an operation.
///
/// # Errors
/// An image that the kernel reads or writes both ways.
pub(super) fn check<'a, R: Copy + Eq + Hash + 'a>(
    kernel: &KernelInfo,
    func: &Function,
    accesses: impl Iterator<Item = &'a Inst>,
    images: impl Fn(Inst) -> Option<&'a [R]>,
) -> Result<(), LowerError> {
    let mut shown: FxHashMap<R, bool> = FxHashMap::default();
    for &inst in accesses {
        let (InstKind::Image { op, .. }, Some(roots)) = (&func.insts[inst].kind, images(inst))
        else {
            continue;
        };
        let bits = is_of_bytes(*op);
        if !bits && op.texel().is_none() {
            continue;
        }
        for &root in roots {
            if *shown.entry(root).or_insert(bits) != bits {
                let at = line(func.insts[inst].loc);
                return Err(LowerError::new(format!(
                    "{at}'{}' reads or writes blocks of an image, and pixels of the same image: \
                     a kernel can do one of the two with each of its arguments",
                    kernel.name
                )));
            }
        }
    }
    Ok(())
}

/// The line that a message begins with.
pub(super) fn line(loc: SourceLoc) -> String {
    match loc.line {
        0 => String::new(),
        line => format!("line {line}: "),
    }
}

/// A read or write of bytes of the image that is argument `ordinal`; its result, if it has one.
pub(super) fn access(
    x: &mut Expander<'_>,
    op: ImageOp,
    image: ImageType,
    args: &[Value],
    ordinal: u32,
) -> Option<Value> {
    let bytes = Bytes {
        image,
        handle: args[0],
        x: x.lane(args[1], 0),
        y: x.lane(args[1], 1),
        log: pixel_size(x, ordinal),
    };
    if op == ImageOp::ReadBytes {
        return Some(bytes.read(x));
    }
    bytes.write(x, args[2]);
    None
}

fn told(x: &mut Expander<'_>, ordinal: u32, which: HandleInfo, first: u32) -> Value {
    let number = x.value(InstKind::HandleInfo { ordinal, which }, Type::I32);
    x.bin_const(BinaryOp::ISub, number, u64::from(first))
}

/// 1 if a number up to 31 is in a set, else 0.
fn is_in(x: &mut Expander<'_>, number: Value, set: u64) -> Value {
    let set = x.splat(Type::I32, set);
    let bits = x.bin(BinaryOp::LShr, set, number);
    x.bin_const(BinaryOp::And, bits, 1)
}

/// 2 for numbers in neither set, 1 for those in the second, 0 for those in the first.
fn logarithm(x: &mut Expander<'_>, number: Value, first: u64, second: u64) -> Value {
    let zero = is_in(x, number, first);
    let one = is_in(x, number, second);
    let twice = x.bin_const(BinaryOp::Shl, zero, 1);
    let less = x.bin(BinaryOp::IAdd, twice, one);
    let two = x.splat(Type::I32, 2);
    x.bin(BinaryOp::ISub, two, less)
}

fn pixel_size(x: &mut Expander<'_>, ordinal: u32) -> Value {
    let data_type = told(
        x,
        ordinal,
        HandleInfo::ChannelDataType,
        channel_type::SNORM_INT8,
    );
    let order = told(x, ordinal, HandleInfo::ChannelOrder, channel_order::R);
    let channel = logarithm(x, data_type, BYTES, SHORTS);
    let channels = logarithm(x, order, SINGLES, PAIRS);
    let pixel = x.bin(BinaryOp::IAdd, channel, channels);
    let most = x.splat(Type::I32, 2);
    let pixel = x.bin(BinaryOp::UMin, pixel, most);
    let is_packed = is_in(x, data_type, PACKED_SHORTS);
    let is_packed = x.icmp_const(IntCond::Ne, is_packed, 0);
    let one = x.splat(Type::I32, 1);
    x.select(is_packed, one, pixel)
}

impl Bytes {
    /// Returns whether pixels are words: their accesses need no others.
    fn are_words(&self, x: &mut Expander<'_>) -> Value {
        x.icmp_const(IntCond::Eq, self.log, 2)
    }

    fn place(&self, x: &mut Expander<'_>, pixel: Value) -> Value {
        x.build(&[pixel, self.y])
    }

    /// A word at once where it is a pixel, else byte by byte.
    fn read(&self, x: &mut Expander<'_>) -> Value {
        let size = x.value(
            InstKind::Image {
                op: ImageOp::Size,
                image: self.image,
                args: SmallVec::from_elem(self.handle, 1),
            },
            Type::vector(Scalar::I32, 2),
        );
        let [width, height] = [0, 1].map(|n| x.lane(size, n));
        let inside = |x: &mut Expander<'_>, place: Value, size: Value| {
            let zero = x.splat(Type::I32, 0);
            let last = x.bin_const(BinaryOp::ISub, size, 1);
            let place = x.bin(BinaryOp::SMax, place, zero);
            x.bin(BinaryOp::SMin, place, last)
        };
        let row = Bytes {
            y: inside(x, self.y, height),
            ..*self
        };
        let pixel = |x: &mut Expander<'_>, byte: Value| {
            let n = x.bin(BinaryOp::AShr, byte, row.log);
            let n = inside(x, n, width);
            let place = row.place(x, n);
            let texel = Texel::Raw;
            let args = [row.handle, place];
            let read = on_image(x, ImageOp::Read { texel }, row.image, &args);
            read.map_or(n, |pixel| x.lane(pixel, 0))
        };
        let within = x.bin_const(BinaryOp::And, self.x, 3);
        let starts = x.icmp_const(IntCond::Eq, within, 0);
        let are_words = self.are_words(x);
        let at_once = x.bin(BinaryOp::And, are_words, starts);
        let [whole, parts, done] = [(); 3].map(|()| x.new_block());
        let word = x.func.append_param(done, Type::I32);
        x.branch_bare(at_once, [whole, parts], whole);
        let read = pixel(x, self.x);
        x.jump(done, &[read], parts);
        let one = x.splat(Type::I32, 1);
        let size = x.bin(BinaryOp::Shl, one, self.log);
        let last = x.bin_const(BinaryOp::ISub, size, 1);
        let mut sum = x.splat(Type::I32, 0);
        for k in 0..4 {
            let byte = x.bin_const(BinaryOp::IAdd, self.x, k);
            let read = pixel(x, byte);
            let within = x.bin(BinaryOp::And, byte, last);
            let distance = x.bin_const(BinaryOp::Shl, within, 3);
            let bits = x.bin(BinaryOp::LShr, read, distance);
            let bits = x.bin_const(BinaryOp::And, bits, 0xff);
            let bits = x.bin_const(BinaryOp::Shl, bits, 8 * k);
            sum = x.bin(BinaryOp::Or, sum, bits);
        }
        x.jump(done, &[sum], done);
        word
    }

    /// One, two or four pixels.
    fn write(&self, x: &mut Expander<'_>, word: Value) {
        let are_words = self.are_words(x);
        let are_shorts = x.icmp_const(IntCond::Eq, self.log, 1);
        let [whole, small, halves, bytes, done] = [(); 5].map(|()| x.new_block());
        x.branch_bare(are_words, [whole, small], whole);
        self.write_pixels(x, word, 1);
        x.jump(done, &[], small);
        x.branch_bare(are_shorts, [halves, bytes], halves);
        self.write_pixels(x, word, 2);
        x.jump(done, &[], bytes);
        self.write_pixels(x, word, 4);
        x.jump(done, &[], done);
    }

    fn write_pixels(&self, x: &mut Expander<'_>, word: Value, count: u64) {
        let first = x.bin(BinaryOp::AShr, self.x, self.log);
        let bits = 32 / count;
        for k in 0..count {
            let pixel = x.bin_const(BinaryOp::IAdd, first, k);
            let place = self.place(x, pixel);
            let part = x.bin_const(BinaryOp::LShr, word, k * bits);
            let part = x.bin_const(BinaryOp::And, part, (1 << bits) - 1);
            let part = x.value(InstKind::Splat { arg: part }, Texel::Raw.ty());
            let texel = Texel::Raw;
            let args = [self.handle, place, part];
            on_image(x, ImageOp::Write { texel }, self.image, &args);
        }
    }
}
