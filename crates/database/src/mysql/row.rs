//! The columns of a result and the values of a row, as texts. Types that have more than one way to be written are read as texts by
//! the statement itself; the rest is here.

use super::payload::Payload;
use crate::catalog::ColumnKind;

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct ResultColumn {
    pub(super) name: String,
    of: u8,
    is_binary: bool,
    flags: u16,
    length: u32,
    decimals: u8,
    /// The name of a type that only MariaDB has: `json`, `uuid`.
    special: String,
}

impl ResultColumn {
    /// Reads a description of a column.
    pub(super) fn read(payload: &[u8], is_extended: bool) -> Option<Self> {
        let mut payload = Payload(payload);
        for _ in 0..4 {
            payload.length_encoded_bytes()?;
        }
        let name = String::from_utf8_lossy(payload.length_encoded_bytes()?).into_owned();
        payload.length_encoded_bytes()?;
        let special = if is_extended {
            extended_type_name(payload.length_encoded_bytes()?)
        } else {
            String::new()
        };
        payload.length_encoded_integer()?;
        let is_binary = payload.u16()? == BINARY;
        let length = payload.u32()?;
        let of = payload.byte()?;
        let (flags, decimals) = (payload.u16()?, payload.byte()?);
        Some(Self { name, of, is_binary, flags, length, decimals, special })
    }

    fn is_unsigned(&self) -> bool {
        self.flags & UNSIGNED != 0
    }

    /// The values that the column can have.
    pub(super) fn kind(&self) -> ColumnKind {
        let integer = |bits: u32| {
            let (least, most) = if self.is_unsigned() {
                (0, (1_i128 << bits) - 1)
            } else {
                (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
            };
            ColumnKind::Integer { least, most }
        };
        match (self.special.as_str(), self.of) {
            ("json", _) | (_, JSON) => ColumnKind::Json,
            ("uuid", _) => ColumnKind::Uuid,
            (_, TINY) if self.length == 1 && !self.is_unsigned() => {
                ColumnKind::Flag { least: i8::MIN.into(), most: i8::MAX.into() }
            }
            (_, TINY) => integer(8),
            (_, SHORT | YEAR) => integer(16),
            (_, INT24) => integer(24),
            (_, LONG) => integer(32),
            (_, LONGLONG) => integer(64),
            (_, DECIMAL | NEWDECIMAL) => ColumnKind::Numeric { precision: None, scale: None },
            (_, FLOAT | DOUBLE) => ColumnKind::Float,
            (_, DATE) => ColumnKind::Date,
            (_, TIME) => ColumnKind::Time { has_zone: false },
            (_, DATETIME) => ColumnKind::Timestamp { has_zone: false },
            (_, TIMESTAMP) => ColumnKind::Timestamp { has_zone: true },
            (_, BIT | GEOMETRY) => ColumnKind::Bytes,
            _ if self.is_binary && self.of != NULL => ColumnKind::Bytes,
            _ => ColumnKind::Text { most: None },
        }
    }
}

/// The name of a type out of pairs of a mark and a text: 0 the type, 1 the format.
fn extended_type_name(pairs: &[u8]) -> String {
    let mut payload = Payload(pairs);
    let mut type_name = "";
    while let (Some(_), Some(text)) = (payload.byte(), payload.length_encoded_bytes()) {
        type_name = str::from_utf8(text).unwrap_or_default();
    }
    type_name.to_owned()
}

/// The values of a row of a prepared statement.
pub(super) fn read_binary_row(
    payload: &[u8],
    columns: &[ResultColumn],
) -> Option<Vec<Option<String>>> {
    let mut payload = Payload(payload);
    payload.byte()?;
    let nulls = payload.bytes((columns.len() + 9) / 8)?;
    let value = |(at, column): (usize, &ResultColumn)| {
        let bit = at + 2;
        let is_null = nulls.get(bit / 8)? >> (bit % 8) & 1 == 1;
        if is_null { Some(None) } else { read_value(&mut payload, column).map(Some) }
    };
    let values: Option<_> = columns.iter().enumerate().map(value).collect();
    // A row ends with its last value.
    values.filter(|_| payload.0.is_empty())
}

/// The values of a row of a constant command.
pub(super) fn read_text_row(payload: &[u8], n_columns: usize) -> Option<Vec<Option<String>>> {
    let mut payload = Payload(payload);
    let mut values = Vec::with_capacity(n_columns);
    for _ in 0..n_columns {
        if payload.0.first() == Some(&0xfb) {
            payload.byte()?;
            values.push(None);
        } else {
            values
                .push(Some(String::from_utf8_lossy(payload.length_encoded_bytes()?).into_owned()));
        }
    }
    payload.0.is_empty().then_some(values)
}

fn read_value(payload: &mut Payload<'_>, column: &ResultColumn) -> Option<String> {
    let is_unsigned = column.is_unsigned();
    Some(match column.of {
        TINY if is_unsigned => payload.byte()?.to_string(),
        TINY => payload.array().map(i8::from_le_bytes)?.to_string(),
        SHORT | YEAR if is_unsigned => payload.u16()?.to_string(),
        SHORT | YEAR => payload.array().map(i16::from_le_bytes)?.to_string(),
        LONG | INT24 if is_unsigned => payload.u32()?.to_string(),
        LONG | INT24 => payload.array().map(i32::from_le_bytes)?.to_string(),
        LONGLONG if is_unsigned => payload.array().map(u64::from_le_bytes)?.to_string(),
        LONGLONG => payload.array().map(i64::from_le_bytes)?.to_string(),
        FLOAT => payload.array().map(f32::from_le_bytes)?.to_string(),
        DOUBLE => payload.array().map(f64::from_le_bytes)?.to_string(),
        DATE | DATETIME | TIMESTAMP => read_moment(payload, column)?,
        TIME => read_time(payload, column.decimals)?,
        _ => {
            let bytes = payload.length_encoded_bytes()?;
            if column.kind() == ColumnKind::Bytes {
                return Some(bytes.iter().map(|byte| format!("{byte:02X}")).collect());
            }
            // The server's texts are in UTF-8, since the connection is.
            String::from_utf8_lossy(bytes).into_owned()
        }
    })
}

/// A date, or a date with its time: of these, the parts at the end that are zero are left out.
fn read_moment(payload: &mut Payload<'_>, column: &ResultColumn) -> Option<String> {
    let length = payload.byte()?;
    let mut rest = Payload(payload.bytes(length.into())?);
    let (year, month, day) =
        if length == 0 { (0, 0, 0) } else { (rest.u16()?, rest.byte()?, rest.byte()?) };
    let date = format!("{year:04}-{month:02}-{day:02}");
    if column.of == DATE {
        return Some(date);
    }
    let clock = if length > 4 { rest.array::<3>()? } else { [0; 3] };
    let micros = if length > 7 { rest.u32()? } else { 0 };
    let [hours, minutes, seconds] = clock;
    let fraction = fraction(micros, column.decimals);
    Some(format!("{date} {hours:02}:{minutes:02}:{seconds:02}{fraction}"))
}

fn read_time(payload: &mut Payload<'_>, decimals: u8) -> Option<String> {
    let length = payload.byte()?;
    let mut rest = Payload(payload.bytes(length.into())?);
    if length == 0 {
        return Some(format!("00:00:00{}", fraction(0, decimals)));
    }
    let sign = if rest.byte()? == 1 { "-" } else { "" };
    let days = u64::from(rest.u32()?);
    let [hours, minutes, seconds] = rest.array::<3>()?;
    let micros = if length > 8 { rest.u32()? } else { 0 };
    let hours = days * 24 + u64::from(hours);
    Some(format!("{sign}{hours:02}:{minutes:02}:{seconds:02}{}", fraction(micros, decimals)))
}

/// The digits after the second, as many as the column has.
fn fraction(micros: u32, decimals: u8) -> String {
    let digits = format!("{micros:06}");
    match digits.get(..usize::from(decimals.min(6))) {
        Some(digits) if !digits.is_empty() => format!(".{digits}"),
        _ => String::new(),
    }
}

/// The number of the collation of bytes.
const BINARY: u16 = 63;
const UNSIGNED: u16 = 1 << 5;

// <https://mariadb.com/kb/en/result-set-packets/#field-types>
const DECIMAL: u8 = 0;
const TINY: u8 = 1;
const SHORT: u8 = 2;
const LONG: u8 = 3;
const FLOAT: u8 = 4;
const DOUBLE: u8 = 5;
const NULL: u8 = 6;
const TIMESTAMP: u8 = 7;
const LONGLONG: u8 = 8;
const INT24: u8 = 9;
const DATE: u8 = 10;
const TIME: u8 = 11;
const DATETIME: u8 = 12;
const YEAR: u8 = 13;
const BIT: u8 = 16;
const JSON: u8 = 245;
const NEWDECIMAL: u8 = 246;
const GEOMETRY: u8 = 255;
