//! A session for an example: values for all that a call takes from it, as `--session` reads them.

use callgate_openapi::{Operation, Step, ValueSource};
use callgate_tool::{Object, Value};

use super::example::{self, Choice};
use crate::guide::Guide;

/// The session, as JSON, with an example of each value that the operation takes from it.
pub(super) fn example_session(operation: &Operation, choice: Choice) -> Value {
    let root = operation.arguments_schema();
    let mut envelope = Object::new();
    let mut put_in = |source: &ValueSource, guide: Option<Guide<'_>>| {
        let guide = guide.unwrap_or_else(|| Guide::new(root));
        let value = example::example_value(guide.schema(), root, choice);
        let path = match source {
            ValueSource::Context(path) if &**path == SESSION_ID => vec!["id"],
            ValueSource::Context(path) => ["context"].into_iter().chain(path.split('.')).collect(),
            ValueSource::Parameter(name) => vec!["parameters", name],
            ValueSource::Payload(path) => ["payload"].into_iter().chain(path.split('.')).collect(),
            ValueSource::Model => return,
        };
        put_at_path(&mut envelope, &path, value);
    };
    let guide = Guide::new(root);
    for input in &operation.inputs {
        put_in(&input.source, guide.member(input.argument.as_str()));
    }
    for nested in operation.nested_inputs(None) {
        let argument = guide.member(nested.argument.as_str());
        let value = nested.steps.iter().try_fold(argument, |guide, step| {
            Some(match step {
                Step::Items => guide?.item_guide(),
                Step::Property(name) => guide?.member_or_item(name),
            })
        });
        put_in(&nested.source, value.flatten());
    }
    Value::Object(envelope)
}

/// Puts a value at a path; a value that is there stays.
fn put_at_path(members: &mut Object, path: &[&str], value: Value) {
    match path {
        [] => {}
        [name] => {
            if !members.contains_key(name) {
                members.insert((*name).to_owned(), value);
            }
        }
        [name, below @ ..] => {
            if !members.contains_key(name) {
                members.insert((*name).to_owned(), Value::Object(Object::new()));
            }
            if let Some(Value::Object(inside)) = members.get_mut(name) {
                put_at_path(inside, below, value);
            }
        }
    }
}

const SESSION_ID: &str = "session_id";
