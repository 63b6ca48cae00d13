//! clBuildProgram, clCompileProgram and clLinkProgram.
//!
//! The compiler runs on a thread of its own with a large stack, and a panic in it is a build
//! failure with a log, never the application's end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crossbeam_channel::{Sender, bounded, unbounded};
use opencl_sys as cl;
use parking_lot::Mutex;
use pumice_budget::{self as budget, OutOfMemory};
use pumice_compiler::STACK_BYTES;
use pumice_compiler::options::{MathOptions, parse_build};
use pumice_compiler::{
    CompileOptions, IncludeResolver, KernelModule, LinkOptions, LowerOptions, NoIncludes, Outcome,
    Source, Target, compile, link, lower,
};

use crate::cache::{self, Key, Recording, Start};
use crate::callback;
use crate::context::Context;
use crate::device::Device;
use crate::dump::{self, Dump};
use crate::error::{Error, Result};
use crate::executable::Executable;
use crate::log;
use crate::object::{Object, Ref};
use crate::program::includes::{Allowed, Includes};
use crate::program::input::{Input, checked, hides_arguments, key, lower_options};
use crate::program::{Build, Origin, Program, new_builds, release, spec};
use crate::trace;

/// The application's callback, called once when a build has ended.
pub type Notify = Box<dyn FnOnce(Ref<Program>) + Send>;

/// What a compiling thread does next.
type Job = Box<dyn FnOnce() + Send>;

/// Compiling threads that have nothing to do. A thread with its stack and its share of the
/// heap costs as much as compiling a small kernel, so they are kept.
static IDLE: Mutex<Vec<Sender<Job>>> = Mutex::new(Vec::new());
/// More idle threads than this are not kept.
const MAX_IDLE: usize = 2;

/// clUnloadPlatformCompiler: ends the threads that are kept, with their stacks.
pub fn unload_compiler() {
    let idle = std::mem::take(&mut *IDLE.lock());
    drop(idle);
}

/// Starts a compiling thread, with a stack that deeply nested source does not overflow.
fn start_compiler() -> std::io::Result<Sender<Job>> {
    let (sender, jobs) = unbounded::<Job>();
    std::thread::Builder::new()
        .name("pumice-compile".into())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            for job in jobs {
                job();
            }
        })?;
    Ok(sender)
}

/// Runs a job of the compiler; a panic in it becomes `failed`'s answer.
///
/// # Errors
/// CL_OUT_OF_HOST_MEMORY if there is no memory for the thread.
fn on_large_stack<T: Send + 'static>(
    job: impl FnOnce() -> T + Send + 'static,
    failed: impl FnOnce(&str) -> T,
) -> Result<T> {
    let idle = IDLE.lock().pop();
    let compiler = idle.map_or_else(start_compiler, Ok).map_err(|error| {
        log::error!("cannot start the compiler: {error}");
        Error::OutOfHostMemory
    })?;
    let (done, result) = bounded(1);
    let sent = compiler.send(Box::new(move || {
        let _ = done.send(catch_unwind(AssertUnwindSafe(job)));
    }));
    let answer = sent.ok().and_then(|()| result.recv().ok());
    let mut idle = IDLE.lock();
    if idle.len() < MAX_IDLE {
        idle.push(compiler);
    }
    drop(idle);
    Ok(match answer {
        Some(Ok(value)) => value,
        _ => {
            log::error!("the compiler panicked");
            failed("error: internal compiler error\n")
        }
    })
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

/// The state that a failed build leaves.
fn failure(options: &str, log: String) -> Build {
    Build {
        status: cl::CL_BUILD_ERROR,
        options: options.to_string(),
        log,
        ..Build::default()
    }
}

/// Adds a stage's log and gives its output.
fn stage<T>(log: &mut String, outcome: Outcome<T>) -> Option<T> {
    log.push_str(&outcome.log);
    outcome.output
}

/// What the cache has of a build, ready to run, with the log of old.
fn remembered(
    key: Option<&Key>,
    includes: &dyn IncludeResolver,
    device: &Device,
    log: &mut String,
) -> Option<Build> {
    let build = cache::load(key?, includes, device)?;
    let before = build.log.clone();
    let build = match build.binary_type {
        cl::CL_PROGRAM_BINARY_TYPE_EXECUTABLE => loaded(build, device, &mut String::new())?,
        _ => build,
    };
    *log = before;
    Some(build)
}

/// A build by `make`, or what the cache has of it: `key` gives its place there. A build whose stages
/// are dumped does not use the cache.
fn through_cache(
    text: &str,
    includes: &dyn IncludeResolver,
    device: &Device,
    log: &mut String,
    key: impl FnOnce(&Target) -> Option<Key>,
    make: impl FnOnce(&Target, &dyn IncludeResolver, Option<&Dump>, &mut String) -> Option<Build>,
) -> Option<Build> {
    let target = device.target().ok()?;
    let dump = dump::start(text);
    let key = match dump {
        Some(_) => None,
        None => key(&target),
    };
    if let Some(build) = remembered(key.as_ref(), includes, device, log) {
        return Some(build);
    }
    let recording = Recording::new(includes);
    let build = make(&target, &recording, dump.as_ref(), log)?;
    if let Some(key) = &key {
        cache::store(key, &recording, &build, log, device);
    }
    Some(build)
}

/// Compiles source, or takes a module as it is.
fn compiled(
    input: &Input,
    options: &CompileOptions,
    includes: &dyn IncludeResolver,
    target: &Target,
    dump: Option<&Dump>,
    log: &mut String,
) -> Option<Arc<KernelModule>> {
    match input {
        Input::Source(text) => {
            let _span = trace::span("build", "compile");
            let source = Source {
                name: "<source>",
                text,
            };
            if let Some(dump) = dump {
                dump.source(source, options, target, includes);
            }
            let module = stage(log, compile(source, options, target, includes)).map(Arc::new)?;
            if let Some(dump) = dump {
                dump.words("kernel.spv", &module.words);
            }
            Some(module)
        }
        Input::Module(module, _) => Some(module.clone()),
        Input::Vulkan(_) | Input::Nothing => {
            log.push_str("error: the program has no source or intermediate language\n");
            None
        }
    }
}

/// Links modules.
fn linked(
    modules: &[&KernelModule],
    options: &LinkOptions,
    dump: Option<&Dump>,
    log: &mut String,
) -> Option<Arc<KernelModule>> {
    let _span = trace::span("build", "link");
    let module = stage(log, link(modules, options))?;
    if let Some(dump) = dump {
        dump.words("linked.spv", &module.words);
    }
    Some(Arc::new(module))
}

/// Lowers a linked module and makes it ready to run on the device.
fn finished(
    module: Arc<KernelModule>,
    options: &LowerOptions,
    target: &Target,
    device: &Device,
    dump: Option<&Dump>,
    log: &mut String,
) -> Option<Build> {
    let _span = trace::span("build", "lower");
    if let Some(dump) = dump {
        dump.passes(&module, target, options);
    }
    let vulkan = stage(log, lower(&module, target, options))?;
    if let Some(dump) = dump {
        dump.words("vulkan.spv", &vulkan.words);
    }
    let build = Build {
        kernel_module: Some(module),
        vulkan_module: Some(Arc::new(vulkan)),
        lowered_with: options.math,
        ..Build::default()
    };
    loaded(build, device, log)
}

/// Gives the Vulkan module to the device.
fn loaded(mut build: Build, device: &Device, log: &mut String) -> Option<Build> {
    let words = &build.vulkan_module.as_ref()?.words;
    match Executable::new(words, device.capabilities()) {
        Ok(executable) => {
            log.push_str(executable.warnings());
            build.executable = Some(Arc::new(executable));
            build.binary_type = cl::CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
            build.status = cl::CL_BUILD_SUCCESS;
            Some(build)
        }
        Err(errors) => {
            log.push_str(&errors);
            None
        }
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
                .map(|d| self.device_index(d).ok_or(Error::InvalidDevice))
                .collect(),
        }
    }

    /// Marks a build as begun.
    fn begin(self: &Ref<Program>, chosen: &[usize], options: &str) -> Result<()> {
        // CL_INVALID_OPERATION if kernel objects are attached to the program.
        if self.has_kernels() {
            return Err(Error::InvalidOperation);
        }
        let mut builds = self.builds.lock();
        // CL_INVALID_OPERATION if the build of the program for a device has not completed.
        if chosen
            .iter()
            .any(|index| builds[*index].status == cl::CL_BUILD_IN_PROGRESS)
        {
            return Err(Error::InvalidOperation);
        }
        for index in chosen {
            let build = &mut builds[*index];
            build.status = cl::CL_BUILD_IN_PROGRESS;
            build.options = options.to_string();
            build.log = String::new();
        }
        Ok(())
    }

    /// What a device's build starts from.
    fn input(self: &Ref<Program>, index: usize) -> Input {
        match &self.origin {
            Origin::Source(text) => Input::Source(Arc::new(text.clone())),
            Origin::Il { words, .. } => {
                let words = spec::specialize(words, &self.spec_constants.lock());
                let is_library = false;
                let module = KernelModule { words, is_library };
                Input::Module(Arc::new(module), MathOptions::default())
            }
            Origin::Binary | Origin::Linked => {
                let build = self.builds.lock()[index].clone();
                if build.vulkan_module.is_some() {
                    return Input::Vulkan(build);
                }
                match build.kernel_module {
                    Some(module) => Input::Module(module, build.lowered_with),
                    None => Input::Nothing,
                }
            }
        }
    }

    /// Runs `job` for each chosen device and stores what it gives; in the background with a
    /// callback.
    fn run(
        self: &Ref<Program>,
        chosen: Vec<usize>,
        options: &str,
        notify: Option<Notify>,
        failed: Error,
        job: impl Fn(&Device, usize, Input) -> Build + Send + Sync + 'static,
    ) -> Result<()> {
        let program = self.clone();
        let text = options.to_string();
        let job = Arc::new(job);
        let work = move || {
            let mut result = Ok(());
            for index in chosen {
                let device = program.devices[index].clone();
                let input = program.input(index);
                let (on, job, options) = (device.clone(), job.clone(), text.clone());
                let build = on_large_stack(
                    move || {
                        budget::begin();
                        let mut build = job(&on, index, input);
                        // Only the last stage can have failed.
                        build.host_is_out_of_memory = budget::check() == Err(OutOfMemory::Host);
                        build
                    },
                    |log| failure(&options, log.into()),
                );
                let mut build = build.unwrap_or_else(|_| Build {
                    host_is_out_of_memory: true,
                    ..failure(&text, format!("error: {}\n", OutOfMemory::Host))
                });
                build.options = text.clone();
                if let Err(error) = result_of(&build, failed) {
                    result = Err(error);
                }
                log::debug!("build status {}, log: {}", build.status, build.log);
                let old = std::mem::replace(&mut program.builds.lock()[index], build);
                release::finish(&old, &device);
            }
            (program, result)
        };
        let Some(notify) = notify else {
            return work().1;
        };
        let spawned = std::thread::Builder::new()
            .name("pumice-build".into())
            .spawn(move || {
                let (program, _) = work();
                callback::post(move || notify(program));
            });
        spawned.map(|_| ()).map_err(|_| Error::OutOfHostMemory)
    }

    /// clBuildProgram.
    pub fn build(
        self: &Ref<Program>,
        devices: Option<Vec<Ref<Device>>>,
        options: &str,
        notify: Option<Notify>,
    ) -> Result<()> {
        let chosen = self.chosen(devices)?;
        // CL_INVALID_OPERATION if the program was made by clLinkProgram.
        if matches!(self.origin, Origin::Linked) {
            return Err(Error::InvalidOperation);
        }
        // CL_INVALID_BUILD_OPTIONS if the options are not valid.
        let (compile_options, link_options) = parse_build(options).map_err(|error| {
            log::info!("build options: {error}");
            self.context.notify(&error.to_string());
            Error::InvalidBuildOptions
        })?;
        self.begin(&chosen, options)?;
        let includes = Includes {
            headers: Vec::new(),
            folders: compile_options.include_dirs.clone(),
            allowed: Allowed::from_options(),
        };
        let text = options.to_string();
        self.run(
            chosen,
            options,
            notify,
            Error::BuildProgramFailure,
            move |device, _, input| {
                let mut log = String::new();
                let hides_arguments = hides_arguments(&input, &compile_options);
                let built = if let Input::Vulkan(build) = &input {
                    checked(build, &mut log).and_then(|build| loaded(build, device, &mut log))
                } else {
                    through_cache(
                        &text,
                        &includes,
                        device,
                        &mut log,
                        |target| key("build", target, &text, &input, &includes),
                        |target, includes, dump, log| {
                            let options = &compile_options;
                            let module = compiled(&input, options, includes, target, dump, log)?;
                            let module = linked(&[&module], &link_options, dump, log)?;
                            let options = lower_options(&input, &compile_options);
                            finished(module, &options, target, device, dump, log)
                        },
                    )
                };
                match built {
                    Some(build) => Build {
                        log,
                        uniform_groups: build.lowered_with.uniform_work_group_size
                            || compile_options.math.uniform_work_group_size,
                        hides_arguments,
                        ..build
                    },
                    None => failure(&text, log),
                }
            },
        )
    }

    /// clCompileProgram; `headers` are the names and sources of the input headers.
    pub fn compile(
        self: &Ref<Program>,
        devices: Option<Vec<Ref<Device>>>,
        options: &str,
        headers: Vec<(String, Ref<Program>)>,
        notify: Option<Notify>,
    ) -> Result<()> {
        let chosen = self.chosen(devices)?;
        // CL_INVALID_OPERATION if the program has no source or IL.
        if !matches!(self.origin, Origin::Source(_) | Origin::Il { .. }) {
            return Err(Error::InvalidOperation);
        }
        // CL_INVALID_COMPILER_OPTIONS if the options are not valid.
        let compile_options = CompileOptions::parse(options).map_err(|error| {
            log::info!("compiler options: {error}");
            self.context.notify(&error.to_string());
            Error::InvalidCompilerOptions
        })?;
        let headers = headers
            .into_iter()
            .map(|(name, header)| match &header.origin {
                Origin::Source(text) => Ok((name, text.clone())),
                // CL_INVALID_PROGRAM: a header must have source.
                Origin::Il { .. } | Origin::Binary | Origin::Linked => Err(Error::InvalidProgram),
            })
            .collect::<Result<Vec<_>>>()?;
        self.begin(&chosen, options)?;
        let includes = Includes {
            headers,
            folders: compile_options.include_dirs.clone(),
            allowed: Allowed::from_options(),
        };
        let text = options.to_string();
        self.run(
            chosen,
            options,
            notify,
            Error::CompileProgramFailure,
            move |device, _, input| {
                let mut log = String::new();
                let hides_arguments = hides_arguments(&input, &compile_options);
                let built = through_cache(
                    &text,
                    &includes,
                    device,
                    &mut log,
                    |target| key("compile", target, &text, &input, &includes),
                    |target, includes, dump, log| {
                        let options = &compile_options;
                        Some(Build {
                            status: cl::CL_BUILD_SUCCESS,
                            kernel_module: Some(compiled(
                                &input, options, includes, target, dump, log,
                            )?),
                            binary_type: cl::CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
                            ..Build::default()
                        })
                    },
                );
                match built {
                    Some(build) => Build {
                        log,
                        hides_arguments,
                        ..build
                    },
                    None => failure(&text, log),
                }
            },
        )
    }
}

/// clLinkProgram. A link that fails still gives its program, which holds the log
/// (OpenCL 3.0 API §5.8.4).
pub fn link_programs(
    context: &Ref<Context>,
    devices: Option<Vec<Ref<Device>>>,
    options: &str,
    inputs: &[Ref<Program>],
    notify: Option<Notify>,
) -> Result<(Ref<Program>, Result<()>)> {
    // CL_INVALID_VALUE if there is no input program.
    if inputs.is_empty() {
        return Err(Error::InvalidValue);
    }
    let devices = devices.unwrap_or_else(|| context.devices().to_vec());
    // CL_INVALID_DEVICE if a device is not of the context.
    if devices.iter().any(|d| context.device_index(d).is_none()) {
        return Err(Error::InvalidDevice);
    }
    // CL_INVALID_CONTEXT if a program is of another context.
    if inputs
        .iter()
        .any(|p| p.context().handle() != context.handle())
    {
        return Err(Error::InvalidContext);
    }
    // CL_INVALID_LINKER_OPTIONS if the options are not valid.
    let link_options = LinkOptions::parse(options).map_err(|error| {
        log::info!("linker options: {error}");
        context.notify(&error.to_string());
        Error::InvalidLinkerOptions
    })?;
    // CL_INVALID_OPERATION if an input holds no compiled object or library for a device.
    let mut modules: Vec<Vec<Arc<KernelModule>>> = Vec::with_capacity(devices.len());
    // Kernels of different objects share the answer: one that tells its arguments is enough.
    let mut hides_arguments = true;
    for device in &devices {
        let of_device = inputs
            .iter()
            .map(|program| {
                let index = program.device_index(device)?;
                let build = program.builds.lock()[index].clone();
                hides_arguments &= build.hides_arguments;
                let linkable = [
                    cl::CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
                    cl::CL_PROGRAM_BINARY_TYPE_LIBRARY,
                ];
                build
                    .kernel_module
                    .filter(|_| linkable.contains(&build.binary_type))
            })
            .collect::<Option<Vec<_>>>()
            .ok_or(Error::InvalidOperation)?;
        modules.push(of_device);
    }
    let program = Program::make(context, &devices, Origin::Linked, new_builds(devices.len()));
    let chosen: Vec<usize> = (0..devices.len()).collect();
    program.begin(&chosen, options)?;
    let text = options.to_string();
    let job = move |device: &Device, index: usize, _: Input| {
        let mut log = String::new();
        let inputs: Vec<&KernelModule> = modules[index].iter().map(|m| &**m).collect();
        let built = through_cache(
            &text,
            &NoIncludes,
            device,
            &mut log,
            |target| cache::key("link", target, &text, &Start::Modules(&inputs)),
            |target, _, dump, log| {
                let module = linked(&inputs, &link_options, dump, log)?;
                if link_options.create_library {
                    return Some(Build {
                        status: cl::CL_BUILD_SUCCESS,
                        kernel_module: Some(module),
                        binary_type: cl::CL_PROGRAM_BINARY_TYPE_LIBRARY,
                        ..Build::default()
                    });
                }
                let options = LowerOptions {
                    math: link_options.math,
                    ..LowerOptions::default()
                };
                finished(module, &options, target, device, dump, log)
            },
        );
        match built {
            Some(build) => Build {
                log,
                uniform_groups: link_options.math.uniform_work_group_size,
                hides_arguments,
                ..build
            },
            None => failure(&text, log),
        }
    };
    let result = program.run(chosen, options, notify, Error::LinkProgramFailure, job);
    if result.is_err() {
        for build in program.builds() {
            context.notify(&build.log);
        }
    }
    Ok((program, result))
}
