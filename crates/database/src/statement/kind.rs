//! The kind of a statement's value, by what its database says of it or by its schema, and the type of the cast that makes one.

use callgate_tool::Value;

use crate::{catalog::ColumnKind, engine::Engine};

/// The kind of a type of PostgreSQL. Others are texts that the database casts, and it refuses what is none.
pub(super) fn kind_of_type(sql_type: &str) -> ColumnKind {
    let integer = |bits: u32| {
        let half = 1_i128 << (bits - 1);
        ColumnKind::Integer { least: -half, most: half - 1 }
    };
    match sql_type {
        "bigint" | "int8" => integer(64),
        "integer" | "int4" => integer(32),
        "smallint" | "int2" => integer(16),
        "boolean" | "bool" => ColumnKind::Boolean,
        "date" => ColumnKind::Date,
        "double precision" | "float8" | "real" | "float4" => ColumnKind::Float,
        "json" | "jsonb" => ColumnKind::Json,
        "numeric" => ColumnKind::Numeric { precision: None, scale: None },
        "timestamp without time zone" | "timestamp" => ColumnKind::Timestamp { has_zone: false },
        "timestamp with time zone" | "timestamptz" => ColumnKind::Timestamp { has_zone: true },
        "time without time zone" | "time" => ColumnKind::Time { has_zone: false },
        "uuid" => ColumnKind::Uuid,
        _ => ColumnKind::Text { most: None },
    }
}

/// The kind of a scalar by its schema, and the type of its cast in engines that have no types of placeholders.
pub(super) fn kind_of_schema(schema: &Value, engine: Engine) -> (ColumnKind, String) {
    let has = |name: &str| types(schema).any(|it| it == name);
    let [integer, _] = engine.facts().number_casts;
    if has("integer") {
        let kind = ColumnKind::Integer { least: i64::MIN.into(), most: i64::MAX.into() };
        (kind, integer.to_owned())
    } else if has("number") {
        decimal(engine)
    } else if has("boolean") {
        (ColumnKind::Boolean, integer.to_owned())
    } else {
        (ColumnKind::Text { most: None }, String::new())
    }
}

/// The widest exact number that a cast makes.
pub(super) fn decimal(engine: Engine) -> (ColumnKind, String) {
    let [_, cast] = engine.facts().number_casts;
    (ColumnKind::Numeric { precision: None, scale: None }, cast.to_owned())
}

pub(super) fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let types = schema.get("type");
    let one = types.and_then(Value::as_str);
    let several = types.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    one.into_iter().chain(several)
}
