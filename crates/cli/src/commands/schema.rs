//! `callgate schema`: prints the JSON Schema of configurations, equal to `config/schema.json`.

use callgate_config as config;

use crate::{exit::Verdict, output};

pub(crate) fn run() -> Verdict {
    output::result(&format!("{:#}\n", config::schema()));
    Verdict::Fine
}
