//! Names of members that a provider refuses, and their replacements. No two members of a tool share a replacement.

use std::collections::{BTreeMap, BTreeSet};

use callgate_tool::{Object, Schema, Value};

use super::{
    definitions::Definitions,
    grammar::{Grammar, Names},
};

/// The replacements of members' names, by the original names.
pub(super) fn name_replacements(
    grammar: &Grammar,
    schema: &Schema,
    definitions: &Definitions<'_>,
) -> BTreeMap<String, String> {
    if grammar.names == Names::Any {
        return BTreeMap::new();
    }
    let names = declared_names(schema, definitions);
    let is_legal = |name: &str| is_legal(name, grammar.names);
    let mut taken: BTreeSet<String> =
        names.iter().filter(|name| is_legal(name)).map(|name| (*name).to_owned()).collect();
    let mut others = BTreeMap::new();
    for name in names.into_iter().filter(|name| !is_legal(name)) {
        let mut other = legal_name(name);
        let mut n_tries = 0_u32;
        while !taken.insert(other.clone()) {
            other = hashed_name(&legal_name(name), name, n_tries);
            n_tries += 1;
        }
        others.insert(name.to_owned(), other);
    }
    others
}

fn declared_names<'s>(schema: &'s Schema, definitions: &Definitions<'s>) -> BTreeSet<&'s str> {
    let mut names = BTreeSet::new();
    let mut open: Vec<&Value> =
        definitions.schemas().chain([schema.without_definitions()]).collect();
    while let Some(value) = open.pop() {
        open.extend(value.as_array().into_iter().flatten());
        for (keyword, below) in value.as_object().into_iter().flatten() {
            let properties = below.as_object().filter(|_| keyword == "properties");
            let properties = properties.into_iter().flat_map(Object::keys);
            let required = below.as_array().filter(|_| keyword == "required");
            let required = required.into_iter().flatten().filter_map(Value::as_str);
            names.extend(properties.map(String::as_str).chain(required));
            open.extend((!DATA.contains(&keyword.as_str())).then_some(below));
        }
    }
    names
}

fn is_legal(name: &str, names: Names) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_short = (1..=LONGEST).contains(&name.len());
    is_short
        && match names {
            Names::Any => true,
            Names::Dotted => name.bytes().all(|byte| is_word(byte) || b"-.".contains(&byte)),
            Names::Identifiers => {
                name.bytes().all(is_word) && !name.starts_with(|first: char| first.is_ascii_digit())
            }
        }
}

fn legal_name(name: &str) -> String {
    let word = |character: char| {
        if character.is_ascii_alphanumeric() { character } else { '_' }
    };
    let is_start = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let mut words: String = name.chars().map(word).collect();
    // `$filter` and `@type` become `filter` and `type`.
    let bare = words.trim_start_matches('_');
    let is_bare_legal = bare.starts_with(|first: char| first.is_ascii_alphabetic());
    if !is_start && is_bare_legal {
        words = String::from(bare);
    } else if !is_start {
        words.insert(0, '_');
    }
    if words.len() > LONGEST { hashed_name(&words, name, 0) } else { words }
}

fn hashed_name(legal: &str, name: &str, n_tries: u32) -> String {
    let start: String = legal.chars().take(LONGEST - 9).collect();
    // FNV-1a gives equal hashes on every machine.
    let bytes = name.bytes().chain(n_tries.to_le_bytes().into_iter().filter(|byte| *byte > 0));
    let hash = bytes
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{start}_{hash:08x}")
}

const LONGEST: usize = 64;
/// Keywords whose values are data, not schemas.
const DATA: [&str; 5] = ["const", "default", "enum", "example", "examples"];
