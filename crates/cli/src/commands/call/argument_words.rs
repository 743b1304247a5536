//! Arguments from a command line: `name=value`, `owner.email=x`, `file=@report.pdf`, or one JSON object. Turns a person's
//! shorthand in words into what the tool takes: the service's name of an argument, a list of one, the bytes of a file, the members
//! of a body that is one argument. None of this applies to an object, which holds the arguments as a model gives them.

mod body;
mod upload;
mod wire_name;

use std::path::Path;

use callgate::{Arguments, Entry};
use callgate_tool::{Object, Value};

use super::batch::read_stdin;
use crate::{
    args::CallArguments,
    commands::call::read_json_object,
    exit::Failure,
    guide::{Guide, Kinds},
    open::read_file_bytes,
};

#[derive(Clone, Copy)]
struct ArgumentTarget<'a> {
    guide: Option<Guide<'a>>,
    entry: Option<Entry<'a>>,
}

pub(crate) fn read_arguments(
    given: &CallArguments,
    entry: Option<Entry<'_>>,
) -> Result<Arguments, Failure> {
    let schema = entry.and_then(Entry::declaration).map(|tool| tool.input_schema.to_value());
    let guide = schema.as_ref().map(Guide::new);
    match &given.args {
        Some(text) => read_json_object(text, &object_example(guide)),
        None => ArgumentTarget { guide, entry }.parse_named_values(&given.arguments),
    }
}

/// The arguments that these words of a command line give to a tool, or the usage error for them.
pub(crate) fn arguments_of_words(words: &[String], entry: Entry<'_>) -> Result<Arguments, Failure> {
    let schema = entry.declaration().map(|tool| tool.input_schema.to_value());
    ArgumentTarget { guide: schema.as_ref().map(Guide::new), entry: Some(entry) }
        .parse_named_values(words)
}

impl<'a> ArgumentTarget<'a> {
    /// Puts the members of a body where the tool has them: into the body that is one argument, or among the arguments.
    fn place_body_members(self, arguments: &mut Arguments) -> Result<(), Failure> {
        let Some(guide) = self.guide else { return Ok(()) };
        match body::whole_body_argument(self.entry) {
            Some(body) => body::move_members_into_body(arguments, guide, body),
            None => body::split_body_argument(arguments, guide, self.entry)
                .map_err(|name| repeated_argument_failure(&name))?,
        }
        Ok(())
    }

    /// Reads `name=value` texts and puts each value at the path of its name.
    fn parse_named_values(self, texts: &[String]) -> Result<Arguments, Failure> {
        let mut arguments = Arguments::new();
        for text in texts {
            let Some((name, value)) = text.split_once('=').filter(|(name, _)| !name.is_empty())
            else {
                return Err(unnamed_value_failure(text, self.guide));
            };
            let argument = wire_name::resolve_if_wire_name(name, self)?;
            let steps = self.path_steps(&argument);
            let input = self.input_guide(&steps);
            if is_given(&arguments, &steps) && self.is_single_value(&steps, input) {
                return Err(repeated_argument_failure(name));
            }
            let value = text_or_file_value(name, value, input)?;
            append_value_at_path(&mut arguments, &steps, value).map_err(|()| {
                let message = format!("error: `{name}` is given a value, and members inside it");
                Failure(format!("{message}\nhelp: give either the whole of it or its members"))
            })?;
        }
        self.place_body_members(&mut arguments)?;
        for (name, value) in &mut arguments {
            if let Some(below) = self.guide.and_then(|guide| guide.member(name)) {
                convert_texts_by_schema(value, below, DEPTH);
            }
        }
        Ok(arguments)
    }

    /// True if an input takes no list. The call itself reports unknown names; the whole body is one value.
    fn is_single_value(self, steps: &[&str], input: Option<Guide<'_>>) -> bool {
        match input {
            Some(input) => !input.allowed_value_kinds().array,
            None => self.guide.is_some() && *steps == [body::NAME],
        }
    }

    /// The names on the path to a value. A dot belongs to a name that the tool declares with it.
    fn path_steps(self, name: &str) -> Vec<&str> {
        let is_declared = self.guide.is_some_and(|guide| guide.member(name).is_some());
        let parts: Vec<&str> = name.split('.').collect();
        if is_declared || parts.iter().any(|part| part.is_empty()) { vec![name] } else { parts }
    }

    /// Finds the input at the end of a path; a member of the body if only the body has the name.
    fn input_guide(self, steps: &[&str]) -> Option<Guide<'a>> {
        let guide = self.guide?;
        let (first, rest) = steps.split_first()?;
        let below = guide.member(first);
        let below = below
            .or_else(|| guide.member(body::whole_body_argument(self.entry)?)?.member(first))?;
        rest.iter().try_fold(below, |at, name| at.member_or_item(name))
    }
}

fn unnamed_value_failure(text: &str, guide: Option<Guide<'_>>) -> Failure {
    let help = match (guide, example_name(guide, text)) {
        (Some(_), None) => "leave it out: the tool declares no arguments".to_owned(),
        (_, name) => format!("for example `{}=…`", name.unwrap_or("NAME")),
    };
    Failure::with_help(&format!("expected `name=value`, got: `{text}`"), &help)
}

/// The arguments as an example of JSON shows them.
fn object_example(guide: Option<Guide<'_>>) -> String {
    let name = example_name(guide, "").map(Value::from);
    name.map_or_else(|| "{}".to_owned(), |name| format!("{{{name}: …}}"))
}

/// The argument that an example shows: the one that is meant, else a required one.
fn example_name<'a>(guide: Option<Guide<'a>>, meant: &str) -> Option<&'a str> {
    let (required, declared) = (guide?.required_members(), guide?.declared_member_names());
    let meant = declared.iter().find(|name| **name == meant);
    meant.or_else(|| required.first()).or_else(|| declared.first()).copied()
}

fn is_given(arguments: &Arguments, steps: &[&str]) -> bool {
    let Some((first, rest)) = steps.split_first() else { return false };
    let first = arguments.get(first);
    first.is_some_and(|first| rest.iter().try_fold(first, |at, name| at.get(name)).is_some())
}

fn repeated_argument_failure(name: &str) -> Failure {
    let message = format!("error: `{name}`: expected one value, got two: it is given twice");
    Failure(format!("{message}\nhelp: give it once; it takes no list"))
}

/// Puts a value at the end of a path. A second value makes a list of both.
fn append_value_at_path(members: &mut Object, steps: &[&str], value: Value) -> Result<(), ()> {
    let Some((first, rest)) = steps.split_first() else { return Err(()) };
    let existing_value = members.get_mut(first);
    if !rest.is_empty() {
        return match existing_value {
            Some(Value::Object(inside)) => append_value_at_path(inside, rest, value),
            Some(_) => Err(()),
            None => {
                let mut inside = Object::new();
                append_value_at_path(&mut inside, rest, value)?;
                members.insert((*first).to_owned(), Value::Object(inside));
                Ok(())
            }
        };
    }
    match existing_value {
        None => drop(members.insert((*first).to_owned(), value)),
        Some(Value::Array(values)) => values.push(value),
        Some(Value::Object(_)) if !value.is_object() => return Err(()),
        Some(existing_value) => *existing_value = Value::Array(vec![existing_value.take(), value]),
    }
    Ok(())
}

fn text_or_file_value(name: &str, text: &str, guide: Option<Guide<'_>>) -> Result<Value, Failure> {
    let Some(file) = text.strip_prefix('@') else { return Ok(text.into()) };
    if file.starts_with('@') {
        return Ok(file.into());
    }
    if file.is_empty() {
        let message = format!("error: `{name}=@` names no file");
        return Err(Failure(format!(
            "{message}\nhelp: `{name}=@FILE`, or `{name}=@@` for the text `@`"
        )));
    }
    let bytes = if file == "-" {
        read_stdin()?
    } else {
        read_file_bytes(Path::new(file)).map_err(|Failure(message)| {
            let first = message.lines().next().unwrap_or_default();
            let meant = format!("to give the text itself, write `{name}=@@{file}`");
            Failure(format!("{first}\nhelp: `{name}=@FILE` reads a file; {meant}"))
        })?
    };
    file_value(name, file, bytes, guide)
}

/// Reads a file in the form that the tool takes.
fn file_value(
    name: &str,
    file: &str,
    bytes: Vec<u8>,
    guide: Option<Guide<'_>>,
) -> Result<Value, Failure> {
    let item = guide
        .filter(|guide| !guide.allowed_value_kinds().bytes && !guide.allowed_value_kinds().object);
    let guide = item
        .filter(|guide| guide.allowed_value_kinds().array)
        .and_then(Guide::item_guide)
        .or(guide);
    let kinds = guide.map(Guide::allowed_value_kinds).unwrap_or_default();
    if let Some(guide) = guide.filter(|_| kinds.bytes) {
        return Ok(upload::upload_value(file, &bytes, guide));
    }
    let told = |what: &str, help: &str| {
        Failure(format!("error: `{name}`: `{file}` is not {what}\nhelp: {help}"))
    };
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| told("text", "name a file of UTF-8 text"))?;
    if kinds.string || (guide.is_some() && !kinds.array && !kinds.object) {
        let is_json = kinds.object && text.trim_start().starts_with('{');
        let parsed = is_json.then(|| Value::parse(&text).ok()).flatten();
        return Ok(parsed.unwrap_or_else(|| text.into()));
    }
    match Value::parse(&text) {
        Ok(value) => Ok(value),
        Err(_) if guide.is_none() => Ok(text.into()),
        Err(error) => {
            Err(told(&format!("JSON: {error}"), "the argument takes JSON: name a file of it"))
        }
    }
}

/// Converts texts to the only value they can mean: a number, `true`, JSON, a list of one.
fn convert_texts_by_schema(value: &mut Value, guide: Guide<'_>, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let kinds = guide.allowed_value_kinds();
    if let Value::String(text) = &*value
        && let Some(meant) = parse_if_not_text(text, kinds)
    {
        *value = meant;
    }
    let is_list = match &*value {
        Value::Array(_) => true,
        Value::String(text) => text.trim_start().starts_with('['),
        _ => kinds.object || kinds.bytes,
    };
    if kinds.array && !kinds.string && !is_list {
        *value = Value::Array(vec![value.take()]);
    }
    match value {
        Value::Array(items) => {
            if let Some(each) = guide.item_guide() {
                for item in items {
                    convert_texts_by_schema(item, each, depth);
                }
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                if let Some(below) = guide.member_or_item(name) {
                    convert_texts_by_schema(member, below, depth);
                }
            }
        }
        _ => {}
    }
}

/// Reads a text in place of another type; `None` if a text is allowed there, or it has no other meaning.
fn parse_if_not_text(text: &str, kinds: Kinds) -> Option<Value> {
    if kinds.string || kinds.bytes {
        return None;
    }
    let json = Value::parse(text).ok()?;
    let is_meant = match &json {
        Value::Array(_) => kinds.array,
        Value::Bool(_) => kinds.boolean,
        Value::Number(_) => kinds.number,
        Value::Object(_) => kinds.object,
        Value::Null | Value::String(_) => false,
    };
    is_meant.then_some(json)
}

/// The depth to which dotted names lead.
const DEPTH: usize = 32;

#[cfg(test)]
mod tests {
    use callgate_testkit::{temporary_file, write_file};
    use callgate_tool::json;

    use super::*;

    #[track_caller]
    fn check(texts: &[&str], schema: &Value, expected: &Value) {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        let arguments = target(schema).parse_named_values(&texts).unwrap();
        assert_eq!(&Value::Object(arguments), expected, "{texts:?}");
    }

    fn target(schema: &Value) -> ArgumentTarget<'_> {
        ArgumentTarget { guide: Some(Guide::new(schema)), entry: None }
    }

    fn nothing() -> Value {
        json!({"properties": {}})
    }

    #[test]
    fn a_name_given_twice_makes_a_list() {
        check(
            &["a=1", "b=x=y", "a=2", "a="],
            &nothing(),
            &json!({"a": ["1", "2", ""], "b": "x=y"}),
        );
    }

    #[test]
    fn a_list_of_one_is_a_list() {
        let schema = json!({"properties": {"tags": {"type": "array", "items": {"type": "string"}},
            "either": {"type": ["array", "string"]},
            "owner": {"type": "object", "properties": {"pets": {"type": "array"}}}}});
        check(
            &["tags=a", "either=b", "owner.pets=7"],
            &schema,
            &json!({"tags": ["a"], "either": "b", "owner": {"pets": ["7"]}}),
        );
        check(&["tags=[\"a\"]"], &schema, &json!({"tags": ["a"]}));
    }

    #[test]
    fn dots_in_an_argument_name_select_members_unless_the_name_is_declared() {
        let schema =
            json!({"properties": {"a.b": {"type": "string"}, "owner": {"type": "object"}}});
        check(
            &["a.b=1", "owner.email=x", "owner.home.city=y", ".hidden=z"],
            &schema,
            &json!({"a.b": "1", "owner": {"email": "x", "home": {"city": "y"}}, ".hidden": "z"}),
        );
    }

    #[test]
    fn an_argument_given_whole_and_by_members_is_refused() {
        for texts in [["a=1", "a.b=2"], ["a.b=2", "a=1"]] {
            let texts = texts.map(ToOwned::to_owned);
            assert!(target(&nothing()).parse_named_values(&texts).is_err(), "{texts:?}");
        }
    }

    #[test]
    fn a_text_without_a_name_is_refused() {
        for text in ["petId", "=7", ""] {
            assert!(
                ArgumentTarget { guide: None, entry: None }
                    .parse_named_values(&[text.to_owned()])
                    .is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn a_file_is_read_as_the_type_of_its_argument() {
        let (folder, file) = temporary_file("a.json", "{\"n\": 1}\n");
        let at = format!("@{}", file.display());
        let number = format!("number=@{}", write_file(folder.path(), "n", "7\n").display());
        let bytes = json!({"type": "object", "properties": {"data": {"contentEncoding": "base64"},
            "filename": {}}});
        let schema = json!({"properties": {"text": {"type": "string"}, "object": {"type": "object"},
            "file": {"anyOf": [{"type": "string"}, bytes]},
            "files": {"type": "array", "items": bytes}, "number": {"type": "integer"}}});
        let upload = json!({"data": "eyJuIjogMX0K", "filename": "a.json", "content_type": "application/json"});
        check(
            &[
                &format!("text={at}"),
                &format!("object={at}"),
                &format!("file={at}"),
                &format!("files={at}"),
                "handle=@@octocat",
                &number,
            ],
            &schema,
            &json!({"text": "{\"n\": 1}\n", "object": {"n": 1}, "file": upload, "files": [upload],
                "handle": "@octocat", "number": 7}),
        );
    }
}
