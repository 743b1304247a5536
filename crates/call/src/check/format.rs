//! The formats that are checked: only those with one common meaning, and only if the schema has no other rule in their
//! place. Texts are parsed by the grammar of each; no value is kept.

use std::net::{Ipv4Addr, Ipv6Addr};

use callgate_tool::{Object, Value};

/// A format that is checked. Services read other formats in their own ways, so a check would refuse right arguments.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Format {
    Date,
    DateTime,
    Email,
    Ipv4,
    Ipv6,
    Uuid,
}

impl Format {
    /// The format that a schema asks its texts to have. `None` if another rule describes the texts too: a pattern, an
    /// enumeration, or a length that the format cannot have. It is then unclear which rule the service means (JSON Schema
    /// Validation 2020-12 §7.2: a format alone need not be asserted), so only the other rule is checked.
    pub(crate) fn from_schema(members: &Object) -> Option<Self> {
        let name = members.get("format")?.as_str()?;
        let (format, _) = NAMES.iter().find(|(_, format_name)| *format_name == name)?;
        let (shortest, longest) = format.length_range();
        let length = |name: &str| members.get(name).and_then(Value::as_u64);
        let is_doubtful = members.get("pattern").is_some_and(Value::is_string)
            || members.get("enum").is_some_and(Value::is_array)
            || members.contains_key("const")
            || length("maxLength").is_some_and(|most| most < shortest)
            || length("minLength").is_some_and(|least| least > longest);
        (!is_doubtful).then_some(*format)
    }

    pub(crate) fn name(self) -> &'static str {
        NAMES.iter().find(|(format, _)| *format == self).map_or("", |(_, name)| name)
    }

    pub(crate) fn example(self) -> &'static str {
        match self {
            Self::Date => "2026-01-31",
            Self::DateTime => "2026-01-31T12:00:00Z",
            Self::Email => "name@example.com",
            Self::Ipv4 => "192.0.2.1",
            Self::Ipv6 => "2001:db8::1",
            Self::Uuid => "123e4567-e89b-42d3-a456-426614174000",
        }
    }

    pub(crate) fn fits(self, text: &str) -> bool {
        match self {
            Self::Date => is_date(text),
            Self::DateTime => is_date_time(text).unwrap_or(false),
            Self::Email => is_email(text),
            Self::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
            Self::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
            Self::Uuid => is_uuid(text),
        }
    }

    /// The lengths of the shortest and of the longest text, in characters (RFC 3339 §5.6, RFC 9562 §4, RFC 5954 §4.1).
    fn length_range(self) -> (u64, u64) {
        match self {
            Self::Date => (10, 10),
            Self::DateTime => (20, u64::MAX),
            Self::Email => (0, u64::MAX),
            Self::Ipv4 => (7, 15),
            Self::Ipv6 => (2, 45),
            Self::Uuid => (36, 36),
        }
    }
}

pub(crate) fn has_formats(schema: &Value) -> bool {
    let mut left = vec![schema];
    while let Some(value) = left.pop() {
        match value {
            Value::Object(members) if Format::from_schema(members).is_some() => return true,
            Value::Object(members) => left.extend(members.values()),
            Value::Array(items) => left.extend(items),
            _ => {}
        }
    }
    false
}

/// RFC 3339 §5.6, `full-date`.
fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut part = |width| parts.next().and_then(|digits| parse_fixed_width_number(digits, width));
    let (Some(year), Some(month), Some(day)) = (part(4), part(2), part(2)) else { return false };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let n_days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    parts.next().is_none() && (1..=n_days).contains(&day)
}

/// RFC 3339 §5.6, `date-time`; a leap second is allowed only where one can occur (§5.7).
fn is_date_time(text: &str) -> Option<bool> {
    let (date, time) = text.split_once(['T', 't'])?;
    let (clock, rest) = time.split_at_checked(8)?;
    let rest = match rest.strip_prefix('.') {
        Some(rest) => {
            let offset = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            (offset.len() < rest.len()).then_some(offset)?
        }
        None => rest,
    };
    let (hour, minute, second) = (
        parse_fixed_width_number(clock.get(..2)?, 2)?,
        parse_fixed_width_number(clock.get(3..5)?, 2)?,
        parse_fixed_width_number(clock.get(6..)?, 2)?,
    );
    let is_clock = clock.get(2..3)? == ":" && clock.get(5..6)? == ":" && hour < 24 && minute < 60;
    let offset = offset_minutes(rest)?;
    let utc = (i64::from(hour) * 60 + i64::from(minute) - offset).rem_euclid(24 * 60);
    let is_second = second < 60 || (second == 60 && utc == 24 * 60 - 1);
    Some(is_date(date) && is_clock && is_second)
}

/// The minutes of `Z`, `+01:30` or `-08:00`.
fn offset_minutes(text: &str) -> Option<i64> {
    if matches!(text, "Z" | "z") {
        return Some(0);
    }
    let sign = match text.get(..1)? {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let (hours, minutes) = text.get(1..)?.split_once(':')?;
    let (hours, minutes) =
        (parse_fixed_width_number(hours, 2)?, parse_fixed_width_number(minutes, 2)?);
    (hours < 24 && minutes < 60).then(|| sign * i64::from(hours * 60 + minutes))
}

fn parse_fixed_width_number(text: &str, width: usize) -> Option<u32> {
    let is_plain = text.len() == width && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain { text.parse().ok() } else { None }
}

/// RFC 5321 §4.1.2, `Mailbox`; letters of all scripts are allowed (RFC 6531).
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    is_email_local_part(local) && is_email_domain(domain)
}

fn is_email_local_part(local: &str) -> bool {
    let quoted = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    if let Some(quoted) = quoted {
        let mut rest = quoted.chars();
        while let Some(c) = rest.next() {
            let is_fine = match c {
                '\\' => rest.next().is_some_and(|c| !c.is_control()),
                '"' => false,
                c => !c.is_control(),
            };
            if !is_fine {
                return false;
            }
        }
        return true;
    }
    let is_atom =
        |c: char| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c) || !c.is_ascii();
    local.split('.').all(|atom| !atom.is_empty() && atom.chars().all(is_atom))
}

fn is_email_domain(domain: &str) -> bool {
    if let Some(address) = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return match address.strip_prefix("IPv6:") {
            Some(address) => address.parse::<Ipv6Addr>().is_ok(),
            None => address.parse::<Ipv4Addr>().is_ok(),
        };
    }
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_' || !c.is_ascii())
    };
    domain.split('.').all(is_label)
}

/// RFC 9562 §4, the text form.
fn is_uuid(text: &str) -> bool {
    let dashes = [8, 13, 18, 23];
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| {
            if dashes.contains(&at) { byte == b'-' } else { byte.is_ascii_hexdigit() }
        })
}

const NAMES: [(Format, &str); 6] = [
    (Format::Date, "date"),
    (Format::DateTime, "date-time"),
    (Format::Email, "email"),
    (Format::Ipv4, "ipv4"),
    (Format::Ipv6, "ipv6"),
    (Format::Uuid, "uuid"),
];

#[cfg(test)]
mod tests {
    use callgate_testkit::list;
    use callgate_tool::json;

    use super::*;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
    fn check(schema: Value, is_checked: bool) {
        let found = Format::from_schema(schema.as_object().unwrap());
        assert_eq!(found.is_some(), is_checked, "{schema}");
    }

    #[test]
    fn only_a_known_format_without_other_text_keywords_is_checked() {
        check(json!({"format": "date-time"}), true);
        check(json!({"format": "uuid", "minLength": 36, "maxLength": 36}), true);
        check(json!({"format": "uuid", "properties": {"enum": {}}}), true);
        check(json!({"format": "hostname"}), false);
    }

    #[test]
    fn a_format_beside_a_pattern_enum_or_length_is_not_checked() {
        check(json!({"format": "date-time", "pattern": "^[0-9]{4,}"}), false);
        check(json!({"format": "date-time", "enum": ["now"]}), false);
        check(json!({"format": "date", "const": "today"}), false);
        check(json!({"format": "uuid", "minLength": 24, "maxLength": 24}), false);
        check(json!({"format": "ipv4", "minLength": 16}), false);
    }

    #[track_caller]
    fn check_texts(format: Format, fitting: &str, others: &str) {
        for text in list(fitting).into_iter().chain([format.example()]) {
            assert!(format.fits(text), "{text}");
        }
        for text in list(others) {
            assert!(!format.fits(text), "{text}");
        }
    }

    #[test]
    fn dates_and_times_must_exist_in_the_calendar() {
        check_texts(
            Format::Date,
            "2024-02-29 | 2000-02-29",
            "2023-02-29 | 1900-02-29 | 2024-13-01 | 2024-1-01 | 2024-01-00 | 2024-01-01-1 | ٢٠٢٤-٠١-٠١",
        );
        check_texts(
            Format::DateTime,
            "2024-01-01T00:00:00Z | 2024-01-01t23:59:59.5+23:59 | 1998-12-31T23:59:60Z | 1998-12-31T15:59:60.1-08:00",
            "2024-01-01 | 2024-01-01T24:00:00Z | 1998-12-31T22:59:60Z | 2024-01-01T00:00:00 | 2024-01-01T00:00:00.Z | 2024-01-01T00:00:00+1:00 | 2024-01-01 00:00:00Z",
        );
    }

    #[test]
    fn addresses_and_identifiers_are_distinguished_from_other_texts() {
        check_texts(
            Format::Email,
            r#"a@b.c | "a b"@b.c | a@[127.0.0.1] | a@[IPv6:::1] | jörg@müller.de"#,
            "a | a@ | @b | a.@b.c | .a@b.c | a..b@c.d | a@b=c.d | a@[127.0.0.300] | a b@c.d | a@b.c, d@e.f",
        );
        check_texts(Format::Ipv4, "192.0.2.1", "192.0.2.256 | 192.0.2 | 192.00.2.1 | 0x7f.0.0.1");
        check_texts(Format::Ipv6, "::1 | 2001:db8::192.0.2.1", "1::2::3 | ::1%eth0 | 12345::");
        check_texts(
            Format::Uuid,
            "123E4567-e89b-42d3-a456-426614174000",
            "123e4567e89b42d3a456426614174000 | 123e4567-e89b-42d3-a456-42661417400g",
        );
    }
}
