//! The documents of toolsets: their folders are indexed, and searched and read by tools. An index of the build before is used again
//! if it is of the same files.

use std::{collections::BTreeSet, path::PathBuf};

use callgate_settings::Finding;
#[cfg(feature = "documents")]
use callgate_settings::Reader;

use self::open::Documents;
#[cfg(feature = "documents")]
use crate::{
    build::{context::BuildContext, database::Databases},
    config::Config,
};

#[cfg(not(feature = "documents"))]
mod absent;
#[cfg(feature = "documents")]
mod data_store;
#[cfg(feature = "documents")]
mod open;

#[cfg(not(feature = "documents"))]
use self::absent as open;

#[cfg(not(feature = "documents"))]
pub(super) use self::absent::all;

/// The documents of all toolsets, whose tools stand among those of databases.
#[cfg(feature = "documents")]
pub(super) async fn all(
    reader: &mut Reader,
    config: &Config,
    build_context: &BuildContext<'_>,
    previous: &[BuiltDocuments],
    databases: &mut Databases,
) -> Vec<BuiltDocuments> {
    let documents = open::all(reader, config, build_context, previous, databases).await;
    data_store::all(reader, config, &documents, databases);
    documents
}

/// The documents of a toolset.
///
/// ```no_run
/// # async fn run() -> Result<(), callgate_config::Error> {
/// use callgate_config::{Config, Environment};
///
/// let text = "toolsets: {handbook: {documents: {folder: handbook}}}";
/// let built = Config::from_text(text, "")?.build(&Environment::new(), None).await?;
/// for documents in &built.documents {
///     documents.refresh().await;
///     println!("{}: {} files", documents.name, documents.counts().files);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuiltDocuments {
    /// The toolset's name.
    pub name: String,
    pub(super) origin: PathBuf,
    pub(super) documents: Documents,
}

/// The size of an index of documents.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct DocumentCounts {
    /// The number of files.
    pub files: usize,
    /// The number of documents: files, and rows of tables.
    pub documents: usize,
    /// The number of pieces of text that can be found.
    pub pieces: usize,
    /// The size of the index in bytes.
    pub bytes: usize,
}

impl BuiltDocuments {
    /// Compares the index with the folder, and reads again what has changed: at once, or a second after the last comparison. A search
    /// does that by itself.
    pub async fn refresh(&self) {
        self.documents.refresh().await;
    }

    /// The findings about the files, as they are now.
    pub fn findings(&self) -> Vec<Finding> {
        self.documents.findings(&self.name, &self.origin)
    }

    /// The size of the index now.
    pub fn counts(&self) -> DocumentCounts {
        self.documents.counts()
    }

    /// The folders that have documents now.
    #[doc(hidden)]
    pub fn folders(&self) -> BTreeSet<PathBuf> {
        self.documents.folders()
    }
}
