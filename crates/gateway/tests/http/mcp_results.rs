//! Results over MCP that were cut, and files: `read_result` reads on.

use crate::prelude::*;
use std::{fs, path::Path};

/// A sidecar whose one tool answers as a recorded case does.
async fn sidecar(case: &str) -> (Sidecar, TempDir) {
    configured(case, "").await
}

/// The same with more of a configuration.
async fn configured(case: &str, more: &str) -> (Sidecar, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/answers/cases");
    let to = folder.path().join(case);
    fs::create_dir(&to).unwrap();
    for file in fs::read_dir(cases.join(case)).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
    let text = format!(
        "{more}toolsets:\n  answers:\n    openapi: ../fixtures/answers/spec.yaml\n    upstream: {{replay: '{}'}}\n    limits: {{result_bytes: 1KiB}}\n",
        folder.path().display()
    );
    (Sidecar::of(&text).await, folder)
}

async fn called(sidecar: &Sidecar, name: &str, arguments: Value) -> Value {
    let params = json!({"name": name, "arguments": arguments});
    sidecar.ask("tools/call", params).await["result"].take()
}

/// The handle in the text of a result.
fn handle(result: &Value) -> String {
    let text = result.to_string();
    let (_, rest) = text.split_once("result:").unwrap();
    let digits: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
    format!("result:{digits}")
}

#[tokio::test]
async fn read_result_pages_through_a_cut_text_to_its_end() {
    let (sidecar, _folder) = sidecar("a-text-over-the-budget-is-cut-between-lines").await;
    let handle = handle(&called(&sidecar, "answers-getAnswer", json!({"name": "x"})).await);
    let (mut whole, mut offset) = (String::new(), json!(null));
    loop {
        let arguments = json!({"handle": handle, "offset": offset, "limit": 1000});
        let part = called(&sidecar, "read_result", arguments).await["structuredContent"].clone();
        whole.push_str(part["text"].as_str().unwrap());
        offset = part["nextOffset"].clone();
        if offset.is_null() {
            assert_eq!(part["length"], whole.len());
            break;
        }
    }
    assert!(whole.len() > 2000 && whole.lines().all(|line| line.starts_with("line")), "{whole}");
}

#[tokio::test]
async fn a_binary_result_cannot_be_read_as_text() {
    let (sidecar, _folder) = sidecar("an-archive-is-kept-behind-a-handle").await;
    let handle = handle(&called(&sidecar, "answers-getAnswer", json!({"name": "x"})).await);
    let told = called(&sidecar, "read_result", json!({"handle": handle})).await;
    assert_eq!(told["isError"], true, "{told}");
    assert!(told["content"][0]["text"].as_str().unwrap().contains("5 bytes of `application/zip`"));
}

#[tokio::test]
async fn a_file_is_an_embedded_resource_on_request() {
    let case = "an-archive-is-kept-behind-a-handle";
    for (more, n_expected) in [("", 0), ("mcp: {files: resource}\n", 1)] {
        let (sidecar, _folder) = configured(case, more).await;
        let told = called(&sidecar, "answers-getAnswer", json!({"name": "x"})).await;
        let blocks = told["content"].as_array().unwrap();
        let resources: Vec<_> = blocks.iter().filter(|block| block["type"] == "resource").collect();
        assert_eq!(resources.len(), n_expected, "{told}");
        let Some(block) = resources.first() else { continue };
        let resource = &block["resource"];
        assert_eq!(resource["uri"], handle(&told), "{told}");
        assert_eq!(resource["mimeType"], "application/zip", "{told}");
        assert_eq!(resource["blob"].as_str().map(str::len), Some(8), "five bytes: {told}");
    }
}

#[tokio::test]
async fn the_parts_of_an_answer_are_blocks_in_their_order() {
    let case = "parts-stand-in-their-order";
    for (more, resources) in [("", &[][..]), ("mcp: {files: resource}\n", &["resource"][..])] {
        let (sidecar, _folder) = configured(case, more).await;
        let told = called(&sidecar, "answers-getAnswer", json!({"name": "x"})).await;
        let blocks = told["content"].as_array().unwrap();
        let types: Vec<_> = blocks.iter().map(|block| block["type"].as_str().unwrap()).collect();
        let expected = [&["text", "text", "image", "text", "text"], resources].concat();
        assert_eq!(types, expected, "{told}");
        assert_eq!(blocks[0]["text"], "Here is the report");
        assert_eq!(blocks[1]["text"], "{\"total\": 12345678901234567890}");
        assert!(blocks[3]["text"].as_str().unwrap().contains("application/zip"), "{told}");
        let rest: Value = serde_json::from_str(blocks[4]["text"].as_str().unwrap()).unwrap();
        let names = json!([{}, {"contentId": "figures@answers.example"}, {}, {"filename": "report.zip", "handle": handle(&told)}]);
        assert_eq!(rest, json!({"parts": names}));
        let read = called(&sidecar, "read_result", json!({"handle": handle(&told)})).await;
        assert!(read.to_string().contains("5 bytes of `application/zip`"), "{read}");
        if let Some(block) = blocks.get(5) {
            assert_eq!(block["resource"]["uri"], handle(&told), "{told}");
        }
    }
}

#[tokio::test]
async fn read_result_reports_unknown_handles_and_wrong_arguments() {
    let sidecar = Sidecar::of_pets().await;
    for (arguments, expected) in [
        (json!({"handle": "result:00ff"}), "no such result"),
        (json!({"handle": "x"}), "`handle`: expected"),
        (json!({}), "`handle`: expected"),
        (json!({"handle": "result:00ff", "limit": 0}), "`limit`: expected 1 to 65536, got: 0"),
        (json!({"handle": "result:00ff", "offset": -1}), "`offset`: expected 0"),
    ] {
        let told = called(&sidecar, "read_result", arguments.clone()).await;
        let text = told["content"][0]["text"].as_str().unwrap();
        assert!(told["isError"] == true && text.contains(expected), "{arguments}: {told}");
    }
}

#[tokio::test]
async fn read_result_is_the_last_listed_tool_and_read_only() {
    let sidecar = Sidecar::of_pets().await;
    let list = sidecar.ask("tools/list", json!({})).await;
    let last = list["result"]["tools"].as_array().unwrap().last().unwrap();
    assert_eq!(last["name"], "read_result");
    assert_eq!(last["annotations"]["readOnlyHint"], true);
}
