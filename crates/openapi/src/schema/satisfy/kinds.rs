//! The types that a value may have: those that all schemas name, without those that bounds, members or items exclude.

use callgate_tree::Object;

use super::{Search, bounds, conflict::Conflict, items, members, rules::Rules};
use crate::{document::Document, schema::listed_values::has_listed_values_to_convert};

pub(super) fn kinds_conflict<'d>(
    search: &mut Search<'d>,
    rules: &Rules<'d>,
    depth: usize,
) -> Option<Conflict> {
    let left = match allowed_kinds(search.document, rules) {
        Ok(left) => left,
        Err(conflict) => return Some(conflict),
    };
    let mut first = None;
    for kind in KINDS.into_iter().filter(|kind| left & kind != 0) {
        let conflict = match kind {
            ARRAY => items::items_conflict(search, rules, depth),
            FRACTION => bounds::number_conflict(rules),
            INTEGER => bounds::integer_conflict(rules),
            OBJECT => members::members_conflict(search, rules, depth),
            STRING => bounds::string_conflict(rules),
            _ => None,
        };
        first = first.or(Some(conflict?));
    }
    first
}

/// The types that all schemas allow, without null.
fn allowed_kinds(document: &Document, rules: &Rules<'_>) -> Result<u8, Conflict> {
    let mut left = ALL;
    let mut before = None;
    for (schema, object) in rules.object_schemas() {
        let own = declared_kinds(document, object);
        let excluded = object.get("not").and_then(|not| not.as_object()).map_or(0, excluded_kinds);
        if left & own & !excluded == 0 {
            let path = schema.path();
            let (at, name) = if left & own == 0 { ("type", "type") } else { ("not", "not") };
            let other = match before {
                Some(before) => format!("contradicts `type` at `{before}`"),
                None => "excludes the only type beside it".to_owned(),
            };
            let message =
                format!("expected a type that all rules allow, got a `{name}` that {other}");
            return Err(Conflict::new(&path.name(at), message));
        }
        if own != ALL {
            before = Some(schema.pointer.clone());
        }
        left &= own & !excluded;
    }
    Ok(left)
}

fn declared_kinds(document: &Document, object: &Object) -> u8 {
    let Some(kind) = object.get("type") else { return ALL };
    // Listed values of another type are converted, or the type gives way to them.
    if has_listed_values_to_convert(document, object) {
        return ALL;
    }
    match (kind.as_str(), kind.as_array()) {
        (Some(name), _) => kind_bits(name).unwrap_or(ALL),
        (_, Some(names)) => {
            let mut kinds = names.iter().map(|name| name.as_str().and_then(kind_bits));
            kinds
                .try_fold(0, |all, kind| Some(all | kind?))
                .filter(|_| !names.is_empty())
                .unwrap_or(ALL)
        }
        _ => ALL,
    }
}

/// The types that a negated schema excludes whole: it names types and nothing else.
fn excluded_kinds(not: &Object) -> u8 {
    let names = match not.get("type") {
        Some(kind) if not.len() == 1 => {
            kind.as_array().unwrap_or_else(|| std::slice::from_ref(kind))
        }
        _ => return 0,
    };
    names.iter().filter_map(|name| kind_bits(name.as_str()?)).fold(0, |all, kind| all | kind)
}

fn kind_bits(name: &str) -> Option<u8> {
    Some(match name {
        "array" => ARRAY,
        "boolean" => BOOLEAN,
        "file" | "string" => STRING,
        "integer" => INTEGER,
        "null" => 0,
        "number" => FRACTION | INTEGER,
        "object" => OBJECT,
        _ => return None,
    })
}

const ARRAY: u8 = 1;
const BOOLEAN: u8 = 2;
/// Numbers that are not whole.
const FRACTION: u8 = 4;
const INTEGER: u8 = 8;
const OBJECT: u8 = 16;
const STRING: u8 = 32;
const ALL: u8 = 63;
const KINDS: [u8; 6] = [STRING, INTEGER, FRACTION, BOOLEAN, ARRAY, OBJECT];
