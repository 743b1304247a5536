//! Finds the arguments for the next page of a result: in `Link` and other headers, or in members of the body that
//! name a cursor, a page or an address. It returns only inputs that the operation declares. The service decides whether there is a
//! next page; `own_cursor` reads cursors without `next`, `position` counts where a page states its position, and `names` has the tables.

mod address;
mod names;
mod own_cursor;
mod position;

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use callgate_openapi::{Input, InputLocation, Operation};
use callgate_tool::{Arguments, Content, Event, Journal, Object, Value};
use http::{HeaderMap, header::LINK};

pub(crate) use self::address::note_unsendable_parameters;
use self::{
    address::{
        arguments_of_next_address, has_next_page_address, is_address, next_address_in_links,
        query_value,
    },
    names::{CURSORS, ENVELOPES, HEADERS, MEMBERS, MORE, NARROWING, NO_MORE, NUMBERS, PAGING},
};
use crate::check::resolved_schema;

pub(crate) fn next_page_from_headers(
    operation: &Operation,
    asked: &Arguments,
    headers: &HeaderMap,
) -> Arguments {
    let mut arguments =
        next_link_targets(headers).map(|target| arguments_of_next_address(operation, target));
    let linked = arguments.find(|arguments| !arguments.is_empty());
    let named = || next_named_header_page(operation, headers);
    let stated = || next_json_header_page(operation, asked, headers);
    linked.or_else(named).or_else(stated).unwrap_or_default()
}

/// Many services made with .NET state their pages as JSON in a header.
fn next_json_header_page(
    operation: &Operation,
    asked: &Arguments,
    headers: &HeaderMap,
) -> Option<Arguments> {
    let stated = Value::parse(headers.get("x-pagination")?.to_str().ok()?).ok()?;
    Some(next_page_from_body(operation, asked, &stated))
}

fn next_named_header_page(operation: &Operation, headers: &HeaderMap) -> Option<Arguments> {
    HEADERS.iter().find_map(|header| {
        let mut texts = header.subjects.iter().filter_map(|name| headers.get(*name));
        let text = texts.find_map(|value| value.to_str().ok())?.trim();
        let input =
            header.parameters.iter().find_map(|name| query_input_by_name(operation, name))?;
        let value = query_value(&folded_name(&input.name), text.to_owned());
        // Some services write the header behind the last page, too.
        let is_named = !matches!(text, "" | "false" | "null");
        is_named.then(|| [argument_with_value(input, value)].into_iter().collect())
    })
}

fn next_link_targets(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let links = headers.get_all(LINK).iter().filter_map(|value| value.to_str().ok());
    links.filter_map(next_link_target)
}

/// The thing of which a member names the next one: a page, a cursor, an address. `@odata.nextLink` names an address.
fn name_without_next(folded: &str) -> Option<&str> {
    let own = folded.strip_prefix("odata").unwrap_or(folded);
    own.strip_prefix("next").or_else(|| own.strip_suffix("next"))
}

/// The arguments for the page behind the one that `asked` asks for.
pub(crate) fn next_page_from_body(
    operation: &Operation,
    asked: &Arguments,
    body: &Value,
) -> Arguments {
    let Some(members) = body.as_object() else { return Arguments::new() };
    let has_more = stated_has_more(members);
    if has_more == Some(false) {
        return Arguments::new();
    }
    let named = next_page_arguments(operation, asked, members);
    if !named.is_empty() {
        return named;
    }
    let position =
        || position::next_position_arguments(operation, asked, members, has_more == Some(true));
    own_cursor::next_cursor_arguments(operation, asked, members)
        .or_else(position)
        .unwrap_or_default()
}

/// Notes that a response states that there is more, or where the next page is, and that no argument for it can be made.
pub(crate) fn note_unreachable_next_page(
    operation: &Operation,
    headers: &HeaderMap,
    content: &Content,
    journal: &mut Journal,
) {
    let Content::Json(json) = content else { return };
    let is_likely = || PAGE_WORDS.as_ref().is_none_or(|words| words.is_match(json.text()));
    if !headers.contains_key(LINK) && !is_likely() {
        return;
    }
    let is_stated = STATEMENTS.iter().any(|name| json.text().contains(name));
    let members = json.value().as_object().filter(|_| is_stated);
    let has_more = members.and_then(stated_has_more);
    let goes_on = has_more.unwrap_or_else(|| has_next_page_address(headers, json.value()));
    let is_named = || {
        let asked = Arguments::new();
        !next_page_from_headers(operation, &asked, headers).is_empty()
            || !next_page_from_body(operation, &asked, json.value()).is_empty()
    };
    let is_noted = || {
        let is_loss = |event: &Event| {
            matches!(event, Event::NextPageRepeated { .. } | Event::NextPageUndeclared { .. })
        };
        journal.events().iter().any(is_loss)
    };
    if goes_on && !is_named() && (has_more == Some(true) || !is_noted()) {
        journal.note(Event::NextPageUnnamed);
    }
}

/// The statement of a response on whether more follows it; `None` without one.
fn stated_has_more(members: &Object) -> Option<bool> {
    let own = members.iter().find_map(|(name, value)| {
        let flag = value.as_bool()?;
        match folded_name(name).as_str() {
            name if MORE.contains(&name) => Some(flag),
            name if NO_MORE.contains(&name) => Some(!flag),
            // Spring numbers the page beside it; elsewhere it may be another `last`.
            "last" if members.contains_key("number") => Some(!flag),
            _ => None,
        }
    });
    own.or_else(|| envelope_objects(members).find_map(stated_has_more))
}

fn envelope_objects(members: &Object) -> impl Iterator<Item = &Object> {
    ENVELOPES.iter().filter_map(move |name| members.get(name)?.as_object())
}

/// True if a text of JSON may name the next page: most name none, and are not looked through.
pub(crate) fn may_name_next_page(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark))
}

pub(crate) fn has_paging_input(operation: &Operation) -> bool {
    visible_query_inputs(operation).any(is_paging_input)
}

fn is_paging_input(input: &Input) -> bool {
    PAGING.contains(&folded_name(&input.name).as_str())
}

/// The target of `rel=next` (RFC 8288 §3).
fn next_link_target(value: &str) -> Option<&str> {
    let mut rest = value;
    while let Some((_, after)) = rest.split_once('<') {
        let (target, parameters) = after.split_once('>')?;
        let end = parameters.find('<').unwrap_or(parameters.len());
        let (own, following) = parameters.split_at_checked(end)?;
        let has = |wanted: &str, word: &str| {
            own.split([';', ',']).any(|parameter| {
                let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
                let mut words = value.trim().trim_matches('"').split_ascii_whitespace();
                name.trim().eq_ignore_ascii_case(wanted)
                    && words.any(|each| each.eq_ignore_ascii_case(word))
            })
        };
        // Sentry names a page behind the last one, too, and says that it is empty.
        if has("rel", "next") && !has("results", "false") {
            return Some(target);
        }
        rest = following;
    }
    None
}

/// Leaves out what the call itself gives: an address repeats its filters, and lists in a form of their own.
pub(crate) fn remove_given_arguments(
    operation: &Operation,
    next: &mut Arguments,
    given: &Arguments,
) {
    let is_position = |name: &str| {
        visible_query_inputs(operation)
            .any(|input| input.argument.as_str() == name && is_paging_input(input))
    };
    next.retain(|name, value| match given.get(name) {
        None => true,
        Some(Value::Array(_) | Value::Object(_)) => is_position(name),
        Some(own) => is_position(name) || own.text_or_json() != value.text_or_json(),
    });
}

fn next_page_arguments(operation: &Operation, asked: &Arguments, members: &Object) -> Arguments {
    let member_arguments = members.iter().find_map(|(name, value)| {
        let arguments = member_page_arguments(operation, name, value);
        (!arguments.is_empty()).then_some(arguments)
    });
    let numbered = || next_page_number_arguments(operation, asked, members);
    let nested = || {
        let mut inner =
            envelope_objects(members).map(|inner| next_page_arguments(operation, asked, inner));
        inner.find(|arguments| !arguments.is_empty())
    };
    member_arguments.or_else(numbered).or_else(nested).unwrap_or_default()
}

fn member_page_arguments(operation: &Operation, name: &str, value: &Value) -> Arguments {
    let none = Arguments::new();
    let folded = folded_name(name);
    let address = |text: &str| arguments_of_next_address(operation, text);
    if let Value::Array(links) = value {
        return next_address_in_links(&folded, links).map(address).unwrap_or_default();
    }
    let Some(subject) = name_without_next(&folded) else { return none };
    let value = match value {
        Value::String(text) if text.is_empty() => return none,
        Value::String(text) if is_address(text) => return address(text),
        Value::Number(_) | Value::String(_) => value.clone(),
        Value::Object(link) => {
            let target = link.get("href").and_then(Value::as_str).map(address);
            return target.unwrap_or_else(|| cursor_arguments_of_link(operation, link));
        }
        _ => return none,
    };
    let named = MEMBERS.iter().find(|member| member.subjects.contains(&subject));
    let mut wanted = named.into_iter().flat_map(|member| member.parameters);
    let input = wanted.find_map(|name| query_input_by_name(operation, name));
    input.map(|input| argument_with_value(input, value)).into_iter().collect()
}

/// The cursor in the object of a next page, which has the name of its parameter: `{"after": "NTI1"}`.
fn cursor_arguments_of_link(operation: &Operation, link: &Object) -> Arguments {
    let cursor = link.iter().find_map(|(name, value)| {
        let name = folded_name(name);
        let is_given = value.as_u64().is_some() || value.as_str().is_some_and(|it| !it.is_empty());
        let input = query_input_by_name(operation, &name)?;
        (is_given && CURSORS.contains(&name.as_str()))
            .then(|| argument_with_value(input, value.clone()))
    });
    cursor.into_iter().collect()
}

/// The next page number, if `page` is below `total_pages`.
fn next_page_number_arguments(
    operation: &Operation,
    asked: &Arguments,
    members: &Object,
) -> Option<Arguments> {
    let number = |names: &[&str]| {
        let matching_member =
            members.iter().find(|(name, _)| names.contains(&folded_name(name).as_str()))?;
        matching_member.1.as_u64()
    };
    let page = number(NUMBERS)?;
    let pages = number(&["totalpages", "pages", "pagecount", "lastpage", "nbpages", "totalpage"])?;
    let input = query_input_by_name(operation, "page")
        .or_else(|| query_input_by_name(operation, "pagenumber"))?;
    let next = next_page_number(operation, input, asked, page)?;
    // The last of pages that count from 0 is told by a parameter that counts from 1.
    let goes_on = page < pages && next <= pages;
    goes_on.then(|| [argument_with_value(input, next.into())].into_iter().collect())
}

/// The number of the page behind the one that was asked for: a service may count parameters from 1, and its pages from 0.
/// `stated` is the number in the response, for calls that asked for none.
fn next_page_number(
    operation: &Operation,
    input: &Input,
    asked: &Arguments,
    stated: u64,
) -> Option<u64> {
    let given = asked.get(input.argument.as_str()).filter(|value| !value.is_null());
    let number = |value: &Value| match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64(),
    };
    let asked = given.or(input.default.as_ref()).and_then(number);
    asked.or_else(|| first_page_number(operation, input, stated)).unwrap_or(stated).checked_add(1)
}

/// The number of the first page as its parameter counts, if `stated` is that of a first page and the parameter declares its least.
fn first_page_number(operation: &Operation, input: &Input, stated: u64) -> Option<u64> {
    let root = operation.arguments_schema();
    let own = root.get("properties")?.get(input.argument.as_str())?;
    let least = resolved_schema(own, root)?.get("minimum")?.as_u64()?;
    (least <= 1 && stated <= 1).then_some(least)
}

fn visible_query_inputs(operation: &Operation) -> impl Iterator<Item = &Input> {
    let visible = operation.inputs.iter().filter(|input| input.visible);
    visible.filter(|input| input.place() == InputLocation::Query)
}

fn query_input_by_name<'a>(operation: &'a Operation, name: &str) -> Option<&'a Input> {
    visible_query_inputs(operation).find(|input| folded_name(&input.name) == name)
}

fn argument_with_value(input: &Input, value: Value) -> (String, Value) {
    (input.argument.to_string(), value)
}

fn folded_name(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

/// The query inputs that can narrow a result, the most direct ones first.
pub(crate) fn narrowing_inputs(operation: &Operation) -> Vec<&str> {
    let mut inputs: Vec<&Input> = visible_query_inputs(operation).collect();
    inputs.sort_by_key(|input| {
        let name = folded_name(&input.name);
        NARROWING
            .iter()
            .position(|narrowing_name| *narrowing_name == name)
            .unwrap_or(NARROWING.len())
    });
    inputs.iter().take(MAX_NARROWING).map(|input| input.argument.as_str()).collect()
}

/// Parts of the names of members that name a next page.
const MARKS: &[&str] = &[
    "next",
    "Next",
    "page",
    "Page",
    "\"continue\"",
    "offset",
    "Offset",
    "skip",
    "start",
    "has_",
    "\"last\"",
    "hasM",
    "hasN",
    "\"more",
    "cursor",
    "bookmark",
    "ontinuation",
    "number\"",
];
/// Parts of what names a next page: other words, such as `context`, are not looked through.
const NEXT: &[&str] = &["\"next", "_next", ".next", "Next"];
/// Parts of the names of members that state whether there is more.
const STATEMENTS: &[&str] = &[
    "has_more",
    "hasMore",
    "HasMore",
    "has_next",
    "hasNext",
    "HasNext",
    "\"more\"",
    "\"last\"",
    "more_records",
    "is_last",
    "isLast",
    "IsLast",
    "last_page",
    "lastPage",
];
/// Both of these, which most responses have none of, in one search.
static PAGE_WORDS: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(NEXT.iter().chain(STATEMENTS)).ok());
const MAX_NARROWING: usize = 4;
