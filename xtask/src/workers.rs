//! Work on several threads at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The number of programs that run at once: one more than processors, as programs also sleep, but few, as each has threads
/// of its own.
pub fn count() -> usize {
    thread::available_parallelism().map_or(1, |count| (count.get() + 1).min(4))
}

/// Does something with each item on a number of threads; gives the results in the items' order.
pub fn map<T: Sync, R: Send>(items: &[T], workers: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else {
                return done;
            };
            done.push((index, work(item)));
        }
    };
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(take)).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .flat_map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    done.sort_unstable_by_key(|&(index, _)| index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The items in some parts of nearly equal numbers; neighbours go to different parts.
pub fn parts<T: Clone>(items: &[T], count: usize) -> Vec<Vec<T>> {
    let count = count.clamp(1, items.len().max(1));
    let mut parts = vec![Vec::new(); count];
    for (index, item) in items.iter().enumerate() {
        parts[index % count].push(item.clone());
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{map, parts};

    #[test]
    fn results_come_in_the_order_of_items() {
        let items: Vec<u64> = (0..100).collect();
        let squares = map(&items, 3, |&item| {
            std::thread::sleep(std::time::Duration::from_micros(item % 7 * 100));
            item * item
        });
        assert_eq!(squares, items.iter().map(|x| x * x).collect::<Vec<_>>());
        assert!(map(&[] as &[u64], 3, |&item| item).is_empty());
    }

    #[test]
    fn parts_hold_everything_once() {
        for count in [0, 1, 7, 100] {
            let items: Vec<usize> = (0..count).collect();
            let mut joined: Vec<usize> = parts(&items, 4).concat();
            joined.sort_unstable();
            assert_eq!(joined, items);
        }
    }
}
