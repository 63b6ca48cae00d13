//! The boundary itself: panics stop here, results become return codes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use opencl_sys::{CL_SUCCESS, cl_int};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::base::exit::CallGuard;
use pumice_runtime::base::reason::Call;
use pumice_runtime::base::{exit, log, trace};

use crate::exit::watch_thread;

/// The category of API calls in a trace.
const CATEGORY: &str = "api";

/// Runs an entry point; a panic becomes `None` and a log line.
fn guard<R>(name: &'static str, body: impl FnOnce() -> R) -> Option<R> {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => Some(value),
        Err(_) => {
            log::error!("{name}: internal error (a panic was caught at the API boundary)");
            None
        }
    }
}

/// The calls that need neither helper threads nor a device, by the beginnings of their names: what
/// a forked child can still use.
const USABLE_AFTER_FORK: &[&str] = &[
    "clGetPlatform",
    "clIcdGetPlatformIDsKHR",
    "clGetExtensionFunctionAddress",
    "clGetDeviceIDs",
    "clGetDeviceInfo",
    "clRetain",
    "clRelease",
];

/// Refuses what would wait for ever: in a child that was forked after a device was opened, the
/// threads are missing by which commands and builds end.
fn check_fork(name: &str) -> Result<()> {
    let usable = |beginning: &&str| name.starts_with(*beginning);
    if !exit::is_forked() || USABLE_AFTER_FORK.iter().any(usable) {
        return Ok(());
    }
    log::error!(
        "{name}: this process was forked from one that has used a device; its child cannot \
         (fork before the first context, or call exec)"
    );
    Err(Error::OutOfResources)
}

/// Begins a call of the API; `None` once the process is ending.
fn begin_call() -> Option<CallGuard> {
    watch_thread();
    exit::begin_call()
}

/// An entry point that returns a `cl_int`.
pub fn status(name: &'static str, body: impl FnOnce() -> Result<()>) -> cl_int {
    let result = object(name, body);
    result.map_or_else(Error::code, |()| CL_SUCCESS)
}

/// An entry point with `errcode_ret`; see [`write_errcode`].
pub fn object<R>(name: &'static str, body: impl FnOnce() -> Result<R>) -> Result<R> {
    check_fork(name)?;
    let _running = begin_call().ok_or(Error::OutOfResources)?;
    let span = trace::span(CATEGORY, name);
    let call = Call::begin();
    let result = guard(name, body).unwrap_or(Err(Error::OutOfResources));
    report(name, &call, span, result.as_ref().err());
    result
}

/// An entry point that may give a handle although it failed (clLinkProgram); see
/// [`write_status`].
pub fn linked<T>(
    name: &'static str,
    body: impl FnOnce() -> (*mut T, Result<()>),
) -> (*mut T, Result<()>) {
    if let Err(error) = check_fork(name) {
        return (std::ptr::null_mut(), Err(error));
    }
    let Some(_running) = begin_call() else {
        return (std::ptr::null_mut(), Err(Error::OutOfResources));
    };
    let span = trace::span(CATEGORY, name);
    let call = Call::begin();
    let failed = (std::ptr::null_mut(), Err(Error::OutOfResources));
    let (value, result) = guard(name, body).unwrap_or(failed);
    report(name, &call, span, result.as_ref().err());
    (value, result)
}

/// An entry point that has its own way to say that something failed: NULL, or nothing at all.
pub fn plain<R: Failure>(name: &'static str, body: impl FnOnce() -> R) -> R {
    if check_fork(name).is_err() {
        return R::FAILURE;
    }
    let Some(_running) = begin_call() else {
        return R::FAILURE;
    };
    let _span = trace::span(CATEGORY, name);
    let call = Call::begin();
    let value = guard(name, body).unwrap_or(R::FAILURE);
    explain(name, &call, None);
    value
}

/// The value that a `plain` entry point returns when it cannot do its work.
pub trait Failure {
    /// The value.
    const FAILURE: Self;
}

impl Failure for () {
    const FAILURE: Self = ();
}

impl<T> Failure for *mut T {
    const FAILURE: Self = std::ptr::null_mut();
}

/// Stores the error code, if the application wants it, and gives the handle or NULL.
///
/// # Safety
/// `errcode_ret` is NULL or points to a writable `cl_int`.
pub unsafe fn write_errcode<T>(result: Result<*mut T>, errcode_ret: *mut cl_int) -> *mut T {
    let (value, status) = match result {
        Ok(value) => (value, Ok(())),
        Err(error) => (std::ptr::null_mut(), Err(error)),
    };
    // SAFETY: the same contract.
    unsafe { write_status(status, errcode_ret) };
    value
}

/// Stores the error code, if the application wants it.
///
/// # Safety
/// `errcode_ret` is NULL or points to a writable `cl_int`.
pub unsafe fn write_status(result: Result<()>, errcode_ret: *mut cl_int) {
    let code = result.map_or_else(|error| error.code(), |()| CL_SUCCESS);
    if !errcode_ret.is_null() {
        // SAFETY: not NULL, so it points to a cl_int by this function's contract.
        unsafe { errcode_ret.write(code) };
    }
}

/// Notes the result of a call in log and trace.
fn report(name: &str, call: &Call, span: trace::Span, error: Option<&Error>) {
    match error {
        Some(error) => {
            if !explain(name, call, Some(*error)) {
                log::debug!("{name}: {error}");
            }
            span.returns(error.name());
        }
        None => span.returns("CL_SUCCESS"),
    }
}

/// Tells the log and the context's callback why a call failed, if its check gave the reason;
/// `None` is NULL without an error code.
fn explain(name: &str, call: &Call, error: Option<Error>) -> bool {
    let Some((reason, callback)) = call.reason(error) else {
        return false;
    };
    let answer = error.map_or("NULL", Error::name);
    let line = format!("{name}: {answer}: {reason}");
    log::warn!("{line}");
    if let Some(callback) = callback {
        let told = catch_unwind(AssertUnwindSafe(|| callback(&line)));
        debug_assert!(told.is_ok(), "callbacks are C functions");
    }
    true
}
