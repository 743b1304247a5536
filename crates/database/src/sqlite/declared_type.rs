//! The declared type of a column, which the engine takes as a hint: the kind of values that callgate reads and writes by it.

use crate::catalog::ColumnKind;

/// A column takes values of its declared type alone, or any.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Strictness {
    Flexible,
    Strict,
}

/// The kind of a column. Common names come before the engine's own rules (<https://sqlite.org/datatype3.html>, §3.1), which know five classes.
pub(super) fn kind(declared: &str, strictness: Strictness) -> ColumnKind {
    let (name, sizes) = name_and_sizes(declared);
    if strictness == Strictness::Strict && name == "ANY" {
        return ColumnKind::Other;
    }
    match name.as_str() {
        "" => ColumnKind::Any,
        "BOOL" | "BOOLEAN" => ColumnKind::Flag { least: i64::MIN.into(), most: i64::MAX.into() },
        "DATE" => ColumnKind::Date,
        "DATETIME" | "TIMESTAMP" | "TIMESTAMP WITHOUT TIME ZONE" => {
            ColumnKind::Timestamp { has_zone: false }
        }
        "TIMESTAMP WITH TIME ZONE" | "TIMESTAMPTZ" => ColumnKind::Timestamp { has_zone: true },
        "TIME" | "TIME WITHOUT TIME ZONE" => ColumnKind::Time { has_zone: false },
        "JSON" => ColumnKind::Json,
        "GUID" | "UUID" => ColumnKind::Uuid,
        // `NUM` is the engine's own word for `cast(… as numeric)` in a view.
        "DEC" | "DECIMAL" | "MONEY" | "NUM" | "NUMBER" | "NUMERIC" => numeric(&sizes),
        name => by_affinity(name, &sizes),
    }
}

/// True if equal texts of the kind are stored as equal values: a column without a class of its own keeps a number that looks
/// like the text.
pub(super) fn stores_equal_texts_equally(declared: &str, kind: &ColumnKind) -> bool {
    let is_text = matches!(kind, ColumnKind::Any | ColumnKind::Json | ColumnKind::Other);
    !is_text || is_text_class(&name_and_sizes(declared).0)
}

fn by_affinity(name: &str, sizes: &[u32]) -> ColumnKind {
    if name.contains("INT") {
        return ColumnKind::Integer { least: i64::MIN.into(), most: i64::MAX.into() };
    }
    if is_text_class(name) {
        return ColumnKind::Text { most: sizes.first().copied() };
    }
    if name.contains("BLOB") {
        return ColumnKind::Bytes;
    }
    if ["REAL", "FLOA", "DOUB"].iter().any(|part| name.contains(part)) {
        return ColumnKind::Float;
    }
    ColumnKind::Other
}

fn is_text_class(name: &str) -> bool {
    !name.contains("INT") && ["CHAR", "CLOB", "TEXT"].iter().any(|part| name.contains(part))
}

fn numeric(sizes: &[u32]) -> ColumnKind {
    let scale = sizes.get(1).and_then(|scale| i32::try_from(*scale).ok());
    let precision = sizes.first().copied();
    ColumnKind::Numeric { precision, scale: scale.or_else(|| precision.map(|_| 0)) }
}

/// The name in capitals with single blanks, and the numbers in its parentheses.
fn name_and_sizes(declared: &str) -> (String, Vec<u32>) {
    let (name, sizes) = declared.split_once('(').unwrap_or((declared, ""));
    let (sizes, rest) = sizes.split_once(')').unwrap_or((sizes, ""));
    let words: Vec<_> = name.split_whitespace().chain(rest.split_whitespace()).collect();
    let sizes = sizes.split(',').map_while(|size| size.trim().parse().ok());
    (words.join(" ").to_ascii_uppercase(), sizes.collect())
}
