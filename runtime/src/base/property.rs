//! Lists of properties in which some values are lists themselves.

/// A property as the application gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name.
    pub name: u64,
    /// Its value, or the elements of its list.
    pub values: Vec<u64>,
}

/// Tells whether a name stands in the list more than once.
pub fn repeats(properties: &[Property]) -> bool {
    let mut all = properties.iter().enumerate();
    all.any(|(index, property)| properties[..index].iter().any(|p| p.name == property.name))
}
