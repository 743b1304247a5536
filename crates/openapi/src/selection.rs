//! Selects the operations of a description that are offered: by name, tag, method, path, and by the effect of a call.
//! All operations get their names before the selection, so a selection does not change names.

use std::{error, fmt};

use callgate_tool::{Effect, nearest};
use globset::{GlobBuilder, GlobMatcher};

/// An operator's selection; a criterion without entries matches every operation.
///
/// ```
/// use callgate_openapi::{Effects, Pattern, Selection};
///
/// // What reads, but nothing for administrators.
/// let selection = Selection {
///     exclude: vec![Pattern::name("admin*")?],
///     effects: Effects::Read,
///     ..Selection::default()
/// };
/// assert!(selection.exclude[0].matches("adminListUsers"));
/// # Ok::<(), callgate_openapi::InvalidPattern>(())
/// ```
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "a new field must break code that builds the value")]
pub struct Selection {
    /// Names of tools or `operationId`s that are offered.
    pub include: Vec<Pattern>,
    /// Names of tools or `operationId`s that are not offered, even if other criteria match.
    pub exclude: Vec<Pattern>,
    /// Tags; an operation with one of them is offered.
    pub tags: Vec<String>,
    /// HTTP methods, in any case.
    pub methods: Vec<String>,
    /// Path templates as the description writes them.
    pub paths: Vec<Pattern>,
    /// The effects that a call may have.
    pub effects: Effects,
}

/// The effects that the calls of a selection may have.
///
/// ```
/// use callgate_openapi::{Document, Effects, LoadOptions, Selection, load};
///
/// # fn main() -> Result<(), Vec<callgate_tree::Diagnostic>> {
/// let text = b"openapi: 3.1.0
/// servers: [{url: https://api.example.com}]
/// paths: {/pets: {get: {operationId: listPets}, delete: {operationId: deletePets}}}";
/// let document = Document::read(text, &Default::default())?.value;
/// let selection = Selection { effects: Effects::Read, ..Selection::default() };
/// let loaded = load(&document, &LoadOptions { selection, ..LoadOptions::default() });
/// assert_eq!(loaded.operations[0].tool_name.as_str(), "listPets");
/// assert_eq!(loaded.report.not_selected, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Effects {
    /// Any effect.
    #[default]
    All,
    /// Only [`Effect::Read`].
    Read,
}

/// A pattern for names or paths: `*` matches any characters, `?` one, `[…]` one of some.
///
/// ```
/// use callgate_openapi::{Pattern, Selection};
///
/// let include = vec![Pattern::name("*Pet")?, Pattern::name("listPets")?];
/// let selection = Selection { include, ..Selection::default() };
/// assert!(selection.include[0].matches("deletePet"));
/// assert!(!selection.include[0].matches("listPets"));
/// assert_eq!(selection.include[1].as_str(), "listPets");
/// # Ok::<(), callgate_openapi::InvalidPattern>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    matcher: GlobMatcher,
}

/// The error for a pattern or a `JSONPath` expression that cannot be parsed.
///
/// ```
/// use callgate_openapi::Pattern;
///
/// let refused = Pattern::name("list[Pets").unwrap_err();
/// assert!(refused.to_string().ends_with("unclosed character class; missing ']'"), "{refused}");
/// ```
#[derive(Clone, Debug)]
pub struct InvalidPattern {
    expected: &'static str,
    message: String,
}

/// An entry of a selection that no operation matches.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Unmatched {
    /// The criterion: `include`, `exclude`, `tags`, `methods` or `paths`.
    pub criterion: &'static str,
    /// The index of the entry in its criterion, counted from 0.
    pub index: usize,
    /// The entry as written.
    pub entry: String,
    /// The most similar entry of the description.
    pub nearest: Option<String>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'a> {
    pub(crate) names: [Option<&'a str>; 6],
    pub(crate) tags: &'a [&'a str],
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) effect: Effect,
}

impl Pattern {
    /// A pattern for names.
    ///
    /// # Errors
    /// [`InvalidPattern`] if a bracket is not closed.
    pub fn name(text: &str) -> Result<Self, InvalidPattern> {
        Self::new(text, &mut GlobBuilder::new(text))
    }

    /// A pattern for path templates: `*` and `?` match within one segment, `**` as a whole segment matches any number
    /// of segments. Braces match themselves, as in `/pets/{petId}`.
    ///
    /// ```
    /// use callgate_openapi::Pattern;
    ///
    /// let pattern = Pattern::path("/pets/**")?;
    /// assert!(pattern.matches("/pets/{petId}/photo"));
    /// assert!(!pattern.matches("/owners"));
    /// # Ok::<(), callgate_openapi::InvalidPattern>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidPattern`] if a bracket is not closed.
    pub fn path(text: &str) -> Result<Self, InvalidPattern> {
        let literal = text.replace(['{', '}'], "\u{0}");
        let braces = text.chars().filter(|c| matches!(c, '{' | '}'));
        let mut escaped = String::new();
        let mut parts = literal.split('\u{0}');
        escaped.push_str(parts.next().unwrap_or_default());
        for (brace, part) in braces.zip(parts) {
            escaped.push_str(&format!("[{brace}]{part}"));
        }
        Self::new(text, GlobBuilder::new(&escaped).literal_separator(true))
    }

    fn new(text: &str, builder: &mut GlobBuilder<'_>) -> Result<Self, InvalidPattern> {
        let glob = builder.backslash_escape(true).build();
        let glob = glob.map_err(|error| InvalidPattern::new(GLOB, error.kind()))?;
        Ok(Self { text: text.to_owned(), matcher: glob.compile_matcher() })
    }

    /// True if the pattern matches a name or a path.
    pub fn matches(&self, text: &str) -> bool {
        self.matcher.is_match(text)
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Selection {
    pub(crate) fn selects(&self, candidate: &Candidate<'_>) -> bool {
        let Candidate { tags, method, path, effect, .. } = *candidate;
        let named =
            |patterns: &[Pattern]| patterns.iter().any(|pattern| matches_name(pattern, candidate));
        (self.include.is_empty() || named(&self.include))
            && !named(&self.exclude)
            && (self.tags.is_empty() || self.tags.iter().any(|tag| tags.contains(&&**tag)))
            && (self.methods.is_empty()
                || self
                    .methods
                    .iter()
                    .any(|allowed_method| allowed_method.eq_ignore_ascii_case(method)))
            && (self.paths.is_empty() || self.paths.iter().any(|pattern| pattern.matches(path)))
            && (self.effects == Effects::All || effect == Effect::Read)
    }

    pub(crate) fn unmatched_entries<'a>(&self, candidates: &[Candidate<'a>]) -> Vec<Unmatched> {
        let all = |field: fn(&Candidate<'a>) -> &'a str| candidates.iter().map(field).collect();
        let names: Vec<_> =
            candidates.iter().flat_map(|candidate| candidate.names).flatten().collect();
        let tags: Vec<_> =
            candidates.iter().flat_map(|candidate| candidate.tags.iter().copied()).collect();
        let methods: Vec<_> = all(|candidate| candidate.method);
        let paths: Vec<_> = all(|candidate| candidate.path);
        let mut unmatched = Vec::new();
        let mut look = |criterion, entries: Vec<Entry<'_>>, choices: &[&str]| {
            let is_vain = |entry: &Entry<'_>| !choices.iter().any(|choice| entry.matches(choice));
            let vain = entries.iter().enumerate().filter(|(_, entry)| is_vain(entry));
            let told =
                |(at, entry): (_, &Entry<'_>)| Unmatched::new(criterion, at, entry.text(), choices);
            unmatched.extend(vain.map(told));
        };
        look("include", self.include.iter().map(Entry::Pattern).collect(), &names);
        look("exclude", self.exclude.iter().map(Entry::Pattern).collect(), &names);
        look("tags", self.tags.iter().map(|tag| Entry::Exact(tag)).collect(), &tags);
        look("methods", self.methods.iter().map(|tag| Entry::AnyCase(tag)).collect(), &methods);
        look("paths", self.paths.iter().map(Entry::Pattern).collect(), &paths);
        unmatched
    }
}

/// One entry of a criterion, with its way of comparing.
#[derive(Clone, Copy, Debug)]
enum Entry<'a> {
    AnyCase(&'a str),
    Exact(&'a str),
    Pattern(&'a Pattern),
}

impl Entry<'_> {
    fn matches(&self, value: &str) -> bool {
        match self {
            Self::AnyCase(text) => text.eq_ignore_ascii_case(value),
            Self::Exact(text) => *text == value,
            Self::Pattern(pattern) => pattern.matches(value),
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::AnyCase(text) | Self::Exact(text) => text,
            Self::Pattern(pattern) => &pattern.text,
        }
    }
}

/// True if a pattern matches an operation's tool name or `operationId`.
fn matches_name(pattern: &Pattern, candidate: &Candidate<'_>) -> bool {
    candidate.names.iter().flatten().any(|name| pattern.matches(name))
}

impl Unmatched {
    fn new(criterion: &'static str, index: usize, entry: &str, choices: &[&str]) -> Self {
        let nearest = nearest(entry, choices.iter().copied()).map(str::to_owned);
        Self { criterion, index, entry: entry.to_owned(), nearest }
    }
}

impl InvalidPattern {
    pub(crate) fn new(expected: &'static str, message: &impl ToString) -> Self {
        Self { expected, message: message.to_string() }
    }

    /// The reason alone, without the kind of the expected text.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for InvalidPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}: {}", self.expected, self.message)
    }
}

impl error::Error for InvalidPattern {}

const GLOB: &str = "a pattern with `*`, `?` or `[…]`, got one that cannot be read";

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_path(pattern: &str, path: &str, expected: bool) {
        assert_eq!(Pattern::path(pattern).unwrap().matches(path), expected, "{pattern} {path}");
    }

    #[test]
    fn a_path_pattern_matches_by_segments_and_braces() {
        let rows = [
            ("/pets", "/pets", true),
            ("/pets", "/pets/1", false),
            ("/pets/*", "/pets/{petId}", true),
            ("/pets/*", "/pets/{petId}/photo", false),
            ("/pets/**", "/pets/{petId}/photo", true),
            ("/pets/**", "/pets", false),
            ("/**/photo", "/pets/{petId}/photo", true),
            ("/pets/{petId}", "/pets/{petId}", true),
            ("/pets/{petId}", "/pets/petId", false),
            ("/{a,b}", "/a", false),
            ("/v?/pets", "/v1/pets", true),
            ("/[ab]/*", "/b/{x}", true),
        ];
        for (pattern, path, expected) in rows {
            check_path(pattern, path, expected);
        }
    }

    #[test]
    fn a_name_pattern_matches_or_is_refused() {
        assert!(Pattern::name("*Pet*").unwrap().matches("getPets"));
        assert!(Pattern::name("repos/*").unwrap().matches("repos/list/tags"));
        let bad = Pattern::name("a[").unwrap_err().to_string();
        assert!(bad.starts_with("expected a pattern"), "{bad}");
    }
}
