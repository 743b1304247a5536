//! The source of a configuration, which can be read repeatedly: a file, or the demo in this program.

mod demo;

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::SystemTime,
};

use callgate_config::{Built, Config, DescriptionOptions, Environment, Error, Loader, Location};
use callgate_policy::Metrics;
use callgate_store::GrantStore;
use callgate_transport::Listeners;

use crate::recent_calls::RecentCalls;

/// The source of a sidecar's configuration.
#[derive(Clone, Debug)]
pub struct Source {
    kind: SourceKind,
    loader: Loader,
    /// The addresses that this process listens on: nothing that is built here may call them.
    listeners: Listeners,
    cache: Option<PathBuf>,
    /// The time when the source was first read.
    began: Arc<OnceLock<SystemTime>>,
    grants: Option<Arc<dyn GrantStore>>,
    /// The program that extracts the text of PDF files.
    extractor: Option<PathBuf>,
    /// The last calls of what is built here.
    recent_calls: RecentCalls,
}

#[derive(Clone, Debug)]
enum SourceKind {
    Demo,
    Location(Location, Box<DescriptionOptions>),
}

impl Source {
    /// A configuration, or a bare description with its options.
    pub fn file(file: impl Into<PathBuf>, options: DescriptionOptions) -> Self {
        Self::from_location(Location::File(file.into()), options)
    }

    /// A configuration or a bare description at any location.
    pub fn from_location(location: Location, options: DescriptionOptions) -> Self {
        Self::from_kind(SourceKind::Location(location, Box::new(options)))
    }

    /// A pet service with recorded responses: no network, no account, no file.
    pub fn demo() -> Self {
        Self::from_kind(SourceKind::Demo)
    }

    fn from_kind(kind: SourceKind) -> Self {
        let (listeners, began) = (Listeners::default(), Arc::default());
        Self {
            kind,
            loader: Loader::new(),
            listeners,
            cache: None,
            began,
            grants: None,
            extractor: None,
            recent_calls: RecentCalls::default(),
        }
    }

    /// Reads configurations with this loader, which may know further kinds of sources of tools.
    #[must_use]
    pub fn with_loader(self, loader: Loader) -> Self {
        Self { loader, ..self }
    }

    /// Keeps descriptions from addresses in a folder, so that a process can start with the last copy if one is unavailable.
    #[must_use]
    pub fn with_cache(mut self, folder: PathBuf) -> Self {
        self.cache = Some(folder);
        self
    }

    /// Takes people's logins from this store.
    #[must_use]
    pub fn with_grants(mut self, grants: Arc<dyn GrantStore>) -> Self {
        self.grants = Some(grants);
        self
    }

    /// Extracts the text of PDF files by this program, as [`Environment::with_extractor`] says.
    #[must_use]
    pub fn with_extractor(mut self, program: PathBuf) -> Self {
        self.extractor = Some(program);
        self
    }

    /// The file or the address of the source; `None` for the demo.
    pub fn path_or_address(&self) -> Option<PathBuf> {
        match &self.kind {
            SourceKind::Demo => None,
            SourceKind::Location(location, _) => Some(location.display_path()),
        }
    }

    /// The name of the file of the source, without its folder; `None` if it is no file.
    #[cfg(feature = "agents")]
    pub(crate) fn file_name(&self) -> Option<String> {
        let SourceKind::Location(Location::File(file), _) = &self.kind else { return None };
        Some(file.file_name()?.to_string_lossy().into_owned())
    }

    /// Reads the configuration.
    ///
    /// # Errors
    /// Returns an [`Error`] if the file cannot be read, or if a configuration comes with the options of a bare description.
    pub fn config(&self) -> Result<Config, Error> {
        let mut config = match &self.kind {
            SourceKind::Demo => demo::demo_config(),
            SourceKind::Location(location, options) => self.loader.open(location.clone(), options),
        }?;
        // A sidecar has settings that a library has only on request.
        config.calls.get_or_insert_default();
        config.idempotency.get_or_insert_default();
        Ok(config)
    }

    /// Builds the configuration anew; parts that have not changed since `previous` are kept.
    ///
    /// # Errors
    /// Returns an [`Error`] with every fault.
    pub async fn build(&self, previous: Option<&Built>) -> Result<Built, Error> {
        self.began.get_or_init(SystemTime::now);
        let environment = Environment::new()
            .with_listeners(self.listeners.clone())
            .listing_missing()
            .with_middleware(Arc::new(Metrics::new().with_call_log()))
            .with_middleware(Arc::new(self.recent_calls.clone()));
        #[cfg(feature = "otel")]
        let environment = environment.with_middleware(Arc::new(crate::observe::Steps));
        let environment = match &self.kind {
            SourceKind::Demo => environment.with_transport(demo::demo_transport()),
            SourceKind::Location(..) => environment,
        };
        let environment = self.cache.iter().fold(environment, Environment::with_cache);
        let grants = self.grants.iter().cloned();
        let environment = grants.fold(environment, Environment::with_grants);
        let environment = self.extractor.iter().fold(environment, Environment::with_extractor);
        self.config()?.build(&environment, previous).await
    }

    /// The faults of a file that is neither a configuration nor a description; unavailable addresses are retried instead.
    pub(crate) fn unreadable_file_error(&self, built: &Built) -> Option<Error> {
        let SourceKind::Location(Location::File(_) | Location::Text(..), _) = &self.kind else {
            return None;
        };
        let bare = built.toolsets.iter().find(|toolset| toolset.name.is_empty())?;
        let why = bare.failure()?;
        let diagnostic = bare.report.diagnostics.first();
        let place = diagnostic.and_then(|diagnostic| diagnostic.position);
        let place = place.map(|place| format!(" at line {} column {}", place.line, place.column));
        let message = format!("{why}{}", place.unwrap_or_default());
        let code = diagnostic.map_or("unreadable-file", |diagnostic| diagnostic.code.as_str());
        let help = diagnostic
            .map_or("name a configuration, or a description", |diagnostic| &diagnostic.help);
        Some(Error::for_file(&bare.file, code, message, help))
    }

    /// The time when the first build began to read files, which may have changed since; `None` if another source was built.
    pub(crate) fn first_build_start(&self) -> Option<SystemTime> {
        self.began.get().copied()
    }

    pub(crate) fn recent_calls(&self) -> &RecentCalls {
        &self.recent_calls
    }

    /// The addresses that this process listens on. Clones share the list.
    pub(crate) fn listeners(&self) -> &Listeners {
        &self.listeners
    }
}
