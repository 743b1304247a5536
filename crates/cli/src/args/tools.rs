//! The flags of `callgate tools`.

use callgate::{
    Effect,
    dialect::{Dialect, Form},
};
use callgate_dialect::Projection;
use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser as _},
};

use super::source::SourceArguments;

#[derive(Args, Debug)]
pub(crate) struct ToolsArguments {
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    /// One tool: everything a person needs to call it, with an example
    #[arg(conflicts_with_all = ["effect", "losses", "read", "search", "tag"])]
    pub(crate) tool: Option<String>,
    /// Show all of the tool's page: what is inside objects at any depth, and every legal value
    #[arg(long, requires = "tool", conflicts_with_all = ["dialect", "json", "projection"])]
    pub(crate) full: bool,
    /// Show only tools with this tag of the description, or with a tag below it; several may be given
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Show only tools with this effect: `read` changes nothing, `idempotent` changes nothing more the second time, `write`
    /// changes something each time; several may be given
    #[arg(long, value_name = "EFFECT", value_delimiter = ',', value_parser = PossibleValuesParser::new(Effect::ALL.iter().map(|effect| effect.as_str())).try_map(|name| Effect::from_name(&name).ok_or("expected an effect")))]
    pub(crate) effect: Vec<Effect>,
    /// Show only tools that change nothing: `--effect read`
    #[arg(long, conflicts_with = "effect")]
    pub(crate) read: bool,
    /// Print the declarations in a wire format: `anthropic`, `bedrock`, `ces`, `dialogflow`,
    /// `gemini`, `json`, `mcp`, `openai`, `responses`, `semantic_kernel`
    #[arg(long, value_name = "DIALECT")]
    pub(crate) dialect: Option<Dialect>,
    /// The form of the declarations where a wire format has several: `strict` (`anthropic`, `bedrock`, `openai`, `responses`,
    /// `semantic_kernel`), `schema` (`gemini`: `parameters`)
    #[arg(long, value_name = "FORM", requires = "dialect", default_value_t)]
    pub(crate) form: Form,
    /// Declare tools in the provider's strict mode: `--form strict`
    #[arg(long, requires = "dialect", conflicts_with = "form")]
    pub(crate) strict: bool,
    /// Declare tools that a model sees once it has searched for them, and the tool of the provider that searches: `anthropic`,
    /// `responses`
    #[arg(long, requires = "dialect")]
    pub(crate) deferred: bool,
    #[arg(
        long,
        value_name = "PROJECTION",
        conflicts_with = "dialect",
        help = "Print names, descriptions and schemas as a provider accepts them: anthropic, bedrock, ces, gemini_json, gemini_schema, \
                llamacpp, openai, openai_strict, portable"
    )]
    pub(crate) projection: Option<Projection>,
    /// Show what each tool loses there
    #[arg(long)]
    pub(crate) losses: bool,
    /// Show the tools that fit these words best, and the tools that answer what they need
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["dialect", "losses", "projection"])]
    pub(crate) search: Option<String>,
    /// The number of tools that a search shows
    #[arg(long, value_name = "N", default_value_t = 10, requires = "search", value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) limit: u16,
    /// Print everything known of each tool as JSON; with --losses, the losses; with --search, what is found
    #[arg(long)]
    pub(crate) json: bool,
}

impl ToolsArguments {
    /// The form that is asked for.
    pub(crate) fn form(&self) -> Form {
        if self.strict { Form::Strict } else { self.form }
    }
}
