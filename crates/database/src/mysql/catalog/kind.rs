//! The values of a type, by its words in the catalog: `decimal(20,4)`, `int(10) unsigned`, `enum('new','paid')`.

use crate::catalog::ColumnKind;

/// The kind of a type. Types that are not known are read as texts only.
pub(super) fn from_sql_type(sql_type: &str) -> ColumnKind {
    let lower = sql_type.to_ascii_lowercase();
    let end = lower.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(lower.len());
    let (word, rest) = lower.split_at(end);
    let is_unsigned = rest.contains("unsigned");
    let sizes = sizes(rest);
    let size = sizes.first().copied();
    match word {
        "tinyint" if size == Some(1) && !is_unsigned => {
            ColumnKind::Flag { least: i8::MIN.into(), most: i8::MAX.into() }
        }
        "bit" if size.is_none_or(|size| size == 1) => ColumnKind::Boolean,
        "tinyint" => integer(8, is_unsigned),
        "smallint" => integer(16, is_unsigned),
        "mediumint" => integer(24, is_unsigned),
        "int" => integer(32, is_unsigned),
        "bigint" => integer(64, is_unsigned),
        "bit" => integer(size.unwrap_or(1).min(64), true),
        "year" => ColumnKind::Integer { least: 1901, most: 2155 },
        "decimal" => ColumnKind::Numeric {
            precision: size,
            scale: sizes.get(1).and_then(|scale| i32::try_from(*scale).ok()),
        },
        "double" | "float" => ColumnKind::Float,
        "date" => ColumnKind::Date,
        "time" => ColumnKind::Time { has_zone: false },
        "datetime" => ColumnKind::Timestamp { has_zone: false },
        "timestamp" => ColumnKind::Timestamp { has_zone: true },
        "char" | "varchar" => ColumnKind::Text { most: size },
        "longtext" | "mediumtext" | "set" | "text" | "tinytext" => ColumnKind::Text { most: None },
        "enum" => ColumnKind::Enumeration(labels(sql_type)),
        "binary" | "blob" | "longblob" | "mediumblob" | "tinyblob" | "varbinary" => {
            ColumnKind::Bytes
        }
        "json" => ColumnKind::Json,
        "uuid" => ColumnKind::Uuid,
        "inet4" | "inet6" => ColumnKind::Literal,
        _ => ColumnKind::Other,
    }
}

fn integer(bits: u32, is_unsigned: bool) -> ColumnKind {
    let values = 1_i128 << bits;
    if is_unsigned {
        ColumnKind::Integer { least: 0, most: values - 1 }
    } else {
        ColumnKind::Integer { least: -(values / 2), most: values / 2 - 1 }
    }
}

/// The numbers in the parentheses of a type.
fn sizes(rest: &str) -> Vec<u32> {
    let inner = rest.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    let inner = inner.map(|(inner, _)| inner).unwrap_or_default();
    inner.split(',').map_while(|size| size.trim().parse().ok()).collect()
}

/// The labels of an `enum`: texts in quotes, in which a quote is doubled.
fn labels(sql_type: &str) -> Vec<String> {
    let mut labels = Vec::new();
    let mut rest = sql_type;
    while let Some((_, after)) = rest.split_once('\'') {
        let (mut label, mut after) = (String::new(), after);
        while let Some((part, next)) = after.split_once('\'') {
            label.push_str(part);
            after = next;
            match next.strip_prefix('\'') {
                Some(next) => {
                    label.push('\'');
                    after = next;
                }
                None => break,
            }
        }
        labels.push(label);
        rest = after;
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sql_type: &str, expected: &ColumnKind) {
        assert_eq!(from_sql_type(sql_type), *expected, "{sql_type}");
    }

    #[test]
    fn a_kind_follows_from_the_words_of_the_catalog() {
        let integer = |least, most| ColumnKind::Integer { least, most };
        check("tinyint(1)", &ColumnKind::Flag { least: -128, most: 127 });
        check("bit(1)", &ColumnKind::Boolean);
        check("tinyint(1) unsigned", &integer(0, 255));
        check("bigint(20) unsigned", &integer(0, u64::MAX.into()));
        check("int", &integer(i32::MIN.into(), i32::MAX.into()));
        check("bit(8)", &integer(0, 255));
        check("bit(64)", &integer(0, u64::MAX.into()));
        check("decimal(20,4)", &ColumnKind::Numeric { precision: Some(20), scale: Some(4) });
        check("varchar(40)", &ColumnKind::Text { most: Some(40) });
        check("set('a','b')", &ColumnKind::Text { most: None });
        check("timestamp(3)", &ColumnKind::Timestamp { has_zone: true });
        check("inet6", &ColumnKind::Literal);
        check("point", &ColumnKind::Other);
    }

    #[test]
    fn labels_may_hold_every_character() {
        let labels = |labels: &[&str]| {
            ColumnKind::Enumeration(labels.iter().map(|label| (*label).to_owned()).collect())
        };
        check("enum('new','paid')", &labels(&["new", "paid"]));
        check("enum('it''s','a,b','','(x)')", &labels(&["it's", "a,b", "", "(x)"]));
    }
}
