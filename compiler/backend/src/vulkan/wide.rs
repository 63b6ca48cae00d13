//! Numbers of 64 bits that the emitter makes itself: addresses, ids and sizes. Integers where the
//! device has those, else vectors of two words, low first.

use super::builder::Id;
use super::emitter::Emitter;
use pumice_ir::LowerError;
use rspirv::spirv::{Capability, Decoration, Op, StorageClass};

impl Emitter<'_> {
    /// The type of such numbers.
    pub fn wide_ty(&mut self) -> Id {
        if self.target.int64 {
            return self.b.ty_int(64);
        }
        let u32_ty = self.b.ty_int(32);
        self.b.ty_vector(u32_ty, 2)
    }

    /// A constant.
    pub fn wide_constant(&mut self, number: u64) -> Id {
        if self.target.int64 {
            return self.b.const_int(64, number);
        }
        let words = [number, number >> 32].map(|word| self.b.const_u32(word as u32));
        let ty = self.wide_ty();
        let pair = self.b.unique(Op::ConstantComposite, Some(ty), &words);
        self.words_of.insert(pair, words);
        pair
    }

    /// The number of two words.
    pub fn wide_of_words(&mut self, words: [Id; 2]) -> Id {
        let u32_ty = self.b.ty_int(32);
        let v2 = self.b.ty_vector(u32_ty, 2);
        let pair = self.b.op(Op::CompositeConstruct, v2, &words);
        if !self.target.int64 {
            self.words_of.insert(pair, words);
            return pair;
        }
        let ty = self.wide_ty();
        self.b.op(Op::Bitcast, ty, &[pair])
    }

    /// A word as a number.
    pub fn widen(&mut self, word: Id) -> Id {
        if self.target.int64 {
            let ty = self.wide_ty();
            return self.b.op(Op::UConvert, ty, &[word]);
        }
        let zero = self.b.const_u32(0);
        self.wide_of_words([word, zero])
    }

    /// The low word.
    pub fn wide_low(&mut self, number: Id) -> Id {
        if self.target.int64 {
            let u32_ty = self.b.ty_int(32);
            return self.b.op(Op::UConvert, u32_ty, &[number]);
        }
        self.wide_words(number)[0]
    }

    /// The two words of a number that is a pair.
    pub fn wide_words(&mut self, pair: Id) -> [Id; 2] {
        if let Some(&words) = self.words_of.get(&pair) {
            return words;
        }
        let u32_ty = self.b.ty_int(32);
        [0, 1].map(|i| self.b.op(Op::CompositeExtract, u32_ty, &[pair, i]))
    }

    /// The sum or difference.
    pub fn wide_sum(&mut self, op: Op, a: Id, b: Id) -> Id {
        if self.target.int64 {
            let ty = self.wide_ty();
            return self.b.op(op, ty, &[a, b]);
        }
        let (u32_ty, bool_ty) = (self.b.ty_int(32), self.b.ty_bool());
        let ([a_low, a_high], [b_low, b_high]) = (self.wide_words(a), self.wide_words(b));
        let low = self.b.op(op, u32_ty, &[a_low, b_low]);
        let high = self.b.op(op, u32_ty, &[a_high, b_high]);
        if low == a_low {
            // Nothing was added, so nothing is carried.
            return self.wide_of_words([low, high]);
        }
        let carries = match op {
            Op::IAdd => self.b.op(Op::ULessThan, bool_ty, &[low, a_low]),
            _ => self.b.op(Op::ULessThan, bool_ty, &[a_low, b_low]),
        };
        let (zero, one) = (self.b.const_u32(0), self.b.const_u32(1));
        let carry = self.b.op(Op::Select, u32_ty, &[carries, one, zero]);
        let high = self.b.op(op, u32_ty, &[high, carry]);
        self.wide_of_words([low, high])
    }

    /// The product.
    pub fn wide_product(&mut self, a: Id, b: Id) -> Id {
        if self.target.int64 {
            let ty = self.wide_ty();
            return self.b.op(Op::IMul, ty, &[a, b]);
        }
        let u32_ty = self.b.ty_int(32);
        let ([a_low, a_high], [b_low, b_high]) = (self.wide_words(a), self.wide_words(b));
        let halves = self.b.unique(Op::TypeStruct, None, &[u32_ty, u32_ty]);
        let product = self.b.op(Op::UMulExtended, halves, &[a_low, b_low]);
        let [low, mut high] =
            [0, 1].map(|i| self.b.op(Op::CompositeExtract, u32_ty, &[product, i]));
        for (x, y) in [(a_low, b_high), (a_high, b_low)] {
            let part = self.b.op(Op::IMul, u32_ty, &[x, y]);
            high = self.b.op(Op::IAdd, u32_ty, &[high, part]);
        }
        self.wide_of_words([low, high])
    }

    /// The number with some bits set or cleared.
    pub fn wide_masked(&mut self, op: Op, number: Id, mask: u64) -> Id {
        if self.target.int64 {
            let (ty, mask) = (self.wide_ty(), self.wide_constant(mask));
            return self.b.op(op, ty, &[number, mask]);
        }
        let u32_ty = self.b.ty_int(32);
        let [low, high] = self.wide_words(number);
        let words = [(low, mask as u32), (high, (mask >> 32) as u32)].map(|(word, mask)| {
            let unchanged = match op {
                Op::BitwiseAnd => u32::MAX,
                _ => 0,
            };
            if mask == unchanged {
                return word;
            }
            let mask = self.b.const_u32(mask);
            self.b.op(op, u32_ty, &[word, mask])
        });
        self.wide_of_words(words)
    }

    /// `cond ? then : other` for one condition.
    pub fn wide_select(&mut self, cond: Id, then: Id, other: Id) -> Id {
        let ty = self.wide_ty();
        if self.target.int64 || self.target.spirv_version >= (1, 4) {
            return self.b.op(Op::Select, ty, &[cond, then, other]);
        }
        let bool_ty = self.b.ty_bool();
        let bools = self.b.ty_vector(bool_ty, 2);
        let cond = self.b.op(Op::CompositeConstruct, bools, &[cond, cond]);
        self.b.op(Op::Select, ty, &[cond, then, other])
    }

    /// A pointer to physical memory from an address.
    pub fn physical_pointer(&mut self, address: Id, pointee: Id) -> Id {
        let ptr = self
            .b
            .ty_pointer(StorageClass::PhysicalStorageBuffer, pointee);
        let op = match self.target.int64 {
            true => Op::ConvertUToPtr,
            // Only that takes a 64-bit integer.
            false => Op::Bitcast,
        };
        self.b.op(op, ptr, &[address])
    }

    /// The same to memory that nothing writes through the pointer. Only members of blocks can say so.
    pub fn read_only_pointer(&mut self, address: Id, pointee: Id) -> Id {
        let class = StorageClass::PhysicalStorageBuffer;
        let block = match self.read_only_blocks.get(&pointee) {
            Some(&block) => block,
            None => {
                let block = self.block(pointee);
                self.b
                    .decorate_member(block, 0, Decoration::NonWritable, &[]);
                self.read_only_blocks.insert(pointee, block);
                block
            }
        };
        let whole = self.physical_pointer(address, block);
        let (ptr, first) = (self.b.ty_pointer(class, pointee), self.b.const_u32(0));
        self.b.op(Op::AccessChain, ptr, &[whole, first])
    }

    /// Checks that the device has the integer types that were written.
    ///
    /// # Errors
    /// A width that it lacks.
    pub fn check_integers(&self) -> Result<(), LowerError> {
        for (bits, has, capability) in [
            (8, self.target.int8, Capability::Int8),
            (16, self.target.int16, Capability::Int16),
            (64, self.target.int64, Capability::Int64),
        ] {
            if !has && self.b.has_capability(capability) {
                return Err(LowerError::new(format!(
                    "{bits}-bit integers are used, which this device has no arithmetic on"
                )));
            }
        }
        Ok(())
    }
}
