//! `callgate tools FILE --search TEXT`: the tools that a question means, as a table or as JSON.

use callgate::{Found, FoundNeed, Search, Value};

use crate::output;

/// Shows the tools that are found in an executor.
pub(super) fn run(executor: &callgate::Executor, search: &Search<'_>, is_json: bool) {
    let found = executor.search(search, |_| true);
    if is_json {
        let tools: Vec<Value> = found.iter().map(Found::to_value).collect();
        return output::result(&format!("{:#}\n", Value::Array(tools)));
    }
    let width = found.iter().map(|one| one.entry.name().as_str().len()).max().unwrap_or_default();
    for one in &found {
        let (name, effect) = (one.entry.name().as_str(), one.entry.effect().as_str());
        output::result(&format!("{name:width$}  {effect:10}  {}\n", one.entry.brief()));
        for need in &one.needs {
            output::result(&format!("{:width$}  {}\n", "", said(need)));
        }
    }
    if found.is_empty() {
        output::talk("note: no tool has one of these words\n");
    }
}

/// The source of an argument.
fn said(need: &FoundNeed<'_>) -> String {
    let from: Vec<&str> = need.from.iter().map(|entry| entry.name().as_str()).collect();
    format!("needs `{}`: {}", need.argument, from.join(", "))
}
