//! Reading one instruction.

use super::super::{
    AccessFlags, AtomicOp, BinaryOp, Block, BlockCall, BuiltIn, ConvertOp, FloatCond, FloatFlags,
    Function, GroupOp, HandleInfo, ImageOp, ImageType, InstKind, IntCond, MathOp, MatrixOp,
    MemoryOrder, NodeOp, PayloadId, PrintfArg, Rounding, Scope, UnaryOp, Value,
};
use super::lex::Tok;
use super::names::FLOAT_FLAGS;
use super::parse::{Parser, Result1};
use super::parse_function::Defined;
use smallvec::SmallVec;

/// The mnemonic's dotted words after the first, taken from the front.
struct Words<'a> {
    rest: &'a [&'a str],
}

impl<'a> Words<'a> {
    fn take<T>(&mut self, find: impl Fn(&str) -> Option<T>) -> Option<T> {
        let found = find(self.rest.first()?)?;
        self.rest = &self.rest[1..];
        Some(found)
    }

    fn float_flags(&mut self) -> FloatFlags {
        let mut flags = FloatFlags::empty();
        let find = |word: &str| FLOAT_FLAGS.iter().find(|(_, name)| *name == word);
        while let Some((flag, _)) = self.take(find) {
            flags |= *flag;
        }
        flags
    }

    fn access_flags(&mut self) -> AccessFlags {
        let mut flags = AccessFlags::empty();
        let find = |word: &str| match word {
            "volatile" => Some(AccessFlags::VOLATILE),
            "nontemporal" => Some(AccessFlags::NONTEMPORAL),
            "byte" => Some(AccessFlags::BYTE),
            "short" => Some(AccessFlags::SHORT),
            "readonly" => Some(AccessFlags::READ_ONLY),
            "together" => Some(AccessFlags::TOGETHER),
            _ => None,
        };
        while let Some(flag) = self.take(find) {
            flags |= flag;
        }
        flags
    }

    fn flag(&mut self, name: &str) -> bool {
        self.take(|word| (word == name).then_some(())).is_some()
    }
}

/// The operation that dotted words name, with its type of payloads.
fn node_op(words: &[&str]) -> Option<NodeOp> {
    let payload = |word: &str| {
        let number = word.strip_prefix("payload")?.parse().ok()?;
        Some(PayloadId::from_u32(number))
    };
    Some(match *words {
        ["allocate", visibility, word] => NodeOp::Allocate {
            payload: payload(word)?,
            visibility: Scope::from_name(visibility)?,
        },
        ["input"] => NodeOp::Input,
        ["enqueue"] => NodeOp::Enqueue,
        ["count"] => NodeOp::Count,
        ["is_valid", word] => NodeOp::IsValid {
            payload: payload(word)?,
        },
        ["finish"] => NodeOp::Finish,
        ["load"] => NodeOp::Load,
        ["store"] => NodeOp::Store,
        _ => return None,
    })
}

impl Parser {
    fn comma(&mut self, func: &mut Function, defined: &Defined) -> Result1<Value> {
        self.expect(',')?;
        self.operand(func, defined)
    }

    fn pair(&mut self, func: &mut Function, defined: &Defined) -> Result1<[Value; 2]> {
        let first = self.operand(func, defined)?;
        Ok([first, self.comma(func, defined)?])
    }

    /// Zero or more operands up to the end of the line.
    fn operands<A: smallvec::Array<Item = Value>>(
        &mut self,
        func: &mut Function,
        defined: &Defined,
    ) -> Result1<SmallVec<A>> {
        let mut list = SmallVec::new();
        if matches!(self.peek(), Tok::Newline | Tok::End | Tok::Punct('@')) {
            return Ok(list);
        }
        loop {
            list.push(self.operand(func, defined)?);
            if !self.accept(',') {
                return Ok(list);
            }
        }
    }

    fn align(&mut self) -> Result1<u32> {
        self.expect(',')?;
        self.expect_word("align")?;
        self.u32()
    }

    fn lane_number(&mut self) -> Result1<u8> {
        self.expect(',')?;
        self.integer(8).map(|v| v as u8)
    }

    fn call_args(
        &mut self,
        func: &mut Function,
        defined: &Defined,
    ) -> Result1<SmallVec<[Value; 4]>> {
        let mut args = SmallVec::new();
        while !self.accept(')') {
            args.push(self.operand(func, defined)?);
            if !self.accept(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(args)
    }

    fn target(&mut self, func: &mut Function, defined: &Defined) -> Result1<BlockCall> {
        let place = self.error("the block is not defined");
        let block: Block = self.entity("block")?;
        if !defined.blocks.contains(&block) {
            return Err(place);
        }
        let args = if self.accept('(') {
            self.call_args(func, defined)?
        } else {
            SmallVec::new()
        };
        Ok(BlockCall { block, args })
    }

    /// Everything after the results and `=`.
    pub(super) fn inst_kind(
        &mut self,
        func: &mut Function,
        defined: &Defined,
    ) -> Result1<InstKind> {
        let place = self.error("unknown instruction or suffix");
        let mnemonic = self.word("an instruction")?;
        let parts: Vec<&str> = mnemonic.split('.').collect();
        let mut words = Words { rest: &parts[1..] };
        let kind = self.inst_body(parts[0], &mut words, func, defined)?;
        match kind {
            Some(kind) if words.rest.is_empty() => Ok(kind),
            _ => Err(place),
        }
    }

    fn inst_body(
        &mut self,
        head: &str,
        words: &mut Words<'_>,
        func: &mut Function,
        defined: &Defined,
    ) -> Result1<Option<InstKind>> {
        macro_rules! need {
            ($option:expr) => {
                match $option {
                    Some(found) => found,
                    None => return Ok(None),
                }
            };
        }
        if let Some(op) = UnaryOp::from_name(head) {
            let arg = self.operand(func, defined)?;
            return Ok(Some(InstKind::Unary { op, arg }));
        }
        if let Some(op) = BinaryOp::from_name(head) {
            let flags = words.float_flags();
            let args = self.pair(func, defined)?;
            return Ok(Some(InstKind::Binary { op, args, flags }));
        }
        if let Some(op) = ConvertOp::from_name(head) {
            let rounding = words.take(Rounding::from_name);
            let arg = self.operand(func, defined)?;
            return Ok(Some(InstKind::Convert { op, arg, rounding }));
        }
        Ok(Some(match head {
            "icmp" => {
                let cond = need!(words.take(IntCond::from_name));
                let args = self.pair(func, defined)?;
                InstKind::ICmp { cond, args }
            }
            "fcmp" => {
                let cond = need!(words.take(FloatCond::from_name));
                let flags = words.float_flags();
                let args = self.pair(func, defined)?;
                InstKind::FCmp { cond, args, flags }
            }
            "select" => InstKind::Select {
                cond: self.operand(func, defined)?,
                then: self.comma(func, defined)?,
                other: self.comma(func, defined)?,
            },
            "math" => {
                let (op, used) = need!(MathOp::from_words(words.rest));
                words.rest = &words.rest[used..];
                let flags = words.float_flags();
                let args = self.operands(func, defined)?;
                InstKind::Math { op, args, flags }
            }
            "build" => InstKind::Build {
                lanes: self.operands(func, defined)?,
            },
            "splat" => InstKind::Splat {
                arg: self.operand(func, defined)?,
            },
            "extract" => InstKind::Extract {
                vector: self.operand(func, defined)?,
                lane: self.lane_number()?,
            },
            "insert" => InstKind::Insert {
                vector: self.operand(func, defined)?,
                scalar: self.comma(func, defined)?,
                lane: self.lane_number()?,
            },
            "extract_dyn" => InstKind::ExtractDyn {
                vector: self.operand(func, defined)?,
                index: self.comma(func, defined)?,
            },
            "insert_dyn" => InstKind::InsertDyn {
                vector: self.operand(func, defined)?,
                scalar: self.comma(func, defined)?,
                index: self.comma(func, defined)?,
            },
            "shuffle" => {
                let args = self.pair(func, defined)?;
                self.expect(',')?;
                self.expect('[')?;
                let mut mask = SmallVec::new();
                loop {
                    if matches!(self.peek(), Tok::Word(word) if word == "_") {
                        self.next();
                        mask.push(None);
                    } else {
                        mask.push(Some(self.integer(8)? as u8));
                    }
                    if !self.accept(',') {
                        break;
                    }
                }
                self.expect(']')?;
                InstKind::Shuffle { args, mask }
            }
            "stack_addr" => {
                let place = self.error("the slot is not defined");
                let slot = self.entity("slot")?;
                if !func.slots.is_valid(slot) {
                    return Err(place);
                }
                InstKind::StackAddr { slot }
            }
            "global_addr" => InstKind::GlobalAddr {
                global: self.entity("global")?,
            },
            "ptr_add" => {
                let [base, offset] = self.pair(func, defined)?;
                InstKind::PtrAdd { base, offset }
            }
            "load" => InstKind::Load {
                flags: words.access_flags(),
                ptr: self.operand(func, defined)?,
                align: self.align()?,
            },
            "store" => InstKind::Store {
                flags: words.access_flags(),
                ptr: self.operand(func, defined)?,
                value: self.comma(func, defined)?,
                align: self.align()?,
            },
            "memcopy" => {
                let flags = words.access_flags();
                let [dst, src] = self.pair(func, defined)?;
                let size = self.comma(func, defined)?;
                let dst_align = self.align()?;
                self.expect(',')?;
                InstKind::MemCopy {
                    dst,
                    src,
                    size,
                    dst_align,
                    src_align: self.u32()?,
                    flags,
                }
            }
            "atomic_load" => InstKind::AtomicLoad {
                order: need!(words.take(MemoryOrder::from_name)),
                scope: need!(words.take(Scope::from_name)),
                ptr: self.operand(func, defined)?,
            },
            "atomic_store" => InstKind::AtomicStore {
                order: need!(words.take(MemoryOrder::from_name)),
                scope: need!(words.take(Scope::from_name)),
                ptr: self.operand(func, defined)?,
                value: self.comma(func, defined)?,
            },
            "atomic_rmw" => InstKind::AtomicRmw {
                op: need!(words.take(AtomicOp::from_name)),
                order: need!(words.take(MemoryOrder::from_name)),
                scope: need!(words.take(Scope::from_name)),
                ptr: self.operand(func, defined)?,
                value: self.comma(func, defined)?,
            },
            "atomic_cmpxchg" => InstKind::AtomicCmpXchg {
                success: need!(words.take(MemoryOrder::from_name)),
                failure: need!(words.take(MemoryOrder::from_name)),
                scope: need!(words.take(Scope::from_name)),
                ptr: self.operand(func, defined)?,
                expected: self.comma(func, defined)?,
                desired: self.comma(func, defined)?,
            },
            "fence" => InstKind::Fence {
                scope: need!(words.take(Scope::from_name)),
                order: need!(words.take(MemoryOrder::from_name)),
                global: words.flag("global"),
                local: words.flag("local"),
            },
            "barrier" => InstKind::Barrier {
                execution: need!(words.take(Scope::from_name)),
                memory: need!(words.take(Scope::from_name)),
                order: need!(words.take(MemoryOrder::from_name)),
                global: words.flag("global"),
                local: words.flag("local"),
            },
            "read_clock" => InstKind::ReadClock {
                scope: need!(words.take(Scope::from_name)),
            },
            "builtin" => InstKind::BuiltIn {
                which: need!(words.take(BuiltIn::from_name)),
            },
            "builtin_word" => InstKind::BuiltInWord {
                which: need!(words.take(BuiltIn::from_name)),
                high: need!(words.take(|word| match word {
                    "low" => Some(false),
                    "high" => Some(true),
                    _ => None,
                })),
                lane: self.integer(8)? as u8,
            },
            "group" => {
                let scope = need!(words.take(Scope::from_name));
                let op = need!(GroupOp::from_words(words.rest));
                words.rest = &[];
                let args = self.operands(func, defined)?;
                InstKind::Group { op, scope, args }
            }
            "node" => {
                let op = need!(node_op(words.rest));
                words.rest = &[];
                let args = self.operands(func, defined)?;
                InstKind::Node { op, args }
            }
            "matrix" => {
                let op = need!(MatrixOp::from_words(words.rest));
                words.rest = &[];
                let args = self.operands(func, defined)?;
                InstKind::Matrix { op, args }
            }
            "image" => {
                let (image, rest) = need!(ImageType::from_words(words.rest));
                let op = need!(ImageOp::from_words(rest));
                words.rest = &[];
                let args = self.operands(func, defined)?;
                InstKind::Image { op, image, args }
            }
            "handle_arg" => InstKind::HandleArg {
                ordinal: self.u32()?,
            },
            "handle_info" => InstKind::HandleInfo {
                which: need!(words.take(HandleInfo::from_name)),
                ordinal: self.u32()?,
            },
            "load_arg" => InstKind::LoadArg {
                offset: self.u32()?,
            },
            "load_arg_word" => InstKind::LoadArgWord {
                offset: self.u32()?,
                index: self.comma(func, defined)?,
            },
            "local_arg" => InstKind::LocalArg {
                ordinal: self.u32()?,
            },
            "call" => {
                let callee = self.entity("fn")?;
                self.expect('(')?;
                InstKind::Call {
                    func: callee,
                    args: self.call_args(func, defined)?,
                }
            }
            "printf" => {
                let format = self.entity("str")?;
                self.expect('(')?;
                let mut args = SmallVec::new();
                while !self.accept(')') {
                    let string = matches!(self.peek(), Tok::Word(word) if word.starts_with("str"));
                    args.push(if string {
                        PrintfArg::String(self.entity("str")?)
                    } else {
                        PrintfArg::Value(self.operand(func, defined)?)
                    });
                    if !self.accept(',') {
                        self.expect(')')?;
                        break;
                    }
                }
                InstKind::Printf { format, args }
            }
            "jump" => InstKind::Jump {
                dest: self.target(func, defined)?,
            },
            "branch" => {
                let cond = self.operand(func, defined)?;
                self.expect(',')?;
                let then = self.target(func, defined)?;
                self.expect(',')?;
                let other = self.target(func, defined)?;
                InstKind::Branch { cond, then, other }
            }
            "switch" => {
                let value = self.operand(func, defined)?;
                self.expect(',')?;
                let default = self.target(func, defined)?;
                self.expect(',')?;
                self.expect('[')?;
                let mut cases = Vec::new();
                let bits = func.ty(value).scalar.bits();
                while !self.accept(']') {
                    let case = self.integer(bits)?;
                    self.expect(':')?;
                    cases.push((case, self.target(func, defined)?));
                    if !self.accept(',') {
                        self.expect(']')?;
                        break;
                    }
                }
                InstKind::Switch {
                    value,
                    default,
                    cases,
                }
            }
            "return" => InstKind::Return {
                values: self.operands(func, defined)?,
            },
            "unreachable" => InstKind::Unreachable,
            _ => return Ok(None),
        }))
    }
}
