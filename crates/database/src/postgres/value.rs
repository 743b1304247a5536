//! Values as texts: what is bound, and what is read. The statement casts both, so that the database's own types decide.

use std::error::Error;

use bytes::BytesMut;
use tokio_postgres::{
    Row,
    types::{FromSql, IsNull, Kind, ToSql, Type},
};

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
        is_text(of)
    }

    tokio_postgres::types::to_sql_checked!();
}

/// The values of a row as texts.
pub(super) fn texts(row: &Row) -> Result<Vec<Option<String>>, tokio_postgres::Error> {
    let mut texts = Vec::with_capacity(row.len());
    for at in 0..row.len() {
        let text: Option<Text> = row.try_get(at)?;
        texts.push(text.map(|Text(text)| text));
    }
    Ok(texts)
}

/// A value that the server sends as a text, or a number or truth value, which has one way to be written.
struct Text(String);

impl<'a> FromSql<'a> for Text {
    fn from_sql(of: &Type, bytes: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        let text = match *of {
            Type::BOOL => bool::from_sql(of, bytes)?.to_string(),
            Type::INT2 => i16::from_sql(of, bytes)?.to_string(),
            Type::INT4 => i32::from_sql(of, bytes)?.to_string(),
            Type::INT8 => i64::from_sql(of, bytes)?.to_string(),
            Type::OID => u32::from_sql(of, bytes)?.to_string(),
            _ => str::from_utf8(bytes)?.to_owned(),
        };
        Ok(Self(text))
    }

    fn accepts(of: &Type) -> bool {
        is_text(of) || matches!(*of, Type::BOOL | Type::INT2 | Type::INT4 | Type::INT8 | Type::OID)
    }
}

/// True if the binary form of a type is its text.
fn is_text(of: &Type) -> bool {
    match of.kind() {
        Kind::Enum(_) => true,
        Kind::Domain(of) => is_text(of),
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
