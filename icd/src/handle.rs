//! From C handles, pointers and counts to the runtime's types.

use std::ffi::{CStr, c_char, c_void};
use std::mem::ManuallyDrop;
use std::sync::Arc;

use opencl_sys::{cl_event, cl_uint};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::base::exit;
use pumice_runtime::base::object::{Header, Kind, Object, Ref};
use pumice_runtime::base::property::Property;
use pumice_runtime::base::reason;
use pumice_runtime::context::Context;
use pumice_runtime::os::{Fd, duplicate};
use pumice_runtime::queue::WaitList;
use pumice_runtime::queue::event::Event;

/// No object lies in the first page; small integers are a common kind of wrong handle.
const FIRST_ADDRESS: usize = 4096;

/// Tells whether `raw` is the address of a live object of kind `T`.
///
/// # Safety
/// `raw` is NULL, an address of readable memory, or a value that no object can have (low or
/// misaligned).
pub unsafe fn is_kind<T: Kind>(raw: *mut c_void) -> bool {
    let address = raw as usize;
    if address < FIRST_ADDRESS || address % align_of::<Header>() != 0 {
        return false;
    }
    // SAFETY: every object starts with a Header, and its tag tells the kinds apart.
    unsafe { (*raw.cast::<Header>()).tag() == T::TAG }
}

/// The object behind a handle, or the error that its kind prescribes.
///
/// # Safety
/// As for every OpenCL call: `raw` is NULL or a handle that the application holds. Wrong kinds
/// are recognised.
pub unsafe fn get<T: Kind>(raw: *mut c_void) -> Result<Ref<T>> {
    // SAFETY: the caller's contract.
    unsafe { borrowed(raw) }.map(|object| Ref::clone(&object))
}

/// The same without a reference of its own: for calls during which nobody gives the application's reference back.
///
/// # Safety
/// As [`get`]; the application's reference lives as long as the result.
pub unsafe fn borrowed<T: Kind>(raw: *mut c_void) -> Result<ManuallyDrop<Ref<T>>> {
    // SAFETY: the caller's contract.
    if !unsafe { is_kind::<T>(raw) } {
        let what = if raw.is_null() { "NULL" } else { "the handle" };
        return Err(T::INVALID.because(format!("{what} is not a valid object of this type")));
    }
    let object = raw.cast_const().cast::<Object<T>>();
    // SAFETY: the tag says that this is an Object<T> that an Arc owns, and the application's
    // reference keeps it alive. The strong count is the application's still, so it is not dropped.
    let object = ManuallyDrop::new(unsafe { Arc::from_raw(object) });
    reason::about(object.error_callback());
    Ok(object)
}

/// An optional object: NULL is `None`.
///
/// # Safety
/// As [`get`].
pub unsafe fn optional<T: Kind>(raw: *mut c_void) -> Result<Option<Ref<T>>> {
    if raw.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's contract.
    unsafe { get(raw) }.map(Some)
}

/// A context that objects are to be made in: CL_CONTEXT_TERMINATED_KHR if it has been terminated.
///
/// # Safety
/// As [`get`].
pub unsafe fn live_context(raw: *mut c_void) -> Result<Ref<Context>> {
    // SAFETY: the caller's contract.
    let context = unsafe { get::<Context>(raw) }?;
    context.check_live()?;
    Ok(context)
}

/// Gives the application a reference to the object.
pub fn publish<T: Kind>(object: Ref<T>) -> *mut c_void {
    object.publish() as *mut c_void
}

/// clRetain*.
///
/// # Safety
/// As [`get`].
pub unsafe fn retain<T: Kind>(raw: *mut c_void) -> Result<()> {
    // SAFETY: the caller's contract.
    let object = unsafe { get::<T>(raw) }?;
    object.publish();
    Ok(())
}

/// clRelease*. `before_last` runs when the application gives its last reference back, while the
/// object is still whole.
///
/// # Safety
/// As [`get`]; one of the application's references ends with this call.
pub unsafe fn release<T: Kind>(raw: *mut c_void, before_last: impl FnOnce(&Ref<T>)) -> Result<()> {
    // SAFETY: the caller's contract.
    let object = unsafe { get::<T>(raw) }?;
    if object.unpublish()? && !exit::keeps_released() {
        before_last(&object);
        // SAFETY: `publish` turned one strong count into the application's references, of which
        // this was the last.
        unsafe { Arc::decrement_strong_count(raw.cast_const().cast::<Object<T>>()) };
    }
    Ok(())
}

/// A C array as a slice; NULL or no elements give an empty one, and so does a count that no
/// memory could hold.
///
/// # Safety
/// `data` is NULL or points to `count` readable elements.
pub unsafe fn slice<'a, T>(data: *const T, count: usize) -> &'a [T] {
    let fits =
        (count.checked_mul(size_of::<T>())).is_some_and(|bytes| isize::try_from(bytes).is_ok());
    if data.is_null() || count == 0 || !fits {
        return &[];
    }
    // SAFETY: the caller's contract, and no more bytes than a slice may have.
    unsafe { std::slice::from_raw_parts(data, count) }
}

/// A required array: NULL or a count of zero is CL_INVALID_VALUE.
///
/// # Safety
/// As [`slice`].
pub unsafe fn required<'a, T>(data: *const T, count: usize) -> Result<&'a [T]> {
    if data.is_null() || count == 0 {
        return Err(Error::InvalidValue.because("a required list is NULL or has no element"));
    }
    // SAFETY: the caller's contract.
    Ok(unsafe { slice(data, count) })
}

/// An optional list: either both NULL and zero, or neither; otherwise `mismatch`.
///
/// # Safety
/// `list` is NULL or points to `count` handles.
pub unsafe fn list<T: Kind>(
    count: cl_uint,
    list: *const *mut c_void,
    mismatch: Error,
) -> Result<Vec<Ref<T>>> {
    if list.is_null() != (count == 0) {
        return Err(mismatch.because(match list.is_null() {
            true => format!("a list of {count} elements is NULL"),
            false => "a list without elements is not NULL".to_string(),
        }));
    }
    // SAFETY: the caller's contract.
    unsafe { slice(list, count as usize) }
        .iter()
        // SAFETY: the elements are handles by the caller's contract.
        .map(|&raw| unsafe { get::<T>(raw) })
        .collect()
}

/// An event wait list and the place for the command's own event: CL_INVALID_EVENT_WAIT_LIST if the
/// list is NULL with a count, has a count of zero without being NULL, or holds something that is no
/// event.
///
/// # Safety
/// `list` is NULL or points to `count` event handles.
pub unsafe fn wait_list(
    count: cl_uint,
    list: *const cl_event,
    event: *const cl_event,
) -> Result<WaitList> {
    // SAFETY: the caller's contract.
    let events = unsafe { self::list::<Event>(count, list, Error::InvalidEventWaitList) }.map_err(
        |error| match error {
            Error::InvalidEventWaitList => error,
            _ => Error::InvalidEventWaitList.because("an element of the wait list is not an event"),
        },
    )?;
    Ok(WaitList {
        events,
        gives_event: !event.is_null(),
    })
}

/// Another descriptor of a file: CL_INVALID_PROPERTY if the number is none.
///
/// # Safety
/// A descriptor that is open stays so during the call.
pub unsafe fn descriptor(raw: i32) -> Result<Fd> {
    // SAFETY: the caller's contract.
    unsafe { duplicate(raw) }.ok_or_else(|| {
        Error::InvalidProperty.because(format!("{raw} is not the descriptor of an open file"))
    })
}

/// A C string; NULL is CL_INVALID_VALUE.
///
/// # Safety
/// `text` is NULL or a NUL-terminated string.
pub unsafe fn string<'a>(text: *const c_char) -> Result<&'a CStr> {
    if text.is_null() {
        return Err(Error::InvalidValue.because("a required string is NULL"));
    }
    // SAFETY: the caller's contract.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// A C string where NULL means an empty one.
///
/// # Safety
/// As [`string`].
pub unsafe fn string_or_empty<'a>(text: *const c_char) -> &'a CStr {
    // SAFETY: the caller's contract.
    unsafe { string(text) }.unwrap_or(c"")
}

/// Writes through an out pointer that may be NULL.
///
/// # Safety
/// `out` is NULL or writable.
pub unsafe fn write<T>(out: *mut T, value: T) {
    if !out.is_null() {
        // SAFETY: the caller's contract.
        unsafe { out.write(value) };
    }
}

/// Gives the application a command's event, if it has a place for it.
///
/// # Safety
/// `out` is NULL or writable.
pub unsafe fn give_event(out: *mut cl_event, event: Ref<Event>) {
    if !out.is_null() {
        // SAFETY: the caller's contract.
        unsafe { out.write(publish(event)) };
    }
}

/// A zero-terminated property list, without the terminator; NULL gives `None`.
///
/// # Safety
/// `list` is NULL or an array of property pairs ended by a zero name.
pub unsafe fn properties<T: Copy + Default + PartialEq>(list: *const T) -> Option<Vec<[T; 2]>> {
    if list.is_null() {
        return None;
    }
    let mut pairs = Vec::new();
    let mut at = list;
    // SAFETY: the list is made of pairs up to a zero name (the caller's contract).
    unsafe {
        while *at != T::default() {
            pairs.push([*at, *at.add(1)]);
            at = at.add(2);
        }
    }
    Some(pairs)
}

/// A list of properties, some of which have lists for values, as `has_list` says: the properties, and all words with the
/// terminator. `None` for NULL.
///
/// # Safety
/// `list` is NULL or a list as the extension describes it.
pub unsafe fn listed_properties(
    list: *const u64,
    has_list: impl Fn(u64) -> bool,
) -> (Option<Vec<Property>>, Vec<u64>) {
    let mut words = Vec::new();
    if list.is_null() {
        return (None, words);
    }
    let mut found = Vec::new();
    // SAFETY: a word is read only if the list has not ended before it (the caller's contract).
    let mut next = || unsafe {
        let word = list.add(words.len()).read();
        words.push(word);
        word
    };
    loop {
        let name = next();
        if name == 0 {
            break;
        }
        let mut values = vec![next()];
        if has_list(name) {
            while values.last() != Some(&0) {
                values.push(next());
            }
            values.pop();
        }
        found.push(Property { name, values });
    }
    (Some(found), words)
}

/// The first `count` (1 to 3) sizes of a C array, `rest` for the other dimensions; NULL is
/// `None`.
///
/// # Safety
/// `sizes` is NULL or points to `count` readable elements.
pub unsafe fn dimensions(sizes: *const usize, count: u32, rest: usize) -> Option<[usize; 3]> {
    if sizes.is_null() {
        return None;
    }
    Some(std::array::from_fn(|d| match d < count as usize {
        // SAFETY: the caller's contract.
        true => unsafe { sizes.add(d).read() },
        false => rest,
    }))
}
