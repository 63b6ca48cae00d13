//! Promises of launches of coarse copies, which the compiler relies on and the runtime keeps.

/// The alignment of pointer arguments, in bytes.
pub const ARGUMENT_ALIGN: u64 = 16;

/// The number that integers among the arguments are multiples of, where a copy asks for it.
pub const NUMBER_MULTIPLE: u64 = 4;

/// The most bytes of the objects that they point into.
pub const ARGUMENT_BYTES: u64 = 1 << 31;

/// Returns whether an argument is among those that a set has a bit for, the lowest for the first.
fn has_argument(places: u32, argument: usize) -> bool {
    argument < 32 && places >> argument & 1 == 1
}

/// The integers among the first 32 arguments of which a copy asks something: a bit for each argument, the lowest for the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Multiples {
    /// Multiples of [`NUMBER_MULTIPLE`].
    pub of_four: u32,
    /// Multiples of the copy's span: the number of work-items that are neighbours.
    pub of_span: u32,
}

impl Multiples {
    /// Returns whether nothing is asked.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// The number of things that are asked.
    pub fn count(self) -> u32 {
        self.of_four.count_ones() + self.of_span.count_ones()
    }

    /// Returns whether all arguments are what is asked of them; `bytes` gives those of the one at a place, if it has some.
    pub fn hold<'a>(self, span: u64, bytes: impl Fn(usize) -> Option<&'a [u8]>) -> bool {
        let any = self.of_four | self.of_span;
        let mut places = (0..32).filter(|&place| has_argument(any, place));
        places.all(|place| bytes(place).is_some_and(|bytes| self.hold_for(place, bytes, span)))
    }

    /// Returns whether the bytes of the argument at a place, the lowest first, are what is asked of it.
    pub fn hold_for(self, place: usize, bytes: &[u8], span: u64) -> bool {
        let asked = [(self.of_four, NUMBER_MULTIPLE), (self.of_span, span)];
        let mut asked = asked
            .iter()
            .filter(|&&(places, _)| has_argument(places, place));
        asked.all(|&(_, number)| is_multiple(bytes, number))
    }
}

/// Returns whether the bytes of an integer, the lowest first, are a multiple of a power of two.
fn is_multiple(bytes: &[u8], number: u64) -> bool {
    let words = bytes.iter().zip((0..u64::BITS).step_by(8));
    let low = words.fold(0, |low, (&byte, shift)| low | u64::from(byte) << shift);
    !bytes.is_empty() && low % number == 0
}

#[cfg(test)]
mod tests {
    use super::Multiples;

    #[test]
    fn multiples_hold_for_whole_numbers() {
        let asked = Multiples {
            of_four: 1 << 2,
            of_span: 1 << 5,
        };
        let given = |numbers: [&'static [u8]; 2]| {
            asked.hold(512, |place| match place {
                2 => Some(numbers[0]),
                5 => Some(numbers[1]),
                _ => panic!("nothing is asked of argument {place}"),
            })
        };
        assert!(given([&[12], &[0, 4]]) && !given([&[12], &[0, 1]]) && !given([&[2], &[0, 4]]));
        assert!(!asked.hold(512, |_| None));
        let holds = |place, number: u64| asked.hold_for(place, &number.to_le_bytes(), 512);
        assert!(holds(2, 12) && !holds(2, 2) && holds(5, 1024) && !holds(5, 256));
        // The bits above a byte count, and those of negative numbers; nothing is asked of others.
        assert!(!holds(5, 512 + 4) && holds(5, 512_u64.wrapping_neg()) && holds(0, 1));
        assert!(!asked.hold_for(2, &[], 512));
    }
}
