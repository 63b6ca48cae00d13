//! The model as text, one instruction per line, for `pumicec` and for people.

use std::fmt;

use crate::model::{Instruction, Reflection};

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The derived form is `Name(Payload { field: value, … })`; the payload's own name says
        // nothing to a reader.
        let text = format!("{self:?}");
        let fields = text.split_once("{ ").map_or("", |(_, rest)| rest);
        let fields = fields.strip_suffix(" })").unwrap_or(fields);
        write!(f, "{} {fields}", self.row().name)
    }
}

impl fmt::Display for Reflection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "revision {}", self.revision)?;
        for inst in &self.instructions {
            writeln!(f, "{inst}")?;
        }
        for role in &self.roles {
            writeln!(f, "{} kernel: {:?}", role.name(), role.kernel())?;
        }
        for need in &self.needs {
            let text = format!("{need:?}");
            let fields = text.split_once("{ ").map_or("", |(_, rest)| rest);
            writeln!(f, "{} {}", need.name(), fields.trim_end_matches(" }"))?;
        }
        if let Some(delta) = self.address_delta {
            writeln!(f, "AddressDelta offset: {}", delta.offset)?;
        }
        if let Some(flag) = self.termination_flag {
            writeln!(f, "TerminationFlag offset: {}", flag.offset)?;
        }
        for site in &self.checks {
            let text = format!("{site:?}");
            let fields = text.split_once("{ ").map_or("", |(_, rest)| rest);
            writeln!(f, "CheckSite {}", fields.trim_end_matches(" }"))?;
        }
        for promise in &self.promises {
            writeln!(f, "{} spec_id: {}", promise.kind.name(), promise.spec_id)?;
        }
        for number in &self.skipped {
            writeln!(f, "skipped: instruction {number} of a newer revision")?;
        }
        Ok(())
    }
}
