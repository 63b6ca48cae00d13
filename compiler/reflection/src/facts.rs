//! Facts about image and sampler arguments that launches tell kernels (`needs.rs`).

/// Mip levels that a kernel can write: those of an image of 32,768 texels in a dimension.
pub const MAX_LEVELS: u32 = 16;

/// A fact about an image or sampler argument that the driver tells a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fact {
    /// The number of an image's mip levels.
    Levels,
    /// A sampler's least level of detail, a float.
    LodMin,
    /// A sampler's largest level of detail, a float.
    LodMax,
    /// The first number of an image's size in level 0: width, then height or layers, then depth or layers.
    SizeX,
    /// The second one.
    SizeY,
    /// The third one.
    SizeZ,
    /// The number of an image's samples a pixel.
    Samples,
}

/// All facts, by their numbers.
const FACTS: [Fact; 7] = [
    Fact::Levels,
    Fact::LodMin,
    Fact::LodMax,
    Fact::SizeX,
    Fact::SizeY,
    Fact::SizeZ,
    Fact::Samples,
];

impl Fact {
    /// Its number.
    pub fn number(self) -> u32 {
        match self {
            Fact::Levels => 0,
            Fact::LodMin => 1,
            Fact::LodMax => 2,
            Fact::SizeX => 3,
            Fact::SizeY => 4,
            Fact::SizeZ => 5,
            Fact::Samples => 6,
        }
    }

    /// The fact of a number.
    pub fn of(number: u32) -> Option<Fact> {
        FACTS.into_iter().find(|fact| fact.number() == number)
    }
}
