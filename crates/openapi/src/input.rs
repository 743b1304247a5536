//! One value that an operation needs: its name for the model, its location and form in the request, and its source.

use std::{borrow::Cow, fmt, sync::Arc};

use callgate_tool::{ArgumentName, Session, SessionName, Value};

callgate_tool::named! {
    /// The location of a value in the request.
    #[derive(Hash, Ord, PartialOrd)]
    #[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
    pub enum InputLocation {
        /// A property of the body, or the whole body if the wire name is empty.
        Body = "body",
        /// A cookie.
        Cookie = "cookie",
        /// A header.
        Header = "header",
        /// A variable of the path template.
        Path = "path",
        /// A query parameter.
        Query = "query",
        /// The whole query string (OpenAPI 3.2).
        Querystring = "querystring",
    }
}

/// The way a parameter's value becomes text (OpenAPI 3.0.4 §4.7.12.3).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Style {
    /// `color=blue; color=black`, like `form` without escaping (OpenAPI 3.2.0 §4.12.6)
    Cookie,
    /// `color[R]=100&color[G]=200`
    DeepObject,
    /// `color=blue,black` or `color=blue&color=black`
    Form,
    /// `.blue.black`
    Label,
    /// `;color=blue,black`
    Matrix,
    /// `color=blue|black`
    PipeDelimited,
    /// `blue,black`
    Simple,
    /// `color=blue black`
    SpaceDelimited,
    /// `color=blue<TAB>black` (Swagger 2.0 `tsv`)
    TabDelimited,
}

/// The encoding of a parameter at its location.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Encoding {
    /// A parameter with `content`: serialised by that media type, then escaped for its location.
    Content {
        /// The media type without parameters.
        media_type: Arc<str>,
    },
    /// A parameter with a style.
    Styled(Styled),
}

/// A style with its settings.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a new field must break code that builds the value")]
pub struct Styled {
    /// The style.
    pub style: Style,
    /// True if array items and object properties become separate parameters.
    pub explode: bool,
    /// True if reserved characters are left as they are (RFC 3986 §2.2).
    pub allow_reserved: bool,
    /// The styles of lists inside a list, the outer ones first (Swagger 2.0, `collectionFormat` of `items`). Deeper
    /// lists are written as compact JSON, as are all nested lists in later versions.
    pub items: Box<[Style]>,
}

/// The location of an input in the request, with its possible encodings there.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Placement {
    /// A property of the body, or the whole body if the wire name is empty: written by the body's media type.
    Body,
    /// A cookie.
    Cookie(Encoding),
    /// A header.
    Header(Encoding),
    /// A variable of the path template.
    Path(Encoding),
    /// A query parameter.
    Query(Encoding),
    /// The whole query string (OpenAPI 3.2).
    Querystring {
        /// The media type of the serialisation, without parameters.
        media_type: Arc<str>,
        /// The encodings of members of a form, by name. Other members are written by the type of their value.
        encodings: Box<[(Arc<str>, Encoding)]>,
    },
}

impl Placement {
    /// The way a single parameter is written; none for a body and a whole query string.
    pub fn encoding(&self) -> Option<&Encoding> {
        match self {
            Self::Cookie(own) | Self::Header(own) | Self::Path(own) | Self::Query(own) => Some(own),
            Self::Body | Self::Querystring { .. } => None,
        }
    }

    /// The style of a single parameter that has one.
    pub fn parameter_style(&self) -> Option<&Styled> {
        match self.encoding()? {
            Encoding::Styled(styled) => Some(styled),
            Encoding::Content { .. } => None,
        }
    }
}

/// The source that is asked for a value before the model.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum ValueSource {
    /// `$context.<path>`, `session_id` for the session's id: never from the model.
    Context(Arc<str>),
    /// From the model.
    Model,
    /// `$session.params.<name>`
    Parameter(Arc<str>),
    /// `$request.payload.<path>`
    Payload(Arc<str>),
}

/// One input of an operation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Input {
    /// The name that the model uses.
    pub argument: ArgumentName,
    /// The location and encoding of the input.
    pub placement: Placement,
    /// The wire name of the input; empty for a body that is one argument.
    pub name: Arc<str>,
    /// True if the description requires the input.
    pub required: bool,
    /// The source that is asked for the value before the model.
    pub source: ValueSource,
    /// True if the model sees the input. A hidden input is never taken from the model.
    pub visible: bool,
    /// The value that is used if no source supplies one: the description's default, or the only legal value of a
    /// required input.
    pub default: Option<Value>,
    /// True if the description allows only one value. Then a default decides nothing.
    pub is_fixed: bool,
    /// True if an empty text is legal whatever the schema says (`allowEmptyValue` of a parameter with a single value).
    pub allows_empty: bool,
    /// The operator's decisions about the input.
    pub edit: InputEdit,
}

/// The operator's decisions about an input; by default there are none.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a new field must break code that builds the value")]
pub struct InputEdit {
    /// True if the operator hides the input: to a model it does not exist.
    pub is_hidden: bool,
    /// True if the default is the operator's, who wants it sent wherever no other value is given.
    pub has_value: bool,
}

/// One step into a value.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Step {
    /// Each item of an array.
    Items,
    /// A property of an object.
    Property(Arc<str>),
}

/// A value inside an argument that has a source or a default of its own: `owner.email`, `labels[].text`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NestedInput {
    /// The argument that contains the value.
    pub argument: ArgumentName,
    /// The path from the argument's value to the nested value; never empty.
    pub steps: Box<[Step]>,
    /// The source that is asked for the value before the model.
    pub source: ValueSource,
    /// True if the model sees the value.
    pub visible: bool,
    /// The value that is used if no source supplies one and the parent exists. It is the default of a property that the
    /// body itself declares, that the parent requires, or that the session failed to supply; with
    /// [`Defaults::All`](crate::Defaults) that of any property. The service applies all other defaults itself.
    pub default: Option<Value>,
    /// True if the description allows only one value. Then a default decides nothing.
    pub is_fixed: bool,
}

impl fmt::Display for NestedInput {
    /// `owner.email`, `labels[].text`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.argument)?;
        self.steps.iter().try_for_each(|step| match step {
            Step::Items => f.write_str("[]"),
            Step::Property(name) => write!(f, ".{name}"),
        })
    }
}

impl Placement {
    /// The location without the encoding.
    pub fn place(&self) -> InputLocation {
        match self {
            Self::Body => InputLocation::Body,
            Self::Cookie(_) => InputLocation::Cookie,
            Self::Header(_) => InputLocation::Header,
            Self::Path(_) => InputLocation::Path,
            Self::Query(_) => InputLocation::Query,
            Self::Querystring { .. } => InputLocation::Querystring,
        }
    }
}

impl Input {
    /// The location of the input.
    pub fn place(&self) -> InputLocation {
        self.placement.place()
    }

    /// The side that gives the value first: `configuration`, `context`, `model`, `payload` or `session`.
    pub fn value_giver_name(&self) -> &'static str {
        match self.source {
            ValueSource::Model if self.edit.is_hidden => "configuration",
            _ => self.source.as_str(),
        }
    }

    /// True if the service calls the input `name`; the names of headers have no case.
    pub fn has_wire_name(&self, name: &str) -> bool {
        match self.placement {
            Placement::Header(_) => self.name.eq_ignore_ascii_case(name),
            _ => !name.is_empty() && *self.name == *name,
        }
    }
}

impl Styled {
    /// A style without options: not exploded, everything escaped.
    pub fn plain(style: Style) -> Self {
        Self { style, explode: false, allow_reserved: false, items: Box::default() }
    }
}

impl ValueSource {
    /// `context`, `model`, `payload` or `session`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Context(_) => "context",
            Self::Model => "model",
            Self::Parameter(_) => "session",
            Self::Payload(_) => "payload",
        }
    }

    /// Returns true if the source reads the session value `name`, an object that contains it, or something in it.
    pub fn reads(&self, name: &SessionName) -> bool {
        let asked = match self {
            Self::Context(path) if &**path == VARIABLES => return true,
            Self::Context(path) => {
                path.strip_prefix(VARIABLES).and_then(|rest| rest.strip_prefix('.'))
            }
            Self::Parameter(path) => Some(&**path),
            Self::Model | Self::Payload(_) => None,
        };
        asked.map(SessionName::new).is_some_and(|asked| asked.holds(name) || name.holds(&asked))
    }

    /// The value that the session has for this source. A model's value is in no session.
    pub fn value<'a>(&self, session: &'a Session) -> Option<Cow<'a, Value>> {
        match self {
            Self::Context(path) => session.context(path).map(Cow::Owned),
            Self::Model => None,
            Self::Parameter(name) => session.parameter(name).map(Cow::Borrowed),
            Self::Payload(path) => session.payload(path).map(Cow::Borrowed),
        }
    }

    /// Reports whether this source is a parameter that the session does not have.
    pub fn is_missing_parameter(&self, session: &Session) -> bool {
        matches!(self, Self::Parameter(_)) && self.value(session).is_none()
    }

    /// The reference as a description writes it, `$session.params.x`; empty for the model.
    pub fn reference(&self) -> String {
        match self {
            Self::Context(path) => format!("$context.{path}"),
            Self::Model => String::new(),
            Self::Parameter(name) => format!("$session.params.{name}"),
            Self::Payload(path) => format!("$request.payload.{path}"),
        }
    }
}

const VARIABLES: &str = "variables";

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &ValueSource, name: &str, expected: bool) {
        assert_eq!(source.reads(&SessionName::new(name)), expected, "{source:?} {name}");
    }

    #[test]
    fn a_session_source_reads_its_name_its_parents_and_its_members() {
        let parameter = ValueSource::Parameter("User.Token".into());
        check(&parameter, "user.token", true);
        check(&parameter, "user", true);
        check(&parameter, "user.token.kind", true);
        check(&parameter, "user.tok", false);
        check(&parameter, "token", false);
    }

    #[test]
    fn a_source_of_all_variables_reads_every_variable() {
        check(&ValueSource::Context("variables".into()), "token", true);
        check(&ValueSource::Context("variables.user".into()), "user.token", true);
        check(&ValueSource::Context("variables.x".into()), "token", false);
        check(&ValueSource::Context("session_id".into()), "token", false);
        check(&ValueSource::Payload("token".into()), "token", false);
        check(&ValueSource::Model, "token", false);
    }
}
