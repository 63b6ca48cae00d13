//! A kernel while its instructions are gathered, and the interface that comes of it.

use std::collections::BTreeMap;

use pumice_vulkan_layer::{Binding, BindingKind, Capabilities, PipelineLayoutDesc};

use super::gather::{InterfaceBuilder, Result};
use super::gather_images::check_number;
use super::limits::{check_counts, check_set, push_end};
use super::{ArgMeta, ArgPlace, BindingSource, KernelInfo, KernelInterface};

/// A kernel while its instructions are gathered.
pub(super) struct KernelDraft {
    pub name: String,
    pub attributes: String,
    pub function: u32,
    pub num_args: Option<u32>,
    pub may_use_printf: Option<bool>,
    pub args: BTreeMap<u32, ArgMeta>,
    pub places: Vec<(usize, ArgPlace)>,
    /// The kinds of the blocks that arguments lie in, by set and binding.
    pub block_kinds: BTreeMap<(u32, u32), BindingKind>,
    pub required: Option<[u32; 3]>,
}

impl KernelDraft {
    /// Notes the kind of a block that arguments lie in.
    ///
    /// # Errors
    /// The block has another kind already.
    pub fn note_block(&mut self, set: u32, binding: u32, kind: BindingKind) -> Result<()> {
        let known = *self.block_kinds.entry((set, binding)).or_insert(kind);
        match known == kind {
            true => Ok(()),
            false => Err(format!(
                "kernel `{}`: set {set} binding {binding} has two kinds",
                self.name
            )),
        }
    }
}

/// The bindings and push constants of a kernel, claimed place by place.
struct Claims<'a> {
    caps: &'a Capabilities,
    bindings: BTreeMap<(u32, u32), (BindingKind, BindingSource)>,
    push_end: u32,
}

impl Claims<'_> {
    /// Claims a binding for one use, or for a block that several arguments share.
    fn binding(
        &mut self,
        (set, binding): (u32, u32),
        kind: BindingKind,
        source: BindingSource,
    ) -> Result<()> {
        check_set(self.caps, set)?;
        let entry = self.bindings.entry((set, binding));
        let entry = entry.or_insert((kind, source));
        if *entry == (kind, source) {
            return Ok(());
        }
        match (entry, source) {
            ((kind_there, BindingSource::Block(size)), BindingSource::Block(more))
                if *kind_there == kind =>
            {
                *size = (*size).max(more);
                Ok(())
            }
            _ => Err(format!("set {set} binding {binding} has two uses")),
        }
    }

    fn push_constants(&mut self, offset: u32, size: u32) -> Result<()> {
        let end = push_end(self.caps, offset, size)?;
        self.push_end = self.push_end.max(end);
        Ok(())
    }

    /// Claims what a place needs.
    fn place(&mut self, draft: &KernelDraft, ordinal: usize, place: ArgPlace) -> Result<()> {
        match place {
            ArgPlace::Descriptor { set, binding, kind } => {
                self.binding((set, binding), kind, BindingSource::Argument(ordinal))
            }
            ArgPlace::Block {
                set,
                binding,
                offset,
                size,
                content,
            } => {
                check_number(ordinal, content, &draft.args)?;
                let kind = draft.block_kinds.get(&(set, binding));
                let kind = kind.copied().unwrap_or(BindingKind::UniformBuffer);
                let limit = match kind {
                    BindingKind::StorageBuffer => self.caps.limits.max_storage_buffer_range,
                    _ => self.caps.limits.max_uniform_buffer_range,
                };
                let end = offset.checked_add(size).filter(|&end| end <= limit);
                let end =
                    end.ok_or_else(|| format!("argument {ordinal} lies beyond {limit} bytes"))?;
                // Blocks are laid out in multiples of 16 bytes.
                let end = end.next_multiple_of(16).min(limit);
                self.binding((set, binding), kind, BindingSource::Block(end))
            }
            ArgPlace::Push {
                offset,
                size,
                content,
            } => {
                check_number(ordinal, content, &draft.args)?;
                self.push_constants(offset, size)
            }
            ArgPlace::ImageLevel(level, set, binding) => {
                let source = BindingSource::ImageLevel { ordinal, level };
                self.binding((set, binding), BindingKind::StorageImage, source)
            }
            ArgPlace::Local { .. } => Ok(()),
        }
    }

    /// The pipeline layout of all that was claimed.
    fn layout(&self) -> Result<PipelineLayoutDesc> {
        check_counts(self.caps, self.bindings.values().map(|&(kind, _)| kind))?;
        let sets = self.bindings.keys().map(|&(set, _)| set as usize + 1).max();
        let mut layout = PipelineLayoutDesc {
            sets: vec![Vec::new(); sets.unwrap_or(0)],
            push_constant_size: self.push_end.next_multiple_of(4),
        };
        for (&(set, binding), &(kind, _)) in &self.bindings {
            layout.sets[set as usize].push(Binding { binding, kind });
        }
        Ok(layout)
    }
}

impl InterfaceBuilder<'_> {
    /// The interface of a kernel all of whose instructions are gathered.
    ///
    /// # Errors
    /// Places that contradict each other or that the device does not have; no work-group size.
    pub(super) fn finish_kernel(&self, draft: KernelDraft) -> Result<KernelInterface> {
        let in_kernel = |error: String| format!("kernel `{}`: {error}", draft.name);
        let (claims, layout) = self.claims(&draft).map_err(in_kernel)?;
        let fixed_local_size = self.fixed_local_size(&draft).map_err(in_kernel)?;
        let highest = (draft.args.keys().max()).map_or(0, |&ordinal| ordinal + 1);
        let mut args = draft.args;
        let args = (0..draft.num_args.unwrap_or(highest))
            .map(|ordinal| args.remove(&ordinal).unwrap_or_else(ArgMeta::unused))
            .collect();
        let used = self.scan.variables_of(draft.function);
        let read_images = (self.interface.read_images.iter())
            .filter(|variable| used.contains(variable))
            .filter_map(|&variable| {
                let (_, source) = claims.bindings.get(&self.scan.place_of(variable)?)?;
                Some((variable, source.argument()?))
            });
        let read_images = read_images.collect();
        // Before revision 5 a kernel does not say; printf is possible where there is a buffer.
        let may_use_printf =
            draft.may_use_printf.unwrap_or(true) && self.interface.printf.is_some();
        Ok(KernelInterface {
            info: KernelInfo {
                name: draft.name,
                attributes: draft.attributes,
                args,
                required_work_group_size: draft.required,
                may_use_printf,
                ..KernelInfo::default()
            },
            function: draft.function,
            places: draft.places,
            bindings: claims.bindings,
            layout,
            read_images,
            fixed_local_size,
            ..KernelInterface::default()
        })
    }

    fn claims(&self, draft: &KernelDraft) -> Result<(Claims<'_>, PipelineLayoutDesc)> {
        let mut claims = Claims {
            caps: self.caps,
            bindings: self.shared.clone(),
            push_end: self.push_end,
        };
        let declared = self.scan.push_block_end(draft.function);
        claims.push_constants(0, u32::try_from(declared).unwrap_or(u32::MAX))?;
        for &(ordinal, place) in &draft.places {
            claims.place(draft, ordinal, place)?;
        }
        let layout = claims.layout()?;
        Ok((claims, layout))
    }

    /// The work-group size that the module gives a kernel; `None` where launches choose it.
    fn fixed_local_size(&self, draft: &KernelDraft) -> Result<Option<[u32; 3]>> {
        if self.interface.spec_local_size.is_some() {
            return Ok(None);
        }
        let size = self.scan.local_size(draft.function);
        let unknown = "neither the reflection nor the module gives a work-group size";
        size.map(Some).ok_or_else(|| unknown.into())
    }
}
