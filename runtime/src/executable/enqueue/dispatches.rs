//! Rounds of indirect dispatches: the scheduler, then one dispatch for each variant.

use pumice_vulkan_layer::{Buffer, Queue, Recorder, Recording, Timer};

use super::ROUNDS;
use super::arena::Arena;
use crate::executable::launch::{Prepared, Result};

/// The kernels of rounds.
pub(super) struct Dispatches {
    scheduler: Prepared,
    /// Kernels of blocks, in the order of the variants.
    variants: Vec<Prepared>,
    /// The times of dispatches, if the scheduler reads them.
    timer: Option<Timer>,
    /// [`ROUNDS`] rounds with the present variants.
    rounds: Option<Recording>,
}

impl Dispatches {
    /// Makes rounds without variants.
    pub fn new(scheduler: Prepared, timer: Option<Timer>) -> Self {
        Self {
            scheduler,
            variants: Vec::new(),
            timer,
            rounds: None,
        }
    }

    /// Adds a variant.
    pub fn add(&mut self, variant: Prepared) {
        self.rounds = None;
        self.variants.push(variant);
    }

    /// Forgets all variants.
    pub fn forget(&mut self) {
        self.rounds = None;
        self.variants.clear();
    }

    /// The printf buffers of the variants that print.
    pub fn printf(&self) -> impl Iterator<Item = &Buffer> {
        self.variants.iter().filter_map(Prepared::printf)
    }

    /// Records so many times [`ROUNDS`] rounds.
    pub fn record(
        &mut self,
        recorder: &mut Recorder,
        (queue, arena): (&Queue, &Arena),
        runs: usize,
    ) -> Result<()> {
        let rounds = match self.rounds.take() {
            Some(rounds) => rounds,
            None => self.rounds(queue, arena)?,
        };
        recorder.run(&vec![rounds.clone(); runs])?;
        self.rounds = Some(rounds);
        Ok(())
    }

    /// The recording of some rounds.
    fn rounds(&self, queue: &Queue, arena: &Arena) -> Result<Recording> {
        let mut recorder = queue.reusable_recorder()?;
        for _ in 0..ROUNDS {
            recorder.barrier();
            self.scheduler.record(&mut recorder)?;
            recorder.barrier();
            if let Some(timer) = &self.timer {
                recorder.start_timer(timer)?;
            }
            for (index, variant) in self.variants.iter().enumerate() {
                let dispatch = arena.dispatch(index);
                variant.record_indirect(&mut recorder, dispatch)?;
            }
            let (buffer, offset) = arena.times();
            if let Some(timer) = &self.timer {
                recorder.stop_timer(timer, buffer, offset)?;
            }
        }
        recorder.barrier();
        recorder.keep(arena.buffer.clone());
        Ok(recorder.into_recording()?)
    }
}
