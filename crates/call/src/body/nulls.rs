//! The meaning of a `null` that the schema of a body's member does not allow. Members are checked in `check`.

use callgate_openapi::{BodyKind, BodyMedia, Input, InputLocation, Operation};
use callgate_tool::{Arguments, Object, Value};
use http::Method;

use super::media_type::is_json_patch;
use crate::check::{Nulls, resolved_schema};

/// In a PATCH, a member is given because it changes: a `null` that was left out would change nothing, in silence. In the
/// strict mode of a provider, a model gives all members, and `null` for those that it does not mean.
pub(crate) fn null_handling(
    operation: &Operation,
    media: &BodyMedia,
    arguments: &Arguments,
) -> Nulls {
    if media.is_merge_patch() {
        return Nulls::Remove;
    }
    let has_members = !matches!(media.kind, BodyKind::Binary | BodyKind::Text);
    let is_change =
        operation.method == Method::PATCH && has_members && !is_json_patch(&media.media_type);
    if is_change && !has_all_visible_members(operation, media, arguments) {
        Nulls::Refuse
    } else {
        Nulls::Omit
    }
}

/// True if every member that the model may give is there, and one of them is not `null`.
fn has_all_visible_members(
    operation: &Operation,
    media: &BodyMedia,
    arguments: &Arguments,
) -> bool {
    let is_of_body = |input: &&Input| input.visible && input.place() == InputLocation::Body;
    let mut of_body = operation.inputs.iter().filter(is_of_body);
    let schema = operation.arguments_schema();
    let declared = |schema: &Value| schema.get("properties").and_then(Value::as_object).cloned();
    let whole = of_body.clone().find(|input| input.name.is_empty());
    let Some(whole) = whole else {
        let all = declared(schema).unwrap_or_default();
        let is_given = |input: &Input| {
            arguments.get(input.argument.as_str()).is_some_and(|value| !value.is_null())
        };
        return has_all_names(&all, arguments) && of_body.any(is_given);
    };
    let name = whole.argument.as_str();
    let Some(members) = arguments.get(name).and_then(Value::as_object) else { return false };
    let own =
        schema.get("properties").and_then(|properties| media.schema_in(properties.get(name)?));
    let all = own.and_then(|own| declared(resolved_schema(own, schema)?)).unwrap_or_default();
    has_all_names(&all, members) && members.values().any(|value| !value.is_null())
}

fn has_all_names(declared: &Object, given: &Object) -> bool {
    declared.keys().all(|name| given.contains_key(name))
}
