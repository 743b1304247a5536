//! The effects that a load may have beyond its result. Whoever loads names them once; whatever reads, fetches or asks during a load
//! needs the leave that they give, so that nothing has an effect by an oversight.

/// The effects that a load may have. Each includes those before it.
///
/// ```
/// use callgate_config::{LoadEffects, Loader};
///
/// let text = "toolsets: {pets: {openapi: pets.yaml, server: 'env:PETS_SERVER'}}";
/// let error = Loader::new().with_effects(LoadEffects::Files).text(text, "/srv").unwrap_err();
/// assert_eq!(error.findings()[0].pointer, "/toolsets/pets/server");
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum LoadEffects {
    /// None: what is read is given to the load as text.
    Nothing,
    /// Files that the configuration names are read. No variable is read, nothing is sent.
    Files,
    /// Descriptions at addresses that the operator wrote are fetched, without a credential. Variables, files and folders of this machine
    /// are read.
    Descriptions,
    /// Connections, databases and stores of secrets are asked, with their credentials.
    #[default]
    Ask,
}

/// Leave to read variables, folders and secrets of this machine, and to fetch descriptions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fetching(());

/// Leave to ask connections, databases and stores of secrets, with their credentials.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asking(());

impl LoadEffects {
    pub(crate) fn reads_files(self) -> bool {
        self >= Self::Files
    }

    pub(crate) fn fetching(self) -> Option<Fetching> {
        (self >= Self::Descriptions).then_some(Fetching(()))
    }

    pub(crate) fn asking(self) -> Option<Asking> {
        (self == Self::Ask).then_some(Asking(()))
    }
}
