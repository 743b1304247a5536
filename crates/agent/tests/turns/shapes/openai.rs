//! Chat Completions of servers other than OpenAI's.

use callgate_dialect::Dialect;
use callgate_testkit::{list, rows};

use super::{TWO, check, event};

/// An event with pieces of calls.
fn calls(pieces: &str) -> String {
    delta(&format!(r#"{{"tool_calls":[{pieces}]}}"#))
}

fn delta(delta: &str) -> String {
    event(&format!(r#"{{"choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#))
}

fn finish(reason: &str) -> String {
    event(&format!(r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":"{reason}"}}]}}"#))
}

async fn check_two(name: &str, pieces: &[&str]) {
    let mut events: Vec<_> = pieces.iter().map(|piece| calls(piece)).collect();
    events.push(finish("tool_calls"));
    events.push(event("[DONE]"));
    check(Dialect::OpenAi, name, &events, &TWO).await;
}

#[tokio::test(start_paused = true)]
async fn whole_calls_are_distinguished_by_any_numbers_and_ids() {
    let add = r#""type":"function","function":{"name":"shop-add","arguments":"{\"n\":1}"}"#;
    let remove = r#""type":"function","function":{"name":"shop-remove","arguments":"{\"n\":2}"}"#;
    for (name, one, other) in [
        ("one index, ids", r#""index":0,"id":"c1","#, r#""index":0,"id":"c2","#),
        ("one index, no ids", r#""index":0,"#, r#""index":0,"#),
        ("one index, empty ids", r#""index":0,"id":"","#, r#""index":0,"id":"","#),
        ("one id, indices", r#""index":0,"id":"c","#, r#""index":1,"id":"c","#),
        ("ids, no index", r#""id":"c1","#, r#""id":"c2","#),
        ("ids, null as index", r#""index":null,"id":"c1","#, r#""index":null,"id":"c2","#),
        ("indices, no ids", r#""index":0,"#, r#""index":1,"#),
        ("indices, null as id", r#""index":0,"id":null,"#, r#""index":1,"id":null,"#),
        ("indices from one", r#""index":1,"id":"c1","#, r#""index":2,"id":"c2","#),
        ("indices with a gap", r#""index":0,"id":"c1","#, r#""index":7,"id":"c2","#),
        ("huge indices", r#""index":0,"id":"c1","#, r#""index":18446744073709551615,"id":"c2","#),
        ("fractions", r#""index":0.0,"id":"c1","#, r#""index":1.0,"id":"c2","#),
        ("texts as indices", r#""index":"0","id":"c1","#, r#""index":"1","id":"c2","#),
        ("numbers as ids", r#""index":0,"id":1,"#, r#""index":0,"id":2,"#),
        ("nothing", "", ""),
        ("an id that a made one would have", r#""id":"call_1_1","#, ""),
    ] {
        let (add, remove) = (format!("{{{one}{add}}}"), format!("{{{other}{remove}}}"));
        check_two(name, &[&add, &remove]).await;
        check_two(&format!("{name}, in one event"), &[&format!("{add},{remove}")]).await;
        let add = add.replace(r#""{\"n\":1}""#, r#"{"n":1}"#);
        let remove = remove.replace(r#""{\"n\":2}""#, r#"{"n":2}"#);
        check_two(&format!("{name}, arguments as objects"), &[&add, &remove]).await;
    }
}

#[tokio::test(start_paused = true)]
async fn calls_in_pieces_are_put_together_whatever_is_repeated_in_them() {
    for [name, first, later, again] in rows(REPEATED) {
        let calls = [("shop-add", "1", "0"), ("shop-remove", "2", "1")];
        let pieces = calls.map(|call| pieces_of(call, first, later, again)).concat();
        let pieces: Vec<_> = pieces.iter().map(String::as_str).collect();
        check_two(name, &pieces).await;
        if first.contains("index\":#") && !later.is_empty() {
            let interleaved = [0, 4, 1, 5, 6, 2, 3, 7].map(|at| pieces[at]);
            check_two(&format!("{name}, interleaved"), &interleaved).await;
        }
    }
}

/// The pieces of a call: its tool, its argument and its number.
fn pieces_of(call: (&str, &str, &str), first: &str, later: &str, again: &str) -> Vec<String> {
    let (tool, n, number) = call;
    let piece = |head: &str, name: &str, arguments: &str| {
        let (head, name) = (head.replace('#', number), name.replace('@', tool));
        format!(r#"{{{head}"function":{{{name}"arguments":"{arguments}"}}}}"#)
    };
    vec![
        piece(first, r#""name":"@","#, ""),
        piece(later, again, r#"{\"n\""#),
        piece(later, again, &format!(":{n}}}")),
        piece(later, again, ""),
    ]
}

/// The members of the first piece of a call and of its later ones, before the function; and the names in the later ones.
const REPEATED: &str = r#"
    as OpenAI => "index":#,"id":"c#","type":"function", => "index":#, =>
    nulls => "index":#,"id":"c#", => "index":#,"id":null,"type":null, => "name":null,
    empty => "index":#,"id":"c#", => "index":#,"id":"","type":"", => "name":"",
    DashScope => "index":#,"id":"c#","type":"function", => "index":#,"id":"","type":"function", => "name":null,
    ids repeated => "index":#,"id":"c#", => "index":#,"id":"c#","type":"function", =>
    names repeated => "index":#,"id":"c#", => "index":#, => "name":"@",
    all repeated => "index":#,"id":"c#","type":"function", => "index":#,"id":"c#","type":"function", => "name":"@",
    all repeated, no index => "id":"c#", => "id":"c#","type":"function", => "name":"@",
    one index => "index":0,"id":"c#", => "index":0, =>
    one index, ids repeated => "index":0,"id":"c#", => "index":0,"id":"c#", =>
    no index => "id":"c#","type":"function", => =>
    no id => "index":#,"type":"function", => "index":#, =>
    no id, names repeated => "index":#,"type":"function", => "index":#,"type":"function", => "name":"@",
    nothing => "type":"function", => =>
    ids of pieces => "index":#,"id":"c#", => "index":#,"id":"piece-#", =>
    an id that comes later => "index":#, => "index":#,"id":"c#", =>
    a name with marks later => "index":#,"id":"c#", => "index":#, => "name":"@<|channel|>",
"#;

#[tokio::test(start_paused = true)]
async fn odd_pieces_of_calls_are_put_together() {
    for [name, pieces] in rows(ODD) {
        let piece = |text: &'static str| match text {
            "NAMED" => NAMED,
            "NOTHING" => "",
            "REMOVE" => REMOVE,
            "WHOLE" => WHOLE,
            piece => piece,
        };
        check_two(name, &list(pieces).into_iter().map(piece).collect::<Vec<_>>()).await;
    }
}

const REMOVE: &str =
    r#"{"index":9,"id":"c2","function":{"name":"shop-remove","arguments":"{\"n\":2}"}}"#;
const NAMED: &str =
    r#"{"index":0,"id":"c1","type":"function","function":{"name":"shop-add","arguments":""}}"#;
const WHOLE: &str = r#"{"index":0,"id":"c1","type":"function","function":{"name":"shop-add","arguments":"{\"n\":1}"}}"#;
const ODD: &str = r#"
    numbers of pieces => NAMED | {"index":1,"function":{"arguments":"{\"n\""}} | {"index":2,"function":{"arguments":":1}"}} | REMOVE
    `{}` for arguments that come later => {"index":0,"id":"c1","type":"function","function":{"name":"shop-add","arguments":"{}"}} | {"index":0,"function":{"arguments":"{\"n\":1}"}} | REMOVE
    an object for arguments that come later => {"index":0,"id":"c1","type":"function","function":{"name":"shop-add","arguments":{}}} | {"index":0,"function":{"arguments":"{\"n\":1}"}} | REMOVE
    the whole again => WHOLE | WHOLE | REMOVE
    the whole again without an id => WHOLE | {"index":0,"type":"function","function":{"name":"shop-add","arguments":"{\"n\":1}"}} | REMOVE
    pieces, then the whole => NAMED | {"index":0,"function":{"arguments":"{\"n\":1}"}} | WHOLE | REMOVE
    a name in pieces => {"index":0,"id":"c1","function":{"name":"shop-","arguments":""}} | {"index":0,"function":{"name":"add"}} | {"index":0,"function":{"arguments":"{\"n\":1}"}} | REMOVE
    spaces => WHOLE | {"index":0,"function":{"arguments":"\n "}} | REMOVE
    braces in a text => NAMED | {"index":0,"function":{"arguments":"{\"n\":1"}} | {"index":0,"function":{"arguments":"}"}} | REMOVE
    no pieces => NOTHING | WHOLE | NOTHING | REMOVE | NOTHING
    a null => null | WHOLE | REMOVE
"#;

#[tokio::test(start_paused = true)]
async fn a_call_without_arguments_has_none_however_that_is_written() {
    for arguments in [
        r#","arguments":"""#,
        r#","arguments":null"#,
        r#","arguments":"{}""#,
        r#","arguments":{}"#,
        "",
    ] {
        for id in [r#""id":"c1","#, ""] {
            let add =
                format!(r#"{{{id}"type":"function","function":{{"name":"shop-add"{arguments}}}}}"#);
            let remove = add.replace("add", "remove").replace("c1", "c2");
            let events = [calls(&add), calls(&remove), finish("tool_calls")];
            check(Dialect::OpenAi, arguments, &events, &["shop-add {}", "shop-remove {}"]).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn further_events_beside_the_calls_change_nothing() {
    let add = r#"{"index":0,"id":"c1","type":"function","function":{"name":"shop-add","arguments":"{\"n\":1}"}}"#;
    let remove = r#"{"index":1,"id":"c2","type":"function","function":{"name":"shop-remove","arguments":"{\"n\":2}"}}"#;
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}"#;
    let plain = || vec![calls(add), calls(remove), finish("tool_calls"), event("[DONE]")];
    let with = |at: usize, event: String| {
        let mut events = plain();
        events.insert(at, event);
        events
    };
    let replaced = |from: &str, to: &str| {
        plain().iter().map(|event| event.replace(from, to)).collect::<Vec<_>>()
    };
    let mut unended = plain()[..3].to_vec();
    unended[2] = unended[2].trim_end().to_owned();
    let filter = r#"{"choices":[],"prompt_filter_results":[{"prompt_index":0}]}"#;
    let role = r#"{"role":"assistant","content":"","tool_calls":null,"refusal":null}"#;
    let null = r#"{"role":null,"content":null,"function_call":null}"#;
    let thoughts = r#"{"reasoning_content":"Hm.","reasoning":"Hm.","content":null}"#;
    for (name, events) in [
        ("as OpenAI", plain()),
        ("the filter of Azure", with(0, event(filter))),
        ("no choices", with(0, event(r#"{"choices":null,"id":"x"}"#))),
        ("a role", with(0, delta(role))),
        ("a role that is null", with(1, delta(null))),
        ("an empty role", with(1, delta(r#"{"role":"","content":""}"#))),
        ("no delta", with(1, event(r#"{"choices":[{"index":0,"delta":null}]}"#))),
        ("no calls", with(1, delta(r#"{"tool_calls":[]}"#))),
        ("thoughts", with(1, delta(thoughts))),
        ("parts", with(1, delta(r#"{"content":[{"type":"thinking","thinking":[]}]}"#))),
        ("a comment", with(1, ": OPENROUTER PROCESSING\n\n".to_owned())),
        ("further fields", with(1, "event: x\nid: 7\nretry: 10\n\n".to_owned())),
        ("usage", with(3, event(usage))),
        ("the end again", with(3, finish("tool_calls"))),
        ("the reason of an answer", replaced(r#""tool_calls"}"#, r#""stop"}"#)),
        ("an empty reason in each", replaced(":null}", r#":""}"#)),
        ("no mark of the end", plain()[..3].to_vec()),
        ("no line break at the end", unended),
        ("no space", replaced("data: ", "data:")),
        ("lines as on Windows", replaced("\n", "\r\n")),
        ("one line break", replaced("\n\n", "\n")),
        ("spaces behind the mark of the end", replaced("[DONE]", "[DONE] \t")),
        ("a text that is no JSON", with(1, event("ping"))),
        ("a time in place of an object", with(1, event("2026-11-30 01:35:43.686476"))),
        ("nothing but spaces", with(1, event("  "))),
    ] {
        check(Dialect::OpenAi, name, &events, &TWO).await;
    }
}
