//! Reading functions: shells, slots, blocks, operands.
//!
//! A function is read in two passes over its lines: the first makes blocks, parameters and
//! results, so that the second may refer to values defined further down.

use super::super::{
    Block, FuncId, Function, Inst, InstKind, Linkage, Module, Scalar, SourceLoc, StackSlot,
    StackSlotData, Type, UnrollHint, Value, ValueDef,
};
use super::lex::Tok;
use super::parse::{Parser, Result1, entity_number};
use pumice_numerics::half_from_f64;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// The numbers that the first pass has seen.
#[derive(Default)]
pub(super) struct Defined {
    pub values: FxHashSet<Value>,
    pub blocks: FxHashSet<Block>,
}

impl Parser {
    /// `func` or `declare`, with a body where there is one.
    pub(super) fn function(&mut self, module: &mut Module) -> Result1<()> {
        self.next();
        let _: FuncId = self.next_entity("fn", module.functions.len())?;
        let name = self.text()?;
        let params = self.type_list()?;
        self.expect('>')?;
        let results = self.type_list()?;
        let mut func = Function::new(name, params, results);
        func.linkage = self.named("a linkage", Linkage::from_name)?;
        func.no_inline = self.accept_word("noinline");
        func.always_inline = self.accept_word("alwaysinline");
        func.passes_handles = self.accept_word("handles");
        if self.accept_word("restrict") {
            self.expect('(')?;
            func.restrict_args.push(self.u32()?);
            while self.accept(',') {
                func.restrict_args.push(self.u32()?);
            }
            self.expect(')')?;
        }
        if self.accept('{') {
            self.body(&mut func)?;
        }
        module.functions.push(func);
        self.end_of_line()
    }

    /// Slots, blocks and the closing brace.
    fn body(&mut self, func: &mut Function) -> Result1<()> {
        let mut defined = Defined::default();
        let mut pending: Vec<(Inst, usize)> = Vec::new();
        let mut block: Option<Block> = None;
        loop {
            self.skip_newlines();
            if *self.peek() == Tok::Punct('}') {
                break;
            }
            if *self.peek() == Tok::End {
                return Err(self.error("expected `}`"));
            }
            let Tok::Word(word) = self.peek() else {
                return Err(self.error("expected a slot, a block or an instruction"));
            };
            if block.is_none() && entity_number(word, "slot").is_some() {
                let _: StackSlot = self.next_entity("slot", func.slots.len())?;
                self.expect('=')?;
                let (size, align) = self.size_align()?;
                let was_local = self.accept_word("was_local");
                func.slots.push(StackSlotData {
                    was_local,
                    ..StackSlotData::new(size, align)
                });
                self.end_of_line()?;
            } else if entity_number(word, "block").is_some() {
                block = Some(self.block_header(func, &mut defined)?);
            } else if let Some(block) = block {
                let inst = func.make_inst(InstKind::Unreachable, &[], SourceLoc::default());
                func.layout.insts[block].push(inst);
                if entity_number(word, "v").is_some() {
                    self.results(func, inst, &mut defined)?;
                }
                pending.push((inst, self.pos));
                self.skip_line();
            } else {
                return Err(self.error("expected a block before the first instruction"));
            }
        }
        let end = self.pos;
        for (inst, start) in pending {
            self.pos = start;
            let kind = self.inst_kind(func, &defined)?;
            func.insts[inst].kind = kind;
            if self.accept('@') {
                func.insts[inst].loc = self.loc()?;
            }
            self.end_of_line()?;
        }
        self.pos = end;
        self.expect('}')
    }

    fn loc(&mut self) -> Result1<SourceLoc> {
        let first = self.u32()?;
        self.expect(':')?;
        let second = self.u32()?;
        let [file, line, column] = match self.accept(':') {
            true => [first, second, self.u32()?],
            false => [0, first, second],
        };
        Ok(SourceLoc { file, line, column })
    }

    fn block_header(&mut self, func: &mut Function, defined: &mut Defined) -> Result1<Block> {
        let place = self.error("the block is defined twice");
        let block: Block = self.entity("block")?;
        if !defined.blocks.insert(block) {
            return Err(place);
        }
        func.place_block(block);
        func.layout.blocks.push(block);
        if self.accept('(') {
            while !self.accept(')') {
                let (value, ty) = self.definition(defined)?;
                let index = func.blocks[block].params.len() as u16;
                func.place_value(value, ty, ValueDef::Param(block, index));
                func.blocks[block].params.push(value);
                if !self.accept(',') {
                    self.expect(')')?;
                    break;
                }
            }
        }
        func.blocks[block].slow_path = self.accept_word("slow_path");
        if self.accept_word("dont_unroll") {
            func.blocks[block].unroll = UnrollHint::DontUnroll;
        } else if self.accept_word("unroll") {
            func.blocks[block].unroll = match self.peek() {
                Tok::Punct(':') => UnrollHint::Unroll,
                _ => UnrollHint::Partial(self.u32()?),
            };
        }
        self.expect(':')?;
        self.end_of_line()?;
        Ok(block)
    }

    /// `v3: i32`
    fn definition(&mut self, defined: &mut Defined) -> Result1<(Value, Type)> {
        let place = self.error("the value is defined twice");
        let value: Value = self.entity("v")?;
        if !defined.values.insert(value) {
            return Err(place);
        }
        self.expect(':')?;
        Ok((value, self.ty()?))
    }

    fn results(&mut self, func: &mut Function, inst: Inst, defined: &mut Defined) -> Result1<()> {
        loop {
            let (value, ty) = self.definition(defined)?;
            let index = func.insts[inst].results.len() as u16;
            func.place_value(value, ty, ValueDef::Result(inst, index));
            func.insts[inst].results.push(value);
            if !self.accept(',') {
                return self.expect('=');
            }
        }
    }

    /// A value by number, a constant or `undef`.
    pub(super) fn operand(&mut self, func: &mut Function, defined: &Defined) -> Result1<Value> {
        let Tok::Word(word) = self.peek() else {
            return Err(self.error("expected an operand"));
        };
        if let Some(number) = entity_number(word, "v") {
            let value = Value::from_u32(number);
            if !defined.values.contains(&value) {
                return Err(self.error(format!("{value} is not defined")));
            }
            self.next();
            return Ok(value);
        }
        if self.accept_word("undef") {
            let ty = self.ty()?;
            return Ok(func.undef(ty));
        }
        let ty = self.ty()?;
        let mut lanes: SmallVec<[u64; 16]> = SmallVec::new();
        if ty.is_vector() {
            self.expect('[')?;
            loop {
                lanes.push(self.lane(ty)?);
                if !self.accept(',') {
                    break;
                }
            }
            if lanes.len() != 1 && lanes.len() != usize::from(ty.lanes) {
                return Err(self.error(format!("expected 1 or {} lanes", ty.lanes)));
            }
            self.expect(']')?;
            if lanes.len() == 1 {
                return Ok(func.splat_constant(ty, lanes[0]));
            }
        } else {
            lanes.push(self.lane(ty)?);
        }
        Ok(func.constant(ty, &lanes))
    }

    fn lane(&mut self, ty: Type) -> Result1<u64> {
        let scalar = ty.scalar;
        if scalar == Scalar::Bool {
            if self.accept_word("true") {
                return Ok(1);
            }
            self.expect_word("false")?;
            return Ok(0);
        }
        if !scalar.is_float() {
            return self.integer(scalar.bits());
        }
        let Tok::Number(number) = self.peek() else {
            return Err(self.error("expected a number"));
        };
        if number.starts_with("0x") {
            return self.integer(scalar.bits());
        }
        let bits = match scalar {
            Scalar::F16 => number
                .parse::<f64>()
                .ok()
                .map(|v| u64::from(half_from_f64(v))),
            Scalar::F32 => number.parse::<f32>().ok().map(|v| u64::from(v.to_bits())),
            _ => number.parse::<f64>().ok().map(f64::to_bits),
        };
        let bits = bits.ok_or_else(|| self.error(format!("`{number}` is no float")))?;
        self.next();
        Ok(bits)
    }
}
