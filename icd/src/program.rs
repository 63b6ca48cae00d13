//! Program entry points.

use std::ffi::{c_char, c_void};

use opencl_sys::{
    CL_PROGRAM_BINARIES, cl_context, cl_device_id, cl_int, cl_platform_id, cl_program,
    cl_program_build_info, cl_program_info, cl_uint,
};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::base::object::Ref;
use pumice_runtime::device::Device;
use pumice_runtime::device::platform::Platform;
use pumice_runtime::program::Program;
use pumice_runtime::program::build::{self, Notify};
use pumice_runtime::program::link;

use crate::callback::{ProgramCallback, UserData};
use crate::{handle, info};

/// A device list: both NULL and zero (`None`), or neither; else CL_INVALID_VALUE.
///
/// # Safety
/// `list` is NULL or points to `count` handles.
unsafe fn devices(count: cl_uint, list: *const cl_device_id) -> Result<Option<Vec<Ref<Device>>>> {
    // SAFETY: the caller's contract.
    let devices = unsafe { handle::list::<Device>(count, list, Error::InvalidValue) }?;
    Ok((!devices.is_empty()).then_some(devices))
}

/// The application's callback as the runtime calls it.
fn notify(pfn_notify: ProgramCallback, user_data: *mut c_void) -> Result<Option<Notify>> {
    let data = UserData(user_data);
    match pfn_notify {
        Some(function) => Ok(Some(Box::new(move |program: Ref<Program>| {
            // SAFETY: the application's function, given a live program and what it passed.
            unsafe { function(program.handle() as cl_program, data.get()) }
        }))),
        // CL_INVALID_VALUE if pfn_notify is NULL but user_data is not.
        None if !user_data.is_null() => {
            Err(Error::InvalidValue.because("user_data is given without pfn_notify"))
        }
        None => Ok(None),
    }
}

pub unsafe fn create_program_with_source(
    context: cl_context,
    count: cl_uint,
    strings: *mut *const c_char,
    lengths: *const usize,
) -> Result<cl_program> {
    // SAFETY: the arguments are those of clCreateProgramWithSource.
    unsafe {
        let context = handle::live_context(context)?;
        // CL_INVALID_VALUE if count is zero, or strings or an entry in it is NULL.
        let strings = handle::required(strings.cast_const(), count as usize)?;
        let lengths = handle::slice(lengths, count as usize);
        let mut source = Vec::new();
        for (index, &string) in strings.iter().enumerate() {
            if string.is_null() {
                let reason = format!("string {index} of {} is NULL", strings.len());
                return Err(Error::InvalidValue.because(reason));
            }
            // A length of 0 means that the string is NUL-terminated.
            match lengths.get(index) {
                Some(&length) if length != 0 => {
                    source.extend_from_slice(handle::slice(string.cast::<u8>(), length));
                }
                _ => source.extend_from_slice(handle::string(string)?.to_bytes()),
            }
        }
        Ok(handle::publish(Program::with_source(&context, source)))
    }
}

pub unsafe fn create_program_with_binary(
    context: cl_context,
    num_devices: cl_uint,
    device_list: *const cl_device_id,
    lengths: *const usize,
    binaries: *mut *const u8,
    binary_status: *mut cl_int,
) -> Result<cl_program> {
    // SAFETY: the arguments are those of clCreateProgramWithBinary.
    unsafe {
        let context = handle::live_context(context)?;
        let count = num_devices as usize;
        // CL_INVALID_VALUE if a list is NULL or its length is 0.
        let devices = handle::required(device_list, count)?
            .iter()
            .map(|&device| handle::get::<Device>(device))
            .collect::<Result<Vec<_>>>()?;
        let lengths = handle::required(lengths, count)?;
        let binaries: Vec<&[u8]> = handle::required(binaries.cast_const(), count)?
            .iter()
            .zip(lengths)
            .map(|(&binary, &length)| handle::slice(binary, length))
            .collect();
        let (statuses, program) = Program::with_binary(&context, &devices, &binaries);
        if !binary_status.is_null() {
            for (index, status) in statuses.into_iter().enumerate() {
                binary_status.add(index).write(status);
            }
        }
        program.map(handle::publish)
    }
}

pub unsafe fn create_program_with_il(
    context: cl_context,
    il: *const c_void,
    length: usize,
) -> Result<cl_program> {
    // SAFETY: the arguments are those of clCreateProgramWithIL.
    unsafe {
        let context = handle::live_context(context)?;
        let bytes = handle::required(il.cast::<u8>(), length)?;
        Program::with_il(&context, bytes).map(handle::publish)
    }
}

pub unsafe fn create_program_with_built_in_kernels(
    context: cl_context,
    num_devices: cl_uint,
    device_list: *const cl_device_id,
    kernel_names: *const c_char,
) -> Result<cl_program> {
    // SAFETY: the arguments are those of clCreateProgramWithBuiltInKernels.
    unsafe {
        let context = handle::live_context(context)?;
        for &device in handle::required(device_list, num_devices as usize)? {
            let device = handle::get::<Device>(device)?;
            if context.device_index(&device).is_none() {
                return Err(Error::InvalidDevice.because("the device is not one of the context"));
            }
        }
        handle::string(kernel_names)?;
    }
    // CL_INVALID_VALUE if a kernel is not one of the devices': they have none.
    Err(Error::InvalidValue.because("the devices have no built-in kernels"))
}

pub unsafe fn retain_program(program: cl_program) -> Result<()> {
    // SAFETY: the argument is that of clRetainProgram.
    unsafe { handle::retain::<Program>(program) }
}

pub unsafe fn release_program(program: cl_program) -> Result<()> {
    // SAFETY: the argument is that of clReleaseProgram.
    unsafe { handle::release::<Program>(program, |_| ()) }
}

pub unsafe fn build_program(
    program: cl_program,
    num_devices: cl_uint,
    device_list: *const cl_device_id,
    options: *const c_char,
    pfn_notify: ProgramCallback,
    user_data: *mut c_void,
) -> Result<()> {
    // SAFETY: the arguments are those of clBuildProgram.
    unsafe {
        let program = handle::get::<Program>(program)?;
        let devices = devices(num_devices, device_list)?;
        let notify = notify(pfn_notify, user_data)?;
        let options = handle::string_or_empty(options).to_bytes();
        program.build(devices, options, notify)
    }
}

pub unsafe fn compile_program(
    program: cl_program,
    num_devices: cl_uint,
    device_list: *const cl_device_id,
    options: *const c_char,
    num_input_headers: cl_uint,
    input_headers: *const cl_program,
    header_include_names: *mut *const c_char,
    pfn_notify: ProgramCallback,
    user_data: *mut c_void,
) -> Result<()> {
    // SAFETY: the arguments are those of clCompileProgram.
    unsafe {
        let program = handle::get::<Program>(program)?;
        let devices = devices(num_devices, device_list)?;
        // CL_INVALID_VALUE if the headers and their names do not fit their number.
        let headers =
            handle::list::<Program>(num_input_headers, input_headers, Error::InvalidValue)?;
        if header_include_names.is_null() != headers.is_empty() {
            let reason = format!(
                "header_include_names ({header_include_names:p}) does not fit num_input_headers ({num_input_headers})"
            );
            return Err(Error::InvalidValue.because(reason));
        }
        let names = handle::slice(header_include_names.cast_const(), headers.len());
        let headers = names
            .iter()
            .zip(headers)
            .map(|(&name, header)| {
                let name = handle::string(name)?.to_string_lossy().into_owned();
                Ok((name, header))
            })
            .collect::<Result<Vec<_>>>()?;
        let notify = notify(pfn_notify, user_data)?;
        let options = handle::string_or_empty(options).to_bytes();
        program.compile(devices, options, headers, notify)
    }
}

pub unsafe fn link_program(
    context: cl_context,
    num_devices: cl_uint,
    device_list: *const cl_device_id,
    options: *const c_char,
    num_input_programs: cl_uint,
    input_programs: *const cl_program,
    pfn_notify: ProgramCallback,
    user_data: *mut c_void,
) -> (cl_program, Result<()>) {
    let linked: Result<_> = (|| {
        // SAFETY: the arguments are those of clLinkProgram.
        unsafe {
            let context = handle::live_context(context)?;
            let devices = devices(num_devices, device_list)?;
            let inputs =
                handle::list::<Program>(num_input_programs, input_programs, Error::InvalidValue)?;
            let notify = notify(pfn_notify, user_data)?;
            let options = handle::string_or_empty(options).to_bytes();
            link::link_programs(&context, devices, options, &inputs, notify)
        }
    })();
    match linked {
        Ok((program, result)) => (handle::publish(program), result),
        Err(error) => (std::ptr::null_mut(), Err(error)),
    }
}

pub unsafe fn unload_compiler() -> Result<()> {
    build::unload_compiler();
    Ok(())
}

pub unsafe fn unload_platform_compiler(platform: cl_platform_id) -> Result<()> {
    // CL_INVALID_PLATFORM if platform is not valid, which NULL is not here.
    // SAFETY: the argument is that of clUnloadPlatformCompiler.
    unsafe { handle::get::<Platform>(platform) }?;
    build::unload_compiler();
    Ok(())
}

pub unsafe fn get_program_info(
    program: cl_program,
    param_name: cl_program_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetProgramInfo.
    unsafe {
        let program = handle::get::<Program>(program)?;
        if param_name == CL_PROGRAM_BINARIES {
            return binaries(
                &program,
                param_value_size,
                param_value,
                param_value_size_ret,
            );
        }
        info::write(
            program.info(param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

/// CL_PROGRAM_BINARIES: the value is an array of the application's own pointers, each NULL or
/// with room for the device's binary.
///
/// # Safety
/// As clGetProgramInfo.
unsafe fn binaries(
    program: &Ref<Program>,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> Result<()> {
    let binaries = program.binaries();
    let needed = binaries.len() * size_of::<*mut u8>();
    // SAFETY: the caller's contract.
    unsafe {
        if !value.is_null() {
            if size < needed {
                return Err(Error::InvalidValue
                    .because(format!("param_value has {size} bytes, the answer {needed}")));
            }
            let places = handle::slice(value.cast_const().cast::<*mut u8>(), binaries.len());
            for (&place, binary) in places.iter().zip(&binaries) {
                if !place.is_null() {
                    std::ptr::copy_nonoverlapping(binary.as_ptr(), place, binary.len());
                }
            }
        }
        handle::write(size_ret, needed);
    }
    Ok(())
}

pub unsafe fn get_program_build_info(
    program: cl_program,
    device: cl_device_id,
    param_name: cl_program_build_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetProgramBuildInfo.
    unsafe {
        let program = handle::get::<Program>(program)?;
        let device = handle::get::<Device>(device)?;
        info::write(
            program.build_info(&device, param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn set_program_release_callback(
    program: cl_program,
    pfn_notify: ProgramCallback,
    user_data: *mut c_void,
) -> Result<()> {
    // SAFETY: the arguments are those of clSetProgramReleaseCallback.
    let object = unsafe { handle::get::<Program>(program) }?;
    // CL_INVALID_VALUE if pfn_notify is NULL.
    let function = pfn_notify.ok_or_else(|| Error::InvalidValue.because("pfn_notify is NULL"))?;
    let (raw, data) = (UserData(program), UserData(user_data));
    object.add_release_callback(Box::new(move || {
        // SAFETY: the application's function, given what it registered.
        unsafe { function(raw.get(), data.get()) }
    }))
}

pub unsafe fn set_program_specialization_constant(
    program: cl_program,
    spec_id: cl_uint,
    spec_size: usize,
    spec_value: *const c_void,
) -> Result<()> {
    // SAFETY: the arguments are those of clSetProgramSpecializationConstant.
    unsafe {
        let program = handle::get::<Program>(program)?;
        if spec_value.is_null() {
            return Err(Error::InvalidValue.because("spec_value is NULL"));
        }
        let value = handle::slice(spec_value.cast::<u8>(), spec_size);
        program.set_spec_constant(spec_id, value)
    }
}
