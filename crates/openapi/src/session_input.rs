//! Finds out if a value comes from the session: `x-agent-input-parameter`, `x-ces-session-context`,
//! `@dialogflow/sessionId`. It reads only annotations; the values are in the session.

use std::{borrow::Cow, collections::BTreeSet, ptr, sync::Arc};

use callgate_tree::{Node, Path, Severity};

use crate::{
    address::{AGENT_INPUT as AGENT, SESSION_CONTEXT as CONTEXT, SESSION_ID},
    code::Code,
    document::Document,
    findings::{Finding, Findings},
    input::ValueSource,
    options::SessionInputs,
    reference::{LocatedNode, reference_of, resolve_target},
    worklist::Worklist,
};

/// The source of a value, if its annotation could be read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Annotation {
    Invalid { name: &'static str, value: String },
    Source(ValueSource),
}

impl Annotation {
    /// True if the model must never supply the value.
    pub(crate) fn is_context(&self) -> bool {
        match self {
            Self::Invalid { name, .. } => *name == CONTEXT,
            Self::Source(source) => matches!(source, ValueSource::Context(_)),
        }
    }
}

/// The annotation of a value: of its schema, of the schema's references and compositions, or of the object that
/// contains the schema. An annotation that names the context comes first, since the model must never supply its value;
/// then the nearest counts.
pub(crate) fn session_annotation<'d>(
    document: &'d Document,
    schema: &'d Node,
    path: &Path<'_>,
    beside: &[&'d Node],
) -> Option<Annotation> {
    if !document.has_session_inputs() {
        return None;
    }
    let nodes = applicable_schemas(document, schema, path);
    let mut first_annotation = None;
    for annotation in beside.iter().copied().chain(nodes).filter_map(own_annotation) {
        if annotation.is_context() {
            return Some(annotation);
        }
        first_annotation = first_annotation.or(Some(annotation));
    }
    first_annotation
}

/// The schemas that may apply to a value of a schema: itself, the targets of its references, and all branches of its
/// compositions and conditions.
fn applicable_schemas<'d>(
    document: &'d Document,
    schema: &'d Node,
    path: &Path<'_>,
) -> Vec<&'d Node> {
    let mut schemas = Vec::new();
    let mut seen_nodes = BTreeSet::new();
    let mut open = Worklist::new(document, |_: &LocatedNode<'d>| 1);
    open.push(LocatedNode::new(schema, path));
    while let Some(next) = open.take_first() {
        let is_new = seen_nodes.insert(ptr::from_ref(next.node));
        if !is_new {
            continue;
        }
        schemas.push(next.node);
        let path = next.path();
        if let Some(reference) = reference_of(next.node) {
            open.extend(resolve_target(document, reference, &path).ok());
        }
        for keyword in ["allOf", "anyOf", "oneOf", "if", "then", "else"] {
            match next.node.get(keyword) {
                Some(Node::Array(branches)) => {
                    let path = path.name(keyword);
                    let branches = branches.iter().enumerate();
                    open.extend(branches.map(|(n, node)| LocatedNode::new(node, &path.index(n))));
                }
                Some(branch @ Node::Object(_)) => {
                    open.push(LocatedNode::new(branch, &path.name(keyword)));
                }
                _ => {}
            }
        }
    }
    schemas
}

pub(crate) fn own_annotation(node: &Node) -> Option<Annotation> {
    let says = |name: &str| node.text(name) == Some(SESSION_ID);
    if says("$ref") || says("format") {
        return Some(Annotation::Source(ValueSource::Context("session_id".into())));
    }
    if let Some(value) = node.get(CONTEXT) {
        return Some(read_annotation(CONTEXT, value, context_source));
    }
    node.get(AGENT).map(|value| read_annotation(AGENT, value, session_or_payload_source))
}

/// The source that an annotation names; an annotation that cannot be read is reported at the pointer.
pub(crate) fn annotated_source(
    annotation: Option<Annotation>,
    pointer: &str,
    session_inputs: SessionInputs,
    findings: &mut Findings,
) -> ValueSource {
    match annotation {
        None => ValueSource::Model,
        Some(Annotation::Source(source)) => source,
        Some(Annotation::Invalid { name, value }) => {
            let finding = invalid_annotation_finding(name, &value, session_inputs);
            findings.add(finding, pointer);
            ValueSource::Model
        }
    }
}

pub(crate) fn is_visible_to_model(source: &ValueSource, session_inputs: SessionInputs) -> bool {
    match source {
        ValueSource::Context(_) => false,
        ValueSource::Model => true,
        ValueSource::Parameter(_) | ValueSource::Payload(_) => {
            session_inputs == SessionInputs::Lenient
        }
    }
}

fn invalid_annotation_finding(
    name: &str,
    value: &str,
    session_inputs: SessionInputs,
) -> Finding<'static> {
    if name == CONTEXT {
        let message = format!("expected `{CONTEXT}: $context.<name>`, got: `{value}`");
        let help = "name a value of the context, for example `$context.session_id`";
        // The model must never fill such a value, so the operation cannot be offered.
        return Finding::new(Code::InvalidSessionInput, Severity::Error, message, help);
    }
    let severity = match session_inputs {
        SessionInputs::Lenient => Severity::Warning,
        SessionInputs::Strict => Severity::Error,
    };
    let message = format!("expected `{AGENT}` to name a session parameter, got: `{value}`");
    let help = "write a name, `$session.params.<name>` or `$request.payload.<path>`";
    Finding::new(Code::InvalidSessionInput, severity, message, help)
}

fn read_annotation(
    name: &'static str,
    value: &Node,
    source: fn(&str) -> Option<ValueSource>,
) -> Annotation {
    let text = value.as_str().map(str::trim);
    text.and_then(source).map_or_else(
        || Annotation::Invalid { name, value: text.unwrap_or_else(|| value.kind()).to_owned() },
        Annotation::Source,
    )
}

fn context_source(text: &str) -> Option<ValueSource> {
    let text = &*brackets_to_dots(text)?;
    valid_path(text.strip_prefix("$context.")?).map(ValueSource::Context)
}

fn session_or_payload_source(text: &str) -> Option<ValueSource> {
    let text = &*brackets_to_dots(text)?;
    if let Some(name) = text.strip_prefix("$session.params.") {
        return valid_path(name).map(ValueSource::Parameter);
    }
    if let Some(payload) = text.strip_prefix("$request.payload.") {
        return valid_path(payload).map(ValueSource::Payload);
    }
    valid_path(text).filter(|_| !text.starts_with('$')).map(ValueSource::Parameter)
}

/// A path with its names in brackets written behind dots: `$session.params['x']` is `$session.params.x`. `None` if a
/// bracket does not hold one name.
fn brackets_to_dots(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains(['[', ']']) {
        return Some(Cow::Borrowed(text));
    }
    let mut dotted = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let (inner, behind) = after.split_once(']')?;
        let quoted = |quote| inner.strip_prefix(quote)?.strip_suffix(quote);
        let index = || inner.bytes().all(|byte| byte.is_ascii_digit()).then_some(inner);
        let name = quoted('\'').or_else(|| quoted('"')).or_else(index)?;
        if name.is_empty() || name.contains(['\'', '"', '[']) || before.contains(']') {
            return None;
        }
        dotted.push_str(before);
        if !dotted.is_empty() {
            dotted.push('.');
        }
        dotted.push_str(name);
        rest = behind;
        if !(rest.is_empty() || rest.starts_with(['.', '['])) {
            return None;
        }
    }
    dotted.push_str(rest);
    (!rest.contains(']')).then_some(Cow::Owned(dotted))
}

/// A path without empty names and white space.
fn valid_path(text: &str) -> Option<Arc<str>> {
    let names_are_given = text.split('.').all(|name| !name.is_empty());
    (names_are_given && !text.contains(char::is_whitespace)).then(|| text.into())
}

#[cfg(test)]
mod tests {
    use callgate_tool::{Value, json};

    use super::*;
    use crate::sample::document;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
    fn check(schema: Value, expected: Option<&str>) {
        let document = document(json!({
            "schema": schema,
            "user": {"type": "string", "x-agent-input-parameter": "user"},
            "session": {"$ref": "@dialogflow/sessionId"},
        }));
        let schema = document.root().get("schema").unwrap();
        let got =
            session_annotation(&document, schema, &Path::ROOT, &[]).map(|found| match found {
                Annotation::Invalid { value, .. } => format!("invalid {value}"),
                Annotation::Source(source) => source.reference(),
            });
        assert_eq!(got.as_deref(), expected);
    }

    #[test]
    fn a_schema_without_annotation_is_filled_by_the_model() {
        check(json!({"type": "string"}), None);
        check(json!(true), None);
    }

    #[test]
    fn an_agent_input_names_a_session_parameter_or_the_payload() {
        let agent = |value: &str| json!({"x-agent-input-parameter": value});
        check(agent("user"), Some("$session.params.user"));
        check(agent("$session.params.user.id"), Some("$session.params.user.id"));
        check(agent("$request.payload.a.b"), Some("$request.payload.a.b"));
        check(json!({"$ref": "#/user"}), Some("$session.params.user"));
    }

    #[test]
    fn names_in_brackets_equal_names_after_dots() {
        for (value, expected) in [
            ("$session.params['user']", "$session.params.user"),
            ("$session.params[\"user\"].id", "$session.params.user.id"),
            ("$session['params']['user']['id']", "$session.params.user.id"),
            ("profile['tenant']", "$session.params.profile.tenant"),
            ("['user']", "$session.params.user"),
            ("$request.payload.a[0].b", "$request.payload.a.0.b"),
            ("$session.params['user", "invalid $session.params['user"),
            ("user['a']b", "invalid user['a']b"),
            ("user[]", "invalid user[]"),
            ("user[a]", "invalid user[a]"),
            ("user]", "invalid user]"),
        ] {
            check(json!({"x-agent-input-parameter": value}), Some(expected));
        }
        let context = json!({"x-ces-session-context": "$context['variables'].x"});
        check(context, Some("$context.variables.x"));
    }

    #[test]
    fn a_session_annotation_is_found_at_the_end_of_a_long_reference_chain() {
        let mut parts =
            json!({"has": {"x-agent-input-parameter": "user"}, "c0": {"$ref": "#/has"}});
        for n in 1..3_000 {
            parts[format!("c{n}").as_str()] = json!({"$ref": (format!("#/c{}", n - 1))});
        }
        let document = document(parts);
        let schema = document.root().get("c2999").unwrap();
        let found = session_annotation(&document, schema, &Path::ROOT, &[]);
        assert!(matches!(found, Some(Annotation::Source(ValueSource::Parameter(_)))), "{found:?}");
    }

    #[test]
    fn a_context_annotation_needs_its_prefix() {
        let context = |value: &str| json!({"x-ces-session-context": value});
        check(context("$context.session_id"), Some("$context.session_id"));
        check(context("$context.variables.x"), Some("$context.variables.x"));
        check(context("session_id"), Some("invalid session_id"));
    }

    #[test]
    fn the_session_id_reference_of_dialogflow_is_a_session_input() {
        check(json!({"$ref": "@dialogflow/sessionId"}), Some("$context.session_id"));
        check(json!({"format": "@dialogflow/sessionId"}), Some("$context.session_id"));
        check(json!({"$ref": "#/session"}), Some("$context.session_id"));
    }

    #[test]
    fn a_session_annotation_without_a_name_is_invalid() {
        for value in ["", "$session.params.", "$request.payload.a..b", "$flow.x", "a b"] {
            check(json!({"x-agent-input-parameter": value}), Some(&format!("invalid {value}")));
        }
        check(json!({"x-agent-input-parameter": 7}), Some("invalid number"));
    }
}
