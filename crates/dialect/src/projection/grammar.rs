//! The closed list of projections, and the part of JSON Schema that each provider supports, as data. Other keywords are described
//! in words.

use callgate_tool::Value;

use super::pattern::Patterns;
use crate::form::by_name;

callgate_tool::named! {
    /// A set of rules for writing schemas for one provider.
    ///
    /// ```
    /// use callgate_dialect::{Dialect, Form, Projection};
    ///
    /// assert_eq!("gemini_schema".parse(), Ok(Projection::GeminiSchema));
    /// assert_eq!(Dialect::Gemini.projection(), Some(Projection::GeminiJson));
    /// assert_eq!(Dialect::Gemini.projection_in(Form::Schema), Some(Projection::GeminiSchema));
    /// assert_eq!(Dialect::Json.projection(), None, "schemas stay as they are");
    /// ```
    #[non_exhaustive]
    pub enum Projection {
        /// Anthropic's `input_schema`.
        Anthropic = "anthropic",
        /// Anthropic's `input_schema` of a strict tool: only declared members.
        AnthropicStrict = "anthropic_strict",
        /// Amazon Bedrock's `inputSchema.json`.
        Bedrock = "bedrock",
        /// Amazon Bedrock's `inputSchema.json` of a strict tool.
        BedrockStrict = "bedrock_strict",
        /// The `Schema` of Customer Engagement Suite.
        Ces = "ces",
        /// Gemini's `parametersJsonSchema`.
        GeminiJson = "gemini_json",
        /// Gemini's `parameters`: Google's `Schema`.
        GeminiSchema = "gemini_schema",
        /// Engines that build one grammar of all tools.
        LlamaCpp = "llamacpp",
        /// `OpenAI`'s `parameters`, not strict.
        OpenAi = "openai",
        /// `OpenAI`'s strict mode: every member is required, and `null` stands for one that is absent.
        OpenAiStrict = "openai_strict",
        /// The keywords that every provider with JSON Schema supports.
        Portable = "portable",
    }
}

/// The error for an unknown projection.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UnknownProjection(String);

by_name!(Projection, UnknownProjection, "a projection");

impl Projection {
    /// True if arguments need [`restore`](super::restore): they have other names, `null` for absent members, or texts for maps.
    pub(crate) fn needs_restore(self) -> bool {
        let grammar = self.grammar();
        grammar.names != Names::Any || grammar.is_closed
    }

    pub(super) fn grammar(self) -> &'static Grammar {
        match self {
            Self::Anthropic => &ANTHROPIC,
            Self::AnthropicStrict => &ANTHROPIC_STRICT,
            Self::BedrockStrict => &BEDROCK_STRICT,
            Self::Bedrock | Self::OpenAi => &WHOLE,
            Self::Ces => &CES,
            Self::GeminiJson => &GEMINI_JSON,
            Self::GeminiSchema => &GEMINI_SCHEMA,
            Self::LlamaCpp => &LLAMACPP,
            Self::OpenAiStrict => &STRICT,
            Self::Portable => &PORTABLE,
        }
    }
}

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule of a provider")]
pub(super) struct Grammar {
    /// The supported keywords, besides those of structure. If empty, everything below the root is supported.
    pub(super) keywords: &'static [&'static str],
    /// True if `$ref` to `$defs` is supported; otherwise definitions are unrolled.
    pub(super) has_references: bool,
    /// True if other keywords may stand beside `anyOf`.
    pub(super) has_siblings: bool,
    /// True if a schema may be empty.
    pub(super) has_any: bool,
    pub(super) null: NullForm,
    pub(super) listed: Listed,
    /// The supported formats; if empty, all.
    pub(super) formats: &'static [&'static str],
    pub(super) patterns: Patterns,
    /// The largest supported `maxLength`, `minLength` and numbers of items.
    pub(super) longest: u64,
    pub(super) most_items: u64,
    /// True if only declared members are allowed.
    pub(super) is_closed: bool,
    /// True if each member must be required.
    pub(super) is_complete: bool,
    /// True if a definition may lead back to itself through required members.
    pub(super) has_circles: bool,
    /// True if schemas are Google's `Schema`: types in capitals, counts as texts, no empty `properties`.
    pub(super) is_proto: bool,
    pub(super) deepest: usize,
    pub(super) names: Names,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum NullForm {
    /// As a branch of `anyOf`.
    Branch,
    /// As `nullable: true`.
    Flag,
    /// As one of a list of two types.
    List,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Listed {
    Any,
    /// Texts, except the empty one.
    Texts,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Names {
    Any,
    /// `^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`, at any depth.
    Identifiers,
    /// `^[a-zA-Z0-9_.-]{1,64}$`, for arguments only.
    Dotted,
}

impl Grammar {
    /// True if schemas below the root stay unchanged.
    pub(super) fn allows_all_keywords(&self) -> bool {
        self.keywords.is_empty()
    }

    pub(super) fn allows_keyword(&self, keyword: &str, value: &Value) -> bool {
        let is_small = |most: u64| value.as_u64().is_some_and(|count| count <= most);
        if self.allows_all_keywords() {
            return !value.is_object();
        }
        self.keywords.contains(&keyword)
            && match keyword {
                "format" => value.as_str().is_some_and(|format| self.formats.contains(&format)),
                "maxLength" | "minLength" => is_small(self.longest),
                "maxItems" | "minItems" => is_small(self.most_items),
                "pattern" => value.as_str().is_some_and(|pattern| self.patterns.accepts(pattern)),
                _ => true,
            }
    }
}

/// Everything, with an object of arguments without composition as the root.
pub(super) const WHOLE: Grammar = Grammar {
    keywords: &[],
    has_references: true,
    has_siblings: true,
    has_any: true,
    null: NullForm::List,
    listed: Listed::Any,
    formats: &[],
    patterns: Patterns::Any,
    longest: u64::MAX,
    most_items: u64::MAX,
    is_closed: false,
    is_complete: false,
    has_circles: true,
    is_proto: false,
    deepest: usize::MAX,
    names: Names::Any,
};

/// Anthropic: everything, but arguments with restricted names.
pub(super) const ANTHROPIC: Grammar = Grammar { names: Names::Dotted, ..WHOLE };

/// The keywords that every provider supports.
pub(super) const PORTABLE: Grammar = Grammar {
    keywords: &[
        "additionalProperties",
        "default",
        "enum",
        "format",
        "maximum",
        "maxItems",
        "maxLength",
        "minimum",
        "minItems",
        "minLength",
        "pattern",
    ],
    has_any: false,
    null: NullForm::Branch,
    listed: Listed::Texts,
    formats: &FORMATS,
    patterns: Patterns::Anchored,
    longest: 1000,
    most_items: 100,
    names: Names::Identifiers,
    ..WHOLE
};

/// `OpenAI`'s strict mode.
pub(super) const STRICT: Grammar = Grammar {
    keywords: &[
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "maximum",
        "maxItems",
        "minimum",
        "minItems",
        "multipleOf",
        "pattern",
    ],
    null: NullForm::List,
    listed: Listed::Any,
    formats: &STRICT_FORMATS,
    patterns: Patterns::Regular,
    most_items: u64::MAX,
    is_closed: true,
    is_complete: true,
    // The root is the first of ten levels; a list at the end of them has items.
    deepest: 8,
    names: Names::Any,
    ..PORTABLE
};

/// Anthropic's strict mode:
/// <https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations>.
/// It refuses a definition that leads back to itself, so no references are written.
pub(super) const ANTHROPIC_STRICT: Grammar = Grammar {
    keywords: &["enum", "format", "minItems"],
    has_references: false,
    listed: Listed::Any,
    formats: &CLAUDE_FORMATS,
    most_items: 1,
    is_closed: true,
    names: Names::Dotted,
    ..PORTABLE
};

/// Bedrock's strict mode: Anthropic's, with any names
/// (<https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html>).
pub(super) const BEDROCK_STRICT: Grammar = Grammar { names: Names::Any, ..ANTHROPIC_STRICT };

/// Gemini's `parameters`.
pub(super) const GEMINI_SCHEMA: Grammar = Grammar {
    keywords: &[
        "enum",
        "format",
        "maximum",
        "maxItems",
        "maxLength",
        "maxProperties",
        "minimum",
        "minItems",
        "minLength",
        "minProperties",
        "pattern",
    ],
    has_references: false,
    has_siblings: false,
    null: NullForm::Flag,
    formats: &["date-time", "double", "float", "int32", "int64"],
    patterns: Patterns::Regular,
    longest: u64::MAX,
    most_items: u64::MAX,
    is_proto: true,
    ..PORTABLE
};

/// The `Schema` of Customer Engagement Suite. It has another form of references; none are written.
pub(super) const CES: Grammar = Grammar {
    keywords: &["enum", "maximum", "maxItems", "minimum", "minItems"],
    formats: &[],
    ..GEMINI_SCHEMA
};

/// Gemini's `parametersJsonSchema`.
pub(super) const GEMINI_JSON: Grammar = Grammar {
    keywords: &[
        "additionalProperties",
        "enum",
        "format",
        "maximum",
        "maxItems",
        "minimum",
        "minItems",
        "prefixItems",
    ],
    formats: &["date", "date-time", "duration", "time"],
    has_circles: false,
    most_items: u64::MAX,
    ..PORTABLE
};

/// Engines that build one grammar of all tools.
pub(super) const LLAMACPP: Grammar = Grammar {
    keywords: &[
        "additionalProperties",
        "default",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "maximum",
        "maxItems",
        "maxLength",
        "minimum",
        "minItems",
        "minLength",
        "pattern",
        "prefixItems",
    ],
    has_any: true,
    null: NullForm::List,
    listed: Listed::Any,
    longest: 1999,
    names: Names::Any,
    ..PORTABLE
};

/// The formats that every provider supports or ignores.
const FORMATS: [&str; 13] = [
    "date",
    "date-time",
    "double",
    "duration",
    "email",
    "float",
    "hostname",
    "int32",
    "int64",
    "ipv4",
    "ipv6",
    "time",
    "uuid",
];
const STRICT_FORMATS: [&str; 9] =
    ["date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid"];
const CLAUDE_FORMATS: [&str; 10] =
    ["date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uri", "uuid"];
