//! The functions that a program has called, each looked up once: its schema may be large, and a loop calls it often. The executor judges
//! each call by the rights of its moment.

use std::sync::Arc;

use callgate_executor::Entry;
use callgate_tool::Value;

use super::Program;
use crate::{functions::Function, message::Name};

/// A function that the program has called.
#[derive(Clone, Debug)]
pub(super) enum Callee<'e> {
    Search,
    Tool {
        entry: Entry<'e>,
        /// The schema of its arguments, with its definitions.
        schema: Arc<Value>,
        /// The lines of the program that name it.
        lines: Value,
    },
}

impl<'a> Program<'a> {
    /// The function of a name.
    ///
    /// # Errors
    /// The reason why there is none.
    pub(super) fn callee(&mut self, name: &Name) -> Result<Callee<'a>, String> {
        let text = name.dotted_name();
        if let Some(callee) = self.callees.get(&text) {
            return Ok(callee.clone());
        }
        let callee = match self.functions.find(name)? {
            Function::Search => Callee::Search,
            Function::Tool(entry) => {
                let schema = entry.declaration().map(|tool| tool.input_schema.to_value());
                let lines = self.journal.lines_with_name(&name.name).into_iter().map(Value::from);
                let schema = Arc::new(schema.unwrap_or_default());
                Callee::Tool { entry, schema, lines: Value::Array(lines.collect()) }
            }
        };
        self.callees.insert(text, callee.clone());
        Ok(callee)
    }

    /// The lines of the program that name the function of a call.
    pub(super) fn lines_naming_callee(&self, number: usize) -> Value {
        let call = self.journal.calls.get(number);
        match call.and_then(|call| self.callees.get(&call.name.dotted_name())) {
            Some(Callee::Tool { lines, .. }) => lines.clone(),
            Some(Callee::Search) | None => Value::Array(Vec::new()),
        }
    }
}
