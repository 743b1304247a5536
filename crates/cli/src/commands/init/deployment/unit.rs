//! A configuration behind the unit of systemd: its secrets as credentials, and the commands that install it.

use std::{fmt::Write as _, path::Path};

use super::{MADE, names::Names};
use crate::commands::tools::command_words::shell_quoted_word;

pub(super) const SOCKET: &str = "callgate.socket";

/// The credentials of the unit, and a file of variables.
pub(super) fn systemd_drop_in(names: &Names) -> String {
    let mut text = format!("{MADE}[Service]\n");
    for name in &names.secrets {
        let _infallible = writeln!(text, "LoadCredential={name}:/etc/callgate/secrets/{name}");
    }
    if !names.variables.is_empty() {
        let listed: Vec<_> = names.variables.iter().map(|name| format!("{name}=…")).collect();
        let _infallible = writeln!(text, "# A file that only root reads: {}", listed.join(", "));
        text.push_str("EnvironmentFile=/etc/callgate/environment\n");
    }
    text
}

/// The commands that install a configuration with the files that it names, its secrets and the units, and start it.
pub(super) fn install_commands(
    folder: &str,
    file: &Path,
    names: &Names,
    has_address: bool,
) -> String {
    let word = |path: &Path| shell_quoted_word(&path.display().to_string());
    let mut steps = format!("install -D --mode 644 {} /etc/callgate/callgate.yaml\n", word(file));
    let base = file.parent().unwrap_or_else(|| Path::new(""));
    for text in names.texts.iter().filter(|text| Path::new(text).is_relative()) {
        let path = base.join(text);
        if path.is_file() {
            let target = shell_quoted_word(&format!("/etc/callgate/{text}"));
            let _infallible = writeln!(steps, "install -D --mode 644 {} {target}", word(&path));
        }
    }
    for name in &names.secrets {
        let _infallible =
            writeln!(steps, "install -D --mode 600 {name} /etc/callgate/secrets/{name}");
    }
    if !names.variables.is_empty() {
        steps.push_str("install -D --mode 600 environment /etc/callgate/environment\n");
    }
    let _infallible = writeln!(steps, "cp --recursive {folder}/* /etc/systemd/system/");
    steps.push_str("systemctl daemon-reload\n");
    steps.push_str(if has_address {
        "systemctl mask --now callgate.socket\nsystemctl enable --now callgate.service\n"
    } else {
        "systemctl enable --now callgate.socket callgate.service\n"
    });
    steps
}
