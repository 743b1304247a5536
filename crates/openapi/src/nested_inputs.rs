//! Finds the values inside an argument that the session or a default fills in, at any depth of objects and lists.
//! Values that exist only under a condition (`oneOf`, `anyOf`) or in unlimited number (circular references) are left
//! out: `bindings` finds the session's values there.

use std::{collections::BTreeSet, sync::Arc};

use callgate_tool::ArgumentName;
use callgate_tree::Node;

use crate::{
    document::Document,
    input::{NestedInput, Step, ValueSource},
    meter::KEPT,
    options::SessionInputs,
    reference::{LocatedNode, follow_references, reference_chain},
    schema::{is_legal_value, is_read_only, own_only_value, sent_value},
    session_input::{Annotation, is_visible_to_model, session_annotation},
};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Need {
    Optional,
    Required,
}

/// The optional defaults that are found. Defaults of required values always are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Optional {
    All,
    None,
    /// Those of the argument's own properties.
    Own,
}

#[derive(Debug)]
pub(crate) struct NestedInputSearch<'d, 'a> {
    document: &'d Document,
    argument: &'a ArgumentName,
    session_inputs: SessionInputs,
    pub(crate) inputs: Vec<NestedInput>,
    optional: Optional,
    composed: usize,
    steps: Vec<Step>,
    /// The pointers of the schemas around the current place, to stop at circular references.
    inside: Vec<Arc<str>>,
    left: usize,
}

impl<'d, 'a> NestedInputSearch<'d, 'a> {
    pub(crate) fn new(
        document: &'d Document,
        argument: &'a ArgumentName,
        session_inputs: SessionInputs,
        optional: Optional,
    ) -> Self {
        Self {
            document,
            argument,
            session_inputs,
            inputs: Vec::new(),
            optional,
            composed: 0,
            steps: Vec::new(),
            inside: Vec::new(),
            left: MOST_VISITED,
        }
    }

    pub(crate) fn search_schema(&mut self, schema: &LocatedNode<'d>) {
        self.search_below_part(schema, &BTreeSet::new());
    }

    fn search_below_part(&mut self, schema: &LocatedNode<'d>, required: &BTreeSet<&'d str>) {
        let Ok(root) = follow_references(self.document, schema.node, &schema.path()) else {
            return;
        };
        let Some(left) = self.document.descend_to_remaining_depth(self.left, VISIT) else { return };
        self.left = left;
        if self.inside.contains(&root.pointer) || self.inside.len() >= DEEPEST {
            return;
        }
        self.inside.push(Arc::clone(&root.pointer));
        self.search_members(&root, required);
        self.inside.pop();
    }

    pub(crate) fn search_item(&mut self, item: &LocatedNode<'d>) {
        let said: Vec<&'d Node> = reference_chain(self.document, item.node, &item.path()).collect();
        self.search_step(Step::Items, Need::Optional, item, &said);
    }

    fn search_members(&mut self, root: &LocatedNode<'d>, required: &BTreeSet<&'d str>) {
        let inherited = required.iter().copied();
        let mut required: BTreeSet<&str> =
            self.document.while_affordable(inherited.chain(required_names(root)), 1).collect();
        let all_of = unresolved_keyword_branches(self.document, root, "allOf");
        for branch in &all_of {
            let Ok(branch) = follow_references(self.document, branch.node, &branch.path()) else {
                continue;
            };
            required.extend(self.document.while_affordable(required_names(&branch), 1));
        }
        self.search_properties(root, &required);
        if let Some(items) = root.member("items").filter(|items| items.node.as_object().is_some()) {
            self.search_item(&items);
        }
        self.composed += 1;
        for branch in &all_of {
            self.search_below_part(branch, &required);
        }
        for keyword in ["anyOf", "oneOf"] {
            // Only one of them is not null: 3.1 declares nullable values this way. With several, the session's values
            // are bound, not filled in (`bindings`).
            if let [only] = non_null_branches(self.document, root, keyword).as_slice() {
                self.search_below_part(only, &required);
            }
        }
        self.composed -= 1;
    }

    fn search_properties(&mut self, root: &LocatedNode<'d>, required: &BTreeSet<&'d str>) {
        let Some(properties) = root.member("properties") else { return };
        let above = properties.path();
        let members = properties.node.members();
        let steps = |member: &(&Arc<str>, _)| VISIT + above.name(member.0).step_cost();
        let members = self.document.meter().affordable_by(members, steps);
        for (name, node) in members {
            let path = above.name(name);
            let said: Vec<&'d Node> = reference_chain(self.document, node, &path).collect();
            if is_read_only(self.document, node, &path) {
                continue;
            }
            let is_due = required.contains(&**name);
            let need = if is_due { Need::Required } else { Need::Optional };
            let schema = LocatedNode::new(node, &path);
            self.search_step(Step::Property(Arc::clone(name)), need, &schema, &said);
        }
    }

    /// Goes one step further, to a schema; `said` holds the schema itself and the targets of its references.
    fn search_step(&mut self, step: Step, need: Need, schema: &LocatedNode<'d>, said: &[&'d Node]) {
        self.steps.push(step);
        let schema_annotation = session_annotation(self.document, schema.node, &schema.path(), &[]);
        // An unreadable annotation is reported when all session inputs are collected (`bindings`).
        let source = match schema_annotation {
            Some(Annotation::Source(source)) => source,
            Some(Annotation::Invalid { .. }) | None => ValueSource::Model,
        };
        let default = self.filled_in_default(need, &source, schema, said);
        let default = default.and_then(|value| sent_value(self.document, said, value));
        let is_filled = source != ValueSource::Model || default.is_some();
        let is_own = source != ValueSource::Model;
        if is_filled && self.inputs.len() < MOST_FOUND {
            let input = NestedInput {
                argument: self.argument.clone(),
                steps: self.steps.clone().into(),
                visible: is_visible_to_model(&source, self.session_inputs),
                source,
                default,
                is_fixed: said.iter().any(|node| own_only_value(node).is_some()),
            };
            self.inputs.extend(self.document.while_affordable([input], KEPT + self.steps.len()));
        }
        // The session supplies its values as a whole.
        if !is_own {
            self.search_schema(schema);
        }
        self.steps.pop();
    }

    /// The value that is filled in. The service applies the default of an optional part itself if the part is absent; a
    /// sent value may have another meaning there, so that only `defaults: all` sends it.
    fn filled_in_default(
        &self,
        need: Need,
        source: &ValueSource,
        schema: &LocatedNode<'d>,
        said: &[&'d Node],
    ) -> Option<&'d Node> {
        let keeps_optional = match self.optional {
            Optional::All => true,
            Optional::None => false,
            Optional::Own => self.composed == 0 && self.steps.len() == 1,
        };
        let is_kept = need == Need::Required || keeps_optional || *source != ValueSource::Model;
        let only = || {
            let only = said.iter().find_map(|node| own_only_value(node));
            only.filter(|_| need == Need::Required)
        };
        let default = said.iter().find_map(|node| node.get("default"));
        let is_legal =
            |value: &&'d Node| is_legal_value(self.document, schema.node, &schema.path(), value);
        default.filter(|_| is_kept).filter(is_legal).or_else(only)
    }
}

fn required_names<'d>(root: &LocatedNode<'d>) -> impl Iterator<Item = &'d str> {
    root.node.list("required").iter().filter_map(Node::as_str)
}

fn unresolved_keyword_branches<'d>(
    document: &Document,
    root: &LocatedNode<'d>,
    keyword: &str,
) -> Vec<LocatedNode<'d>> {
    let above = root.path();
    let path = above.name(keyword);
    let branches = root.node.list(keyword).iter();
    let branches = document.while_affordable(branches.enumerate(), 1 + path.step_cost());
    branches.map(|(index, node)| LocatedNode::new(node, &path.index(index))).collect()
}

fn non_null_branches<'d>(
    document: &Document,
    root: &LocatedNode<'d>,
    keyword: &str,
) -> Vec<LocatedNode<'d>> {
    let is_null = |branch: &LocatedNode<'_>| branch.node.text("type") == Some("null");
    unresolved_keyword_branches(document, root, keyword)
        .into_iter()
        .filter(|branch| !is_null(branch))
        .collect()
}

/// Real bodies are at most 20 objects deep.
const DEEPEST: usize = 40;

/// The number of schemas that are visited. Bodies that share parts can be walked in more ways than they have parts.
const MOST_VISITED: usize = 5_000;

/// The cost to visit a schema or a property, in steps.
const VISIT: usize = 4;

/// The number of values that are found; no real body has more.
const MOST_FOUND: usize = 2_000;

#[cfg(test)]
mod tests {
    use callgate_testkit::{check_rows, list};
    use callgate_tool::{Value, json};

    use super::*;
    use crate::sample::document;

    #[track_caller]
    fn check(schema: Value, expected: &[&str]) {
        check_with(Optional::None, schema, expected);
    }

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
    fn check_with(optional: Optional, schema: Value, expected: &[&str]) {
        let document = document(json!({"schema": schema,
            "owner": {"type": "object", "required": ["kind"], "properties": {
                "email": {"type": "string", "x-agent-input-parameter": "user.email"},
                "kind": {"type": "string", "default": "person"},
                "note": {"type": "string", "default": "none"}}},
            "tree": {"type": "object", "required": ["depth"], "properties": {
                "depth": {"default": 0}, "next": {"$ref": "#/tree"}}},
        }));
        let argument = ArgumentName::new("body").unwrap();
        let mut walk =
            NestedInputSearch::new(&document, &argument, SessionInputs::Strict, optional);
        let schema = document.root().get("schema").unwrap();
        walk.search_schema(&LocatedNode { node: schema, pointer: "/schema".into() });
        let lines = walk.inputs.iter().map(|nested| {
            let default = nested.default.as_ref().map(|value| format!(" = {value}"));
            format!("{nested} {}{}", nested.source.reference(), default.unwrap_or_default())
        });
        let lines = lines.map(|line| line.trim().replace("  ", " "));
        assert_eq!(lines.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn session_values_are_found_through_objects_lists_and_references() {
        check_rows(
            r##"
            {"properties": {"owner": {"$ref": "#/owner"}}} => body.owner.email $session.params.user.email | body.owner.kind = "person"
            {"type": "array", "items": {"properties": {"text": {"x-agent-input-parameter": "text"}}}} => body[].text $session.params.text
            {"items": {"format": "@dialogflow/sessionId"}} => body[] $context.session_id
            {"allOf": [{"$ref": "#/owner"}]} => body.email $session.params.user.email | body.kind = "person"
            "##,
            |[schema, expected]| check(schema.parse().unwrap(), &list(expected)),
        );
    }

    #[test]
    fn required_members_are_filled_by_their_default_or_only_value() {
        check(
            json!({"required": ["a", "b", "c", "d"], "properties": {"a": {"default": 1}, "b": {"const": 2},
                "c": {"enum": [3]}, "d": {"enum": [4, 5]}, "e": {"default": 6}, "f": {"enum": [7]}}}),
            &["body.a = 1", "body.b = 2", "body.c = 3"],
        );
        check(
            json!({"allOf": [{"required": ["a"]}, {"properties": {"a": {"default": 1}}}]}),
            &["body.a = 1"],
        );
        check(
            json!({"required": ["a"], "properties": {"a": {"default": 1, "readOnly": true}}}),
            &[],
        );
    }

    #[test]
    fn all_optional_defaults_are_found_at_any_depth_if_all_are_sent() {
        let name = json!({"properties": {"a": {"default": 1}, "b": {}}});
        for (schema, own, all) in [
            (
                json!({"properties": {"c": {"default": 2}}}),
                &["body.c = 2"][..],
                &["body.c = 2"][..],
            ),
            (json!({"properties": {"who": name}}), &[], &["body.who.a = 1"]),
            (
                json!({"properties": {"x": {"properties": {"who": name}}}}),
                &[],
                &["body.x.who.a = 1"],
            ),
            (json!({"items": name}), &[], &["body[].a = 1"]),
            (json!({"allOf": [name]}), &[], &["body.a = 1"]),
            (json!({"oneOf": [name, {"type": "null"}]}), &[], &["body.a = 1"]),
            (json!({"oneOf": [name, {"type": "string"}]}), &[], &[]),
        ] {
            check_with(Optional::None, schema.clone(), &[]);
            check_with(Optional::Own, schema.clone(), own);
            check_with(Optional::All, schema, all);
        }
    }

    #[test]
    fn session_values_in_a_recursive_schema_are_found_once() {
        check(json!({"$ref": "#/tree"}), &["body.depth = 0"]);
    }

    #[test]
    fn session_values_are_not_filled_into_real_alternatives() {
        check(json!({"oneOf": [{"$ref": "#/owner"}, {"type": "string"}]}), &[]);
        check(
            json!({"anyOf": [{"$ref": "#/owner"}, {"type": "null"}]}),
            &["body.email $session.params.user.email", "body.kind = \"person\""],
        );
    }

    #[test]
    fn defaults_below_a_session_value_are_not_filled() {
        check(
            json!({"properties": {"all": {"x-ces-session-context": "$context.variables",
                "properties": {"a": {"default": 1}}}}}),
            &["body.all $context.variables"],
        );
    }
}
