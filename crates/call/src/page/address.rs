//! Reads the address of a next page: its query as arguments of the operation, and the parameters in it that no call can send.

use std::collections::BTreeMap;

use callgate_openapi::{Input, InputLocation, Operation};
use callgate_tool::{Arguments, Content, Event, Journal, Object, Value};
use http::HeaderMap;
use url::Url;

use super::{
    argument_with_value, envelope_objects, folded_name, is_paging_input, name_without_next,
    names::PAGE_ADDRESSES, next_link_targets, visible_query_inputs,
};
use crate::check::resolved_schema;

/// Notes the parameters of the next page's address that no call can send: those that the operation does not declare, and those
/// that stand there more than once although no list is declared.
pub(crate) fn note_unsendable_parameters(
    operation: &Operation,
    headers: &HeaderMap,
    content: &Content,
    journal: &mut Journal,
) {
    let Some(url) = address_of_next_page(operation, headers, content) else { return };
    let names = undeclared_parameters(operation, &url);
    if !names.is_empty() {
        journal.note(Event::NextPageUndeclared { names });
    }
    let names = repeated_non_list_parameters(operation, &url);
    if !names.is_empty() {
        journal.note(Event::NextPageRepeated { names });
    }
}

fn address_of_next_page(
    operation: &Operation,
    headers: &HeaderMap,
    content: &Content,
) -> Option<Url> {
    let body = match content {
        Content::Json(json) if may_name_address(json.text()) => json.value().as_object(),
        _ => None,
    };
    let target = next_link_targets(headers).next().or_else(|| body.and_then(next_address))?;
    operation.server.url.join(target).ok()
}

/// True if a text of JSON may have the address of a next page: most have none, and are not looked through.
fn may_name_address(text: &str) -> bool {
    text.contains('?') && ["next", "Next"].iter().any(|name| text.contains(name))
}

/// The address of the next page in the members of a body.
fn next_address(members: &Object) -> Option<&str> {
    next_address_where(members, |_| true)
}

/// True if a response with a list names the address of another page, with a query or without one.
pub(super) fn has_next_page_address(headers: &HeaderMap, body: &Value) -> bool {
    let is_of_page = |subject: &str| PAGE_ADDRESSES.contains(&subject);
    let members = body.as_object();
    // What has an id is a thing, whose next one is no page.
    let mut pages = members.into_iter().filter(|own| own.get("id").is_none());
    let is_named = next_link_targets(headers).next().is_some()
        || pages.any(|own| next_address_where(own, is_of_page).is_some());
    let has_lists = |own: &Object| own.iter().any(|(_, value)| value.is_array());
    let is_list = body.is_array()
        || members.is_some_and(|own| has_lists(own) || envelope_objects(own).any(has_lists));
    is_named && is_list
}

fn next_address_where(members: &Object, is_wanted: fn(&str) -> bool) -> Option<&str> {
    let own = members.iter().find_map(|(name, value)| {
        let folded = folded_name(name);
        let text = match value {
            Value::Array(links) => next_address_in_links(&folded, links),
            value => name_without_next(&folded).filter(|it| is_wanted(it)).and(match value {
                Value::Object(link) => link.get("href")?.as_str(),
                value => value.as_str(),
            }),
        };
        text.filter(|text| is_address(text))
    });
    own.or_else(|| envelope_objects(members).find_map(|inner| next_address_where(inner, is_wanted)))
}

/// The address of the next page in a list of links with relations, as FHIR, `PayPal` and Oracle write it.
pub(super) fn next_address_in_links<'l>(folded: &str, links: &'l [Value]) -> Option<&'l str> {
    let is_of_links = matches!(folded, "link" | "links");
    links.iter().filter(|_| is_of_links).find_map(|link| {
        let text = |names: [&str; 2]| {
            names.into_iter().find_map(|name| link.get(name).and_then(Value::as_str))
        };
        let is_next = text(["rel", "relation"])?.eq_ignore_ascii_case("next");
        text(["href", "url"]).filter(|_| is_next)
    })
}

pub(super) fn is_address(text: &str) -> bool {
    // OData names addresses relative to its service: `Items?$skiptoken=2`.
    let has_query = || text.split_once('?').is_some_and(|(_, query)| query.contains('='));
    let is_relative = || has_query() && !text.contains(char::is_whitespace);
    text.contains("://") || text.starts_with(['/', '?']) || is_relative()
}

fn undeclared_parameters(operation: &Operation, url: &Url) -> Vec<String> {
    let queries = || operation.inputs.iter().filter(|input| input.place() == InputLocation::Query);
    let is_declared = |name: &str| {
        queries().any(|input| name == &*input.name || is_part_of_parameter(&input.name, name))
            || operation.server.url.query_pairs().any(|(own, _)| own == name)
    };
    let mut names: Vec<String> = query_parameters(url).into_iter().map(|(name, _)| name).collect();
    names.sort_unstable();
    names
        .into_iter()
        .filter(|name| is_displayable_name(name) && !is_declared(name))
        .take(MAX_NAMES)
        .collect()
}

fn repeated_non_list_parameters(operation: &Operation, url: &Url) -> Vec<String> {
    let is_lost = |(name, values): &(String, Vec<String>)| {
        let input = visible_query_inputs(operation).find(|input| *input.name == **name);
        values.len() > 1
            && input.is_some_and(|input| !is_paging_input(input) && !allows_list(operation, input))
    };
    let lost = query_parameters(url).into_iter().filter(is_lost).map(|(name, _)| name);
    lost.filter(|name| is_displayable_name(name)).take(MAX_NAMES).collect()
}

/// True for a part of a declared parameter: `filter[name]` of `filter`, `tags[]` of `tags`.
fn is_part_of_parameter(declared: &str, name: &str) -> bool {
    name.strip_prefix(declared).is_some_and(|rest| rest.starts_with(['[', '.']))
}

/// True for a name that can be shown: others are no names of parameters.
fn is_displayable_name(name: &str) -> bool {
    name.len() <= MAX_NAME && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'`')
}

pub(super) fn arguments_of_next_address(operation: &Operation, target: &str) -> Arguments {
    let Ok(url) = operation.server.url.join(target) else { return Arguments::new() };
    let argument = |(name, texts): (String, Vec<String>)| {
        let input = visible_query_inputs(operation).find(|input| *input.name == *name)?;
        let folded = folded_name(&name);
        let mut values: Vec<Value> =
            texts.into_iter().map(|text| query_value(&folded, text)).collect();
        if values.len() == 1 || is_paging_input(input) {
            return Some(argument_with_value(input, values.pop()?));
        }
        // One of several values would be another page.
        allows_list(operation, input).then(|| argument_with_value(input, Value::Array(values)))
    };
    query_parameters(&url).into_iter().filter_map(argument).collect()
}

/// True if the schema of an input is a list, or has one among its alternatives.
fn allows_list(operation: &Operation, input: &Input) -> bool {
    let root = operation.arguments_schema();
    let own = root.get("properties").and_then(|all| all.get(input.argument.as_str()));
    let Some(schema) = own.and_then(|own| resolved_schema(own, root)) else { return false };
    let alternatives = ["allOf", "anyOf", "oneOf"].iter().filter_map(|name| schema.get(*name));
    let alternatives = alternatives.filter_map(Value::as_array).flatten();
    let mut schemas =
        alternatives.filter_map(|schema| resolved_schema(schema, root)).chain([schema]);
    schemas.any(|schema| match schema.get("type") {
        Some(Value::Array(types)) => types.iter().any(|kind| kind.as_str() == Some("array")),
        kind => kind.and_then(Value::as_str) == Some("array"),
    })
}

/// The parameters of an address, each with its values, in their order.
fn query_parameters(url: &Url) -> Vec<(String, Vec<String>)> {
    let mut positions = BTreeMap::new();
    let mut parameters: Vec<(String, Vec<String>)> = Vec::new();
    for (name, value) in url.query_pairs() {
        let at = *positions.entry(name.clone()).or_insert(parameters.len());
        match parameters.get_mut(at) {
            Some((_, values)) => values.push(value.into_owned()),
            None => parameters.push((name.into_owned(), vec![value.into_owned()])),
        }
    }
    parameters
}

/// A value of a query: a number for parameters that count, otherwise a text.
pub(super) fn query_value(name: &str, text: String) -> Value {
    match text.parse::<u64>() {
        Ok(number) if COUNTING.contains(&name) => number.into(),
        _ => Value::String(text),
    }
}

const COUNTING: &[&str] = &[
    "count",
    "limit",
    "offset",
    "page",
    "pagenumber",
    "pageoffset",
    "pagesize",
    "perpage",
    "skip",
    "start",
    "top",
];
/// The names of an address that are shown, and the length of one.
const MAX_NAMES: usize = 4;
const MAX_NAME: usize = 64;
