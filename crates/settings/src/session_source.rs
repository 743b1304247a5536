//! A value that the session or the operator gives, never the model: `$session.params.NAME`, `$request.payload.PATH`,
//! `$context.PATH`, or a plain text, number or boolean.

use callgate_tool::{SessionSource, Value, nearest};
use callgate_tree::Node;

use crate::{
    code::SettingCode,
    forms,
    keys::Kind,
    reader::{Reader, member_pointer},
};

forms! {
    SessionSource => Self, Kind::AnyOf(&[Kind::Text, Kind::Number, Kind::Boolean]), |reader, mapping, key| {
        let (node, pointer) = (mapping.object.get(key)?, member_pointer(mapping, key));
        match node {
            Node::Bool(_) | Node::Number(_) => Some(Self::Fixed(node.to_value())),
            Node::String(_) => source_or_fixed_text(reader, node.as_str().unwrap_or_default(), &pointer),
            _ => {
                reader.report_wrong_type(&pointer, "a value of the session, or a plain value", node, HELP);
                None
            }
        }
    };
}

fn source_or_fixed_text(reader: &mut Reader, text: &str, pointer: &str) -> Option<SessionSource> {
    if text.is_empty() {
        let message = "expected a value of the session, or a plain value, got an empty text";
        reader.report_fault(SettingCode::WrongValue, pointer, message, HELP);
        return None;
    }
    if !text.starts_with('$') {
        return Some(SessionSource::Fixed(Value::from(text)));
    }
    reader.session_texts.insert(pointer.to_owned());
    let session_source = session_source(text);
    if session_source.is_none() {
        let message = format!("expected a value of the session, got: `{text}`");
        reader.report_fault(SettingCode::WrongValue, pointer, message, source_help(text));
    }
    session_source
}

/// The source that a whole text names; `None` for any other text.
pub fn session_source(text: &str) -> Option<SessionSource> {
    SessionSource::PREFIXES.iter().find_map(|(prefix, source)| {
        let path = text.strip_prefix(prefix)?;
        is_valid_dotted_path(path).then(|| source(path.to_owned()))
    })
}

const HELP: &str = "for example `$session.params.user_id`";

/// The remedy for a misspelt source.
fn source_help(text: &str) -> String {
    let head = |text: &str, parts: usize| text.split('.').take(parts).collect::<Vec<_>>().join(".");
    let near = SessionSource::PREFIXES.iter().find_map(|(prefix, _)| {
        let prefix = prefix.trim_end_matches('.');
        let parts = prefix.split('.').count();
        nearest(&head(text, parts), [prefix]).map(|_| (prefix, parts))
    });
    match near {
        Some((prefix, parts)) => {
            let rest: Vec<_> =
                text.split('.').skip(parts).filter(|part| !part.is_empty()).collect();
            let rest = if rest.is_empty() { "NAME".to_owned() } else { rest.join(".") };
            format!("did you mean `{prefix}.{rest}`?")
        }
        None => {
            "write `$session.params.NAME`, `$request.payload.PATH` or `$context.PATH`".to_owned()
        }
    }
}

/// True for names with dots between them.
fn is_valid_dotted_path(text: &str) -> bool {
    text.split('.').all(|name| !name.is_empty() && !name.contains(['[', ']', '$', ' ']))
}

#[cfg(test)]
mod tests {
    use callgate_tree::Limits;

    use super::*;
    use crate::{form::Form as _, reader::Mapping};

    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        let root = callgate_tree::read(format!("a: {text}").as_bytes(), &Limits::default());
        let root = root.unwrap().value;
        let mut reader = Reader::default();
        let mapping = Mapping { object: root.as_object().unwrap(), pointer: "" };
        let found = SessionSource::read(&mut reader, mapping, "a");
        let help = reader.complaints.first().map(|complaint| complaint.help.clone());
        match expected {
            Ok(expected) => assert_eq!(format!("{:?}", found.unwrap()), expected, "{text}"),
            Err(expected) => assert_eq!((found.is_none(), help.as_deref()), (true, Some(expected))),
        }
    }

    #[test]
    fn a_value_of_the_session_or_of_the_configuration_is_read() {
        check("$session.params.user_id", Ok("Parameter(\"user_id\")"));
        check("$request.payload.user.id", Ok("Payload(\"user.id\")"));
        check("$context.variables.tenant", Ok("Context(\"variables.tenant\")"));
        check("eu", Ok("Fixed(String(\"eu\"))"));
        check("true", Ok("Fixed(Bool(true))"));
    }

    #[test]
    fn a_value_that_nothing_can_give_is_refused() {
        let forms = "write `$session.params.NAME`, `$request.payload.PATH` or `$context.PATH`";
        check("$sesion.params.user", Err("did you mean `$session.params.user`?"));
        check("$session.params.", Err("did you mean `$session.params.NAME`?"));
        check("$caller.token", Err(forms));
        check("''", Err(HELP));
        check("null", Err(HELP));
        check("[a]", Err(HELP));
        check("{a: b}", Err(HELP));
    }
}
