//! Schemas for tests, written as JSON, and the schemas built from them. For tests only.

use callgate_tool::{Value, json};
use callgate_tree::Path;

use super::{Builder, View, cache::SchemaCache};
use crate::{budget::Budget, sample::document};

pub(super) fn value(text: &str) -> Value {
    Value::parse(text).unwrap()
}

/// Checks a schema, its built form, and the codes of the findings.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
pub(super) fn check(schema: Value, expected: Value, codes: &[&str]) {
    let document = document(json!({"schema": schema}));
    let node = document.root().get("schema").unwrap();
    let built = SchemaCache::new(Budget::for_definitions(&document));
    let mut builder = Builder::new(&document, &built, View::Complete);
    assert_eq!(builder.build_schema(node, &Path::at("/schema")), expected);
    let diagnostics = builder.findings.into_diagnostics();
    assert_eq!(
        diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect::<Vec<_>>(),
        codes
    );
}
