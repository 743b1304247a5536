//! The cursor of a next page in a member that has the name of its parameter, without `next`. It may as well be the cursor of the
//! page itself, so it counts only where no member names a next page, not even as an empty one.

use callgate_openapi::{Input, Operation};
use callgate_tool::{Arguments, Object, Value};

use super::{
    argument_with_value, envelope_objects, folded_name, name_without_next,
    names::{MEMBERS, OWN_CURSORS, PAGE_ADDRESSES},
    query_input_by_name, visible_query_inputs,
};
use crate::check::resolved_schema;

/// The arguments for the page behind the one that `asked` asks for, if a member has its cursor.
pub(super) fn next_cursor_arguments(
    operation: &Operation,
    asked: &Arguments,
    members: &Object,
) -> Option<Arguments> {
    if has_empty_next_page(members) {
        None
    } else {
        cursor_arguments_in_members(operation, asked, members)
    }
}

/// True if a member that names the next page is empty, as on the last page.
fn has_empty_next_page(members: &Object) -> bool {
    let is_of_page = |subject: &str| {
        PAGE_ADDRESSES.contains(&subject)
            || MEMBERS.iter().any(|member| member.subjects.contains(&subject))
    };
    let is_empty = |value: &Value| value.is_null() || value.as_str() == Some("");
    let is_end = members.iter().any(|(name, value)| {
        is_empty(value) && name_without_next(&folded_name(name)).is_some_and(is_of_page)
    });
    is_end || envelope_objects(members).any(has_empty_next_page)
}

fn cursor_arguments_in_members(
    operation: &Operation,
    asked: &Arguments,
    members: &Object,
) -> Option<Arguments> {
    let own = members.iter().find_map(|(name, value)| {
        let arguments = cursor_arguments_of_member(operation, asked, &folded_name(name), value)?;
        (!arguments.is_empty()).then_some(arguments)
    });
    own.or_else(|| {
        envelope_objects(members)
            .find_map(|inner| cursor_arguments_in_members(operation, asked, inner))
    })
}

/// The cursor of a member; that of the request may be repeated there.
fn cursor_arguments_of_member(
    operation: &Operation,
    asked: &Arguments,
    folded: &str,
    value: &Value,
) -> Option<Arguments> {
    let named = OWN_CURSORS.iter().find(|member| member.subjects.contains(&folded))?;
    // MediaWiki names all parameters of the next page in `continue`.
    if let Value::Object(parameters) = value {
        let argument = |(name, value): (&String, &Value)| {
            let input = visible_query_inputs(operation).find(|input| *input.name == **name)?;
            Some(argument_with_value(input, value.clone()))
        };
        let is_continued = folded == "continue";
        return is_continued.then(|| parameters.iter().filter_map(argument).collect());
    }
    // A number as a text is the position of the page itself.
    let text = value.as_str().filter(|text| !text.is_empty() && text.parse::<u64>().is_err())?;
    let input = named.parameters.iter().find_map(|name| query_input_by_name(operation, name))?;
    let is_repeated =
        asked.get(input.argument.as_str()).is_some_and(|own| own.text_or_json() == text);
    let is_cursor = !is_repeated && allows_text(operation, input);
    is_cursor.then(|| [argument_with_value(input, value.clone())].into_iter().collect())
}

/// True unless the schema of an input has types without that of texts: the `offset` of a time zone is no position.
fn allows_text(operation: &Operation, input: &Input) -> bool {
    let root = operation.arguments_schema();
    let own = root.get("properties").and_then(|all| all.get(input.argument.as_str()));
    let schema = own.and_then(|own| resolved_schema(own, root));
    match schema.and_then(|schema| schema.get("type")) {
        None => true,
        Some(Value::Array(types)) => types.iter().any(|kind| kind.as_str() == Some("string")),
        Some(kind) => kind.as_str() == Some("string"),
    }
}
