//! THE list of what drivers do differently from what they say.
//!
//! A row names driver, versions and reason; it is a licence to look (a probe decides) or a
//! workaround, never a capability by itself. It goes when its last driver version is out of use.
//! [`QuirkKind`] says what is done; docs/driver-quirks.md is generated from both.

use crate::caps::{Driver, DriverId};
pub use pumice_target::{QuirkKind, Quirks};

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct Quirk {
    /// Workaround to apply.
    pub kind: QuirkKind,
    /// The driver.
    pub driver: DriverId,
    /// The first version that it holds for, and the first that it does not, if known.
    pub versions: ((u32, u32), Option<(u32, u32)>),
    /// The fault, or the reason for its slowness.
    pub reason: &'static str,
}

impl Quirk {
    /// Advice to users who want a driver without the fault.
    pub fn cure(&self) -> String {
        let Some((major, minor)) = self.versions.1 else {
            return "no version without the fault is known: use another Vulkan driver".into();
        };
        match self.driver {
            DriverId::ImaginationMesa
            | DriverId::IntelMesa
            | DriverId::MesaHoneykrisp
            | DriverId::MesaNvk
            | DriverId::MesaPanvk
            | DriverId::MesaRadv
            | DriverId::MesaTurnip
            | DriverId::MesaV3dv => {
                format!("install Mesa {major}.{minor} or newer")
            }
            DriverId::MesaLlvmpipe => format!(
                "install Mesa {major}.{minor} or newer (Debian 12: apt install -t \
                 bookworm-backports mesa-vulkan-drivers)"
            ),
            DriverId::NvidiaProprietary => {
                format!("install NVIDIA's driver {major}.{minor} or newer")
            }
            DriverId::SwiftShader => format!("install SwiftShader {major}.{minor} or newer"),
        }
    }
}

/// Every row.
pub const QUIRKS: &[Quirk] = &[
    Quirk {
        kind: QuirkKind::ProbeHostAddresses,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), None),
        reason: "shaders run in the process and device addresses are host addresses",
    },
    Quirk {
        kind: QuirkKind::ProbeDenormals,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), None),
        reason: "the shaderDenormPreserve bits are 0, yet denormals of every width are kept",
    },
    Quirk {
        kind: QuirkKind::ProbeDenormals,
        driver: DriverId::NvidiaProprietary,
        versions: ((0, 0), None),
        reason: "shaderDenormPreserveFloat64 is 0 on some devices, all of which keep denormals of doubles",
    },
    Quirk {
        kind: QuirkKind::LoopValuesByPhi,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), Some((23, 0))),
        reason: "behind a loop with several exits, its values may be those of another work-item's last round",
    },
    Quirk {
        kind: QuirkKind::LoopValuesByPhi,
        driver: DriverId::SwiftShader,
        versions: ((0, 0), None),
        reason: "behind a loop with several exits, its values may be those of another work-item's last round",
    },
    Quirk {
        kind: QuirkKind::SkippedBranches,
        driver: DriverId::MesaLlvmpipe,
        versions: ((23, 0), None),
        reason: "what a branch computes that leaves a loop, or whose other arm does, is used behind it although the branch may be skipped: LLVM gets values that are not there, and may crash (seen in 25.0.7)",
    },
    Quirk {
        kind: QuirkKind::NestsOf80,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), None),
        reason: "gallivm keeps 80 masks of branches and 80 of loops: deeper nests crash the process or never end (seen in 25.0.7)",
    },
    Quirk {
        kind: QuirkKind::LoopsOf38,
        driver: DriverId::IntelMesa,
        versions: ((0, 0), None),
        reason: "39 loops inside one another crash the compiler (26.2.6, on Gen 9, Xe-LP and Xe-HPG), or it makes no pipeline of them (25.0.7)",
    },
    Quirk {
        kind: QuirkKind::CopiedCalls,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), None),
        reason: "each call gets a copy of the function, and memory grows with the square of the code: 12,000 instructions of many branches take 0.25 GB, 97,000 take 7 GB (25.0.7)",
    },
    Quirk {
        kind: QuirkKind::ShareFunctions,
        driver: DriverId::MesaLlvmpipe,
        versions: ((25, 0), None),
        reason: "as CopiedCalls; kernels that share functions take 0.2 GB for 34,000 instructions (25.0.7). Not 22.3.6: the 12,000 instructions of one that shares functions take over 400 s, where copies take 23 s",
    },
    Quirk {
        kind: QuirkKind::CopiedCalls,
        driver: DriverId::SwiftShader,
        versions: ((0, 0), None),
        reason: "each call gets a copy of the function: 24,000 instructions of many branches take 1 GB and 26 s",
    },
    Quirk {
        kind: QuirkKind::CopiedCalls,
        driver: DriverId::IntelMesa,
        versions: ((0, 0), None),
        reason: "each call gets a copy of the function: 24,000 instructions of many branches take 23 s and 0.28 GB (26.2, Gen 9)",
    },
    Quirk {
        kind: QuirkKind::ShareFunctions,
        driver: DriverId::IntelMesa,
        versions: ((0, 0), None),
        reason: "as CopiedCalls; a kernel that would be 97,000 instructions with copies takes 33 s and 0.6 GB (26.2, Gen 9)",
    },
    Quirk {
        kind: QuirkKind::CopiedCalls,
        driver: DriverId::MesaHoneykrisp,
        versions: ((0, 0), None),
        reason: "each call gets a copy of the function; 24,000 instructions of many branches crash the compiler (26.2)",
    },
    Quirk {
        kind: QuirkKind::ShareFunctions,
        driver: DriverId::MesaHoneykrisp,
        versions: ((0, 0), None),
        reason: "as CopiedCalls; a kernel that would be 97,000 instructions with copies takes 3 s and 0.13 GB (26.2)",
    },
    Quirk {
        kind: QuirkKind::CopiedCalls,
        driver: DriverId::MesaNvk,
        versions: ((0, 0), None),
        reason: "each call gets a copy of the function: 24,000 instructions of many branches take 20 s and 0.4 GB (26.2)",
    },
    Quirk {
        kind: QuirkKind::ShareFunctions,
        driver: DriverId::MesaNvk,
        versions: ((0, 0), None),
        reason: "as CopiedCalls; a kernel that would be 97,000 instructions with copies takes 11 s and 0.3 GB (26.2)",
    },
    Quirk {
        kind: QuirkKind::CopiedCalls,
        driver: DriverId::MesaRadv,
        versions: ((0, 0), None),
        reason: "each call gets a copy of the function: 24,000 instructions of many branches take 4 s, 48,000 more than 280 s (26.2)",
    },
    Quirk {
        kind: QuirkKind::ShareFunctions,
        driver: DriverId::MesaRadv,
        versions: ((0, 0), None),
        reason: "as CopiedCalls; a kernel that would be 97,000 instructions with copies takes 3 s and 0.23 GB, without a register spilled (26.2)",
    },
    Quirk {
        kind: QuirkKind::CopiedCalls,
        driver: DriverId::MesaTurnip,
        versions: ((0, 0), None),
        reason: "each call gets a copy of the function: 48,000 instructions of many branches take 21 s and 2.9 GB (26.2)",
    },
    Quirk {
        kind: QuirkKind::ShareFunctions,
        driver: DriverId::MesaTurnip,
        versions: ((0, 0), None),
        reason: "as CopiedCalls; a kernel that would be 97,000 instructions with copies takes 9 s and 0.25 GB (26.2)",
    },
    Quirk {
        kind: QuirkKind::SplitBitJoins,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), None),
        reason: "LLVM (14 to 19 at least) with AVX-512 takes a wrong truth table for (a & C) | (b & ~C) under a mask that keeps a",
    },
    Quirk {
        kind: QuirkKind::LoadsIgnoreBranches,
        driver: DriverId::MesaLlvmpipe,
        versions: ((25, 1), None),
        reason: "a load from an address that all work-items share (seen in 26.2.6, not in 25.0.7) is made even if the branch to it is not taken: NULL is read",
    },
    Quirk {
        kind: QuirkKind::VectorsByWords,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), None),
        reason: "a vector's components are gathered one by one",
    },
    Quirk {
        kind: QuirkKind::LocalIdsFromLanes,
        driver: DriverId::MesaLlvmpipe,
        // No version promises their order: up to the newest that was looked at.
        versions: ((25, 0), Some((26, 3))),
        reason: "local ids are divided out of those numbers for each work-item, by sizes unknown to the code",
    },
    Quirk {
        kind: QuirkKind::LoadsByLanes,
        driver: DriverId::MesaLlvmpipe,
        versions: ((25, 1), Some((26, 3))),
        reason: "gathers and scatters take a load or store for each lane, but eight scalar loads side by side become a vector's (seen in 26.2.6, not in 25.0.7)",
    },
    Quirk {
        kind: QuirkKind::LoopsOverLanes,
        driver: DriverId::MesaLlvmpipe,
        versions: ((25, 0), None),
        reason: "a loop over the lanes makes them: 7 ns, where a reduction takes 0.5 and a scan by shuffles 1 (eight lanes, 25.0.7 and 26.2.6)",
    },
    Quirk {
        kind: QuirkKind::EarlyBarrier,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), None),
        reason: "LLVM up to 19 at least compares each use of a private array with each other one, unless it finds a barrier between two: 2,000 \
                 accesses take 148 s, behind a barrier 24 s (25.0.7 with LLVM 15; 74 and 36 s with LLVM 19; no difference with LLVM 22)",
    },
    Quirk {
        kind: QuirkKind::UnrollRounds,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), None),
        reason: "a round takes some 35 cycles beside its instructions: the counter and the mask of lanes go through memory",
    },
    Quirk {
        kind: QuirkKind::UnrollSeries,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), None),
        reason: "of loops that follow one another one is unrolled, then all passes run on the whole kernel, then the next one is: a kernel with 544 \
                 loops of eight rounds takes 25 s where it takes 3 s without loops (25.0.7)",
    },
    Quirk {
        kind: QuirkKind::UnrollSeries,
        driver: DriverId::IntelMesa,
        versions: ((0, 0), None),
        reason: "as on lavapipe: the drivers of Mesa share the pass that unrolls",
    },
    Quirk {
        kind: QuirkKind::UnrollSeries,
        driver: DriverId::MesaHoneykrisp,
        versions: ((0, 0), None),
        reason: "as on lavapipe: 249 s for three such kernels, 9 s without loops (26.2)",
    },
    Quirk {
        kind: QuirkKind::UnrollSeries,
        driver: DriverId::MesaNvk,
        versions: ((0, 0), None),
        reason: "as on lavapipe: 258 s for three such kernels, 32 s without loops (26.2)",
    },
    Quirk {
        kind: QuirkKind::UnrollSeries,
        driver: DriverId::MesaRadv,
        versions: ((0, 0), None),
        reason: "as on lavapipe: 192 s for three such kernels, 9 s without loops (26.2, RDNA 3)",
    },
    Quirk {
        kind: QuirkKind::UnrollSeries,
        driver: DriverId::MesaTurnip,
        versions: ((0, 0), None),
        reason: "as on lavapipe: 301 s for three such kernels, 88 s without loops (26.2, Adreno 730)",
    },
    Quirk {
        kind: QuirkKind::DivideInDoubles,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), None),
        reason: "CPUs have vectors of quotients of doubles, of integers they have one at a time",
    },
    Quirk {
        kind: QuirkKind::DivideLongsByDriver,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), None),
        reason: "CPUs have an instruction for it; of products' high halves their vectors have none",
    },
    Quirk {
        kind: QuirkKind::SubGroupsInRows,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), Some((25, 0))),
        reason: "each row of a work-group has sub-groups of its own, the last of them partial, and several of a group have one number",
    },
    Quirk {
        kind: QuirkKind::GuardZeroSums,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), None),
        reason: "x + 0.0 is taken for x, and fabs(x) where x may be -0.0, although NoContraction and SignedZeroInfNanPreserve forbid it",
    },
    Quirk {
        kind: QuirkKind::GuardZeroProducts,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), Some((25, 0))),
        reason: "x * 0.0 is taken for 0.0, although NoContraction and SignedZeroInfNanPreserve forbid it",
    },
    Quirk {
        kind: QuirkKind::GuardWidenedCompares,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), Some((25, 0))),
        reason: "a sign-extended i32 is compared with a constant as two i32 if the constant is in range, whose lower end has lost its sign (nir_opt_algebraic: -0x80000000 in C)",
    },
    Quirk {
        kind: QuirkKind::UnsignedToFloatByHalves,
        driver: DriverId::SwiftShader,
        versions: ((0, 0), None),
        reason: "31 bits of an unsigned word are rounded before the highest is added, which rounds again (seen in 5.0)",
    },
    Quirk {
        kind: QuirkKind::FlushMinMax,
        driver: DriverId::MesaLlvmpipe,
        versions: ((25, 1), None),
        reason: "fmin of two negative denormals is the greater one, fmax the less: they count as equal, and then as integers (seen in 26.2.6, which flushes denormals; 25.0.7 keeps them)",
    },
    Quirk {
        kind: QuirkKind::RoundDoubles,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), None),
        reason: "on some processors trunc and roundEven of a double beyond 2^24 give it back with its fraction, zeros lose their sign, and ties are not rounded to even (without AVX-512 in 22.3.6, 25.0.7 and 26.2.6, with it roundEven in 22.3.6)",
    },
    Quirk {
        kind: QuirkKind::ConvertInDoubles,
        driver: DriverId::MesaLlvmpipe,
        versions: ((25, 0), None),
        reason: "a conversion saturates, which LLVM makes of five instructions for each lane (seen in 25.0.7 and 26.2.6): 1.3 ns in 25.0.7 with LLVM 15",
    },
    Quirk {
        kind: QuirkKind::ExactConversions,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), None),
        reason: "an integer that becomes a float and an integer again, or a float that becomes a half and a float again, is not rounded (integers of 64 bits by f32 in 22.3 and 25.0, all in 26.2)",
    },
    Quirk {
        kind: QuirkKind::SampleExactly,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), None),
        reason: "8-bit formats are filtered in 8 bits, and coordinates just below a repeated edge fall short of it",
    },
    Quirk {
        kind: QuirkKind::SampleExactly,
        driver: DriverId::SwiftShader,
        versions: ((0, 0), None),
        reason: "coordinates just below a repeated edge fall on the far one (seen in 5.0)",
    },
    Quirk {
        kind: QuirkKind::ReadBySampler,
        driver: DriverId::MesaLlvmpipe,
        versions: ((25, 0), None),
        reason: "a fetch finds out the size of its mip level for each lane: 25 reads for each pixel take 24 ms, and 8 ms through a sampler (26.2.6)",
    },
    Quirk {
        kind: QuirkKind::ClampIntegerPixels,
        driver: DriverId::SwiftShader,
        versions: ((0, 0), None),
        reason: "channels of 8 and 16 bits take the low bits of an integer that they cannot hold, which Vulkan leaves open (seen in 5.0)",
    },
    Quirk {
        kind: QuirkKind::ZeroNanPixels,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), None),
        reason: "normalised channels take NaN for their greatest number, which Vulkan leaves open (seen in 25.0)",
    },
    Quirk {
        kind: QuirkKind::ZeroNanPixels,
        driver: DriverId::SwiftShader,
        versions: ((0, 0), None),
        reason: "signed normalised channels take NaN for their least number, which Vulkan leaves open (seen in 5.0)",
    },
    Quirk {
        kind: QuirkKind::ClampHalfPixels,
        driver: DriverId::SwiftShader,
        versions: ((0, 0), None),
        reason: "channels of halves take infinity and numbers above 65536 for NaN, and NaN puts a bit into the channel above (seen in 5.0)",
    },
    Quirk {
        kind: QuirkKind::TexelWritesByDevice,
        driver: DriverId::SwiftShader,
        versions: ((0, 0), None),
        reason: "shaderStorageImageWriteWithoutFormat is 1 and holds for texel buffers, which the features of formats deny of every one (seen in 5.0)",
    },
    Quirk {
        kind: QuirkKind::NoSmallChannels,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), None),
        reason: "channels of five and six bits are read by way of eight",
    },
    Quirk {
        kind: QuirkKind::RunsInOrder,
        driver: DriverId::MesaLlvmpipe,
        // Nobody promises it of versions that were not seen.
        versions: ((22, 3), Some((27, 0))),
        reason: "one thread runs them, and makes the rasterizer's threads meet at each barrier behind a timestamp",
    },
    Quirk {
        kind: QuirkKind::HalvesByFloats,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), Some((26, 0))),
        reason: "LLVM 15 takes each lane alone in comparisons, signs, roots and rounding of halves: 10 to 30 times what floats take (25.0.7; not with LLVM 22 in 26.2.6). Mesa makes a half of a float by three branches",
    },
    Quirk {
        kind: QuirkKind::RoundingSlowsDivision,
        driver: DriverId::NvidiaProprietary,
        versions: ((0, 0), None),
        reason: "RoundingModeRTE makes quotients of floats exact and takes twice the time; all else rounds to nearest without it (seen in \
                 580.159)",
    },
    Quirk {
        kind: QuirkKind::UnrollArrayLoops,
        driver: DriverId::NvidiaProprietary,
        versions: ((0, 0), None),
        reason: "loops of 48 and 64 rounds stay loops, and the arrays that they index stay in memory (seen in 580.159)",
    },
    Quirk {
        kind: QuirkKind::NoSmallChannels,
        driver: DriverId::NvidiaProprietary,
        versions: ((0, 0), None),
        reason: "channels of five and six bits are read by way of eight (seen in 580.159)",
    },
    Quirk {
        kind: QuirkKind::NarrowIntegersByWords,
        driver: DriverId::NvidiaProprietary,
        versions: ((0, 0), None),
        reason: "x << 8 | x >> 8 of 16 bits is 0 or rubbish, and -(-128) of 8 bits is 128 (seen in 580.159)",
    },
    Quirk {
        kind: QuirkKind::NarrowSumsCompared,
        driver: DriverId::NvidiaProprietary,
        versions: ((0, 0), None),
        reason: "a + b + 128 > 255u is false for all a and b that are sign-extended from 8 bits, and the same of 16 (seen in 580.159)",
    },
    Quirk {
        kind: QuirkKind::ForkedExits,
        driver: DriverId::NvidiaProprietary,
        versions: ((0, 0), None),
        reason: "its exit handlers crash in a child that was forked from a process with a device, and the parent's device may be lost then \
                 (seen in 580.159)",
    },
    Quirk {
        kind: QuirkKind::LoopsStop,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), Some((23, 0))),
        reason: "a work-item's loops end after 65,535 rounds in sum",
    },
    Quirk {
        kind: QuirkKind::FencesInLoops,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), Some((23, 0))),
        reason: "values are wrong where work-items meet a memory fence in different rounds of a loop",
    },
    Quirk {
        kind: QuirkKind::SubgroupBarriersCount,
        driver: DriverId::MesaLlvmpipe,
        versions: ((23, 0), None),
        reason: "values are wrong where sub-groups of a work-group meet different numbers of sub-group barriers",
    },
    Quirk {
        kind: QuirkKind::GroupsRunOnOneThread,
        driver: DriverId::MesaLlvmpipe,
        versions: ((25, 0), Some((26, 0))),
        reason: "each sub-group waits at a barrier until the processor has written all that it stored, though one thread runs the whole \
                 work-group (25.0.7; not in 26.2.6): a scan in local memory takes 3.5 times as long",
    },
    Quirk {
        kind: QuirkKind::IndexesShiftedWide,
        driver: DriverId::MesaHoneykrisp,
        versions: ((25, 0), None),
        reason: "an access adds an index of 32 bits that is shifted as one of 64; a sum with a shifted word takes six \
                 instructions",
    },
    Quirk {
        kind: QuirkKind::BuffersByDescriptors,
        driver: DriverId::MesaTurnip,
        versions: ((0, 0), None),
        reason: "the GPUs add 64-bit addresses by words; kernels of the benchmark have 0.8 times the instructions with descriptors",
    },
    Quirk {
        kind: QuirkKind::OldGpusByDescriptors,
        driver: DriverId::MesaRadv,
        versions: ((0, 0), None),
        reason: "GPUs before GFX9 load from 64-bit addresses in registers alone (Polaris on 26.2.6): with descriptors kernels of the \
                 benchmark have 0.7 times the vector instructions and 0.8 times the registers",
    },
    Quirk {
        kind: QuirkKind::LocalMemoryInBuffers,
        driver: DriverId::MesaLlvmpipe,
        versions: ((25, 0), Some((25, 1))),
        reason: "an access of local memory is a branch for each lane (25.0.7; not in 26.2.6): a tiled matrix product takes twice as long as from a buffer",
    },
    Quirk {
        kind: QuirkKind::BytesByWord,
        driver: DriverId::MesaLlvmpipe,
        versions: ((25, 0), None),
        reason: "LLVM gathers words, but makes a branch for each lane of a gather of bytes: a chain of look-ups in a table of bytes takes 1.5 \
                 (25.0.7) and 1.6 to 4.5 times (26.2.6) as long as with words taken apart, and 1,040 of them in a loop take LLVM 15 s",
    },
    Quirk {
        kind: QuirkKind::CodeAtFirstDispatch,
        driver: DriverId::MesaLlvmpipe,
        versions: ((22, 3), None),
        reason: "machine code is generated when a pipeline is first dispatched, behind the timestamp of the command's start: seconds for a \
                 large kernel, which applications that tune themselves take for its time",
    },
    Quirk {
        kind: QuirkKind::BuffersByDescriptors,
        driver: DriverId::IntelMesa,
        versions: ((0, 0), None),
        reason: "64-bit addresses are added by words: with descriptors and push constants kernels of the benchmark have 0.76 times \
                 the cycles on Xe-HPG, 0.87 on Xe-LP and 0.89 on Gen 9",
    },
    Quirk {
        kind: QuirkKind::SubGroupsOf16,
        driver: DriverId::IntelMesa,
        versions: ((0, 0), None),
        reason: "hasvk's compiler crashes on many shuffles in sub-groups of 32 (26.2.6, Broadwell); ANV's GPUs have maximal reconvergence",
    },
    Quirk {
        kind: QuirkKind::NarrowVectorsByElement,
        driver: DriverId::MesaV3dv,
        versions: ((0, 0), None),
        reason: "shuffles of vectors of two, or of one value more than once, end the process: \"Unknown NIR ALU inst: pack_32_4x8\" \
                 (26.2.6, VideoCore 6 and 7)",
    },
    Quirk {
        kind: QuirkKind::UnalignedCopiesSplit,
        driver: DriverId::ImaginationMesa,
        versions: ((0, 0), None),
        reason: "vkQueueSubmit fails with copies of 70,000 bytes to an offset that is no multiple of 16: \"ISP vertex xy value out of \
                 range\" (26.2.6, BXS-4-64)",
    },
];

/// The rows that hold for a driver.
pub fn of(driver: &Driver) -> impl Iterator<Item = &'static Quirk> + '_ {
    QUIRKS.iter().filter(|quirk| applies(quirk, driver))
}

/// The kinds of the rows that hold for a driver.
pub fn kinds(driver: &Driver) -> Quirks {
    of(driver).map(|quirk| quirk.kind).collect()
}

/// Returns whether a row of that kind holds for a driver.
pub fn has(driver: &Driver, kind: QuirkKind) -> bool {
    kinds(driver).has(kind)
}

/// The row by which a driver gives wrong results that nothing works around
/// ([`QuirkKind::leaves_out`]); `None` where its results are right.
pub fn wrong_results(driver: &Driver) -> Option<&'static Quirk> {
    of(driver).find(|quirk| quirk.kind.leaves_out())
}

fn applies(quirk: &Quirk, driver: &Driver) -> bool {
    let (from, until) = quirk.versions;
    if let Some(host) = &driver.host {
        return !quirk.kind.is_in_process() && applies(quirk, host);
    }
    if driver.hosts.contains(&quirk.driver) {
        // Their version is not known: faults that a release has mended count as mended.
        let matters = !quirk.kind.is_for_speed() && !quirk.kind.is_in_process();
        return matters && until.is_none();
    }
    driver.known_id() == Some(quirk.driver)
        && driver
            .release()
            .is_some_and(|version| version >= from && until.is_none_or(|until| version < until))
}

#[cfg(test)]
#[path = "quirks_tests.rs"]
mod tests;
