//! The memory of a pipe: what the runtime allocates for clCreatePipe, the importer for pipe storage,
//! and the functions of the built-in library (`builtins-lib/lib/pipe.cl`) work on.
//!
//! | bytes | hold |
//! |---|---|
//! | 0 to 31 | eight words: packet size, most packets, mask, first word of the states, three places (0), unused |
//! | 32 to 127 | nothing |
//! | from 128 on | the slots: as many packets as the mask says, plus one |
//! | behind them | a word of state for each slot |
//!
//! A pipe whose words behind the first four are zero is empty.

/// Bytes before the first packet: no packet needs a larger alignment.
pub const PIPE_HEADER: u64 = 128;

/// The most packets of a pipe: places are counted modulo 2^32, and differences have a sign.
pub const MAX_PIPE_PACKETS: u32 = 1 << 30;

/// Sizes of a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipeLayout {
    packet_size: u32,
    max_packets: u32,
    slots: u64,
    states: u32,
}

impl PipeLayout {
    /// Lays out a pipe of `max_packets` packets of `packet_size` bytes; `None` where one of them is 0
    /// or the pipe would not fit into 16 GiB.
    pub fn new(packet_size: u32, max_packets: u32) -> Option<Self> {
        if packet_size == 0 || !(1..=MAX_PIPE_PACKETS).contains(&max_packets) {
            return None;
        }
        // Two slots at least: the state of the only one would not tell a written packet from the
        // next round's free slot.
        let slots = u64::from(max_packets.next_power_of_two().max(2));
        let packets = (slots * u64::from(packet_size)).next_multiple_of(4);
        let states = u32::try_from((PIPE_HEADER + packets) / 4).ok()?;
        Some(Self {
            packet_size,
            max_packets,
            slots,
            states,
        })
    }

    /// Bytes of the pipe's memory.
    pub fn size(&self) -> u64 {
        4 * (u64::from(self.states) + self.slots)
    }

    /// The first bytes of an empty pipe's memory; the others are zero.
    pub fn header(&self) -> [u8; 16] {
        let words = [
            self.packet_size,
            self.max_packets,
            (self.slots - 1) as u32,
            self.states,
        ];
        let mut bytes = [0; 16];
        for (bytes, word) in bytes.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::PipeLayout;

    #[test]
    fn slots_are_a_power_of_two_and_at_least_two() {
        for (packet, most, slots) in [(4, 1, 2), (4, 2, 2), (1, 3, 4), (1024, 1000, 1024)] {
            let layout = PipeLayout::new(packet, most).expect("a pipe");
            let packets = (slots * u64::from(packet)).next_multiple_of(4);
            assert_eq!(layout.size(), 128 + packets + 4 * slots);
            let header = layout.header();
            let word = |n: usize| u32::from_le_bytes(header[4 * n..4 * n + 4].try_into().unwrap());
            assert_eq!([word(0), word(1)], [packet, most]);
            assert_eq!(u64::from(word(2)) + 1, slots);
            assert_eq!(4 * u64::from(word(3)) + 4 * slots, layout.size());
        }
    }

    #[test]
    fn pipes_without_size_or_beyond_memory_have_no_layout() {
        for (packet, most) in [(0, 1), (1, 0), (1, u32::MAX), (u32::MAX, 1 << 20)] {
            assert_eq!(PipeLayout::new(packet, most), None, "{packet} {most}");
        }
    }
}
