//! `upstream` of a toolset: the service itself, or recorded answers.

use std::path::PathBuf;

use crate::{
    keys::UPSTREAM,
    reader::{Mapping, Reader, at},
};

/// The place where answers come from.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Upstream {
    /// The service itself.
    #[default]
    Http,
    /// Recorded responses: a directory of cases.
    Replay(PathBuf),
    /// Recorded responses: the directory `cases` beside the description.
    ReplayBeside,
}

/// Reads `upstream:`; recordings are beside the description unless another directory is named.
pub(crate) fn read(reader: &mut Reader, mapping: Mapping<'_>) -> Upstream {
    let Some(node) = mapping.object.get("upstream") else { return Upstream::Http };
    match node.as_str() {
        Some("http") => return Upstream::Http,
        Some("replay") => return Upstream::ReplayBeside,
        _ => {}
    }
    let pointer = at(mapping, "upstream");
    if node.as_object().is_none() {
        let help = "`http` asks the service, `replay` answers from the `cases` beside the description, `{replay: DIR}` from a directory";
        reader.expected(&pointer, "`http`, `replay` or a mapping", node, help);
        return Upstream::Http;
    }
    let Some(mapping) = reader.mapping(node, &pointer, &UPSTREAM) else { return Upstream::Http };
    let replay = reader.required_string(mapping, "replay").unwrap_or_default();
    Upstream::Replay(replay.into())
}
