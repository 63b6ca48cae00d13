//! The kinds of places that kernels with checks test, by their numbers in modules.

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The kinds of accesses and operations; modules name them by their place in this list.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum CheckKind {
            $($(#[$doc])* $name,)*
        }

        impl CheckKind {
            /// All of them, by number.
            const ALL: &[Self] = &[$(Self::$name,)*];
        }
    };
}

kinds! {
    /// 0: memory is read.
    Read,
    /// 1: memory is written.
    Write,
    /// 2: memory is read and written at once.
    Atomic,
    /// 3: an integer division.
    Division,
    /// 4: the remainder of one.
    Remainder,
    /// 5: a shift.
    Shift,
    /// 6: rounds of a loop.
    Loop,
    /// 7: memory is read that nothing wrote.
    Unwritten,
    /// 8: a barrier.
    Barrier,
    /// 9: a work-group function.
    Collective,
    /// 10: memory is read that another work-item wrote, with nothing to order the two.
    ReadRace,
    /// 11: memory is written that another work-item read or wrote, with nothing to order the two.
    WriteRace,
}

impl CheckKind {
    /// The kind of a number.
    pub fn of_number(number: u32) -> Option<Self> {
        Self::ALL.get(number as usize).copied()
    }

    /// Its number.
    pub fn number(self) -> u32 {
        self as u32
    }
}
