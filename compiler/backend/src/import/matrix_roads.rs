//! The choice of matrices that are the device's own; all others are made of plain code.
//!
//! Types that meet in a product or a conversion take one road. It is the device's if the device has all these
//! products and conversions, with the same results as plain code has. Components that a program numbers (length, get,
//! set) lie alike in all types of one shape: the device promises that for one type alone, so two such types are plain.

use super::ops::{self, ByComponent};
use super::reader::{Inst, ModuleWords};
use pumice_ir::MatrixType;
use pumice_target::Target;
use pumice_target::matrix::{Component, NativeProduct, Product, Use};
use rspirv::spirv::{CooperativeMatrixOperands, Op};
use rustc_hash::FxHashMap;

/// The products and conversions that the device has for a program.
#[derive(Clone, Debug, Default)]
pub struct NativeMatrices {
    products: Vec<NativeProduct>,
    /// Every product that the device has: those of all its types.
    all: Vec<NativeProduct>,
    /// Floats become halves rounded to nearest.
    to_half: bool,
    /// Integers become floats rounded to nearest.
    to_float: bool,
}

impl NativeMatrices {
    /// Those of a device. Inexact products are for programs that ask for fast arithmetic.
    pub fn of(target: &Target, fast: bool) -> Self {
        // Where words hold narrow integers, they do not hold those of matrices.
        let narrow = [1, 2].iter().all(|&bytes| target.has_integers(bytes));
        let of_bytes = |native: &NativeProduct| {
            let product = native.product;
            let components = [product.a, product.b, product.result];
            let is_byte = |c: &Component| matches!(c, Component::Char | Component::Uchar);
            components.iter().any(is_byte)
        };
        let plain = target.abi.descriptors().is_some()
            || target.checks.any()
            || target.zero_private
            || target.shader_enqueue
            || !target.vulkan_memory_model
            || !target.has_halves()
            || !target.has_integers(8);
        let all = target.native_products.clone();
        let products = all.iter().copied();
        let products = products
            .filter(|native| !plain && (native.exact || fast) && (narrow || !of_bytes(native)));
        let [half, single, _] = target.float_controls;
        Self {
            products: products.collect(),
            all,
            to_half: half.rounding_rte,
            to_float: single.rounding_rte,
        }
    }

    /// Returns whether a module has a type that these are for.
    pub fn are_used(&self, words: &[u32]) -> bool {
        if self.products.is_empty() {
            return false;
        }
        let words = ModuleWords::new(words);
        let insts = words.as_ref().ok().and_then(|words| words.insts().ok());
        insts.is_some_and(|insts| !native_types(&insts, self).is_empty())
    }

    fn has(&self, product: Product, saturating: bool) -> bool {
        let mut all = self.products.iter();
        all.any(|native| (native.product, native.saturating) == (product, saturating))
    }

    fn has_operand(&self, ty: MatrixType) -> bool {
        let operand = (ty.component, u32::from(ty.rows), u32::from(ty.columns));
        let mut all = self.all.iter();
        all.any(|native| native.product.operand(ty.which) == operand)
    }

    fn converts(&self, op: Op, from: Component, to: Component) -> bool {
        use Component::{Float, Half};
        match op {
            Op::SConvert | Op::UConvert => true,
            Op::FConvert => match (from, to) {
                (Half, Float) => true,
                (Float, Half) => self.to_half,
                _ => false,
            },
            Op::ConvertSToF | Op::ConvertUToF => self.to_float && to == Float,
            Op::ConvertFToS | Op::ConvertFToU => from == Float && to.bits() == 32,
            _ => false,
        }
    }
}

/// A type, as far as it matters here.
#[derive(Clone, Copy)]
enum Kind {
    Number(Component),
    Matrix(usize),
    Pointer(u32),
    Array(u32),
}

/// A matrix type of the module.
struct Shape {
    id: u32,
    ty: MatrixType,
    /// The sign that products give its integers.
    signed: Option<bool>,
    /// The class of types that take one road, by the number of one of them.
    class: usize,
    /// It takes the plain road with its class.
    plain: bool,
    /// Its components are numbered.
    numbered: bool,
    /// It is in a product.
    multiplied: bool,
}

#[derive(Default)]
struct Roads {
    kinds: FxHashMap<u32, Kind>,
    constants: FxHashMap<u32, u32>,
    /// The type of each id with a result.
    types: FxHashMap<u32, u32>,
    shapes: Vec<Shape>,
    products: Vec<([usize; 3], u32)>,
}

/// The matrix types that are the device's own, by their ids.
pub(super) fn native_types(
    insts: &[Inst<'_>],
    native: &NativeMatrices,
) -> FxHashMap<u32, MatrixType> {
    let mut roads = Roads::default();
    if native.products.is_empty() {
        return FxHashMap::default();
    }
    for inst in insts {
        roads.declaration(inst);
    }
    if roads.shapes.is_empty() {
        return FxHashMap::default();
    }
    for inst in insts {
        roads.use_of(inst, native);
    }
    roads.decide(native);
    let shapes = roads.shapes.iter();
    let kept = shapes.filter(|shape| !roads.shapes[roads.root(shape.class)].plain);
    kept.map(|shape| (shape.id, shape.ty)).collect()
}

impl Roads {
    fn declaration(&mut self, inst: &Inst<'_>) {
        let kind = match (inst.op, inst.args) {
            (Op::TypeFloat, [16]) => Kind::Number(Component::Half),
            (Op::TypeFloat, [32]) => Kind::Number(Component::Float),
            (Op::TypeFloat, [64]) => Kind::Number(Component::Double),
            (Op::TypeInt, [8, _]) => Kind::Number(Component::Char),
            (Op::TypeInt, [32, _]) => Kind::Number(Component::Int),
            (Op::TypePointer, &[_, pointee]) => Kind::Pointer(pointee),
            (Op::TypeArray, &[element, _]) => Kind::Array(element),
            (Op::TypeCooperativeMatrixKHR, args) => match self.shape(inst.id, args) {
                Some(shape) => {
                    self.shapes.push(shape);
                    Kind::Matrix(self.shapes.len() - 1)
                }
                None => return,
            },
            (Op::Constant, &[value]) => {
                self.constants.insert(inst.id, value);
                return;
            }
            _ => {
                if inst.ty != 0 {
                    self.types.insert(inst.id, inst.ty);
                }
                return;
            }
        };
        self.kinds.insert(inst.id, kind);
    }

    fn shape(&self, id: u32, args: &[u32]) -> Option<Shape> {
        let &[component, _, rows, columns, which] = args else {
            return None;
        };
        let Some(&Kind::Number(component)) = self.kinds.get(&component) else {
            return None;
        };
        let number = |id: u32| self.constants.get(&id).copied();
        let which = number(which)?;
        let ty = MatrixType {
            component,
            which: Use::ALL.into_iter().find(|&known| known as u32 == which)?,
            rows: u8::try_from(number(rows)?).ok()?,
            columns: u8::try_from(number(columns)?).ok()?,
        };
        Some(Shape {
            id,
            ty,
            signed: None,
            class: self.shapes.len(),
            plain: false,
            numbered: false,
            multiplied: false,
        })
    }

    fn shape_of_type(&self, ty: u32) -> Option<usize> {
        match self.kinds.get(&ty) {
            Some(&Kind::Matrix(shape)) => Some(shape),
            _ => None,
        }
    }

    /// The matrix type of an operand's value.
    fn operand(&self, inst: &Inst<'_>, n: usize) -> Option<usize> {
        self.shape_of_type(*self.types.get(inst.args.get(n)?)?)
    }

    fn root(&self, mut class: usize) -> usize {
        while self.shapes[class].class != class {
            class = self.shapes[class].class;
        }
        class
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.shapes[b].class = a;
        self.shapes[a].plain |= self.shapes[b].plain;
    }

    fn refuse(&mut self, shape: usize) {
        let root = self.root(shape);
        self.shapes[root].plain = true;
    }

    fn use_of(&mut self, inst: &Inst<'_>, native: &NativeMatrices) {
        match inst.op {
            Op::CooperativeMatrixMulAddKHR => self.product(inst),
            Op::CooperativeMatrixLengthKHR => {
                if let Some(shape) = inst.args.first().and_then(|&ty| self.shape_of_type(ty)) {
                    self.shapes[shape].numbered = true;
                }
            }
            Op::AccessChain | Op::InBoundsAccessChain => {
                let base = inst.args.first().and_then(|base| self.types.get(base));
                if let Some(&Kind::Pointer(pointee)) = base.and_then(|ty| self.kinds.get(ty)) {
                    self.number(pointee, inst.rest(1).len());
                }
            }
            Op::CompositeExtract | Op::CompositeInsert => {
                let whole = usize::from(inst.op == Op::CompositeInsert);
                let ty = inst.args.get(whole).and_then(|id| self.types.get(id));
                if let Some(&ty) = ty {
                    self.number(ty, inst.rest(whole + 1).len());
                }
            }
            _ => self.conversion(inst, native),
        }
    }

    /// Notes that so many indices lead into a type.
    fn number(&mut self, mut ty: u32, mut indices: usize) {
        while indices > 0 {
            match self.kinds.get(&ty) {
                Some(&Kind::Array(element)) => ty = element,
                Some(&Kind::Matrix(shape)) => {
                    self.shapes[shape].numbered = true;
                    return;
                }
                _ => return,
            }
            indices -= 1;
        }
    }

    fn conversion(&mut self, inst: &Inst<'_>, native: &NativeMatrices) {
        let Some(to) = self.shape_of_type(inst.ty) else {
            return;
        };
        match inst.op {
            op if ops::by_component(op) == Some(ByComponent::Convert) => {
                let Some(from) = self.operand(inst, 0) else {
                    return self.refuse(to);
                };
                self.join(from, to);
                let [source, result] = [from, to].map(|shape| self.shapes[shape].ty.component);
                if !native.converts(inst.op, source, result) {
                    self.refuse(to);
                }
            }
            Op::Bitcast | Op::Select => self.refuse(to),
            _ => {}
        }
    }

    fn product(&mut self, inst: &Inst<'_>) {
        let operands = [0, 1, 2].map(|n| self.operand(inst, n));
        let ([Some(a), Some(b), Some(c)], Some(result)) = (operands, self.shape_of_type(inst.ty))
        else {
            // One of them is no type that a device has.
            let known = operands.into_iter().chain([self.shape_of_type(inst.ty)]);
            return known.flatten().for_each(|shape| self.refuse(shape));
        };
        for other in [b, c, result] {
            self.join(a, other);
        }
        let bits = inst.args.get(3).copied().unwrap_or(0);
        let operands = CooperativeMatrixOperands::from_bits_truncate(bits);
        let signs = [
            (a, CooperativeMatrixOperands::MATRIX_A_SIGNED_COMPONENTS_KHR),
            (b, CooperativeMatrixOperands::MATRIX_B_SIGNED_COMPONENTS_KHR),
            (c, CooperativeMatrixOperands::MATRIX_C_SIGNED_COMPONENTS_KHR),
            (
                result,
                CooperativeMatrixOperands::MATRIX_RESULT_SIGNED_COMPONENTS_KHR,
            ),
        ];
        for (shape, flag) in signs {
            let signed = operands.contains(flag);
            self.shapes[shape].multiplied = true;
            if *self.shapes[shape].signed.get_or_insert(signed) != signed {
                self.refuse(shape);
            }
        }
        if c != result {
            self.refuse(c);
        }
        self.products.push(([a, b, c], bits));
    }

    fn decide(&mut self, native: &NativeMatrices) {
        for number in 0..self.shapes.len() {
            let shape = &mut self.shapes[number];
            shape.ty.component = match (shape.ty.component, shape.signed) {
                (Component::Char, Some(false)) => Component::Uchar,
                (Component::Int, Some(false)) => Component::Uint,
                (component, _) => component,
            };
            if !native.has_operand(shape.ty) {
                self.refuse(number);
            }
        }
        for ([a, b, c], bits) in std::mem::take(&mut self.products) {
            let [left, right, sum] = [a, b, c].map(|shape| self.shapes[shape].ty);
            let product = Product {
                m: u32::from(left.rows),
                n: u32::from(right.columns),
                k: u32::from(left.columns),
                a: left.component,
                b: right.component,
                result: sum.component,
            };
            let saturating = CooperativeMatrixOperands::SATURATING_ACCUMULATION_KHR.bits();
            if !native.has(product, bits & saturating != 0) {
                self.refuse(a);
            }
        }
        // Fewer products take the plain road for it, never more the device's.
        let multiplied: Vec<usize> = (self.shapes.iter())
            .filter(|shape| shape.multiplied)
            .map(|shape| self.root(shape.class))
            .collect();
        for number in 0..self.shapes.len() {
            if !multiplied.contains(&self.root(number)) {
                self.refuse(number);
            }
            let alike = |ty: MatrixType| (ty.which, ty.rows, ty.columns);
            let own = &self.shapes[number];
            let other = self.shapes.iter().any(|other| {
                other.id != own.id && other.numbered && alike(other.ty) == alike(own.ty)
            });
            if own.numbered && other {
                self.refuse(number);
            }
        }
    }
}
