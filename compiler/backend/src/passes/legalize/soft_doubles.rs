//! Doubles on devices without them: a double is the I64 of its bits, and arithmetic is done by integers.
//!
//! A value keeps its number and becomes an I64. Sums, products, conversions and roundings are calls of the built-in
//! library's functions (`soft_f64.cl`), one a lane, which stay calls: each is 30 to 150 operations on 64 bits.
//! Quotients and roots are calls already, since the target says that the device's are not exact. Negations, comparisons,
//! minima and maxima are made of bits in place.
//!
//! `link_builtins` links the library's functions that [`keep_functions`] declares, before the passes that they need;
//! they stay until this pass has called them. Never: `FRem`, native functions and reductions, which earlier passes lower.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use crate::passes::legalize::double_bits::{
    INFINITY, MAGNITUDE, Order, SIGN, choose, compare, either_nan, is_nan,
};
use crate::passes::legalize::retype::retype;
use cranelift_entity::SecondaryMap;
use pumice_ir::{
    BinaryOp, ConvertOp, FloatCond, FuncId, Function, GroupOp, Inst, InstKind, IntCond, Linkage,
    LowerError, MathOp, Module, Scalar, Scope, Type, UnaryOp, Value,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The library's functions with the scalars of their operands and results.
const FUNCTIONS: &[(&str, &[Scalar], Scalar)] = {
    use Scalar::{F32, F64, I64};
    &[
        (ADD, &[F64, F64], F64),
        (MUL, &[F64, F64], F64),
        (FMA, &[F64, F64, F64], F64),
        (FROM_ULONG, &[I64], F64),
        (FROM_LONG, &[I64], F64),
        (TO_ULONG, &[F64], I64),
        (TO_LONG, &[F64], I64),
        (FROM_FLOAT, &[F32], F64),
        (TO_FLOAT, &[F64], F32),
        (TRUNC, &[F64], F64),
        (FLOOR, &[F64], F64),
        (CEIL, &[F64], F64),
        (RINT, &[F64], F64),
    ]
};

const ADD: &str = "__pumice_soft_add_f64";
const MUL: &str = "__pumice_soft_mul_f64";
const FMA: &str = "__pumice_soft_fma_f64";
const FROM_ULONG: &str = "__pumice_soft_from_ulong_f64";
const FROM_LONG: &str = "__pumice_soft_from_long_f64";
const TO_ULONG: &str = "__pumice_soft_to_ulong_f64";
const TO_LONG: &str = "__pumice_soft_to_long_f64";
const FROM_FLOAT: &str = "__pumice_soft_from_float_f64";
const TO_FLOAT: &str = "__pumice_soft_to_float_f64";
const TRUNC: &str = "__pumice_soft_trunc_f64";
const FLOOR: &str = "__pumice_soft_floor_f64";
const CEIL: &str = "__pumice_soft_ceil_f64";
const RINT: &str = "__pumice_soft_rint_f64";

/// Declares the library's functions that the pass may call, if the module has doubles.
pub fn keep_functions(module: &mut Module) {
    let has_doubles = |func: &Function| func.values().any(|value| is_double(func.ty(value)));
    if !module.functions.values().any(has_doubles) {
        return;
    }
    for &(name, params, result) in FUNCTIONS {
        if let Some(func) = module.functions.values_mut().find(|func| func.name == name) {
            func.kept = true;
            continue;
        }
        let params = params.iter().copied().map(Type::scalar).collect();
        let mut func = Function::new(name, params, vec![Type::scalar(result)]);
        func.linkage = Linkage::Import;
        func.kept = true;
        module.functions.push(func);
    }
}

/// Runs the pass.
///
/// # Errors
/// An operation on doubles that earlier passes should have lowered.
pub fn run(module: &mut Module, _ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let mut library = FxHashMap::default();
    for &(name, ..) in FUNCTIONS {
        let mut all = module.functions.iter();
        if let Some((id, _)) = all.find(|(_, func)| func.name == name) {
            library.insert(name, id);
        }
    }
    let mut changed = Changed::No;
    for func in module.functions.values_mut() {
        func.kept = false;
        changed |= soften(func, &library)?;
    }
    Ok(changed)
}

fn is_double(ty: Type) -> bool {
    ty.scalar == Scalar::F64
}

/// True for an instruction's operands and for its result if they were doubles.
#[derive(Clone, Copy, Debug, Default)]
struct Doubles {
    operand: bool,
    result: bool,
}

type Functions = FxHashMap<&'static str, FuncId>;

fn soften(func: &mut Function, library: &Functions) -> Result<Changed, LowerError> {
    let mut changed = false;
    for ty in func.params.iter_mut().chain(&mut func.results) {
        if is_double(*ty) {
            ty.scalar = Scalar::I64;
            changed = true;
        }
    }
    if func.entry().is_none() {
        return Ok(Changed::from_bool(changed));
    }
    let mut doubles: SecondaryMap<Inst, Doubles> = SecondaryMap::new();
    for &block in &func.layout.blocks {
        for &inst in &func.layout.insts[block] {
            let data = &func.insts[inst];
            let mut operand = false;
            data.kind
                .for_each_value(|value| operand |= is_double(func.ty(value)));
            let mut results = data.results.iter();
            let result = results.any(|&value| is_double(func.ty(value)));
            doubles[inst] = Doubles { operand, result };
        }
    }
    changed |= retype(func, is_double, Scalar::I64, Function::undef);
    let expanded = expand(func, |x, inst| {
        let Some(&result) = x.func.insts[inst].results.first() else {
            return Ok(None);
        };
        let (kind, ty) = (x.func.insts[inst].kind.clone(), x.ty(result));
        let value = Softener { x, library }.rule(&kind, doubles[inst], ty)?;
        Ok(value.map(|value| Replacement::from_slice(&[value])))
    })?;
    Ok(Changed::from_bool(changed || expanded.is_yes()))
}

struct Softener<'a, 'f> {
    x: &'a mut Expander<'f>,
    library: &'a Functions,
}

impl Softener<'_, '_> {
    fn rule(
        &mut self,
        kind: &InstKind,
        doubles: Doubles,
        ty: Type,
    ) -> Result<Option<Value>, LowerError> {
        if !doubles.operand && !doubles.result {
            return Ok(None);
        }
        Ok(Some(match *kind {
            InstKind::Unary {
                op: UnaryOp::FNeg,
                arg,
            } => self.x.bin_const(BinaryOp::Xor, arg, SIGN),
            InstKind::Binary { op, args, .. } => match op {
                BinaryOp::FAdd => self.call(ADD, &args, ty)?,
                BinaryOp::FSub => {
                    let minus = self.x.bin_const(BinaryOp::Xor, args[1], SIGN);
                    self.call(ADD, &[args[0], minus], ty)?
                }
                BinaryOp::FMul => self.call(MUL, &args, ty)?,
                _ => return Err(left("arithmetic")),
            },
            InstKind::FCmp { cond, args, .. } => self.compare(cond, args),
            InstKind::Math { op, ref args, .. } => self.math(op, args, ty)?,
            InstKind::Convert { op, arg, .. } => self.convert(op, arg, doubles, ty)?,
            InstKind::Group {
                op: GroupOp::AllEqual,
                scope,
                ref args,
            } => self.all_equal(scope, args[0], ty),
            InstKind::Group {
                op: GroupOp::Arithmetic(..) | GroupOp::FMul(_) | GroupOp::FAddRelaxed(_),
                ..
            } => return Err(left("a reduction")),
            _ => return Ok(None),
        }))
    }

    /// Calls a function of the library, once a lane.
    fn call(&mut self, name: &'static str, args: &[Value], ty: Type) -> Result<Value, LowerError> {
        let Some(&func) = self.library.get(name) else {
            return Err(LowerError::new(format!("internal: no function '{name}'")));
        };
        let mut lanes: SmallVec<[Value; 4]> = SmallVec::new();
        for lane in 0..ty.lanes {
            let args = args.iter().map(|&arg| self.x.lane(arg, lane)).collect();
            let call = InstKind::Call { func, args };
            lanes.push(self.x.value(call, ty.lane()));
        }
        Ok(self.x.build(&lanes))
    }

    fn compare(&mut self, cond: FloatCond, args: [Value; 2]) -> Value {
        if let Some(order) = Order::of(cond) {
            return compare(self.x, order, args);
        }
        let unordered = either_nan(self.x, args);
        match cond {
            FloatCond::Ord => self.x.un(UnaryOp::Not, unordered),
            _ => unordered,
        }
    }

    fn math(&mut self, op: MathOp, args: &[Value], ty: Type) -> Result<Value, LowerError> {
        match (op, args) {
            (MathOp::FAbs, &[arg]) => Ok(self.x.bin_const(BinaryOp::And, arg, MAGNITUDE)),
            (MathOp::IsNan, &[arg]) => Ok(is_nan(self.x, arg)),
            (MathOp::IsInf, &[arg]) => {
                let magnitude = self.x.bin_const(BinaryOp::And, arg, MAGNITUDE);
                Ok(self.x.icmp_const(IntCond::Eq, magnitude, INFINITY))
            }
            (MathOp::FMin, &[a, b]) => Ok(choose(self.x, [a, b], IntCond::Slt)),
            (MathOp::FMax, &[a, b]) => Ok(choose(self.x, [a, b], IntCond::Sgt)),
            (MathOp::Fma, _) => self.call(FMA, args, ty),
            (MathOp::Trunc, _) => self.call(TRUNC, args, ty),
            (MathOp::Floor, _) => self.call(FLOOR, args, ty),
            (MathOp::Ceil, _) => self.call(CEIL, args, ty),
            (MathOp::RoundEven, _) => self.call(RINT, args, ty),
            _ => Err(left("a function")),
        }
    }

    fn convert(
        &mut self,
        op: ConvertOp,
        arg: Value,
        doubles: Doubles,
        ty: Type,
    ) -> Result<Value, LowerError> {
        let long = ty.with_scalar(Scalar::I64);
        Ok(match op {
            ConvertOp::Bitcast => self.x.convert(op, arg, ty),
            ConvertOp::FToF if doubles.result => self.call(FROM_FLOAT, &[arg], ty)?,
            ConvertOp::FToF => self.call(TO_FLOAT, &[arg], ty)?,
            ConvertOp::FToS | ConvertOp::FToU => {
                let name = if op == ConvertOp::FToS {
                    TO_LONG
                } else {
                    TO_ULONG
                };
                let number = self.call(name, &[arg], long)?;
                self.x.convert(ConvertOp::Trunc, number, ty)
            }
            ConvertOp::SToF => {
                let number = self.x.convert(ConvertOp::SExt, arg, long);
                self.call(FROM_LONG, &[number], ty)?
            }
            ConvertOp::UToF => {
                let number = self.x.convert(ConvertOp::ZExt, arg, long);
                self.call(FROM_ULONG, &[number], ty)?
            }
            _ => return Err(left("a conversion")),
        })
    }

    /// Both zeros are equal, and no NaN is.
    fn all_equal(&mut self, scope: Scope, arg: Value, ty: Type) -> Value {
        let magnitude = self.x.bin_const(BinaryOp::And, arg, MAGNITUDE);
        let is_zero = self.x.icmp_const(IntCond::Eq, magnitude, 0);
        let number = self.x.select(is_zero, magnitude, arg);
        let group = InstKind::Group {
            op: GroupOp::AllEqual,
            scope,
            args: SmallVec::from_slice(&[number]),
        };
        let equal = self.x.value(group, ty);
        let nan = is_nan(self.x, arg);
        let number = self.x.un(UnaryOp::Not, nan);
        self.x.bin(BinaryOp::And, equal, number)
    }
}

fn left(what: &str) -> LowerError {
    LowerError::new(format!("internal: {what} on doubles is left"))
}
