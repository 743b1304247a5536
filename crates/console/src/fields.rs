//! The fields of a form for arguments. The name of a field is a letter for what it says and the path of its input; a segment of a
//! path never holds a `/`.

use std::collections::BTreeMap;

/// The fields that a browser sent, by their names.
#[derive(Debug, Default)]
pub(crate) struct Fields<'f>(BTreeMap<&'f str, Vec<&'f str>>);

impl<'f> Fields<'f> {
    pub(crate) fn new(pairs: &'f [(String, String)]) -> Self {
        let mut fields = BTreeMap::<&str, Vec<&str>>::new();
        for (name, value) in pairs {
            fields.entry(name).or_default().push(value);
        }
        Self(fields)
    }

    /// The value of a field; `None` if the form has none of this name.
    pub(crate) fn get(&self, part: Part, path: &str) -> Option<&'f str> {
        self.0.get(&*part.field_name(path)).and_then(|values| values.first()).copied()
    }

    /// True if there is a field of an input at a path, or of one below it.
    pub(crate) fn has_below(&self, path: &str) -> bool {
        Part::ALL.iter().any(|part| {
            let begin = part.field_name(path);
            let next = self.0.range(begin.as_str()..).next();
            next.is_some_and(|(field, _)| field.starts_with(&begin))
        })
    }

    /// True for an input that a person opened.
    pub(crate) fn has_been_opened(&self, path: &str) -> bool {
        self.values("opened").chain(self.values("open")).any(|it| it == path)
    }

    /// True for an input that a person opens by this form.
    pub(crate) fn is_opened_by_request(&self, path: &str) -> bool {
        self.values("open").any(|it| it == path)
    }

    /// The paths of all inputs that a person opened.
    pub(crate) fn opened_paths(&self) -> Vec<&'f str> {
        let mut opened: Vec<_> = self.values("opened").chain(self.values("open")).collect();
        opened.sort_unstable();
        opened.dedup();
        opened
    }

    fn values(&self, name: &str) -> impl Iterator<Item = &'f str> {
        self.0.get(name).into_iter().flatten().copied()
    }
}

/// The facts that a field shows about its input.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// The alternative that is meant.
    Alternative,
    /// One of the listed values, as JSON.
    Choice,
    /// The number of rows of a list or a map.
    Count,
    /// A file, for the alternative at the path that takes a handle.
    File,
    /// Any value, as JSON.
    Json,
    /// The name of an entry of a map.
    Key,
    /// The digits of a number.
    Number,
    /// Whether an input without a value is left out, empty or `null`.
    State,
    Text,
}

impl Part {
    const ALL: [Self; 9] = [
        Self::Alternative,
        Self::Choice,
        Self::Count,
        Self::File,
        Self::Json,
        Self::Key,
        Self::Number,
        Self::State,
        Self::Text,
    ];

    /// The name of the field of an input.
    pub(crate) fn field_name(self, path: &str) -> String {
        let letter = match self {
            Self::Alternative => 'a',
            Self::Choice => 'c',
            Self::Count => 'i',
            Self::File => 'f',
            Self::Json => 'j',
            Self::Key => 'k',
            Self::Number => 'n',
            Self::State => 's',
            Self::Text => 't',
        };
        format!("{letter}:{path}")
    }
}

/// The path of a member of an object.
pub(crate) fn member_path(path: &str, name: &str) -> String {
    let name = name.replace('~', "~0").replace('/', "~1").replace('+', "~2").replace('|', "~3");
    format!("{path}/{name}")
}

/// The path of an item of a list, or an entry of a map.
pub(crate) fn item_path(path: &str, at: usize) -> String {
    format!("{path}/{at}")
}

/// The path of the entries of an object beside its declared members.
pub(crate) fn undeclared_members_path(path: &str) -> String {
    format!("{path}/+")
}

/// The path of an alternative of an input.
pub(crate) fn alternative_path(path: &str, at: usize) -> String {
    format!("{path}/|{at}")
}
