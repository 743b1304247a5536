//! An operator's edit of a tool that is no operation of a description: its declaration, and the step that fills the
//! arguments before they are checked.

use std::sync::Arc;

use callgate_call::{ArgumentCheck, faults_of_examples, wording};
use callgate_openapi::AppliedEdit;
use callgate_tool::{
    Arguments, EditFault, Event, Fault, FingerprintHasher, Journal, Object, Schema, Tool, ToolEdit,
    ToolName, Value, json,
};

/// A tool as an operator's edit declares it, and the values that calls of it get.
///
/// ```
/// use callgate_executor::EditedTool;
/// use callgate_tool::{Effect, Schema, Tool, ToolEdit, ToolName, json};
///
/// let schema = json!({"type": "object", "properties": {"page": {"type": "string"}, "tab": {"type": "integer"}}});
/// let tool = Tool::new(ToolName::new("app-open")?, "Opens a page".into(), Schema::new(schema), Effect::Write);
/// let edit = ToolEdit { fix: [("tab".to_owned(), json!(1))].into(), ..ToolEdit::default() };
/// let (edited, faults) = EditedTool::new(&tool, ToolName::new("app-show")?, &edit.into());
/// assert!(faults.is_empty());
/// assert_eq!(edited.declaration().name.as_str(), "app-show");
/// assert_eq!(edited.declaration().input_schema.to_value()["properties"].get("tab"), None);
/// # Ok::<(), callgate_tool::InvalidName>(())
/// ```
#[derive(Clone, Debug)]
pub struct EditedTool {
    tool: Tool,
    pub(super) applied: AppliedEdit,
    hidden: Vec<String>,
    values: Object,
}

impl EditedTool {
    /// Applies the edit to a tool whose arguments are the properties of its schema, and which gets this name. With the tool
    /// come the faults of the edit; the tool is not to be offered if there are errors among them.
    pub fn new(tool: &Tool, name: ToolName, edit: &Arc<ToolEdit>) -> (Self, Vec<EditFault>) {
        let mut schema = tool.input_schema.to_value();
        let mut faults = edit.contradictions();
        faults.extend(argument_faults(&schema, edit));
        if faults.is_empty() {
            faults.extend(value_faults(&schema, edit));
        }
        if let Value::Object(schema) = &mut schema {
            apply_edit_to_schema(schema, edit);
        }
        faults.extend(faults_of_examples(schema.clone(), edit));
        let mut edited = tool.clone();
        edited.name = name;
        edited.input_schema = Schema::new(schema);
        edited.effect = edit.effect.unwrap_or(tool.effect);
        edited.description = edit.description.clone().unwrap_or(edited.description);
        let hidden: Vec<String> = edit.hide.iter().chain(edit.fix.keys()).cloned().collect();
        let values = edit.defaults.iter().chain(&edit.fix);
        let values = values.map(|(name, value)| (name.clone(), value.clone())).collect();
        let applied = AppliedEdit::new(Arc::clone(edit), tool.name.clone());
        (Self { tool: edited, applied, hidden, values }, faults)
    }

    /// Sets the description, unless the operator wrote one.
    pub(super) fn set_description_if_absent(&mut self, description: String) {
        if self.applied.changes.description.is_none() {
            self.tool.description = description;
        }
    }

    /// The declaration.
    pub fn declaration(&self) -> &Tool {
        &self.tool
    }

    /// The arguments of a call with the operator's values; an argument that is hidden from the model is unknown.
    pub(super) fn filled_arguments(
        &self,
        arguments: &Arguments,
        journal: &mut Journal,
    ) -> Result<Arguments, Box<Fault>> {
        if self.hidden.iter().any(|name| arguments.contains_key(name)) {
            let mut schema = self.tool.input_schema.to_value();
            if let Value::Object(schema) = &mut schema {
                schema.insert("additionalProperties", false.into());
            }
            // The hidden ones are no properties, so this check reports each as unknown, with all other problems.
            ArgumentCheck::new(schema).check(arguments)?;
            return Err(wording::not_supported("an argument of this call is not one of the tool"));
        }
        let mut filled = arguments.clone();
        for (name, value) in &self.values {
            if !filled.contains_key(name) {
                filled.insert(name.clone(), value.clone());
                journal.note(Event::ConfiguredUsed { argument: name.clone() });
            }
        }
        Ok(filled)
    }

    pub(super) fn hash_operator_values(&self, hasher: &mut FingerprintHasher) {
        hasher.add_object(&self.values);
    }
}

fn argument_faults(schema: &Value, edit: &ToolEdit) -> Vec<EditFault> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let argument_names = || properties.into_iter().flat_map(|all| all.keys().map(String::as_str));
    let is_required = |name: &str| {
        let required = schema.get("required").and_then(Value::as_array);
        required.is_some_and(|names| names.iter().any(|required| required == name))
    };
    let mut faults = Vec::new();
    for (pointer, name) in edit.changed_arguments() {
        if argument_names().all(|argument_name| argument_name != name) {
            faults.push(EditFault::unknown_argument(pointer, name, argument_names()));
            continue;
        }
        let composed = COMPOSING.iter().find(|keyword| schema.get(**keyword).is_some());
        if let Some(keyword) = composed.filter(|_| !pointer.starts_with("/describe/")) {
            let message = format!(
                "expected a tool whose schema has no rules about several arguments, got one with `{keyword}`: `{name}`"
            );
            faults.push(EditFault::impossible_change(
                pointer,
                message,
                "change the schema of the function itself",
            ));
        } else if pointer.starts_with("/hide/") && is_required(name) && edit.value(name).is_none() {
            faults.push(EditFault::missing_hidden_value(pointer, name));
        }
    }
    faults
}

fn value_faults(schema: &Value, edit: &ToolEdit) -> Vec<EditFault> {
    let mut open = schema.clone();
    if let Value::Object(open) = &mut open {
        open.remove("required");
    }
    let check = ArgumentCheck::new(open);
    let mut faults = Vec::new();
    for (key, values) in [("fix", &edit.fix), ("defaults", &edit.defaults)] {
        for (name, value) in values {
            let given = Arguments::from_iter([(name.clone(), value.clone())]);
            let problems = check.check(&given).err().map(|fault| fault.problems);
            for problem in problems.into_iter().flatten() {
                let message = format!("expected {}, got: {}", problem.expected, problem.got);
                let help = "write a value that the schema of the argument allows";
                faults.push(EditFault::impossible_change(format!("/{key}/{name}"), message, help));
            }
        }
    }
    faults
}

fn apply_edit_to_schema(schema: &mut Object, edit: &ToolEdit) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let hidden: Vec<String> =
            properties.keys().filter(|name| edit.hides(name)).cloned().collect();
        for name in &hidden {
            properties.remove(name);
        }
        let texts = edit.describe.iter().map(|(name, text)| (name, "description", json!(text)));
        let defaults = edit.defaults.iter().map(|(name, value)| (name, "default", value.clone()));
        for (name, keyword, value) in texts.chain(defaults) {
            if let Some(Value::Object(property)) = properties.get_mut(name) {
                property.insert(keyword, value);
            }
        }
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        let is_given = |name: &Value| {
            name.as_str().is_some_and(|name| edit.hides(name) || edit.defaults.contains_key(name))
        };
        required.retain(|name| !is_given(name));
        if required.is_empty() {
            schema.remove("required");
        }
    }
    if !edit.examples.is_empty() {
        let examples = edit.examples.iter().cloned().map(Value::Object).collect();
        schema.insert("examples", Value::Array(examples));
    }
}

/// The keywords of a schema with rules about several arguments at once.
const COMPOSING: [&str; 11] = [
    "$ref",
    "allOf",
    "anyOf",
    "dependentRequired",
    "dependentSchemas",
    "if",
    "maxProperties",
    "minProperties",
    "not",
    "oneOf",
    "patternProperties",
];
