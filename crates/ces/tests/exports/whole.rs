//! Whole exports as values, and archives of which bytes are wrong: they are read or refused, and never end the program.

use std::{
    fs,
    io::{Cursor, Write as _},
    path::{Path, PathBuf},
};

use callgate_ces::{ExportKind, import_export};
use callgate_config::Severity;
use callgate_tool::{Object, json};
use zip::{ZipWriter, write::SimpleFileOptions};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/exports").join(name)
}

#[test]
fn an_exported_agent_yields_its_tools_and_example_calls() {
    let export = import_export(&fixture("pets_agent")).unwrap();
    assert_eq!((export.kind, &*export.name), (ExportKind::Agent, "Pet shop agent"));
    let names: Vec<_> = export.toolsets.iter().map(|toolset| &*toolset.name).collect();
    assert_eq!(names, ["Manuals", "PetTool", "client", "code_interpreter"]);
    let manuals = &export.toolsets[0];
    let store = "projects/p/locations/l/collections/c/dataStores/d";
    let vertex = json!({
        "answer": true, "data_stores": [store], "name": "Manuals",
        "description": "What the manuals say.", "arguments": "google",
    });
    assert_eq!(manuals.settings, Object::from([("prefix", "".into()), ("vertex", vertex)]));
    let pets = &export.toolsets[1];
    assert_eq!(pets.settings.get("defaults"), Some(&json!("all")));
    assert_eq!(pets.settings.get("tool_names"), Some(&json!("as_written")));
    assert!(pets.description.as_deref().unwrap().contains("operationId: createPet"));
    let shown = |at: usize| {
        let example = &export.examples[at];
        (&*example.name, example.answer.as_ref().map(|(status, _)| *status))
    };
    assert_eq!(shown(0), ("Adopt a pet 1", Some(200)));
    assert_eq!(shown(1), ("Adopt a pet 2", Some(201)));
    let message = &export.examples[1].message["toolCall"];
    assert_eq!(message["inputParameters"]["requestBody"]["name"], "Rex");
    assert!(export.findings.iter().all(|finding| finding.severity < Severity::Error));
}

#[test]
fn an_exported_app_yields_environment_values_and_variables() {
    let export = import_export(&fixture("shop")).unwrap();
    assert_eq!((export.kind, &*export.name), (ExportKind::App, "Shop"));
    let orders = export.toolsets.iter().find(|toolset| toolset.name == "orders").unwrap();
    assert_eq!(orders.settings.get("server"), Some(&json!("https://orders.example/v1")));
    let directory = json!("projects/p/locations/us/namespaces/shop/services/orders");
    assert_eq!(orders.settings.get("service_directory"), Some(&directory));
    assert_eq!(export.variables, json!({"customer_id": "c-42"}).as_object().cloned().unwrap());
    let answers = export.examples.iter().filter(|example| example.answer.is_some()).count();
    assert_eq!((export.examples.len(), answers), (3, 3));
}

fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn an_archive_with_a_wrong_byte_or_without_its_end_is_read_or_refused() {
    let tool = r#"{"displayName": "a", "functionSpec": {"inputSchema": {"type": "object"}}}"#;
    let example = r#"{"actions": [{"toolUse": {"tool": "a", "action": "a"}}]}"#;
    let whole = archive(&[
        ("agent.json", "{}"),
        ("tools/a/a.json", tool),
        ("playbooks/p/examples/e.json", example),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("export.zip");
    let read = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        import_export(&file).is_ok()
    };
    assert!(read(&whole));
    for at in 0..whole.len() {
        for other in [0xff, whole[at] ^ 0x01] {
            let mut wrong = whole.clone();
            wrong[at] = other;
            read(&wrong);
        }
        assert!(!read(&whole[..at]), "{at} bytes");
    }
}
