//! Patterns that say which files of a folder are documents: `**/*.md`, `faq.csv`. They are matched against the path from the folder.

use callgate_tree::SettingFinding;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::{finding::PATTERN, read::Format};

/// The files that are documents.
#[derive(Clone, Debug)]
pub(crate) struct Patterns {
    /// `None` for all files of kinds that are text.
    include: Option<GlobSet>,
    exclude: GlobSet,
}

impl Patterns {
    /// Reads the patterns; a malformed one is a finding.
    pub(crate) fn new(include: &[String], exclude: &[String]) -> Result<Self, SettingFinding> {
        let has_include = !include.is_empty();
        let include = glob_set("include", include)?;
        Ok(Self { include: has_include.then_some(include), exclude: glob_set("exclude", exclude)? })
    }

    pub(crate) fn admits(&self, path: &str) -> bool {
        let is_included = match &self.include {
            Some(include) => include.is_match(path),
            None => Format::from_path(path).is_some_and(|format| format != Format::Pdf),
        };
        is_included && !self.exclude.is_match(path)
    }
}

fn glob_set(key: &str, patterns: &[String]) -> Result<GlobSet, SettingFinding> {
    let wrong = |pattern: &str| {
        let message = format!("expected a pattern of paths, got: `{pattern}`");
        SettingFinding::error(
            PATTERN,
            format!("/{key}"),
            message,
            "write patterns such as `**/*.md`",
        )
    };
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        builder.add(glob.map_err(|_| wrong(pattern))?);
    }
    builder.build().map_err(|_| wrong(&patterns.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(include: &[&str], exclude: &[&str], path: &str, expected: bool) {
        let owned =
            |patterns: &[&str]| patterns.iter().map(|&it| it.to_owned()).collect::<Vec<_>>();
        let patterns = Patterns::new(&owned(include), &owned(exclude)).expect("patterns");
        assert_eq!(patterns.admits(path), expected);
    }

    #[test]
    fn a_file_is_a_document_if_it_is_included_and_not_excluded() {
        check(&[], &[], "a/b.md", true);
        check(&[], &[], "a/b.pdf", false);
        check(&[], &[], "a/b.rs", false);
        check(&["**/*.md"], &[], "b.md", true);
        check(&["*.md"], &[], "a/b.md", false);
        check(&["**/*.md"], &["drafts/**"], "drafts/b.md", false);
        check(&["**/*.pdf"], &[], "b.pdf", true);
    }

    #[test]
    fn a_malformed_pattern_is_a_finding_at_its_key() {
        let finding = Patterns::new(&[], &["a[".to_owned()]).expect_err("no pattern");
        assert_eq!((&*finding.pointer, finding.code), ("/exclude", PATTERN));
    }
}
