//! Where a configuration comes from, so that it can be read again: a file, or the demo that is a part of this program.

mod demo;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_config::{Built, Config, DescriptionOptions, Environment, Error, open};
use callgate_policy::Metrics;
use callgate_transport::Listeners;

/// What is served.
#[derive(Clone, Debug)]
pub struct Source {
    from: From,
    /// Where this process listens: nothing that is built here calls it.
    listeners: Listeners,
}

#[derive(Clone, Debug)]
enum From {
    Demo,
    File(PathBuf, DescriptionOptions),
}

impl Source {
    /// A configuration, or a bare description with its options.
    pub fn file(file: impl Into<PathBuf>, options: DescriptionOptions) -> Self {
        Self { from: From::File(file.into(), options), listeners: Listeners::default() }
    }

    /// A pet service that answers from recordings: no network, no account, no file.
    pub fn demo() -> Self {
        Self { from: From::Demo, listeners: Listeners::default() }
    }

    /// The file it was read from; none for the demo.
    pub fn path(&self) -> Option<&Path> {
        match &self.from {
            From::Demo => None,
            From::File(file, _) => Some(file),
        }
    }

    /// Reads the configuration.
    ///
    /// # Errors
    /// [`Error`] where the file cannot be read, or with the options of a bare description for a configuration.
    pub fn config(&self) -> Result<Config, Error> {
        let mut config = match &self.from {
            From::Demo => demo::config(),
            From::File(file, options) => open(file, options),
        }?;
        // What a library does without unless it is asked for, a sidecar has.
        config.calls.get_or_insert_default();
        config.idempotency.get_or_insert_default();
        Ok(config)
    }

    /// Builds it anew; what did not change since `previous` goes on.
    ///
    /// # Errors
    /// [`Error`] with every fault.
    pub async fn build(&self, previous: Option<&Built>) -> Result<Built, Error> {
        let environment = Environment::new()
            .with_listeners(self.listeners.clone())
            .listing_missing()
            .with_middleware(Arc::new(Metrics::new()));
        #[cfg(feature = "otel")]
        let environment = environment.with_middleware(Arc::new(crate::observe::Steps));
        let environment = match &self.from {
            From::Demo => environment.with_transport(demo::transport()),
            From::File(..) => environment,
        };
        self.config()?.build(&environment, previous).await
    }

    /// Where this process listens. Clones share the list.
    pub(crate) fn listeners(&self) -> &Listeners {
        &self.listeners
    }
}
