//! Any bytes as a description: read, loaded, every declaration and every schema of arguments built. Each operation is
//! accounted for, names are unique, and what is declared is JSON Schema of 2020-12.

#![no_main]

use std::collections::BTreeSet;

use callgate_openapi::{Document, Limits, LoadOptions, Loaded, OperationStatus, load};
use callgate_tree::{Limits as TextLimits, Severity, fill_positions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = TextLimits { nodes: 100_000, alias_bytes: 1 << 20, ..TextLimits::default() };
    let limits = Limits { text, operations: 64, ..Limits::default() };
    let document = match Document::read(bytes, &limits) {
        Ok(parsed) => parsed.value,
        Err(mut diagnostics) => {
            assert!(diagnostics.iter().any(|each| each.severity == Severity::Error));
            return fill_positions(bytes, &mut diagnostics);
        }
    };
    let server = (bytes.len() % 2 == 0).then(|| "https://api.example.com/base".to_owned());
    let options = LoadOptions { server, ..LoadOptions::default() };
    let mut loaded = load(&document, &options).with_schema_findings();
    accounted(&loaded);
    for operation in &loaded.operations {
        let tool = operation.declaration().expect("a declaration of what was examined");
        assert!(!tool.description.is_empty(), "{}", operation.label());
        let output = tool.output_schema().map(callgate_tool::Schema::to_value);
        let arguments = operation.arguments_schema().clone();
        let schemas = [Some(tool.input_schema.to_value()), output, Some(arguments)];
        for schema in schemas.into_iter().flatten() {
            let foreign = serde_json::from_str(&schema.to_string()).expect("JSON");
            assert!(
                jsonschema::draft202012::meta::is_valid(&foreign),
                "{}: {schema}",
                operation.label()
            );
        }
    }
    fill_positions(bytes, &mut loaded.report.diagnostics);
});

fn accounted(loaded: &Loaded) {
    let report = &loaded.report;
    let n_offered =
        report.count(OperationStatus::Exposed) + report.count(OperationStatus::Degraded);
    assert_eq!(n_offered, loaded.operations.len());
    assert_eq!(n_offered + report.count(OperationStatus::Refused), report.operations.len());
    let names: BTreeSet<_> = loaded.operations.iter().map(|each| &each.tool_name).collect();
    assert_eq!(names.len(), loaded.operations.len());
    for operation in &loaded.operations {
        let arguments: BTreeSet<_> = operation.inputs.iter().map(|each| &each.argument).collect();
        assert_eq!(arguments.len(), operation.inputs.len(), "{}", operation.label());
    }
}
