//! Which defaults are sent: rows of a method and a policy, with defaults that are required, optional and illegal, in a query
//! and in bodies of either layout.

use crate::prelude::*;
use proptest::prelude::*;

/// What a call sends that gives `name` alone, and which defaults the journal says were sent.
fn sent(method: &str, defaults: Defaults, body: &Value) -> (String, Vec<String>) {
    let parameters = json!([
        {"name": "page", "in": "query", "required": true, "schema": {"type": "integer", "default": 1}},
        {"name": "size", "in": "query", "schema": {"type": "integer", "default": 20}},
        {"name": "wait", "in": "query", "schema": {"type": "string", "default": 60_000_000_000_i64}}]);
    let operation = json!({"summary": "A", "responses": {}, "parameters": parameters, "requestBody": {"required": true,
        "content": {"application/json": {"schema": body}}}});
    let item =
        if method == "query" { json!({"query": operation}) } else { json!({method: operation}) };
    let description = json!({"openapi": "3.2.0", "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example.com"}], "paths": {"/a": item}});
    let plan =
        plan_with(&description.to_string(), &LoadOptions { defaults, ..LoadOptions::default() });
    let is_whole = plan.operation().inputs.iter().any(|input| input.argument.as_str() == "body");
    let given = json!({"name": "x"});
    let planned = call(&plan, if is_whole { json!({"body": given}) } else { given });
    let request = planned.result.unwrap();
    let query = request.uri().query().unwrap_or_default();
    let mut journal = Journal::default();
    planned.journal.into_iter().for_each(|event| journal.note(event));
    let told = journal.defaults().map(str::to_owned).collect();
    (format!("{query} {}", String::from_utf8_lossy(request.body())), told)
}

fn body(is_flat: bool) -> Value {
    let mut schema = json!({"type": "object", "required": ["name", "kind"], "properties": {
        "name": {"type": "string"}, "kind": {"type": "string", "default": "k"},
        "https": {"type": "boolean", "default": true}, "old": {"type": "integer", "default": "10"}}});
    if !is_flat {
        schema["minProperties"] = json!(1);
    }
    schema
}

#[test]
fn defaults_are_sent_by_method_and_policy() {
    let (safe, all, required) = (Defaults::Safe, Defaults::All, Defaults::Required);
    let optional = "page=1&size=20 {\"name\":\"x\",\"kind\":\"k\",\"https\":true}";
    let keeps_absent = "page=1&size=20 {\"name\":\"x\",\"kind\":\"k\"}";
    let least = "page=1 {\"name\":\"x\",\"kind\":\"k\"}";
    for (method, policy, expected) in [
        ("post", safe, optional),
        ("query", safe, optional),
        ("put", safe, keeps_absent),
        ("patch", safe, keeps_absent),
        ("delete", safe, keeps_absent),
        ("post", all, optional),
        ("query", all, optional),
        ("put", all, optional),
        ("patch", all, optional),
        ("delete", all, optional),
        ("post", required, least),
        ("query", required, least),
        ("put", required, least),
        ("patch", required, least),
        ("delete", required, least),
    ] {
        for is_flat in [true, false] {
            let (request, told) = sent(method, policy, &body(is_flat));
            assert_eq!(request, expected, "{method} {policy:?} flat: {is_flat}");
            let n_told = expected.matches(['1', '0', 'k', 't']).count().min(told.len());
            assert_eq!(told.len(), n_told, "{told:?}");
            assert_eq!(
                told.iter().any(|argument| argument.ends_with("https")),
                expected.contains("https")
            );
        }
    }
}

#[test]
fn a_default_is_converted_like_the_enum_beside_it() {
    let listed = |keyword: &str, more: Value| {
        let mut schema = more;
        schema["type"] = "integer".into();
        schema[keyword] = if keyword == "enum" { json!(["1", "2"]) } else { json!("1") };
        schema
    };
    let only = json!({"type": "boolean", "enum": ["true"]});
    let properties = json!({"name": {"type": "string"}, "filled": listed("enum", json!({"default": "2"})),
        "one": listed("const", json!({})), "only": only,
        "inner": {"type": "object", "required": ["deep"], "properties": {"deep": listed("enum", json!({"default": "1"}))}}});
    for required in [json!(["name", "one", "only"]), json!(["name", "filled", "one", "only"])] {
        let schema = json!({"type": "object", "required": required, "properties": properties});
        let body = json!({"required": true, "content": {"application/json": {"schema": schema}}});
        let plan = operation("post", "/a", json!({"requestBody": body}));
        let planned = call(&plan, json!({"name": "x", "inner": {}}));
        let expected = "POST /v1/a\ncontent-type: application/json\n\n{\"name\":\"x\",\"filled\":2,\"one\":1,\"only\":true,\"inner\":{\"deep\":1}}";
        assert_eq!(planned.shown(), expected, "{}", planned.journal());
    }
}

#[test]
fn a_required_value_with_an_illegal_default_is_required_by_every_method() {
    let parameters = json!([{"name": "page", "in": "query", "required": true, "schema": {"type": "integer", "default": "1"}}]);
    let properties =
        json!({"name": {"type": "string"}, "old": {"type": "integer", "default": "10"}});
    let body = json!({"type": "object", "required": ["name", "old"], "properties": properties});
    let content = json!({"application/json": {"schema": body}});
    let operation = json!({"summary": "A", "responses": {}, "parameters": parameters,
        "requestBody": {"required": true, "content": content}});
    for method in ["post", "query", "put", "patch", "delete"] {
        for defaults in [Defaults::Safe, Defaults::All, Defaults::Required] {
            let description = json!({"openapi": "3.2.0", "info": {"title": "t", "version": "1"},
                "servers": [{"url": "https://api.example.com"}], "paths": {"/a": {method: operation}}});
            let options = LoadOptions { defaults, ..LoadOptions::default() };
            let plan = plan_with(&description.to_string(), &options);
            let problems = call(&plan, json!({"name": "x"})).problems();
            let expected =
                "page: expected a value, got nothing\nold: expected a value, got nothing";
            assert_eq!(problems, expected, "{method} {defaults:?}");
        }
    }
}

#[test]
fn a_required_path_parameter_with_an_illegal_default_stays_required() {
    let plan = operation(
        "get",
        "/a/{id}",
        json!({"parameters": [{"name": "id", "in": "path", "required": true,
            "schema": {"type": "string", "default": 60_000_000_000_i64}}]}),
    );
    let fault = call(&plan, json!({})).result.unwrap_err();
    assert_eq!((fault.problems[0].at.as_str(), fault.problems[0].got.as_str()), ("id", "nothing"));
    let declared = plan.operation().declaration().unwrap().input_schema.to_value();
    assert_eq!(declared["required"], json!(["id"]));
    assert_eq!(declared["properties"]["id"].get("default"), None);
}

#[test]
fn a_default_that_another_value_excludes_is_not_sent() {
    let schema = json!({"type": "object", "properties": {"by_id": {"type": "string"}, "by_name": {"type": "string", "default": "all"}},
        "oneOf": [{"required": ["by_id"]}, {"required": ["by_name"]}]});
    let (content, responses) = (json!({"application/json": {"schema": schema}}), json!({}));
    let plan = operation(
        "post",
        "/a",
        json!({"responses": responses, "requestBody": {"required": true, "content": content}}),
    );
    let body = |arguments: Value| {
        String::from_utf8(call(&plan, arguments).result.unwrap().body().to_vec()).unwrap()
    };
    assert_eq!(body(json!({"body": {"by_id": "7"}})), "{\"by_id\":\"7\"}");
    assert_eq!(body(json!({"body": {"x": 1}})), "{\"x\":1,\"by_name\":\"all\"}");
}

/// An input with a default that a call leaves out.
#[derive(Clone, Debug)]
struct LeftOut {
    place: &'static str,
    method: &'static str,
    policy: Defaults,
    required: bool,
    schema: Value,
    default: Value,
}

impl LeftOut {
    fn is_in_body(&self) -> bool {
        matches!(self.place, "form" | "json")
    }

    /// Whether the default is legal, by another validator.
    fn is_legal(&self) -> bool {
        let foreign =
            |value: &Value| serde_json::from_str::<serde_json::Value>(&value.to_string()).unwrap();
        jsonschema::is_valid(&foreign(&self.schema), &foreign(&self.default))
    }

    /// The rule as the documentation says it.
    fn is_sent(&self) -> bool {
        let changes = matches!(self.method, "put" | "patch" | "delete");
        let is_kept = match self.policy {
            Defaults::All => true,
            Defaults::Required => false,
            Defaults::Safe => !(self.is_in_body() && changes),
        };
        self.is_legal() && (self.required || is_kept)
    }

    fn description(&self) -> String {
        let mut schema = self.schema.clone();
        schema["default"] = self.default.clone();
        let required = if self.required { json!(["q", "r"]) } else { json!(["r"]) };
        let whole = json!({"type": "object", "required": required,
            "properties": {"q": schema, "r": {"type": "string"}}});
        let media_type = match self.place {
            "form" => "application/x-www-form-urlencoded",
            _ => "application/json",
        };
        let operation = if self.is_in_body() {
            let body = json!({"required": true, "content": {media_type: {"schema": whole}}});
            json!({"responses": {}, "requestBody": body})
        } else {
            let input =
                json!({"name": "q", "in": self.place, "required": self.required, "schema": schema});
            let other = json!({"name": "r", "in": "query", "schema": {"type": "string"}});
            json!({"responses": {}, "parameters": [input, other]})
        };
        json!({"openapi": "3.2.0", "info": {"title": "t", "version": "1"},
            "servers": [{"url": "https://api.example.com"}], "paths": {"/a": {self.method: operation}}})
        .to_string()
    }

    fn arrives(&self, request: &http::Request<Bytes>) -> bool {
        let body = String::from_utf8_lossy(request.body());
        match self.place {
            "query" => request.uri().query().unwrap_or_default().contains("q="),
            "header" => request.headers().contains_key("q"),
            "cookie" => request.headers().contains_key("cookie"),
            "form" => body.split('&').any(|pair| pair.starts_with("q=")),
            _ => Value::parse(&body).unwrap().get("q").is_some(),
        }
    }

    fn check(&self) -> TestCaseResult {
        let options = LoadOptions { defaults: self.policy, ..LoadOptions::default() };
        let plan = plan_with(&self.description(), &options);
        let planned = call(&plan, json!({"r": "r"}));
        if self.required && !self.is_legal() {
            prop_assert!(planned.problems().starts_with("q: expected a value, got nothing"));
            return Ok(());
        }
        let request =
            planned.result.as_ref().map_err(|fault| TestCaseError::fail(fault.message.clone()))?;
        prop_assert_eq!(self.arrives(request), self.is_sent());
        let mut journal = Journal::default();
        planned.journal.into_iter().for_each(|event| journal.note(event));
        prop_assert_eq!(journal.defaults().any(|argument| argument.ends_with('q')), self.is_sent());
        Ok(())
    }
}

fn left_out() -> impl Strategy<Value = LeftOut> {
    let place = select(vec!["query", "header", "cookie", "form", "json"]);
    let method = select(vec!["post", "query", "put", "patch", "delete"]);
    let policy = select(vec![Defaults::Safe, Defaults::All, Defaults::Required]);
    let schema = select(vec![
        json!({"type": "string"}),
        json!({"type": "string", "maxLength": 2}),
        json!({"type": "integer"}),
        json!({"type": "integer", "minimum": 5}),
        json!({"type": "number", "exclusiveMaximum": 1.5}),
        json!({"type": "boolean"}),
    ]);
    let default = prop_oneof![
        any::<i64>().prop_map(Value::from),
        (-20_i64..20).prop_map(|tenths| Value::parse(&format!(
            "{}.{}",
            tenths / 10,
            tenths.abs() % 10
        ))
        .unwrap()),
        any::<bool>().prop_map(Value::from),
        "[a-z0-9]{1,4}".prop_map(Value::from),
    ];
    (place, method, policy, any::<bool>(), schema, default).prop_map(
        |(place, method, policy, required, schema, default)| LeftOut {
            place,
            method,
            policy,
            required,
            schema,
            default,
        },
    )
}

proptest! {
    #[test]
    fn a_default_is_sent_if_it_is_legal_and_the_policy_allows_it(left_out in left_out()) {
        left_out.check()?;
    }
}
