//! The value of one `clGet*Info` query, before it is copied to the application.

use crate::base::object::{Kind, Ref};

/// The bytes of a query's answer, in the layout that the API defines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info(Vec<u8>);

impl Info {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// An answer of no bytes (size 0).
    pub fn empty() -> Self {
        Self(Vec::new())
    }

    /// A string with its terminating NUL.
    pub fn string(text: &str) -> Self {
        Self::string_of_bytes(text.as_bytes())
    }

    /// A string that need not be UTF-8, with its terminating NUL.
    pub fn string_of_bytes(text: &[u8]) -> Self {
        let mut bytes = Vec::with_capacity(text.len() + 1);
        bytes.extend_from_slice(text);
        bytes.push(0);
        Self(bytes)
    }

    /// Of a string of names with spaces between, the first that `size` bytes hold, with the terminating NUL.
    pub fn first_names(&self, size: usize) -> Self {
        let names = self.0.split_last().map_or(&[][..], |(_, names)| names);
        let whole = |&end: &usize| end == names.len() || names[end] == b' ';
        let end = (0..=names.len())
            .rev()
            .find(|end| *end < size && whole(end));
        let mut bytes = names[..end.unwrap_or(0)].to_vec();
        bytes.push(0);
        Self(bytes)
    }

    /// Raw bytes.
    pub fn raw(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// A `cl_uint`, `cl_int` or enumeration.
    pub fn u32(value: u32) -> Self {
        Self(value.to_ne_bytes().to_vec())
    }

    /// A `cl_int`.
    pub fn i32(value: i32) -> Self {
        Self(value.to_ne_bytes().to_vec())
    }

    /// A `cl_ulong` or bit field.
    pub fn u64(value: u64) -> Self {
        Self(value.to_ne_bytes().to_vec())
    }

    /// A `size_t`.
    pub fn size(value: usize) -> Self {
        Self(value.to_ne_bytes().to_vec())
    }

    /// A `cl_bool`.
    pub fn bool(value: bool) -> Self {
        Self::u32(u32::from(value))
    }

    /// An array of `size_t`.
    pub fn sizes(values: &[usize]) -> Self {
        Self(values.iter().flat_map(|v| v.to_ne_bytes()).collect())
    }

    /// An array of `cl_uint`.
    pub fn u32s(values: &[u32]) -> Self {
        Self(values.iter().flat_map(|v| v.to_ne_bytes()).collect())
    }

    /// An array of `cl_ulong`, bit fields or properties.
    pub fn u64s(values: &[u64]) -> Self {
        Self(values.iter().flat_map(|v| v.to_ne_bytes()).collect())
    }

    /// A handle.
    pub fn object<T: Kind>(value: &Ref<T>) -> Self {
        Self::size(value.handle())
    }

    /// A handle that may be absent (NULL).
    pub fn optional<T: Kind>(value: Option<&Ref<T>>) -> Self {
        Self::size(value.map_or(0, |v| v.handle()))
    }

    /// An array of handles.
    pub fn objects<T: Kind>(values: &[Ref<T>]) -> Self {
        Self(
            values
                .iter()
                .flat_map(|v| v.handle().to_ne_bytes())
                .collect(),
        )
    }

    /// An array of `cl_name_version`: a version and a name of up to 63 bytes each.
    pub fn name_versions<'a>(values: impl IntoIterator<Item = (&'a str, u32)>) -> Self {
        let mut bytes = Vec::new();
        for (name, version) in values {
            bytes.extend_from_slice(&version.to_ne_bytes());
            let mut field = [0u8; opencl_sys::CL_NAME_VERSION_MAX_NAME_SIZE];
            let length = name.len().min(field.len() - 1);
            field[..length].copy_from_slice(&name.as_bytes()[..length]);
            bytes.extend_from_slice(&field);
        }
        Self(bytes)
    }
}

/// `CL_MAKE_VERSION`.
pub const fn make_version(major: u32, minor: u32, patch: u32) -> u32 {
    (major << 22) | (minor << 12) | patch
}

#[cfg(test)]
mod tests {
    use super::Info;

    #[test]
    fn lists_of_names_are_cut_between_names() {
        let names = Info::string("one two three");
        for (size, first) in [
            (14, "one two three"),
            (13, "one two"),
            (8, "one two"),
            (7, "one"),
            (3, ""),
            (0, ""),
        ] {
            assert_eq!(
                names.first_names(size).bytes(),
                Info::string(first).bytes(),
                "{size}"
            );
        }
    }
}
