//! Writes the functions of checks block by block.

use super::code::{changed_word, shared_word};
use pumice_check::layout;
use pumice_ir::{
    AccessFlags, AtomicOp, BinaryOp, Block, BlockCall, BuiltIn, ConvertOp, FloatFlags, FuncId,
    Function, InstKind, IntCond, MemoryOrder, Scope, SourceLoc, Type, Value,
};

/// A function that is being written.
pub(crate) struct Writer {
    /// The function.
    pub func: Function,
    /// The block that gets the next instruction.
    pub block: Block,
}

impl Writer {
    /// A function that stays a call, with the values of its parameters.
    pub fn new(name: &str, params: &[Type], results: &[Type]) -> (Self, Vec<Value>) {
        let mut func = Function::new(name, params.to_vec(), results.to_vec());
        func.no_inline = true;
        let block = func.append_block();
        let values = params.iter().map(|&ty| func.append_param(block, ty));
        let values = values.collect();
        (Self { func, block }, values)
    }

    pub fn value(&mut self, kind: InstKind, ty: Type) -> Value {
        let loc = SourceLoc::default();
        self.func.append_value(self.block, kind, ty, loc)
    }

    pub fn effect(&mut self, kind: InstKind) {
        let loc = SourceLoc::default();
        self.func.append(self.block, kind, &[], loc);
    }

    pub fn bin(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a);
        let flags = FloatFlags::empty();
        self.value(
            InstKind::Binary {
                op,
                args: [a, b],
                flags,
            },
            ty,
        )
    }

    pub fn bin_const(&mut self, op: BinaryOp, a: Value, b: u64) -> Value {
        let b = self.func.splat_constant(self.func.ty(a), b);
        self.bin(op, a, b)
    }

    pub fn icmp(&mut self, cond: IntCond, a: Value, b: Value) -> Value {
        self.value(InstKind::ICmp { cond, args: [a, b] }, Type::BOOL)
    }

    pub fn convert(&mut self, op: ConvertOp, arg: Value, ty: Type) -> Value {
        let rounding = None;
        self.value(InstKind::Convert { op, arg, rounding }, ty)
    }

    pub fn add(&mut self, base: Value, offset: Value) -> Value {
        let ty = self.func.ty(base);
        self.value(InstKind::PtrAdd { base, offset }, ty)
    }

    pub fn add_const(&mut self, base: Value, offset: u64) -> Value {
        let offset = self.func.i64(offset as i64);
        self.add(base, offset)
    }

    pub fn load(&mut self, base: Value, offset: u64, ty: Type) -> Value {
        let ptr = self.add_const(base, offset);
        let (align, flags) = (ty.access_bytes(), AccessFlags::empty());
        self.value(InstKind::Load { ptr, align, flags }, ty)
    }

    pub fn store(&mut self, base: Value, offset: u64, value: Value) {
        let ptr = self.add_const(base, offset);
        let (align, flags) = (self.func.ty(value).access_bytes(), AccessFlags::empty());
        self.effect(InstKind::Store {
            ptr,
            value,
            align,
            flags,
        });
    }

    /// Adds 1 to a counter; gives what it was.
    pub fn count(&mut self, ptr: Value) -> Value {
        let value = self.func.i32(1);
        self.read_and_change(AtomicOp::Add, ptr, value)
    }

    /// Changes a word that other work-items may change at the time; gives what it was.
    fn read_and_change(&mut self, op: AtomicOp, ptr: Value, value: Value) -> Value {
        self.value(changed_word(op, ptr, value, Scope::Device), Type::I32)
    }

    /// The word at an address as another work-item may have changed it.
    pub fn atomic_load(&mut self, ptr: Value) -> Value {
        self.value(shared_word(ptr, Scope::Device), Type::I32)
    }

    /// Writes a word that other work-items may read at the time.
    pub fn atomic_store(&mut self, base: Value, offset: u64, value: Value) {
        let ptr = self.add_const(base, offset);
        let (order, scope) = (MemoryOrder::Relaxed, Scope::Device);
        self.effect(InstKind::AtomicStore {
            ptr,
            value,
            order,
            scope,
        });
    }

    /// Puts a word at an address, and gives the one before.
    pub fn exchange(&mut self, ptr: Value, value: Value) -> Value {
        self.read_and_change(AtomicOp::Xchg, ptr, value)
    }

    /// The result of a function.
    pub fn call(&mut self, func: FuncId, args: &[Value], ty: Type) -> Value {
        let args = args.iter().copied().collect();
        self.value(InstKind::Call { func, args }, ty)
    }

    /// `cond ? then : other`.
    pub fn select(&mut self, cond: Value, then: Value, other: Value) -> Value {
        let ty = self.func.ty(then);
        self.value(InstKind::Select { cond, then, other }, ty)
    }

    /// The slices that the launch has; 0 once one of its work-items needed more.
    pub fn load_slices(&mut self, memory: Value) -> Value {
        let ptr = self.add_const(memory, layout::SLICES_AT);
        self.atomic_load(ptr)
    }

    pub fn built_in(&mut self, which: BuiltIn) -> [Value; 3] {
        let vector = self.value(InstKind::BuiltIn { which }, which.ty());
        [0, 1, 2].map(|lane| self.value(InstKind::Extract { vector, lane }, Type::I64))
    }

    pub fn jump(&mut self, block: Block, args: &[Value]) {
        let dest = BlockCall::new(block, args);
        self.effect(InstKind::Jump { dest });
    }

    /// Ends the block; goes on in `then`.
    pub fn branch(&mut self, cond: Value, then: Block, other: BlockCall) {
        let then_call = BlockCall::new(then, &[]);
        self.effect(InstKind::Branch {
            cond,
            then: then_call,
            other,
        });
        self.block = then;
    }

    pub fn give(&mut self, values: &[Value]) {
        let values = values.iter().copied().collect();
        self.effect(InstKind::Return { values });
    }
}
