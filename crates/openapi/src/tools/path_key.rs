//! The template of an operation's path key, with findings about unusual keys that are accepted.

use std::sync::Arc;

use callgate_tree::Node;

use crate::{code::Code, findings::Findings, reference::Located, template::Template};

/// The last key that was split: the operations of a path follow each other.
#[derive(Debug, Default)]
pub(super) struct Known(Option<(Arc<str>, Template)>);

impl Known {
    fn parse(&mut self, key: &Arc<str>) -> Result<Template, &'static str> {
        if let Some((_, known)) = self.0.as_ref().filter(|(of, _)| Arc::ptr_eq(of, key)) {
            return Ok(known.clone());
        }
        let template = Template::parse(key)?;
        self.0 = Some((Arc::clone(key), template.clone()));
        Ok(template)
    }
}

/// The template of the path key; `levels` are the operation and its path items.
pub(super) fn template(
    known: &mut Known,
    key: &Arc<str>,
    levels: &[&Located<'_>],
    findings: &mut Findings,
) -> Option<Template> {
    let pointer = levels.get(1).map(|item| &*item.pointer).unwrap_or_default();
    match known.parse(key) {
        Ok(mut template) => {
            let parameters = levels.iter().filter_map(|level| level.node.get("parameters"));
            let parameters = parameters.filter_map(Node::as_array).flatten();
            let is_name = |name: &str| {
                let mut parameters = parameters.clone();
                parameters.any(|known| known.get("name").and_then(Node::as_str) == Some(name))
            };
            if let Some(name) = template.take_operators(is_name) {
                let message =
                    format!("expected a path variable without an operator, got: `{{{name}}}`");
                let help = "write the name alone; slashes in its value are escaped";
                findings.warning(Code::MalformedNode, pointer, message, help);
            }
            if !template.query_values.is_empty() {
                let message =
                    format!("expected a path without variables in its query, got: `{key}`");
                let help =
                    "declare them as query parameters; they are written as values of the query";
                findings.warning(Code::PathQuery, pointer, message, help);
            }
            Some(template)
        }
        Err(expected) => {
            let message = format!("expected {expected}, got: `{key}`");
            let help = "write a path below the server, `/pets/{petId}`";
            findings.error(Code::HostilePath, pointer, message, help);
            None
        }
    }
}
