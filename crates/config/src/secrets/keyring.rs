//! `keyring:`: the choice among the machine's keyrings.

use callgate_store::KeyringBackend;
use callgate_tree::Node;

use crate::{
    code::ConfigCode,
    keys::KEYRING,
    reader::{Reader, at},
};

/// Reads the keyring that `keyring:` selects.
pub(super) fn read(reader: &mut Reader, node: &Node, pointer: &str) -> Option<KeyringBackend> {
    let mapping = reader.mapping(node, pointer, &KEYRING)?;
    match reader.string(mapping, "backend")? {
        "kernel" => Some(KeyringBackend::Kernel),
        "platform" => Some(KeyringBackend::Platform),
        other => {
            let message = format!("expected `platform` or `kernel`, got: `{other}`");
            let help = "`kernel` is the keyring of the Linux kernel";
            reader.complain(ConfigCode::WrongValue, at(mapping, "backend"), message, help);
            None
        }
    }
}
