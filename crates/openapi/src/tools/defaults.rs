//! Removes the defaults that the operator's choice does not send, and counts the operations for which defaults would
//! decide what a call changes: as a part of the path, or as the whole body.

use callgate_tool::Effect;
use callgate_tree::{Node, Path};

use crate::{
    code::Code,
    document::Document,
    findings::Findings,
    input::{Input, InputLocation, ValueSource},
    layout::Layout,
    options::Defaults,
    reference::{LocatedNode, follow_references},
    schema::{legal_default, only_value_of},
};

#[derive(Clone, Copy, Debug)]
pub(super) struct DefaultsContext<'a> {
    pub(super) defaults: Defaults,
    pub(super) method: &'a http::Method,
    pub(super) effect: Effect,
    pub(super) label: &'a str,
}

#[derive(Debug, Default)]
pub(super) struct DecisiveDefaults {
    bodies: Labels,
    defaults: Defaults,
    paths: Labels,
}

/// The labels of the first operations, and the number of all.
#[derive(Debug, Default)]
struct Labels {
    first: Vec<String>,
    n: usize,
}

impl DecisiveDefaults {
    pub(super) fn drop_decisive_defaults(
        &mut self,
        sending: DefaultsContext<'_>,
        document: &Document,
        layout: &mut Layout<'_>,
    ) {
        let DefaultsContext { defaults, method, effect, label } = sending;
        self.defaults = defaults;
        // A default is no reason to refuse a whole query string.
        let has_whole_query =
            layout.inputs.iter().any(|input| input.place() == InputLocation::Querystring);
        let keeps = |place| {
            defaults.keeps_optional_default(place, method)
                && !(has_whole_query && place == InputLocation::Query)
        };
        if effect != Effect::Read {
            if layout.inputs.iter().any(has_decisive_path_default) {
                self.paths.add_label(label);
            }
            if can_default_required_body(document, layout) {
                self.bodies.add_label(label);
            }
        }
        let may_decide = effect == Effect::Read || defaults.may_decide_changes();
        let is_unsent = |input: &Input| {
            (!may_decide && (has_decisive_path_default(input) || has_decisive_body_default(input)))
                || (!input.required && input.source == ValueSource::Model && !keeps(input.place()))
        };
        layout
            .inputs
            .iter_mut()
            .filter(|input| is_unsent(input))
            .for_each(|input| input.default = None);
        if let Some(body) = &mut layout.body {
            body.may_be_of_defaults = may_decide;
        }
    }

    pub(super) fn report_decisive_defaults(&self, findings: &mut Findings) {
        let at = Path::ROOT.name("paths");
        let is_sent = self.defaults.may_decide_changes();
        for (labels, what) in [
            (&self.paths, "writes without defaults of path parameters"),
            (&self.bodies, "writes with a body that defaults alone do not make"),
        ] {
            if labels.n == 0 {
                continue;
            }
            let message = format!("expected {what}, got {}", labels.summary());
            if is_sent {
                let help =
                    "`defaults: safe` makes the caller give them; `all` sends these defaults";
                findings.warning(Code::DecisiveDefault, at, message, help);
            } else {
                let help = "nothing, unless such a default is meant: `defaults: all` sends it, and so does an overlay that makes it the only value (`enum: [VALUE]`)";
                findings.note(Code::DecisiveDefault, at, message, help);
            }
        }
    }
}

impl Labels {
    fn add_label(&mut self, label: &str) {
        self.n += 1;
        if self.first.len() < MOST_NAMED {
            self.first.push(format!("`{label}`"));
        }
    }

    fn summary(&self) -> String {
        let n_more = self.n - self.first.len();
        let more = if n_more == 0 { String::new() } else { format!(" and {n_more} more") };
        let noun = if self.n == 1 { "other" } else { "others" };
        format!("{} {noun}: {}{more}", self.n, self.first.join(", "))
    }
}

/// True if a default, and not the caller, would name what a path leads to.
fn has_decisive_path_default(input: &Input) -> bool {
    input.place() == InputLocation::Path && has_replaceable_default(input)
}

fn has_decisive_body_default(input: &Input) -> bool {
    input.place() == InputLocation::Body && input.name.is_empty() && has_replaceable_default(input)
}

fn has_replaceable_default(input: &Input) -> bool {
    input.default.is_some() && !input.is_fixed
}

/// True if a required body needs no value of the caller: it has a default, or all its required members have one.
fn can_default_required_body(document: &Document, layout: &Layout<'_>) -> bool {
    if !layout.body.as_ref().is_some_and(|body| body.required) {
        return false;
    }
    let is_of_body = |(input, _): &(&Input, _)| input.place() == InputLocation::Body;
    let of_body: Vec<_> = layout.inputs.iter().zip(&layout.schemas).filter(is_of_body).collect();
    match of_body.as_slice() {
        [(input, schema)] if input.name.is_empty() => {
            has_decisive_body_default(input)
                || schema.as_ref().is_some_and(|schema| has_defaults_for_required(document, schema))
        }
        members => {
            let mut required =
                members.iter().map(|(input, _)| input).filter(|input| input.required);
            members.iter().any(|(input, _)| has_replaceable_default(input))
                && required.all(|input| input.default.is_some())
        }
    }
}

fn has_defaults_for_required(document: &Document, schema: &LocatedNode<'_>) -> bool {
    let Ok(root) = follow_references(document, schema.node, &schema.path()) else { return false };
    let (Some(properties), above) = (root.node.get("properties"), root.path()) else {
        return false;
    };
    let path = above.name("properties");
    let has_default =
        |node: &Node, name: &str| legal_default(document, node, &path.name(name)).is_some();
    let is_fixed =
        |node: &Node, name: &str| only_value_of(document, node, &path.name(name)).is_some();
    let mut members = properties.members();
    let required = root.node.list("required");
    let mut required = document.while_affordable(required.iter().filter_map(Node::as_str), MEMBER);
    let is_met = required.all(|name| {
        properties.get(name).is_some_and(|node| has_default(node, name) || is_fixed(node, name))
    });
    is_met && members.any(|(name, node)| has_default(node, name) && !is_fixed(node, name))
}

const MOST_NAMED: usize = 10;

/// The cost to look at a member, in steps.
const MEMBER: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_that_defaults_decide_are_counted_and_the_first_ones_named() {
        let mut labels = Labels::default();
        let expected = ["1 other: `0`", "2 others: `0`, `1`"];
        for (n, expected) in expected.iter().enumerate() {
            labels.add_label(&n.to_string());
            assert_eq!(labels.summary(), *expected);
        }
    }
}
