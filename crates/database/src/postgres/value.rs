//! Values as texts: what is bound, and what is read. The statement casts both, so that the database's own types decide.

use std::error::Error;

use bytes::BytesMut;
use tokio_postgres::{
    Row,
    types::{FromSql, IsNull, Kind, ToSql, Type, WrongType},
};

use callgate_tool::Number;

use crate::row_buffer::RowBuffer;

/// A value that is bound as a text.
pub(super) struct BoundText<'a>(pub(super) Option<&'a str>);

// The library writes what is bound to its log.
callgate_secret::opaque!(BoundText<'_> = "****");

impl ToSql for BoundText<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let Some(text) = self.0 else { return Ok(IsNull::Yes) };
        out.extend_from_slice(text.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(of: &Type) -> bool {
        has_text_binary_form(of)
    }

    tokio_postgres::types::to_sql_checked!();
}

/// Adds the values of a row as texts.
pub(super) fn push_row(rows: &mut RowBuffer, row: &Row) -> Result<(), tokio_postgres::Error> {
    for at in 0..row.len() {
        match row.try_get(at)? {
            Some(ShownValue::Text(text)) => rows.push_text(text),
            Some(ShownValue::Truth(truth)) => rows.push_text(if truth { "true" } else { "false" }),
            Some(ShownValue::Whole(number)) => rows.push_text(&Number::from(number).digits()),
            None => rows.push_null(),
        }
    }
    rows.end_row();
    Ok(())
}

/// The values of a row as texts.
pub(super) fn texts(row: &Row) -> Result<Vec<Option<String>>, tokio_postgres::Error> {
    let mut rows = RowBuffer::default();
    push_row(&mut rows, row)?;
    Ok(rows.to_texts().pop().unwrap_or_default())
}

/// A value that the server sends as a text, or a number or truth value, which has one way to be written.
enum ShownValue<'a> {
    Text(&'a str),
    Truth(bool),
    Whole(i64),
}

impl<'a> FromSql<'a> for ShownValue<'a> {
    fn from_sql(of: &Type, bytes: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(match *of {
            Type::BOOL => Self::Truth(bool::from_sql(of, bytes)?),
            Type::INT2 => Self::Whole(i16::from_sql(of, bytes)?.into()),
            Type::INT4 => Self::Whole(i32::from_sql(of, bytes)?.into()),
            Type::INT8 => Self::Whole(i64::from_sql(of, bytes)?),
            Type::OID => Self::Whole(u32::from_sql(of, bytes)?.into()),
            Type::TEXT | Type::VARCHAR => Self::Text(str::from_utf8(bytes)?),
            _ if has_text_binary_form(of) => Self::Text(str::from_utf8(bytes)?),
            _ => return Err(Box::new(WrongType::new::<Self>(of.clone()))),
        })
    }

    /// A value says by itself whether its type is one, which is looked at once.
    fn accepts(_: &Type) -> bool {
        true
    }
}

/// True if the binary form of a type is its text.
fn has_text_binary_form(of: &Type) -> bool {
    match of.kind() {
        Kind::Enum(_) => true,
        Kind::Domain(of) => has_text_binary_form(of),
        _ => matches!(
            *of,
            Type::TEXT
                | Type::VARCHAR
                | Type::BPCHAR
                | Type::NAME
                | Type::UNKNOWN
                | Type::JSON
                | Type::XML
        ),
    }
}
