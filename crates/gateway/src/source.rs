//! Where a configuration comes from, so that it can be read again.

use std::path::{Path, PathBuf};

use callgate_config::{Built, Config, DescriptionOptions, Environment, Error, open};

/// What is served.
#[derive(Clone, Debug)]
pub struct Source {
    file: PathBuf,
    options: DescriptionOptions,
}

impl Source {
    /// A configuration, or a bare description with its options.
    pub fn file(file: impl Into<PathBuf>, options: DescriptionOptions) -> Self {
        Self { file: file.into(), options }
    }

    /// The file it was read from.
    pub fn path(&self) -> &Path {
        &self.file
    }

    /// Reads the configuration.
    ///
    /// # Errors
    /// [`Error`] where the file cannot be read, or with the options of a bare description for a configuration.
    pub fn config(&self) -> Result<Config, Error> {
        let mut config = open(&self.file, &self.options)?;
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
        self.config()?.build(&Environment::new(), previous).await
    }
}
