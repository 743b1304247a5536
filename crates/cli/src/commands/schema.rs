//! `callgate schema`: the JSON Schema of configurations, as `config/schema.json` has it.

use callgate_config as config;

use crate::{exit::Verdict, output};

/// Prints the schema.
pub(crate) fn run() -> Verdict {
    output::result(&format!("{:#}\n", config::schema()));
    Verdict::Fine
}
