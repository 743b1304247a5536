//! Searching and reading: what is shown comes from a file whose digest is the indexed one. A file that has changed is indexed again,
//! and the search begins anew; one that changes all the time is not shown.

use std::collections::BTreeMap;

use super::Collection;
use crate::{
    file,
    filter::Filter,
    index::{Candidate, LocatedDocument},
    snippet::{Snippet, VerifiedDocument},
};

/// The snippets of a search.
#[derive(Debug, Default)]
pub(crate) struct SearchResult {
    pub(crate) snippets: Vec<Snippet>,
    /// True if there are further snippets.
    pub(crate) more: bool,
}

/// Lines of a document that are wanted, which count from 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineRange {
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// Lines of a document.
#[derive(Debug)]
pub(crate) struct Excerpt {
    pub(crate) title: String,
    pub(crate) uri: Option<String>,
    pub(crate) text: String,
    pub(crate) lines: LineRange,
    /// The number of lines of the document.
    pub(crate) n_lines: usize,
    pub(crate) digest: String,
    /// True if the last line is not shown to its end.
    pub(crate) is_cut: bool,
}

impl Collection {
    /// The best snippets for a question among the documents that a filter admits.
    pub(crate) fn search(&self, question: &str, limit: usize, filter: &Filter) -> SearchResult {
        self.refresh_if_due();
        for _ in 1..ATTEMPTS {
            let candidates = self.index().find(question, limit + 1, filter);
            let (snippets, changed) = self.snippets_and_changed_paths(&candidates);
            if changed.is_empty() {
                return self.limited_search_result(snippets, limit);
            }
            for path in &changed {
                self.reindex_file_if_changed(path);
            }
        }
        let candidates = self.index().find(question, limit + 1, filter);
        self.limited_search_result(self.snippets_and_changed_paths(&candidates).0, limit)
    }

    /// The snippets of candidates, in their order, and the paths of files that have changed. Files are read one after another.
    fn snippets_and_changed_paths(&self, candidates: &[Candidate]) -> (Vec<Snippet>, Vec<String>) {
        let mut by_path: BTreeMap<&str, Vec<(usize, &Candidate)>> = BTreeMap::new();
        for (rank, candidate) in candidates.iter().enumerate() {
            by_path.entry(&candidate.located.path).or_default().push((rank, candidate));
        }
        let (mut snippets, mut changed) = (BTreeMap::new(), Vec::new());
        for (path, candidates) in by_path {
            let is_whole = self.add_file_snippets(&candidates, &mut snippets);
            if !is_whole {
                changed.push(path.to_owned());
            }
        }
        (snippets.into_values().collect(), changed)
    }

    /// Adds the snippets of one file by their ranks. False if the file has changed.
    fn add_file_snippets(
        &self,
        candidates: &[(usize, &Candidate)],
        snippets: &mut BTreeMap<usize, Snippet>,
    ) -> bool {
        let Some((_, first)) = candidates.first() else { return true };
        let Ok((bytes, _)) = self.folder.read(&first.located.path) else { return false };
        if file::digest(&bytes) != first.located.digest {
            return false;
        }
        let mut last: Option<(Option<u32>, VerifiedDocument<'_>)> = None;
        for (rank, candidate) in candidates {
            let row = candidate.located.row.map(|row| row.number);
            if last.as_ref().is_none_or(|(read, _)| *read != row) {
                let read = VerifiedDocument::new_without_check(
                    &candidate.located,
                    &bytes,
                    self.uri.as_ref(),
                );
                last = read.map(|verified| (row, verified));
            }
            let snippet =
                last.as_ref().and_then(|(_, verified)| verified.snippet_of_piece(candidate));
            if let Some(snippet) = snippet {
                snippets.insert(*rank, snippet);
            }
        }
        true
    }

    fn limited_search_result(&self, snippets: Vec<Snippet>, limit: usize) -> SearchResult {
        let mut search_result = SearchResult::default();
        let mut n_bytes = 0;
        for snippet in snippets {
            n_bytes += snippet.n_bytes();
            let is_first = search_result.snippets.is_empty();
            if search_result.snippets.len() >= limit
                || n_bytes > self.limits().result_bytes && !is_first
            {
                search_result.more = true;
                break;
            }
            search_result.snippets.push(snippet);
        }
        search_result
    }

    /// Lines of a document that a filter admits; `None` if there is none of the name. An error has the number of its lines, if
    /// the first line is behind them.
    pub(crate) fn read_lines(
        &self,
        name: &str,
        wanted: LineRange,
        filter: &Filter,
    ) -> Option<Result<Excerpt, usize>> {
        self.refresh_if_due();
        for _ in 0..ATTEMPTS {
            let located = self.index().find_admitted_document(name, filter)?;
            if let Some(excerpt) = self.verified_excerpt(&located, wanted) {
                return Some(excerpt);
            }
            self.reindex_file_if_changed(&located.path);
        }
        None
    }

    fn verified_excerpt(
        &self,
        located: &LocatedDocument,
        wanted: LineRange,
    ) -> Option<Result<Excerpt, usize>> {
        let (bytes, _) = self.folder.read(&located.path).ok()?;
        let verified = VerifiedDocument::new_if_unchanged(located, &bytes, self.uri.as_ref())?;
        let (all, most) = (verified.text(), self.limits().result_bytes);
        let end = verified.page_or_line_end();
        let n_lines = all.split_inclusive(end).count().max(1);
        if wanted.from > n_lines {
            return Some(Err(n_lines));
        }
        let (mut text, mut to, mut is_cut) = (String::new(), wanted.from, false);
        let lines = all.split_inclusive(end).enumerate().skip(wanted.from - 1);
        for (at, line) in lines.take_while(|(at, _)| *at < wanted.to) {
            if text.is_empty() && line.len() > most {
                text.push_str(line.get(..line.floor_char_boundary(most)).unwrap_or_default());
                is_cut = true;
                break;
            }
            if text.len() + line.len() > most {
                break;
            }
            text.push_str(line);
            to = at + 1;
        }
        Some(Ok(Excerpt {
            title: verified.title().to_owned(),
            uri: verified.uri.clone(),
            text,
            lines: LineRange { from: wanted.from, to },
            n_lines,
            digest: verified.digest,
            is_cut,
        }))
    }
}

/// The most times that a search begins.
const ATTEMPTS: usize = 4;
