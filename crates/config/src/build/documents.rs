//! The documents of toolsets, for whoever serves them: they follow their folders.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc};

use callgate_kind::{Counts, Followed};
use callgate_settings::Finding;
use callgate_tree::SettingFinding;

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
    pub(super) documents: Arc<dyn Followed>,
}

impl BuiltDocuments {
    /// Compares the index with the folder, and reads again what has changed: at once, or a second after the last comparison. A search
    /// does that by itself.
    pub async fn refresh(&self) {
        self.documents.refresh().await;
    }

    /// The findings about the files, as they are now.
    pub fn findings(&self) -> Vec<Finding> {
        let finding = |setting_finding: SettingFinding| {
            let finding = Finding::new(
                &self.origin,
                setting_finding.severity,
                setting_finding.code,
                setting_finding.message,
            );
            finding
                .at(format!("/toolsets/{}{}", self.name, setting_finding.pointer))
                .with_help(setting_finding.help)
        };
        self.documents.findings().into_iter().map(finding).collect()
    }

    /// The size of the index now.
    pub fn counts(&self) -> Counts {
        self.documents.counts()
    }

    /// The folders that have documents now.
    #[doc(hidden)]
    pub fn folders(&self) -> BTreeSet<PathBuf> {
        self.documents.folders()
    }
}
