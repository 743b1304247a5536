//! Which parameters are left to the model beside a credential, and what arrives where the description wants a credential as
//! a parameter.

use crate::prelude::*;
use proptest::prelude::*;

use super::{arrived, call, failed, session};

/// One operation with query parameters of these names; a name with `!` is required.
fn description(server: &str, parameters: &[&str], rest: &str) -> String {
    let parameter = |name: &&str| {
        let (name, required) = match name.strip_suffix('!') {
            Some(name) => (name, true),
            None => (*name, false),
        };
        json!({"name": name, "in": "query", "required": required, "description": "An API key or OAuth token.",
            "schema": {"type": "string"}})
    };
    let parameters: Value = parameters.iter().map(parameter).collect::<Vec<_>>().into();
    format!(
        "openapi: 3.0.3\nservers: [{{url: '{server}'}}]\npaths: {{/a: {{get: {{operationId: a, summary: s, parameters: {parameters}}}}}}}\n{rest}"
    )
}

fn inputs(built: &Built) -> Vec<String> {
    let operation = &built.toolsets[0].operations[0];
    operation.inputs.iter().map(|input| input.name.to_string()).collect()
}

const BOTH: &str = "components: {securitySchemes: {one: {type: apiKey, in: query, name: key}, two: {type: apiKey, in: query, name: token}}}";
const BEARER: &str = "auth: {bearer: {token: \"literal:canary\"}}";

#[tokio::test]
async fn required_parameters_of_security_schemes_are_filled_by_their_credentials() {
    let server = Server::start().await;
    let text = description(&server.url(""), &["key!", "token!", "board!"], BOTH);
    let text = text.replace("name\":\"board\"", "name\":\"board\",\"example\":\"b\"");
    let settings = "credentials: {one: {api_key: {value: \"literal:k\"}}, two: {api_key: {value: \"literal:t\"}}}";
    let built = toolset(&text, &format!("server: {}\n{settings}", server.url(""))).unwrap();
    assert_eq!(inputs(&built), ["board"]);
    let arguments = json!({"board": "b"}).as_object().cloned().unwrap();
    let asked = ToolCall::new("1", "a", arguments);
    let outcome = built.executor.call(&asked, &session()).await.outcome;
    assert!(matches!(outcome, Outcome::Answered(_)), "{outcome:?}");
    assert_eq!(server.last()["target"], "/a?board=b&key=k&token=t");
}

#[tokio::test]
async fn a_required_parameter_whose_scheme_has_no_credential_refuses_the_call() {
    let server = Server::start().await;
    let own = server.url("");
    let text = description(&own, &["key!", "limit"], BOTH);
    let settings =
        format!("server: {own}\ncredentials: {{two: {{api_key: {{value: \"literal:t\"}}}}}}");
    let built = toolset(&text, &settings).unwrap();
    assert!(failed(&built, "a").await.message.contains("`one`"));
    let found = &built.toolsets[0].report.diagnostics;
    assert!(found.iter().any(|known| known.code == Code::MissingCredential), "{found:?}");
    let built = toolset(&text, &format!("server: {own}\n{BEARER}")).unwrap();
    assert!(failed(&built, "a").await.message.contains("`one`"));
    let none = toolset(&text, &format!("server: {own}\nauth: none")).unwrap();
    assert_eq!(arrived(&server, &none, "a").await, ["/a"]);
    let key = "auth: {api_key: {in: query, name: key, value: \"literal:k\"}}";
    let own = toolset(&text, &format!("server: {own}\n{key}")).unwrap();
    assert_eq!(arrived(&server, &own, "a").await, ["/a?key=k"]);
    assert_eq!(server.total(), 2);
}

#[test]
fn credential_arguments_are_offered_to_the_model_again() {
    let text = description("https://a.example", &["access_token", "key"], "");
    let load = |settings: &str| toolset(&text, settings);
    assert!(inputs(&load(BEARER).unwrap()).is_empty());
    let back = load(&format!("{BEARER}\ncredential_arguments: [key]")).unwrap();
    assert_eq!(inputs(&back), ["key"]);
    let unknown = load(&format!("{BEARER}\ncredential_arguments: [kye]")).unwrap();
    assert!(unknown.warnings.iter().any(|known| known.code == "selects-nothing"), "{unknown:?}");
    let taken = "auth: {api_key: {in: query, name: key, value: \"literal:k\"}}\ncredential_arguments: [key]";
    let error = load(taken).unwrap_err().to_string();
    assert!(error.contains("expected the name of a parameter without a credential"), "{error}");
}

#[tokio::test]
async fn objects_and_forms_that_could_write_a_token_are_refused() {
    let text = r#"
openapi: 3.0.3
servers: [{url: "https://a.example"}]
paths:
  /q:
    get:
      operationId: q
      summary: s
      parameters: [{name: filter, in: query, schema: {type: object, additionalProperties: {type: string}}}]
  /f:
    post:
      operationId: f
      summary: s
      requestBody:
        content: {application/x-www-form-urlencoded: {schema: {type: object, additionalProperties: {type: string}}}}
  /g:
    post:
      operationId: g
      summary: s
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, required: [a], properties: {a: {type: string}, access_token: {type: string}}}
"#;
    let built = toolset(text, BEARER).unwrap();
    for (tool, argument, key) in [
        ("q", "filter", "access_token"),
        ("q", "filter", "Access_Token"),
        ("f", "body", "access_token"),
        ("f", "body", "ACCESS_TOKEN"),
    ] {
        let arguments = json!({argument: {key: "MODEL"}}).as_object().cloned().unwrap();
        let asked = ToolCall::new("1", tool, arguments);
        let outcome = built.executor.dry_run(&asked, &session()).await.outcome;
        let Outcome::Failed(fault) = outcome else { panic!("{tool}: {outcome:?}") };
        assert!(fault.message.contains("which a credential writes"), "{}", fault.message);
    }
    let names = built.toolsets[0].operations[2].inputs.iter().map(|input| input.name.to_string());
    assert_eq!(names.collect::<Vec<_>>(), ["a"]);
    assert!(matches!(call(&built, "g").await, Outcome::Failed(_)));
}

/// Each kind of credential as it is configured, and the names it is read from, by place.
const KINDS: &[(&str, &[(&str, &str)])] = &[
    (BEARER, &[("query", "access_token"), ("header", "X-Serverless-Authorization")]),
    (
        "auth: {aws_sigv4: {region: r, service: s}}",
        &[
            ("header", "X-Amz-Date"),
            ("query", "X-Amz-Signature"),
            ("header", "X-Amz-Security-Token"),
        ],
    ),
    ("auth: {api_key: {in: query, name: sig, value: \"literal:c\"}}", &[("query", "sig")]),
    ("auth: {api_key: {in: cookie, name: sid, value: \"literal:c\"}}", &[("cookie", "sid")]),
    ("auth: {api_key: {in: header, name: X-Key, value: \"literal:c\"}}", &[("header", "X_Key")]),
    (
        "auth: {basic: {username: \"literal:u\", password: \"literal:p\"}}",
        &[("header", "Authorization")],
    ),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever is declared in whatever letter case: the model is never asked for the credential, and everything else stays.
    #[test]
    fn no_declared_parameter_lets_the_model_write_a_credential(
        kind in 0..KINDS.len(),
        case in any::<u32>(),
        required in any::<bool>(),
        other in "[a-j]{3,8}",
    ) {
        let (auth, names) = KINDS[kind];
        let respelled = |name: &str| -> String {
            let respell = |(at, c): (usize, char)| if case >> (at % 32) & 1 == 1 { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
            name.chars().enumerate().map(respell).collect()
        };
        let parameter = |place: &str, name: &str| json!({"name": name, "in": place, "required": required, "schema": {"type": "string"}});
        let taken = names.iter().map(|(place, name)| parameter(place, &respelled(name)));
        let kept = ["query", "cookie", "header"].map(|place| parameter(place, &other));
        let parameters: Value = taken.chain(kept).collect::<Vec<_>>().into();
        let text = format!("openapi: 3.0.3\nservers: [{{url: 'https://a.example'}}]\npaths: {{/a: {{get: {{operationId: a, summary: s, parameters: {parameters}}}}}}}");
        let built = toolset(&text, auth).unwrap();
        let found = inputs(&built);
        prop_assert!(found.iter().all(|name| *name == other) && found.len() == 3, "{auth}: {found:?}");
    }
}
