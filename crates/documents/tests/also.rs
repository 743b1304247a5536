//! The effect of `also`, other words for a question, on three kinds of texts: the manual of callgate, questions and answers of an invented
//! shop, and the documentation of an invented library. Questions share few words with what answers them. Their other words were
//! written before any search, by somebody who knew the texts, as a model does not: with `also` the numbers are upper bounds. What
//! counts as found is set by hand. Floors are a little below what was measured: of 28 questions about the manual 9 and 28, of 28 about the
//! shop 8 and 28, of 29 about the library 10 and 29.

#![cfg(test)]

use std::{fs, path::Path};

use callgate_documents::{DocumentsSettings, load};
use callgate_executor::{Builder, Executor};
use callgate_tool::{Object, Session, ToolCall, Value};

/// A question with other words for it, and the passages that answer it.
struct Question {
    text: String,
    also: Vec<Value>,
    gold: Vec<String>,
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/also"))
}

fn questions(file: &str) -> Vec<Question> {
    let text = fs::read_to_string(folder().join(file)).unwrap();
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let read = |line: &str| {
        let value = Value::parse(line).unwrap();
        let also = value["also"].as_array().unwrap().clone();
        assert!(also.len() <= 5, "{line}");
        let text = value["question"].as_str().unwrap().to_owned();
        Question { text, also, gold: texts(&value["gold"]) }
    };
    text.lines().map(read).collect()
}

async fn executor(folder: &Path, include: &[&str]) -> Executor {
    let mut settings = DocumentsSettings::new("texts", folder);
    settings.include = include.iter().map(|pattern| (*pattern).to_owned()).collect();
    let loaded = load(settings, None).await;
    assert_eq!(loaded.findings, []);
    loaded.tools.into_iter().fold(Executor::builder(), Builder::shared_backend).build().unwrap()
}

async fn snippets(executor: &Executor, question: &str, also: &[Value]) -> Vec<Value> {
    let mut arguments = Object::from([("query", question.into()), ("limit", 5.into())]);
    if !also.is_empty() {
        arguments.insert("also", Value::Array(also.to_vec()));
    }
    let call = ToolCall::new("1", "texts-search", arguments);
    let result = executor.call(&call, &Session::default()).await;
    let result = Value::parse(result.text().unwrap()).unwrap();
    result["snippets"].as_array().unwrap().clone()
}

/// The questions that are answered among five snippets, without and with their other words.
async fn hits(
    executor: &Executor,
    questions: &[Question],
    answers: impl Fn(&Value, &str) -> bool,
) -> [usize; 2] {
    let mut hits = [0, 0];
    for Question { text, also, gold } in questions {
        for (at, also) in [&[][..], also].into_iter().enumerate() {
            let found = snippets(executor, text, also).await;
            let is_hit = found.iter().any(|one| gold.iter().any(|gold| answers(one, gold)));
            hits[at] += usize::from(is_hit);
        }
    }
    hits
}

#[expect(clippy::print_stdout, reason = "the numbers are what is measured")]
#[track_caller]
fn check(name: &str, n_questions: usize, [without, with]: [usize; 2], floor: [usize; 2]) {
    println!("{name}: of {n_questions} questions, hit@5 {without} without `also`, {with} with it");
    assert!(without >= floor[0] && with >= floor[1], "{name}: {without}, {with}");
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[tokio::test]
async fn other_words_find_more_of_a_manual() {
    let manual = folder().join("../../../callgate/manual");
    let executor = executor(&manual, &["*.md"]).await;
    let all = questions("manual.jsonl");
    let answers = |snippet: &Value, gold: &str| {
        let (file, heading) = gold.split_once('#').unwrap();
        text(snippet, "document") == file && text(snippet, "section").ends_with(heading)
    };
    let found = hits(&executor, &all, answers).await;
    check("manual", all.len(), found, [7, 24]);
}

#[tokio::test]
async fn other_words_find_more_of_questions_with_answers() {
    let executor = executor(folder(), &["faq.csv"]).await;
    let all = questions("faq.jsonl");
    let rows = fs::read_to_string(folder().join("faq.csv")).unwrap();
    let answers = |snippet: &Value, gold: &str| {
        let row = rows.lines().find(|row| row.starts_with(&format!("{gold},"))).unwrap();
        text(snippet, "text").contains(row.split(',').nth(1).unwrap())
    };
    let found = hits(&executor, &all, answers).await;
    check("FAQ", all.len(), found, [7, 26]);
}

#[tokio::test]
async fn other_words_find_more_of_documentation_of_code() {
    let executor = executor(folder(), &["library.md"]).await;
    let all = questions("library.jsonl");
    let answers = |snippet: &Value, gold: &str| text(snippet, "section").ends_with(gold);
    let found = hits(&executor, &all, answers).await;
    check("library", all.len(), found, [8, 27]);
}
