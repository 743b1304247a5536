//! Rows as texts, within bounds: no more of a result is held than a model may see.

use rusqlite::{Rows as Stepped, types::ValueRef};

use super::failure;
use crate::{row_buffer::RowBuffer, settings::DatabaseLimits, transaction::Failure};

/// The bytes that the texts of one result may have.
pub(super) struct Bounds {
    bytes: usize,
}

impl Bounds {
    /// Texts are cut to what a model sees by those who show them; this bounds what is held until then.
    pub(super) fn new(limits: &DatabaseLimits) -> Self {
        Self { bytes: limits.result_bytes.saturating_mul(64).saturating_add(LEAST_BYTES) }
    }

    /// Reads at most so many rows.
    pub(super) fn read(&self, stepped: &mut Stepped<'_>, most: u64) -> Result<RowBuffer, Failure> {
        let mut rows = RowBuffer::default();
        let mut left = self.bytes;
        while (rows.len() as u64) < most {
            let Some(row) = stepped.next().map_err(|error| failure::from_error(&error))? else {
                break;
            };
            let count = row.as_ref().column_count();
            for at in 0..count {
                let value = row.get_ref(at).map_err(|error| failure::from_error(&error))?;
                let n_bytes =
                    value.as_bytes_or_null().ok().flatten().map_or(NUMBER_BYTES, <[u8]>::len);
                left = left.checked_sub(n_bytes).ok_or(Failure::TooLarge)?;
                rows.push_value(text(value).as_deref());
            }
            rows.end_row();
        }
        Ok(rows)
    }
}

/// A value as the engine writes it; bytes as hexadecimal digits.
fn text(value: ValueRef<'_>) -> Option<String> {
    Some(match value {
        ValueRef::Null => return None,
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) if number.is_finite() => format!("{number:?}"),
        ValueRef::Real(number) if number.is_sign_negative() => "-Inf".to_owned(),
        ValueRef::Real(_) => "Inf".to_owned(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Blob(bytes) => bytes.iter().map(|byte| format!("{byte:02X}")).collect(),
    })
}

/// The bytes of any result, however few a model sees.
const LEAST_BYTES: usize = 1 << 20;

/// More than the digits of a number have.
const NUMBER_BYTES: usize = 32;
