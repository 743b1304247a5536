//! The bytes of a file arrive as they are, with its name, in whatever way a description says that a part is a file.

use crate::prelude::*;
use proptest::prelude::*;

/// Bytes that no text has, and a line break.
const FILE: &[u8] = b"\x00\xffhi\r\n";
const BASE64: &str = "AP9oaQ0K";

fn file(name: &str) -> Value {
    json!({"data": BASE64, "filename": name})
}

/// The head and the content of each part.
fn parts(planned: &Planned) -> Vec<(String, Vec<u8>)> {
    let request = planned.result.as_ref().unwrap_or_else(|fault| panic!("{fault:?}"));
    let media_type = request.headers()["content-type"].to_str().unwrap();
    let boundary = format!("--{}", media_type.split("boundary=").nth(1).expect("parts"));
    let body = request.body();
    let finds = |from: usize, wanted: &[u8]| {
        body[from..].windows(wanted.len()).position(|window| window == wanted).map(|at| from + at)
    };
    let (mut all, mut at) = (Vec::new(), boundary.len() + 2);
    while let Some(end) = finds(at, format!("\r\n{boundary}").as_bytes()) {
        let content = finds(at, b"\r\n\r\n").expect("a head") + 4;
        let head = String::from_utf8(body[at..content].to_vec()).expect("a head of text");
        all.push((head, body[content..end].to_vec()));
        at = end + boundary.len() + 4;
    }
    all
}

#[track_caller]
fn check(description: &Value, value: Value, names: &[&str]) {
    let plan = plan(&description.to_string());
    let flat = call(&plan, json!({"f": value}));
    let planned =
        if flat.result.is_ok() { flat } else { call(&plan, json!({"body": {"f": value}})) };
    let parts = parts(&planned);
    assert_eq!(parts.len(), names.len(), "{description}");
    for ((head, content), name) in parts.iter().zip(names) {
        assert!(head.contains(&format!("name=\"f\"; filename=\"{name}\"")), "{head} {description}");
        assert_eq!(content, FILE, "{description}");
    }
}

#[derive(Clone, Debug)]
struct Way {
    version: &'static str,
    schema: Value,
    wrapping: usize,
    is_list: bool,
    body: usize,
    encoding: Option<Value>,
}

impl Way {
    fn description(&self) -> Value {
        let file = match self.wrapping {
            0 => self.schema.clone(),
            1 => json!({"$ref": "#/components/schemas/File"}),
            2 => json!({"allOf": [{"$ref": "#/components/schemas/File"}], "description": "a file"}),
            3 => json!({"oneOf": [self.schema]}),
            4 if self.version != "3.0.3" => json!({"anyOf": [self.schema, {"type": "null"}]}),
            _ => json!({"$ref": "#/components/schemas/Alias"}),
        };
        let property = if self.is_list { json!({"type": "array", "items": file}) } else { file };
        let body = json!({"type": "object", "required": ["f"], "properties": {"f": property}});
        let schema = match self.body {
            0 => body.clone(),
            1 => json!({"$ref": "#/components/schemas/Body"}),
            _ => json!({"allOf": [{"$ref": "#/components/schemas/Body"}, {"type": "object"}]}),
        };
        let mut media = json!({"schema": schema});
        if let Some(encoding) = &self.encoding {
            media["encoding"] = json!({"f": encoding});
        }
        let request = json!({"required": true, "content": {"multipart/form-data": media}});
        json!({"openapi": self.version, "info": {"title": "t", "version": "1"},
            "servers": [{"url": "https://api.example.com"}],
            "paths": {"/x": {"post": {"requestBody": request, "responses": {"200": {"description": "fine"}}}}},
            "components": {"schemas": {"File": self.schema, "Body": body,
                "Alias": {"allOf": [{"$ref": "#/components/schemas/File"}]}}}})
    }
}

fn ways() -> impl Strategy<Value = Way> {
    let old = vec![
        json!({"type": "string", "format": "binary"}),
        json!({"format": "binary"}),
        json!({"type": "string", "format": "binary", "nullable": true, "maxLength": 3}),
    ];
    let new = vec![
        json!({"type": "string", "format": "binary"}),
        json!({"type": ["string", "null"], "format": "binary", "title": "File"}),
        json!({"type": "string", "contentMediaType": "application/octet-stream"}),
        json!({"contentMediaType": "image/png", "minLength": 100}),
        json!({"type": "string", "contentEncoding": "binary"}),
    ];
    let encodings = vec![
        None,
        Some(json!({"explode": true})),
        Some(json!({"explode": false})),
        Some(json!({"style": "form"})),
        Some(json!({"style": "deepObject", "explode": true})),
        Some(json!({"style": "pipeDelimited", "allowReserved": true})),
        Some(json!({"allowReserved": true, "contentType": "application/octet-stream"})),
        Some(json!({"contentType": "image/png, application/octet-stream", "explode": true})),
        Some(json!({"headers": {"X-Kind": {"schema": {"const": "a"}}}, "style": "form"})),
    ];
    let versioned = prop_oneof![
        (Just("3.0.3"), select(old)),
        (select(vec!["3.1.0", "3.1.1", "3.2.0"]), select(new)),
    ];
    (versioned, 0_usize..6, any::<bool>(), 0_usize..3, select(encodings)).prop_map(
        |((version, schema), wrapping, is_list, body, encoding)| Way {
            version,
            schema,
            wrapping,
            is_list,
            body,
            encoding,
        },
    )
}

proptest! {
    #[test]
    fn the_bytes_of_a_file_arrive_with_its_name(way in ways()) {
        let description = way.description();
        if way.is_list {
            check(&description, json!([file("a.txt"), BASE64]), &["a.txt", "f"]);
        } else {
            check(&description, file("a.txt"), &["a.txt"]);
            check(&description, json!(BASE64), &["f"]);
        }
    }
}

#[test]
fn a_part_whose_media_type_is_of_bytes_is_a_file() {
    let text = json!({"type": "string"});
    for (version, schema, content_type) in [
        ("3.1.1", json!({}), None),
        ("3.1.1", json!({"title": "Any file"}), None),
        ("3.0.3", json!({}), Some("image/png")),
        ("3.1.1", json!({}), Some("image/png, image/jpeg")),
        ("3.0.3", text.clone(), Some("application/octet-stream")),
        ("3.1.1", text, Some("image/*, application/pdf")),
    ] {
        for (is_list, wrapping, body) in
            [(false, 0, 0), (true, 0, 1), (false, 1, 2), (true, 1, 0), (true, 0, 2)]
        {
            let encoding = content_type.map(|media_type| json!({"contentType": media_type}));
            let way = Way { version, schema: schema.clone(), wrapping, is_list, body, encoding };
            let file = file_of_type(content_type.map_or("a/b", |_| "image/png"));
            let value = if is_list { json!([file]) } else { file };
            check(&way.description(), value, &["a.txt"]);
        }
    }
}

fn file_of_type(media_type: &str) -> Value {
    json!({"data": BASE64, "filename": "a.txt", "content_type": media_type})
}

#[test]
fn the_bytes_of_a_file_of_any_name_arrive() {
    let file = json!({"type": "string", "format": "binary"});
    let files = json!({"type": "array", "items": file});
    let key = json!({"type": "string"});
    for schema in [
        json!({"additionalProperties": file}),
        json!({"additionalProperties": files}),
        json!({"allOf": [{"additionalProperties": file}]}),
        json!({"patternProperties": {"^f$": file, "^k": key}}),
        json!({"patternProperties": {"^k": key}, "additionalProperties": files}),
        json!({"properties": {"k": key}, "if": {"properties": {"k": {"const": "f"}}},
            "then": {"properties": {"f": file}}}),
    ] {
        let media = json!({"schema": schema});
        let body = json!({"required": true, "content": {"multipart/form-data": media}});
        let description = json!({"openapi": "3.1.0", "info": {"title": "t", "version": "1"},
            "servers": [{"url": "https://api.example.com"}],
            "paths": {"/x": {"post": {"requestBody": body,
                "responses": {"200": {"description": "fine"}}}}}});
        let is_list = schema.to_string().contains("array");
        let value = file_of_type("image/png");
        let value = if is_list { json!([value]) } else { value };
        let text_after = schema.to_string().contains("\"k\"") || schema.to_string().contains("^k");
        let mut given = json!({"f": value});
        if text_after {
            given["k"] = "f".into();
        }
        let planned = call(&plan(&description.to_string()), json!({"body": given}));
        let parts = parts(&planned);
        assert!(parts[0].0.contains("name=\"f\"; filename=\"a.txt\""), "{schema} {}", parts[0].0);
        assert_eq!(parts[0].1, FILE, "{schema}");
        assert_eq!(parts.get(1).map(|(_, content)| &**content), text_after.then_some(&b"f"[..]));
    }
}

#[test]
fn the_bytes_of_a_file_of_swagger_arrive_with_its_name() {
    let list = |format: Value| {
        let mut field = json!({"in": "formData", "name": "f", "required": true, "type": "array",
            "items": {"type": "file"}});
        field["collectionFormat"] = format;
        field
    };
    let one = json!({"in": "formData", "name": "f", "required": true, "type": "file"});
    for (field, is_list) in [(one, false), (list(json!("multi")), true), (list(json!("csv")), true)]
    {
        for consumes in [
            json!(["multipart/form-data"]),
            json!(["application/x-www-form-urlencoded"]),
            json!([]),
        ] {
            let description = json!({"swagger": "2.0", "info": {"title": "t", "version": "1"},
                "host": "api.example.com", "schemes": ["https"], "paths": {"/x": {"post": {
                    "consumes": consumes, "parameters": [field], "responses": {"200": {"description": "fine"}}}}}});
            if is_list {
                check(&description, json!([file("a.txt"), file("b.txt")]), &["a.txt", "b.txt"]);
            } else {
                check(&description, file("a.txt"), &["a.txt"]);
            }
        }
    }
}

#[test]
fn a_body_that_may_be_a_form_or_parts_is_sent_as_parts_if_it_has_files() {
    let schema = json!({"type": "object", "required": ["f"],
        "properties": {"f": {"type": "string", "format": "binary"}}});
    let content = json!({"application/x-www-form-urlencoded": {"schema": schema},
        "multipart/form-data": {"schema": schema}});
    let body = json!({"required": true, "content": content});
    let planned = call(
        &operation("post", "/x", json!({"requestBody": body})),
        json!({"body": {"f": file("a.txt")}}),
    );
    assert_eq!(parts(&planned).len(), 1);
}

#[test]
fn a_required_file_is_missing_whatever_its_default() {
    let file = json!({"type": "string", "format": "binary", "default": "File"});
    let files = json!({"type": "array", "items": {"format": "binary"}, "default": ["Files"]});
    let schema =
        json!({"type": "object", "required": ["f", "g"], "properties": {"f": file, "g": files}});
    let body = json!({"required": true, "content": {"multipart/form-data": {"schema": schema}}});
    let plan = operation("post", "/x", json!({"requestBody": body}));
    call(&plan, json!({}))
        .is_refused("f: expected a value, got nothing\ng: expected a value, got nothing");
}
