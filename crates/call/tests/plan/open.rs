//! The table of what the specification leaves open, row by row as the documentation of the crate shows it.

use crate::prelude::*;

use crate::styles::target;

/// Place, style, value and what is written.
fn rows() -> impl Iterator<Item = [String; 4]> {
    let table =
        include_str!("../../src/open-cases.md").lines().filter(|line| line.starts_with("| "));
    table.skip(1).map(|line| {
        // A pipe inside a cell is escaped.
        let line = line.replace("\\|", "\u{0}");
        let cells: Vec<String> = line
            .split('|')
            .map(|cell| cell.trim().trim_matches('`').replace('\u{0}', "|"))
            .collect();
        let [_, place, style, value, written, _] = cells.as_slice() else { panic!("{line}") };
        [place, style, value, written].map(Clone::clone)
    })
}

/// A member of a form, with or without a style of its own.
fn member(style: &str, explode: bool, value: &Value) -> Result<String, String> {
    let mut media = json!({"schema": {"type": "object", "properties": {"color": {}}}});
    if !style.is_empty() {
        media["encoding"] = json!({"color": {"style": style, "explode": explode}});
    }
    let content = json!({"application/x-www-form-urlencoded": media});
    let plan =
        operation("post", "/", json!({"requestBody": {"required": true, "content": content}}));
    let planned = call(&plan, json!({"body": {"color": value}}));
    if planned.result.is_err() {
        return Err(planned.problems());
    }
    let shown = planned.shown();
    Ok(shown.split_once("\n\n").map_or("", |(_, body)| body).to_owned())
}

/// Whether a style is a `collectionFormat` of Swagger 2.0, or several.
fn is_collection(style: &str) -> bool {
    let outermost = style.split(' ').next().unwrap_or_default();
    matches!(outermost, "csv" | "multi" | "pipes" | "ssv" | "tsv")
}

/// A parameter of Swagger 2.0 with these formats of its lists, the outermost first: `pipes of csv`.
fn collection(place: &str, formats: &str, value: &Value) -> Result<String, String> {
    let list = |items: Value, format: &str| json!({"type": "array", "collectionFormat": format, "items": items});
    let mut parameter = formats.rsplit(" of ").fold(json!({"type": "string"}), list);
    let is_form = place == "urlencoded body";
    parameter["name"] = "color".into();
    parameter["in"] = if is_form { "formData" } else { place }.into();
    parameter["required"] = (place == "path").into();
    let path = if place == "path" { "/{color}" } else { "/" };
    let description = json!({"swagger": "2.0", "host": "api.example.com", "basePath": "/v1",
        "paths": {path: {"post": {"parameters": [parameter], "responses": {}}}}});
    let plan = plan(&description.to_string());
    let planned = call(&plan, json!({"color": value}));
    if planned.result.is_err() {
        return Err(planned.problems());
    }
    let shown = planned.shown();
    let (head, body) = shown.split_once("\n\n").unwrap_or((&shown, ""));
    let (line, headers) = head.split_once('\n').unwrap_or((head, ""));
    let text = match place {
        "header" => headers.split_once(": ").map_or("", |(_, text)| text),
        "urlencoded body" => body,
        _ => line.strip_prefix("POST /v1/").unwrap().trim_start_matches('?'),
    };
    Ok(text.to_owned())
}

#[test]
fn every_documented_open_case_is_written_as_its_row_says() {
    let mut n_rows = 0;
    for [place, style, value, written] in rows() {
        let value: Value = serde_json::from_str(&value).unwrap();
        let bare = style.trim_end_matches('*');
        let explode = bare.len() < style.len();
        let got = match &*place {
            _ if is_collection(bare) => collection(&place, bare, &value),
            "urlencoded body" => member(bare, explode, &value),
            _ => target(&place, bare, explode, &value),
        };
        let row = format!("{place} {style} {value}");
        match &*written {
            "an empty header" | "omitted" => assert_eq!(got.as_deref(), Ok(""), "{row}"),
            "refused" => assert!(got.is_err(), "{row}: {got:?}"),
            written => assert_eq!(got.as_deref(), Ok(written), "{row}"),
        }
        n_rows += 1;
    }
    assert!(n_rows > 50, "{n_rows}");
}
