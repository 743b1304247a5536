//! The arguments of a call in code as those of a tool: values without names go to the parameters in the order of the stub.

use callgate_tool::{Arguments, Object, Value};

use crate::{
    digits::restore_numbers,
    name::{is_same_folded_name, python_name},
    stub::sorted_parameters,
};

/// The arguments of a tool with this schema.
///
/// # Errors
/// The reason why the call has too many values, or one twice.
pub(crate) fn tool_arguments(
    schema: &Value,
    positional: Vec<Value>,
    named: Object,
) -> Result<Arguments, String> {
    let parameters = sorted_parameters(schema);
    let (n_given, n_most) = (positional.len(), parameters.len());
    if n_given > n_most {
        return Err(format!("the function takes at most {n_most} arguments, got {n_given}"));
    }
    let mut arguments = Arguments::new();
    for (parameter, value) in parameters.iter().zip(positional) {
        arguments.insert(parameter.name, value);
    }
    for (name, value) in named {
        let is_exact = parameters.iter().any(|parameter| parameter.name == name);
        let mut similar = parameters
            .iter()
            .filter(|it| python_name(it.name) == name || is_same_folded_name(it.name, &name));
        let parameter = match (is_exact, similar.next(), similar.next()) {
            // The check of the call names an unknown argument, with the nearest.
            (true, ..) | (_, None, _) | (_, _, Some(_)) => name,
            (false, Some(parameter), None) => parameter.name.to_owned(),
        };
        if arguments.contains_key(&parameter) {
            return Err(format!("the argument `{parameter}` is there twice"));
        }
        arguments.insert(parameter, value);
    }
    let mut arguments = Value::Object(arguments);
    restore_numbers(schema, schema, &mut arguments);
    let Value::Object(arguments) = arguments else { return Ok(Arguments::new()) };
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    fn given(positional: &[i32], named: &str) -> Result<String, String> {
        let schema = json!({
            "properties": {"limit": {}, "petId": {}, "X-Trace": {}}, "required": ["petId"],
        });
        let positional = positional.iter().map(|value| Value::from(*value)).collect();
        let named = Arguments::parse(named).unwrap().unwrap();
        tool_arguments(&schema, positional, named).map(|it| Value::Object(it).to_string())
    }

    #[test]
    fn values_without_names_go_to_required_parameters_first() {
        assert_eq!(given(&[7, 3], "{}").unwrap(), r#"{"petId":7,"limit":3}"#);
        assert_eq!(given(&[7], r#"{"X_Trace": 1}"#).unwrap(), r#"{"petId":7,"X-Trace":1}"#);
        assert_eq!(given(&[], r#"{"pet_id": 7}"#).unwrap(), r#"{"petId":7}"#);
        assert_eq!(given(&[], r#"{"pett": 7}"#).unwrap(), r#"{"pett":7}"#);
    }

    #[test]
    fn too_many_values_and_one_twice_are_refused() {
        assert!(given(&[1, 2, 3, 4], "{}").unwrap_err().contains("at most 3"));
        assert!(given(&[7], r#"{"petId": 8}"#).unwrap_err().contains("twice"));
    }
}
