//! Builds that have begun and not ended, on whichever thread.

use opencl_sys as cl;
use parking_lot::MutexGuard;

use crate::base::error::{Error, Result};
use crate::base::exit;
use crate::base::object::{Object, Ref};
use crate::program::{Build, Program};

/// The builds of a call that have begun. Those that have no result when this goes have failed.
pub(super) struct Begun {
    program: Ref<Program>,
    /// The indices of their devices.
    pub chosen: Vec<usize>,
}

impl Drop for Begun {
    fn drop(&mut self) {
        let mut builds = self.program.builds.lock();
        for &index in &self.chosen {
            let build = &mut builds[index];
            if build.is_running() {
                build.status = cl::CL_BUILD_ERROR;
                build.log = "error: the build could not run\n".to_string();
            }
        }
        self.program.build_ended.notify_all();
    }
}

impl Object<Program> {
    /// Marks builds as begun.
    ///
    /// # Errors
    /// Those that the specification lists for clBuildProgram and clCompileProgram.
    pub(super) fn begin(self: &Ref<Program>, chosen: Vec<usize>, options: &[u8]) -> Result<Begun> {
        // CL_INVALID_OPERATION if kernel objects are attached to the program.
        if self.has_kernels() {
            let reason = "kernel objects of the program exist; release them first";
            return Err(Error::InvalidOperation.because(reason));
        }
        let mut builds = self.builds.lock();
        // CL_INVALID_OPERATION if the build of the program for a device has not completed.
        if chosen.iter().any(|&index| builds[index].is_running()) {
            let reason = "a build of the program has not ended";
            return Err(Error::InvalidOperation.because(reason));
        }
        for &index in &chosen {
            let build = &mut builds[index];
            build.status = cl::CL_BUILD_IN_PROGRESS;
            build.options = options.to_vec();
            build.log = String::new();
        }
        drop(builds);
        let program = self.clone();
        Ok(Begun { program, chosen })
    }

    /// The state of the program for each of its devices, when no build of it runs on any thread.
    pub(super) fn ended_builds<'a>(self: &'a Ref<Program>) -> MutexGuard<'a, Vec<Build>> {
        let mut builds = self.builds.lock();
        exit::outside(|| {
            while builds.iter().any(Build::is_running) {
                self.build_ended.wait(&mut builds);
            }
        });
        builds
    }
}
