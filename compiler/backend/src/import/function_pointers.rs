//! Pointers to functions (SPV_INTEL_function_pointers) as numbers.
//!
//! Takes a Kernel module with pointers to functions: of storage class CodeSectionINTEL, or, in the extension's first
//! revision, of Function. Gives the module in which
//! each function whose address is taken has a number from 1 on, a pointer is a 64-bit integer, and a
//! call through a pointer calls a function that chooses by the number among those with the call's
//! types. The linked module has all functions that a pointer can name, so nothing is left open.

use super::reader::{Inst, ModuleWords, Result, charge};
use rspirv::spirv::{FunctionControl, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Returns the words of the module without pointers to functions; `None` if it has none.
///
/// # Errors
/// A call or constant that lacks operands, or more memory than the budget has.
pub(super) fn resolve(words: &ModuleWords<'_>, insts: &[Inst<'_>]) -> Result<Option<Vec<u32>>> {
    let mentions = |inst: &Inst<'_>| match inst.op {
        Op::ConstantFunctionPointerINTEL | Op::FunctionPointerCallINTEL => true,
        Op::TypePointer => inst.args.first() == Some(&(StorageClass::CodeSectionINTEL as u32)),
        _ => false,
    };
    if !insts.iter().any(mentions) {
        return Ok(None);
    }
    let mut resolver = Resolver::new(words, insts);
    for inst in insts {
        resolver.inst(inst)?;
    }
    resolver.finish().map(Some)
}

/// Types of pointers to functions.
fn pointers(insts: &[Inst<'_>]) -> FxHashSet<u32> {
    let functions = insts.iter().filter(|inst| inst.op == Op::TypeFunction);
    let functions: FxHashSet<u32> = functions.map(|inst| inst.id).collect();
    let to_function = |inst: &&Inst<'_>| {
        let pointee = inst.args.get(1);
        inst.op == Op::TypePointer && pointee.is_some_and(|pointee| functions.contains(pointee))
    };
    insts
        .iter()
        .filter(to_function)
        .map(|inst| inst.id)
        .collect()
}

/// Result type and types of the arguments of a call.
type Types = (u32, Vec<u32>);

struct Resolver<'a> {
    out: Vec<u32>,
    bound: u32,
    /// The 64-bit integer type.
    number: u32,
    is_number_written: bool,
    /// Types of pointers to functions.
    pointers: FxHashSet<u32>,
    /// Values of these types.
    values: FxHashSet<u32>,
    /// Type of each value, a pointer to a function as a number.
    types: FxHashMap<u32, u32>,
    /// Types of each function.
    functions: FxHashMap<u32, Types>,
    /// Numbers of the functions whose address is taken.
    taken: FxHashMap<u32, u32>,
    /// The function that calls by number, for each kind of call.
    callers: FxHashMap<Types, u32>,
    /// The kinds in the order of their first calls.
    calls: Vec<Types>,
    insts: &'a [Inst<'a>],
    /// Place in `out` where function types for the callers go: before the first function.
    types_end: Option<usize>,
}

impl<'a> Resolver<'a> {
    fn new(words: &ModuleWords<'_>, insts: &'a [Inst<'a>]) -> Self {
        let long = |inst: &&Inst<'_>| inst.op == Op::TypeInt && inst.args == [64, 0];
        let known = insts.iter().find(long).map(|inst| inst.id);
        let mut resolver = Self {
            out: words.header().to_vec(),
            bound: words.bound,
            number: 0,
            is_number_written: false,
            pointers: pointers(insts),
            values: FxHashSet::default(),
            types: FxHashMap::default(),
            functions: FxHashMap::default(),
            taken: FxHashMap::default(),
            callers: FxHashMap::default(),
            calls: Vec::new(),
            insts,
            types_end: None,
        };
        resolver.number = known.unwrap_or_else(|| resolver.fresh());
        resolver.read_values();
        resolver
    }

    /// Types of values and functions, which later instructions may define.
    fn read_values(&mut self) {
        let mut current = None;
        for inst in self.insts {
            let ty = self.plain(inst.ty);
            if inst.id != 0 && inst.ty != 0 {
                self.types.insert(inst.id, ty);
            }
            if self.pointers.contains(&inst.ty) {
                self.values.insert(inst.id);
            }
            match inst.op {
                Op::Function => {
                    self.functions.insert(inst.id, (ty, Vec::new()));
                    current = Some(inst.id);
                }
                Op::FunctionParameter => {
                    if let Some((_, params)) = current.and_then(|id| self.functions.get_mut(&id)) {
                        params.push(ty);
                    }
                }
                _ => {}
            }
        }
    }

    fn fresh(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    /// The type with pointers to functions as numbers.
    fn plain(&self, ty: u32) -> u32 {
        match self.pointers.contains(&ty) {
            true => self.number,
            false => ty,
        }
    }

    fn push(&mut self, op: Op, operands: &[u32]) -> Result<()> {
        charge(4 * (operands.len() as u64 + 1))?;
        self.out.push((operands.len() as u32 + 1) << 16 | op as u32);
        self.out.extend_from_slice(operands);
        Ok(())
    }

    fn inst(&mut self, inst: &Inst<'_>) -> Result<()> {
        let is_type = (Op::TypeVoid as u32..=Op::TypePipe as u32).contains(&(inst.op as u32));
        if is_type && !self.is_number_written {
            self.is_number_written = true;
            self.push(Op::TypeInt, &[self.number, 64, 0])?;
        }
        if inst.op == Op::Function && self.types_end.is_none() {
            self.types_end = Some(self.out.len());
        }
        match inst.op {
            Op::TypeInt if inst.id == self.number => Ok(()),
            Op::TypePointer if self.pointers.contains(&inst.id) => Ok(()),
            Op::ConstantFunctionPointerINTEL => {
                let function = inst.arg(0)?;
                let next = self.taken.len() as u32 + 1;
                let number = *self.taken.entry(function).or_insert(next);
                self.push(Op::Constant, &[self.number, inst.id, number, 0])
            }
            Op::FunctionPointerCallINTEL => {
                let pointer = inst.arg(0)?;
                let of = |arg: &u32| self.types.get(arg).copied().unwrap_or(0);
                let types = (
                    self.plain(inst.ty),
                    inst.rest(1).iter().map(of).collect::<Vec<_>>(),
                );
                let caller = self.caller(types);
                let mut operands = vec![self.plain(inst.ty), inst.id, caller, pointer];
                operands.extend_from_slice(inst.rest(1));
                self.push(Op::FunctionCall, &operands)
            }
            _ => self.changed(inst),
        }
    }

    /// An instruction that is left but for its types, and for conversions of pointers.
    fn changed(&mut self, inst: &Inst<'_>) -> Result<()> {
        let is_pointer = |id: u32| self.values.contains(&id);
        let converts = match inst.op {
            Op::ConvertPtrToU | Op::Bitcast if is_pointer(inst.arg(0)?) => true,
            Op::ConvertUToPtr | Op::Bitcast => self.pointers.contains(&inst.ty),
            _ => false,
        };
        let op = match inst.op {
            _ if converts => {
                let from = self.types.get(&inst.arg(0)?);
                match from == Some(&self.plain(inst.ty)) {
                    true => Op::CopyObject,
                    false if inst.op == Op::Bitcast => Op::Bitcast,
                    false => Op::UConvert,
                }
            }
            Op::PtrEqual if is_pointer(inst.arg(0)?) => Op::IEqual,
            Op::PtrNotEqual if is_pointer(inst.arg(0)?) => Op::INotEqual,
            op => op,
        };
        let mut operands = Vec::with_capacity(inst.args.len() + 2);
        if inst.ty != 0 {
            operands.push(self.plain(inst.ty));
        }
        if inst.id != 0 {
            operands.push(inst.id);
        }
        let types_from = match inst.op {
            Op::TypePointer => 1,
            Op::TypeArray | Op::TypeStruct | Op::TypeFunction => 0,
            _ => inst.args.len(),
        };
        operands.extend_from_slice(&inst.args[..types_from.min(inst.args.len())]);
        operands.extend(inst.rest(types_from).iter().map(|&ty| self.plain(ty)));
        self.push(op, &operands)
    }

    fn caller(&mut self, types: Types) -> u32 {
        if let Some(&id) = self.callers.get(&types) {
            return id;
        }
        let id = self.fresh();
        self.callers.insert(types.clone(), id);
        self.calls.push(types);
        id
    }

    /// The module with the functions that call by number behind the others.
    fn finish(mut self) -> Result<Vec<u32>> {
        let mut targets: FxHashMap<Types, Vec<(u32, u32)>> = FxHashMap::default();
        for (function, number) in &self.taken {
            if let Some(types) = self.functions.get(function) {
                let list = targets.entry(types.clone()).or_default();
                list.push((*number, *function));
            }
        }
        let mut types = Vec::new();
        for of in std::mem::take(&mut self.calls) {
            let (id, function) = (self.caller(of.clone()), self.fresh());
            let operands = [&[function, of.0, self.number], &of.1[..]].concat();
            push_to(&mut types, Op::TypeFunction, &operands);
            let mut list = targets.remove(&of).unwrap_or_default();
            list.sort_unstable();
            self.write_caller(&of, id, function, &list)?;
        }
        charge(4 * types.len() as u64)?;
        let at = self.types_end.unwrap_or(self.out.len());
        self.out.splice(at..at, types);
        self.out[3] = self.bound;
        Ok(self.out)
    }

    /// The function `id`, which calls one of `targets` by number.
    fn write_caller(
        &mut self,
        (result, params): &Types,
        id: u32,
        function: u32,
        targets: &[(u32, u32)],
    ) -> Result<()> {
        let control = FunctionControl::INLINE.bits();
        self.push(Op::Function, &[*result, id, control, function])?;
        let number = self.fresh();
        self.push(Op::FunctionParameter, &[self.number, number])?;
        let mut args = Vec::new();
        for &ty in params {
            let arg = self.fresh();
            self.push(Op::FunctionParameter, &[ty, arg])?;
            args.push(arg);
        }
        let (start, other) = (self.fresh(), self.fresh());
        self.push(Op::Label, &[start])?;
        let mut choice = vec![number, other];
        let labels: Vec<u32> = targets.iter().map(|_| self.fresh()).collect();
        for (&(number, _), &label) in targets.iter().zip(&labels) {
            choice.extend([number, 0, label]);
        }
        self.push(Op::Switch, &choice)?;
        let is_void = |inst: &Inst<'_>| inst.op == Op::TypeVoid && inst.id == *result;
        let returns_nothing = self.insts.iter().any(is_void);
        for (&(_, target), &label) in targets.iter().zip(&labels) {
            let value = self.fresh();
            self.push(Op::Label, &[label])?;
            let call = [&[*result, value, target], &args[..]].concat();
            self.push(Op::FunctionCall, &call)?;
            match returns_nothing {
                true => self.push(Op::Return, &[])?,
                false => self.push(Op::ReturnValue, &[value])?,
            }
        }
        // A call through a pointer to no such function has no meaning.
        self.push(Op::Label, &[other])?;
        self.push(Op::Unreachable, &[])?;
        self.push(Op::FunctionEnd, &[])
    }
}

fn push_to(out: &mut Vec<u32>, op: Op, operands: &[u32]) {
    out.push((operands.len() as u32 + 1) << 16 | op as u32);
    out.extend_from_slice(operands);
}
