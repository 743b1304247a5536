//! Writes cookie parameters by `form` into one `Cookie` header. Names and values are percent-encoded, so no value can
//! begin another cookie. Values come from `inputs`.

use crate::query::Pairs;

/// What separates two cookies (RFC 6265 §4.2.1).
const SEPARATOR: &str = "; ";

/// Cookies that are appended to `out`.
pub(crate) fn cookies(out: &mut String) -> Pairs<'_> {
    if out.is_empty() { Pairs::new(out, SEPARATOR) } else { Pairs::after(out, SEPARATOR) }
}
