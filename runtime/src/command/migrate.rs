//! clEnqueueMigrateMemObjects and clEnqueueMigrateMemObjectEXT.

use std::sync::Arc;

use opencl_sys as cl;

use crate::base::error::{Error, Result};
use crate::base::object::Ref;
use crate::command::{Command, HostCommand};
use crate::context::Placement;
use crate::memory::Mem;
use crate::memory::residency::Access;

/// A migration.
struct Migrate {
    command_type: u32,
    objects: Vec<Ref<Mem>>,
    to_host: bool,
}

/// clEnqueueMigrateMemObjects.
///
/// # Errors
/// Those that the specification lists for clEnqueueMigrateMemObjects, in its order.
pub fn migrate(on: &Placement, objects: Vec<Ref<Mem>>, flags: u64) -> Result<Command> {
    // CL_INVALID_VALUE if the list is empty.
    if objects.is_empty() {
        return Err(Error::InvalidValue);
    }
    check_flags(flags)?;
    migration(on, cl::CL_COMMAND_MIGRATE_MEM_OBJECTS, objects, flags)
}

/// clEnqueueMigrateMemObjectEXT.
///
/// # Errors
/// Those that cl_ext_migrate_memobject lists, in its order.
pub fn migrate_ext(on: &Placement, objects: Vec<Ref<Mem>>, flags: u64) -> Result<Command> {
    // CL_INVALID_VALUE if flags is not 0 or CL_MIGRATE_MEM_OBJECT_HOST_EXT.
    if flags & !cl::CL_MIGRATE_MEM_OBJECT_HOST_EXT != 0 {
        return Err(Error::InvalidValue);
    }
    let command_type = cl::CL_COMMAND_MIGRATE_MEM_OBJECT_EXT as u32;
    migration(on, command_type, objects, flags)
}

fn migration(
    on: &Placement,
    command_type: u32,
    objects: Vec<Ref<Mem>>,
    flags: u64,
) -> Result<Command> {
    for object in &objects {
        on.check_context(object.context())?;
    }
    Ok(Command::Host(Arc::new(Migrate {
        command_type,
        objects,
        to_host: flags & cl::CL_MIGRATE_MEM_OBJECT_HOST != 0,
    })))
}

/// CL_INVALID_VALUE if migration flags are not valid.
pub(super) fn check_flags(flags: u64) -> Result<()> {
    let known = cl::CL_MIGRATE_MEM_OBJECT_HOST | cl::CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    match flags & !known {
        0 => Ok(()),
        _ => Err(Error::InvalidValue),
    }
}

impl HostCommand for Migrate {
    fn command_type(&self) -> u32 {
        self.command_type
    }

    fn name(&self) -> &str {
        "migrate"
    }

    /// Brings the newest bytes to the device. Migration to the host is a hint: the bytes go there when
    /// they are mapped or read.
    fn run(&self, on: &Placement) -> Result<()> {
        if self.to_host {
            return Ok(());
        }
        for object in &self.objects {
            object.on_device(on.index(), Access::Read)?;
        }
        Ok(())
    }
}
