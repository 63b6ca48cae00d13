//! Global and constant memory through descriptors.
//!
//! A pointer in registers is a 32-bit byte offset; its buffer is known statically ([`bases`]).
//! Every binding is declared once for each width that it is accessed in, as an array of such
//! elements, and once more for loads of what nothing in the launch writes. All of these are
//! Aliased: two arguments may be one buffer, too. Where a pointer may point into several buffers,
//! the pass `select_buffers` has left a choice between pointers that each have one, which becomes
//! a choice between pointers to elements (variable pointers).

use super::access::{ArrayLocation, MemoryLocation};
use super::builder::Id;
use super::descriptors::Slot;
use super::emitter::Emitter;
use pumice_ir::LowerError;
use pumice_ir::analysis::bases::{self, Base, BaseSet};
use pumice_ir::{AccessFlags, ConvertOp, InstKind, Scalar, Type, Value};
use rspirv::spirv::{Capability, Decoration, Op, StorageClass};

/// The target of an access to a buffer.
#[derive(Clone, Debug)]
pub(crate) struct BufferLocation {
    /// The byte offset, whichever the buffer is.
    pub offset: Id,
    /// Nothing in the launch writes there ([`AccessFlags::READ_ONLY`]).
    unwritten: bool,
    to: To,
}

#[derive(Clone, Debug)]
enum To {
    Storage(Slot),
    Uniform(Slot),
    Choice(Id, Box<[BufferLocation; 2]>),
}

impl BufferLocation {
    /// The buffer's storage class. Choices are between storage buffers only.
    pub fn class(&self) -> StorageClass {
        match self.to {
            To::Uniform(_) => StorageClass::Uniform,
            To::Storage(_) | To::Choice(..) => StorageClass::StorageBuffer,
        }
    }

    /// Returns whether nothing can be stored there.
    pub fn is_read_only(&self) -> bool {
        matches!(self.to, To::Uniform(_))
    }

    /// The same location for a load with these flags.
    pub fn for_load(self, flags: AccessFlags) -> Self {
        let unwritten = flags.contains(AccessFlags::READ_ONLY);
        let to = match self.to {
            To::Choice(cond, both) => {
                To::Choice(cond, Box::new(both.map(|one| one.for_load(flags))))
            }
            to => to,
        };
        Self {
            unwritten,
            to,
            ..self
        }
    }

    /// The location in one buffer, for any access.
    fn of(offset: Id, to: To) -> MemoryLocation {
        MemoryLocation::Buffer(Self {
            offset,
            unwritten: false,
            to,
        })
    }
}

/// Bytes of a uniform buffer's row.
const ROW: u32 = 16;

impl Emitter<'_> {
    /// Returns whether global and constant memory is reached through descriptors.
    pub fn has_buffers(&self) -> bool {
        self.descriptors.is_some()
    }

    /// Returns whether a type holds a pointer that is a 32-bit offset in registers.
    pub fn is_offset_pointer(&self, ty: Type) -> bool {
        pumice_ir::analysis::partition::is_offset_pointer(ty)
            || (self.has_buffers() && bases::is_buffer_pointer(ty))
    }

    /// The buffers of a pointer of the current function.
    fn bases_of(&self, ptr: Value) -> BaseSet {
        self.bases
            .as_ref()
            .map(|bases| bases.get(&self.module.functions[self.cur], ptr))
            .unwrap_or_default()
    }

    /// A diagnosis that says where.
    fn lost(&self, what: &str) -> LowerError {
        let f = &self.module.functions[self.cur];
        let kernel = self.kernel_of[self.cur].map(|k| &self.module.kernels[k as usize].name);
        let at = match self.loc.line {
            0 => String::new(),
            line => format!("line {line}: "),
        };
        LowerError::new(format!(
            "{at}{what} is used in '{}': without device addresses the buffer that a pointer \
             points into must be known when the program is built",
            kernel.unwrap_or(&f.name),
        ))
    }

    /// Gives the target of an access through a global or constant pointer.
    pub fn buffer_location(&mut self, ptr: Value) -> Result<MemoryLocation, LowerError> {
        let set = self.bases_of(ptr);
        if let Some(lost) = set.lost {
            return Err(self.lost(lost.what()));
        }
        match *set.buffers() {
            [] => Ok(MemoryLocation::Nowhere),
            [base] => {
                let offset = self.value(ptr);
                self.location_in(base, offset)
            }
            [..] => {
                let f = &self.module.functions[self.cur];
                let inst = f.def_inst(ptr).map(|inst| &f.insts[inst].kind);
                let Some(&InstKind::Select { cond, then, other }) = inst else {
                    return Err(self.lost("a pointer into one of several buffers"));
                };
                let offset = self.value(ptr);
                let cond = self.value(cond);
                let (MemoryLocation::Buffer(then), MemoryLocation::Buffer(other)) =
                    (self.buffer_location(then)?, self.buffer_location(other)?)
                else {
                    return Err(self.lost("a choice between buffers of different kinds"));
                };
                if then.is_read_only() || other.is_read_only() {
                    return Err(self.lost("a choice between buffers of different kinds"));
                }
                let both = Box::new([then, other]);
                Ok(BufferLocation::of(offset, To::Choice(cond, both)))
            }
        }
    }

    fn location_in(&mut self, base: Base, offset: Id) -> Result<MemoryLocation, LowerError> {
        let internal = || LowerError::new(format!("internal: {base:?} is no buffer"));
        let descriptors = self.descriptors.as_ref().ok_or_else(internal)?;
        if let Base::Arg(at) = base {
            let kernel = self.kernel_of[self.cur].ok_or_else(internal)?;
            let pointer = descriptors.pointer(kernel, at).ok_or_else(internal)?;
            let to = match pointer.uniform {
                true => To::Uniform(pointer.slot),
                false => To::Storage(pointer.slot),
            };
            return Ok(BufferLocation::of(offset, to));
        }
        if base == Base::Constants {
            if let Some(var) = self.private_constants {
                self.cur_uses.insert(var);
                return Ok(MemoryLocation::Array(ArrayLocation {
                    var,
                    class: StorageClass::Private,
                    unit: 4,
                    offset,
                }));
            }
            if descriptors.options.constant_args_uniform {
                let to = To::Uniform(descriptors.constants);
                return Ok(BufferLocation::of(offset, to));
            }
        }
        let slot = descriptors.module_slot(base).ok_or_else(internal)?;
        let to = To::Storage(slot);
        Ok(BufferLocation::of(offset, to))
    }

    /// The same location, `bytes` further.
    pub fn moved(&mut self, location: &BufferLocation, bytes: u32) -> BufferLocation {
        if bytes == 0 {
            return location.clone();
        }
        let to = match &location.to {
            To::Choice(cond, both) => {
                let both = [self.moved(&both[0], bytes), self.moved(&both[1], bytes)];
                To::Choice(*cond, Box::new(both))
            }
            to => to.clone(),
        };
        BufferLocation {
            offset: self.add_bytes(location.offset, bytes),
            to,
            ..*location
        }
    }

    /// The width in bytes of the elements that `width` bytes are accessed by.
    pub fn buffer_unit(&self, location: &BufferLocation, width: u32) -> u32 {
        let allowed = match width {
            1 => self.target.storage8.storage_buffer,
            2 => self.target.storage16.storage_buffer,
            _ => true,
        };
        if allowed && location.class() != StorageClass::Uniform {
            width
        } else {
            width.max(4)
        }
    }

    /// A pointer to `lanes` elements of `width` bytes, `at` bytes behind the location.
    pub fn buffer_element(
        &mut self,
        location: &BufferLocation,
        width: u32,
        lanes: u32,
        at: u32,
    ) -> Id {
        let scalar = self.b.ty_int(width * 8);
        let element = self.b.ty_vector(scalar, lanes);
        let class = location.class();
        let ptr = self.b.ty_pointer(class, element);
        let zero = self.b.const_u32(0);
        let bytes = width * lanes;
        match &location.to {
            To::Choice(cond, both) => {
                let cond = *cond;
                let both = both.clone();
                let then = self.buffer_element(&both[0], width, lanes, at);
                let other = self.buffer_element(&both[1], width, lanes, at);
                self.b.capability(Capability::VariablePointers);
                self.b.capability(Capability::VariablePointersStorageBuffer);
                self.b.op(Op::Select, ptr, &[cond, then, other])
            }
            &To::Storage(slot) => {
                let var = self.storage_variable(slot, (width, lanes), location.unwritten);
                let index = if at % bytes == 0 {
                    self.element_index(location.offset, bytes, at / bytes)
                } else {
                    let offset = self.add_bytes(location.offset, at);
                    self.element_index(offset, bytes, 0)
                };
                self.b.op(Op::AccessChain, ptr, &[var, zero, index])
            }
            &To::Uniform(slot) => {
                let var = self.uniform_variable(slot);
                let offset = self.add_bytes(location.offset, at);
                let row = self.element_index(offset, ROW, 0);
                if lanes == 4 {
                    return self.b.op(Op::AccessChain, ptr, &[var, zero, row]);
                }
                let u32_ty = self.b.ty_int(32);
                let word = self.element_index(offset, 4, 0);
                let three = self.b.const_u32(3);
                let column = self.b.op(Op::BitwiseAnd, u32_ty, &[word, three]);
                self.b.op(Op::AccessChain, ptr, &[var, zero, row, column])
            }
        }
    }

    /// The variable of a binding for elements of `lanes` integers of `width` bytes; `unwritten`: for loads of what nothing in the
    /// launch writes.
    fn storage_variable(&mut self, slot: Slot, (width, lanes): (u32, u32), unwritten: bool) -> Id {
        let key = (slot, width, lanes, unwritten);
        if let Some(&var) = self.buffer_vars.get(&key) {
            self.cur_uses.insert(var);
            return var;
        }
        let scalar = self.b.ty_int(width * 8);
        let element = self.b.ty_vector(scalar, lanes);
        let block = match self.buffer_blocks.get(&(width, lanes)) {
            Some(&block) => block,
            None => {
                let array = self.b.global(Op::TypeRuntimeArray, None, &[element]);
                let stride = width * lanes;
                self.b.decorate(array, Decoration::ArrayStride, &[stride]);
                let block = self.block(array);
                self.buffer_blocks.insert((width, lanes), block);
                block
            }
        };
        let var = self.bound_variable(block, StorageClass::StorageBuffer, slot);
        self.b.decorate(var, Decoration::Aliased, &[]);
        if !self.target.vulkan_memory_model {
            self.b.decorate(var, Decoration::Coherent, &[]);
        }
        if unwritten {
            self.b.decorate(var, Decoration::NonWritable, &[]);
        }
        self.buffer_vars.insert(key, var);
        self.cur_uses.insert(var);
        var
    }

    /// The variable of a uniform buffer: rows of four words.
    fn uniform_variable(&mut self, slot: Slot) -> Id {
        let rows = self.target.max_uniform_buffer_size / ROW;
        let key = (slot, 0, 0, false);
        let var = match self.buffer_vars.get(&key) {
            Some(&var) => var,
            None => {
                let block = match self.buffer_blocks.get(&(0, 0)) {
                    Some(&block) => block,
                    None => {
                        let u32_ty = self.b.ty_int(32);
                        let row = self.b.ty_vector(u32_ty, 4);
                        let length = self.b.const_u32(rows.max(1));
                        let array = self.b.global(Op::TypeArray, None, &[row, length]);
                        self.b.decorate(array, Decoration::ArrayStride, &[ROW]);
                        let block = self.block(array);
                        self.buffer_blocks.insert((0, 0), block);
                        block
                    }
                };
                let var = self.bound_variable(block, StorageClass::Uniform, slot);
                self.buffer_vars.insert(key, var);
                var
            }
        };
        self.cur_uses.insert(var);
        var
    }

    /// A Block with one member.
    pub fn block(&mut self, member: Id) -> Id {
        let block = self.b.global(Op::TypeStruct, None, &[member]);
        self.b.decorate(block, Decoration::Block, &[]);
        self.b.decorate_member(block, 0, Decoration::Offset, &[0]);
        block
    }

    /// A variable with a descriptor.
    pub fn bound_variable(&mut self, block: Id, class: StorageClass, slot: Slot) -> Id {
        let ptr = self.b.ty_pointer(class, block);
        let var = self.b.variable(ptr, class);
        self.b.decorate(var, Decoration::DescriptorSet, &[slot.set]);
        self.b.decorate(var, Decoration::Binding, &[slot.binding]);
        var
    }

    /// Returns whether a whole vector is one element.
    fn is_element(&self, location: &BufferLocation, ty: Type, align: u32) -> bool {
        let size = ty.scalar.bytes();
        let bytes = size * u32::from(ty.lanes);
        matches!(ty.lanes, 2 | 4)
            && align >= bytes
            && match location.class() {
                StorageClass::Uniform => bytes == ROW && size == 4,
                _ => {
                    let fits = size == 4 || size == 8 && self.target.int64;
                    fits && !matches!(ty.scalar, Scalar::Ptr(_))
                }
            }
    }

    /// A vector in one access, where it is one element.
    pub fn load_vector(
        &mut self,
        location: &BufferLocation,
        ty: Type,
        align: u32,
        flags: AccessFlags,
    ) -> Option<Id> {
        if !self.is_element(location, ty, align) {
            return None;
        }
        let (width, lanes) = (ty.scalar.bytes(), u32::from(ty.lanes));
        let scalar = self.b.ty_int(width * 8);
        let bits_ty = self.b.ty_vector(scalar, lanes);
        let ptr = self.buffer_element(location, width, lanes, 0);
        let bits = self.raw_load(location.class(), ptr, bits_ty, align, flags);
        let ty = self.ty(ty);
        Some(if ty == bits_ty {
            bits
        } else {
            self.b.op(Op::Bitcast, ty, &[bits])
        })
    }

    /// Stores a vector in one access, where it is one element.
    pub fn store_vector(
        &mut self,
        location: &BufferLocation,
        value: Id,
        ty: Type,
        align: u32,
        flags: AccessFlags,
    ) -> bool {
        if !self.is_element(location, ty, align) {
            return false;
        }
        let (width, lanes) = (ty.scalar.bytes(), u32::from(ty.lanes));
        let scalar = self.b.ty_int(width * 8);
        let bits_ty = self.b.ty_vector(scalar, lanes);
        let bits = if self.ty(ty) == bits_ty {
            value
        } else {
            self.b.op(Op::Bitcast, bits_ty, &[value])
        };
        let ptr = self.buffer_element(location, width, lanes, 0);
        self.raw_store(location.class(), ptr, bits, align, flags);
        true
    }

    fn null_is_empty(&self) -> bool {
        self.descriptors
            .as_ref()
            .is_some_and(|d| d.options.null_is_empty)
    }

    /// An argument's number, or 0 where nothing is bound.
    fn number_unless_null(&mut self, base: Base, number: Id) -> Result<Id, LowerError> {
        let zero = self.b.const_u32(0);
        let MemoryLocation::Buffer(BufferLocation {
            to: To::Storage(slot),
            ..
        }) = self.location_in(base, zero)?
        else {
            return Ok(number);
        };
        let (u32_ty, bool_ty) = (self.b.ty_int(32), self.b.ty_bool());
        let var = self.storage_variable(slot, (4, 1), false);
        let words = self.b.op(Op::ArrayLength, u32_ty, &[var, 0]);
        let null = self.b.op(Op::IEqual, bool_ty, &[words, zero]);
        Ok(self.b.op(Op::Select, u32_ty, &[null, zero, number]))
    }

    /// The integer that a pointer is outside registers: the buffer's number above the offset.
    pub fn number_of(&mut self, ptr: Value) -> Result<Id, LowerError> {
        let descriptors = self.descriptors.as_ref();
        if descriptors.is_some_and(|d| d.options.opaque_pointers) {
            return Err(self.lost("the value of a pointer"));
        }
        let set = self.bases_of(ptr);
        let offset = self.value(ptr);
        let base = match set.bases[..] {
            // A pointer of unknown origin: nothing can come of its bits.
            [] => Base::Null,
            [base] => base,
            // `select_buffers` has written these out.
            [..] => return Err(self.lost("a pointer into one of several buffers")),
        };
        let mut number = self.b.const_u32(base.number());
        if let (Base::Arg(_), true) = (base, self.null_is_empty()) {
            number = self.number_unless_null(base, number)?;
        }
        Ok(self.wide_of_words([offset, number]))
    }

    /// The offset of program-scope data as a pointer.
    pub fn buffer_offset(&mut self, offset: u64) -> Result<Id, LowerError> {
        let offset = u32::try_from(offset)
            .map_err(|_| LowerError::new("program-scope data does not fit in 4 GiB"))?;
        Ok(self.b.const_u32(offset))
    }

    /// Conversions from and to pointers that are offsets into buffers; `None` if it is none.
    pub fn convert_buffer_pointer(
        &mut self,
        op: ConvertOp,
        arg: Value,
        to: Type,
    ) -> Result<Option<Id>, LowerError> {
        if !self.has_buffers() {
            return Ok(None);
        }
        let from = self.value_ty(arg);
        let (out, into) = (bases::is_buffer_pointer(from), bases::is_buffer_pointer(to));
        if out && from.is_vector() || into && to.is_vector() {
            return Err(self.lost("a vector of pointers"));
        }
        match op {
            ConvertOp::PtrToInt if out => self.number_of(arg).map(Some),
            ConvertOp::AddressSpaceCast if out && into => Ok(Some(self.value(arg))),
            ConvertOp::AddressSpaceCast if out => self.number_of(arg).map(Some),
            ConvertOp::IntToPtr | ConvertOp::AddressSpaceCast if into => {
                self.low_word(arg).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Buffers have no addresses that could be compared: `select_buffers` compares buffers and
    /// offsets, where that tells anything.
    pub fn check_comparison(&self, args: [Value; 2]) -> Result<(), LowerError> {
        if self.has_buffers() && bases::is_buffer_pointer(self.value_ty(args[0])) {
            return Err(self.lost("a comparison of pointers"));
        }
        Ok(())
    }
}
