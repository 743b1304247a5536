//! Calls that cannot be made as a message asks for them, in every format that has such calls.

use callgate_dialect::{Dialect, ReadMessage};
use callgate_tool::{Outcome, Value, json};

use crate::{ending::code, golden, named, read, shown, tools};

fn openai(calls: &[(Value, &str, Value)]) -> ReadMessage {
    let call = |(id, name, arguments): &(Value, &str, Value)| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let calls: Vec<Value> = calls.iter().map(call).collect();
    read(Dialect::OpenAi, json!({"role": "assistant", "tool_calls": calls}))
}

/// The words a model is told of the one call.
fn message(read: &ReadMessage) -> String {
    let [call] = read.calls() else { panic!("expected one call") };
    let ended = call.call.as_ref().unwrap_err();
    let Outcome::Failed(fault) = &ended.outcome else { panic!("expected a fault") };
    assert!(fault.message.len() <= 600, "{}", fault.message);
    fault.message.clone()
}

#[test]
fn arguments_are_read_from_an_object_its_text_quoted_once_or_twice_or_an_empty_text() {
    for (arguments, expected) in [
        (json!(r#"{"petId":7}"#), json!({"petId": 7})),
        (json!(r#""{\"petId\":7}""#), json!({"petId": 7})),
        (json!({"petId": 7}), json!({"petId": 7})),
        (json!(""), json!({})),
        (json!(" \n"), json!({})),
        (json!("null"), json!({})),
        (json!(null), json!({})),
    ] {
        let read = openai(&[(json!("a"), "getPet", arguments.clone())]);
        assert_eq!(shown(read.calls()), json!([["a", "getPet", expected]]), "{arguments}");
    }
}

#[test]
fn arguments_that_are_not_an_object_are_reported_with_the_type_received() {
    for (arguments, expected) in [
        (json!(r#"{"petId": 7"#), "got a text that is not JSON: "),
        (json!(r#"{"petId": 1, "petId": 2}"#), "expected each key once, got twice: `petId`"),
        (json!("[7]"), "got: array"),
        (json!(r#""x""#), "got a text that is not JSON: "),
        (json!(r#""[7]""#), "got: array"),
        (json!(7), "got: number"),
    ] {
        let told = message(&openai(&[(json!("a"), "getPet", arguments.clone())]));
        assert!(told.starts_with("the arguments of `getPet` cannot be read"), "{told}");
        assert!(told.contains(expected), "{arguments}: {told}");
    }
}

#[test]
fn digits_of_arguments_are_preserved_in_objects_and_in_texts() {
    let digits = "900719925474099301";
    for arguments in
        [json!(format!(r#"{{"petId":{digits}}}"#)), json!({"petId": 900_719_925_474_099_301_i64})]
    {
        let read = openai(&[(json!("a"), "getPet", arguments)]);
        assert_eq!(read.to_make()[0].arguments["petId"].to_string(), digits);
    }
}

#[test]
fn a_call_without_an_id_gets_one_by_its_position() {
    let read = openai(&[(json!(null), "getPet", json!("")), (json!(""), "getPet", json!(""))]);
    assert_eq!(shown(read.calls()), json!([["call_1", "getPet", {}], ["call_2", "getPet", {}]]));
}

#[test]
fn a_repeated_call_is_made_once_and_other_arguments_are_another_call() {
    let (one, other) = (json!(r#"{"petId":1}"#), json!(r#"{"petId":2}"#));
    let id = json!("a");
    let read = openai(&[
        (id.clone(), "getPet", one.clone()),
        (id.clone(), "getPet", one),
        (id, "getPet", other),
    ]);
    let expected = json!([
        ["a", "getPet", {"petId": 1}],
        ["a", "getPet", "invalid_arguments"],
        ["a", "getPet", {"petId": 2}],
    ]);
    assert_eq!(shown(read.calls()), expected);
}

#[test]
fn a_call_outside_of_the_functions_names_those_that_are_provided() {
    let tools = tools();
    let functions =
        |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let only = |names: &[&str]| {
        let read = openai(&[(json!("a"), "createPet", json!(""))]);
        read.only(&functions(names), |name| named(&tools, name).map(|tool| &tool.name))
    };
    // By the name it is declared by, too.
    assert_eq!(only(&["petstore-createPet"]).to_make().len(), 1);
    let told = message(&only(&["getPet", "other"]));
    let expected = "`createPet` is not one of the tools provided here, nothing was sent; call one of \
                    `petstore-getPet`, `other`";
    assert_eq!(told, expected);
    assert!(message(&only(&[])).contains("no tool is provided now"));
    // What it may not call it need not correct.
    let read = openai(&[(json!("a"), "createPet", json!("{"))]);
    let read = read.only(&functions(&["getPet"]), |_| None);
    assert!(message(&read).contains("call one of `getPet`"));
    let many: Vec<String> = (0..100).map(|n| format!("a_function_with_a_long_name_{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(message(&only(&many)).contains("such as `a_function_with_a_long_name_0`"));
    let hostile = "x".repeat(5000);
    let read = openai(&[(json!("a"), &hostile, json!("["))]);
    assert!(message(&read).len() <= 600);
}

#[test]
fn more_calls_than_one_request_makes_are_answered_without_being_made() {
    let calls: Vec<_> = (0..300).map(|n| (json!(format!("c{n}")), "getPet", json!(""))).collect();
    let read = openai(&calls);
    assert_eq!((read.calls().len(), read.to_make().len()), (300, 256));
    assert_eq!(code(read.calls()[256].call.as_ref().unwrap_err()), "overloaded");
}

#[test]
fn calls_without_a_result_are_answered_as_not_made() {
    let read = openai(&[(json!("a"), "getPet", json!("")), (json!("b"), "getPet", json!(""))]);
    let messages = Dialect::OpenAi.write(&read, &[]);
    let ids: Vec<_> = messages.iter().map(|message| message["tool_call_id"].clone()).collect();
    assert_eq!(ids, ["a", "b"]);
    assert!(messages[1]["content"].as_str().unwrap().contains("was not made"));
}

#[test]
fn a_message_of_another_format_is_refused() {
    for &dialect in Dialect::ALL {
        for message in [json!(7), json!("hello"), json!({}), json!({"hello": 1})] {
            let read = dialect.read(message.clone(), |_| None);
            assert!(read.is_err(), "{dialect} {message}");
        }
    }
}

/// The golden messages of a format that hold calls, and others that say the same.
fn messages_with_calls(dialect: Dialect) -> Vec<Value> {
    let golden = golden(dialect);
    let cases = golden["cases"].as_array().unwrap().iter();
    let cases = cases.filter(|case| case["calls"].as_array().is_some_and(|it| !it.is_empty()));
    cases.flat_map(|case| with_text(&case["message"])).collect()
}

#[test]
fn a_golden_call_read_in_another_format_is_refused_or_read_but_never_skipped() {
    let (tools, mut n_refused) = (tools(), 0);
    for &writer in Dialect::ALL {
        let messages = messages_with_calls(writer);
        for reader in Dialect::ALL.iter().copied().filter(|reader| *reader != writer) {
            for message in &messages {
                let read = reader.read(message.clone(), |name| named(&tools, name));
                n_refused += usize::from(read.is_err());
                let is_passed_over = read.is_ok_and(|read| read.calls().is_empty());
                assert!(!is_passed_over, "{writer}, read by {reader}: {message}");
            }
        }
    }
    assert!(n_refused > 500, "{n_refused}");
}

#[test]
fn a_list_of_messages_is_refused_or_read_but_never_skipped() {
    let (tools, mut n_refused) = (tools(), 0);
    for &dialect in Dialect::ALL {
        for message in messages_with_calls(dialect) {
            let read = |message| dialect.read(message, |name| named(&tools, name));
            let n_calls = read(message.clone()).map_or(0, |read| read.calls().len());
            let Ok(list) = read(json!([message, message])) else {
                n_refused += 1;
                continue;
            };
            assert!(!list.calls().is_empty(), "{dialect}: {message}");
            let is_whole = list.calls().len() == 2 * n_calls;
            // Each item was taken for a call, and is answered with what is wrong.
            let is_told = list.to_make().is_empty();
            assert!(is_whole || is_told, "{dialect}: {message}");
        }
    }
    assert!(n_refused > 20, "{n_refused}");
    let block = json!({"type": "tool_use", "id": "a", "name": "getPet", "input": {}});
    let list = json!([{"role": "user", "content": "a"}, {"role": "assistant", "content": [block]}]);
    let error = Dialect::Anthropic.read(list, |_| None).unwrap_err();
    let expected =
        "`message`: expected one message of `anthropic`, or its calls, got: a list of messages";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn the_refusal_of_a_call_names_both_formats() {
    let block = json!({"type": "tool_use", "id": "a", "name": "getPet", "input": {}});
    let message = json!({"role": "assistant", "content": [block]});
    let error = Dialect::OpenAi.read(message, |_| None).unwrap_err();
    let expected =
        "`message`: expected a message of `openai`, got: a call in the form of `anthropic`";
    assert_eq!(error.to_string(), expected);
}

/// The message, and others that say the same: as an item of a list, with a type, with text beside the calls.
fn with_text(message: &Value) -> Vec<Value> {
    let mut all = vec![message.clone()];
    let Value::Object(members) = message else { return all };
    all.push(json!([message]));
    if !members.contains_key("role") {
        return all;
    }
    let block = json!({"type": "text", "text": "Let me see."});
    for (name, value) in
        [("type", json!("message")), ("content", json!("Let me see.")), ("content", json!([block]))]
    {
        let mut members = members.clone();
        if members.get(name).is_none_or(Value::is_null) {
            members.insert(name, value);
            all.push(members.into());
        }
    }
    all
}

#[test]
fn arguments_get_their_declared_names_unless_two_would_collide() {
    let arguments = json!({"X-Customer": "c", "id": 7, "filter[a]": 1, "filter_a": 2});
    let read = openai(&[(json!("a"), "getPet", arguments)]);
    let read = read.with_renamed_arguments(|call, name| {
        assert_eq!(call.tool, "getPet");
        (name != "id").then(|| name.replace(['-', '['], "_").replace(']', ""))
    });
    let expected = json!({"X_Customer": "c", "id": 7, "filter[a]": 1, "filter_a": 2});
    assert_eq!(shown(read.calls()), json!([["a", "getPet", expected]]));
    let read = openai(&[(json!("a"), "getPet", json!({"b-c": 1, "b[c": 2}))]);
    let read = read.with_renamed_arguments(|_, name| Some(name.replace(['-', '['], "_")));
    assert_eq!(shown(read.calls()), json!([["a", "getPet", {"b-c": 1, "b[c": 2}]]));
}

#[test]
fn a_message_that_is_altered_anywhere_is_refused_or_answered_call_by_call() {
    let mut n_read = 0;
    for &dialect in Dialect::ALL {
        let golden = golden(dialect);
        let cases = golden["cases"].as_array().unwrap().iter();
        let messages = cases.flat_map(|case| altered(&case["message"]));
        for read in messages.filter_map(|message| dialect.read(message, |_| None).ok()) {
            let messages = Value::Array(dialect.write(&read, &[])).to_string();
            let n_answers = messages.matches("was not made").count();
            assert_eq!(n_answers, read.to_make().len(), "{dialect}: {messages}");
            n_read += 1;
        }
    }
    assert!(n_read > 1000, "{n_read}");
}

/// The value with each of its parts replaced by others, or left out.
fn altered(value: &Value) -> Vec<Value> {
    let others = json!([null, 7, "", "x", [], {}, [7], true]);
    let mut all = others.as_array().unwrap().clone();
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                let with = |other: Value| {
                    let mut items = items.clone();
                    items[at] = other;
                    Value::Array(items)
                };
                all.extend(altered(item).into_iter().map(with));
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let with = |other: Value| {
                    let mut members = members.clone();
                    members.insert(name.clone(), other);
                    Value::Object(members)
                };
                all.extend(altered(member).into_iter().map(with));
                let mut without = members.clone();
                without.remove(name);
                all.push(Value::Object(without));
            }
        }
        _ => {}
    }
    all
}
