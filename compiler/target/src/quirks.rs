//! The kinds of drivers' faults that the code knows, and sets of them.
//!
//! A kind says what is done about a fault; the Vulkan layer's list of quirks says which versions
//! of which drivers have it. The compiler sees only the set that holds for its target
//! ([`Target::quirks`](crate::Target::quirks)).

use serde::{Deserialize, Serialize};
use std::fmt;

/// A property of a kind, for which [`QuirkKind`] has a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    LeavesOut,
    ForSpeed,
    InProcess,
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $name:ident, $place:literal $(, $mark:ident)?;)+) => {
        /// The remedy for a driver's fault, or for its slowness.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum QuirkKind {
            $($(#[doc = $doc])+ $name,)+
        }

        impl QuirkKind {
            /// Every kind, in the order of declaration.
            pub const ALL: &[QuirkKind] = &[$(QuirkKind::$name,)+];

            /// The name as written in the source, e.g. `SplitBitJoins`.
            pub fn name(self) -> &'static str {
                match self {
                    $(QuirkKind::$name => stringify!($name),)+
                }
            }

            /// The remedy in a sentence or two of Markdown.
            pub fn remedy(self) -> &'static str {
                match self {
                    $(QuirkKind::$name => concat!($($doc),+).trim(),)+
                }
            }

            /// The file that holds the remedy, from the repository's root.
            pub fn place(self) -> &'static str {
                match self {
                    $(QuirkKind::$name => $place,)+
                }
            }

            /// Returns whether the driver gives wrong results that nothing works around: its devices
            /// are offered only to those who ask for them.
            pub fn leaves_out(self) -> bool {
                self.mark() == Some(Mark::LeavesOut)
            }

            /// Returns whether the remedy saves time alone: programs are right without it.
            pub fn is_for_speed(self) -> bool {
                self.mark() == Some(Mark::ForSpeed)
            }

            /// Returns whether the remedy is about the process that the driver runs in.
            pub fn is_in_process(self) -> bool {
                self.mark() == Some(Mark::InProcess)
            }

            fn mark(self) -> Option<Mark> {
                let marks: &[Mark] = match self {
                    $(QuirkKind::$name => &[$(Mark::$mark)?],)+
                };
                marks.first().copied()
            }
        }
    };
}

kinds! {
    /// The start-up probe reads the process's own memory through a shader. On other drivers an
    /// address that is not mapped would lose the device.
    ProbeHostAddresses, "vulkan-layer/src/probe/mod.rs", InProcess;
    /// Denormals are taken from the start-up probe although the float control bits deny them.
    ProbeDenormals, "vulkan-layer/src/probe/mod.rs";
    /// A value that is computed in a loop and used behind it goes through an OpPhi whose sources
    /// differ.
    LoopValuesByPhi, "compiler/backend/src/passes/driver_quirks/loop_values.rs";
    /// Ways out of loops that the driver's optimiser could see through get conditions that never hold.
    SkippedBranches, "compiler/backend/src/passes/driver_quirks/skipped_branches.rs";
    /// Deep nests of branches and early returns are cut, kernels whose loops nest more than 80 deep are refused.
    NestsOf80, "compiler/backend/src/passes/driver_quirks/deep_nests.rs";
    /// Kernels whose loops nest more than 38 deep are refused.
    LoopsOf38, "compiler/backend/src/passes/driver_quirks/deep_nests.rs";
    /// Kernels to which copies of the functions that they call would add more than 262,144 instructions are refused.
    CopiedCalls, "compiler/backend/src/passes/driver_quirks/copied_calls.rs";
    /// Kernels of more than 65,536 instructions with a copy of the function for each call have each function once, and calls go through a loop.
    ShareFunctions, "compiler/backend/src/passes/driver_quirks/share_functions/mod.rs";
    /// Kernels that index private memory in 1,024 places or more begin with a barrier.
    EarlyBarrier, "compiler/backend/src/passes/driver_quirks/early_barrier.rs", ForSpeed;
    /// Bits of two values are joined by a product of sums, not by a sum of products.
    SplitBitJoins, "compiler/backend/src/passes/driver_quirks/split_bit_joins.rs";
    /// Addresses of loads behind branches differ between work-items as far as the driver can see.
    LoadsIgnoreBranches, "compiler/backend/src/vulkan/access.rs";
    /// Vectors are accessed in words of up to 64 bits.
    VectorsByWords, "compiler/backend/src/passes/driver_quirks/widen_memory.rs", ForSpeed;
    /// Local ids are computed from the sub-group's number and the lane, which come in order.
    LocalIdsFromLanes, "compiler/backend/src/vulkan/work_items.rs", ForSpeed;
    /// The lanes of a sub-group load what lies side by side from addresses that they share, in coarse copies.
    LoadsByLanes, "compiler/backend/src/passes/optimize/coarsen/lanes.rs", ForSpeed;
    /// Votes, ballots and scans of sub-groups are made of reductions and shuffles.
    LoopsOverLanes, "compiler/backend/src/passes/lower/lane_loops.rs", ForSpeed;
    /// Loops that index a private array by their counter are unrolled, so that the array needs no memory.
    UnrollArrayLoops, "compiler/backend/src/passes/optimize/bound_unrolling.rs", ForSpeed;
    /// Loops run several rounds between two tests.
    UnrollRounds, "compiler/backend/src/passes/optimize/unroll_rounds.rs", ForSpeed;
    /// Many loops that follow one another are unrolled before the driver would unroll one after the other.
    UnrollSeries, "compiler/backend/src/passes/optimize/unroll_series.rs", ForSpeed;
    /// Kernels ask for floats that round to nearest only if their program asks for correctly rounded divisions, where a probe finds
    /// that they do so unasked.
    RoundingSlowsDivision, "compiler/target/src/arithmetic.rs", ForSpeed;
    /// Halves are compared, rounded and negated as floats and integers, and integers make halves of floats.
    HalvesByFloats, "compiler/backend/src/passes/driver_quirks/halves_by_floats.rs", ForSpeed;
    /// Integers of up to 32 bits are divided as doubles, which is exact.
    DivideInDoubles, "compiler/backend/src/passes/legalize/lower_integers.rs", ForSpeed;
    /// Integers of 64 bits are divided by the driver's own instruction.
    DivideLongsByDriver, "compiler/backend/src/passes/legalize/lower_integers.rs", ForSpeed;
    /// Work-groups of kernels that use sub-groups are dispatched as a single row.
    SubGroupsInRows, "compiler/backend/src/vulkan/work_items.rs";
    /// Sums with a zero that the driver may know are selected by a comparison, and `fabs` is made
    /// of bits.
    GuardZeroSums, "compiler/backend/src/passes/driver_quirks/fix_signed_zero.rs";
    /// Products with a zero that the driver may know are made of bits.
    GuardZeroProducts, "compiler/backend/src/passes/driver_quirks/fix_signed_zero.rs";
    /// Signed comparisons of an i32 extended to i64 are made of unsigned ones.
    GuardWidenedCompares, "compiler/backend/src/passes/driver_quirks/widened_compares.rs";
    /// Unsigned words become floats as signed ones; large ones as their half, with a last bit that says
    /// whether one was lost.
    UnsignedToFloatByHalves, "compiler/backend/src/passes/legalize/legalize_conversions.rs";
    /// Denormal results of fmin and fmax of floats become zeros, where the device flushes denormals.
    FlushMinMax, "compiler/backend/src/passes/driver_quirks/flush_min_max.rs";
    /// Doubles are rounded and cut to whole numbers by a sum with 2^52.
    RoundDoubles, "compiler/backend/src/passes/driver_quirks/round_doubles.rs";
    /// Floats and doubles become words in a sum with 1.5 * 2^52, whose low bits they are, and integers of 64 bits in two.
    ConvertInDoubles, "compiler/backend/src/passes/driver_quirks/convert_in_doubles.rs", ForSpeed;
    /// Conversions from and to floats carry NoContraction, as sums do.
    ExactConversions, "compiler/backend/src/vulkan/arith.rs";
    /// Reads through samplers are computed pixel by pixel. `PUMICE_MASK=sampleExactly` uses the
    /// driver's samplers.
    SampleExactly, "compiler/backend/src/passes/lower/sample_exactly.rs";
    /// Pixels are read through a sampler that takes the nearest one, and linear filters are those of a sampler that filters in
    /// floats.
    ReadBySampler, "compiler/backend/src/passes/lower/read_by_sampler.rs", ForSpeed;
    /// Integers are clamped to an image's channels before they are written.
    ClampIntegerPixels, "compiler/backend/src/passes/lower/channel_types.rs";
    /// NaN becomes 0 before it is written to an image whose channels are not floats.
    ZeroNanPixels, "compiler/backend/src/passes/lower/channel_types.rs";
    /// Numbers beyond halves become the first of them, which has infinity's bits as a half, and NaN the number that would have a
    /// NaN's, before they are written to an image whose channels are halves.
    ClampHalfPixels, "compiler/backend/src/passes/lower/channel_types.rs";
    /// Texel buffers are written without a format where the device's own feature allows it, whatever it
    /// reports of single formats.
    TexelWritesByDevice, "vulkan-layer/src/device/instance.rs";
    /// Sub-groups have 16 work-items where a kernel does not ask for another size, on GPUs without maximal reconvergence.
    SubGroupsOf16, "vulkan-layer/src/caps/mod.rs";
    /// Formats whose channels have five or six bits are not offered.
    NoSmallChannels, "runtime/src/device/format.rs";
    /// Batches with timestamps have no barriers between their commands: the driver runs the commands of
    /// a queue one after the other, each to its end.
    RunsInOrder, "vulkan-layer/src/device/mod.rs", ForSpeed;
    /// There is no way around it. The device is left out unless `PUMICE_FAULTY_DRIVERS` asks for it, and
    /// device queues are not offered there.
    LoopsStop, "runtime/src/device/conditions.rs", LeavesOut;
    /// Pipes are not offered: loops around their functions meet fences.
    FencesInLoops, "runtime/src/device/conditions.rs";
    /// Sub-group operations on vectors of 8 or 16 bits an element are done element by element.
    NarrowVectorsByElement, "compiler/backend/src/passes/lower/lower_subgroups.rs";
    /// A copy between buffers to an offset that is no multiple of 16 is two: to the next multiple, and from there.
    UnalignedCopiesSplit, "vulkan-layer/src/commands/buffer_copy.rs";
    /// A barrier of a sub-group is a fence alone: its work-items run in step.
    SubgroupBarriersCount, "compiler/backend/src/vulkan/atomics.rs";
    /// Fences of a work-group are those of a sub-group, which order the compiler alone.
    GroupsRunOnOneThread, "compiler/backend/src/vulkan/atomics.rs", ForSpeed;
    /// Indexes that launches promise to be words are shifted to bytes behind their widening to 64 bits.
    IndexesShiftedWide, "compiler/backend/src/vulkan/promises.rs", ForSpeed;
    /// Words hold integers of 8 and 16 bits, as on devices that do not compute with these.
    NarrowIntegersByWords, "runtime/src/device/mod.rs";
    /// A sum of integers that have at most 16 bits is hidden from the driver where it is compared.
    NarrowSumsCompared, "compiler/backend/src/vulkan/narrow_sums.rs";
    /// A forked child ends without the exit handlers that were registered before the first context.
    ForkedExits, "runtime/src/device/gpu.rs", InProcess;
    /// Kernels get their buffers by descriptors where the program and the launch allow it.
    BuffersByDescriptors, "runtime/src/device/mod.rs", ForSpeed;
    /// The same on GPUs that do not compute with halves.
    OldGpusByDescriptors, "runtime/src/device/mod.rs", ForSpeed;
    /// Local memory is a part of a buffer for each work-group of a dispatch.
    LocalMemoryInBuffers, "compiler/backend/src/passes/legalize/local_in_buffers.rs", ForSpeed;
    /// A byte that is loaded is taken out of the word that holds it.
    BytesByWord, "compiler/backend/src/vulkan/parts.rs", ForSpeed;
    /// A command that has times dispatches no work-groups of its kernel before its start, if the kernel has not run yet.
    CodeAtFirstDispatch, "vulkan-layer/src/objects/pipeline.rs";
}

/// A set of quirks.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Quirks(u64);

const _: () = assert!(QuirkKind::ALL.len() <= u64::BITS as usize);

impl Quirks {
    /// No quirk: a driver without faults.
    pub const NONE: Quirks = Quirks(0);

    /// Every quirk at once, for tests.
    pub fn all() -> Self {
        QuirkKind::ALL.iter().copied().collect()
    }

    /// Returns whether the set holds `kind`.
    pub fn has(self, kind: QuirkKind) -> bool {
        self.0 & 1 << kind as u64 != 0
    }

    /// The quirks of the set, in the order of declaration.
    fn held(self) -> impl Iterator<Item = QuirkKind> {
        let all = QuirkKind::ALL.iter().copied();
        all.filter(move |kind| self.has(*kind))
    }

    /// The set with `kind`.
    #[must_use]
    pub fn with(self, kind: QuirkKind) -> Self {
        Quirks(self.0 | 1 << kind as u64)
    }

    /// The set without `kind`.
    #[must_use]
    pub fn without(self, kind: QuirkKind) -> Self {
        Quirks(self.0 & !(1 << kind as u64))
    }
}

impl FromIterator<QuirkKind> for Quirks {
    fn from_iter<I: IntoIterator<Item = QuirkKind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Quirks::NONE, Quirks::with)
    }
}

impl fmt::Debug for Quirks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.held()).finish()
    }
}

/// The names separated by spaces, as they are read again.
impl From<Quirks> for String {
    fn from(quirks: Quirks) -> Self {
        let names: Vec<&str> = quirks.held().map(QuirkKind::name).collect();
        names.join(" ")
    }
}

impl TryFrom<String> for Quirks {
    type Error = String;

    fn try_from(names: String) -> Result<Self, String> {
        names.parse()
    }
}

/// A set of names separated by spaces, as the file tests write it; `all` is every quirk.
impl std::str::FromStr for Quirks {
    type Err = String;

    fn from_str(names: &str) -> Result<Self, String> {
        if names.trim() == "all" {
            return Ok(Quirks::all());
        }
        let kind = |name: &str| {
            let mut kinds = QuirkKind::ALL.iter().copied();
            let known = kinds.find(|kind| kind.name() == name);
            known.ok_or_else(|| format!("no quirk is called '{name}'"))
        };
        names.split_whitespace().map(kind).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{QuirkKind, Quirks};

    #[test]
    fn what_has_no_way_around_leaves_devices_out() {
        let left_out = QuirkKind::ALL.iter().filter(|kind| kind.leaves_out());
        assert_eq!(left_out.collect::<Vec<_>>(), [&QuirkKind::LoopsStop]);
    }

    #[test]
    fn sets_hold_what_they_were_given() {
        let two: Quirks = "SplitBitJoins GuardZeroSums".parse().unwrap();
        let held = |set: Quirks| QuirkKind::ALL.iter().filter(|k| set.has(**k)).count();
        assert!(two.has(QuirkKind::SplitBitJoins) && two.has(QuirkKind::GuardZeroSums));
        assert_eq!(held(two), 2);
        assert_eq!(held(Quirks::all()), QuirkKind::ALL.len());
        assert_eq!(
            two.without(QuirkKind::GuardZeroSums)
                .with(QuirkKind::GuardZeroSums),
            two
        );
        assert_eq!(format!("{two:?}"), "{SplitBitJoins, GuardZeroSums}");
        assert_eq!(
            "Other".parse::<Quirks>().unwrap_err(),
            "no quirk is called 'Other'"
        );
    }
}
