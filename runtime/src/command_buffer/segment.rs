//! Cuts the commands of a command buffer into segments.
//!
//! A segment belongs to one queue. It holds either device commands that run without waiting for another
//! queue or the host, or one host command. The segments of a queue run in order. A segment takes no more
//! commands once another one waits for it: so segments never wait for each other in a circle.

use std::collections::HashSet;

use parking_lot::Mutex;

use super::record::Entry;
use super::replay::{Chunk, SegmentUses};
use crate::command::Command;

/// A part of a command buffer.
pub(super) struct Segment {
    /// The index of its queue in the command buffer.
    pub queue: usize,
    /// The segments before it that it waits for.
    pub after: Vec<usize>,
    pub body: Body,
}

/// The work of a segment.
pub(super) enum Body {
    Device {
        chunks: Vec<Chunk>,
        /// Guards the contents that the commands use; `None` after one of them has changed.
        uses: Mutex<Option<std::sync::Arc<SegmentUses>>>,
    },
    /// A host command, by its index.
    Host(usize),
}

/// A command of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// Its index in the command buffer.
    pub entry: usize,
    /// True if it waits for commands of the segment.
    pub barrier: bool,
}

/// The number of commands per recording in a mutable command buffer. A change records only the
/// commands of its own recording again.
const MUTABLE_CHUNK: usize = 32;

/// The kind of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Device,
    Host,
    /// A marker or barrier: it does nothing but order others.
    OrderOnly,
}

fn kind(entry: &Entry) -> Kind {
    match (entry.kernel(), &entry.command) {
        // A range that is empty now may become another.
        (Some(kernel), _) if kernel.enqueues => Kind::Host,
        (Some(_), _) => Kind::Device,
        (None, Some(Command::Host(_))) => Kind::Host,
        (None, Some(Command::Device(_))) => Kind::Device,
        (None, _) => Kind::OrderOnly,
    }
}

/// A segment being made.
struct Draft {
    queue: usize,
    after: Vec<usize>,
    steps: Vec<Step>,
    host: Option<usize>,
    /// For each queue, the last segment that has ended when this one begins.
    past: Vec<Option<usize>>,
    /// Commands since the last barrier, and markers that wait for such commands.
    unordered: HashSet<usize>,
}

/// Segments being made.
struct Plan {
    drafts: Vec<Draft>,
    /// The last segment of each queue, and whether it takes more commands.
    last: Vec<Option<(usize, bool)>>,
    /// The segment of each command.
    home: Vec<usize>,
}

/// Cuts the commands of a command buffer with so many queues. `is_mutable` tells whether commands may
/// change.
pub(super) fn cut(entries: &[Entry], queues: usize, is_mutable: bool) -> Vec<Segment> {
    let kinds = entries.iter().map(|entry| (entry.queue, kind(entry)));
    let after: Vec<&[usize]> = entries.iter().map(|entry| &*entry.after).collect();
    let chunk = if is_mutable {
        MUTABLE_CHUNK
    } else {
        usize::MAX
    };
    let drafts = plan(kinds, &after, queues);
    (drafts.into_iter())
        .map(|draft| Segment {
            queue: draft.queue,
            after: draft.after,
            body: match draft.host {
                Some(entry) => Body::Host(entry),
                None => Body::Device {
                    chunks: (draft.steps.chunks(chunk))
                        .map(|steps| Chunk::new(steps.to_vec()))
                        .collect(),
                    uses: Mutex::new(None),
                },
            },
        })
        .collect()
}

fn plan(
    kinds: impl Iterator<Item = (usize, Kind)>,
    after: &[&[usize]],
    queues: usize,
) -> Vec<Draft> {
    let mut plan = Plan {
        drafts: Vec::new(),
        last: vec![None; queues],
        home: Vec::with_capacity(after.len()),
    };
    for (entry, (queue, kind)) in kinds.enumerate() {
        let home = plan.segment(queue, kind, after[entry]);
        plan.home.push(home);
        plan.drafts[home].add(entry, kind, after[entry], &plan.home);
    }
    plan.drafts
}

impl Plan {
    /// Returns the segment for a command of a queue that follows the commands `after`: the queue's last
    /// one, or a new one.
    fn segment(&mut self, queue: usize, kind: Kind, after: &[usize]) -> usize {
        let last = self.last[queue];
        let past = |at: usize| match last {
            Some((last, true)) => self.drafts[last].past[at],
            _ => None,
        };
        // Segments of one queue run in order anyway.
        let mut waits: Vec<usize> = (after.iter())
            .map(|entry| self.home[*entry])
            .filter(|home| {
                let at = self.drafts[*home].queue;
                at != queue && past(at).is_none_or(|over| over < *home)
            })
            .collect();
        waits.sort_unstable();
        waits.dedup();
        if let (Some((last, true)), true) = (last, waits.is_empty() && kind != Kind::Host) {
            return last;
        }
        for &home in &waits {
            if let Some((last, open)) = &mut self.last[self.drafts[home].queue] {
                *open &= *last != home;
            }
        }
        waits.extend(last.map(|(last, _)| last));
        let mut past = vec![None; self.last.len()];
        for &home in &waits {
            let before = &self.drafts[home];
            for (mine, theirs) in past.iter_mut().zip(&before.past) {
                *mine = (*mine).max(*theirs);
            }
            past[before.queue] = past[before.queue].max(Some(home));
        }
        let made = self.drafts.len();
        self.last[queue] = Some((made, kind != Kind::Host));
        self.drafts.push(Draft {
            queue,
            after: waits,
            steps: Vec::new(),
            host: None,
            past,
            unordered: HashSet::new(),
        });
        made
    }
}

impl Draft {
    fn add(&mut self, entry: usize, kind: Kind, after: &[usize], home: &[usize]) {
        let here = home[entry];
        let waits =
            (after.iter()).any(|before| home[*before] == here && self.unordered.contains(before));
        match kind {
            Kind::Host => self.host = Some(entry),
            // Commands behind this one wait for what it waits for.
            Kind::OrderOnly if waits => {
                self.unordered.insert(entry);
            }
            Kind::OrderOnly => {}
            Kind::Device => {
                if waits {
                    self.unordered.clear();
                }
                self.unordered.insert(entry);
                let barrier = waits;
                self.steps.push(Step { entry, barrier });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Draft, Kind, plan};

    use Kind::{Device, Host, OrderOnly};

    fn segments(commands: &[(usize, Kind, &[usize])], queues: usize) -> Vec<Draft> {
        let kinds = commands.iter().map(|(queue, kind, _)| (*queue, *kind));
        let after: Vec<&[usize]> = commands.iter().map(|(_, _, after)| *after).collect();
        plan(kinds, &after, queues)
    }

    fn barriers(draft: &Draft) -> Vec<bool> {
        draft.steps.iter().map(|step| step.barrier).collect()
    }

    #[test]
    fn one_queue_has_one_segment() {
        let all = segments(
            &[
                (0, Device, &[]),
                (0, Device, &[]),
                (0, Device, &[0]),
                // Ordered by the barrier that the one before has already.
                (0, Device, &[1]),
                (0, OrderOnly, &[0, 1, 2, 3]),
                (0, Device, &[4]),
                (0, Device, &[4]),
            ],
            1,
        );
        assert_eq!(all.len(), 1);
        let expected = [false, false, true, false, true, false];
        assert_eq!(barriers(&all[0]), expected);
    }

    #[test]
    fn commands_of_the_host_stand_alone() {
        let commands: [(usize, Kind, &[usize]); 3] =
            [(0, Device, &[]), (0, Host, &[0]), (0, Device, &[1])];
        let all = segments(&commands, 1);
        assert_eq!(all.len(), 3);
        assert_eq!(all[1].host, Some(1));
        assert_eq!((&*all[1].after, &*all[2].after), (&[0][..], &[1][..]));
        assert!(barriers(&all[2]) == [false]);
    }

    #[test]
    fn queues_wait_without_circles() {
        // 0 and 2 are of one queue, 1 and 3 of the other; each waits for the one before.
        let commands: [(usize, Kind, &[usize]); 5] = [
            (0, Device, &[]),
            (1, Device, &[0]),
            (0, Device, &[1]),
            (1, Device, &[2]),
            // Waits for something that is long over.
            (1, Device, &[0]),
        ];
        let all = segments(&commands, 2);
        let after: Vec<&[usize]> = all.iter().map(|draft| &*draft.after).collect();
        assert_eq!(after, [&[][..], &[0], &[1, 0], &[2, 1]]);
        assert_eq!(all[3].steps.len(), 2);
        for (index, draft) in all.iter().enumerate() {
            assert!(draft.after.iter().all(|before| *before < index));
        }
    }
}
