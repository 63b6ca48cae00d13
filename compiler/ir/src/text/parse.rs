//! Reading the text form: tokens, strings, globals, kernels.

use super::super::{
    AddressSpace, ArgAccess, ArgAddress, ArgInfo, Coarse, EnqueueRole, FuncId, GlobalData,
    GlobalId, ImageType, KernelArg, KernelArgKind, KernelInfo, Linkage, Module, NodeInfo,
    Relocation, StringId, Type,
};
use super::ParseError;
use super::lex::{Tok, Token, lex};
use cranelift_entity::EntityRef;
use pumice_target::coarse::Multiples;

/// An image's type in dotted words.
fn image_type(words: &str) -> Option<ImageType> {
    let words: Vec<&str> = words.split('.').collect();
    match ImageType::from_words(&words) {
        Some((image, [])) => Some(image),
        _ => None,
    }
}

/// Numbers above this are refused, so that a short text cannot ask for huge tables.
const MAX_NUMBER: u32 = 4_000_000;

/// Reads a module.
///
/// # Errors
/// The first place where the text is not what the form asks for.
pub fn parse_module(text: &str) -> Result<Module, ParseError> {
    let tokens = lex(text)?;
    let mut parser = Parser { tokens, pos: 0 };
    let mut module = Module::default();
    loop {
        parser.skip_newlines();
        let word = match parser.peek() {
            Tok::End => return Ok(module),
            Tok::Word(word) => word.clone(),
            _ => return Err(parser.error("expected a module item")),
        };
        match word.as_str() {
            "string" => parser.string(&mut module)?,
            "global" => parser.global(&mut module)?,
            "payload" => parser.payload(&mut module)?,
            "kernel" => parser.kernel(&mut module)?,
            "func" | "declare" => parser.function(&mut module)?,
            _ => {
                return Err(
                    parser.error("expected string, global, payload, kernel, func or declare")
                );
            }
        }
    }
}

pub(super) type Result1<T> = Result<T, ParseError>;

pub(super) struct Parser {
    tokens: Vec<Token>,
    pub(super) pos: usize,
}

impl Parser {
    pub(super) fn peek(&self) -> &Tok {
        &self.tokens[self.pos].tok
    }

    pub(super) fn next(&mut self) -> Tok {
        let tok = self.tokens[self.pos].tok.clone();
        if self.pos + 1 < self.tokens.len() {
            self.pos += 1;
        }
        tok
    }

    pub(super) fn error(&self, message: impl Into<String>) -> ParseError {
        let token = &self.tokens[self.pos];
        ParseError {
            line: token.line,
            column: token.column,
            message: message.into(),
        }
    }

    pub(super) fn skip_newlines(&mut self) {
        while *self.peek() == Tok::Newline {
            self.pos += 1;
        }
    }

    pub(super) fn skip_line(&mut self) {
        while !matches!(self.peek(), Tok::Newline | Tok::End) {
            self.pos += 1;
        }
    }

    pub(super) fn accept(&mut self, punct: char) -> bool {
        let found = *self.peek() == Tok::Punct(punct);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn expect(&mut self, punct: char) -> Result1<()> {
        if self.accept(punct) {
            return Ok(());
        }
        Err(self.error(format!("expected `{punct}`")))
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Tok::Word(w) if w == word);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result1<()> {
        if self.accept_word(word) {
            return Ok(());
        }
        Err(self.error(format!("expected `{word}`")))
    }

    pub(super) fn word(&mut self, what: &str) -> Result1<String> {
        match self.peek() {
            Tok::Word(word) => {
                let word = word.clone();
                self.next();
                Ok(word)
            }
            _ => Err(self.error(format!("expected {what}"))),
        }
    }

    pub(super) fn named<T>(&mut self, what: &str, find: impl Fn(&str) -> Option<T>) -> Result1<T> {
        if let Tok::Word(word) = self.peek() {
            if let Some(found) = find(word) {
                self.next();
                return Ok(found);
            }
        }
        Err(self.error(format!("expected {what}")))
    }

    pub(super) fn end_of_line(&mut self) -> Result1<()> {
        match self.peek() {
            Tok::Newline | Tok::End => {
                self.next();
                Ok(())
            }
            _ => Err(self.error("expected the end of the line")),
        }
    }

    fn bytes(&mut self) -> Result1<Vec<u8>> {
        match self.peek() {
            Tok::Str(bytes) => {
                let bytes = bytes.clone();
                self.next();
                Ok(bytes)
            }
            _ => Err(self.error("expected a string")),
        }
    }

    pub(super) fn text(&mut self) -> Result1<String> {
        let place = self.error("the string is not UTF-8");
        String::from_utf8(self.bytes()?).map_err(|_| place)
    }

    /// A plain integer with `bits` bits, decimal or hexadecimal, negative allowed.
    pub(super) fn integer(&mut self, bits: u32) -> Result1<u64> {
        let Tok::Number(number) = self.peek() else {
            return Err(self.error("expected an integer"));
        };
        let value = parse_int(number, bits)
            .ok_or_else(|| self.error(format!("`{number}` is no {bits}-bit integer")))?;
        self.next();
        Ok(value)
    }

    pub(super) fn u32(&mut self) -> Result1<u32> {
        self.integer(32).map(|v| v as u32)
    }

    /// A numbered entity such as `block3`.
    pub(super) fn entity<T: EntityRef>(&mut self, prefix: &str) -> Result1<T> {
        if let Tok::Word(word) = self.peek() {
            if let Some(number) = entity_number(word, prefix) {
                self.next();
                return Ok(T::new(number as usize));
            }
        }
        Err(self.error(format!("expected {prefix}<number>")))
    }

    /// A module-level entity that must come next in its list.
    pub(super) fn next_entity<T: EntityRef>(
        &mut self,
        prefix: &str,
        expected: usize,
    ) -> Result1<T> {
        let place = self.error(format!(
            "expected {prefix}{expected}: numbers are consecutive"
        ));
        let found: T = self.entity(prefix)?;
        if found.index() != expected {
            return Err(place);
        }
        Ok(found)
    }

    pub(super) fn ty(&mut self) -> Result1<Type> {
        self.named("a type", Type::from_name)
    }

    fn string(&mut self, module: &mut Module) -> Result1<()> {
        self.next();
        let _: StringId = self.next_entity("str", module.strings.len())?;
        self.expect('=')?;
        let bytes = self.bytes()?;
        module.strings.push(bytes);
        self.end_of_line()
    }

    pub(super) fn size_align(&mut self) -> Result1<(u32, u32)> {
        self.expect_word("size")?;
        let size = self.u32()?;
        self.expect_word("align")?;
        Ok((size, self.u32()?))
    }

    fn global(&mut self, module: &mut Module) -> Result1<()> {
        self.next();
        let _: GlobalId = self.next_entity("global", module.globals.len())?;
        let name = self.text()?;
        let space = self.named("an address space", AddressSpace::from_name)?;
        self.expect_word("size")?;
        let size = self.integer(64)?;
        self.expect_word("align")?;
        let align = self.u32()?;
        let linkage = self.named("a linkage", Linkage::from_name)?;
        let init = if self.accept_word("init") {
            self.bytes()?
        } else {
            Vec::new()
        };
        let mut relocations = Vec::new();
        if self.accept_word("reloc") {
            self.expect('[')?;
            while !self.accept(']') {
                let offset = self.integer(64)?;
                self.expect(':')?;
                let target = self.entity("global")?;
                self.expect('+')?;
                let addend = self.integer(64)? as i64;
                relocations.push(Relocation {
                    offset,
                    target,
                    addend,
                });
                if !self.accept(',') {
                    self.expect(']')?;
                    break;
                }
            }
        }
        module.globals.push(GlobalData {
            name,
            space,
            size,
            align,
            init,
            relocations,
            linkage,
        });
        self.end_of_line()
    }

    pub(super) fn triple(&mut self) -> Result1<[u32; 3]> {
        self.expect('(')?;
        let x = self.u32()?;
        self.expect(',')?;
        let y = self.u32()?;
        self.expect(',')?;
        let z = self.u32()?;
        self.expect(')')?;
        Ok([x, y, z])
    }

    fn kernel(&mut self, module: &mut Module) -> Result1<()> {
        self.next();
        let name = self.text()?;
        let func: FuncId = self.entity("fn")?;
        let mut kernel = KernelInfo::new(name, func);
        let mut node = NodeInfo::default();
        loop {
            if self.node_attribute(&mut node)? {
                continue;
            }
            if self.accept_word("reqd") {
                kernel.required_work_group_size = Some(self.triple()?);
            } else if self.accept_word("hint") {
                kernel.work_group_size_hint = Some(self.triple()?);
            } else if self.accept_word("subgroup") {
                self.expect('(')?;
                kernel.required_sub_group_size = Some(self.u32()?);
                self.expect(')')?;
            } else if self.accept_word("made_subgroups") {
                kernel.made_sub_groups = true;
            } else if self.accept_word("subgroups") {
                self.expect('(')?;
                kernel.required_sub_groups = Some(self.u32()?);
                self.expect(')')?;
            } else if self.accept_word("whole_subgroups") {
                kernel.whole_sub_groups = true;
            } else if self.accept_word("private") {
                self.expect('(')?;
                kernel.private_bytes = self.u32()?;
                self.expect(')')?;
            } else if self.accept_word("local_in_buffer") {
                kernel.local_in_buffer = true;
            } else if self.accept_word("checked") {
                kernel.checked = true;
            } else if self.accept_word("no_waits") {
                kernel.no_waits = true;
            } else if self.accept_word("coarse") {
                self.expect('(')?;
                let of = self.u32()?;
                self.expect(',')?;
                let items = self.u32()?;
                let has_multiples = self.accept(',');
                let of_four = if has_multiples { self.u32()? } else { 0 };
                let is_spaced = self.accept_word("every");
                let spacing = if is_spaced { self.u32()? } else { 1 };
                let has_spans = self.accept_word("spans");
                let of_span = if has_spans { self.u32()? } else { 0 };
                let disjoint = self.accept_word("disjoint");
                self.expect(')')?;
                kernel.coarse = Some(Coarse {
                    of,
                    items,
                    spacing,
                    multiples: Multiples { of_four, of_span },
                    disjoint,
                });
            } else if self.accept_word("enqueues") {
                kernel.enqueue = Some(EnqueueRole::Parent);
            } else if self.accept_word("scheduler") {
                let times = self.accept_word("times");
                kernel.enqueue = Some(EnqueueRole::Scheduler { times });
            } else if self.accept_word("block") {
                self.expect('(')?;
                let number = self.u32()?;
                self.expect(',')?;
                let captured = self.u32()?;
                self.expect(')')?;
                kernel.enqueue = Some(EnqueueRole::Block { number, captured });
            } else if self.accept_word("scheduler_node") {
                kernel.enqueue = Some(EnqueueRole::SchedulerNode);
            } else if self.accept_word("block_node") {
                self.expect('(')?;
                let number = self.u32()?;
                self.expect(')')?;
                kernel.enqueue = Some(EnqueueRole::BlockNode { number });
            } else if self.accept_word("queue") {
                self.expect('(')?;
                kernel.queues.push(self.u32()?);
                self.expect(')')?;
            } else if self.accept_word("followed") {
                self.expect('(')?;
                kernel.followed.push(self.u32()?);
                self.expect(')')?;
            } else if self.accept_word("initializer") {
                kernel.initializer = true;
            } else if self.accept_word("finalizer") {
                kernel.finalizer = true;
            } else if self.accept_word("attributes") {
                kernel.attributes = self.text()?;
            } else {
                break;
            }
        }
        kernel.node = (node != NodeInfo::default()).then(|| Box::new(node));
        self.expect('{')?;
        loop {
            self.skip_newlines();
            if self.accept('}') {
                break;
            }
            let kind = match self.word("value, byval, pointer, local or `}`")?.as_str() {
                "value" => KernelArgKind::Value(self.ty()?),
                "byval" => {
                    let (size, align) = self.size_align()?;
                    KernelArgKind::ByVal { size, align }
                }
                "pointer" => {
                    KernelArgKind::Pointer(self.named("an address space", AddressSpace::from_name)?)
                }
                "local" => {
                    self.expect_word("align")?;
                    KernelArgKind::Local { align: self.u32()? }
                }
                "sampler" => KernelArgKind::Sampler,
                word => match word.strip_prefix("image.").and_then(image_type) {
                    Some(image) => KernelArgKind::Image(image),
                    None => {
                        let kinds = "expected value, byval, pointer, local, image or sampler";
                        return Err(self.error(kinds));
                    }
                },
            };
            let info = if self.accept_word("info") {
                Some(self.arg_info()?)
            } else {
                None
            };
            kernel.args.push(KernelArg {
                kind,
                info,
                pointee: None,
            });
            self.end_of_line()?;
        }
        module.kernels.push(kernel);
        self.end_of_line()
    }

    fn arg_info(&mut self) -> Result1<ArgInfo> {
        let mut info = ArgInfo::default();
        self.expect('(')?;
        while !self.accept(')') {
            match self.word("name, type, address, access or quals")?.as_str() {
                "name" => info.name = self.text()?,
                "type" => info.type_name = self.text()?,
                "address" => {
                    info.address = Some(self.named("an address", ArgAddress::from_name)?);
                }
                "access" => info.access = Some(self.named("an access", ArgAccess::from_name)?),
                "quals" => info.type_qualifier = Some(self.u32()?),
                _ => return Err(self.error("unknown argument information")),
            }
            if !self.accept(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(info)
    }

    pub(super) fn type_list(&mut self) -> Result1<Vec<Type>> {
        self.expect('(')?;
        let mut list = Vec::new();
        while !self.accept(')') {
            list.push(self.ty()?);
            if !self.accept(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(list)
    }
}

pub(super) fn entity_number(word: &str, prefix: &str) -> Option<u32> {
    let digits = word.strip_prefix(prefix)?;
    if digits.is_empty() || (digits.len() > 1 && digits.starts_with('0')) {
        return None;
    }
    digits.parse().ok().filter(|&n| n <= MAX_NUMBER)
}

fn parse_int(text: &str, bits: u32) -> Option<u64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let magnitude = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => digits.parse::<u64>().ok()?,
    };
    let mask = u64::MAX >> (64 - bits);
    if negative {
        (magnitude <= 1 << (bits - 1)).then(|| magnitude.wrapping_neg() & mask)
    } else {
        (magnitude <= mask).then_some(magnitude)
    }
}
