//! Structs of features or properties that Vulkan 1.2 and 1.3 put together, as devices before these have them:
//! each extension brings a struct of its own, apart from those of Vulkan 1.1.

/// Makes `Structs` and `Promoted` for a chain type with members `v11`, `v12` and `v13`, and the Vulkan struct
/// at its head. A row is a name, a struct, the version that has its bits elsewhere, the extension that brings
/// it (`None` before Vulkan 1.2), and its fields.
macro_rules! promoted {
    ($chain:ty, $head:ident; $( $field:ident $ty:ident $before:tt $extension:expr => $member:ident { $($raw:ident)* } )*) => {
        /// The structs.
        #[derive(Default)]
        pub(super) struct Structs { $( $field: vk::$ty<'static>, )* }

        /// The structs that a device knows and needs, since it has none for all of them.
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct Promoted { $( $field: bool, )* }

        impl Promoted {
            /// Those of a device with a version, Vulkan 1.1 at least, and extensions.
            pub fn of(version: (u32, u32, u32), has: impl Fn(&CStr) -> bool) -> Self {
                let there = |before: (u32, u32), extension: Option<&CStr>| {
                    (version.0, version.1) < before && extension.is_none_or(&has)
                };
                Self { $( $field: there($before, $extension), )* }
            }

            /// The extensions to enable.
            pub fn extensions(self) -> Vec<&'static CStr> {
                let all: &[(bool, Option<&'static CStr>)] = &[$( (self.$field, $extension), )*];
                all.iter().filter_map(|&(there, extension)| extension.filter(|_| there)).collect()
            }
        }

        impl Structs {
            /// Takes the bits out of the structs of Vulkan 1.2 and 1.3.
            pub fn of(chain: &$chain) -> Self {
                let mut structs = Self::default();
                $( $( structs.$field.$raw = chain.$member.$raw; )* )*
                structs
            }

            /// Links those that are needed.
            pub fn link<'a>(
                &'a mut self,
                needed: Promoted,
                mut head: vk::$head<'a>,
            ) -> vk::$head<'a> {
                $( if needed.$field { head = head.push_next(&mut self.$field); } )*
                head
            }

            /// Puts the bits back.
            pub fn give(&self, needed: Promoted, chain: &mut $chain) {
                $( if needed.$field { $( chain.$member.$raw = self.$field.$raw; )* } )*
            }
        }
    };
}
pub(crate) use promoted;
