//! Warnings about a response that is a success for HTTP: text in place of JSON, which may be the page of a login or of another
//! server, and members of `--select` that it does not have, so that a misspelt member is not taken for an empty one.

use callgate::{Content, Entry, Outcome, ToolResult};
use callgate_tool::{Event, Value, nearest};

use super::place::Place;
use crate::{args::CallArguments, guide::Guide, output};

/// Reports a text where the description declares JSON alone; `place` says where the server is named.
pub(super) fn warn_if_text_not_json(result: &ToolResult, place: &Place) {
    let events = result.journal.events().iter();
    let is_note = |event: &&Event| matches!(event, Event::TextForJson { .. });
    let Some(note) = events.rev().find(is_note) else { return };
    let server = place.setting_words("`--server URL`", "`server:`");
    output::print_message(&format!(
        "warning: {note}\n\
         help: see that the credential is right, and that the server is that of the API: {server}\n"
    ));
}

/// Reports each selected member that no item of the response has.
pub(super) fn warn_of_empty_selection(
    arguments: &CallArguments,
    entry: Option<Entry<'_>>,
    result: &ToolResult,
) {
    let Outcome::Answered(answer) = &result.outcome else { return };
    let Content::Json(json) = &answer.content else { return };
    for field in arguments.answer.select.iter().map(|field| field.trim()) {
        let steps: Vec<&str> = field.split('.').collect();
        if has_value_at(json.value(), &steps) {
            continue;
        }
        let file = arguments.source.file.display();
        let help = match nearest_path(&steps, entry) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("`callgate tools {file} {}` shows what it answers", result.tool),
        };
        output::print_message(&format!(
            "warning: `--select`: expected a member of the answer, got: `{field}`\nhelp: {help}\n"
        ));
    }
}

/// Returns true if a path leads to a value. An empty list or null may have any member.
fn has_value_at(value: &Value, steps: &[&str]) -> bool {
    let Some((first, rest)) = steps.split_first() else { return true };
    match value {
        Value::Array(items) => {
            items.is_empty() || items.iter().any(|item| has_value_at(item, steps))
        }
        Value::Null => true,
        Value::Object(members) => members.get(first).is_some_and(|below| has_value_at(below, rest)),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn nearest_path(steps: &[&str], entry: Option<Entry<'_>>) -> Option<String> {
    let schema = entry?.declaration()?.output_schema()?.to_value();
    let mut here = Guide::new(&schema);
    let mut meant: Vec<&str> = Vec::new();
    for step in steps {
        while here.allowed_value_kinds().array && here.member(step).is_none() {
            here = here.item_guide()?;
        }
        let name = match here.member(step) {
            Some(_) => *step,
            None => nearest(step, here.declared_member_names())?,
        };
        meant.push(name);
        here = here.member(name)?;
    }
    Some(meant.join("."))
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn a_selected_member_is_present_if_any_item_has_it() {
        let answer = json!({"items": [{"id": 1, "owner": {"email": null}}, {"name": "a"}], "none": [], "empty": null});
        for (field, expected) in [
            ("items", true),
            ("items.id", true),
            ("items.name", true),
            ("items.owner.email", true),
            ("items.owner.mail", false),
            ("items.nme", false),
            ("none.id", true),
            ("empty.id", true),
            ("item", false),
        ] {
            let steps: Vec<&str> = field.split('.').collect();
            assert_eq!(has_value_at(&answer, &steps), expected, "{field}");
        }
    }
}
