//! Streams of servers that speak a provider's format, from documentation and public reports: one file for each shape in
//! `tests/streams`, named by the server and by what is odd. Comments at its beginning say what it is, `calls` and `words` what it
//! asks for, `breaks` that its lines end with two characters. Bedrock's streams are binary: a line of their files is the name and the payload of an event.

use std::{fs, path::PathBuf};

use callgate_agent::streamed_reply;
use callgate_dialect::Dialect;

use super::{TWO, check_bytes};
use crate::fake::{DIALECTS, frame};

struct Shape {
    name: String,
    events: Vec<Vec<u8>>,
    calls: Vec<String>,
    words: Option<String>,
}

impl Shape {
    fn new(name: String, text: &str) -> Self {
        let stated = |key: &str| {
            let comments = text.lines().take_while(|line| line.starts_with(':'));
            let key = format!(": {key} ");
            let values = comments.filter_map(|line| line.strip_prefix(&key));
            values.map(str::to_owned).collect::<Vec<_>>()
        };
        let calls = stated("calls");
        let words = stated("words").pop();
        let calls = if calls.is_empty() { TWO.map(str::to_owned).to_vec() } else { calls };
        let text = match stated("breaks").pop() {
            Some(_) => text.replace('\n', "\r\n"),
            None => text.to_owned(),
        };
        let events = if name.ends_with(".events") { framed(&text) } else { split(&text) };
        Self { name, events, calls, words }
    }
}

/// The events of a text, each with the empty line that ends it.
fn split(text: &str) -> Vec<Vec<u8>> {
    let end = if text.contains("\r\n") { "\r\n\r\n" } else { "\n\n" };
    text.split_inclusive(end).map(|event| event.as_bytes().to_vec()).collect()
}

fn framed(text: &str) -> Vec<Vec<u8>> {
    let lines = text.lines().filter(|line| !line.starts_with(':'));
    let events = lines.map(|line| line.split_once(' ').unwrap());
    events.map(|(name, payload)| frame("event", name, payload)).collect()
}

fn shapes(dialect: Dialect) -> Vec<Shape> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/streams");
    let files = fs::read_dir(folder.join(dialect.as_str())).unwrap();
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    let shape = |file: &PathBuf| {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        Shape::new(name, &fs::read_to_string(file).unwrap())
    };
    files.iter().map(shape).collect()
}

async fn check_all(dialect: Dialect) {
    for Shape { name, mut events, calls, words } in shapes(dialect) {
        let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
        check_bytes(dialect, &name, &events, &calls).await;
        if let Some(words) = words {
            let (shown, messages) = streamed_reply(dialect, [&*events.concat()]).unwrap();
            assert_eq!(shown, words, "{name}");
            let text = messages.iter().flatten().map(|it| it.text().to_owned()).collect::<String>();
            assert_eq!(text.matches(&*words).count(), 1, "{name}: {text}");
        }
        if dialect == Dialect::OpenAi {
            events[0].splice(0..0, "\u{feff}".bytes());
            check_bytes(dialect, &format!("{name} after a mark"), &events, &calls).await;
        }
    }
}

macro_rules! servers {
    ($($name:ident => $dialect:ident),+ $(,)?) => {
        $(#[tokio::test(start_paused = true)]
        async fn $name() {
            check_all(Dialect::$dialect).await;
        })+
    };
}

servers! {
    each_shape_of_anthropic_sends_each_call_once => Anthropic,
    each_shape_of_bedrock_sends_each_call_once => Bedrock,
    each_shape_of_gemini_sends_each_call_once => Gemini,
    each_shape_of_openai_sends_each_call_once => OpenAi,
    each_shape_of_responses_sends_each_call_once => Responses,
}

#[test]
fn there_are_shapes_of_all_dialects() {
    let numbers = DIALECTS.map(|dialect| shapes(dialect).len());
    assert!(numbers.iter().all(|n| *n >= 11), "{numbers:?}");
    assert!(numbers.iter().sum::<usize>() >= 130, "{numbers:?}");
}
