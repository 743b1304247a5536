//! `callgate tools FILE --search TEXT`: the tools that match a search, as a table or as JSON.

use callgate::{
    Value,
    search::{Found, FoundNeed, Search},
};

use crate::{output, table::Table, terminal};

pub(super) fn run(executor: &callgate::Executor, search: &Search<'_>, is_json: bool) {
    let found = executor.search(search, |_| true);
    if is_json {
        let tools: Vec<Value> = found.iter().map(Found::to_value).collect();
        output::result(&format!("{:#}\n", Value::Array(tools)));
        return;
    }
    let mut table = Table::new(["tool", "effect", "what it does"]);
    for one in &found {
        let (name, effect) = (one.entry.name().to_string(), one.entry.effect().as_str().to_owned());
        table.push([name, effect, one.entry.brief()]);
        for need in &one.needs {
            table.push([String::new(), String::new(), said(need)]);
        }
    }
    if !found.is_empty() {
        output::result(&table.text(terminal::width()));
    }
    if found.is_empty() {
        output::talk("note: no tool has one of these words\n");
    }
}

fn said(need: &FoundNeed<'_>) -> String {
    let from: Vec<&str> = need.from.iter().map(|entry| entry.name().as_str()).collect();
    format!("needs `{}`: {}", need.argument, from.join(", "))
}
