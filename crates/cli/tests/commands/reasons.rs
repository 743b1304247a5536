//! Reasons of others that the operator reads: those of a token endpoint, and the address of a redirect.

use crate::{prelude::*, run_at_home as run};

use axum::{response::AppendHeaders, routing::post};

const ITEMS: &str = "openapi: 3.0.3
info: { title: Items, version: '1' }
paths:
  /items: { post: { operationId: addItem, responses: { 200: { description: ok } } } }
  /pages:
    get:
      operationId: listPages
      parameters: [{ name: page, in: query, schema: { type: integer } }]
      responses: { 200: { description: ok, content: { application/json: {} } } }
";
const REASON: &str = "AADSTS1002012: the scope has to end in /.default";

fn server() -> Server {
    let refused = || async {
        let body = json!({"error": "invalid_scope", "error_description": (format!("{REASON} client-secret-0123456789"))});
        (StatusCode::BAD_REQUEST, body.to_string()).into_response()
    };
    let moved = || async { Redirect::temporary("/items/?ticket=canary") };
    let pages = |Query(page): Query<Vec<(String, String)>>| async move {
        let is_first = page.is_empty();
        let next = is_first.then_some([("link", "</pages?page=2&snapshot=abc>; rel=\"next\"")]);
        let pages = if is_first { json!([1]) } else { json!([2]) };
        (next.map(AppendHeaders), [("content-type", "application/json")], pages.to_string())
    };
    let routes = Router::new().route("/token", post(refused)).route("/items", post(moved));
    Server::with(routes.route("/pages", get(pages)))
}

fn folder(server: &Server, auth: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "items.yaml", ITEMS);
    let url = server.url("");
    let text = format!("toolsets:\n  t:\n    openapi: items.yaml\n    server: {url}\n    {auth}\n");
    write(&folder, "callgate.yaml", text);
    folder
}

#[test]
fn the_operator_reads_why_a_token_endpoint_refuses_and_a_model_does_not() {
    let server = server();
    let auth = format!(
        "auth: {{ oauth2_client_credentials: {{ token_url: '{}', client_id: c, client_secret: 'literal:client-secret-0123456789' }} }}",
        server.url("/token")
    );
    let folder = folder(&server, &auth);
    let called = run(&folder, &["call", "callgate.yaml", "addItem", "-vv"]).exits(1);
    called.says("invalid_scope").says(REASON);
    let shown = run(&folder, &["call", "callgate.yaml", "addItem", "--json"]).exits(1);
    assert!(!shown.out.contains(REASON) && shown.out.contains("invalid_scope"), "{shown:#?}");
    let looked = run(&folder, &["doctor"]);
    let looked = format!("{}{}", looked.out, looked.err);
    for text in [&looked, &shown.err, &shown.out] {
        assert!(!text.contains("client-secret"), "{text}");
    }
    assert!(looked.contains(REASON), "{looked}");
}

#[test]
fn a_redirect_of_a_write_names_its_address_and_the_path_to_write() {
    let server = server();
    for settings in ["auth: none", "redirects: same_origin"] {
        let folder = folder(&server, settings);
        let called = run(&folder, &["call", "callgate.yaml", "addItem"]).exits(1);
        let called = called
            .says(&format!("with a redirect to `{}`", server.url("/items/")))
            .says("`/items/`");
        let told = format!("{}{}", called.out, called.err);
        assert!(!told.contains("canary") && !told.contains("server:"), "{told}");
        let json = run(&folder, &["call", "callgate.yaml", "addItem", "--json"]).exits(1).json();
        let message = json["error"]["message"].as_str().unwrap();
        assert!(message.contains("its path is `/items/`"), "{message}");
    }
}

#[test]
fn a_parameter_of_the_next_page_that_no_call_can_send_is_reported_by_all_pages() {
    let server = server();
    let folder = folder(&server, "auth: none");
    for flags in [&["--all-pages"] as &[_], &["--all-pages", "--max-pages", "1"], &[]] {
        let line = [&["call", "callgate.yaml", "listPages"], flags].concat();
        let ended = run(&folder, &line).exits(0).says("has `snapshot`");
        assert_eq!(ended.err.matches("`snapshot`").count(), 1, "{ended:#?}");
    }
}
