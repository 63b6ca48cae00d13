//! Rows of transfers between the host and a buffer. Speeds are in GB/s.

use super::rows::{share_of, time_of_each};
use super::{Clock, Result, Subject, best_of};
use std::hint::black_box;

impl Subject {
    fn gigabytes(&self) -> f64 {
        self.host.len() as f64 * 1e-9
    }

    pub(super) fn write_speed(&self) -> Result<f64> {
        let best = best_of(Clock::Wall, || {
            Ok(self.device.write(&self.buffers[1], &self.host)?)
        })?;
        Ok(self.gigabytes() / best)
    }

    pub(super) fn read_speed(&mut self) -> Result<f64> {
        let (device, buffer, host) = (&self.device, &self.buffers[1], &mut self.host);
        let best = best_of(Clock::Wall, || Ok(device.read_into(buffer, host)?))?;
        Ok(self.gigabytes() / best)
    }

    /// The speed of a copy on the host.
    pub(super) fn copy_speed(&mut self) -> Result<f64> {
        let (host, copy) = (&self.host, &mut self.beside);
        let best = best_of(Clock::Wall, || {
            copy.copy_from_slice(black_box(host));
            black_box(&copy);
            Ok(())
        })?;
        Ok(self.gigabytes() / best)
    }

    /// The speed of writes relative to copies on the host.
    pub(super) fn write_share(&mut self) -> Result<f64> {
        share_of(
            self,
            |s| {
                s.beside.copy_from_slice(black_box(&s.host));
                Ok(())
            },
            |s| s.device.write(&s.buffers[1], &s.host),
        )
    }

    /// The speed of reads relative to copies on the host.
    pub(super) fn read_share(&mut self) -> Result<f64> {
        share_of(
            self,
            |s| {
                s.host.copy_from_slice(black_box(&s.beside));
                Ok(())
            },
            |s| s.device.read_into(&s.buffers[1], &mut s.host),
        )
    }

    /// The speed of filling a mapped buffer.
    pub(super) fn map_speed(&self) -> Result<f64> {
        let bytes = self.host.len();
        let best = best_of(Clock::Wall, || {
            let filled = self.device.with_mapped(&self.buffers[1], bytes, |mapped| {
                mapped.copy_from_slice(&self.host);
            });
            Ok(filled?)
        })?;
        Ok(self.gigabytes() / best)
    }

    /// Microseconds of a read of 16 bytes.
    pub(super) fn small_read(&self) -> Result<f64> {
        time_of_each(1, || {
            Ok(self.device.read_into(&self.buffers[1], &mut [0; 16])?)
        })
    }

    /// Microseconds of a map of 16 bytes.
    pub(super) fn small_map(&self) -> Result<f64> {
        time_of_each(1, || {
            let set = |mapped: &mut [u8]| mapped[0] = 1;
            Ok((self.device).with_mapped(&self.buffers[1], 16, set)?)
        })
    }

    /// Microseconds of a read of a whole buffer and the write back.
    pub(super) fn copy_back(&mut self) -> Result<f64> {
        let (device, buffer, host) = (&self.device, &self.buffers[1], &mut self.host);
        let best = best_of(Clock::Wall, || {
            device.read_into(buffer, host)?;
            Ok(device.write(buffer, host)?)
        })?;
        Ok(best * 1e6)
    }
}
