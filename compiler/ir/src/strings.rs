//! Printf strings, each once.

use super::StringId;
use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;

/// A module's strings while more are added.
#[derive(Debug, Default)]
pub struct StringTable {
    list: PrimaryMap<StringId, Vec<u8>>,
    /// The first string of each content.
    known: FxHashMap<Vec<u8>, StringId>,
}

impl StringTable {
    /// Goes on with a module's strings.
    pub fn new(list: PrimaryMap<StringId, Vec<u8>>) -> Self {
        let mut known = FxHashMap::default();
        for (id, text) in &list {
            known.entry(text.clone()).or_insert(id);
        }
        Self { list, known }
    }

    /// The number of a string; adds one that is not there.
    pub fn id(&mut self, text: Vec<u8>) -> StringId {
        if let Some(&id) = self.known.get(&text) {
            return id;
        }
        let id = self.list.push(text.clone());
        self.known.insert(text, id);
        id
    }

    /// A string's bytes.
    pub fn text(&self, id: StringId) -> &[u8] {
        &self.list[id]
    }

    /// All strings, for the module.
    pub fn into_list(self) -> PrimaryMap<StringId, Vec<u8>> {
        self.list
    }
}
