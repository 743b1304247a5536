//! Documents from elsewhere that a description refers to: fetched from origins the toolset lists and from no other,
//! answered here by recordings.

use crate::prelude::*;

use callgate::openapi::CodeName;
use callgate_transport::Recording;

const PARTS: &str = "https://specs.example.com/shared/parts.yaml";

/// What became of a description with this reference, and the requests that were made for it.
fn loaded(reference: &str, answer: &str) -> (Vec<OperationStatus>, Vec<CodeName>, Vec<String>) {
    loaded_as("openapi: 3.1.0", reference, answer)
}

/// The same of a description that begins with these members. It lies in a directory with the file `beside.yaml`, below
/// one with the file `above.yaml`.
fn loaded_as(
    head: &str,
    reference: &str,
    answer: &str,
) -> (Vec<OperationStatus>, Vec<CodeName>, Vec<String>) {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("specs");
    fs::create_dir(&folder).unwrap();
    let text = format!(
        "{head}\nservers: [{{url: https://api.example.com}}]\npaths:\n  /a: {{get: {{summary: A, parameters: [{{$ref: '{reference}'}}]}}}}\n"
    );
    fs::write(folder.join("spec.yaml"), text).unwrap();
    let limit = "limit: {name: limit, in: query, schema: {type: integer}}";
    fs::write(folder.join("beside.yaml"), limit).unwrap();
    fs::write(outer.path().join("above.yaml"), limit).unwrap();
    let toolset = folder.join("toolset.yaml");
    fs::write(&toolset, "references: [https://specs.example.com]\n").unwrap();
    let recording = |path: &str, response: &str| {
        Recording {
        name: path.to_owned(),
        request: format!(
            "GET https://specs.example.com{path} HTTP/1.1\naccept: application/yaml, application/json\n\n"
        )
        .into_bytes(),
        response: response.to_owned().into_bytes(),
    }
    };
    let limit = "HTTP/1.1 200 OK\ncontent-type: application/yaml\n\nlimit: {name: limit, in: query, schema: {$ref: types.yaml}}\n";
    let answer = if answer.is_empty() { limit } else { answer };
    let types = "HTTP/1.1 200 OK\n\ntype: integer\n";
    let replay = Replay::new([
        recording("/shared/parts.yaml", answer),
        recording("/shared/types.yaml", types),
    ]);
    let replay = Arc::new(replay.unwrap());
    let environment = Environment::new().with_transport(replay.clone());
    let built = build_in(&Config::from_toolset_file(&toolset).unwrap(), &environment).unwrap();
    let report = &built.toolsets[0].report;
    let requests = replay.requests().into_iter();
    let requests = requests.map(|request| {
        let text = String::from_utf8(request).unwrap();
        text.lines().next().unwrap_or_default().to_owned()
    });
    (
        report.operations.iter().map(|operation| operation.status).collect(),
        report.diagnostics.iter().map(|found| found.code).collect(),
        requests.collect(),
    )
}

#[test]
fn documents_of_a_listed_origin_are_fetched_each_once() {
    let (operations, codes, requests) = loaded(&format!("{PARTS}#/limit"), "");
    assert_eq!(operations, [OperationStatus::Exposed]);
    assert_eq!(codes, [Code::MissingReference; 0]);
    assert_eq!(
        requests,
        [
            "GET https://specs.example.com/shared/parts.yaml HTTP/1.1",
            "GET https://specs.example.com/shared/types.yaml HTTP/1.1"
        ]
    );
}

#[test]
fn references_to_unlisted_origins_send_no_request() {
    for reference in [
        "https://other.example.com/parts.yaml#/limit",
        "https://specs.example.com:8443/parts.yaml#/limit",
        "http://specs.example.com/shared/parts.yaml#/limit",
        "https://user@specs.example.com/shared/parts.yaml#/limit",
        "https://169.254.169.254/latest/meta-data",
    ] {
        let (operations, codes, requests) = loaded(reference, "");
        assert_eq!(operations, [OperationStatus::Refused], "{reference}");
        assert_eq!(codes, [Code::ExternalReference], "{reference}");
        assert_eq!(requests, [""; 0], "{reference}");
    }
}

#[test]
fn a_reference_answered_by_a_redirect_or_a_bomb_only_degrades_its_operations() {
    let bomb = format!("HTTP/1.1 200 OK\n\n{}\n", "[".repeat(10_000));
    for answer in ["HTTP/1.1 302 Found\nlocation: http://169.254.169.254/\n\n", &bomb] {
        let (operations, codes, requests) = loaded(&format!("{PARTS}#/limit"), answer);
        assert_eq!(operations, [OperationStatus::Degraded], "{codes:?}");
        assert!(codes.contains(&Code::MissingReference.into()), "{codes:?}");
        assert_eq!(requests, ["GET https://specs.example.com/shared/parts.yaml HTTP/1.1"]);
    }
}

#[test]
fn a_file_beside_a_description_is_read_before_its_address_is_requested() {
    let listed = "openapi: 3.2.0\n$self: https://specs.example.com/shared/openapi";
    let fetched = [
        "GET https://specs.example.com/shared/parts.yaml HTTP/1.1",
        "GET https://specs.example.com/shared/types.yaml HTTP/1.1",
    ];
    for (reference, expected) in [
        ("beside.yaml#/limit", &[] as &[&str]),
        ("https://specs.example.com/shared/beside.yaml#/limit", &[]),
        ("parts.yaml#/limit", &fetched),
        ("/shared/parts.yaml#/limit", &fetched),
    ] {
        let (operations, codes, requests) = loaded_as(listed, reference, "");
        assert_eq!(operations, [OperationStatus::Exposed], "{reference}: {codes:?}");
        assert_eq!(requests, expected, "{reference}");
    }
}

#[test]
fn the_address_of_a_description_opens_neither_files_nor_origins() {
    let other = "openapi: 3.2.0\n$self: https://other.example.com/shared/openapi";
    for (head, reference) in [
        (other, "parts.yaml#/limit"),
        (other, "../above.yaml#/limit"),
        (other, "https://other.example.com/above.yaml#/limit"),
        ("openapi: 3.2.0\n$self: https://specs.example.com:8443/openapi", "parts.yaml#/limit"),
        ("openapi: 3.2.0\n$self: http://specs.example.com/shared/x", "parts.yaml#/limit"),
        ("openapi: 3.2.0\n$self: file:///etc/openapi", "passwd#/limit"),
        ("openapi: 3.2.0\n$self: specs/spec.yaml", "../../above.yaml#/limit"),
    ] {
        let (operations, codes, requests) = loaded_as(head, reference, "");
        assert_eq!(operations, [OperationStatus::Refused], "{head} {reference}");
        assert_eq!(codes, [Code::ExternalReference], "{head} {reference}");
        assert_eq!(requests, [""; 0], "{head} {reference}");
    }
}
