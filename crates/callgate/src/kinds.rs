//! The kinds of toolsets of this build, registered by its features: the only code that names them. A program adds its own.

use std::path::Path;

use callgate_config::{Built, Environment, Error, Kinds, Loader};
use callgate_settings::Key;

/// The kinds of toolsets that the features of this build bring, beside descriptions and functions.
pub fn kinds() -> Kinds {
    // What reads exported tools is the command's.
    let kinds = Kinds::new()
        .without(const { &[Key::absent("ces_toolset", &["ces"])] }, &[])
        .without(const { &[Key::absent("dialogflow_tool", &["ces"])] }, &[]);
    #[cfg(feature = "_database")]
    let kinds = kinds.with(callgate_database::DatabaseKind);
    #[cfg(not(feature = "_database"))]
    let kinds = kinds.without(
        const {
            let engines = &["mysql", "postgres", "sqlite"];
            &[
                Key::absent("database", engines),
                Key::absent("entities", engines),
                Key::absent("query", engines),
                Key::absent("statements", engines),
            ]
        },
        &[],
    );
    #[cfg(feature = "code")]
    let kinds = kinds.with(callgate_code::CodeKind);
    #[cfg(not(feature = "code"))]
    let kinds = kinds.without(const { &[Key::absent("code_interpreter", &["code"])] }, &[]);
    #[cfg(feature = "connector")]
    let kinds = kinds.with(callgate_connector::ConnectorKind);
    #[cfg(not(feature = "connector"))]
    let kinds = kinds.without(
        const {
            let connector = &["connector"];
            &[
                Key::absent("connection", connector),
                Key::absent("actions", connector),
                Key::absent("user", connector),
            ]
        },
        const { &[Key::absent("connections", &["connector"])] },
    );
    #[cfg(feature = "documents")]
    let kinds = kinds.with(callgate_documents::DocumentsKind);
    #[cfg(not(feature = "documents"))]
    let kinds = kinds.without(const { &[Key::absent("documents", &["documents"])] }, &[]);
    #[cfg(any(feature = "documents", feature = "vertex"))]
    let kinds = kinds.with(callgate_vertex::VertexKind { asks_google: cfg!(feature = "vertex") });
    #[cfg(not(any(feature = "documents", feature = "vertex")))]
    let kinds = kinds.without(const { &[Key::absent("vertex", &["documents", "vertex"])] }, &[]);
    kinds
}

/// Reads configurations with the kinds of toolsets that the features of this build bring; [`Loader::with_kind`] adds one of your own.
///
/// ```
/// let config = callgate::config::loader().text("toolsets: {pets: {openapi: pets.yaml}}", "/srv")?;
/// assert_eq!(config.toolsets.len(), 1);
/// # Ok::<(), callgate::config::Error>(())
/// ```
pub fn loader() -> Loader {
    Loader::new().with_kinds(kinds())
}

/// Builds an executor from a configuration file.
///
/// ```no_run
/// # async fn example() -> Result<(), callgate::config::Error> {
/// let built = callgate::config::load("callgate.yaml".as_ref()).await?;
/// for entry in built.executor.entries() {
///     println!("{}", entry.name());
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error`] with every fault of the file, each with its line and column.
pub async fn load(file: &Path) -> Result<Built, Error> {
    loader().file(file)?.build(&Environment::new(), None).await
}
