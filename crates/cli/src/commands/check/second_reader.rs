//! `callgate check --strict`: the verdict of the crate `openapiv3` on descriptions of OpenAPI 3.0. It does not change which
//! operations become tools.

use crate::{exit::Failure, report::Checked};

/// Fails if the crate is not built in.
pub(super) fn needed() -> Result<(), Failure> {
    if cfg!(feature = "openapiv3") {
        return Ok(());
    }
    let message = "error: `--strict` needs a build of callgate with the feature `openapiv3`\nhelp: build it with `--features openapiv3`";
    Err(Failure(message.to_owned()))
}

/// Prints the verdict on each description. Returns the number of faults.
#[cfg(feature = "openapiv3")]
pub(super) fn report(documents: &[Checked]) -> usize {
    use callgate::openapi::TextLimits;
    use callgate_config::strict_faults;
    use callgate_tree::read;

    use crate::output;

    let mut n_faults = 0;
    for document in documents {
        // A text that cannot be read was already reported.
        let Ok(read) = read(document.text().as_bytes(), &TextLimits::default()) else { continue };
        let faults = strict_faults(&read.value.to_value());
        let mut told = match faults.len() {
            0 => format!("{}: openapiv3 reads it\n", document.file.display()),
            1 => format!("{}: openapiv3 refuses 1 part\n", document.file.display()),
            n => format!("{}: openapiv3 refuses {n} parts\n", document.file.display()),
        };
        for fault in &faults {
            told.push_str(&format!("  {}: {}\n", shown(&fault.pointer), fault.message));
        }
        output::result(&told);
        n_faults += faults.len();
    }
    output::talk(NOT_READ);
    n_faults
}

#[cfg(feature = "openapiv3")]
fn shown(pointer: &str) -> &str {
    if pointer.is_empty() { "the description" } else { pointer }
}

#[cfg(feature = "openapiv3")]
const NOT_READ: &str = "note: openapiv3 does not read members beside `$ref`, members that OpenAPI 3.0 does not know, and digits beyond those of a double\n";

/// Finds nothing: it never runs, because [`needed`] fails first.
#[cfg(not(feature = "openapiv3"))]
pub(super) fn report(_: &[Checked]) -> usize {
    0
}
