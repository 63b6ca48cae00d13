//! OpenCL.std instructions become IR instructions, Vulkan primitives or library calls.
//!
//! [`rule`] is the one table. Integer, common, geometric and bit-level functions expand to
//! exact IR ([`integer`], [`float`], [`geometric`]); what the device does with one known result stays a
//! [`MathOp`]; the rest is a call of `__pumice_<name>_<f32|f64>` per lane, declared here as an
//! import that `link_builtins` resolves. binary16 goes through binary32 wherever a
//! function is not a bit-level one: every f16 result is then rounded once from a result
//! that is far more precise than f16 asks for. `FRem` is fmod. Divisions and roots that the
//! device does not round well enough are replaced last ([`exact`]).

mod exact;
mod float;
mod geometry;
mod half;
mod integer;
mod library;
mod native;
mod relaxed;

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use crate::passes::lower::contract;
use exact::Exact;
use half::{narrow, widen};
use library::{Library, call_lanes};
use pumice_ir::LowerError;
use pumice_ir::{BinaryOp, FuncId, Function, InstKind, MathOp, Module, Scalar, Type, Value};
use pumice_target::Target;
use pumice_target::options::MathOptions;
use rspirv::spirv::OpenclStd100Op as Ocl;
use smallvec::SmallVec;

/// An expansion: operands as imported, result type.
type Expansion = fn(&mut Expander<'_>, &[Value], Type) -> Value;

/// The form that an OpenCL.std instruction takes.
enum Rule {
    /// One primitive on all lanes.
    Primitive(MathOp),
    /// IR instructions on all lanes.
    Expand(Expansion),
    /// IR instructions; binary16 operands are converted to binary32 and back.
    ExpandWide(Expansion),
    /// The same, as the build's options ask.
    ExpandWideBy(fn(&mut Expander<'_>, &[Value], &MathOptions) -> Value),
    /// A primitive for f32; the library function for other widths.
    Native(Expansion, &'static str),
    /// Library function of this name.
    Library(&'static str),
    /// Library function whose last argument points to a second result of the given kind.
    LibraryPointer(&'static str),
    /// sin with the cosine stored through the pointer: one library function for f32, two for other widths.
    SinCos,
    /// The importer expands it.
    Imported,
}

/// THE table.
fn rule(op: Ocl, target: &Target, ty: Type) -> Rule {
    use Rule::{Expand, ExpandWide, ExpandWideBy, Library, LibraryPointer, Native, Primitive};
    match op {
        Ocl::acos => Library("acos"),
        Ocl::acosh => Library("acosh"),
        Ocl::acospi => Library("acospi"),
        Ocl::asin => Library("asin"),
        Ocl::asinh => Library("asinh"),
        Ocl::asinpi => Library("asinpi"),
        Ocl::atan => Library("atan"),
        Ocl::atan2 => Library("atan2"),
        Ocl::atanh => Library("atanh"),
        Ocl::atanpi => Library("atanpi"),
        Ocl::atan2pi => Library("atan2pi"),
        Ocl::cbrt => Library("cbrt"),
        Ocl::ceil => Primitive(MathOp::Ceil),
        Ocl::copysign => Expand(float::copysign),
        Ocl::cos | Ocl::half_cos => Library("cos"),
        Ocl::cosh => Library("cosh"),
        Ocl::cospi => Library("cospi"),
        Ocl::erfc => Library("erfc"),
        Ocl::erf => Library("erf"),
        Ocl::exp | Ocl::half_exp if is_accurate(target, ty, Ocl::exp2) => Library("exp_by_exp2"),
        Ocl::half_exp if target.arithmetic.relaxed_exp2_f32 => Native(float::native_exp, "exp"),
        Ocl::exp | Ocl::half_exp => Library("exp"),
        Ocl::exp2 | Ocl::half_exp2 if is_accurate(target, ty, Ocl::exp2) => Library("exp2_by_exp2"),
        Ocl::half_exp2 if target.arithmetic.relaxed_exp2_f32 => Native(float::native_exp2, "exp2"),
        Ocl::exp2 | Ocl::half_exp2 => Library("exp2"),
        Ocl::exp10 | Ocl::half_exp10 if is_accurate(target, ty, Ocl::exp2) => {
            Library("exp10_by_exp2")
        }
        Ocl::half_exp10 if target.arithmetic.relaxed_exp2_f32 => {
            Native(float::native_exp10, "exp10")
        }
        Ocl::exp10 | Ocl::half_exp10 => Library("exp10"),
        Ocl::expm1 => Library("expm1"),
        Ocl::fabs => Primitive(MathOp::FAbs),
        Ocl::fdim => Expand(float::fdim),
        Ocl::floor => Primitive(MathOp::Floor),
        Ocl::fma => match ty.scalar {
            Scalar::F32 if target.arithmetic.exact_fma_f32 => Primitive(MathOp::Fma),
            Scalar::F32 if target.has_doubles() && target.arithmetic.denorms_f32 => {
                Library("fma_by_f64")
            }
            Scalar::F32 => Library("fma"),
            Scalar::F64 if !target.arithmetic.exact_fma_f64 => Library("fma"),
            Scalar::F16 if target.arithmetic.exact_fma_f16 => Primitive(MathOp::Fma),
            Scalar::F16 if target.has_doubles() => Expand(float::fma_by_f64),
            Scalar::F16 => Expand(exact::fma_by_floats),
            _ => Primitive(MathOp::Fma),
        },
        Ocl::fmax | Ocl::fmax_common => Primitive(MathOp::FMax),
        Ocl::fmin | Ocl::fmin_common => Primitive(MathOp::FMin),
        Ocl::fmod => Library("fmod"),
        Ocl::fract => Expand(float::fract),
        Ocl::frexp => ExpandWide(float::frexp),
        Ocl::hypot => Library("hypot"),
        Ocl::ilogb => ExpandWide(float::ilogb),
        Ocl::ldexp => ExpandWide(float::ldexp),
        Ocl::lgamma => Library("lgamma"),
        Ocl::lgamma_r => LibraryPointer("lgamma_r"),
        Ocl::log | Ocl::half_log if is_accurate(target, ty, Ocl::log2) => Library("log_by_log2"),
        Ocl::log | Ocl::half_log => Library("log"),
        Ocl::log2 | Ocl::half_log2 if is_accurate(target, ty, Ocl::log2) => Library("log2_by_log2"),
        Ocl::log2 | Ocl::half_log2 => Library("log2"),
        Ocl::log10 | Ocl::half_log10 if is_accurate(target, ty, Ocl::log2) => {
            Library("log10_by_log2")
        }
        Ocl::log10 | Ocl::half_log10 => Library("log10"),
        Ocl::log1p => Library("log1p"),
        Ocl::logb => ExpandWide(float::logb),
        // The product is exact, and only the sum is rounded.
        Ocl::mad if ty.scalar == Scalar::F16 && !target.has_halves() => ExpandWide(float::mad),
        Ocl::mad if contract::is_fused(target, ty.scalar) => Primitive(MathOp::Fma),
        Ocl::mad => Expand(float::mad),
        Ocl::maxmag if flushes(target, ty) => Expand(float::maxmag_flushed),
        Ocl::maxmag => Expand(float::maxmag),
        Ocl::minmag if flushes(target, ty) => Expand(float::minmag_flushed),
        Ocl::minmag => Expand(float::minmag),
        Ocl::modf => Expand(float::modf),
        Ocl::nan => Expand(float::nan),
        Ocl::nextafter => Expand(float::nextafter),
        Ocl::pow => Library("pow"),
        Ocl::pown => Library("pown"),
        Ocl::powr | Ocl::half_powr => Library("powr"),
        Ocl::remainder => Library("remainder"),
        Ocl::remquo => LibraryPointer("remquo"),
        Ocl::rint => Primitive(MathOp::RoundEven),
        Ocl::rootn => Library("rootn"),
        Ocl::round => Expand(float::round),
        Ocl::rsqrt | Ocl::half_rsqrt if ty.scalar == Scalar::F64 || has_exact_roots(target) => {
            ExpandWide(float::rsqrt)
        }
        Ocl::rsqrt | Ocl::half_rsqrt if target.arithmetic.accurate_roots_f32 => {
            ExpandWide(float::native_rsqrt)
        }
        Ocl::rsqrt | Ocl::half_rsqrt => ExpandWide(exact::rsqrt),
        Ocl::sin | Ocl::half_sin => Library("sin"),
        Ocl::sincos => Rule::SinCos,
        Ocl::sinh => Library("sinh"),
        Ocl::sinpi => Library("sinpi"),
        Ocl::sqrt => Primitive(MathOp::Sqrt),
        Ocl::half_sqrt | Ocl::native_sqrt => Primitive(MathOp::NativeSqrt),
        Ocl::tan | Ocl::half_tan => Library("tan"),
        Ocl::tanh => Library("tanh"),
        Ocl::tanpi => Library("tanpi"),
        Ocl::tgamma => Library("tgamma"),
        Ocl::trunc => Primitive(MathOp::Trunc),
        Ocl::half_divide if divides_by_all(target) => Expand(float::divide),
        Ocl::half_recip if divides_by_all(target) => Expand(float::recip),
        Ocl::half_divide => Expand(exact::half_divide),
        Ocl::half_recip => Expand(exact::half_recip),
        Ocl::native_divide => Expand(float::divide),
        Ocl::native_recip => Expand(float::recip),
        Ocl::native_cos => Native(float::native_cos, "cos"),
        Ocl::native_exp => Native(float::native_exp, "exp"),
        Ocl::native_exp2 => Native(float::native_exp2, "exp2"),
        Ocl::native_exp10 => Native(float::native_exp10, "exp10"),
        Ocl::native_log => Native(float::native_log, "log"),
        Ocl::native_log2 => Native(float::native_log2, "log2"),
        Ocl::native_log10 => Native(float::native_log10, "log10"),
        Ocl::native_powr => Native(float::native_powr, "powr"),
        Ocl::native_rsqrt => ExpandWide(float::native_rsqrt),
        Ocl::native_sin => Native(float::native_sin, "sin"),
        Ocl::native_tan => Native(float::native_tan, "tan"),
        Ocl::fclamp => Expand(float::clamp),
        Ocl::degrees => Expand(float::degrees),
        Ocl::mix => Expand(float::mix),
        Ocl::radians => Expand(float::radians),
        Ocl::step => Expand(float::step),
        Ocl::smoothstep => Expand(float::smoothstep),
        Ocl::sign => Expand(float::sign),
        Ocl::cross => Expand(geometry::cross),
        Ocl::distance => ExpandWide(geometry::distance),
        Ocl::length => ExpandWide(geometry::length),
        Ocl::normalize if ty.scalar == Scalar::F64 || has_exact_roots(target) => {
            ExpandWideBy(geometry::normalize)
        }
        Ocl::normalize => ExpandWideBy(geometry::normalize_by_rsqrt),
        Ocl::fast_distance => ExpandWide(geometry::fast_distance),
        Ocl::fast_length => ExpandWide(geometry::fast_length),
        Ocl::fast_normalize => ExpandWide(geometry::fast_normalize),
        Ocl::s_abs => Expand(integer::s_abs),
        Ocl::u_abs => Expand(integer::u_abs),
        Ocl::s_abs_diff => Expand(integer::s_abs_diff),
        Ocl::u_abs_diff => Expand(integer::u_abs_diff),
        Ocl::s_add_sat => Expand(integer::s_add_sat),
        Ocl::u_add_sat => Expand(integer::u_add_sat),
        Ocl::s_sub_sat => Expand(integer::s_sub_sat),
        Ocl::u_sub_sat => Expand(integer::u_sub_sat),
        Ocl::s_hadd => Expand(integer::s_hadd),
        Ocl::u_hadd => Expand(integer::u_hadd),
        Ocl::s_rhadd => Expand(integer::s_rhadd),
        Ocl::u_rhadd => Expand(integer::u_rhadd),
        Ocl::s_clamp => Expand(integer::s_clamp),
        Ocl::u_clamp => Expand(integer::u_clamp),
        Ocl::clz => Primitive(MathOp::Clz),
        Ocl::ctz => Primitive(MathOp::Ctz),
        Ocl::popcount => Primitive(MathOp::PopCount),
        Ocl::s_mad_hi => Expand(integer::s_mad_hi),
        Ocl::u_mad_hi => Expand(integer::u_mad_hi),
        Ocl::s_mad_sat => Expand(integer::s_mad_sat),
        Ocl::u_mad_sat => Expand(integer::u_mad_sat),
        Ocl::s_max => Expand(integer::s_max),
        Ocl::u_max => Expand(integer::u_max),
        Ocl::s_min => Expand(integer::s_min),
        Ocl::u_min => Expand(integer::u_min),
        Ocl::s_mul_hi => Expand(integer::s_mul_hi),
        Ocl::u_mul_hi => Expand(integer::u_mul_hi),
        Ocl::rotate => Expand(integer::rotate),
        Ocl::u_upsample => Expand(integer::u_upsample),
        Ocl::s_upsample => Expand(integer::s_upsample),
        Ocl::s_mad24 | Ocl::u_mad24 => Expand(integer::mad24),
        Ocl::s_mul24 | Ocl::u_mul24 => Expand(integer::mul24),
        Ocl::bitselect => Expand(integer::bitselect),
        Ocl::select => Expand(integer::select),
        Ocl::vloadn
        | Ocl::vstoren
        | Ocl::vload_half
        | Ocl::vload_halfn
        | Ocl::vstore_half
        | Ocl::vstore_half_r
        | Ocl::vstore_halfn
        | Ocl::vstore_halfn_r
        | Ocl::vloada_halfn
        | Ocl::vstorea_halfn
        | Ocl::vstorea_halfn_r
        | Ocl::shuffle
        | Ocl::shuffle2
        | Ocl::printf
        | Ocl::prefetch => Rule::Imported,
    }
}

/// Returns whether 1/sqrt is made of the device's own quotient and root, in programs of all options.
fn has_exact_roots(target: &Target) -> bool {
    target.divides_exactly_f32(false) && target.arithmetic.exact_sqrt_f32
}

/// Returns whether the device's f32 quotients are near the exact ones for all divisors, in programs of all options.
fn divides_by_all(target: &Target) -> bool {
    target.arithmetic.accurate_div_f32 || target.divides_exactly_f32(false)
}

/// Returns whether the device takes denormals of a type for zeros.
fn flushes(target: &Target, ty: Type) -> bool {
    ty.scalar == Scalar::F32 && !target.arithmetic.denorms_f32
}

/// Returns whether the device's exp2 or log2 carries functions of this type: its results are close enough, and
/// arguments can be scaled without loss.
fn is_accurate(target: &Target, ty: Type, op: Ocl) -> bool {
    let close = match op {
        Ocl::exp2 | Ocl::native_exp2 => target.arithmetic.accurate_exp2_f32,
        _ => target.arithmetic.accurate_log2_f32,
    };
    close && target.arithmetic.exact_fma_f32 && ty.scalar != Scalar::F64
}

/// Runs the pass on the functions that have bodies; safe to run again after linking more.
///
/// # Errors
/// An OpenCL.std instruction that nothing lowers.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    native::use_native_functions(module, ctx)?;
    let all: Vec<FuncId> = module.functions.keys().collect();
    lower_functions(module, &all, ctx)
}

/// Lowers these functions, the program's or the library's.
pub(super) fn lower_functions(
    module: &mut Module,
    functions: &[FuncId],
    ctx: &Ctx<'_>,
) -> Result<Changed, LowerError> {
    let mut library = Library::new(module, ctx.target);
    let mut changed = Changed::No;
    for &id in functions {
        let f = &mut module.functions[id];
        if f.entry().is_none() {
            continue;
        }
        if has_ocl(f) {
            changed |= lower_ocl(f, &mut library, ctx)?;
        }
        // What was just written may hold divisions and roots too.
        changed |= lower_inexact(f, &mut library, ctx)?;
    }
    for f in library.fresh {
        module.functions.push(f);
    }
    Ok(changed)
}

fn lower_ocl(
    f: &mut Function,
    library: &mut Library,
    ctx: &Ctx<'_>,
) -> Result<Changed, LowerError> {
    expand(f, |x, inst| {
        let data = &x.func.insts[inst];
        if let InstKind::Binary {
            op: BinaryOp::FRem,
            args,
            ..
        } = data.kind
        {
            let ty = x.ty(args[0]);
            let value = lower(x, library, Ocl::fmod, &args, ty, ctx)?;
            return Ok(Some(Replacement::from_slice(&[value])));
        }
        let Some((op, args, ty)) = native::function_of(x, inst)? else {
            return Ok(None);
        };
        let value = lower(x, library, op, &args, ty, ctx)?;
        Ok(Some(Replacement::from_slice(&[value])))
    })
}

/// Divisions and square roots that the device does not round well enough.
fn lower_inexact(
    f: &mut Function,
    library: &mut Library,
    ctx: &Ctx<'_>,
) -> Result<Changed, LowerError> {
    let exact = Exact::new(ctx, f);
    let concerned = f.layout.blocks.iter().any(|&block| {
        (f.layout.insts[block].iter()).any(|&inst| exact.concerns(f, &f.insts[inst].kind))
    });
    if !concerned {
        return Ok(Changed::No);
    }
    expand(f, |x, inst| {
        let kind = x.func.insts[inst].kind.clone();
        if !exact.concerns(x.func, &kind) {
            return Ok(None);
        }
        let value = match &kind {
            InstKind::Binary { args, flags, .. } => {
                exact.for_flags(*flags).divide(x, library, args)
            }
            InstKind::Math { args, flags, .. } => exact.for_flags(*flags).sqrt(x, library, args),
            _ => return Ok(None),
        };
        Ok(Some(Replacement::from_slice(&[value])))
    })
}

fn has_ocl(f: &Function) -> bool {
    f.layout.blocks.iter().any(|&block| {
        f.layout.insts[block].iter().any(|&inst| {
            matches!(
                f.insts[inst].kind,
                InstKind::Math {
                    op: MathOp::Ocl(_),
                    ..
                } | InstKind::Binary {
                    op: BinaryOp::FRem,
                    ..
                }
            )
        })
    })
}

fn lower(
    x: &mut Expander<'_>,
    library: &mut Library,
    op: Ocl,
    args: &[Value],
    ty: Type,
    ctx: &Ctx<'_>,
) -> Result<Value, LowerError> {
    let target = ctx.target;
    if x.func.is_builtin() {
        if let Some(value) = exact::library_form(x, op, args, ctx) {
            return Ok(value);
        }
        if op == Ocl::native_exp2 && !is_accurate(target, ty, op) {
            return lower(x, library, Ocl::exp2, args, ty, ctx);
        }
    }
    let half = args.first().is_some_and(|&a| x.ty(a).scalar == Scalar::F16);
    Ok(match rule(op, target, ty) {
        Rule::Primitive(op) => x.math(op, args),
        Rule::Expand(f) => f(x, args, ty),
        Rule::ExpandWide(f) | Rule::Native(f, _) if half => {
            let (args, wide) = widen(x, args, ty);
            let value = f(x, &args, wide);
            narrow(x, value, ty)
        }
        Rule::ExpandWide(f) => f(x, args, ty),
        Rule::ExpandWideBy(f) if half => {
            let (args, _) = widen(x, args, ty);
            let value = f(x, &args, &ctx.options.math);
            narrow(x, value, ty)
        }
        Rule::ExpandWideBy(f) => f(x, args, &ctx.options.math),
        Rule::Native(f, _) if ty.scalar == Scalar::F32 => f(x, args, ty),
        Rule::Native(_, name) | Rule::Library(name) if half => {
            let (args, wide) = widen(x, args, ty);
            let value = match half::by_device(op, target) {
                Some(f) => f(x, &args, wide),
                None => call_lanes(x, library, name, &args, wide, None),
            };
            narrow(x, value, ty)
        }
        Rule::Native(_, name) | Rule::Library(name) => call_lanes(x, library, name, args, ty, None),
        Rule::LibraryPointer(name) => {
            let (ptr, rest) = args
                .split_last()
                .ok_or_else(|| LowerError::new(format!("{op:?} without operands")))?;
            // remquo and lgamma_r store an int for every float type.
            let stored = ty.with_scalar(Scalar::I32);
            let (rest, wide) = if half {
                widen(x, rest, ty)
            } else {
                (SmallVec::from_slice(rest), ty)
            };
            let value = call_lanes(x, library, name, &rest, wide, Some((*ptr, stored)));
            narrow(x, value, ty)
        }
        Rule::SinCos => {
            let [arg, ptr] = args[..] else {
                return Err(LowerError::new("sincos takes two operands"));
            };
            if ty.scalar == Scalar::F32 {
                return Ok(call_lanes(
                    x,
                    library,
                    "sincos",
                    &[arg],
                    ty,
                    Some((ptr, ty)),
                ));
            }
            let (wide_args, wide) = if half {
                widen(x, &[arg], ty)
            } else {
                (SmallVec::from_slice(&[arg]), ty)
            };
            let cos = call_lanes(x, library, "cos", &wide_args, wide, None);
            let cos = narrow(x, cos, ty);
            store(x, ptr, cos);
            let sin = call_lanes(x, library, "sin", &wide_args, wide, None);
            narrow(x, sin, ty)
        }
        Rule::Imported => {
            return Err(LowerError::new(format!(
                "internal: {op:?} was not expanded by the importer"
            )));
        }
    })
}

/// Stores a second result in memory.
pub(super) fn store(x: &mut Expander<'_>, ptr: Value, value: Value) {
    let align = x.ty(value).scalar.bytes();
    x.store(ptr, value, align);
}

#[cfg(test)]
mod tests {
    use super::{Rule, rule};
    use pumice_ir::{Scalar, Type};
    use pumice_target::Target;
    use rspirv::spirv::OpenclStd100Op as Ocl;

    /// Names the function that this width calls: binary16 goes through binary32.
    fn library_name(name: &str, scalar: Scalar) -> String {
        let suffix = if scalar == Scalar::F64 { "f64" } else { "f32" };
        format!("__pumice_{name}_{suffix}")
    }

    #[test]
    fn every_instruction_has_its_lowering_in_every_width() {
        let exact = Target::reference();
        let mut plain = Target::reference();
        plain.float64 = false;
        plain.arithmetic.exact_fma_f32 = false;
        plain.arithmetic.exact_fma_f64 = false;
        plain.arithmetic.exact_fma_f16 = false;
        plain.arithmetic.exact_div_f32 = false;
        let known: Vec<&str> = pumice_builtins_lib::names().collect();
        let mut missing = Vec::new();
        let mut seen = 0;
        for op in (0..0x400).filter_map(Ocl::from_u32) {
            seen += 1;
            for scalar in [Scalar::F16, Scalar::F32, Scalar::F64] {
                for target in [&exact, &plain] {
                    let names: &[&str] = match rule(op, target, Type::scalar(scalar)) {
                        Rule::Library(name)
                        | Rule::LibraryPointer(name)
                        | Rule::Native(_, name) => &[name],
                        Rule::SinCos if scalar == Scalar::F32 => &["sincos"],
                        Rule::SinCos => &["sin", "cos"],
                        _ => &[],
                    };
                    for name in names {
                        let name = library_name(name, scalar);
                        if !known.contains(&name.as_str()) && !missing.contains(&name) {
                            missing.push(name);
                        }
                    }
                }
            }
        }
        // OpenCL.std 1.0 has 162 instructions.
        assert_eq!(seen, 162);
        assert!(missing.is_empty(), "{missing:?}");
    }
}
