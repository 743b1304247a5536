//! The texts about the purpose of an operation, as a model reads them: without markup, and without a summary that only says
//! the name again.

use callgate_tree::Node;

use crate::{
    blueprint::Blueprint,
    names::{Identity, name_and_generator},
    repetition::has_same_letters,
    sanitize::{Readable, is_hidden, text_without_markup},
};

#[derive(Debug, Default)]
pub(crate) struct Purpose {
    /// The summary and the description, without missing and repeated ones.
    pub(crate) texts: Vec<String>,
    /// The number of parts of the texts that no person sees.
    pub(crate) n_hidden: usize,
}

impl Purpose {
    /// The operation's own texts, or else those of its path item.
    pub(crate) fn from_blueprint(blueprint: &Blueprint) -> Self {
        let Blueprint { operation, item, .. } = blueprint;
        let described = item.as_ref().unwrap_or(&operation.node);
        let mut purpose = Self::default();
        for text in ["summary", "description"].iter().filter_map(|name| described.text(name)) {
            let Readable { text, n_hidden } = text_without_markup(text);
            purpose.n_hidden += n_hidden;
            purpose.texts.extend(Some(text.trim().to_owned()).filter(|text| !text.is_empty()));
        }
        if let [summary, description] = purpose.texts.as_slice()
            && (description.starts_with(summary.as_str()) || is_operation_name(summary, blueprint))
        {
            purpose.texts.remove(0);
        }
        purpose
    }
}

/// True if a summary only says the name of the operation again: the whole id or the name in the program.
fn is_operation_name(summary: &str, blueprint: &Blueprint) -> bool {
    let Blueprint { operation, label, .. } = blueprint;
    let (method, path) = label.split_once(' ').unwrap_or_default();
    let operation_id = operation.node.text("operationId");
    let tag = operation.node.list("tags").first().and_then(Node::as_str);
    let own = name_and_generator(&Identity { method, operation_id, path, tag });
    let own = own.as_ref().map(|(own, _)| &**own);
    [operation_id, own].into_iter().flatten().any(|name| has_same_letters(summary, name))
}

pub(crate) fn is_described(operation: &Node) -> bool {
    let texts = ["summary", "description"].into_iter();
    let mut texts = texts.filter_map(|name| operation.text(name));
    texts.any(|text| text.trim().chars().any(|c| !is_hidden(c)))
}
