//! How results are shown: of a toolset, of single tools, from recorded answers.

use crate::prelude::*;

const DESCRIPTION: &str = r#"
openapi: 3.0.3
info: { title: Lists, version: "1" }
servers: [{ url: https://lists.example }]
paths:
  /a: { get: { operationId: listA, responses: { 200: { description: ok } } } }
  /b: { get: { operationId: listB, responses: { 200: { description: ok } } } }
  /c: { get: { operationId: listC, responses: { 200: { description: ok } } } }
"#;

/// A configuration with this `output`; each of the paths answers the same list.
fn configured(folder: &Path, output: &str) -> String {
    fs::write(folder.join("lists.yaml"), DESCRIPTION).unwrap();
    let items: Vec<_> = (0..30)
        .map(|id| json!({"id": 9_007_199_254_740_993_u64 + id, "name": format!("n{id}")}))
        .collect();
    let body = json!({"items": items, "total": 30});
    for path in ["a", "b", "c"] {
        let request = format!(
            "GET https://lists.example/{path} HTTP/1.1\naccept: application/json, */*;q=0.1\n\n"
        );
        write_file(folder, &format!("cases/{path}/request.http"), request);
        let response = format!("HTTP/1.1 200 OK\ncontent-type: application/json\n\n{body}\n");
        write_file(folder, &format!("cases/{path}/response.http"), response);
    }
    let toolset = format!("{{ openapi: lists.yaml, upstream: replay, {output} }}");
    let file = write_file(folder, "callgate.yaml", format!("toolsets:\n  t: {toolset}\n"));
    file.to_str().unwrap().to_owned()
}

fn called(configuration: &str, tool: &str) -> Ended {
    callgate(&["call", configuration, tool, "--json", "--as-model"])
}

#[test]
fn the_output_settings_of_a_tool_replace_those_of_its_toolset() {
    let folder = tempfile::tempdir().unwrap();
    let configuration = configured(
        folder.path(),
        "limits: { result_bytes: 2KiB }, output: { select: [items.id], tools: {
            listA: { select: [items.name], result_bytes: 100 },
            t-listB: { jsonpath: '$.items[1].id', big_integers: string } } }",
    );
    let a = called(&configuration, "t-listA").exits(0).json();
    let shown = a["response"].to_string();
    assert!(shown.len() <= 100 && shown.contains("{\"name\":\"n0\"}"), "{shown}");
    assert!(a["truncated"]["message"].as_str().unwrap().contains("of 30 items of `items`"), "{a}");
    let b = called(&configuration, "t-listB").exits(0).json();
    assert_eq!(b["response"], json!(["9007199254740994"]));
    assert!(b.get("truncated").is_none(), "{b}");
    let c = called(&configuration, "t-listC").exits(0).json();
    assert_eq!(c["response"]["items"][0], json!({"id": 9_007_199_254_740_993_u64}));
    assert_eq!(c["response"]["items"].as_array().unwrap().len(), 30);
}

#[test]
fn a_tool_without_a_setting_uses_that_of_its_toolset() {
    let folder = tempfile::tempdir().unwrap();
    let output = "output: { big_integers: string, select: [items.id], tools: { listA: { result_bytes: 100 } } }";
    let a = called(&configured(folder.path(), output), "t-listA").exits(0).json();
    assert_eq!(a["response"]["items"][0], json!({"id": "9007199254740993"}));
    assert!(a["response"].to_string().len() <= 100, "{a}");
}

#[test]
fn a_tool_that_is_not_offered_is_a_warning_and_a_wrong_key_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let output = "output: { tools: { listAA: { select: [id] } } }";
    let ended = called(&configured(folder.path(), output), "t-listC").exits(0);
    ended.says("selects-nothing").says("t-listA");
    for (output, says) in [
        ("output: { tools: { listA: { selct: [id] } } }", "did you mean `select`?"),
        ("output: { tools: [listA] }", "a mapping from tools to how their results are shown"),
        ("output: { tools: { listA: { select: [id], jsonpath: $.a } } }", "got both"),
        ("output: { tools: { listA: { result_bytes: 0 } } }", "a number of bytes"),
        ("output: { headers: [a b] }", "expected names of headers, got: `a b`"),
        ("output: { headers: [Set-Cookie] }", "a cookie is a credential"),
        ("redirects: always", "expected `none` or `same_origin`"),
        ("limits: { media_bytes: many }", "a number of bytes"),
    ] {
        called(&configured(folder.path(), output), "t-listC").exits(2).says(says);
    }
}

#[test]
fn headers_are_chosen_for_a_toolset_and_for_single_tools() {
    let folder = tempfile::tempdir().unwrap();
    let output = "output: { headers: [x-total], tools: { listB: { headers: [] } } }";
    for (output, tool, expected) in [
        ("output: {}", "t-listA", json!({"etag": "1"})),
        (output, "t-listA", json!({"x-total": "7"})),
        (output, "t-listB", json!(null)),
        (output, "t-listC", json!({"x-total": "7"})),
    ] {
        let configuration = configured(folder.path(), output);
        for path in ["a", "b", "c"] {
            let response = "HTTP/1.1 200 OK\netag: 1\nx-total: 7\nset-cookie: a=b\n\n";
            fs::write(folder.path().join(format!("cases/{path}/response.http")), response).unwrap();
        }
        let shown = called(&configuration, tool).exits(0).json();
        assert_eq!(shown["headers"], expected, "{output} {tool}");
    }
    let configuration = configured(folder.path(), "output: {}");
    let response = folder.path().join("cases/a/response.http");
    fs::write(response, "HTTP/1.1 200 OK\netag: 1\n\n").unwrap();
    callgate(&["call", &configuration, "t-listA"]).exits(0).says("etag: 1\n");
}

#[test]
fn a_picture_over_its_bound_is_a_file_behind_a_handle() {
    let folder = tempfile::tempdir().unwrap();
    let configuration = configured(folder.path(), "limits: { media_bytes: 4 }");
    let response = folder.path().join("cases/a/response.http");
    fs::write(response, "HTTP/1.1 200 OK\ncontent-type: image/png\n\n12345\n").unwrap();
    let shown = called(&configuration, "t-listA").exits(0).json();
    assert_eq!(shown["response"]["size"], 5);
    assert!(shown["response"].get("data").is_none(), "{shown}");
    assert!(shown["handle"].as_str().unwrap().starts_with("result:"), "{shown}");
}

const PARTS: &str = "--b\ncontent-type: application/json\ncontent-disposition: form-data; name=meta\n\n{\"id\": 7}\n\
    --b\ncontent-type: application/zip\ncontent-disposition: form-data; name=data; filename=a.zip\n\nPK\u{0}\n--b--\n";

/// A configuration whose first path answers parts.
fn of_parts(folder: &Path) -> String {
    let configuration = configured(folder, "output: {}");
    let response =
        format!("HTTP/1.1 200 OK\ncontent-type: multipart/form-data; boundary=b\n\n{PARTS}");
    fs::write(folder.join("cases/a/response.http"), response).unwrap();
    configuration
}

#[test]
fn each_part_of_an_answer_is_shown_under_its_names() {
    let folder = tempfile::tempdir().unwrap();
    let configuration = of_parts(folder.path());
    let ended = callgate(&["call", &configuration, "t-listA"]).exits(0);
    let ended = ended.says("part 1 of 2, `meta`:\n").says("part 2 of 2, `data`, file `a.zip`:\n");
    let ended = ended.says("help: `-o FILE` writes the answer with all its parts to a file\n");
    ended.prints("\"id\": 7").prints("3 bytes of `application/zip`, SHA-256 ");
    let selected =
        ["call", &configuration, "t-listA", "--jsonpath", "$[?@.name=='meta'].content.id"];
    callgate(&selected).exits(0).prints("7");
    let json = callgate(&["call", &configuration, "t-listA", "--json"]).exits(0).json();
    assert_eq!(json["response"][0], json!({"name": "meta", "content": {"id": 7}}));
    assert_eq!(json["response"][1]["filename"], "a.zip");
    let handle = json["response"][1]["handle"].as_str().unwrap();
    assert!(handle.starts_with("result:") && json.get("handle").is_none(), "{json}");
}

#[test]
fn a_multipart_answer_is_written_to_a_file_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let configuration = of_parts(folder.path());
    let file = folder.path().join("parts");
    callgate(&["call", &configuration, "t-listA", "-o", file.to_str().unwrap()]).exits(0);
    assert_eq!(fs::read_to_string(file).unwrap().trim_end(), PARTS.trim_end());
}
