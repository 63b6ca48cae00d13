//! The formats of OpenCL C's printf (OpenCL C 3.0 §6.15.14), parsed once for all who read them:
//! the checks of the front end, the back end's lowering and the runtime's decoder.
#![forbid(unsafe_code)]

/// The conversion letter of each directive of a printf format that takes an argument.
pub fn conversions(format: &[u8]) -> Vec<u8> {
    let mut letters = Vec::new();
    let mut bytes = format.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            continue;
        }
        if bytes.next_if_eq(&b'%').is_some() {
            continue;
        }
        // Flags, width, precision, vector and length specifiers.
        let is_part = |b: u8| b"-+ #0123456789.vhlzt".contains(&b);
        while bytes.next_if(|&b| is_part(b)).is_some() {}
        letters.extend(bytes.next());
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::conversions;

    #[test]
    fn conversions_are_counted_as_printf_does() {
        assert_eq!(
            conversions(b"100%% %d %-5.3s|%v4hlf %#x %zu %td %"),
            b"dsfxud"
        );
        assert_eq!(conversions(b"none"), b"");
    }
}
