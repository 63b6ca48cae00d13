//! A module as the Vulkan driver has it: its shader module, layouts and pipelines. Executables of equal modules share
//! it, so that programs which are built again from the same text are not compiled again.

use parking_lot::Mutex;
use pumice_vulkan_layer::{
    Format, Graph, GraphDesc, LogicalDevice, NodeDesc, Pipeline, PipelineDesc, PipelineLayout,
    Result, ShaderModule,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

use crate::base::json::Fields;
use crate::base::progress::{self, Step};
use crate::base::trace;

use super::image_formats::{ImageFormats, with_formats};
use super::interface::Interface;

/// Modules that are kept for executables to come.
const KEPT_MODULES: usize = 64;
/// The words that their SPIR-V may have, 16 MiB.
const KEPT_WORDS: usize = 4 << 20;

/// Modules of late, the latest last. Guards the list alone: modules and pipelines are made without the lock.
static KEPT: Mutex<Vec<Arc<CompiledModule>>> = Mutex::new(Vec::new());

/// The state that executables of equal modules share.
pub(super) struct CompiledModule {
    device: LogicalDevice,
    module: ShaderModule,
    words: Arc<[u32]>,
    /// See [`Interface::read_images`].
    read_images: Vec<u32>,
    /// One layout per kernel.
    pub layouts: Vec<PipelineLayout>,
    /// Guards the map alone: pipelines are made without the lock.
    pipelines: Mutex<FxHashMap<PipelineKey, Pipeline>>,
}

/// Everything that a pipeline depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct PipelineKey {
    pub kernel: usize,
    /// Every specialization constant that the launch sets.
    pub specialization: Vec<(u32, u32)>,
    pub dispatch_base: bool,
    /// Work-items of its sub-groups, where pipelines require a size.
    pub subgroup_size: Option<u32>,
    /// The kernel wants whole sub-groups, and the size of its groups makes them in the first dimension.
    pub full_subgroups: bool,
    /// The formats of the images that need one.
    pub formats: ImageFormats,
}

/// An entry point of the module as a node of a work graph.
#[derive(Clone, Copy)]
pub(super) struct NodeEntry<'a> {
    pub entry: &'a str,
    /// The node's name and index.
    pub name: (&'a str, u32),
    /// Every specialization constant that is set.
    pub specialization: &'a [(u32, u32)],
    /// Work-items of its sub-groups, where pipelines require a size.
    pub subgroup_size: Option<u32>,
}

impl CompiledModule {
    /// The module of these words on a device, one that is kept if there is one. `interface` is that of the words.
    ///
    /// # Errors
    /// The driver refuses the module or a layout.
    pub fn of(
        device: &LogicalDevice,
        words: &Arc<[u32]>,
        interface: &Interface,
    ) -> Result<Arc<Self>> {
        if let Some(module) = take_kept(device, words) {
            return Ok(module);
        }
        let module = Arc::new(Self::new(device, words, interface)?);
        keep(Arc::clone(&module));
        Ok(module)
    }

    fn new(device: &LogicalDevice, words: &Arc<[u32]>, interface: &Interface) -> Result<Self> {
        let read_images = interface.read_images.clone();
        let named = with_formats(words, &read_images, &[], device.capabilities());
        let module = device.create_shader_module(&named)?;
        let mut layouts = Vec::with_capacity(interface.kernels.len());
        for index in 0..interface.kernels.len() {
            // Descriptors that are bound for a kernel serve its copy.
            let of = interface.coarse_of(index).unwrap_or(index);
            layouts.push(match layouts.get(of) {
                Some(layout) => PipelineLayout::clone(layout),
                None => device.create_pipeline_layout(&interface.kernels[index].layout)?,
            });
        }
        Ok(Self {
            device: device.clone(),
            module,
            words: Arc::clone(words),
            read_images,
            layouts,
            pipelines: Mutex::default(),
        })
    }

    /// The pipeline of a kernel, made if there is none yet.
    pub fn pipeline(&self, entry: &str, key: PipelineKey) -> Result<Pipeline> {
        if let Some(pipeline) = self.pipelines.lock().get(&key) {
            return Ok(pipeline.clone());
        }
        let _span = trace::span_with("build", "the Vulkan driver compiles", || {
            Fields::default().text("kernel", entry)
        });
        let what = || format!("compiling kernel {entry} by the Vulkan driver");
        let made = progress::during(what, &Step::default(), || {
            self.device.create_pipeline(&PipelineDesc {
                module: &self.module_with(&key.formats)?,
                entry,
                layout: &self.layouts[key.kernel],
                specialization: &key.specialization,
                dispatch_base: key.dispatch_base,
                subgroup_size: key.subgroup_size,
                full_subgroups: key.full_subgroups,
            })
        })?;
        // Another thread may have been first; either will do.
        Ok(self.pipelines.lock().entry(key).or_insert(made).clone())
    }

    /// The module with these formats of images.
    fn module_with(&self, formats: &[(u32, Format)]) -> Result<ShaderModule> {
        if formats.is_empty() {
            return Ok(self.module.clone());
        }
        let caps = self.device.capabilities();
        let words = with_formats(&self.words, &self.read_images, formats, caps);
        self.device.create_shader_module(&words)
    }

    /// Makes a work graph with the layout of a kernel.
    pub fn graph(&self, nodes: &[NodeEntry<'_>], kernel: usize) -> Result<Graph> {
        let _span = trace::span_with("build", "the Vulkan driver compiles", || {
            Fields::default().with("nodes of a work graph", nodes.len())
        });
        let what = || "compiling a work graph by the Vulkan driver".to_string();
        let nodes: Vec<NodeDesc<'_>> = (nodes.iter())
            .map(|node| NodeDesc {
                module: &self.module,
                entry: node.entry,
                name: node.name,
                specialization: node.specialization,
                subgroup_size: node.subgroup_size,
            })
            .collect();
        progress::during(what, &Step::default(), || {
            self.device.create_graph(&GraphDesc {
                nodes: &nodes,
                layout: &self.layouts[kernel],
            })
        })
    }
}

/// A kept module of these words, which becomes the latest.
fn take_kept(device: &LogicalDevice, words: &[u32]) -> Option<Arc<CompiledModule>> {
    let mut kept = KEPT.lock();
    let mut all = kept.iter();
    let at = all.position(|kept| *kept.words == *words && kept.device.same(device))?;
    let found = kept.remove(at);
    let module = Arc::clone(&found);
    kept.push(found);
    Some(module)
}

/// Keeps a module, and lets the oldest go that are too many or too long.
fn keep(module: Arc<CompiledModule>) {
    let mut kept = KEPT.lock();
    kept.push(module);
    let mut words: usize = kept.iter().map(|kept| kept.words.len()).sum();
    let mut gone = kept.len().saturating_sub(KEPT_MODULES);
    words -= kept[..gone]
        .iter()
        .map(|kept| kept.words.len())
        .sum::<usize>();
    while words > KEPT_WORDS {
        words -= kept[gone].words.len();
        gone += 1;
    }
    let old: Vec<Arc<CompiledModule>> = kept.drain(..gone).collect();
    // The driver frees their pipelines without the lock.
    drop(kept);
    drop(old);
}
