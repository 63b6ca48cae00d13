//! Lists of what clients do otherwise where nothing executes; an entry that never holds is stale.

use crate::sh::{self, Result};
use std::collections::{BTreeMap, BTreeSet};

/// Texts for each client.
#[derive(Default)]
pub struct ClientList {
    texts: BTreeMap<String, BTreeSet<String>>,
    met: BTreeSet<(String, String)>,
}

impl ClientList {
    /// Reads a file of `tests/clients`: lines `CLIENT: TEXT`, and comments behind `#`.
    pub fn read(name: &str) -> Result<Self> {
        let path = sh::root().join("tests/clients").join(name);
        Self::parse(&sh::read(&path)?).map_err(|line| format!("{}: {line}", path.display()))
    }

    /// The error is the line that is none.
    pub fn parse(text: &str) -> Result<Self> {
        let mut list = Self::default();
        for line in text.lines() {
            if line.starts_with('#') || line.trim().is_empty() {
                continue;
            }
            let (client, text) = line.split_once(": ").ok_or(line)?;
            let of_client = list.texts.entry(client.to_string()).or_default();
            of_client.insert(text.to_string());
        }
        Ok(list)
    }

    /// Tells whether a text of the client is as `holds` says, and remembers that it was.
    pub fn meets(&mut self, client: &str, holds: impl Fn(&str) -> bool) -> bool {
        let mut texts = self.texts.get(client).into_iter().flatten();
        let Some(text) = texts.find(|text| holds(text)) else {
            return false;
        };
        self.met.insert((client.to_string(), text.clone()));
        true
    }

    /// Lines that were never met.
    pub fn stale(&self) -> Vec<String> {
        let all = (self.texts.iter())
            .flat_map(|(client, texts)| texts.iter().map(move |text| (client, text)));
        all.filter(|(client, text)| !self.met.contains(&((*client).clone(), (*text).clone())))
            .map(|(client, text)| format!("{client}: {text}"))
            .collect()
    }
}
