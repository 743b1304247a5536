//! The effects that a load may have beyond its result. Whoever loads names them once; whatever reads, fetches or asks during a load
//! needs the leave that they give, so that nothing has an effect by an oversight.

/// The effects that a load may have. Each includes those before it.
///
/// ```
/// use callgate_settings::LoadEffects;
///
/// assert!(LoadEffects::Files.reads_files() && LoadEffects::Files.fetching_permission().is_none());
/// assert!(LoadEffects::default().asking_permission().is_some());
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
pub struct Fetching(());

/// Leave to ask connections, databases and stores of secrets, with their credentials.
#[derive(Clone, Copy, Debug)]
pub struct Asking(());

impl LoadEffects {
    /// True if files that the configuration names may be read.
    pub fn reads_files(self) -> bool {
        self >= Self::Files
    }

    /// The leave to read variables and folders, and to fetch descriptions; `None` without it.
    pub fn fetching_permission(self) -> Option<Fetching> {
        (self >= Self::Descriptions).then_some(Fetching(()))
    }

    /// The leave to ask services and stores; `None` without it.
    pub fn asking_permission(self) -> Option<Asking> {
        (self == Self::Ask).then_some(Asking(()))
    }
}
