//! What becomes of answers: all of them shown, in the format that is asked for, written to files, page after page.

use crate::prelude::*;

use axum::http::header::CONTENT_TYPE;
use callgate_testkit::closed_origin;

const DESCRIPTION: &str = concat!("\n", include_str!("answers.yaml"));

/// More than an answer may be that is read whole.
const FILE_BYTES: usize = 3 << 20;

fn server() -> Server {
    let pets = |Query(query): Query<Vec<(String, String)>>| async move {
        let page: usize = query.first().map_or(1, |(_, page)| page.parse().unwrap());
        let items: Value =
            (1..=2).map(|at| json!({"id": (page * 10 + at), "name": "Rex"})).collect();
        let next = if page < 4 { json!((page + 1)) } else { Value::Null };
        answer("application/json", json!({"items": items, "next_page": next}).to_string())
    };
    let file = || async { answer("application/zip", vec![7_u8; FILE_BYTES]) };
    let long = || async {
        let items: Value =
            (0..2000).map(|at| json!({"id": at, "name": "a rather long name"})).collect();
        answer("application/json", items.to_string())
    };
    let more = || async { answer("application/json", r#"{"items":[1],"has_more":true}"#) };
    let moved = || async { Redirect::temporary("https://elsewhere.example/v2/moved") };
    let secret =
        || async { answer("application/octet-stream", "\u{0}your token is tok-canary-51") };
    Server::with(
        Router::new()
            .route("/pets", get(pets))
            .route("/file", get(file))
            .route("/long", get(long))
            .route("/more", get(more))
            .route("/moved", get(moved))
            .route("/secret", get(secret)),
    )
}

fn answer(media_type: &'static str, body: impl Into<Body>) -> Response {
    ([(CONTENT_TYPE, media_type)], body.into()).into_response()
}

/// The description in `folder`.
fn spec(folder: &Path) -> String {
    let spec = folder.join("answers.yaml");
    fs::write(&spec, DESCRIPTION).unwrap();
    spec.display().to_string()
}

/// The command with the description in `folder`, the server and these arguments.
fn called(folder: &Path, server: &Server, arguments: &[&str]) -> Ended {
    let (url, spec) = (server.url(""), spec(folder));
    let (tool, rest) = arguments.split_first().unwrap();
    callgate(&[&["call", &spec, tool, "--server", &url], rest].concat())
}

#[test]
fn the_whole_answer_is_shown_and_the_part_for_a_model_on_request() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    let whole = called(folder.path(), &server, &["getLong"]).exits(0);
    assert_eq!(whole.json().as_array().unwrap().len(), 2000);
    assert_eq!(whole.err, "");
    let json = called(folder.path(), &server, &["getLong", "--json"]).exits(0).json();
    assert_eq!(json["response"].as_array().unwrap().len(), 2000);
    let cut = called(folder.path(), &server, &["getLong", "--as-model"]).exits(0);
    assert!(cut.json().as_array().unwrap().len() < 2000);
    cut.says("of 2000 items");
}

#[test]
fn an_answer_is_selected_and_formatted() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    let shown = |arguments: &[&str]| {
        called(folder.path(), &server, &[&["listPets"], arguments].concat()).exits(0).out
    };
    assert_eq!(
        shown(&["--format", "table", "--select", "items.id,items.name"]),
        "ID  NAME\n11  Rex\n12  Rex\n"
    );
    let yaml = shown(&["--format", "yaml", "--select", "items.id"]);
    assert_eq!(yaml, "items:\n- id: 11\n- id: 12\n");
    let ids = shown(&["--jsonpath", "$.items[*].id"]);
    assert_eq!(Value::parse(&ids).unwrap(), json!([11, 12]));
    let raw = shown(&["--format", "raw"]);
    assert!(raw.starts_with("{\"items\":[{\"id\":11,"), "{raw}");
    let ended = called(folder.path(), &server, &["listPets", "--jsonpath", "$["]).exits(2);
    ended.says("`--jsonpath`: `$[` is no JSON path");
}

#[test]
fn all_pages_are_one_answer() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    let all = called(folder.path(), &server, &["listPets", "--all-pages"]).exits(0);
    let ids: Vec<_> =
        all.json()["items"].as_array().unwrap().iter().map(|pet| pet["id"].clone()).collect();
    assert_eq!(ids, [11, 12, 21, 22, 31, 32, 41, 42].map(|id| json!(id)));
    assert_eq!(all.err, "");
    let some = ["listPets", "--all-pages", "--max-pages", "2", "--json"];
    let some = called(folder.path(), &server, &some).exits(0).says("more than 2 pages").json();
    assert_eq!(some["response"]["items"].as_array().unwrap().len(), 4);
    assert_eq!(some["next"]["page"], json!(3));
    let ended = called(folder.path(), &server, &["getLong", "--all-pages"]).exits(0);
    ended.says("no next page was found in the response");
    let more = "the answer says that there is more, and names no next page";
    called(folder.path(), &server, &["getMore", "--all-pages", "--select", "items"])
        .exits(1)
        .says(more);
    called(folder.path(), &server, &["getMore", "--all-pages", "--json"]).exits(1);
    called(folder.path(), &server, &["getMore"]).exits(0).says(more);
}

#[test]
fn a_file_of_any_size_is_written_whole_or_not_at_all() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    let file = folder.path().join("a.zip");
    let target = file.to_str().unwrap();
    let ended = called(folder.path(), &server, &["getFile"]).exits(1);
    ended.says("error[response_too_large]").says("`-o FILE`").says("response_bytes");
    let ended = called(folder.path(), &server, &["getFile", "-o", target]).exits(0);
    assert_eq!(ended.out, "");
    ended.says("wrote 3,145,728 bytes of `application/zip`");
    assert_eq!(fs::read(&file).unwrap(), vec![7; FILE_BYTES]);
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/zip\r\ncontent-length: 5000\r\n\r\nPK";
    let broken = Blocking::start(Raw::once(head));
    let (spec, origin) = (spec(folder.path()), &broken.service.origin);
    let ended = callgate(&["call", &spec, "getFile", "--server", origin, "-o", target]).exits(1);
    ended.says("error[unreachable]").says("nothing was written to");
    assert_eq!(fs::read(&file).unwrap().len(), FILE_BYTES);
    let entries = fs::read_dir(folder.path()).unwrap();
    let names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    let nowhere = folder.path().join("none/a.zip");
    called(folder.path(), &server, &["getFile", "-o", nowhere.to_str().unwrap()])
        .exits(2)
        .says("cannot write");
}

#[test]
fn a_credential_is_masked_in_what_is_written() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    let token = write_file(folder.path(), "token", "tok-canary-51");
    let file = folder.path().join("a.bin");
    let bearer = format!("file:{}", token.display());
    let arguments = ["getSecret", "--bearer", &bearer, "-o", file.to_str().unwrap()];
    called(folder.path(), &server, &arguments).exits(0).says("which is masked");
    assert_eq!(fs::read(&file).unwrap(), b"\0your token is ****");
}

#[test]
fn the_verbose_log_shows_no_credentials() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    let token = write_file(folder.path(), "token", "tok-canary-51");
    let bearer = format!("file:{}", token.display());
    let ended =
        called(folder.path(), &server, &["listPets", "page=2", "-v", "--bearer", &bearer]).exits(0);
    assert!(!ended.err.contains("canary"), "{ended:#?}");
    let ended = ended.says("> GET http://127.0.0.1:").says("> authorization: Bearer ****");
    let ended = ended.says(", no TLS; connection ").says("< HTTP/1.1 200 after ");
    ended.says("< content-type: application/json").says("note: answered 200 after ");
}

#[test]
fn a_redirect_to_another_host_is_reported_with_its_target_and_no_other_server() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    let ended = called(folder.path(), &server, &["getMoved"]).exits(1);
    assert_eq!(ended.err.matches("redirect to").count(), 1, "{ended:#?}");
    assert!(!ended.err.contains("--server"), "{ended:#?}");
    let ended = ended.says("answered 307 with a redirect to `https://elsewhere.example`");
    ended.says("declare the status and the header `Location`");
}

#[test]
fn a_server_without_the_path_of_the_description_is_the_advice_where_nothing_is_there() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    for (servers, told) in [("/api", Some("/api")), ("https://a.example/api", None)] {
        let text = DESCRIPTION.replace("paths:", &format!("servers: [{{url: {servers}}}]\npaths:"));
        let spec = write_file(folder.path(), "api.yaml", text.replace("/pets:", "/none:"));
        let url = server.url("");
        let spec = spec.display().to_string();
        let ended = callgate(&["call", &spec, "listPets", "--server", &url]).exits(1).says("404");
        match told {
            Some(path) => drop(ended.says(&format!("`--server {}`", server.url(path)))),
            None => drop(ended.says("correct the arguments")),
        }
    }
}

#[test]
fn an_unreachable_service_is_reported_once_with_the_cause() {
    let url = closed_origin();
    let pets = "fixtures/pets/spec.yaml";
    let ended = callgate(&["call", pets, "getPet", "petId=7", "--server", &url]).exits(1);
    let told = format!(
        "error[unreachable]: `{url}` cannot be reached, nothing was sent: the connection was refused"
    );
    assert_eq!(ended.err.matches("refused").count(), 1, "{ended:#?}");
    ended.says(&told);
    let model = callgate(&["call", pets, "getPet", "petId=7", "--server", &url, "--json"]).exits(1);
    assert!(!model.out.contains("127.0.0.1"), "{model:#?}");
    callgate(&["call", pets, "getPet", "petId=7", "--server", "https://nobody.invalid"])
        .exits(1)
        .says("`https://nobody.invalid:443` cannot be reached, nothing was sent: the name has no address");
}
