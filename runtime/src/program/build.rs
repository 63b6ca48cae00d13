//! clBuildProgram and clCompileProgram, and what runs builds; `link.rs` has clLinkProgram.
//!
//! Each call checks its arguments, then runs one [`Call`] for the chosen devices. Devices with one target
//! and one input share a build; only the executable is each device's own.

use std::borrow::Cow;
use std::sync::Arc;

use opencl_sys as cl;
use pumice_budget::{self as budget, Exhausted};
use pumice_compiler::options::{MathOptions, OptionError, parse_build};
use pumice_compiler::target::Checks;
use pumice_compiler::{CompileOptions, KernelModule, LinkOptions, LowerOptions, Target};

use crate::base::callback;
use crate::base::error::{Error, Result};
use crate::base::log;
use crate::base::object::{Object, Ref};
use crate::base::progress::{self, Step};
use crate::base::trace;
use crate::cache::Key;
use crate::device::{Device, Wishes, checks};
use crate::executable::Executable;
use crate::program::begun::Begun;
use crate::program::cached::{self, IncludeRecorder};
use crate::program::coarse_form::CoarseForm;
use crate::program::compile_thread::on_large_stack;
use crate::program::dump;
use crate::program::groups_of_one::GroupsOfOne;
use crate::program::includes::{Allowed, Includes};
use crate::program::input::{Input, checked, key, lower_options};
use crate::program::large_local::LargeLocal;
use crate::program::lowering::Lowering;
use crate::program::stages::Stages;
use crate::program::{Build, Origin, Program, release, spec};

pub use crate::program::compile_thread::unload_compiler;

/// The application's callback, called once when a build has ended.
pub type Notify = Box<dyn FnOnce(Ref<Program>) + Send>;

/// A call that builds, its arguments checked.
pub(super) struct Call {
    /// The options as given.
    pub text: Vec<u8>,
    pub includes: Includes,
    pub kind: CallKind,
    /// True if arguments of kernels stay unknown to clGetKernelArgInfo.
    pub hides_arguments: bool,
    /// The step that it is at.
    pub step: Step,
}

pub(super) enum CallKind {
    Build(CompileOptions, LinkOptions),
    Compile(CompileOptions),
    Link(LinkOptions),
}

impl Call {
    /// The call's name in the cache.
    fn name(&self) -> &'static str {
        match self.kind {
            CallKind::Build(..) => "build",
            CallKind::Compile(_) => "compile",
            CallKind::Link(_) => "link",
        }
    }

    /// The checks that the call's own options ask for.
    fn checks(&self) -> Checks {
        match &self.kind {
            CallKind::Build(options, _) | CallKind::Compile(options) => options.checks,
            CallKind::Link(options) => options.checks,
        }
    }

    /// The error of the call when a build of it fails.
    fn failed(&self) -> Error {
        match self.kind {
            CallKind::Build(..) => Error::BuildProgramFailure,
            CallKind::Compile(_) => Error::CompileProgramFailure,
            CallKind::Link(_) => Error::LinkProgramFailure,
        }
    }

    /// Tells whether the call's own options ask for uniform work-groups.
    fn has_uniform_groups(&self) -> bool {
        match &self.kind {
            CallKind::Build(options, _) => options.math.uniform_work_group_size,
            CallKind::Compile(_) => false,
            CallKind::Link(options) => options.math.uniform_work_group_size,
        }
    }

    /// The state that a failed build leaves.
    fn failure(&self, log: String) -> Build {
        Build {
            status: cl::CL_BUILD_ERROR,
            options: self.text.clone(),
            log,
            ..Build::default()
        }
    }

    /// Runs the stages that the call consists of.
    fn make(&self, input: &Input, stages: &mut Stages<'_>) -> Option<Build> {
        // Options that are no linker's go with an object or a library.
        let unlowered = |module, binary_type, math| Build {
            status: cl::CL_BUILD_SUCCESS,
            kernel_module: Some(module),
            binary_type,
            lowered_with: math,
            ..Build::default()
        };
        match (&self.kind, input) {
            (CallKind::Compile(options), _) => {
                let module = stages.compile(input, options)?;
                if matches!(input, Input::Module(..)) {
                    stages.check(&module)?;
                }
                let kind = cl::CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
                Some(unlowered(module, kind, lower_options(input, options).math))
            }
            (CallKind::Build(compile, link), _) => {
                let module = stages.compile(input, compile)?;
                let module = stages.link(&[&module], link)?;
                stages.lower(module, &lower_options(input, compile))
            }
            (CallKind::Link(options), Input::Modules(modules)) => {
                let modules: Vec<&KernelModule> = modules.iter().map(|m| &**m).collect();
                let module = stages.link(&modules, options)?;
                if options.create_library {
                    let kind = cl::CL_PROGRAM_BINARY_TYPE_LIBRARY;
                    return Some(unlowered(module, kind, options.math));
                }
                let options = LowerOptions {
                    math: options.math,
                    ..LowerOptions::default()
                };
                stages.lower(module, &options)
            }
            (CallKind::Link(_), _) => None,
        }
    }

    /// The options, with all that a build depends on beside them, its input and its target.
    fn text_for_cache(&self, is_mixed: bool) -> Cow<'_, [u8]> {
        let of_inputs = match &self.kind {
            CallKind::Link(options) => options.math,
            CallKind::Build(..) | CallKind::Compile(_) => MathOptions::default(),
        };
        let marks = [
            (is_mixed, "mixed"),
            (of_inputs.correctly_rounded_divide_sqrt, "rounded"),
            (of_inputs.uniform_work_group_size, "uniform"),
        ];
        let mut text = Cow::from(&self.text);
        for (_, mark) in marks.into_iter().filter(|(applies, _)| *applies) {
            text.to_mut().push(0);
            text.to_mut().extend_from_slice(mark.as_bytes());
        }
        text
    }

    /// Makes a build, or takes it from the cache. A build whose stages are dumped does not use the
    /// cache.
    fn make_or_load(
        &self,
        input: &Input,
        (device, wishes): (&Device, Wishes),
        log: &mut String,
    ) -> Option<Build> {
        if let Input::Vulkan(build) = input {
            if let Some(refusal) = wishes.refusal_of_vulkan() {
                log.push_str(refusal);
                return None;
            }
            let loaded = load_executable(checked(build, self.checks(), log)?, device);
            return log_loaded(loaded, log);
        }
        let mut span = trace::span("build", "build program");
        span.tell("call", self.name());
        let most = device.capabilities().limits.max_storage_buffer_range;
        let target = wishes.apply(&device.target().ok()?, most);
        let target = checks::add(&target, self.checks(), device.capabilities());
        let descriptor_target = device.descriptor_target(&target);
        let dump = dump::start(&self.text);
        let text = self.text_for_cache(descriptor_target.is_some());
        let key = match dump {
            Some(_) => None,
            None => key(self.name(), &target, &text, input, &self.includes),
        };
        if let Some(build) = self.load(key.as_ref(), device) {
            span.tell("cache", "hit");
            log.clone_from(&build.log);
            return Some(with_forms(build, &target, device));
        }
        span.tell("cache", if key.is_some() { "miss" } else { "off" });
        let includes = IncludeRecorder::new(&self.includes);
        let mut stages = Stages {
            target: &target,
            descriptor_target: descriptor_target.as_ref(),
            includes: &includes,
            dump: dump.as_ref(),
            step: &self.step,
            log,
        };
        let build = self.make(input, &mut stages)?;
        let build = log_loaded(load_executable(build, device), log)?;
        if let Some(key) = &key {
            cached::store(key, &includes, &build, log, device);
        }
        Some(with_forms(build, &target, device))
    }

    /// A build that the cache has, ready to run, with the log of old.
    fn load(&self, key: Option<&Key>, device: &Device) -> Option<Build> {
        let build = cached::load(key?, &self.includes, device)?;
        load_executable(build, device).ok()
    }

    /// Builds for devices of one target.
    fn build(&self, input: &Input, devices: &[Ref<Device>], wishes: Wishes) -> Vec<Build> {
        budget::end_at(checks::end_of_build(self.checks()));
        budget::begin();
        let mut log = String::new();
        let Some((first, others)) = devices.split_first() else {
            return Vec::new();
        };
        let made = self.make_or_load(input, (first, wishes), &mut log);
        // Only the last stage can have failed.
        let host_is_out_of_memory = budget::check() == Err(Exhausted::Host);
        let finish = |built: Option<Build>, log: String| Build {
            host_is_out_of_memory,
            ..match built {
                Some(build) => Build {
                    log,
                    options: self.text.clone(),
                    uniform_groups: build.lowered_with.uniform_work_group_size
                        || self.has_uniform_groups(),
                    robust: checks::is_robust(self.checks()),
                    hides_arguments: self.hides_arguments,
                    ..build
                },
                None => self.failure(log),
            }
        };
        let mut builds = vec![finish(made, log.clone())];
        for device in others {
            let mut log = log.clone();
            let first = Some(&builds[0]).filter(|build| build.status == cl::CL_BUILD_SUCCESS);
            let built = first.and_then(|build| {
                let loaded = load_executable(build.clone(), device);
                loaded.inspect_err(|errors| log.push_str(errors)).ok()
            });
            builds.push(finish(built, log));
        }
        builds
    }
}

/// Makes the executable of a build's Vulkan module, if it is to have one, for a device.
///
/// # Errors
/// Text for the build log.
fn load_executable(build: Build, device: &Device) -> std::result::Result<Build, String> {
    let Some(module) = &build.vulkan_module else {
        return match build.binary_type {
            cl::CL_PROGRAM_BINARY_TYPE_EXECUTABLE => Err(String::new()),
            _ => Ok(build),
        };
    };
    let executable = Executable::new(&module.words, device.capabilities())?;
    let by_descriptors = (build.descriptor_module.as_ref())
        .and_then(|module| Executable::new(&module.words, device.capabilities()).ok())
        .filter(|made| made.stands_for(&executable, device.capabilities()));
    Ok(Build {
        descriptor_module: build.descriptor_module.filter(|_| by_descriptors.is_some()),
        by_descriptors: by_descriptors.map(Arc::new),
        coarse: None,
        groups_of_one: None,
        large_local: None,
        executable: Some(Arc::new(executable)),
        binary_type: cl::CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
        status: cl::CL_BUILD_SUCCESS,
        ..build
    })
}

/// Adds the forms that the program may get.
fn with_forms(build: Build, target: &Arc<Target>, device: &Device) -> Build {
    let (Some(executable), Some(module)) = (&build.executable, &build.kernel_module) else {
        return build;
    };
    let lowering = Lowering {
        module: module.clone(),
        math: build.lowered_with,
        target: target.clone(),
    };
    let coarse = CoarseForm::new(executable, &lowering, device.capabilities());
    let groups_of_one = GroupsOfOne::new(executable, &lowering);
    let large_local = LargeLocal::new(executable, &lowering, device.capabilities());
    Build {
        coarse: coarse.map(Arc::new),
        groups_of_one: groups_of_one.map(Arc::new),
        large_local: large_local.map(Arc::new),
        ..build
    }
}

/// Adds an executable's warnings, or the errors instead of one, to the build log.
fn log_loaded(loaded: std::result::Result<Build, String>, log: &mut String) -> Option<Build> {
    match loaded {
        Ok(build) => {
            log.push_str((build.executable.as_ref()).map_or("", |made| made.warnings()));
            Some(build)
        }
        Err(errors) => {
            log.push_str(&errors);
            None
        }
    }
}

/// The result of a build: `failed` unless it succeeded, or the system's lack of memory where that
/// ended it.
fn result_of(build: &Build, failed: Error) -> Result<()> {
    match build.status {
        cl::CL_BUILD_SUCCESS => Ok(()),
        _ if build.host_is_out_of_memory => Err(Error::OutOfHostMemory),
        _ => Err(failed),
    }
}

impl Object<Program> {
    /// The devices that a call names: all of the program's for `None`.
    fn chosen(self: &Ref<Program>, devices: Option<Vec<Ref<Device>>>) -> Result<Vec<usize>> {
        match devices {
            None => Ok((0..self.devices.len()).collect()),
            // CL_INVALID_DEVICE if a device is not one of the program's.
            Some(devices) => devices
                .iter()
                .map(|d| {
                    let reason = "a device is not one of the program's";
                    (self.device_index(d)).ok_or_else(|| Error::InvalidDevice.because(reason))
                })
                .collect(),
        }
    }

    /// The input of each chosen device's build.
    fn inputs(self: &Ref<Program>, chosen: &[usize]) -> Vec<Input> {
        let of_binary = |build: &Build| match (&build.vulkan_module, &build.kernel_module) {
            (Some(_), _) => Input::Vulkan(Box::new(build.clone())),
            (None, Some(module)) => Input::Module(module.clone(), build.lowered_with),
            (None, None) => Input::Nothing,
        };
        let shared = match &self.origin {
            Origin::Source(text) => Input::Source(Arc::new(text.clone())),
            Origin::Il { words, .. } => {
                let words = spec::specialize(words, &self.spec_constants.lock());
                let is_library = false;
                let module = KernelModule { words, is_library };
                Input::Module(Arc::new(module), MathOptions::default())
            }
            Origin::Binary | Origin::Linked => {
                let builds = self.builds.lock();
                return chosen
                    .iter()
                    .map(|&index| of_binary(&builds[index]))
                    .collect();
            }
        };
        vec![shared; chosen.len()]
    }

    /// Runs a call for the chosen devices, each with its input, and stores the builds.
    ///
    /// A callback is called before this returns, unless it takes long: the specification lets the call return at once, but other
    /// drivers do not, and PlaidML frees what its callback uses when clBuildProgram has returned.
    ///
    /// # Errors
    /// The builds' own, which a call that has waited for them returns in any case.
    pub(super) fn run(
        self: &Ref<Program>,
        call: Call,
        begun: Begun,
        inputs: Vec<Input>,
        notify: Option<Notify>,
    ) -> Result<()> {
        let mut result = Ok(());
        let call = Arc::new(call);
        for (input, indices) in self.by_target(&begun.chosen, inputs) {
            let devices: Vec<_> = (indices.iter())
                .map(|&index| self.devices[index].clone())
                .collect();
            let (job, on) = (call.clone(), devices.clone());
            let wishes = self.context.wishes();
            let what = || "building a program".to_string();
            let builds = progress::during(what, &call.step, || {
                on_large_stack(
                    move || job.build(&input, &on, wishes),
                    |log| vec![call.failure(log.into()); devices.len()],
                )
            });
            let builds = builds.unwrap_or_else(|_| {
                let log = format!("error: {}\n", Exhausted::Host);
                let failure = Build {
                    host_is_out_of_memory: true,
                    ..call.failure(log)
                };
                vec![failure; devices.len()]
            });
            for ((build, index), device) in builds.into_iter().zip(indices).zip(&devices) {
                if let Err(error) = result_of(&build, call.failed()) {
                    result = Err(error);
                }
                log::debug!("build status {}, log: {}", build.status, build.log);
                let mut builds = self.builds.lock();
                let old = std::mem::replace(&mut builds[index], build);
                if matches!(self.origin, Origin::Binary) {
                    builds[index].keep_binary(&old);
                }
                drop(builds);
                release::finish(&old, device);
            }
        }
        drop(begun);
        if let Some(notify) = notify {
            let program = self.clone();
            callback::post(move || notify(program));
            callback::wait_called(callback::STAY_OF_BUILDS);
        }
        result
    }

    /// The chosen devices, those with one target and one input together.
    fn by_target(&self, chosen: &[usize], inputs: Vec<Input>) -> Vec<(Input, Vec<usize>)> {
        let mut groups: Vec<(Option<Arc<Target>>, Input, Vec<usize>)> = Vec::new();
        for (&index, input) in chosen.iter().zip(inputs) {
            let target = self.devices[index].target().ok();
            let same = (groups.iter_mut()).find(|(other, of_other, _)| {
                target.is_some() && *other == target && of_other.is_same(&input)
            });
            match same {
                Some((_, _, indices)) => indices.push(index),
                None => groups.push((target, input, vec![index])),
            }
        }
        let groups = groups.into_iter();
        groups.map(|(_, input, indices)| (input, indices)).collect()
    }

    /// clBuildProgram.
    ///
    /// # Errors
    /// Those that the specification lists for clBuildProgram, in its order.
    pub fn build(
        self: &Ref<Program>,
        devices: Option<Vec<Ref<Device>>>,
        options: &[u8],
        notify: Option<Notify>,
    ) -> Result<()> {
        let chosen = self.chosen(devices)?;
        // CL_INVALID_OPERATION if the program was made by clLinkProgram.
        if matches!(self.origin, Origin::Linked) {
            let reason = "the program was made by clLinkProgram and is built already";
            return Err(Error::InvalidOperation.because(reason));
        }
        // CL_INVALID_BUILD_OPTIONS if the options are not valid.
        let (compile_options, link_options) = parse_build(options)
            .map_err(|error| self.bad_options(&chosen, Error::InvalidBuildOptions, &error))?;
        let call = self.call(options, Vec::new(), compile_options, |compile_options| {
            CallKind::Build(compile_options, link_options)
        });
        self.start(call, chosen, notify)
    }

    /// clCompileProgram; `headers` are the names and sources of the input headers.
    ///
    /// # Errors
    /// Those that the specification lists for clCompileProgram, in its order.
    pub fn compile(
        self: &Ref<Program>,
        devices: Option<Vec<Ref<Device>>>,
        options: &[u8],
        headers: Vec<(String, Ref<Program>)>,
        notify: Option<Notify>,
    ) -> Result<()> {
        let chosen = self.chosen(devices)?;
        // CL_INVALID_OPERATION if the program has no source or IL.
        if !matches!(self.origin, Origin::Source(_) | Origin::Il { .. }) {
            let reason = "the program has neither source nor IL";
            return Err(Error::InvalidOperation.because(reason));
        }
        // CL_INVALID_COMPILER_OPTIONS if the options are not valid.
        let compile_options = CompileOptions::parse(options)
            .map_err(|error| self.bad_options(&chosen, Error::InvalidCompilerOptions, &error))?;
        let headers = headers
            .into_iter()
            .map(|(name, header)| match &header.origin {
                Origin::Source(text) => Ok((name, text.clone())),
                // CL_INVALID_PROGRAM: a header must have source.
                Origin::Il { .. } | Origin::Binary | Origin::Linked => {
                    let reason = format!("header {name} is a program without source");
                    Err(Error::InvalidProgram.because(reason))
                }
            })
            .collect::<Result<Vec<_>>>()?;
        let call = self.call(options, headers, compile_options, CallKind::Compile);
        self.start(call, chosen, notify)
    }

    /// The call of clBuildProgram or clCompileProgram with these options and headers.
    fn call(
        &self,
        text: &[u8],
        headers: Vec<(String, Vec<u8>)>,
        options: CompileOptions,
        kind: impl FnOnce(CompileOptions) -> CallKind,
    ) -> Call {
        Call {
            text: text.to_vec(),
            includes: Includes {
                headers,
                folders: options.include_dirs.clone(),
                allowed: Allowed::from_options(options.checks),
            },
            hides_arguments: self.is_source() && !options.kernel_arg_info,
            kind: kind(options),
            step: Step::default(),
        }
    }

    /// Runs a call for the chosen devices, none of which may be busy with another.
    fn start(
        self: &Ref<Program>,
        call: Call,
        chosen: Vec<usize>,
        notify: Option<Notify>,
    ) -> Result<()> {
        let begun = self.begin(chosen, &call.text)?;
        let inputs = self.inputs(&begun.chosen);
        self.run(call, begun, inputs, notify)
    }

    /// Leaves the fault of build options in the build log; gives the call's error.
    fn bad_options(&self, chosen: &[usize], code: Error, error: &OptionError) -> Error {
        let mut builds = self.builds.lock();
        for &index in chosen {
            let build = &mut builds[index];
            if !build.is_running() {
                build.log = format!("error: {error}\n");
            }
            if build.status == cl::CL_BUILD_NONE {
                build.status = cl::CL_BUILD_ERROR;
            }
        }
        code.because(error.to_string())
    }

    fn is_source(&self) -> bool {
        matches!(self.origin, Origin::Source(_))
    }
}
