//! `--all-pages`: follows the next page named in each response, and joins the pages.

use callgate::{Arguments, Call, Content, Entry, Executor, Outcome, ToolResult, result::Event};
use callgate_tool::Value;

use super::approve::{self, Consent};
use crate::output;

/// Makes the call and those for at most `most` pages. The result is that of the last, with the items of all.
pub(super) async fn call_all_pages(
    executor: &Executor,
    call: impl Fn(&Arguments) -> Call<'static>,
    consent: Consent,
    mut arguments: Arguments,
    most: u16,
) -> ToolResult {
    let mut pages: Vec<Value> = Vec::new();
    let mut incomplete = None;
    for n_pages in 1..=most {
        let mut result = approve::call_with_consent(executor, &call(&arguments), consent).await;
        let Outcome::Answered(answer) = &mut result.outcome else {
            if !pages.is_empty() {
                output::print_message_line(&format!(
                    "note: page {n_pages} failed; nothing of the pages before it is shown"
                ));
            }
            return result;
        };
        let Content::Json(json) = &answer.content else { return result };
        pages.push(json.value().clone());
        let mut next = std::mem::take(&mut answer.next);
        if next.is_empty() {
            next = next_rows_arguments(executor, &result.tool, json.value());
        }
        let is_new = next.iter().any(|(name, value)| arguments.get(name) != Some(value));
        if is_new && n_pages == most {
            answer.next = next;
            output::print_message_line(&format!(
                "note: there are more than {most} pages; `--max-pages N` asks for more"
            ));
        } else if is_new {
            incomplete =
                incomplete.or_else(|| unsendable_page_event(result.journal.events()).cloned());
            arguments.extend(next);
            continue;
        }
        match (unsendable_page_event(result.journal.events()), incomplete) {
            (None, Some(event)) => result.journal.note(event),
            (None, None)
                if pages.len() == 1
                    && most > 1
                    && !has_unnamed_next_page(result.journal.events()) =>
            {
                output::print_message(NO_NEXT_PAGE);
            }
            _ => {}
        }
        answer.content = Content::Json(joined_pages(pages).into());
        return result;
    }
    approve::call_with_consent(executor, &call(&arguments), consent).await
}

/// The arguments for the next rows of a table, which a page names as the argument `page` of the call.
fn next_rows_arguments(executor: &Executor, tool: &str, page: &Value) -> Arguments {
    // The pages of an operation are those that its description declares.
    let entry = executor.find(tool).filter(|entry| entry.operation().is_none());
    let declared = entry.and_then(Entry::declaration);
    let schema = declared.map(|tool| tool.input_schema.to_value()).unwrap_or_default();
    let takes_page = schema.get("properties").is_some_and(|it| it.get("page").is_some());
    let has_more = page.get("more").and_then(Value::as_bool) == Some(true);
    let token = page.get("next").filter(|next| takes_page && has_more && next.is_string());
    token.map(|next| ("page".to_owned(), next.clone())).into_iter().collect()
}

/// True if a response says that there is more, and no next page could be asked for.
pub(super) fn has_unnamed_next_page(events: &[Event]) -> bool {
    events.contains(&Event::NextPageUnnamed)
}

/// The event that says that the address of the next page has what no call can send.
fn unsendable_page_event(events: &[Event]) -> Option<&Event> {
    let is_incomplete = |event: &&Event| {
        matches!(event, Event::NextPageRepeated { .. } | Event::NextPageUndeclared { .. })
    };
    events.iter().find(is_incomplete)
}

/// Joins pages: lists are concatenated; of objects the last stays, with all items of the list that each of them has.
fn joined_pages(mut pages: Vec<Value>) -> Value {
    let Some(mut last) = pages.pop() else { return Value::Null };
    if pages.is_empty() {
        return last;
    }
    if last.as_array().is_some() && pages.iter().all(|page| page.as_array().is_some()) {
        pages.push(last);
        let lists = pages.into_iter().filter_map(|page| match page {
            Value::Array(items) => Some(items),
            _ => None,
        });
        return Value::Array(lists.flatten().collect());
    }
    let Some(name) = list_member_name(&last).filter(|name| {
        pages.iter().all(|page| list_member_name(page).is_none_or(|own| own == *name))
    }) else {
        pages.push(last);
        return Value::Array(pages);
    };
    let mut items = Vec::new();
    for page in pages.iter_mut().chain([&mut last]) {
        if let Some(Value::Array(own)) = page.as_object_mut().and_then(|page| page.get_mut(&name)) {
            items.append(own);
        }
    }
    if let Some(members) = last.as_object_mut() {
        members.insert(name, Value::Array(items));
    }
    last
}

/// The name of the only list in a page; if there are several, of the one with objects.
fn list_member_name(page: &Value) -> Option<String> {
    let members = || page.as_object().into_iter().flatten();
    let lists = || members().filter(|(_, value)| value.as_array().is_some());
    let is_of_objects = |value: &Value| {
        value.as_array().is_some_and(|items| items.iter().any(|item| item.as_object().is_some()))
    };
    let mut of_objects = lists().filter(|(_, value)| is_of_objects(value));
    let one = of_objects.next().filter(|_| of_objects.next().is_none());
    let mut all = lists();
    let only = all.next().filter(|_| all.next().is_none());
    one.or(only).map(|(name, _)| name.clone())
}

/// For a service that counts pages or offsets itself, this would otherwise look like everything it has.
const NO_NEXT_PAGE: &str = "note: no next page was found in the response; where the service has more, it takes a page, an offset or a cursor as an argument of the call\n";

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[track_caller]
    fn check(pages: Vec<Value>, expected: &Value) {
        assert_eq!(&joined_pages(pages), expected);
    }

    #[test]
    fn the_items_of_several_pages_are_joined_in_their_member() {
        check(vec![json!([1, 2]), json!([3])], &json!([1, 2, 3]));
        check(vec![json!([1])], &json!([1]));
        check(
            vec![
                json!({"items": [{"a": 1}], "tags": [], "next": "x"}),
                json!({"items": [{"a": 2}], "tags": [], "next": null}),
            ],
            &json!({"items": [{"a": 1}, {"a": 2}], "tags": [], "next": null}),
        );
        check(vec![json!({"a": 1}), json!({"a": 2})], &json!([{"a": 1}, {"a": 2}]));
    }
}
