//! An operation on entities, joined from what the service says of their type and what the operator chose.

use callgate_kind::{ArgumentForm, Operation};
use callgate_tree::SettingFinding;

use super::{UNKNOWN, key_argument_name};
use crate::{
    arguments::id_schema,
    catalog::EntityType,
    field::Field,
    settings::{ActionKind, ActionSettings},
    work::{Entity, Input},
};

pub(super) fn build_entity(
    action: &ActionSettings,
    name: &str,
    described: &EntityType,
    findings: &mut Vec<SettingFinding>,
) -> Option<Entity> {
    let ActionKind::Entity { operation, many, .. } = action.kind else { return None };
    let keys: Vec<&Field> = described.fields.iter().filter(|field| field.is_key).collect();
    let key_kind = match *keys {
        [only] => Some(only.kind),
        _ => None,
    };
    let names: Vec<&str> = keys.iter().map(|field| field.name.as_str()).collect();
    let key = key_argument_name(action.form, &names);
    let schema = match action.form {
        ArgumentForm::Google => id_schema(None),
        ArgumentForm::Own => id_schema(key_kind),
    };
    let inputs = chosen_fields_or_all(
        action,
        "input_fields",
        action.input_fields.as_deref(),
        described,
        findings,
    );
    let output = chosen_fields_or_all(
        action,
        "output_fields",
        action.output_fields.as_deref(),
        described,
        findings,
    );
    let output_fields = action.output_fields.is_some().then(|| field_names(&output));
    let filtered: Vec<_> =
        output.iter().filter(|field| field.allows_conditions()).cloned().collect();
    // Google's agents filter by all fields, whichever they show.
    let all = described.fields.iter().filter(|field| field.allows_conditions()).cloned();
    let filtered = if action.form == ArgumentForm::Google { all.collect() } else { filtered };
    let many = many && !filtered.is_empty();
    let sorted = field_names(&filtered);
    let is_input = |field: &&Field| operation == Operation::Create || !field.is_key;
    let inputs = Input::from_fields(inputs.iter().filter(is_input).cloned());
    let (name, form, is_paged) = (name.to_owned(), action.form, keys.len() == 1);
    let key = (key, schema);
    Some(Entity {
        name,
        operation,
        form,
        many,
        key,
        inputs,
        filtered,
        sorted,
        is_paged,
        output_fields,
    })
}

/// The chosen fields, or all; a chosen field that does not exist is a finding.
fn chosen_fields_or_all(
    action: &ActionSettings,
    key: &str,
    names: Option<&[String]>,
    described: &EntityType,
    findings: &mut Vec<SettingFinding>,
) -> Vec<Field> {
    let Some(names) = names else { return described.fields.clone() };
    let mut fields = Vec::new();
    for name in names {
        match described.fields.iter().find(|field| field.name == *name) {
            Some(field) => fields.push(field.clone()),
            None => findings.push(unknown_field_finding(action, key, name)),
        }
    }
    fields
}

fn field_names(fields: &[Field]) -> Vec<String> {
    fields.iter().map(|field| field.name.clone()).collect()
}

pub(super) fn unknown_field_finding(
    action: &ActionSettings,
    key: &str,
    name: &str,
) -> SettingFinding {
    let pointer = format!("{}/{key}", action.pointer);
    let message = format!("expected a field that the service describes, got: `{name}`");
    SettingFinding::error(UNKNOWN, pointer, message, "correct the name or leave it out")
}
