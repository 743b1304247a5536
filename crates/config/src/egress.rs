//! The key `egress` of a toolset: the addresses beyond public ones that may be called.

use callgate_transport::{AddressRange, NotARange};

use crate::{
    code::ConfigCode,
    keys::EGRESS,
    reader::{Mapping, Reader, at},
};

/// The addresses that may be called, whoever named them.
pub(crate) fn read(reader: &mut Reader, toolset: Mapping<'_>) -> Vec<AddressRange> {
    let Some(node) = toolset.object.get("egress") else { return Vec::new() };
    let pointer = at(toolset, "egress");
    let Some(mapping) = reader.mapping(node, &pointer, &EGRESS) else { return Vec::new() };
    let mut ranges = Vec::new();
    for (index, text) in reader.strings(mapping, "allow").into_iter().enumerate() {
        match text.parse() {
            Ok(range) => ranges.push(range),
            Err(error) => {
                let pointer = format!("{}/{index}", at(mapping, "allow"));
                let error: NotARange = error;
                reader.complain(
                    ConfigCode::WrongValue,
                    pointer,
                    error.to_string(),
                    "for example `10.0.0.0/8`",
                );
            }
        }
    }
    ranges
}
