//! The types of memory accesses, calls and arithmetic in a module from outside.

use std::collections::HashMap;

use rspirv::spirv::Op;

use super::{Definition, Inst};

/// The declarations of types and functions, and the values of 32-bit constants.
pub(super) struct Types<'a> {
    declared: HashMap<u32, (Op, &'a [u32])>,
    constants: HashMap<u32, u32>,
    /// The types of functions, and those of their parameters.
    functions: HashMap<u32, (u32, Vec<u32>)>,
}

type Checked = Result<(), String>;

impl<'a> Types<'a> {
    pub fn of(insts: &[Inst<'a>]) -> Self {
        let mut types = Self {
            declared: HashMap::new(),
            constants: HashMap::new(),
            functions: HashMap::new(),
        };
        for inst in insts {
            match (inst.op, inst.words) {
                (Op::Constant, &[_, _, id, value]) => {
                    types.constants.insert(id, value);
                }
                (Op::Function, &[_, _, id, _, ty]) => {
                    types.functions.insert(id, (ty, Vec::new()));
                }
                (Op::FunctionParameter, &[_, ty, _]) => {
                    let function = types.functions.get_mut(&inst.function);
                    function
                        .into_iter()
                        .for_each(|(_, parameters)| parameters.push(ty));
                }
                (
                    Op::TypeVoid
                    | Op::TypeBool
                    | Op::TypeInt
                    | Op::TypeFloat
                    | Op::TypeVector
                    | Op::TypeMatrix
                    | Op::TypeArray
                    | Op::TypeRuntimeArray
                    | Op::TypeStruct
                    | Op::TypePointer
                    | Op::TypeCooperativeMatrixKHR
                    | Op::TypeFunction,
                    &[_, id, ref operands @ ..],
                ) => {
                    types.declared.insert(id, (inst.op, operands));
                }
                _ => {}
            }
        }
        types
    }

    fn get(&self, ty: u32) -> (Op, &'a [u32]) {
        self.declared.get(&ty).copied().unwrap_or((Op::Nop, &[]))
    }

    fn pointee(&self, ty: u32) -> Result<u32, String> {
        match self.get(ty) {
            (Op::TypePointer, &[_, pointee]) => Ok(pointee),
            _ => Err(format!("type {ty} is no pointer")),
        }
    }

    /// Checks that a type is that of a function with this result.
    pub fn is_function(&self, ty: u32, result: u32) -> Checked {
        match self.get(ty) {
            (Op::TypeFunction, &[returned, ..]) if returned == result => Ok(()),
            _ => Err(format!(
                "type {ty} is not that of a function with result type {result}"
            )),
        }
    }

    fn is_matrix(&self, ty: u32) -> Checked {
        match self.get(ty) {
            (Op::TypeCooperativeMatrixKHR, _) => Ok(()),
            _ => Err(format!("type {ty} is no cooperative matrix")),
        }
    }

    /// Checks one instruction whose ids are sound.
    pub fn check(&self, inst: &Inst<'a>, definitions: &HashMap<u32, Definition>) -> Checked {
        let of = |id: u32| definitions.get(&id).map_or(0, |definition| definition.ty);
        match (inst.op, &inst.words[1..]) {
            (Op::TypeVector | Op::TypeMatrix, &[_, element, count]) => {
                self.holds(element).and(match count {
                    2 | 3 | 4 | 8 | 16 => Ok(()),
                    _ => Err(format!("{count} components")),
                })
            }
            (Op::TypeArray | Op::TypeRuntimeArray, &[_, element, ..]) => self.holds(element),
            (Op::TypeStruct, &[_, ref members @ ..]) => {
                members.iter().try_for_each(|member| self.holds(*member))
            }
            (Op::TypeInt, &[_, width, sign]) if ![8, 16, 32, 64].contains(&width) || sign > 1 => {
                Err(format!("width {width}, sign {sign}"))
            }
            (Op::TypeFloat, &[_, width, ..]) if ![16, 32, 64].contains(&width) => {
                Err(format!("width {width}"))
            }
            (Op::Variable, &[ty, _, class, ..]) => match self.get(ty) {
                (Op::TypePointer, &[pointer_class, _]) if pointer_class == class => Ok(()),
                _ => Err(format!(
                    "type {ty} is no pointer of the variable's storage class"
                )),
            },
            (Op::CooperativeMatrixLoadKHR, &[ty, _, pointer, ..]) => {
                self.pointee(of(pointer)).and_then(|_| self.is_matrix(ty))
            }
            (Op::CooperativeMatrixStoreKHR, &[pointer, matrix, ..]) => self
                .pointee(of(pointer))
                .and_then(|_| self.is_matrix(of(matrix))),
            (Op::CooperativeMatrixMulAddKHR, &[ty, _, a, b, c, ..]) => {
                let mut types = [ty, of(a), of(b), of(c)].into_iter();
                types.try_for_each(|ty| self.is_matrix(ty))
            }
            (Op::CooperativeMatrixLengthKHR, &[_, _, ty]) => self.is_matrix(ty),
            (Op::Load, &[ty, _, pointer, ..]) => same(self.pointee(of(pointer))?, ty),
            (Op::Store, &[pointer, value, ..]) => same(self.pointee(of(pointer))?, of(value)),
            (Op::AccessChain | Op::InBoundsAccessChain, &[ty, _, base, ref indices @ ..]) => {
                let mut at = self.pointee(of(base))?;
                for index in indices {
                    at = self.member(at, self.constants.get(index).copied())?;
                }
                same(self.pointee(ty)?, at)
            }
            (Op::CompositeExtract, &[ty, _, value, ref indices @ ..]) => {
                same(self.walk(of(value), indices)?, ty)
            }
            (Op::CompositeInsert, &[ty, _, part, value, ref indices @ ..]) => {
                same(of(value), ty)?;
                same(self.walk(ty, indices)?, of(part))
            }
            (Op::CompositeConstruct, &[ty, _, ref parts @ ..]) => self.construct(ty, parts, &of),
            (Op::ConstantComposite | Op::SpecConstantComposite, &[ty, _, ref parts @ ..]) => {
                self.construct(ty, parts, &of)
            }
            (Op::FunctionCall, &[ty, _, callee, ref arguments @ ..]) => {
                let arguments: Vec<u32> = arguments.iter().map(|id| of(*id)).collect();
                same(of(callee), ty)?;
                self.takes(callee, &arguments)
            }
            (Op::FunctionEnd, _) => match self.functions.get(&inst.function) {
                Some((_, parameters)) => self.takes(inst.function, parameters),
                None => Ok(()),
            },
            (Op::ReturnValue, &[value]) if of(value) == 0 => Err(format!("id {value} has no type")),
            (op, &[ty, _, ref operands @ ..]) if is_arithmetic(op) => {
                let wanted = self.shape(ty);
                let same_shape = |id: &u32| wanted.is_some() && self.shape(of(*id)) == wanted;
                match operands.iter().all(same_shape) {
                    true => Ok(()),
                    false => Err("operands and result are of different types".into()),
                }
            }
            (op, &[_, _, left, right]) if is_comparison(op) => {
                let (left, right) = (self.shape(of(left)), self.shape(of(right)));
                match left.is_some() && left == right {
                    true => Ok(()),
                    false => Err("operands are of different types".into()),
                }
            }
            (Op::Select, &[ty, _, _, left, right]) => same(of(left), ty).and(same(of(right), ty)),
            (Op::Phi, &[ty, _, ref pairs @ ..]) => {
                pairs.chunks(2).try_for_each(|pair| same(of(pair[0]), ty))
            }
            _ => Ok(()),
        }
    }

    /// Checks that a function's type has parameters of these types.
    fn takes(&self, function: u32, types: &[u32]) -> Checked {
        let ty = self.functions.get(&function).map_or(0, |(ty, _)| *ty);
        match self.get(ty) {
            (Op::TypeFunction, [_, parameters @ ..]) if parameters == types => Ok(()),
            _ => Err(format!("function {function} takes other parameters")),
        }
    }

    /// Checks that memory or a value can hold this type.
    fn holds(&self, ty: u32) -> Checked {
        match self.get(ty).0 {
            Op::TypeVoid | Op::TypeFunction => Err(format!("type {ty} cannot be held")),
            _ => Ok(()),
        }
    }

    /// The type of a part; `index` where it is a constant.
    fn member(&self, ty: u32, index: Option<u32>) -> Result<u32, String> {
        let beyond = || format!("an index beyond the end of type {ty}");
        match self.get(ty) {
            (Op::TypeStruct, members) => {
                let index = index.ok_or("an index into a struct that is not constant")?;
                members.get(index as usize).copied().ok_or_else(beyond)
            }
            (Op::TypeVector | Op::TypeMatrix, &[element, count]) => match index {
                Some(index) if index >= count => Err(beyond()),
                _ => Ok(element),
            },
            (Op::TypeArray, &[element, length]) => match (index, self.constants.get(&length)) {
                (Some(index), Some(length)) if index >= *length => Err(beyond()),
                _ => Ok(element),
            },
            (Op::TypeRuntimeArray, &[element]) => Ok(element),
            // Only the device knows how many components a work-item holds.
            (Op::TypeCooperativeMatrixKHR, &[element, ..]) if index.is_none() => Ok(element),
            _ => Err(format!("type {ty} has no parts")),
        }
    }

    fn walk(&self, mut ty: u32, indices: &[u32]) -> Result<u32, String> {
        for index in indices {
            ty = self.member(ty, Some(*index))?;
        }
        Ok(ty)
    }

    fn construct(&self, ty: u32, parts: &[u32], of: &dyn Fn(u32) -> u32) -> Checked {
        match self.get(ty) {
            (Op::TypeStruct, members) if members.len() == parts.len() => {
                let mut both = members.iter().zip(parts);
                both.try_for_each(|(member, part)| same(of(*part), *member))
            }
            (Op::TypeArray, &[element, length]) => {
                if self
                    .constants
                    .get(&length)
                    .is_some_and(|n| *n as usize != parts.len())
                {
                    return Err("not as many parts as elements".into());
                }
                parts.iter().try_for_each(|part| same(of(*part), element))
            }
            (Op::TypeCooperativeMatrixKHR, &[element, ..]) if parts.len() == 1 => {
                same(of(parts[0]), element)
            }
            (Op::TypeMatrix, &[column, count]) if count as usize == parts.len() => {
                parts.iter().try_for_each(|part| same(of(*part), column))
            }
            (Op::TypeVector, &[element, count]) => {
                let mut components = 0;
                for part in parts {
                    components += match self.get(of(*part)) {
                        (Op::TypeVector, &[of_part, count]) if of_part == element => count,
                        _ if of(*part) == element => 1,
                        _ => return Err(format!("part {part} is of another type")),
                    };
                }
                match components == count {
                    true => Ok(()),
                    false => Err("not as many parts as components".into()),
                }
            }
            _ => Err(format!("type {ty} cannot be made of {} parts", parts.len())),
        }
    }

    /// Width in bits, whether it is a float, and the number of components.
    fn shape(&self, ty: u32) -> Option<(u32, bool, u32)> {
        match self.get(ty) {
            (Op::TypeInt, &[width, _]) => Some((width, false, 1)),
            (Op::TypeFloat, &[width, ..]) => Some((width, true, 1)),
            (Op::TypeVector, &[element, count]) => match self.shape(element)? {
                (width, float, 1) => Some((width, float, count)),
                _ => None,
            },
            _ => None,
        }
    }
}

fn same(found: u32, wanted: u32) -> Checked {
    match found == wanted {
        true => Ok(()),
        false => Err(format!("type {found} where type {wanted} is wanted")),
    }
}

/// Operations whose operands are all of the result's width and number of components.
fn is_arithmetic(op: Op) -> bool {
    use Op::{
        BitwiseAnd, BitwiseOr, BitwiseXor, FAdd, FDiv, FMod, FMul, FNegate, FRem, FSub, IAdd, IMul,
        ISub, Not, SDiv, SMod, SNegate, SRem, UDiv, UMod,
    };
    matches!(
        op,
        IAdd | FAdd
            | ISub
            | FSub
            | IMul
            | FMul
            | UDiv
            | SDiv
            | FDiv
            | UMod
            | SRem
            | SMod
            | FRem
            | FMod
            | SNegate
            | FNegate
            | BitwiseAnd
            | BitwiseOr
            | BitwiseXor
            | Not
    )
}

/// Comparisons of two numbers.
fn is_comparison(op: Op) -> bool {
    let op = op as u32;
    (Op::IEqual as u32..=Op::SLessThanEqual as u32).contains(&op)
        || (Op::FOrdEqual as u32..=Op::FUnordGreaterThanEqual as u32).contains(&op)
}
