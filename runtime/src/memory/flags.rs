//! `cl_mem_flags`: their checks, and those that an object takes over from another.

use opencl_sys as cl;

use crate::base::error::{Error, Result};
use crate::device::format::NO_ACCESS;
use crate::memory::Mem;

const READ_WRITE_BITS: u64 =
    cl::CL_MEM_READ_WRITE | cl::CL_MEM_WRITE_ONLY | cl::CL_MEM_READ_ONLY | NO_ACCESS;
pub(super) const HOST_PTR_BITS: u64 =
    cl::CL_MEM_USE_HOST_PTR | cl::CL_MEM_ALLOC_HOST_PTR | cl::CL_MEM_COPY_HOST_PTR;
/// CL_MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL.
const UNRESTRICTED: u64 = cl::CL_MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL as u64;
/// Flags that let kernels or the host write.
const WRITE_BITS: u64 = cl::CL_MEM_READ_WRITE
    | cl::CL_MEM_WRITE_ONLY
    | cl::CL_MEM_KERNEL_READ_AND_WRITE
    | cl::CL_MEM_HOST_WRITE_ONLY;
const HOST_ACCESS_BITS: u64 =
    cl::CL_MEM_HOST_WRITE_ONLY | cl::CL_MEM_HOST_READ_ONLY | cl::CL_MEM_HOST_NO_ACCESS;

/// Fills in the access that flags without one mean.
pub(super) fn with_default_access(flags: u64) -> u64 {
    match flags & (READ_WRITE_BITS | cl::CL_MEM_IMMUTABLE_EXT) {
        0 => flags | cl::CL_MEM_READ_WRITE,
        _ => flags,
    }
}

/// Checks a `cl_mem_flags` value.
pub(super) fn check_flags(flags: u64) -> Result<()> {
    // CL_INVALID_VALUE if values specified in flags are not valid. CL_MEM_KERNEL_READ_AND_WRITE means
    // something to clGetSupportedImageFormats only, yet is one of the flags that section 5.2.1 lists.
    let known = READ_WRITE_BITS
        | HOST_PTR_BITS
        | HOST_ACCESS_BITS
        | cl::CL_MEM_KERNEL_READ_AND_WRITE
        | cl::CL_MEM_IMMUTABLE_EXT
        | UNRESTRICTED;
    if flags & !known != 0 {
        let unknown = flags & !known;
        return Err(Error::InvalidValue.because(format!("unknown flags {unknown:#x}")));
    }
    // The bits of one group exclude each other.
    if (flags & READ_WRITE_BITS).count_ones() > 1 || (flags & HOST_ACCESS_BITS).count_ones() > 1 {
        let reason = format!("flags {flags:#x} exclude each other");
        return Err(Error::InvalidValue.because(reason));
    }
    // CL_MEM_USE_HOST_PTR excludes the two others.
    if flags & cl::CL_MEM_USE_HOST_PTR != 0
        && flags & (cl::CL_MEM_ALLOC_HOST_PTR | cl::CL_MEM_COPY_HOST_PTR) != 0
    {
        let reason = "CL_MEM_USE_HOST_PTR excludes CL_MEM_ALLOC_HOST_PTR and CL_MEM_COPY_HOST_PTR";
        return Err(Error::InvalidValue.because(reason));
    }
    // CL_MEM_IMMUTABLE_EXT excludes whatever lets somebody write.
    if flags & cl::CL_MEM_IMMUTABLE_EXT != 0 && flags & WRITE_BITS != 0 {
        let reason = format!("flags {flags:#x} let an immutable object be written");
        return Err(Error::InvalidValue.because(reason));
    }
    Ok(())
}

/// CL_INVALID_VALUE if an immutable object has no contents: `given` tells whether it has those of another
/// object or API.
pub(super) fn check_immutable(flags: u64, given: bool) -> Result<()> {
    let host = flags & (cl::CL_MEM_COPY_HOST_PTR | cl::CL_MEM_USE_HOST_PTR) != 0;
    if flags & cl::CL_MEM_IMMUTABLE_EXT == 0 || host || given {
        return Ok(());
    }
    Err(Error::InvalidValue.because("an immutable object needs contents from its creation on"))
}

/// CL_INVALID_HOST_PTR if host_ptr is NULL and a flag needs it, or is given without one.
pub(super) fn check_host_ptr(flags: u64, given: bool) -> Result<()> {
    let needed = flags & (cl::CL_MEM_USE_HOST_PTR | cl::CL_MEM_COPY_HOST_PTR) != 0;
    if needed == given {
        return Ok(());
    }
    Err(Error::InvalidHostPtr.because(match given {
        true => "host_ptr is given without CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR",
        false => "host_ptr is NULL, which the flags do not allow",
    }))
}

/// The flags of an object that shows another one's memory: what is not given is inherited.
pub(super) fn inherited_flags(parent: &Mem, flags: u64) -> Result<u64> {
    // CL_INVALID_VALUE: the access must not exceed the parent's, and host pointer flags are
    // inherited, never given.
    if flags & HOST_PTR_BITS != 0 {
        return Err(Error::InvalidValue);
    }
    // CL_MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL: whatever is given holds.
    if parent.flags() & UNRESTRICTED != 0 {
        return Ok(with_default_access(flags) | parent.flags() & HOST_PTR_BITS);
    }
    let access = flags & READ_WRITE_BITS;
    let of_parent = parent.flags() & READ_WRITE_BITS;
    let widens = (of_parent == NO_ACCESS && access & !NO_ACCESS != 0)
        || (of_parent == cl::CL_MEM_WRITE_ONLY
            && access & (cl::CL_MEM_READ_WRITE | cl::CL_MEM_READ_ONLY) != 0)
        || (of_parent == cl::CL_MEM_READ_ONLY
            && access & (cl::CL_MEM_READ_WRITE | cl::CL_MEM_WRITE_ONLY) != 0);
    let host_access = flags & HOST_ACCESS_BITS;
    let host_parent = parent.flags() & HOST_ACCESS_BITS;
    let host_widens = (host_parent == cl::CL_MEM_HOST_WRITE_ONLY
        && host_access == cl::CL_MEM_HOST_READ_ONLY)
        || (host_parent == cl::CL_MEM_HOST_READ_ONLY && host_access == cl::CL_MEM_HOST_WRITE_ONLY)
        || (host_parent == cl::CL_MEM_HOST_NO_ACCESS
            && host_access & (cl::CL_MEM_HOST_READ_ONLY | cl::CL_MEM_HOST_WRITE_ONLY) != 0);
    let immutable = parent.flags() & cl::CL_MEM_IMMUTABLE_EXT;
    if widens || host_widens || immutable != 0 && flags & WRITE_BITS != 0 {
        return Err(Error::InvalidValue);
    }
    let inherited = |bits: u64| match flags & bits {
        0 => parent.flags() & bits,
        given => given,
    };
    let of_kernels = flags & cl::CL_MEM_KERNEL_READ_AND_WRITE;
    Ok(inherited(READ_WRITE_BITS | cl::CL_MEM_IMMUTABLE_EXT)
        | immutable
        | inherited(HOST_ACCESS_BITS)
        | (parent.flags() & HOST_PTR_BITS)
        | of_kernels)
}
