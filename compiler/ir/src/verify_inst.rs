//! The verifier's rules for the types of each instruction.

use super::verify::{Context, check_align, in_part, long};
use super::{
    AddressSpace, AtomicOp, ConvertOp, GroupOp, ImageOp, ImageType, Inst, InstKind, IntCond,
    MathOp, PrintfArg, Scalar, Scope, Type, UnaryOp, Value,
};

pub(super) fn ensure(condition: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(message()) }
}

pub(super) fn same(what: &str, found: Type, expected: Type) -> Result<(), String> {
    ensure(found == expected, || {
        format!("{what} is {found}, expected {expected}")
    })
}

fn int(what: &str, ty: Type) -> Result<(), String> {
    ensure(ty.scalar.is_int(), || format!("{what} is {ty}, no integer"))
}

fn float(what: &str, ty: Type) -> Result<(), String> {
    ensure(ty.scalar.is_float(), || format!("{what} is {ty}, no float"))
}

fn scalar(what: &str, ty: Type) -> Result<(), String> {
    ensure(!ty.is_vector(), || format!("{what} is {ty}, no scalar"))
}

fn vector(what: &str, ty: Type) -> Result<(), String> {
    ensure(ty.is_vector(), || format!("{what} is {ty}, no vector"))
}

fn in_memory(ty: Type) -> Result<(), String> {
    ensure(ty.scalar != Scalar::Bool, || {
        "bool is never in memory".to_string()
    })
}

pub(super) fn count(found: usize, expected: usize) -> Result<(), String> {
    ensure(found == expected, || {
        format!("{found} operands, expected {expected}")
    })
}

impl Context<'_> {
    pub(super) fn ty(&self, value: Value) -> Type {
        self.func.ty(value)
    }

    pub(super) fn ptr(&self, what: &str, value: Value) -> Result<AddressSpace, String> {
        let ty = self.ty(value);
        match ty.address_space() {
            Some(space) if !ty.is_vector() => Ok(space),
            _ => Err(format!("{what} is {ty}, no pointer")),
        }
    }

    /// The type of the one result.
    pub(super) fn result(&self, inst: Inst) -> Result<Type, String> {
        match self.func.insts[inst].results[..] {
            [result] => Ok(self.ty(result)),
            ref results => Err(format!("{} results, expected 1", results.len())),
        }
    }

    /// Operand and result types.
    pub(super) fn check_types(&self, inst: Inst) -> Result<(), String> {
        let data = &self.func.insts[inst];
        let no_result = || {
            let count = data.results.len();
            ensure(count == 0, || format!("{count} results, expected none"))
        };
        match &data.kind {
            &InstKind::Unary { op, arg } => {
                let ty = self.ty(arg);
                same("the result", self.result(inst)?, ty)?;
                match op {
                    _ if op.takes(ty.scalar) => Ok(()),
                    UnaryOp::FNeg => float("the operand", ty),
                    UnaryOp::INeg | UnaryOp::Not => int("the operand", ty),
                }
            }
            InstKind::Binary { op, args, .. } => {
                let ty = self.ty(args[0]);
                same("the second operand", self.ty(args[1]), ty)?;
                same("the result", self.result(inst)?, ty)?;
                match op {
                    _ if op.takes(ty.scalar) => Ok(()),
                    _ if op.is_float() => float("the operand", ty),
                    _ => int("the operand", ty),
                }
            }
            InstKind::ICmp { cond, args } => {
                let ty = self.ty(args[0]);
                same("the second operand", self.ty(args[1]), ty)?;
                same("the result", self.result(inst)?, ty.as_bool())?;
                let equality = matches!(cond, IntCond::Eq | IntCond::Ne);
                let fits = ty.scalar.is_int()
                    || ty.scalar.is_ptr()
                    || (equality && ty.scalar == Scalar::Bool);
                ensure(fits, || format!("compares {ty}"))
            }
            InstKind::FCmp { args, .. } => {
                let ty = self.ty(args[0]);
                float("the operand", ty)?;
                same("the second operand", self.ty(args[1]), ty)?;
                same("the result", self.result(inst)?, ty.as_bool())
            }
            &InstKind::Select { cond, then, other } => {
                let ty = self.result(inst)?;
                same("the second operand", self.ty(then), ty)?;
                same("the third operand", self.ty(other), ty)?;
                let cond = self.ty(cond);
                ensure(cond == Type::BOOL || cond == ty.as_bool(), || {
                    format!("the condition is {cond}")
                })
            }
            &InstKind::Convert { op, arg, .. } => {
                check_convert(op, self.ty(arg), self.result(inst)?)
            }
            InstKind::Math { op, args, .. } => self.check_math(*op, args, inst),
            InstKind::Build { lanes } => {
                let ty = self.result(inst)?;
                count(lanes.len(), usize::from(ty.lanes))?;
                vector("the result", ty)?;
                for &lane in lanes {
                    same("a lane", self.ty(lane), ty.lane())?;
                }
                Ok(())
            }
            &InstKind::Splat { arg } => {
                let ty = self.result(inst)?;
                vector("the result", ty)?;
                same("the operand", self.ty(arg), ty.lane())
            }
            &InstKind::Extract { vector, lane } => {
                let ty = self.ty(vector);
                same("the result", self.result(inst)?, ty.lane())?;
                ensure(lane < ty.lanes, || format!("no lane {lane} in {ty}"))
            }
            &InstKind::Insert {
                vector,
                scalar,
                lane,
            } => {
                let ty = self.ty(vector);
                same("the result", self.result(inst)?, ty)?;
                same("the scalar", self.ty(scalar), ty.lane())?;
                ensure(lane < ty.lanes, || format!("no lane {lane} in {ty}"))
            }
            &InstKind::ExtractDyn { vector, index } => {
                same("the result", self.result(inst)?, self.ty(vector).lane())?;
                self.check_index(index)
            }
            &InstKind::InsertDyn {
                vector,
                scalar,
                index,
            } => {
                let ty = self.ty(vector);
                same("the result", self.result(inst)?, ty)?;
                same("the scalar", self.ty(scalar), ty.lane())?;
                self.check_index(index)
            }
            InstKind::Shuffle { args, mask } => {
                let (first, second) = (self.ty(args[0]), self.ty(args[1]));
                let ty = self.result(inst)?;
                same("the second operand's lane", second.lane(), first.lane())?;
                same("the result's lane", ty.lane(), first.lane())?;
                count(mask.len(), usize::from(ty.lanes))?;
                let lanes = first.lanes + second.lanes;
                ensure(mask.iter().flatten().all(|&lane| lane < lanes), || {
                    format!("a mask lane above {}", lanes - 1)
                })
            }
            InstKind::StackAddr { slot } => {
                ensure(self.func.slots.is_valid(*slot), || {
                    format!("{slot} does not exist")
                })?;
                same(
                    "the result",
                    self.result(inst)?,
                    Type::ptr(AddressSpace::Private),
                )
            }
            InstKind::GlobalAddr { global } => {
                let Some(data) = self.module.globals.get(*global) else {
                    return Err(format!("{global} does not exist"));
                };
                same("the result", self.result(inst)?, Type::ptr(data.space))
            }
            &InstKind::PtrAdd { base, offset } => {
                self.ptr("the base", base)?;
                same("the offset", long(self.ty(offset)), Type::I64)?;
                same("the result", self.result(inst)?, self.ty(base))
            }
            &InstKind::Load { ptr, align, flags } => {
                self.ptr("the address", ptr)?;
                check_align(align)?;
                in_memory(in_part(flags, self.result(inst)?))
            }
            &InstKind::Store {
                ptr,
                value,
                align,
                flags,
            } => {
                no_result()?;
                self.ptr("the address", ptr)?;
                check_align(align)?;
                in_memory(in_part(flags, self.ty(value)))
            }
            &InstKind::MemCopy {
                dst,
                src,
                size,
                dst_align,
                src_align,
                ..
            } => {
                no_result()?;
                self.ptr("the destination", dst)?;
                self.ptr("the source", src)?;
                check_align(dst_align)?;
                check_align(src_align)?;
                same("the size", self.ty(size), Type::I64)
            }
            &InstKind::AtomicLoad { ptr, .. } => {
                self.ptr("the address", ptr)?;
                check_atomic(self.result(inst)?)
            }
            &InstKind::AtomicStore { ptr, value, .. } => {
                no_result()?;
                self.ptr("the address", ptr)?;
                check_atomic(self.ty(value))
            }
            &InstKind::AtomicRmw { op, ptr, value, .. } => {
                self.ptr("the address", ptr)?;
                let ty = self.ty(value);
                check_atomic(ty)?;
                same("the result", self.result(inst)?, ty)?;
                match op {
                    AtomicOp::Xchg => Ok(()),
                    AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax => float("the value", ty),
                    _ => int("the value", ty),
                }
            }
            &InstKind::AtomicCmpXchg {
                ptr,
                expected,
                desired,
                ..
            } => {
                self.ptr("the address", ptr)?;
                let ty = self.ty(expected);
                check_atomic(ty)?;
                same("the desired value", self.ty(desired), ty)?;
                same("the result", self.result(inst)?, ty)
            }
            InstKind::Fence { .. } => no_result(),
            InstKind::Barrier { execution, .. } => {
                no_result()?;
                ensure(
                    matches!(execution, Scope::Subgroup | Scope::Workgroup),
                    || format!("execution scope {}", execution.name()),
                )
            }
            InstKind::ReadClock { scope } => {
                ensure(matches!(scope, Scope::Subgroup | Scope::Device), || {
                    format!("scope {}", scope.name())
                })?;
                same("the result", long(self.result(inst)?), Type::I64)
            }
            InstKind::BuiltIn { which } => same("the result", self.result(inst)?, which.ty()),
            InstKind::BuiltInWord { which, lane, .. } => {
                let fits = which.ty().scalar == Scalar::I64 && *lane < which.ty().lanes;
                ensure(fits, || format!("{} has no such word", which.name()))?;
                same("the result", self.result(inst)?, Type::I32)
            }
            InstKind::Group { op, scope, args } => {
                ensure(matches!(scope, Scope::Subgroup | Scope::Workgroup), || {
                    format!("scope {}", scope.name())
                })?;
                self.check_group(*op, args, inst)
            }
            InstKind::Matrix { op, args } => self.check_matrix(*op, args, inst),
            InstKind::Node { op, args } => self.check_node(*op, args, inst),
            InstKind::Image { op, image, args } => self.check_image(*op, *image, args, inst),
            InstKind::HandleArg { .. } | InstKind::HandleInfo { .. } => {
                same("the result", self.result(inst)?, Type::I32)
            }
            InstKind::LoadArg { .. } => in_memory(self.result(inst)?),
            InstKind::LoadArgWord { index, .. } => {
                same("the index", self.ty(*index), Type::I32)?;
                same("the result", self.result(inst)?, Type::I32)
            }
            InstKind::LocalArg { .. } => same(
                "the result",
                self.result(inst)?,
                Type::ptr(AddressSpace::Local),
            ),
            InstKind::Call { func, args } => {
                let Some(callee) = self.module.functions.get(*func) else {
                    return Err(format!("{func} does not exist"));
                };
                let given: Vec<Type> = args.iter().map(|&arg| self.ty(arg)).collect();
                ensure(given == callee.params, || {
                    format!("the arguments do not fit {func} {:?}", callee.name)
                })?;
                let results: Vec<Type> = data.results.iter().map(|&r| self.ty(r)).collect();
                ensure(results == callee.results, || {
                    format!("the results do not fit {func} {:?}", callee.name)
                })
            }
            InstKind::Printf { format, args } => {
                same("the result", self.result(inst)?, Type::I32)?;
                let strings = args.iter().filter_map(|arg| match arg {
                    PrintfArg::String(id) => Some(id),
                    PrintfArg::Value(_) => None,
                });
                for id in strings.chain([format]) {
                    ensure(self.module.strings.is_valid(*id), || {
                        format!("{id} does not exist")
                    })?;
                }
                Ok(())
            }
            InstKind::Jump { dest } => {
                no_result()?;
                self.check_call(dest)
            }
            InstKind::Branch { cond, then, other } => {
                no_result()?;
                same("the condition", self.ty(*cond), Type::BOOL)?;
                self.check_call(then)?;
                self.check_call(other)
            }
            InstKind::Switch {
                value,
                default,
                cases,
            } => {
                no_result()?;
                let ty = self.ty(*value);
                int("the selector", ty)?;
                scalar("the selector", ty)?;
                self.check_call(default)?;
                let mut seen = rustc_hash::FxHashSet::default();
                for (case, call) in cases {
                    self.check_call(call)?;
                    let width = ty.scalar.bits();
                    ensure(width == 64 || case >> width == 0, || {
                        format!("case {case} does not fit {ty}")
                    })?;
                    ensure(seen.insert(*case), || format!("case {case} twice"))?;
                }
                Ok(())
            }
            InstKind::Return { values } => {
                no_result()?;
                let types: Vec<Type> = values.iter().map(|&v| self.ty(v)).collect();
                ensure(types == self.func.results, || {
                    "the values do not fit the function's results".to_string()
                })
            }
            InstKind::Unreachable => no_result(),
        }
    }

    fn check_index(&self, index: Value) -> Result<(), String> {
        let ty = self.ty(index);
        int("the index", ty)?;
        scalar("the index", ty)
    }

    fn check_math(&self, op: MathOp, args: &[Value], inst: Inst) -> Result<(), String> {
        let arity = match op {
            // OpenCL.std has its own rules, which the importer checks.
            MathOp::Ocl(_) => return Ok(()),
            MathOp::Fma => 3,
            MathOp::FMin | MathOp::FMax => 2,
            _ => 1,
        };
        count(args.len(), arity)?;
        let ty = self.ty(args[0]);
        for &arg in args {
            same("an operand", self.ty(arg), ty)?;
        }
        let result = self.result(inst)?;
        match op {
            MathOp::IsNan | MathOp::IsInf => {
                float("the operand", ty)?;
                same("the result", result, ty.as_bool())
            }
            MathOp::PopCount | MathOp::Clz | MathOp::Ctz | MathOp::BitReverse => {
                int("the operand", ty)?;
                same("the result", result, ty)
            }
            _ => {
                float("the operand", ty)?;
                same("the result", result, ty)
            }
        }
    }

    fn check_image(
        &self,
        op: ImageOp,
        image: ImageType,
        args: &[Value],
        inst: Inst,
    ) -> Result<(), String> {
        ensure(op.fits(image), || {
            format!("{} has no {}", image.display(), op.words().join("."))
        })?;
        let expected = op.operands(image);
        count(args.len(), expected.len())?;
        for (i, (&arg, ty)) in args.iter().zip(expected).enumerate() {
            let integers = ty.with_scalar(Scalar::I32);
            let either = matches!(op, ImageOp::Sample { .. }) && i == 2;
            if !either || self.ty(arg) != integers {
                same("an operand", self.ty(arg), ty)?;
            }
        }
        let results = &self.func.insts[inst].results;
        match op.result(image) {
            Some(ty) => same("the result", self.result(inst)?, ty),
            None => ensure(results.is_empty(), || format!("{} results", results.len())),
        }
    }

    fn check_group(&self, op: GroupOp, args: &[Value], inst: Inst) -> Result<(), String> {
        let result = self.result(inst)?;
        let mask = Type::vector(Scalar::I32, 4);
        let first = args.first().map(|&arg| self.ty(arg));
        let arity = match op {
            GroupOp::Elect => 0,
            GroupOp::AmdWriteInvocation => 3,
            GroupOp::Broadcast
            | GroupOp::BallotBitExtract
            | GroupOp::Shuffle
            | GroupOp::ShuffleXor
            | GroupOp::ShuffleUp
            | GroupOp::ShuffleDown => 2,
            GroupOp::Rotate | GroupOp::Arithmetic(..) | GroupOp::IMul(_) | GroupOp::FMul(_) => {
                // The cluster size is optional.
                args.len().clamp(1, 3)
            }
            _ => 1,
        };
        count(args.len(), arity)?;
        match op {
            GroupOp::Elect => same("the result", result, Type::BOOL),
            GroupOp::All | GroupOp::Any => {
                same("the result", result, Type::BOOL)?;
                same("the predicate", first.unwrap_or(result), Type::BOOL)
            }
            GroupOp::AllEqual => same("the result", result, Type::BOOL),
            GroupOp::Ballot => same("the result", result, mask),
            GroupOp::InverseBallot | GroupOp::BallotBitExtract => {
                same("the result", result, Type::BOOL)
            }
            GroupOp::BallotBitCount(_)
            | GroupOp::BallotFindLsb
            | GroupOp::BallotFindMsb
            | GroupOp::AmdMbcnt => same("the result", result, Type::I32),
            GroupOp::AmdWriteInvocation => {
                same("the result", result, self.ty(args[0]))?;
                same("the written value", self.ty(args[1]), result)?;
                same("the lane", self.ty(args[2]), Type::I32)
            }
            _ => same("the result", result, first.unwrap_or(result)),
        }
    }
}

fn check_atomic(ty: Type) -> Result<(), String> {
    scalar("the value", ty)?;
    let fits = (ty.scalar.is_int() || ty.scalar.is_float()) && ty.scalar.bytes() >= 2;
    ensure(fits || ty.scalar.is_ptr(), || {
        format!("atomic access to {ty}")
    })
}

fn check_convert(op: ConvertOp, from: Type, to: Type) -> Result<(), String> {
    let of_number = matches!(op, ConvertOp::PtrToInt | ConvertOp::IntToPtr);
    let [from, to] = [from, to].map(|ty| if of_number { long(ty) } else { ty });
    let wrong = || format!("{} from {from} to {to}", op.name());
    if op == ConvertOp::Bitcast {
        let sized = |ty: Type| !ty.scalar.is_ptr() && ty.scalar != Scalar::Bool;
        let fits = sized(from) && sized(to) && from.access_bytes() == to.access_bytes();
        return ensure(fits, wrong);
    }
    let (source, dest) = (from.scalar, to.scalar);
    let fits = match op {
        ConvertOp::Trunc => source.is_int() && dest.is_int() && dest.bytes() < source.bytes(),
        ConvertOp::ZExt | ConvertOp::SExt => {
            dest.is_int()
                && (source == Scalar::Bool || source.is_int() && source.bytes() < dest.bytes())
        }
        ConvertOp::SatSToS | ConvertOp::SatSToU | ConvertOp::SatUToS | ConvertOp::SatUToU => {
            source.is_int() && dest.is_int()
        }
        ConvertOp::FToS | ConvertOp::FToU | ConvertOp::FToSSat | ConvertOp::FToUSat => {
            source.is_float() && dest.is_int()
        }
        ConvertOp::SToF | ConvertOp::UToF => source.is_int() && dest.is_float(),
        ConvertOp::FToF => source.is_float() && dest.is_float(),
        ConvertOp::PtrToInt => source.is_ptr() && dest == Scalar::I64,
        ConvertOp::IntToPtr => source == Scalar::I64 && dest.is_ptr(),
        ConvertOp::AddressSpaceCast => source.is_ptr() && dest.is_ptr(),
        ConvertOp::Bitcast => false,
    };
    ensure(fits && from.lanes == to.lanes, wrong)
}
