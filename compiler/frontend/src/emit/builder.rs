//! The builder of Kernel modules: [`pumice_spirv::Builder`] with blocks, linkage and what Kernel
//! modules always have.
//!
//! Never judges what it writes beyond de-duplication; [`super::Emitter`] knows what is legal.

use pumice_budget as budget;
use pumice_spirv::{Section, string_words};
use rspirv::spirv::{
    AddressingModel, Capability, Decoration, FunctionControl, LinkageType, MemoryModel, Op,
};
use smallvec::SmallVec;
use std::ops::{Deref, DerefMut};

/// Bytes of a file's text that one instruction takes: less than the 256 KiB that it holds.
const MAX_TEXT: usize = 200_000;

/// Builds one Kernel module.
pub struct Builder {
    module: pumice_spirv::Builder,
    /// The import of OpenCL.std.
    opencl_std: u32,
    /// The label of the open block; `None` behind a terminator.
    block: Option<u32>,
}

impl Deref for Builder {
    type Target = pumice_spirv::Builder;

    fn deref(&self) -> &Self::Target {
        &self.module
    }
}

impl DerefMut for Builder {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.module
    }
}

impl Builder {
    /// An empty Kernel module (Physical64, or Physical32 for narrow addresses; OpenCL).
    pub fn new(narrow_addresses: bool) -> Self {
        let mut module =
            pumice_spirv::Builder::new((1, 2), Capability::Float16Buffer, budget::spend);
        let addressing = match narrow_addresses {
            true => AddressingModel::Physical32,
            false => AddressingModel::Physical64,
        };
        module.memory_model(addressing, MemoryModel::OpenCL);
        let opencl_std = module.import("OpenCL.std");
        for capability in [
            Capability::Addresses,
            Capability::Linkage,
            Capability::Kernel,
        ] {
            module.capability(capability);
        }
        Self {
            module,
            opencl_std,
            block: None,
        }
    }

    /// OpTypeArray with a 32- or 64-bit length constant.
    pub fn ty_array(&mut self, element: u32, length: u64) -> u32 {
        let bits = if length > u64::from(u32::MAX) { 64 } else { 32 };
        let length = self.const_int(bits, length);
        self.unique(Op::TypeArray, None, &[element, length])
    }

    /// OpTypeFunction.
    pub fn ty_function(&mut self, result: u32, params: &[u32]) -> u32 {
        let mut operands: SmallVec<[u32; 12]> = SmallVec::new();
        operands.push(result);
        operands.extend_from_slice(params);
        self.unique(Op::TypeFunction, None, &operands)
    }

    /// OpSource OpenCL_C with a version such as 102000.
    pub fn source(&mut self, version: u32) {
        self.push(Section::Strings, Op::Source, [&[3, version]]);
    }

    /// OpSource with a file's text, in as many instructions as it takes.
    pub fn source_text(&mut self, version: u32, file: u32, text: &str) {
        let mut rest = text;
        let mut first = true;
        while first || !rest.is_empty() {
            let boundary = |at: &usize| rest.is_char_boundary(*at);
            let end = (0..=rest.len().min(MAX_TEXT)).rev().find(boundary);
            let (piece, behind) = rest.split_at(end.unwrap_or(rest.len()));
            let words = string_words(piece);
            match first {
                true => self.push(
                    Section::Strings,
                    Op::Source,
                    [&[3, version, file], &words[..]],
                ),
                false => self.push(Section::Strings, Op::SourceContinued, [&words[..]]),
            }
            (rest, first) = (behind, false);
        }
    }

    /// OpDecorate LinkageAttributes.
    pub fn linkage(&mut self, id: u32, name: &str, linkage: LinkageType) {
        let mut operands = string_words(name);
        operands.push(linkage as u32);
        if linkage == LinkageType::LinkOnceODR {
            self.extension("SPV_KHR_linkonce_odr");
        }
        self.decorate(id, Decoration::LinkageAttributes, &operands);
    }

    // ---- functions ----

    /// Declares a function without a body.
    pub fn declare(&mut self, id: u32, ty: u32, result: u32, params: &[u32]) {
        let to = Section::Declarations;
        let control = FunctionControl::NONE.bits();
        self.push(to, Op::Function, [&[result, id, control, ty]]);
        for &param in params {
            let id = self.id();
            self.push(to, Op::FunctionParameter, [&[param, id]]);
        }
        self.push(to, Op::FunctionEnd, [&[]]);
    }

    /// Begins a function; gives the parameters' ids. The first block is open.
    pub fn begin_function(
        &mut self,
        id: u32,
        ty: u32,
        result: u32,
        control: FunctionControl,
        params: &[u32],
    ) -> Vec<u32> {
        let ids = self.module.begin_function(id, ty, result, control, params);
        let entry = self.id();
        self.entry_block(entry);
        self.block = Some(entry);
        ids
    }

    /// Ends the function. The open block must be terminated.
    pub fn end_function(&mut self) {
        debug_assert!(self.block.is_none(), "open block at the function's end");
        self.module.end_function();
    }

    /// The open block's label.
    pub fn block(&self) -> Option<u32> {
        self.block
    }

    /// Starts the block `label`; an open block branches to it.
    pub fn start_block(&mut self, label: u32) {
        if self.block.is_some() {
            self.branch(label);
        }
        self.label(label);
        self.block = Some(label);
    }

    /// Makes sure that a block is open, so that unreachable code has a place.
    fn open(&mut self) {
        if self.block.is_none() {
            let label = self.id();
            self.label(label);
            self.block = Some(label);
        }
    }

    /// An instruction with a result.
    pub fn op(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        self.open();
        self.inst(op, ty, operands)
    }

    /// A vector from parts: a constant when every part is a scalar constant.
    pub fn construct(&mut self, ty: u32, parts: &[u32]) -> u32 {
        if parts.iter().all(|&part| self.is_scalar_constant(part)) {
            self.const_composite(ty, parts)
        } else {
            self.op(Op::CompositeConstruct, ty, parts)
        }
    }

    /// An instruction without a result.
    pub fn op_void(&mut self, op: Op, operands: &[u32]) {
        self.open();
        self.stmt(op, operands);
    }

    /// OpLine; allowed only inside an open block.
    pub fn line(&mut self, file: u32, line: u32, column: u32) {
        if self.block.is_some() {
            self.stmt(Op::Line, &[file, line, column]);
        }
    }

    /// OpExtInst of SPV_AMD_shader_ballot.
    pub fn amd_ballot(&mut self, number: u32, ty: u32, operands: &[u32]) -> u32 {
        const NAME: &str = "SPV_AMD_shader_ballot";
        self.extension(NAME);
        let set = self.import(NAME);
        self.op(Op::ExtInst, ty, &[&[set, number], operands].concat())
    }

    /// OpExtInst of OpenCL.std.
    pub fn ext(&mut self, number: u32, ty: u32, operands: &[u32]) -> u32 {
        let mut all: SmallVec<[u32; 8]> = SmallVec::from_slice(&[self.opencl_std, number]);
        all.extend_from_slice(operands);
        self.op(Op::ExtInst, ty, &all)
    }

    fn terminate(&mut self, op: Op, operands: &[u32]) {
        self.op_void(op, operands);
        self.block = None;
    }

    /// OpBranch.
    pub fn branch(&mut self, target: u32) {
        self.terminate(Op::Branch, &[target]);
    }

    /// OpBranchConditional.
    pub fn branch_if(&mut self, condition: u32, yes: u32, no: u32) {
        self.terminate(Op::BranchConditional, &[condition, yes, no]);
    }

    /// OpSwitch; `cases` are literal words and labels as they stand in the instruction.
    pub fn switch(&mut self, selector: u32, default: u32, cases: &[u32]) {
        let mut operands = vec![selector, default];
        operands.extend_from_slice(cases);
        self.terminate(Op::Switch, &operands);
    }

    /// OpReturn or OpReturnValue.
    pub fn ret(&mut self, value: Option<u32>) {
        match value {
            Some(value) => self.terminate(Op::ReturnValue, &[value]),
            None => self.terminate(Op::Return, &[]),
        }
    }

    /// The finished module.
    pub fn finish(self) -> Vec<u32> {
        self.module.finish()
    }
}
