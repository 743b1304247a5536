//! One tool as the index knows it. The catalog of an executor fills it; nothing is taken over but words.

use callgate_tool::Effect;

use crate::dependencies::{Need, Product};

/// One tool in words.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Document<'a> {
    /// The name of the tool, whose parts are words: `listPets`, `list_pets`.
    pub name: &'a str,
    /// Its purpose in a line.
    pub summary: &'a str,
    /// Its purpose at length.
    pub description: &'a str,
    /// The tags it is filed under.
    pub tags: Vec<&'a str>,
    /// The path of the operation: `/pets/{petId}`.
    pub path: &'a str,
    /// The arguments a model may give.
    pub parameters: Vec<Parameter<'a>>,
    /// The things a call needs to be told of.
    pub needs: Vec<Need>,
    /// The things its answer tells of.
    pub produces: Vec<Product>,
    /// The effect of a call on the service. A tool that changes something is no source of what others need.
    pub effect: Effect,
}

/// One argument in words.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "an argument has a name and maybe a description")]
pub struct Parameter<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its purpose.
    pub description: &'a str,
}

impl<'a> Document<'a> {
    /// A tool of which nothing else is known.
    pub fn new(name: &'a str, effect: Effect) -> Self {
        Self {
            name,
            summary: "",
            description: "",
            tags: Vec::new(),
            path: "",
            parameters: Vec::new(),
            needs: Vec::new(),
            produces: Vec::new(),
            effect,
        }
    }
}
