//! Calls of the built-in library's functions, which are declared here and linked by `link_builtins`.

use crate::expand::Expander;
use pumice_ir::{
    AddressSpace, BinaryOp, ConvertOp, FuncId, Function, InstKind, Linkage, Module, Scalar, Type,
    Value,
};
use pumice_target::Target;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::store;

/// Declarations of library functions.
pub(super) struct Library {
    names: FxHashMap<String, FuncId>,
    /// Declared since, to be put behind the module's functions in this order.
    pub fresh: Vec<Function>,
    base: usize,
    /// Functions of doubles are called in a loop over the lanes.
    loops: bool,
}

impl Library {
    pub fn new(module: &Module, target: &Target) -> Self {
        let functions = module.functions.iter();
        Self {
            names: functions
                .filter(|(_, f)| f.is_builtin())
                .map(|(id, f)| (f.name.clone(), id))
                .collect(),
            fresh: Vec::new(),
            base: module.functions.len(),
            loops: target.soft_f64,
        }
    }

    fn declare(&mut self, name: String, params: Vec<Type>, result: Type) -> FuncId {
        if let Some(&id) = self.names.get(&name) {
            return id;
        }
        let id = FuncId::from_u32((self.base + self.fresh.len()) as u32);
        let mut f = Function::new(name.clone(), params, vec![result]);
        f.linkage = Linkage::Import;
        self.fresh.push(f);
        self.names.insert(name, id);
        id
    }
}

/// Calls a library function for each lane. With `pointer`, the function takes one private
/// pointer more, and what it stores there goes to memory at the pointer.
pub(super) fn call_lanes(
    x: &mut Expander<'_>,
    library: &mut Library,
    name: &str,
    args: &[Value],
    ty: Type,
    pointer: Option<(Value, Type)>,
) -> Value {
    let suffix = match ty.scalar {
        Scalar::F64 => "f64",
        Scalar::F16 => "f16",
        _ => "f32",
    };
    let private = Type::ptr(AddressSpace::Private);
    let mut params: Vec<Type> = args.iter().map(|&a| x.ty(a).lane()).collect();
    if pointer.is_some() {
        params.push(private);
    }
    let func = library.declare(format!("__pumice_{name}_{suffix}"), params, ty.lane());
    if library.loops && ty.scalar == Scalar::F64 && ty.is_vector() {
        return call_in_loop(x, func, args, ty, pointer);
    }
    let slot = pointer.map(|(_, stored)| {
        let bytes = stored.scalar.bytes();
        x.slot(bytes, bytes).1
    });
    let mut lanes: SmallVec<[Value; 4]> = SmallVec::new();
    let mut seconds: SmallVec<[Value; 4]> = SmallVec::new();
    for lane in 0..ty.lanes {
        let mut list: SmallVec<[Value; 4]> = SmallVec::new();
        for &arg in args {
            list.push(x.lane(arg, lane));
        }
        list.extend(slot);
        lanes.push(x.value(InstKind::Call { func, args: list }, ty.lane()));
        if let (Some(slot), Some((_, stored))) = (slot, pointer) {
            seconds.push(load(x, slot, stored.lane()));
        }
    }
    if let Some((ptr, _)) = pointer {
        let second = x.build(&seconds);
        store(x, ptr, second);
    }
    x.build(&lanes)
}

/// The same in a loop over the lanes, which lie in private memory. Drivers put a function's body in place of each call:
/// sixteen copies of one that has thousands of instructions are more than some can compile.
fn call_in_loop(
    x: &mut Expander<'_>,
    func: FuncId,
    args: &[Value],
    ty: Type,
    pointer: Option<(Value, Type)>,
) -> Value {
    let operands: SmallVec<[(Value, Type); 4]> = (args.iter())
        .map(|&arg| {
            let array = lanes_in_memory(x, x.ty(arg));
            store(x, array, arg);
            (array, x.ty(arg))
        })
        .collect();
    let results = lanes_in_memory(x, ty);
    let second = pointer.map(|(_, stored)| lanes_in_memory(x, stored));
    let ends = [x.func.i32(0), x.func.i32(i32::from(ty.lanes))];
    let none = x.func.i32(0);
    x.fold_range(ends, none, |x, index, none| {
        let mut list: SmallVec<[Value; 4]> = SmallVec::new();
        for &(array, ty) in &operands {
            let ptr = element(x, array, ty, index);
            list.push(load(x, ptr, ty.lane()));
        }
        if let (Some(array), Some((_, stored))) = (second, pointer) {
            list.push(element(x, array, stored, index));
        }
        let result = x.value(InstKind::Call { func, args: list }, ty.lane());
        let ptr = element(x, results, ty, index);
        store(x, ptr, result);
        none
    });
    if let (Some(array), Some((ptr, stored))) = (second, pointer) {
        let second = load(x, array, stored);
        store(x, ptr, second);
    }
    load(x, results, ty)
}

/// Private memory for the lanes of a vector.
fn lanes_in_memory(x: &mut Expander<'_>, ty: Type) -> Value {
    let bytes = ty.scalar.bytes();
    x.slot(bytes * u32::from(ty.lanes), bytes).1
}

/// The address of a lane.
fn element(x: &mut Expander<'_>, base: Value, ty: Type, index: Value) -> Value {
    let index = x.convert(ConvertOp::ZExt, index, Type::I64);
    let offset = x.bin_const(BinaryOp::IMul, index, u64::from(ty.scalar.bytes()));
    let ty = x.ty(base);
    x.value(InstKind::PtrAdd { base, offset }, ty)
}

fn load(x: &mut Expander<'_>, ptr: Value, ty: Type) -> Value {
    x.load(ptr, ty, ty.scalar.bytes())
}
