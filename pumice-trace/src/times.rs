//! The times of things of one kind.

/// Count, sum, shortest and longest time in nanoseconds, and the bytes of those that tell them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// The number of things.
    pub count: u64,
    /// The sum of their times.
    pub total: u64,
    /// The shortest.
    pub min: u64,
    /// The longest.
    pub max: u64,
    /// The bytes of those that tell them.
    pub bytes: u64,
    /// The time of those that tell their bytes.
    timed: u64,
}

impl Times {
    /// Adds a thing.
    pub fn add(&mut self, time: u64, bytes: Option<u64>) {
        self.min = if self.count == 0 {
            time
        } else {
            self.min.min(time)
        };
        self.max = self.max.max(time);
        self.count += 1;
        self.total += time;
        if let Some(bytes) = bytes {
            self.bytes = self.bytes.saturating_add(bytes);
            self.timed += time;
        }
    }

    /// The average time; 0 for none.
    pub fn mean(&self) -> u64 {
        self.total.checked_div(self.count).unwrap_or(0)
    }

    /// Bytes in a nanosecond, which is 10⁹ bytes in a second; `None` where no bytes or no time is known.
    pub fn gigabytes_per_second(&self) -> Option<f64> {
        let known = self.bytes > 0 && self.timed > 0;
        known.then(|| self.bytes as f64 / self.timed as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::Times;

    #[test]
    fn figures_follow_from_what_was_added() {
        let mut times = Times::default();
        assert_eq!((times.mean(), times.gigabytes_per_second()), (0, None));
        times.add(10, Some(40));
        times.add(30, Some(40));
        times.add(5, None);
        assert_eq!((times.count, times.total, times.mean()), (3, 45, 15));
        assert_eq!((times.min, times.max), (5, 30));
        assert_eq!(times.gigabytes_per_second(), Some(2.0));
    }
}
