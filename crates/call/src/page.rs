//! Finds the arguments for the next page of a result: in the `Link` header, or in members of the body that name a cursor, a
//! page or an address. It returns only inputs that the operation declares. The service decides whether there is a next
//! page; nothing is counted.

mod address;

use callgate_openapi::{Input, InputLocation, Operation};
use callgate_tool::{Arguments, Object, Value};
use http::{HeaderMap, header::LINK};

pub(crate) use self::address::note_lost_parameters;
use self::address::{arguments_of_next_address, is_address};

pub(crate) fn next_of_link(operation: &Operation, headers: &HeaderMap) -> Arguments {
    let mut arguments =
        next_links(headers).map(|target| arguments_of_next_address(operation, target));
    arguments.find(|arguments| !arguments.is_empty()).unwrap_or_default()
}

fn next_links(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let links = headers.get_all(LINK).iter().filter_map(|value| value.to_str().ok());
    links.filter_map(next_link)
}

/// The thing of which a member names the next one: a page, a cursor, an address. `@odata.nextLink` names an address.
fn subject_of_next(folded: &str) -> Option<&str> {
    let own = folded.strip_prefix("odata").unwrap_or(folded);
    own.strip_prefix("next").or_else(|| own.strip_suffix("next"))
}

pub(crate) fn next_of_body(operation: &Operation, body: &Value) -> Arguments {
    body.as_object().map(|members| next_page_arguments(operation, members)).unwrap_or_default()
}

pub(crate) fn is_paged(operation: &Operation) -> bool {
    query_inputs(operation).any(is_paging)
}

fn is_paging(input: &Input) -> bool {
    PAGING.contains(&folded_name(&input.name).as_str())
}

/// The target of `rel=next` (RFC 8288 §3).
fn next_link(value: &str) -> Option<&str> {
    let mut rest = value;
    while let Some((_, after)) = rest.split_once('<') {
        let (target, parameters) = after.split_once('>')?;
        let end = parameters.find('<').unwrap_or(parameters.len());
        let (own, following) = parameters.split_at_checked(end)?;
        let is_next = own.split([';', ',']).any(|parameter| {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let relations = value.trim().trim_matches('"');
            name.trim().eq_ignore_ascii_case("rel")
                && relations
                    .split_ascii_whitespace()
                    .any(|relation| relation.eq_ignore_ascii_case("next"))
        });
        if is_next {
            return Some(target);
        }
        rest = following;
    }
    None
}

/// Leaves out what the call itself gives: an address repeats its filters, and lists in a form of their own.
pub(crate) fn leave_out_given(operation: &Operation, next: &mut Arguments, given: &Arguments) {
    let is_position = |name: &str| {
        query_inputs(operation).any(|input| input.argument.as_str() == name && is_paging(input))
    };
    next.retain(|name, value| match given.get(name) {
        None => true,
        Some(Value::Array(_) | Value::Object(_)) => is_position(name),
        Some(own) => is_position(name) || as_text(own) != as_text(value),
    });
}

fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn next_page_arguments(operation: &Operation, members: &Object) -> Arguments {
    let member_arguments = members.iter().find_map(|(name, value)| {
        let arguments = member_page_arguments(operation, name, value);
        (!arguments.is_empty()).then_some(arguments)
    });
    let numbered = || page_number_arguments(operation, members);
    let nested = || {
        let inner = ENVELOPES.iter().find_map(|name| members.get(name)?.as_object())?;
        let arguments = next_page_arguments(operation, inner);
        (!arguments.is_empty()).then_some(arguments)
    };
    member_arguments.or_else(numbered).or_else(nested).unwrap_or_default()
}

fn member_page_arguments(operation: &Operation, name: &str, value: &Value) -> Arguments {
    let none = Arguments::new();
    let folded = folded_name(name);
    let address = |text: &str| arguments_of_next_address(operation, text);
    // Kubernetes names the token in `metadata` as the parameter that takes it.
    if folded == "continue" && value.as_str().is_some_and(|token| !token.is_empty()) {
        let input = query_input(operation, "continue");
        return input.map(|input| argument_with_value(input, value.clone())).into_iter().collect();
    }
    let Some(subject) = subject_of_next(&folded) else { return none };
    let value = match value {
        Value::String(text) if text.is_empty() => return none,
        Value::String(text) if is_address(text) => return address(text),
        Value::Number(_) | Value::String(_) => value.clone(),
        Value::Object(link) => {
            return link.get("href").and_then(Value::as_str).map(address).unwrap_or_default();
        }
        _ => return none,
    };
    let wanted: &[&str] = match subject {
        "page" | "pagenumber" => &["page", "pagenumber", "pagetoken", "cursor"],
        "offset" => &["offset", "skip", "start"],
        "" | "cursor" | "pagetoken" | "token" | "marker" | "continuationtoken" => CURSORS,
        _ => return none,
    };
    let input = wanted.iter().find_map(|name| query_input(operation, name));
    input.map(|input| argument_with_value(input, value)).into_iter().collect()
}

/// The next page number, if `page` is below `total_pages`.
fn page_number_arguments(operation: &Operation, members: &Object) -> Option<Arguments> {
    let number = |names: &[&str]| {
        let matching_member =
            members.iter().find(|(name, _)| names.contains(&folded_name(name).as_str()))?;
        matching_member.1.as_u64()
    };
    let page = number(&["page", "currentpage", "pagenumber"])?;
    let pages = number(&["totalpages", "pages", "pagecount", "lastpage"])?;
    let input = query_input(operation, "page").or_else(|| query_input(operation, "pagenumber"))?;
    (page < pages).then(|| [argument_with_value(input, (page + 1).into())].into_iter().collect())
}

fn query_inputs(operation: &Operation) -> impl Iterator<Item = &Input> {
    let visible = operation.inputs.iter().filter(|input| input.visible);
    visible.filter(|input| input.place() == InputLocation::Query)
}

fn query_input<'a>(operation: &'a Operation, name: &str) -> Option<&'a Input> {
    query_inputs(operation).find(|input| folded_name(&input.name) == name)
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
    let mut inputs: Vec<&Input> = query_inputs(operation).collect();
    inputs.sort_by_key(|input| {
        let name = folded_name(&input.name);
        NARROWING
            .iter()
            .position(|narrowing_name| *narrowing_name == name)
            .unwrap_or(NARROWING.len())
    });
    inputs.iter().take(MAX_NARROWING).map(|input| input.argument.as_str()).collect()
}

const PAGING: &[&str] = &[
    "after",
    "continue",
    "continuationtoken",
    "cursor",
    "from",
    "marker",
    "maxid",
    "next",
    "nextpagetoken",
    "nexttoken",
    "offset",
    "page",
    "pageafter",
    "pagecursor",
    "pagenumber",
    "pageoffset",
    "pagetoken",
    "since",
    "skip",
    "skiptoken",
    "start",
    "startafter",
    "startingafter",
    "token",
];
const CURSORS: &[&str] = &[
    "cursor",
    "startcursor",
    "pagetoken",
    "nextpagetoken",
    "nextcursor",
    "nexttoken",
    "after",
    "startingafter",
    "continuationtoken",
    "marker",
    "token",
    "pagecursor",
    "skiptoken",
    "next",
    "page",
];
const ENVELOPES: &[&str] = &[
    "links",
    "_links",
    "paging",
    "pagination",
    "page_info",
    "pageInfo",
    "meta",
    "metadata",
    "response_metadata",
];
const NARROWING: &[&str] = &[
    "limit",
    "pagesize",
    "perpage",
    "maxresults",
    "filter",
    "query",
    "q",
    "search",
    "status",
    "fields",
    "select",
];
const MAX_NARROWING: usize = 4;
