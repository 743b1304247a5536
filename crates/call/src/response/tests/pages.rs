//! The next page of a response: what is followed, and what is said of an address that no call can ask for.

use http::HeaderValue;

use super::*;

fn paged() -> std::sync::Arc<Operation> {
    let text = json!({"type": "string"});
    let query = |name: &str| json!({"name": name, "in": "query", "schema": text});
    let list = |name: &str, schema: Value| json!({"name": name, "in": "query", "schema": schema});
    with_parameters(&json!([
        query("$skiptoken"),
        query("$filter"),
        query("page"),
        query("filter"),
        query("status"),
        query("continue"),
        list("tag", json!({"type": "array", "items": text})),
        list("id", json!({"oneOf": [text, {"$ref": "#/components/schemas/Ids"}]}))
    ]))
}

pub(super) fn with_parameters(parameters: &Value) -> std::sync::Arc<Operation> {
    let description = json!({
        "openapi": "3.0.3", "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example.com/v1"}],
        "paths": {"/items": {"get": {"operationId": "items", "parameters": parameters,
            "responses": {"200": {"description": "fine"}}}}},
        "components": {"schemas": {"Ids": {"type": "array", "items": {"type": "integer"}}}}});
    let document = Document::read(description.to_string().as_bytes(), &Limits::default()).unwrap();
    load(&document.value, &LoadOptions::default()).operations.remove(0)
}

/// The arguments for the next page of a response, and what is noted.
fn next_page(link: Option<&str>, body: &Value) -> (Value, Vec<Event>) {
    let link = link.map(|link| (http::header::LINK, HeaderValue::from_str(link).unwrap()));
    next_page_for(&paged(), link.into_iter().collect(), body)
}

fn next_page_for(operation: &Operation, headers: HeaderMap, body: &Value) -> (Value, Vec<Event>) {
    next_page_of_call(operation, &json!({}), headers, body)
}

pub(super) fn next_page_of_call(
    operation: &Operation,
    arguments: &Value,
    headers: HeaderMap,
    body: &Value,
) -> (Value, Vec<Event>) {
    let response = Response::builder().status(200).header("content-type", "application/json");
    let mut response = response.body(Bytes::from(body.to_string())).unwrap();
    response.headers_mut().extend(headers);
    let (masker, mut journal) = (Masker::new(Vec::new()), Journal::default());
    let (shape, arguments) = (&Shape::default(), arguments.as_object().unwrap());
    let reading = ReadContext { shape, masker: &masker, arguments, journal: &mut journal };
    let understood = understood_response(&response, operation, reading);
    let Outcome::Answered(answer) = understood.outcome else { panic!("not answered") };
    let unnamed = journal.events().iter().filter(|event| **event == Event::NextPageUnnamed).count();
    assert_eq!(
        journal.notes().len() + unnamed,
        journal.events().len(),
        "the caller reads the rest"
    );
    (Value::Object(answer.next), journal.events().to_vec())
}

/// Checks the arguments for the next page, and the parameters that the description lacks.
#[track_caller]
fn check(link: Option<&str>, body: &Value, expected: &Value, undeclared: &[&str]) {
    let (next, events) = next_page(link, body);
    assert_eq!(&next, expected, "{link:?} {body}");
    let names: Vec<String> = undeclared.iter().map(ToString::to_string).collect();
    let noted = (!names.is_empty()).then_some(Event::NextPageUndeclared { names });
    assert_eq!(events, noted.as_slice(), "{link:?} {body}");
}

#[test]
fn the_token_of_kubernetes_goes_to_its_parameter() {
    let kubernetes = json!({"items": [1], "metadata": {"continue": "abc", "resourceVersion": "7"}});
    check(None, &kubernetes, &json!({"continue": "abc"}), &[]);
    check(None, &json!({"items": [1], "metadata": {"continue": ""}}), &json!({}), &[]);
}

#[test]
fn the_address_of_a_next_page_is_followed_by_declared_parameters_and_the_rest_is_noted() {
    let items = "https://api.example.com/v1/items";
    let skip = json!({"skiptoken": "abc="});
    for name in ["@odata.nextLink", "odata.nextLink", "nextLink", "next", "__next"] {
        let next = format!("{items}?$skiptoken=abc%3D");
        check(None, &json!({"value": [1], (name): next}), &skip, &[]);
    }
    let link = "</v1/items?page=2&snapshot=abc>; rel=\"next\"";
    check(Some(link), &json!([]), &json!({"page": 2}), &["snapshot"]);
    check(
        Some("<?page_info=x&limit=9>; rel=next"),
        &json!([]),
        &json!({}),
        &["limit", "page_info"],
    );
    check(Some("<?page=2&snapshot=abc>; rel=prev"), &json!([]), &json!({}), &[]);
    check(Some("<?page=2&filter[a]=b&filter.c=d>; rel=next"), &json!([]), &json!({"page": 2}), &[]);
    let both = json!({"page": 2, "status": "a"});
    check(Some("<?page=2&status=a>; rel=next"), &json!([]), &both, &[]);
    check(Some("<?status=b>; rel=next"), &json!([]), &json!({"status": "b"}), &[]);
    let body = json!({"links": {"next": {"href": "?page=3&snapshot=abc"}}});
    check(None, &body, &json!({"page": 3}), &["snapshot"]);
    check(None, &json!({"next": "https://other.example/items?page=3"}), &json!({"page": 3}), &[]);
    check(None, &json!({"context": "/a?b=c", "texts": "?x=1"}), &json!({}), &[]);
    let odd = format!("?page=2&{}=1&a%60b=1&c%0Ad=1", "x".repeat(100));
    check(None, &json!({"next": odd}), &json!({"page": 2}), &[]);
}

#[test]
fn a_parameter_that_the_address_repeats_is_a_list_where_one_is_declared_and_else_a_note() {
    for (query, expected, repeated) in [
        ("page=2&tag=a&tag=b", json!({"page": 2, "tag": ["a", "b"]}), vec![]),
        ("page=2&tag=a", json!({"page": 2, "tag": "a"}), vec![]),
        ("id=1&id=2", json!({"id": ["1", "2"]}), vec![]),
        ("page=2&status=a&status=b", json!({"page": 2}), vec!["status"]),
        ("page=2&page=3", json!({"page": 3}), vec![]),
    ] {
        let link = format!("<?{query}>; rel=next");
        let (next, events) = next_page(Some(&link), &json!([]));
        assert_eq!(next, expected, "{query}");
        let names: Vec<String> = repeated.iter().map(ToString::to_string).collect();
        let noted = (!names.is_empty()).then_some(Event::NextPageRepeated { names });
        assert_eq!(events, noted.as_slice(), "{query}");
    }
}

#[test]
fn the_next_page_has_what_the_call_does_not_give() {
    for (given, expected) in [
        (json!({}), json!({"page": 2, "status": "9"})),
        (json!({"page": 1, "status": 9}), json!({"page": 2})),
        (json!({"status": "9"}), json!({"page": 2})),
        (json!({"status": ["9", "a"]}), json!({"page": 2})),
        (json!({"status": "8"}), json!({"page": 2, "status": "9"})),
    ] {
        let mut next = json!({"page": 2, "status": "9"});
        page::remove_given_arguments(
            &paged(),
            next.as_object_mut().unwrap(),
            given.as_object().unwrap(),
        );
        assert_eq!(next, expected, "{given}");
    }
}

/// Checks the argument for the next page of an operation with one parameter, and that without it only a statement of more is noted.
#[track_caller]
fn check_parameter(parameter: &str, body: &Value, expected: &Value) {
    let query = |name: &str| json!([{"name": name, "in": "query", "schema": {"type": "string"}}]);
    let (next, events) = next_page_for(&with_parameters(&query(parameter)), HeaderMap::new(), body);
    let value = next.as_object().unwrap().iter().next().map(|(_, value)| value.clone());
    assert_eq!(value.unwrap_or_default(), *expected, "{parameter} {body}");
    assert!(events.is_empty(), "{parameter} {body}: {events:?}");
    let (next, _) = next_page_for(&with_parameters(&query("limit")), HeaderMap::new(), body);
    assert_eq!(next, json!({}), "{body}");
}

#[test]
fn each_way_in_which_services_name_a_next_page_is_followed() {
    let ab = json!([{"id": "a"}, {"id": "b"}]);
    let skip = "Items?$skip=2";
    for (parameter, body, expected) in [
        ("start_cursor", json!({"results": ab, "has_more": true, "next_cursor": "x"}), json!("x")),
        ("after", json!({"results": ab, "paging": {"next": {"after": "x"}}}), json!("x")),
        ("pagination_token", json!({"data": ab, "meta": {"next_token": "x"}}), json!("x")),
        ("$skip", json!({"value": ab, "odata.nextLink": skip}), json!(2)),
        ("$skip", json!({"d": {"results": ab, "__next": skip}}), json!(2)),
        ("start", json!({"isLastPage": false, "nextPageStart": 25}), json!(25)),
        ("page", json!({"content": ab, "last": false, "number": 0}), json!(1)),
        ("startAt", json!({"startAt": 2, "maxResults": 2, "total": 5, "issues": ab}), json!(4)),
        ("offset", json!({"offset": 0, "limit": 2, "total": 3, "items": ab}), json!(2)),
        ("offset", json!({"offset": 0, "limit": 2, "more": true, "items": ab}), json!(2)),
        (
            "startIndex",
            json!({"startIndex": 1, "itemsPerPage": 2, "totalResults": 3, "Resources": ab}),
            json!(3),
        ),
        ("starting_after", json!({"has_more": true, "data": ab}), json!("b")),
        ("after", json!({"pageInfo": {"hasNextPage": true, "endCursor": "x"}}), json!("x")),
    ] {
        check_parameter(parameter, &body, &expected);
    }
}

#[test]
fn each_service_that_names_a_next_page_in_its_own_way_is_followed() {
    let ab = json!([{"id": "a"}, {"id": "b"}]);
    for (parameter, body, expected) in [
        // Square, Twitch, Lark, Nexus, Pinterest, Airtable.
        ("cursor", json!({"payments": ab, "cursor": "x="}), json!("x=")),
        ("after", json!({"data": ab, "pagination": {"cursor": "x"}}), json!("x")),
        (
            "page_token",
            json!({"code": 0, "data": {"items": ab, "has_more": true, "page_token": "x"}}),
            json!("x"),
        ),
        ("continuationToken", json!({"items": ab, "continuationToken": "x"}), json!("x")),
        ("bookmark", json!({"items": ab, "bookmark": "x"}), json!("x")),
        ("offset", json!({"records": ab, "offset": "itr1/rec2"}), json!("itr1/rec2")),
        // MediaWiki, FHIR, Oracle, PayPal.
        ("continue", json!({"continue": {"apcontinue": "B", "continue": "-||"}}), json!("-||")),
        ("offset", json!({"data": {"offset": 0, "limit": 2, "total": 3, "items": ab}}), json!(2)),
        (
            "_offset",
            json!({"entry": ab, "link": [{"relation": "self", "url": "/items?_offset=0"},
                {"relation": "next", "url": "/items?_offset=10"}]}),
            json!(10),
        ),
        (
            "page",
            json!({"items": ab, "links": [{"rel": "next", "href": "https://api.example.com/v1/items?page=2"}]}),
            json!(2),
        ),
        // Intercom, DigitalOcean, Cloudflare, Zoho, Laravel, Spring, Algolia.
        (
            "starting_after",
            json!({"data": ab, "pages": {"page": 1, "next": {"page": 2, "starting_after": "x"}}}),
            json!("x"),
        ),
        (
            "page",
            json!({"droplets": ab, "links": {"pages": {"next": "/v1/items?page=2"}}}),
            json!(2),
        ),
        ("page", json!({"result": ab, "result_info": {"page": 1, "total_pages": 5}}), json!(2)),
        (
            "page",
            json!({"items": ab, "page_context": {"page": 1, "has_more_page": true}}),
            json!(2),
        ),
        ("page", json!({"data": ab, "info": {"page": 3, "more_records": true}}), json!(4)),
        (
            "page",
            json!({"data": ab, "meta": {"current_page": 1, "has_more_pages": true}}),
            json!(2),
        ),
        ("page", json!({"content": ab, "page": {"number": 0, "totalPages": 5}}), json!(1)),
        ("page", json!({"hits": ab, "page": 0, "nbPages": 5}), json!(1)),
    ] {
        check_parameter(parameter, &body, &expected);
    }
}

#[test]
fn each_header_in_which_services_name_a_next_page_is_followed() {
    let (azure, position) = ("x-ms-continuationtoken", "x-pagination");
    for (name, header, text, expected) in [
        ("page", "x-next-page", "2", json!(2)),
        ("page", "x-next-page", "", Value::Null),
        ("page", "x-next-page", "null", Value::Null),
        ("continuationToken", azure, "1600", json!("1600")),
        ("cursor", "x-next-cursor", "101", json!("101")),
        ("PageNumber", position, r#"{"PageNumber":1,"TotalPages":5}"#, json!(2)),
        ("page", position, r#"{"page":1,"nextPage":2,"pageCount":187}"#, json!(2)),
        ("page", position, r#"{"CurrentPage":2,"TotalPages":3,"HasNext":false}"#, Value::Null),
        ("page", position, "2 of 7", Value::Null),
    ] {
        let declared = json!([{"name": name, "in": "query", "schema": {"type": "string"}}]);
        let named = (header.parse().unwrap(), HeaderValue::from_static(text));
        let headers = HeaderMap::from_iter([named]);
        let (next, _) = next_page_for(&with_parameters(&declared), headers, &json!([]));
        assert_eq!(next.get(name).cloned().unwrap_or_default(), expected, "{header} {text}");
    }
}

/// Sentry names a page behind the last one.
#[test]
fn a_page_that_is_empty_is_no_next_page() {
    let link = |results: &str| {
        format!(
            "<https://sentry.io/api/0/x/?&page=0:200:0>; rel=\"next\"; results=\"{results}\"; cursor=\"0:200:0\""
        )
    };
    check(Some(&link("false")), &json!([]), &json!({}), &[]);
    check(Some(&link("true")), &json!([]), &json!({"page": "0:200:0"}), &[]);
}

#[test]
fn an_address_of_a_next_page_that_no_parameter_asks_for_is_noted() {
    let (ab, operation) = (json!([{"id": "a"}]), with_parameters(&json!([])));
    for (link, body, is_noted) in [
        (
            None,
            json!({"done": false, "records": ab, "nextRecordsUrl": "/services/data/query/01g-2000"}),
            true,
        ),
        (None, json!({"items": ab, "next": "/v1/items/page/2"}), true),
        (Some("</v1/items/page/2>; rel=\"next\""), ab.clone(), true),
        // The next one of a thing is no page, and neither is another address.
        (None, json!({"title": "a", "next": "/v1/lessons/2"}), false),
        (None, json!({"id": 1, "next": "/v1/lessons/2", "tags": ["a"]}), false),
        (None, json!({"items": ab, "nextStepUrl": "https://a.example/pay"}), false),
        (None, json!({"items": ab, "next": null}), false),
    ] {
        let link = link.map(|link| (http::header::LINK, HeaderValue::from_static(link)));
        let (next, events) = next_page_for(&operation, link.into_iter().collect(), &body);
        assert_eq!(next, json!({}), "{body}");
        assert_eq!(events.contains(&Event::NextPageUnnamed), is_noted, "{body}");
    }
}

#[test]
fn the_next_page_follows_the_requested_one_however_a_service_counts() {
    let spring = |number: u64| json!({"content": [1], "last": false, "number": number});
    let total = |page: u64| json!({"items": [1], "page": page, "totalPages": 9});
    for (facts, given, body, expected) in [
        // Pages that count from 0 as the parameter does.
        (json!({"default": 0}), json!({}), spring(0), Some(1)),
        (json!({"minimum": 0}), json!({}), spring(0), Some(1)),
        (json!({}), json!({"page": 0}), spring(0), Some(1)),
        (json!({}), json!({"page": 4}), spring(4), Some(5)),
        // `one-indexed-parameters`: only the parameter counts from 1.
        (json!({"default": 1}), json!({}), spring(0), Some(2)),
        (json!({"default": 1}), json!({"page": 3}), spring(2), Some(4)),
        (json!({"default": 1}), json!({"page": null}), spring(0), Some(2)),
        (json!({"minimum": 1}), json!({}), spring(0), Some(2)),
        (json!({"minimum": 1}), json!({}), total(0), Some(2)),
        (json!({}), json!({"page": "3"}), spring(2), Some(4)),
        // Only the response counts from 1.
        (json!({"minimum": 0}), json!({}), total(1), Some(1)),
        (json!({}), json!({"page": 0}), total(1), Some(1)),
        // The response is none of a first page, or the least is none of its number.
        (json!({"minimum": 1}), json!({}), spring(2), Some(3)),
        (json!({"minimum": 5}), json!({}), spring(0), Some(1)),
        // Nothing says how the parameter counts.
        (json!({}), json!({}), spring(2), Some(3)),
        (json!({}), json!({"page": "x"}), spring(2), Some(3)),
        (json!({}), json!({"page": -1}), spring(0), Some(1)),
        (json!({}), json!({"page": 1}), total(0), Some(2)),
        (json!({}), json!({}), total(1), Some(2)),
        // The last of nine pages.
        (json!({}), json!({"page": 9}), total(8), None),
        (json!({}), json!({"page": 9}), total(9), None),
        (json!({}), json!({"page": 8}), total(9), None),
        (json!({}), json!({"page": 8}), total(8), Some(9)),
    ] {
        let mut schema = facts.clone();
        schema["type"] = json!("integer");
        let parameters = json!([{"name": "page", "in": "query", "schema": schema}]);
        let operation = with_parameters(&parameters);
        let (next, _) = next_page_of_call(&operation, &given, HeaderMap::new(), &body);
        let expected = expected.map_or_else(|| json!({}), |page: i32| json!({"page": page}));
        assert_eq!(next, expected, "{facts} {given} {body}");
    }
}

#[test]
fn the_last_page_has_no_next_page() {
    let ab = json!([{"id": "a"}, {"id": "b"}]);
    for (parameter, body) in [
        ("after", json!({"meta": {"has_more": false}, "links": {"next": "/items?after=x"}})),
        ("start", json!({"isLastPage": true, "nextPageStart": null})),
        ("page", json!({"content": ab, "last": true, "number": 3})),
        ("startAt", json!({"startAt": 2, "maxResults": 2, "total": 4, "issues": ab})),
        (
            "startIndex",
            json!({"startIndex": 1, "itemsPerPage": 2, "totalResults": 2, "Resources": ab}),
        ),
        // A page that is not full leaves a doubt about where the next one starts.
        ("offset", json!({"offset": 0, "limit": 3, "total": 9, "items": ab})),
        ("starting_after", json!({"has_more": false, "data": ab})),
        ("cursor", json!({"payments": ab, "cursor": ""})),
        ("after", json!({"data": ab, "pagination": {}})),
        ("offset", json!({"records": ab, "offset": "0"})),
        ("page", json!({"content": ab, "page": {"number": 4, "totalPages": 5}})),
        ("page", json!({"items": ab, "page_context": {"page": 1, "has_more_page": false}})),
        ("page", json!({"items": ab, "links": [{"rel": "self", "href": "?page=2"}]})),
        ("_offset", json!({"entry": ab, "link": [{"relation": "previous", "url": "?_offset=0"}]})),
    ] {
        check_parameter(parameter, &body, &Value::Null);
    }
}

#[test]
fn a_statement_of_more_without_a_next_page_is_noted() {
    let operation = with_parameters(&json!([]));
    for body in [
        json!({"has_more": true, "data": [{"id": "a"}]}),
        json!({"meta": {"hasNextPage": true}}),
        json!({"isLastPage": false}),
        json!({"last": false, "number": 0}),
    ] {
        let (next, events) = next_page_for(&operation, HeaderMap::new(), &body);
        assert_eq!(next, json!({}), "{body}");
        assert_eq!(events, [Event::NextPageUnnamed], "{body}");
    }
    for body in [json!({"last": false}), json!({"more": "x"}), json!({"has_more": false})] {
        let (_, events) = next_page_for(&operation, HeaderMap::new(), &body);
        assert!(events.is_empty(), "{body}: {events:?}");
    }
}
