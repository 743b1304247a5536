//! One tool as the index knows it. The catalog of an executor fills it; the index keeps only its words.

use std::borrow::Cow;

use callgate_tool::Effect;

use super::dependencies::{Need, Product};

/// One tool in words.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Document<'a> {
    /// The name of the tool, split into words for the search: `listPets`, `list_pets`.
    pub name: &'a str,
    /// The purpose of the tool in one line.
    pub summary: Cow<'a, str>,
    /// The purpose of the tool at length.
    pub description: Cow<'a, str>,
    /// The tags of the operation.
    pub tags: Vec<&'a str>,
    /// The path of the operation: `/pets/{petId}`.
    pub path: &'a str,
    /// The arguments that a model may give.
    pub parameters: Vec<Parameter<'a>>,
    /// The things that a call must identify.
    pub needs: Vec<Need>,
    /// The things that the response describes.
    pub produces: Vec<Product>,
    /// The effect of a call on the service. A tool that changes something is never a source of things that others need.
    pub effect: Effect,
    /// True if the description says that the operation is deprecated. Such a tool stands behind all others that are found.
    pub is_deprecated: bool,
}

/// One argument in words.
#[derive(Clone, Debug)]
pub struct Parameter<'a> {
    /// The name of the argument.
    pub name: &'a str,
    /// The purpose of the argument.
    pub description: Cow<'a, str>,
}

impl<'a> Document<'a> {
    /// A tool with only a name and an effect.
    pub fn new(name: &'a str, effect: Effect) -> Self {
        Self {
            name,
            summary: Cow::Borrowed(""),
            description: Cow::Borrowed(""),
            tags: Vec::new(),
            path: "",
            parameters: Vec::new(),
            needs: Vec::new(),
            produces: Vec::new(),
            effect,
            is_deprecated: false,
        }
    }

    /// The purpose in one line: the summary, or the first sentence of the description if there is none.
    pub(crate) fn summary_or_first_sentence(&self) -> Cow<'a, str> {
        let is_summed_up = !self.summary.trim().is_empty();
        match if is_summed_up { &self.summary } else { &self.description } {
            Cow::Borrowed(text) if is_summed_up => text.trim().into(),
            Cow::Borrowed(text) => first_sentence(text).into(),
            Cow::Owned(text) if is_summed_up => text.trim().to_owned().into(),
            Cow::Owned(text) => first_sentence(text).to_owned().into(),
        }
    }
}

/// The text up to the end of its first sentence or line, without the space and the tags before it.
fn first_sentence(text: &str) -> &str {
    let text = text.trim_start();
    let ends = [". ", ".<", "\n"].into_iter().filter_map(|end| text.find(end));
    ends.min().and_then(|end| text.get(..end)).unwrap_or(text)
}
