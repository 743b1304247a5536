//! The key `upstream` of a toolset: the service itself, or recorded responses.

use std::path::PathBuf;

use callgate_settings::{Kind, forms, keys, member_pointer};

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

keys! {
    pub(crate) struct UpstreamKeys in "`upstream`" {
        /// A directory of recorded cases.
        replay: PathBuf, required;
    }
}

forms! {
    Upstream => Self, Kind::AnyOf(&[Kind::Choice(&["http", "replay"]), UpstreamKeys::KIND]), |reader, mapping, key| {
        let node = mapping.object.get(key)?;
        match node.as_str() {
            Some("http") => Some(Self::Http),
            Some("replay") => Some(Self::ReplayBeside),
            _ if node.as_object().is_some() => {
                reader.get::<UpstreamKeys>(mapping, key)?.replay.map(Self::Replay)
            }
            _ => {
                let help = "`http` asks the service, `replay` answers from the `cases` beside the description, `{replay: DIR}` from a directory";
                reader.report_wrong_type(&member_pointer(mapping, key), "`http`, `replay` or a mapping", node, help);
                None
            }
        }
    };
}
