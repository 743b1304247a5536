//! The parts of an operator's edit that only a declaration shows: the texts and defaults of arguments, and examples.

use callgate_tool::{Object, Value};

use crate::{declaration::DeclarationParts, input::Input};

impl DeclarationParts<'_> {
    pub(super) fn apply_edit_to_property(&self, input: &Input, built: &mut Value) {
        let (Some(edit), Value::Object(members)) = (self.edit, built) else { return };
        members.insert_if_some("description", edit.describe.get(input.argument.as_str()));
        let default = input.default.as_ref().filter(|_| input.edit.has_value);
        members.insert_if_some("default", default.cloned());
    }

    /// Adds the operator's examples to the schema of all arguments, in place of those of the description.
    pub(super) fn replace_examples(&self, schema: &mut Object) {
        let examples = self.edit.map(|edit| edit.examples.as_slice()).unwrap_or_default();
        if !examples.is_empty() {
            let examples = examples.iter().cloned().map(Value::Object).collect();
            schema.insert("examples".to_owned(), Value::Array(examples));
        }
    }
}
