//! Things that calls need and responses describe: the pet that `petId` of `/pets/{petId}` identifies is the one whose `id`
//! `GET /pets` returns. Two names mean one thing if their meaningful words have the same stem.

use std::fmt;

use crate::words::{Stemmer, each_word};

/// A kind of thing with an identity: a pet, a user. Its name is a stem.
///
/// ```
/// use callgate_search::Thing;
///
/// let needed = Thing::of_argument("petIds").expect("it identifies pets");
/// assert_eq!(needed.to_string(), "pet");
/// assert_eq!(Some(needed), Thing::of_variable("id", "/pets/{id}"));
/// assert_eq!(Thing::of_argument("limit"), None);
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Thing(Box<str>);

/// A thing that a call must identify.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Need {
    /// The argument that identifies the thing.
    pub argument: Box<str>,
    /// The thing.
    pub thing: Thing,
}

/// A thing that a response describes.
///
/// ```
/// use callgate_search::{Document, Index, Need, Product, Thing};
/// use callgate_tool::Effect;
///
/// let pet = Thing::of_argument("pet_id").expect("it identifies a pet");
/// let (mut list, mut get) =
///     (Document::new("listPets", Effect::Read), Document::new("getPet", Effect::Read));
/// list.produces.push(Product { thing: pet.clone(), at: "items[].id".into(), distance: 0 });
/// get.needs.push(Need { argument: "petId".into(), thing: pet });
///
/// let index = Index::new([list, get]);
/// assert_eq!(&*index.products(0)[0].at, "items[].id");
/// assert!(index.sources(&index.needs(1)[0]).eq([0]), "`listPets` answers what `getPet` needs");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Product {
    /// The thing.
    pub thing: Thing,
    /// The field that identifies the thing: `items[].id`.
    pub at: Box<str>,
    /// The distance from the subject of the response: 0 for the subject, 1 for a fact about it.
    pub distance: u8,
}

/// A field of a response.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// The name of the field.
    pub name: &'a str,
    /// The names of the enclosing members, the outermost first.
    pub above: &'a [&'a str],
    /// The name of the schema of the object that holds the field, if the schema has a name.
    pub schema: Option<&'a str>,
    /// The path of the operation that returns the field.
    pub path: &'a str,
}

impl Thing {
    /// The thing that a path variable identifies. It is named by the word before `id` in the variable, by the path segment
    /// before a bare `id`, or else by the last word of the variable.
    ///
    /// ```
    /// use callgate_search::Thing;
    ///
    /// let pet = Thing::of_variable("id", "/pets/{id}/toys");
    /// assert_eq!(pet, Thing::of_variable("petId", "/animals/{petId}"));
    /// ```
    pub fn of_variable(variable: &str, path: &str) -> Option<Self> {
        let words = name_words(variable);
        match words.as_slice() {
            [id] if is_identifying_variable(id) => Self::from_name(segment_before(variable, path)?),
            [.., before, id] if is_identifying_variable(id) => Some(Self::from_word(before)),
            _ => words.last().map(|word| Self::from_word(word)),
        }
    }

    /// The thing that an argument outside the path identifies: the word before `id` in its name.
    pub fn of_argument(argument: &str) -> Option<Self> {
        match name_words(argument).as_slice() {
            [.., before, id] if is_identifier(id) => Some(Self::from_word(before)),
            _ => None,
        }
    }

    /// The things that a response field may identify, each with its distance; empty if the field identifies nothing.
    #[doc(hidden)]
    pub fn things_and_distances(field: Field<'_>) -> Vec<(Self, u8)> {
        // Most fields identify nothing.
        if !ends_with_identifier(field.name) {
            return Vec::new();
        }
        let real = || field.above.iter().filter(|name| !is_wrapper(name));
        let distance = u8::try_from(real().count()).unwrap_or(u8::MAX);
        let words = name_words(field.name);
        let mut things = match words.as_slice() {
            [id] if is_identifier(id) => {
                let above = real().next_back().and_then(|name| Self::from_name(name));
                let above = if distance == 0 {
                    Self::things_of_path(field.path)
                } else {
                    above.into_iter().collect()
                };
                above.into_iter().chain(field.schema.and_then(Self::from_name)).collect()
            }
            [.., before, id] if is_identifier(id) => vec![Self::from_word(before)],
            _ => return Vec::new(),
        };
        things.sort_unstable();
        things.dedup();
        let is_own = matches!(words.as_slice(), [id] if is_identifier(id));
        let distance = distance.saturating_add(u8::from(!is_own));
        things.into_iter().map(|thing| (thing, distance)).collect()
    }

    /// The subjects of the response of a path: the last segment, and earlier ones too, since the last may name no thing
    /// (`/search/person`, `/person/popular`); a path with variables has only the last.
    fn things_of_path(path: &str) -> Vec<Self> {
        let literals =
            path.rsplit('/').filter(|segment| !segment.is_empty() && !segment.contains('{'));
        let most = if path.contains('{') { 1 } else { usize::MAX };
        literals.take(most).filter_map(Self::from_name).collect()
    }

    /// The thing that a name ends with, without the words that carry no meaning: `PagingTrackObject`.
    fn from_name(name: &str) -> Option<Self> {
        let words = name_words(name);
        let said = words.iter().rev().find(|word| !GENERIC.contains(&&***word));
        said.or_else(|| words.last()).map(|word| Self::from_word(word))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.len()
    }

    fn from_word(word: &str) -> Self {
        Self(Stemmer::default().stem(word))
    }
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn name_words(name: &str) -> Vec<Box<str>> {
    let mut words = Vec::new();
    each_word(name, |word| {
        words.push(word.into());
        words.len() < MOST_WORDS
    });
    words
}

/// The segment before that of a variable, skipping other variables.
fn segment_before<'p>(variable: &str, path: &'p str) -> Option<&'p str> {
    let (before, _) = path.split_once(&format!("{{{variable}}}"))?;
    let before = before.rsplit_once('/')?.0;
    before.rsplit('/').find(|segment| !segment.is_empty() && !segment.contains('{'))
}

fn ends_with_identifier(name: &str) -> bool {
    let name = name.as_bytes();
    let ends = |end: &str| name.len().checked_sub(end.len()).and_then(|from| name.get(from..));
    IDENTIFIERS
        .iter()
        .any(|end| ends(end).is_some_and(|last| last.eq_ignore_ascii_case(end.as_bytes())))
}

fn is_identifier(word: &str) -> bool {
    IDENTIFIERS.contains(&word)
}

fn is_identifying_variable(word: &str) -> bool {
    is_identifier(word) || matches!(word, "code" | "name" | "number")
}

fn is_wrapper(name: &str) -> bool {
    WRAPPERS.iter().any(|wrapper| wrapper.eq_ignore_ascii_case(name))
}

const IDENTIFIERS: [&str; 8] = ["guid", "id", "ids", "key", "slug", "uid", "uri", "uuid"];
/// The most words of a name; longer names are sentences.
const MOST_WORDS: usize = 16;
/// Names of members that wrap the subject of a response and are not things themselves.
const WRAPPERS: [&str; 10] = [
    "content", "data", "entries", "items", "list", "records", "result", "results", "value",
    "values",
];
/// Words at the end of schema names that describe the schema, not the thing.
const GENERIC: [&str; 15] = [
    "collection",
    "data",
    "dto",
    "entity",
    "full",
    "item",
    "list",
    "model",
    "object",
    "page",
    "paging",
    "response",
    "result",
    "results",
    "schema",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn thing(name: &str) -> Thing {
        Thing::from_name(name).unwrap()
    }

    #[track_caller]
    fn check(name: &str, above: &[&str], (schema, path): (&str, &str), expected: &[(&str, u8)]) {
        let schema = Some(schema).filter(|name| !name.is_empty());
        let found = Thing::things_and_distances(Field { name, above, schema, path });
        let mut expected: Vec<_> = expected.iter().map(|(name, at)| (thing(name), *at)).collect();
        expected.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_resource_of_a_path_variable_is_in_its_name_or_in_the_path() {
        let of = |variable, path| Thing::of_variable(variable, path);
        assert_eq!(of("pet_id", "/x/{pet_id}"), Some(thing("pets")));
        assert_eq!(of("petId", "/x/{petId}"), Some(thing("pet")));
        assert_eq!(of("id", "/albums/{id}/tracks"), Some(thing("album")));
        assert_eq!(of("id", "/v1/{tenant}/{id}"), Some(thing("v1")));
        assert_eq!(of("repo", "/repos/{owner}/{repo}"), Some(thing("repo")));
        assert_eq!(of("issue_number", "/x/{issue_number}"), Some(thing("issue")));
        assert_eq!(of("name", "/pods/{name}"), Some(thing("pod")));
        assert_eq!(of("id", "/{id}"), None);
        assert_eq!(of("", "/{}"), None);
    }

    #[test]
    fn the_resource_of_an_argument_is_its_name_without_the_id_suffix() {
        assert_eq!(Thing::of_argument("pet_id"), Some(thing("pet")));
        assert_eq!(Thing::of_argument("id"), None);
        assert_eq!(Thing::of_argument("limit"), None);
    }

    #[test]
    fn the_resource_of_an_id_in_a_response_is_what_contains_it() {
        check("id", &["items"], ("", "/pets"), &[("pet", 0)]);
        check("id", &["tracks", "items"], ("SimplifiedTrackObject", "/search"), &[("track", 1)]);
        check("id", &[], ("PrivateUserObject", "/me"), &[("user", 0), ("me", 0)]);
        check("id", &["results"], ("", "/search/person"), &[("person", 0), ("search", 0)]);
        check("id", &[], ("", "/artists/{id}/albums"), &[("album", 0)]);
    }

    #[test]
    fn an_id_of_another_resource_is_ranked_behind_the_own_id() {
        check("owner_id", &["items"], ("", "/pets"), &[("owner", 1)]);
        check("login", &["user"], ("", "/pulls"), &[]);
        check("paid", &[], ("", "/invoices"), &[]);
    }
}
