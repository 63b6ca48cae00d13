//! The text form of execution-graph nodes: payload types and the nodes' attributes of kernels.
//!
//! ```text
//! payload payload0 words 4 max 8 node "next" spec(3) base 1 size 4 sparse shares payload1 finish dispatch 3
//! kernel "k" fn0 coalescing api_entry(0) recursion(2) static_groups(1, 1, 1) max_groups(4, 1, 1)
//!     shader_index(2) shares_input("other", 0) input(payload0) {
//! ```

use super::parse::{Parser, Result1};
use super::write::quoted;
use crate::{Module, NodeInfo, NodeName, PayloadArray, PayloadId};
use std::fmt::Write;

fn write_name(out: &mut String, name: &NodeName) {
    out.push_str(&quoted(name.text.as_bytes()));
    if let Some(spec_id) = name.spec_id {
        let _ = write!(out, " spec({spec_id})");
    }
}

/// A payload type on its line.
pub fn payload_to_text(id: PayloadId, payload: &PayloadArray) -> String {
    let mut out = String::new();
    write_payload(&mut out, id, payload);
    out
}

/// A kernel's attributes as a node, a space before each.
pub fn node_to_text(node: &NodeInfo) -> String {
    let mut out = String::new();
    write_node(&mut out, node);
    out
}

/// A payload type on its line.
pub(super) fn write_payload(out: &mut String, id: PayloadId, payload: &PayloadArray) {
    let _ = write!(
        out,
        "payload {id} words {} max {}",
        payload.words, payload.max
    );
    if let Some(node) = &payload.node {
        out.push_str(" node ");
        write_name(out, node);
    }
    if payload.base_index != 0 {
        let _ = write!(out, " base {}", payload.base_index);
    }
    if let Some(size) = payload.array_size {
        let _ = write!(out, " size {size}");
    }
    if payload.sparse {
        out.push_str(" sparse");
    }
    if let Some(other) = payload.shares_limits_with {
        let _ = write!(out, " shares {other}");
    }
    if payload.track_finish {
        out.push_str(" finish");
    }
    if let Some(lanes) = payload.dispatch {
        let _ = write!(out, " dispatch {lanes}");
    }
    out.push('\n');
}

/// A kernel's attributes as a node.
pub(super) fn write_node(out: &mut String, node: &NodeInfo) {
    if node.coalescing {
        out.push_str(" coalescing");
    }
    let numbers = [
        ("api_entry", node.api_entry.map(u32::from)),
        ("recursion", node.max_recursion),
        ("shader_index", node.shader_index),
    ];
    for (word, number) in numbers {
        if let Some(number) = number {
            let _ = write!(out, " {word}({number})");
        }
    }
    for (word, groups) in [
        ("static_groups", node.static_groups),
        ("max_groups", node.max_groups),
    ] {
        if let Some([x, y, z]) = groups {
            let _ = write!(out, " {word}({x}, {y}, {z})");
        }
    }
    if let Some((name, index)) = &node.shares_input_with {
        out.push_str(" shares_input(");
        write_name(out, name);
        let _ = write!(out, ", {index})");
    }
    if let Some(input) = node.input {
        let _ = write!(out, " input({input})");
    }
}

impl Parser {
    fn node_name(&mut self) -> Result1<NodeName> {
        let text = self.text()?;
        let spec_id = if self.accept_word("spec") {
            Some(self.in_parentheses()?)
        } else {
            None
        };
        Ok(NodeName { text, spec_id })
    }

    fn in_parentheses(&mut self) -> Result1<u32> {
        self.expect('(')?;
        let number = self.u32()?;
        self.expect(')')?;
        Ok(number)
    }

    /// A line `payload payload0 …`.
    pub(super) fn payload(&mut self, module: &mut Module) -> Result1<()> {
        self.next();
        let _: PayloadId = self.next_entity("payload", module.payloads.len())?;
        self.expect_word("words")?;
        let words = self.u32()?;
        self.expect_word("max")?;
        let mut payload = PayloadArray {
            words,
            max: self.u32()?,
            node: None,
            shares_limits_with: None,
            base_index: 0,
            array_size: None,
            sparse: false,
            track_finish: false,
            dispatch: None,
        };
        loop {
            if self.accept_word("node") {
                payload.node = Some(self.node_name()?);
            } else if self.accept_word("base") {
                payload.base_index = self.u32()?;
            } else if self.accept_word("size") {
                payload.array_size = Some(self.u32()?);
            } else if self.accept_word("sparse") {
                payload.sparse = true;
            } else if self.accept_word("shares") {
                payload.shares_limits_with = Some(self.entity("payload")?);
            } else if self.accept_word("finish") {
                payload.track_finish = true;
            } else if self.accept_word("dispatch") {
                payload.dispatch = Some(self.integer(8)? as u8);
            } else {
                break;
            }
        }
        module.payloads.push(payload);
        self.end_of_line()
    }

    /// One attribute of a kernel as a node; false if the next word is none.
    pub(super) fn node_attribute(&mut self, node: &mut NodeInfo) -> Result1<bool> {
        if self.accept_word("coalescing") {
            node.coalescing = true;
        } else if self.accept_word("api_entry") {
            node.api_entry = Some(self.in_parentheses()? != 0);
        } else if self.accept_word("recursion") {
            node.max_recursion = Some(self.in_parentheses()?);
        } else if self.accept_word("shader_index") {
            node.shader_index = Some(self.in_parentheses()?);
        } else if self.accept_word("static_groups") {
            node.static_groups = Some(self.triple()?);
        } else if self.accept_word("max_groups") {
            node.max_groups = Some(self.triple()?);
        } else if self.accept_word("shares_input") {
            self.expect('(')?;
            let name = self.node_name()?;
            self.expect(',')?;
            let index = self.u32()?;
            self.expect(')')?;
            node.shares_input_with = Some((name, index));
        } else if self.accept_word("input") {
            self.expect('(')?;
            node.input = Some(self.entity("payload")?);
            self.expect(')')?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}
