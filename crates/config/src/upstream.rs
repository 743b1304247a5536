//! The key `upstream` of a toolset: the service itself, or recorded responses.

use std::path::PathBuf;

use crate::{
    keys::UPSTREAM,
    reader::{Mapping, Reader, at},
};

/// The source of responses.
///
/// ```
/// use callgate_config::{Config, Description, Environment, ToolsetConfig, Upstream};
/// use callgate_tool::{Arguments, Session, ToolCall};
///
/// # let text = "
/// # openapi: 3.0.3
/// # info: {title: Pets, version: '1'}
/// # servers: [{url: 'https://api.example.com'}]
/// # paths: {/pets: {get: {operationId: listPets, responses: {'200': {description: OK}}}}}";
/// # let folder = tempfile::tempdir()?;
/// # let case = folder.path().join("cases/no-pets");
/// # std::fs::create_dir_all(&case)?;
/// # let request = "GET https://api.example.com/pets HTTP/1.1\naccept: application/json, */*;q=0.1\n\n";
/// # std::fs::write(case.join("request.http"), request)?;
/// # let response = "HTTP/1.1 200 OK\ncontent-type: application/json\n\n[]";
/// # std::fs::write(case.join("response.http"), response)?;
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let mut pets = ToolsetConfig::new(Description::text(text));
/// pets.upstream = Upstream::Replay("cases".into());
/// let config = Config::new().with_base(folder.path()).with_toolset(pets);
/// let built = config.build(&Environment::new(), None).await?;
/// let call = ToolCall::new("1", "listPets", Arguments::new());
/// let result = built.executor.call(&call, &Session::default()).await;
/// assert_eq!(result.text(), Some("[]"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

/// Reads `upstream:`; the default directory of recordings is beside the description.
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
