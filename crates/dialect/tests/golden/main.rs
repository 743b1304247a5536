//! Every format by golden messages, one file a format: a declaration, and messages of a model with the calls they ask for,
//! how those ended, and the messages that answer them.

#![cfg(test)]

mod ending;
mod faults;
mod last_messages;

use std::{fs, path::Path};

use callgate_dialect::{Dialect, Form, ReadCall, ReadMessage};
use callgate_tool::{Effect, Schema, Tool, ToolName, Value, json};

/// The two operations of all declarations.
fn tools() -> Vec<Tool> {
    let get = json!({
        "type": "object",
        "properties": {"petId": {"type": "integer"}, "verbose": {"type": "boolean"}},
        "required": ["petId"],
    });
    let create = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "label": {"type": "array", "items": {"type": "string"}},
            "owner": {"type": "object", "properties": {"email": {"type": "string"}}},
        },
        "required": ["name"],
    });
    let replace = json!({
        "type": "object",
        "properties": {"petId": {"type": "integer"}, "body": {"anyOf": [{"type": "object"}, {"type": "null"}]}},
        "required": ["petId", "body"],
    });
    let tool = |name: &str, description: &str, schema, effect| {
        Tool::new(ToolName::new(name).unwrap(), description.into(), Schema::new(schema), effect)
    };
    vec![
        tool("petstore-getPet", "Return a pet", get, Effect::Read),
        tool("petstore-createPet", "Create a new pet", create, Effect::Write),
        tool("petstore-replacePet", "Replace a pet", replace, Effect::Idempotent),
    ]
}

/// The tool a model means; the part after the toolset's name is enough.
fn named<'t>(tools: &'t [Tool], name: &str) -> Option<&'t Tool> {
    let is_meant = |tool: &&Tool| {
        let whole = tool.name.as_str();
        whole == name || whole.strip_prefix("petstore-") == Some(name)
    };
    tools.iter().find(is_meant)
}

fn read(dialect: Dialect, message: Value) -> ReadMessage {
    read_in(dialect, Form::Usual, message)
}

fn read_in(dialect: Dialect, form: Form, message: Value) -> ReadMessage {
    let tools = tools();
    dialect.read_in(form, message, |name| named(&tools, name)).unwrap()
}

fn golden(dialect: Dialect) -> Value {
    let file = format!("{}/tests/golden/{dialect}.json", env!("CARGO_MANIFEST_DIR"));
    let text =
        fs::read_to_string(Path::new(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    callgate_dialect::read_json(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The calls as the golden files write them; one that cannot be made is the code of its fault.
fn shown(calls: &[ReadCall]) -> Value {
    let shown = |asked: &ReadCall| match &asked.call {
        Ok(call) => json!([call.id, call.tool, Value::Object(call.arguments.clone())]),
        Err(ended) => json!([ended.id, ended.tool, ending::code(ended)]),
    };
    Value::Array(calls.iter().map(shown).collect())
}

#[test]
fn every_format_declares_a_tool_as_its_golden_file_says() {
    for &dialect in Dialect::ALL {
        let declaration = dialect.declaration(named(&tools(), "createPet").unwrap());
        assert_eq!(declaration, golden(dialect)["declaration"], "{dialect}: {declaration:#}");
    }
}

#[test]
fn every_form_declares_a_tool_as_the_golden_file_says() {
    for &dialect in Dialect::ALL {
        for form in dialect.forms().iter().filter(|form| **form != Form::Usual) {
            let tools = tools();
            let declaration = dialect.declaration_in(*form, named(&tools, "createPet").unwrap());
            assert_eq!(
                declaration,
                golden(dialect)["forms"][form.as_str()],
                "{dialect}: {declaration:#}"
            );
        }
    }
}

#[test]
fn every_golden_message_is_read_and_answered_as_its_file_says() {
    for &dialect in Dialect::ALL {
        for case in golden(dialect)["cases"].as_array().unwrap() {
            let title = format!("{dialect}: {}", case["title"]);
            let form = case["form"].as_str().map_or(Form::Usual, |form| form.parse().unwrap());
            let read = read_in(dialect, form, case["message"].clone());
            let calls = shown(read.calls());
            assert_eq!(calls, case["calls"], "{title}: {calls:#}");
            let results = ending::results(&read, &case["results"]);
            let messages = Value::Array(dialect.write(&read, &results));
            assert_eq!(messages, case["messages"], "{title}: {messages:#}");
        }
    }
}
