//! The declaration of the tool for SQL of a model: its words name all that a text may read.

use callgate_tool::{Effect, InvalidName, Schema, Tool, json};

use super::NAME;
use crate::{
    catalog::Column,
    declaration::{self, Terms},
};

/// A table that a text may read.
#[derive(Debug)]
pub(super) struct Readable {
    /// The name as the configuration writes it.
    pub(super) table: String,
    pub(super) columns: Vec<Column>,
}

/// The declaration.
pub(super) fn tool(readable: &[Readable], terms: Terms<'_>) -> Result<Tool, InvalidName> {
    let name = declaration::tool_name(terms.prefix, NAME)?;
    let input = json!({
        "type": "object",
        "properties": {"sql": {"type": "string", "minLength": 1, "maxLength": MOST_CHARACTERS}},
        "required": ["sql"],
        "additionalProperties": false,
    });
    let output = declaration::rows_schema(std::iter::empty());
    // Nothing says that a text of a model reads the same again, or reads what it was made for.
    let tool = Tool::new(name, words(readable, terms), Schema::new(input), Effect::Write);
    Ok(tool.with_lazy_output_schema(move || Some(Schema::new(output))))
}

fn words(readable: &[Readable], terms: Terms<'_>) -> String {
    let mut words = format!(
        "Run one SELECT of {} and get at most {} rows; nothing can be changed. Only these tables and columns can be read:",
        terms.engine.facts().product,
        terms.limits.rows
    );
    for Readable { table, columns } in readable {
        let columns: Vec<String> = columns
            .iter()
            .map(|column| format!("{} {}", column.name, column.sql_type).trim_end().to_owned())
            .collect();
        words.push_str(&format!(" {table}({})", columns.join(", ")));
    }
    words
}

/// More than a model writes at once.
const MOST_CHARACTERS: u32 = 20_000;
