//! The labelled sets: tools, questions, and which tools answer them.

use std::{fmt, fs, path::PathBuf};

use callgate_search::{Document, Parameter};
use callgate_testkit::corpus;
use callgate_tool::Effect;
use serde_json::Value;

/// One labelled set.
#[derive(Debug)]
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) tools: Vec<Value>,
    questions: Vec<Value>,
}

/// The part of what is wanted that is found: among the first five and ten, and how often all of it is among the first ten.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measures {
    recall_5: f64,
    recall_10: f64,
    complete_10: f64,
}

/// All sets there are.
pub(crate) fn sets() -> Vec<Set> {
    let folders = corpus("retrieval").into_iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut folders: Vec<PathBuf> = folders.map(|entry| entry.unwrap().path()).collect();
    // Sets of texts that are no tools have other files.
    folders.retain(|folder| folder.join("queries.jsonl").is_file());
    folders.sort();
    let read = |folder: &PathBuf| Set {
        name: folder.file_name().unwrap().to_string_lossy().into_owned(),
        tools: lines(folder.join("tools.jsonl")),
        questions: lines(folder.join("queries.jsonl")),
    };
    folders.iter().map(read).collect()
}

/// A tool as the index is told of it.
pub(crate) fn document(tool: &Value) -> Document<'_> {
    let mut document = Document::new(text(tool, "name"), Effect::Read);
    document.summary = text(tool, "summary").into();
    document.description = text(tool, "description").into();
    document.path = text(tool, "path");
    document.tags = tool["tags"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let parameter =
        |one| Parameter { name: text(one, "name"), description: text(one, "description").into() };
    document.parameters = tool["params"].as_array().unwrap().iter().map(parameter).collect();
    document
}

/// The same texts as one.
pub(crate) fn whole_text(tool: &Value) -> String {
    let document = document(tool);
    let Document { name, summary, description, path, .. } = document;
    let mut texts = vec![name, &summary, &description, path];
    texts.extend(document.tags);
    texts.extend(document.parameters.iter().flat_map(|one| [one.name, &one.description]));
    texts.join(" ")
}

impl Set {
    /// The figures of one way to find tools.
    pub(crate) fn measured(&self, find: impl Fn(&str) -> Vec<usize>) -> Measures {
        let mut sum = Measures::default();
        for question in &self.questions {
            let found = find(text(question, "query"));
            let found: Vec<&str> = found.iter().map(|at| text(&self.tools[*at], "id")).collect();
            let wanted: Vec<&str> =
                question["gold"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let n_found = |most: usize| {
                let first = found.get(..most.min(found.len())).unwrap_or_default();
                wanted.iter().filter(|id| first.contains(id)).count()
            };
            // Any of what is wanted is enough for some questions.
            let n = if question["any"] == true { 1 } else { wanted.len() };
            let part = |most| ratio(n_found(most).min(n), n);
            sum.recall_5 += part(5);
            sum.recall_10 += part(10);
            sum.complete_10 += if n_found(10) >= n { 1.0 } else { 0.0 };
        }
        let n = ratio(self.questions.len(), 1);
        let Measures { recall_5, recall_10, complete_10 } = sum;
        Measures { recall_5: recall_5 / n, recall_10: recall_10 / n, complete_10: complete_10 / n }
    }
}

impl Measures {
    /// True where each of them is at least as good.
    pub(crate) fn is_at_least(&self, other: &Self) -> bool {
        self.recall_5 >= other.recall_5
            && self.recall_10 >= other.recall_10
            && self.complete_10 >= other.complete_10
    }
}

impl fmt::Display for Measures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { recall_5, recall_10, complete_10 } = self;
        write!(f, "recall@5 {recall_5:.3}, recall@10 {recall_10:.3}, complete@10 {complete_10:.3}")
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    f64::from(u32::try_from(part).unwrap()) / f64::from(u32::try_from(whole).unwrap())
}

fn lines(file: PathBuf) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}
