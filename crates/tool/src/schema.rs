//! A JSON Schema of the 2020-12 dialect that refers to nothing outside itself. Built in `openapi`, projected onto
//! providers in `dialect`.

use serde_json::Value;

/// A self-contained JSON Schema 2020-12.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema(Value);

impl Schema {
    /// Wraps a schema that is already canonical.
    pub fn new(value: Value) -> Self {
        Self(value)
    }

    /// The schema as JSON.
    pub fn as_value(&self) -> &Value {
        &self.0
    }
}
