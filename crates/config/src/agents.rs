//! The keys `models` and `agents`: models of providers, and what talks to them with tools. Files of instructions and
//! secrets are not read here.

use std::{collections::BTreeMap, time::Duration};

use callgate_auth::AuthConfig;
use callgate_dialect::Dialect;
use callgate_executor::{Entry, Executor};
use callgate_openapi::Pattern;
use callgate_policy::Confirm;
use callgate_settings::{
    Count, Kind, Mapping, Reader, SettingCode, forms, keys, member_pointer, settings, words,
};
use callgate_tool::{Object, Value};
use url::Url;

use crate::{credential::Auth, selection::Names};

/// A model of a provider, or of a server of one's own.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ModelConfig {
    /// The format of its requests: one of [`Dialect::OF_MODELS`].
    pub dialect: Dialect,
    /// The address of its interface, without the path of a request.
    pub url: Url,
    /// Its name.
    pub model: String,
    /// The credential of its requests.
    pub auth: AuthConfig,
    /// Further members of each request, as the provider names them.
    pub settings: Object,
    /// True if replies come as streams.
    pub stream: bool,
    /// The time for one reply; two minutes if it is absent.
    pub timeout: Option<Duration>,
}

keys! {
    /// The keys of a model.
    pub(crate) struct ModelKeys in "a model" {
        /// The credential of its requests; `none` for a server that asks for none.
        auth: Auth, required;
        /// The format of its requests.
        dialect: ModelDialect, required;
        /// The name of the model, as the provider says it.
        model: String, required;
        /// Further members of each request, as the provider names them: `{temperature: 0}`.
        settings: ModelSettings;
        /// `true` for replies as streams, whose words are shown as they come.
        stream: bool;
        /// The time for one reply, and the longest silence of a stream; two minutes unless given.
        timeout: Duration;
        /// The address of the interface, without the path of a request: `https://api.openai.com/v1`.
        url: ModelUrl, required;
    }
}

settings! {
    /// A model with tools, and the rules of its turns.
    #[derive(Clone, Debug)]
    #[non_exhaustive]
    pub struct AgentConfig in "an agent" {
        /// The tokens that each principal may use of the agent in a span of time; no limit unless given.
        budget: Option<AgentBudget> as Budget = None;
        /// The maker of the calls: the turn, or its caller, who gets them and hands in the results.
        calls: AgentCalls = AgentCalls::Auto;
        /// The choice between words and calls: `auto`, `none`, `required` in the first round, or a tool's name.
        choice: String = "auto".to_owned();
        /// The calls that a person approves, beyond those that the toolsets say.
        confirm: Confirm = Confirm::Writes;
        /// The first text of each request to the model, or `file:PATH`; `$session.params.NAME` in it is a value of the session.
        instructions: String = String::new();
        /// The limits of a turn.
        limits: AgentLimits = AgentLimits::default();
        /// The model, by its name below `models`.
        model: String = String::new();
        /// The calls of one message that run at the same time.
        parallel: AgentParallel = AgentParallel::Reads;
        /// The tools that the agent offers; all unless given.
        tools: AgentTools = AgentTools::default();
    }
}

/// The tokens that each principal may use of an agent in a span of time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a budget is these two")]
pub struct AgentBudget {
    /// The tokens of requests and replies.
    pub tokens: u64,
    /// The span of time, which begins with the first token.
    pub per: Duration,
}

keys! {
    /// The keys of a budget.
    pub(crate) struct BudgetKeys in "`budget` of an agent" {
        /// The span of time, which begins with the first token: `24h`.
        per: BudgetSpan, required;
        /// The tokens of requests and replies that each principal may use in it.
        tokens: TokenCount, required;
    }
}

settings! {
    /// The limits of a turn. At each of them the model answers once more, without tools.
    #[derive(Clone, Copy, Debug, Eq, PartialEq)]
    #[expect(
        clippy::exhaustive_structs,
        reason = "callers build it from its default; a new field has a safe one"
    )]
    pub struct AgentLimits in "`limits` of an agent" {
        /// The calls that are made.
        calls: usize as Count = 64;
        /// The requests to the model.
        rounds: usize as Count = 16;
        /// The rounds with an equal call and an equal result, after which the model has to do something else.
        same: usize as Count = 3;
        /// The time of the turn.
        time: Duration = Duration::from_mins(5);
        /// The tokens of all requests and replies.
        tokens: u64 as TokenCount = 200_000;
    }
}

settings! {
    /// The tools that an agent offers, by patterns of their names.
    #[derive(Clone, Debug)]
    #[non_exhaustive]
    pub struct AgentTools in "`tools` of an agent" {
        /// The tools that are not offered, by patterns of their names.
        exclude: Vec<Pattern> as Names = Vec::new();
        /// The tools that are offered, by patterns of their names: `[pizza-*]`.
        include: Vec<Pattern> as Names = Vec::new();
        /// The search for tools in place of their declarations: `auto` for more than 40 of them, `always` or `never`.
        search: AgentSearch = AgentSearch::Auto;
    }
}

impl AgentTools {
    /// True if the model searches the tools of an executor that its agent offers.
    #[doc(hidden)]
    pub fn is_search_used_in(&self, executor: &Executor) -> bool {
        let is_offered =
            |entry: &Entry<'_>| is_offered(entry.name().as_str(), &self.include, &self.exclude);
        self.search.is_used_among(executor.entries().filter(is_offered).count())
    }
}

/// True if patterns include a tool of this name, or there are none, and none excludes it.
#[doc(hidden)]
pub fn is_offered(tool: &str, include: &[Pattern], exclude: &[Pattern]) -> bool {
    let is_any = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(tool));
    (include.is_empty() || is_any(include)) && !is_any(exclude)
}

/// Who makes the calls of a turn.
///
/// ```
/// use callgate_config::AgentCalls;
///
/// assert_ne!(AgentCalls::Auto, AgentCalls::Manual);
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the turn or its caller makes the calls")]
pub enum AgentCalls {
    /// The turn.
    #[default]
    Auto,
    /// The caller of the turn.
    Manual,
}

/// The search for tools in place of their declarations.
///
/// ```
/// use callgate_config::AgentSearch;
///
/// assert_ne!(AgentSearch::Auto, AgentSearch::Never);
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum AgentSearch {
    /// The model searches, however few tools there are.
    Always,
    /// The model searches among more than 40 tools.
    #[default]
    Auto,
    /// All tools are declared.
    Never,
}

impl AgentSearch {
    /// The number of tools among which models choose well; beyond it, declarations cost more than they help.
    #[doc(hidden)]
    pub const MOST_DECLARED: usize = 40;

    /// True if a model that is offered this many tools searches them.
    #[doc(hidden)]
    pub fn is_used_among(self, n_tools: usize) -> bool {
        match self {
            Self::Always => true,
            Self::Auto => n_tools > Self::MOST_DECLARED,
            Self::Never => false,
        }
    }
}

/// The calls of one message that run at the same time.
///
/// ```
/// use callgate_config::AgentParallel;
///
/// assert_ne!(AgentParallel::Reads, AgentParallel::One);
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum AgentParallel {
    /// All calls together.
    All,
    /// Each call after the one before.
    One,
    /// Reads together, writes in order.
    #[default]
    Reads,
}

words! { AgentCalls, "`manual` ends the turn with the calls": "auto" => Auto, "manual" => Manual }
words! {
    AgentSearch, "`auto` declares up to 40 tools, and lets the model search among more":
    "always" => Always, "auto" => Auto, "never" => Never
}
words! {
    AgentParallel, "`reads` runs reads together and writes in order":
    "all" => All, "one" => One, "reads" => Reads
}

forms! {
    /// The models by their names.
    struct Models => BTreeMap<String, ModelConfig>, Kind::Map(&ModelKeys::KIND), |reader, mapping, key| {
        let help = "for example `{main: {dialect: openai, url: \"http://127.0.0.1:11434/v1\", model: qwen3, auth: none}}`";
        reader.named_values::<Model, _>(mapping, key, "a mapping from names to models", help)
    };
    /// One model.
    struct Model => ModelConfig, ModelKeys::KIND, |reader, mapping, key| {
        let ModelKeys { auth, dialect, model, settings, stream, timeout, url } =
            reader.get::<ModelKeys>(mapping, key)?;
        let (auth, settings) = (auth?, settings.unwrap_or_default());
        let (dialect, stream) = (dialect?, stream.unwrap_or_default());
        Some(ModelConfig { dialect, url: url?, model: model?, auth, settings, stream, timeout })
    };
    /// The agents by their names.
    struct Agents => BTreeMap<String, AgentConfig>, Kind::Map(&AgentConfig::KIND), |reader, mapping, key| {
        let help = "for example `{pizza: {model: main, tools: {include: [pizza-*]}}}`";
        reader.named_values::<AgentConfig, _>(mapping, key, "a mapping from names to agents", help)
    };
    /// A number of tokens.
    struct TokenCount => u64, Count::<{ usize::MAX }>::KIND, |reader, mapping, key| {
        u64::try_from(reader.get::<Count>(mapping, key)?).ok()
    };
    /// The span of a budget.
    struct BudgetSpan => Duration, Kind::Duration, |reader, mapping, key| {
        reader.duration_with_help(mapping, key, "for example `24h`")
    };
    /// A budget.
    struct Budget => AgentBudget, BudgetKeys::KIND, |reader, mapping, key| {
        let BudgetKeys { per, tokens } = reader.get::<BudgetKeys>(mapping, key)?;
        let (per, tokens) = (per?, tokens?);
        if per < SHORTEST_SPAN {
            let message = "expected a span of a minute or more, got a shorter one";
            let pointer = format!("{}/per", member_pointer(mapping, key));
            reader.report_fault(SettingCode::WrongValue, pointer, message, "for example `24h`");
        }
        Some(AgentBudget { tokens, per })
    };
    /// The format of a model's requests.
    struct ModelDialect => Dialect, Kind::Choice(Dialect::NAMES_OF_MODELS), |reader, mapping, key| {
        let words: Vec<_> = Dialect::OF_MODELS.iter().map(|it| (it.as_str(), *it)).collect();
        reader.word(mapping, key, &words, "`openai` is also spoken by Ollama, vLLM and llama.cpp")
    };
    /// Members of a request.
    struct ModelSettings => Object, Kind::Map(&Kind::Value), |reader, mapping, key| {
        let node = mapping.object.get(key)?;
        let Value::Object(settings) = node.to_value() else {
            reader.report_wrong_type(&member_pointer(mapping, key), "members of a request", node, "for example `{temperature: 0}`");
            return None;
        };
        Some(settings)
    };
    /// The address of a provider.
    struct ModelUrl => Url, Kind::Setting, read_model_url;
}

fn read_model_url(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Option<Url> {
    let text = reader.string_or_variable(mapping, key)?;
    let is_fine = |url: &Url| {
        matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
    };
    let url = Url::parse(&text).ok().filter(is_fine);
    if url.is_none() {
        let message = "expected an http or https URL without a user, without `?` and without `#`";
        let help = "for example `https://api.openai.com/v1`; the path of the request is added";
        reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, help);
    }
    url
}

/// A turn takes longer than a shorter span of a budget.
const SHORTEST_SPAN: Duration = Duration::from_mins(1);

#[cfg(test)]
#[cfg(feature = "agents")]
mod tests {
    use super::*;
    use crate::config::Config;

    #[track_caller]
    fn findings(text: &str) -> String {
        let read = Config::from_text(text, "").and_then(Config::faultless);
        let error = read.expect_err("a fault");
        error.findings().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_model_searches_among_more_than_40_tools() {
        use AgentSearch::{Always, Auto, Never};
        for (search, n_tools, is_used) in
            [(Always, 0, true), (Auto, 40, false), (Auto, 41, true), (Never, 41, false)]
        {
            assert_eq!(search.is_used_among(n_tools), is_used, "{search:?} {n_tools}");
        }
    }

    #[test]
    fn models_and_agents_are_read_with_their_defaults() {
        let text = "toolsets: {a: {functions: []}}
models: {main: {dialect: anthropic, url: 'https://models.example/v1', model: m-1, auth: {bearer: {token: env:KEY}}, settings: {max_tokens: 10}}}
agents: {pizza: {model: main, tools: {include: [a-*]}, limits: {rounds: 3}}}";
        let config = Config::from_text(text, "").unwrap();
        let (model, agent) = (&config.models["main"], &config.agents["pizza"]);
        assert_eq!((model.dialect, model.settings.len()), (Dialect::Anthropic, 1));
        assert_eq!(
            (agent.confirm, agent.limits.rounds, agent.limits.calls),
            (Confirm::Writes, 3, 64)
        );
        assert!(agent.tools.include[0].matches("a-b"));
    }

    #[test]
    fn each_fault_of_a_model_is_reported() {
        let with = |model: &str| {
            findings(&format!("toolsets: {{a: {{functions: []}}}}\nmodels: {{main: {model}}}"))
        };
        assert!(
            with("{url: 'ftp://x', dialect: openai, model: m, auth: none}")
                .contains("expected an http or https URL")
        );
        assert!(
            with("{url: 'http://x', dialect: open-ai, model: m, auth: none}").contains("`openai`")
        );
        assert!(with("{url: 'http://x', dialect: openai, model: m}").contains("auth"));
    }
}
