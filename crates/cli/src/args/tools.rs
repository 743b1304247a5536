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
    #[arg(
        long,
        requires = "tool",
        conflicts_with_all = ["dialect", "effect", "json", "losses", "projection", "read", "search", "tag"]
    )]
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
    #[arg(long, value_name = "DIALECT", help = format!("Print the declarations in a wire format: {}", dialects(|_| true)))]
    pub(crate) dialect: Option<Dialect>,
    #[arg(long, value_name = "FORM", requires = "dialect", conflicts_with_all = ["projection", "search"], default_value_t, help = form_help())]
    pub(crate) form: Form,
    /// Declare tools in the provider's strict mode: `--form strict`
    #[arg(long, requires = "dialect", conflicts_with_all = ["form", "projection", "search"])]
    pub(crate) strict: bool,
    #[arg(long, requires = "dialect", conflicts_with_all = ["losses", "projection", "search"], help = deferred_help())]
    pub(crate) deferred: bool,
    #[arg(long, value_name = "PROJECTION", conflicts_with = "dialect", help = projection_help())]
    pub(crate) projection: Option<Projection>,
    /// Show what each tool loses there
    #[arg(long)]
    pub(crate) losses: bool,
    /// Show the tools that fit these words best, and the tools that answer what they need
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["dialect", "losses", "projection"])]
    pub(crate) search: Option<String>,
    /// The number of tools that a search shows
    #[arg(long, value_name = "N", default_value_t = 10, requires = "search", conflicts_with_all = ["dialect", "losses", "projection", "tool"], value_parser = clap::value_parser!(u16).range(1..=100))]
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

/// The names of the wire formats that are meant.
pub(super) fn dialects(is_meant: impl Fn(&Dialect) -> bool) -> String {
    let meant = Dialect::ALL.iter().filter(|dialect| is_meant(dialect));
    meant.map(|dialect| format!("`{dialect}`")).collect::<Vec<_>>().join(", ")
}

fn form_help() -> String {
    let with = |form: Form| dialects(|dialect| dialect.forms().contains(&form));
    let (strict, schema) = (with(Form::Strict), with(Form::Schema));
    format!(
        "The form of the declarations where a wire format has several: `strict` ({strict}), `schema` ({schema}: `parameters`)"
    )
}

fn deferred_help() -> String {
    let dialects = dialects(|dialect| dialect.search_tool().is_some());
    format!(
        "Declare tools that a model sees once it has searched for them, and the tool of the provider that searches: {dialects}"
    )
}

fn projection_help() -> String {
    let projections: Vec<_> =
        Projection::ALL.iter().map(|projection| projection.as_str()).collect();
    let projections = projections.join(", ");
    format!("Print names, descriptions and schemas as a provider accepts them: {projections}")
}
