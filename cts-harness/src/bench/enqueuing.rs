//! Kernels that kernels enqueue.

use super::rows::time_of_each;
use super::{Failure, Result, Subject};
use crate::cl::Arg;

/// OpenCL 3.0's query; cl-sys is older.
const CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: u32 = 0x1070;

/// Kernels of 64 work-items that do next to nothing: `all` enqueues a number of them, `chain` the first
/// of so many that enqueue each other.
const SOURCE: &str = "
void nothing(global int *p)
{
    if (get_global_id(0) > 100000)
        p[0] = 1;
}
kernel void all(global int *p, int n)
{
    for (int i = 0; i < n; ++i)
        enqueue_kernel(get_default_queue(), 0, ndrange_1D(64), ^{ nothing(p); });
}
void link(global int *p, int n)
{
    nothing(p);
    if (n > 1 && get_global_id(0) == 0)
        enqueue_kernel(get_default_queue(), 0, ndrange_1D(64), ^{ link(p, n - 1); });
}
kernel void chain(global int *p, int n)
{
    enqueue_kernel(get_default_queue(), 0, ndrange_1D(64), ^{ link(p, n); });
}
";

impl Subject {
    /// Microseconds of each of a thousand kernels that the kernel `name` of [`SOURCE`] leads to. The
    /// default device queue has room for all of them.
    pub(super) fn launches_by_device(&self, name: &str) -> Result<f64> {
        let there = self.device.info(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES)?;
        if there.iter().all(|&byte| byte == 0) {
            // PoCL ends the process that makes one.
            return Err(Failure("the device has no device queues".into()));
        }
        let _queue = self.device.device_queue(true)?;
        let program = self.device.build(SOURCE.as_bytes(), "-cl-std=CL3.0")?;
        let kernel = program.kernel(name)?;
        let count = 1000_u32.to_le_bytes();
        let args = [Arg::Buffer(&self.buffers[2]), Arg::Bytes(&count)];
        self.device.set_args(&kernel, &args)?;
        time_of_each(1000, || {
            self.device.enqueue(&kernel, None, &[1], None)?;
            Ok(self.device.finish()?)
        })
    }
}
