//! SPV_INTEL_subgroups: shuffles over one and two values, and blocks of memory or of an image of which each
//! work-item has every n-th element.

use super::body::Body;
use super::reader::{Inst, Result};
use pumice_ir::{
    AccessFlags, BinaryOp, BuiltIn, ConvertOp, GroupOp, ImageOp, ImageType, InstKind, IntCond,
    Scalar, Type, Value,
};
use rspirv::spirv::Op;
use smallvec::SmallVec;

impl Body<'_, '_> {
    /// Imports such an instruction; false if the opcode is none.
    pub(super) fn intel_subgroup(&mut self, inst: &Inst<'_>) -> Result<bool> {
        let value = match inst.op {
            Op::SubgroupShuffleINTEL | Op::SubgroupShuffleXorINTEL => {
                let op = if inst.op == Op::SubgroupShuffleINTEL {
                    GroupOp::Shuffle
                } else {
                    GroupOp::ShuffleXor
                };
                let (value, number) = (self.arg(inst, 0)?, self.word_arg(inst, 1)?);
                self.subgroup_value(op, &[value, number])
            }
            Op::SubgroupShuffleDownINTEL | Op::SubgroupShuffleUpINTEL => {
                let (first, second) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
                let delta = self.word_arg(inst, 2)?;
                if self.func.ty(first) != self.func.ty(second) {
                    return Err(inst.error("the operands' types differ"));
                }
                let lane = self.subgroup_built_in(BuiltIn::SubgroupLocalId);
                let size = self.subgroup_built_in(BuiltIn::SubgroupMaxSize);
                // The first operand's lanes stand before the second's.
                let source = if inst.op == Op::SubgroupShuffleDownINTEL {
                    self.binary(BinaryOp::IAdd, [lane, delta])
                } else {
                    let below = self.binary(BinaryOp::IAdd, [lane, size]);
                    self.binary(BinaryOp::ISub, [below, delta])
                };
                let in_first = self.icmp(IntCond::Ult, [source, size]);
                let behind = self.binary(BinaryOp::ISub, [source, size]);
                let source = self.select_value(in_first, source, behind);
                let first = self.subgroup_value(GroupOp::Shuffle, &[first, source]);
                let second = self.subgroup_value(GroupOp::Shuffle, &[second, source]);
                self.select_value(in_first, first, second)
            }
            Op::SubgroupBlockReadINTEL => {
                let (_, ty) = self.result_type(inst)?;
                let places = self.block_places(inst, ty)?;
                let align = ty.scalar.bytes();
                let lanes: SmallVec<[Value; 4]> = places
                    .into_iter()
                    .map(|ptr| self.load_leaf(ptr, ty.lane(), align, AccessFlags::empty()))
                    .collect();
                match lanes[..] {
                    [one] => one,
                    _ => self.emit(InstKind::Build { lanes }, ty),
                }
            }
            Op::SubgroupBlockWriteINTEL => {
                let value = self.arg(inst, 1)?;
                let ty = self.func.ty(value);
                let align = ty.scalar.bytes();
                for (lane, ptr) in self.block_places(inst, ty)?.into_iter().enumerate() {
                    let part = self.component(value, lane as u8);
                    self.store_leaf(ptr, part, align, AccessFlags::empty());
                }
                return Ok(true);
            }
            Op::SubgroupImageBlockReadINTEL => self.read_image_block(inst)?,
            Op::SubgroupImageBlockWriteINTEL => {
                self.write_image_block(inst)?;
                return Ok(true);
            }
            _ => return Ok(false),
        };
        self.define_value(inst, value)?;
        Ok(true)
    }

    /// Gives the places of the components of this work-item's part of a block.
    fn block_places(&mut self, inst: &Inst<'_>, ty: Type) -> Result<SmallVec<[Value; 4]>> {
        let (pointer, ptr) = self.pointer(inst, 0)?;
        let elem = self.pre.pointee(inst, pointer.ty)?;
        if self.pre.types.get(elem).leaf != Some(ty.lane()) || !ty.scalar.is_int() {
            return Err(inst.error("the block's type does not fit the pointer"));
        }
        let bytes = self.func.i64(i64::from(ty.scalar.bytes()));
        let lane = self.subgroup_built_in(BuiltIn::SubgroupLocalId);
        let lane = self.convert(ConvertOp::ZExt, lane, Type::I64);
        let size = self.subgroup_built_in(BuiltIn::SubgroupMaxSize);
        let size = self.convert(ConvertOp::ZExt, size, Type::I64);
        let space = self.func.ty(ptr);
        let mut index = lane;
        let mut places = SmallVec::new();
        for _ in 0..ty.lanes {
            let offset = self.binary(BinaryOp::IMul, [index, bytes]);
            places.push(self.emit(InstKind::PtrAdd { base: ptr, offset }, space));
            index = self.binary(BinaryOp::IAdd, [index, size]);
        }
        Ok(places)
    }

    /// A component of a vector, or the scalar itself.
    fn component(&mut self, value: Value, lane: u8) -> Value {
        let ty = self.func.ty(value);
        match ty.is_vector() {
            true => {
                let extract = InstKind::Extract {
                    vector: value,
                    lane,
                };
                self.emit(extract, ty.lane())
            }
            false => value,
        }
    }

    /// The image and the coordinates of a block: the first byte of a row, and the row.
    fn image_block(&mut self, inst: &Inst<'_>, ty: Type) -> Result<ImageBlock> {
        if !matches!(
            ty.scalar,
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64
        ) {
            return Err(inst.error("a block of an image has integers"));
        }
        let (image, handle) = self.image_operand(inst, 0)?;
        let coordinates = self.coordinates(inst, 1, image, false)?;
        Ok(ImageBlock {
            image,
            handle,
            byte: self.component(coordinates, 0),
            row: self.component(coordinates, 1),
        })
    }

    fn word(&mut self, number: u32) -> Value {
        self.func.i32(number as i32)
    }

    /// The coordinates `bytes` behind the block's first, in its n-th row.
    fn image_place(&mut self, block: &ImageBlock, bytes: Value, n: u8) -> Value {
        let x = self.binary(BinaryOp::IAdd, [block.byte, bytes]);
        let n = self.word(u32::from(n));
        let y = self.binary(BinaryOp::IAdd, [block.row, n]);
        let lanes = SmallVec::from_slice(&[x, y]);
        self.emit(InstKind::Build { lanes }, Type::vector(Scalar::I32, 2))
    }

    /// The component n of a block is from the n-th row; work-items are beside each other there.
    fn read_image_block(&mut self, inst: &Inst<'_>) -> Result<Value> {
        let (_, ty) = self.result_type(inst)?;
        let block = self.image_block(inst, ty)?;
        let lane = self.subgroup_built_in(BuiltIn::SubgroupLocalId);
        let bytes = self.word(ty.scalar.bytes());
        let bytes = self.binary(BinaryOp::IMul, [lane, bytes]);
        let mut lanes: SmallVec<[Value; 4]> = SmallVec::new();
        for n in 0..ty.lanes {
            let low = self.image_word(inst, &block, bytes, n)?;
            lanes.push(match ty.scalar {
                Scalar::I32 => low,
                Scalar::I64 => {
                    let four = self.word(4);
                    let behind = self.binary(BinaryOp::IAdd, [bytes, four]);
                    let high = self.image_word(inst, &block, behind, n)?;
                    let [low, high] =
                        [low, high].map(|w| self.convert(ConvertOp::ZExt, w, Type::I64));
                    let half = self.func.i64(32);
                    let high = self.binary(BinaryOp::Shl, [high, half]);
                    self.binary(BinaryOp::Or, [low, high])
                }
                _ => self.convert(ConvertOp::Trunc, low, ty.lane()),
            });
        }
        Ok(match lanes[..] {
            [one] => one,
            _ => self.emit(InstKind::Build { lanes }, ty),
        })
    }

    fn image_word(
        &mut self,
        inst: &Inst<'_>,
        block: &ImageBlock,
        bytes: Value,
        n: u8,
    ) -> Result<Value> {
        let place = self.image_place(block, bytes, n);
        let args = [block.handle, place];
        let kind = self.operation(inst, ImageOp::ReadBytes, block.image, &args)?;
        Ok(self.emit(kind, Type::I32))
    }

    fn write_image_block(&mut self, inst: &Inst<'_>) -> Result<()> {
        let value = self.arg(inst, 2)?;
        let ty = self.func.ty(value);
        let block = self.image_block(inst, ty)?;
        let lane = self.subgroup_built_in(BuiltIn::SubgroupLocalId);
        // Of values less than a word the first work-items write those of several.
        let per_word = 4 / ty.scalar.bytes().min(4);
        let bytes = self.word(ty.scalar.bytes().max(4));
        let mut bytes = self.binary(BinaryOp::IMul, [lane, bytes]);
        let mut sources: SmallVec<[Value; 4]> = SmallVec::new();
        if per_word > 1 {
            let size = self.subgroup_built_in(BuiltIn::SubgroupMaxSize);
            let one = self.word(1);
            let last = self.binary(BinaryOp::ISub, [size, one]);
            let several = self.word(per_word);
            let first = self.binary(BinaryOp::IMul, [lane, several]);
            for k in 0..per_word {
                let k = self.word(k);
                let source = self.binary(BinaryOp::IAdd, [first, k]);
                sources.push(self.binary(BinaryOp::And, [source, last]));
            }
            let writes = self.icmp(IntCond::Ule, [first, last]);
            // What the others have falls outside.
            let outside = self.word(OUTSIDE);
            bytes = self.select_value(writes, bytes, outside);
        }
        for n in 0..ty.lanes {
            let part = self.component(value, n);
            let words: SmallVec<[Value; 2]> = match ty.scalar {
                Scalar::I32 => SmallVec::from_slice(&[part]),
                Scalar::I64 => {
                    let half = self.func.i64(32);
                    let high = self.binary(BinaryOp::LShr, [part, half]);
                    [part, high]
                        .into_iter()
                        .map(|word| self.convert(ConvertOp::Trunc, word, Type::I32))
                        .collect()
                }
                _ => SmallVec::from_slice(&[self.joined(part, &sources)]),
            };
            for (k, word) in words.into_iter().enumerate() {
                let behind = self.word(4 * k as u32);
                let bytes = self.binary(BinaryOp::IAdd, [bytes, behind]);
                let place = self.image_place(&block, bytes, n);
                let args = [block.handle, place, word];
                let kind = self.operation(inst, ImageOp::WriteBytes, block.image, &args)?;
                self.effect(kind);
            }
        }
        Ok(())
    }

    /// The values of several work-items side by side in a word.
    fn joined(&mut self, value: Value, sources: &[Value]) -> Value {
        let bits = 8 * self.func.ty(value).scalar.bytes();
        let wide = self.convert(ConvertOp::ZExt, value, Type::I32);
        let mut word = self.word(0);
        for (&source, k) in sources.iter().zip(0..) {
            let part = self.subgroup_value(GroupOp::Shuffle, &[wide, source]);
            let distance = self.word(k * bits);
            let part = self.binary(BinaryOp::Shl, [part, distance]);
            word = self.binary(BinaryOp::Or, [word, part]);
        }
        word
    }
}

/// A byte that no image has: no width is as large.
const OUTSIDE: u32 = 0x4000_0000;

/// A block's place in an image.
struct ImageBlock {
    image: ImageType,
    handle: Value,
    byte: Value,
    row: Value,
}
