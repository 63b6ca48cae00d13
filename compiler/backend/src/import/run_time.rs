//! Scopes and memory semantics, which Kernel SPIR-V may leave to the run and Vulkan may not.
//!
//! An instruction with one that is no constant becomes a switch over the values with one arm for
//! each order or scope. That is written here, before inlining, because most of them are the
//! parameter of a function that is called with a constant: folding then leaves one arm.

use super::body::Body;
use super::reader::{Inst, Result};
use pumice_ir::{BinaryOp, Block, BlockCall, InstKind, MemoryOrder, Scope, Type, Value};

/// Memory semantics: order and the address spaces that they name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Semantics {
    pub order: MemoryOrder,
    pub global: bool,
    pub local: bool,
}

/// The meaning of an operand.
#[derive(Clone, Debug)]
pub(super) enum Choice<T: 'static> {
    /// A constant.
    Known(T),
    /// Its meaning for the values of an integer; the second field is for all others.
    Run(Value, T, &'static [(u64, T)]),
}

impl<T: Copy + 'static> Choice<T> {
    /// The known one, else the one for all others, which is right for each.
    pub fn strongest(&self) -> T {
        match *self {
            Choice::Known(known) => known,
            Choice::Run(_, strongest, _) => strongest,
        }
    }
}

/// The orders that an operation may have. An order that it cannot have counts as the strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    Both,
}

/// The bits of an order in memory semantics.
const ORDER_BITS: u64 = 0x1E;

const READ_ORDERS: &[(u64, MemoryOrder)] = &[(0, MemoryOrder::Relaxed), (2, MemoryOrder::Acquire)];
const WRITE_ORDERS: &[(u64, MemoryOrder)] = &[(0, MemoryOrder::Relaxed), (4, MemoryOrder::Release)];
const ORDERS: &[(u64, MemoryOrder)] = &[
    (0, MemoryOrder::Relaxed),
    (2, MemoryOrder::Acquire),
    (4, MemoryOrder::Release),
    (8, MemoryOrder::AcqRel),
    (6, MemoryOrder::AcqRel),
];

/// Scopes by their numbers. An invocation is served by its sub-group, which Vulkan's atomics do
/// anyway, and a device by what is wider, which is the same to Vulkan.
const SCOPES: &[(u64, Scope)] = &[
    (2, Scope::Workgroup),
    (3, Scope::Subgroup),
    (4, Scope::Subgroup),
];

/// Of a barrier's execution.
const EXECUTION_SCOPES: &[(u64, Scope)] = &[(3, Scope::Subgroup)];

impl Body<'_, '_> {
    /// A scope operand that must be known now, or the widest.
    pub(super) fn scope(&mut self, inst: &Inst<'_>, n: usize) -> Result<Scope> {
        Ok(self.scope_choice(inst, n)?.strongest())
    }

    /// A scope operand.
    pub(super) fn scope_choice(&mut self, inst: &Inst<'_>, n: usize) -> Result<Choice<Scope>> {
        let value = self.arg(inst, n)?;
        let Some(bits) = self.func.const_bits(value) else {
            return Ok(Choice::Run(value, Scope::CrossDevice, SCOPES));
        };
        Ok(Choice::Known(match bits {
            0 => Scope::CrossDevice,
            1 => Scope::Device,
            2 => Scope::Workgroup,
            3 => Scope::Subgroup,
            4 => Scope::Invocation,
            other => return Err(inst.error(format_args!("scope {other} is not supported"))),
        }))
    }

    /// The execution scope of a barrier: what a run-time one does not name as a sub-group is
    /// the work-group.
    pub(super) fn execution_scope(&mut self, inst: &Inst<'_>, n: usize) -> Result<Choice<Scope>> {
        Ok(match self.scope_choice(inst, n)? {
            Choice::Run(value, ..) => Choice::Run(value, Scope::Workgroup, EXECUTION_SCOPES),
            known => known,
        })
    }

    /// The order in a memory semantics operand.
    pub(super) fn order(
        &mut self,
        inst: &Inst<'_>,
        n: usize,
        access: Access,
    ) -> Result<Choice<MemoryOrder>> {
        let value = self.arg(inst, n)?;
        if let Some(bits) = self.func.const_bits(value) {
            return Ok(Choice::Known(known_order(inst, bits)?));
        }
        let ty = self.func.ty(value);
        if !ty.scalar.is_int() || ty.lanes != 1 {
            return Err(inst.error("the memory semantics are not an integer"));
        }
        let mask = self.func.splat_constant(ty, ORDER_BITS);
        let order = self.binary(BinaryOp::And, [value, mask]);
        let orders = match access {
            Access::Read => READ_ORDERS,
            Access::Write => WRITE_ORDERS,
            Access::Both => ORDERS,
        };
        Ok(Choice::Run(order, MemoryOrder::SeqCst, orders))
    }

    /// Order and address spaces of a memory semantics operand; both spaces where only the run
    /// knows.
    pub(super) fn semantics(&mut self, inst: &Inst<'_>, n: usize) -> Result<Choice<Semantics>> {
        const fn everywhere(order: MemoryOrder) -> Semantics {
            Semantics {
                order,
                global: true,
                local: true,
            }
        }
        const FENCES: &[(u64, Semantics)] = &[
            (0, everywhere(MemoryOrder::Relaxed)),
            (2, everywhere(MemoryOrder::Acquire)),
            (4, everywhere(MemoryOrder::Release)),
            (8, everywhere(MemoryOrder::AcqRel)),
            (6, everywhere(MemoryOrder::AcqRel)),
        ];
        let value = self.arg(inst, n)?;
        if let Some(bits) = self.func.const_bits(value) {
            return Ok(Choice::Known(Semantics {
                order: known_order(inst, bits)?,
                // Images are behind the same caches as buffers.
                global: bits & (0x200 | 0x800) != 0,
                local: bits & 0x100 != 0,
            }));
        }
        Ok(match self.order(inst, n, Access::Both)? {
            Choice::Run(order, strongest, _) => Choice::Run(order, everywhere(strongest), FENCES),
            Choice::Known(order) => Choice::Known(everywhere(order)),
        })
    }

    /// Emits what `make` emits for a choice: once if it is known, else in each arm of a switch.
    /// The result of the arms is one value of the given type.
    pub(super) fn for_choice<T: Copy + PartialEq + 'static>(
        &mut self,
        inst: &Inst<'_>,
        choice: &Choice<T>,
        ty: Option<Type>,
        make: &mut dyn FnMut(&mut Self, T) -> Result<Option<Value>>,
    ) -> Result<Option<Value>> {
        let (value, otherwise, cases) = match choice {
            Choice::Known(known) => return make(self, *known),
            Choice::Run(value, otherwise, cases) => (*value, *otherwise, *cases),
        };
        let scalar = self.func.ty(value);
        if !scalar.scalar.is_int() || scalar.lanes != 1 {
            return Err(inst.error("the scope is not an integer"));
        }
        // One arm for each thing that is said, whatever the values for it.
        let mut arms: Vec<(T, Block)> = Vec::new();
        let mut arm_of = |what: T| match arms.iter().find(|arm| arm.0 == what) {
            Some(arm) => BlockCall::new(arm.1, &[]),
            None => {
                let block = self.func.make_block();
                arms.push((what, block));
                BlockCall::new(block, &[])
            }
        };
        let cases = cases.iter().map(|&(n, what)| (n, arm_of(what))).collect();
        let default = arm_of(otherwise);
        let done = self.func.make_block();
        let result = ty.map(|ty| self.func.append_param(done, ty));
        self.effect(InstKind::Switch {
            value,
            default,
            cases,
        });
        for (what, arm) in arms {
            self.place(arm);
            self.block = Some(arm);
            let made = make(self, what)?;
            let mut dest = BlockCall::new(done, &[]);
            dest.args.extend(made);
            if dest.args.len() != usize::from(result.is_some()) {
                return Err(inst.error("the arms differ"));
            }
            self.effect(InstKind::Jump { dest });
        }
        self.place(done);
        self.block = Some(done);
        Ok(result)
    }

    /// Puts a block behind the one that is being filled: blocks stay in an order in which
    /// definitions come first.
    pub(super) fn place(&mut self, block: Block) {
        let blocks = &mut self.func.layout.blocks;
        let at = (blocks.iter().position(|&other| Some(other) == self.block))
            .map_or(blocks.len(), |at| at + 1);
        blocks.insert(at, block);
    }
}

fn known_order(inst: &Inst<'_>, bits: u64) -> Result<MemoryOrder> {
    Ok(match bits & ORDER_BITS {
        0 => MemoryOrder::Relaxed,
        2 => MemoryOrder::Acquire,
        4 => MemoryOrder::Release,
        8 | 6 => MemoryOrder::AcqRel,
        16 => MemoryOrder::SeqCst,
        other => {
            return Err(inst.error(format_args!("memory order {other:#x} is not supported")));
        }
    })
}
