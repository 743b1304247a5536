//! The identity of a program, from which the keys of its writes follow: a service that honours keys makes each of them once, also
//! where the caller repeats the program under a key.

use std::{
    hash::{BuildHasher as _, Hasher as _, RandomState},
    process,
    time::SystemTime,
};

use callgate_executor::{Call, RepeatKey};
use callgate_tool::{Arguments, FingerprintHasher, Principal, Value, hexadecimal};

use crate::{name::is_idempotency_key_name, stub::sorted_parameters};

/// The identity of the program that a call runs: its caller's key, or one that no other program has.
pub(crate) fn program_identity(call: &Call<'_>) -> String {
    let mut hasher = FingerprintHasher::default();
    hasher.add_optional_text(call.principal().map(Principal::id)).add_text(call.tool());
    if let Some(RepeatKey(key)) = call.extensions().get() {
        hasher.add_text(key);
    } else {
        let began = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let random = || random_number().to_string();
        hasher.add_text(&began.unwrap_or_default().as_nanos().to_string());
        hasher.add_text(&process::id().to_string()).add_text(&random()).add_text(&random());
    }
    hexadecimal(hasher.finish().as_bytes())
}

/// A number that nobody can guess.
fn random_number() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Gives a write its key, if its tool takes one and the code gives none.
pub(crate) fn add_missing_idempotency_key(
    arguments: &mut Arguments,
    schema: &Value,
    identity: &str,
    number: usize,
) {
    let takers = sorted_parameters(schema)
        .into_iter()
        .filter(|parameter| is_idempotency_key_name(parameter.name));
    for parameter in takers {
        if !arguments.contains_key(parameter.name) {
            arguments.insert(parameter.name, call_key_uuid(identity, number).into());
        }
    }
}

/// The key of a call in the form of a UUID (RFC 9562 §5.8), which services with a form of their own take.
fn call_key_uuid(identity: &str, number: usize) -> String {
    let mut hasher = FingerprintHasher::default();
    hasher.add_text(identity).add_text(&number.to_string());
    let digits = hexadecimal(hasher.finish().as_bytes());
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    format!("{}-{}-8{}-a{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn a_write_whose_tool_takes_a_key_gets_one_of_its_program_and_number() {
        let schema = json!({"properties": {"name": {}, "idempotency-key": {"type": "string"}}});
        let key = |given: &str, identity: &str, number: usize| {
            let mut arguments = Arguments::parse(given).unwrap().unwrap();
            add_missing_idempotency_key(&mut arguments, &schema, identity, number);
            arguments["idempotency-key"].as_str().unwrap().to_owned()
        };
        let first = key("{}", "a", 0);
        assert_eq!(first, key("{}", "a", 0));
        assert_ne!(first, key("{}", "a", 1));
        assert_ne!(first, key("{}", "b", 0));
        assert_eq!(key(r#"{"idempotency-key": "mine"}"#, "a", 0), "mine");
        let lengths: Vec<_> = first.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{first}");
        let mut none = Arguments::new();
        add_missing_idempotency_key(&mut none, &json!({"properties": {"key": {}}}), "a", 0);
        assert!(none.is_empty());
    }
}
