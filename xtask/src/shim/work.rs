//! OpenCL calls of a client, and the Vulkan commands that the driver made of them.

use super::list::ClientList;
use crate::sh::Result;
use std::collections::BTreeMap;

/// Kinds of commands whose number depends on the OpenCL calls alone; the others depend on what has ended when.
const COMPARED: [&str; 4] = ["dispatches", "copies", "bytes", "fills"];

/// Stands for all kinds in the list.
const ANY: &str = "*";

/// The work of a client's processes.
#[derive(Clone, Default)]
pub struct Work {
    /// OpenCL calls of the process that made most.
    pub calls: u64,
    /// The entry points that it called.
    pub entries: u64,
    /// Vulkan commands of all processes, by kind.
    commands: BTreeMap<String, u64>,
}

impl Work {
    /// Reads what the layers `count` and `commands` wrote.
    pub fn read(calls: &str, commands: &str) -> Self {
        let pairs = calls.lines().filter_map(|line| {
            let mut words = line.split(' ').skip(1).map(str::parse);
            Some((words.next()?.ok()?, words.next()?.ok()?))
        });
        let (calls, entries) = pairs.max().unwrap_or_default();
        let mut work = Self {
            calls,
            entries,
            commands: BTreeMap::new(),
        };
        for line in commands.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            for pair in words.chunks_exact(2) {
                let count = pair[1].parse::<u64>().unwrap_or_default();
                *work.commands.entry(pair[0].to_string()).or_default() += count;
            }
        }
        work
    }

    fn count(&self, kind: &str) -> u64 {
        self.commands.get(kind).copied().unwrap_or_default()
    }
}

/// Clients whose commands on a card are others than on lavapipe, and the kinds of these commands: [`COMPARED`] or
/// [`ANY`].
pub struct OtherCommands(ClientList);

impl OtherCommands {
    /// Reads `tests/clients/other_commands.txt`.
    pub fn read() -> Result<Self> {
        ClientList::read("other_commands.txt").map(Self)
    }

    /// Judges a client that made the same OpenCL calls on a card as on lavapipe: the device got the same commands.
    pub fn judge(&mut self, client: &str, work: &Work, expected: &Work) -> Result {
        if work.calls != expected.calls {
            return Ok(());
        }
        let mut wrong = Vec::new();
        for kind in COMPARED {
            let (got, wanted) = (work.count(kind), expected.count(kind));
            let names = |kinds: &str| kinds.split(' ').any(|word| word == kind || word == ANY);
            if got != wanted && !self.0.meets(client, names) {
                wrong.push(format!("{kind}: {got}, on lavapipe {wanted}"));
            }
        }
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(wrong.join("\n")),
        }
    }

    /// Lines of the list that held on no card.
    pub fn stale(&self) -> Vec<String> {
        self.0.stale()
    }
}

#[cfg(test)]
mod tests {
    use super::{OtherCommands, Work};
    use crate::shim::list::ClientList;

    #[test]
    fn commands_of_all_processes_are_compared() {
        let calls = "1 20 5\n2 30 4\n";
        let work = Work::read(calls, "dispatches 3 barriers 4 \ndispatches 1 copies 2 \n");
        assert_eq!((work.calls, work.entries), (30, 4));
        let list = ClientList::parse("# reason\na: fills copies\nc: *\n");
        let mut list = OtherCommands(list.expect("two lines"));
        let same = Work::read(calls, "dispatches 4 barriers 9 copies 2 ");
        assert!(list.judge("b", &work, &same).is_ok());
        let fewer = Work::read(calls, "dispatches 4 copies 1 ");
        assert!(list.judge("b", &work, &fewer).is_err());
        assert!(list.judge("c", &work, &fewer).is_ok());
        assert_eq!(list.stale(), ["a: fills copies"]);
        assert!(list.judge("a", &work, &fewer).is_ok());
        assert!(list.stale().is_empty());
        // Other calls make other commands.
        let longer = Work::read("1 99 5", "dispatches 40 ");
        assert!(list.judge("b", &work, &longer).is_ok());
    }
}
