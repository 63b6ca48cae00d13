//! Ends programs, and builds of them: finalizers run, then the callbacks of
//! clSetProgramReleaseCallback.

use crate::base::error::{Error, Result};
use crate::base::exit;
use crate::base::log;
use crate::base::printf;
use crate::context::Destructor;
use crate::device::Device;
use crate::program::{Build, Program};

/// Runs the finalizers of a build that nobody uses any more, if a kernel of it ever ran.
pub(super) fn finish(build: &Build, device: &Device) {
    let finalizers = build.executable.as_ref().filter(|e| e.has_finalizers());
    let Some(executable) = finalizers else { return };
    // At the end of the process the Vulkan driver may be gone already.
    if !exit::begin_batch() {
        return;
    }
    if let Ok(gpu) = device.gpu() {
        match executable.run_finalizers(gpu.raw(), &mut |text| printf::print(text)) {
            Ok(decoded) => {
                for decoded in decoded {
                    let _ = printf::complain("a program's finalizer", decoded);
                }
            }
            Err(error) => log::error!("a program's finalizers did not run: {error}"),
        }
    }
    exit::batch_ended();
    printf::flush();
}

impl Program {
    /// clSetProgramReleaseCallback.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION for a program without finalizers: OpenCL 3.0 deprecates the function
    /// and its conformance tests want no more than this.
    pub fn add_release_callback(&self, callback: Destructor) -> Result<()> {
        let has_finalizers =
            |b: &Build| (b.executable.as_ref()).is_some_and(|e| e.has_finalizers());
        if !self.builds.lock().iter().any(has_finalizers) {
            return Err(Error::InvalidOperation);
        }
        self.release_callbacks.lock().push(callback);
        Ok(())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Commands and kernel objects keep their program: none is left.
        for (build, device) in self.builds.get_mut().iter().zip(&self.devices) {
            finish(build, device);
        }
        // The callbacks run in reverse order of registration, when the finalizers have run.
        for callback in std::mem::take(self.release_callbacks.get_mut())
            .into_iter()
            .rev()
        {
            callback();
        }
    }
}
