//! The four tools that are listed instead of many: they find, describe and call the others. Their names and schemas do not
//! change, so that prompts stay valid. The tool for read-only calls changes nothing, so that a client may allow it.

mod declarations;

use callgate_config::{McpConfig, McpSchemas};
use callgate_executor::{Entry, Executor, Found, Search};
use callgate_tool::{Effect, Object, Value, from_value, json};
use serde::{Deserialize, de::DeserializeOwned};

pub(crate) use self::declarations::standing_declarations;
use crate::{declaration::tool_declaration, host::Caller};

callgate_tool::named! {
    pub(crate) enum Standing {
        CallRead = "call_read_tool",
        CallWrite = "call_write_tool",
        Describe = "describe_tools",
        Find = "find_tools",
    }
}

/// A call of another tool. Its arguments are declared as `args`, because Semantic Kernel puts all values into a parameter
/// called `arguments`; models use either name.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct TargetCall {
    #[serde(default, rename = "name")]
    pub(crate) tool: String,
    #[serde(rename = "args", alias = "arguments")]
    pub(crate) arguments: Option<Object>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Find {
    #[serde(default)]
    query: String,
    #[serde(default)]
    toolsets: Vec<String>,
    #[serde(default)]
    effects: Vec<Effect>,
    limit: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Describe {
    #[serde(default)]
    names: Vec<String>,
}

impl Standing {
    /// The call that a call of this tool makes; `None` if this tool calls no other.
    pub(crate) fn target_call(
        self,
        arguments: Option<&Object>,
    ) -> Option<Result<TargetCall, String>> {
        if !matches!(self, Self::CallRead | Self::CallWrite) {
            return None;
        }
        let target =
            parse_arguments(arguments).and_then(|target: TargetCall| match &*target.tool {
                "" => Err("`name`: expected the name of a tool".to_owned()),
                _ => Ok(target),
            });
        Some(target)
    }

    /// The reason why this tool does not call `entry`.
    pub(crate) fn refusal_reason(self, entry: Entry<'_>) -> Option<String> {
        let (name, effect) = (entry.name(), entry.effect().as_str());
        let is_refused = self == Self::CallRead && entry.effect() != Effect::Read;
        let other = Self::CallWrite.as_str();
        is_refused.then(|| {
            format!("`{name}` changes something (its effect is `{effect}`): call it with `{other}`")
        })
    }

    /// The result of a tool that calls no other, or a sentence about the problem with the arguments.
    pub(crate) fn find_or_describe_answer(
        self,
        executor: &Executor,
        caller: &Caller,
        schemas: McpSchemas,
        arguments: Option<&Object>,
    ) -> Result<Value, String> {
        match self {
            Self::Find => find_tools(executor, caller, parse_arguments(arguments)?),
            _ => describe_tools(executor, caller, parse_arguments(arguments)?, schemas),
        }
    }
}

/// True if the four tools are listed instead of all.
pub(crate) fn is_shortlist_used(config: &McpConfig, executor: &Executor, caller: &Caller) -> bool {
    config.needs_short_tool_list(executor, |entry| caller.can_list_toolset(entry.toolset()))
}

pub(crate) fn pinned_entries<'e>(
    config: &McpConfig,
    executor: &'e Executor,
    caller: &Caller,
) -> Vec<Entry<'e>> {
    let pinned = config.pinned.iter().filter_map(|name| executor.find(name));
    pinned.filter(|entry| caller.can_list_toolset(entry.toolset())).collect()
}

/// The arguments of a tool that clients repeat in headers. Only tools in every list have them, because clients do not
/// know of others; an argument that is a credential is never one of them.
pub(crate) fn argument_headers(
    config: &McpConfig,
    executor: &Executor,
    entry: Entry<'_>,
) -> Vec<(Vec<String>, String)> {
    let Some(tool) = entry.declaration().filter(|tool| !tool.mcp_headers.is_empty()) else {
        return Vec::new();
    };
    let is_pinned = config.pinned.iter().any(|name| name == entry.name().as_str());
    if !is_pinned && is_shortlist_used(config, executor, &Caller::anyone()) {
        return Vec::new();
    }
    let secret = entry.secret_arguments();
    let is_secret =
        |path: &[String]| path.first().is_some_and(|argument| secret.contains(argument));
    tool.mcp_headers.iter().filter(|(path, _)| !is_secret(path)).cloned().collect()
}

/// The arguments of a tool of callgate itself. Some models write `null` for a value that they do not give.
pub(crate) fn parse_arguments<T: DeserializeOwned>(
    arguments: Option<&Object>,
) -> Result<T, String> {
    let mut given = arguments.cloned().unwrap_or_default();
    given.retain(|_, value| !value.is_null());
    from_value(Value::Object(given)).map_err(|error| error.to_string())
}

fn find_tools(executor: &Executor, caller: &Caller, asked: Find) -> Result<Value, String> {
    let Find { query, toolsets, effects, limit } = asked;
    if query.trim().is_empty() {
        return Err("`query`: expected what a tool is wanted for, in words".to_owned());
    }
    let limit = match limit {
        None => FOUND,
        Some(value) => {
            let limit = Search::limit_of(&value);
            limit.ok_or_else(|| format!("`limit`: expected 1 to {}, got: {value}", Search::MOST))?
        }
    };
    let is_listed = |toolset: &String| {
        executor
            .entries()
            .any(|entry| entry.toolset() == toolset && caller.can_list_toolset(entry.toolset()))
    };
    if let Some(unknown) = toolsets.iter().find(|toolset| !is_listed(toolset)) {
        return Err(format!("`toolsets`: expected ones that are served, got: `{unknown}`"));
    }
    let search = Search::new(&query).with_limit(limit);
    let search = search.with_toolsets(&toolsets).with_effects(&effects);
    let matching_tools = executor.search(&search, |entry| caller.can_list_toolset(entry.toolset()));
    let tools: Vec<Value> = matching_tools.iter().map(Found::to_value).collect();
    Ok(json!({"tools": tools}))
}

fn describe_tools(
    executor: &Executor,
    caller: &Caller,
    Describe { names }: Describe,
    schemas: McpSchemas,
) -> Result<Value, String> {
    if !(1..=DESCRIBED).contains(&names.len()) {
        let got = names.len();
        return Err(format!("`names`: expected 1 to {DESCRIBED} names of tools, got: {got}"));
    }
    let (mut tools, mut unknown) = (Vec::new(), Vec::new());
    for name in names {
        let entry = executor.find(&name).filter(|entry| caller.can_list_toolset(entry.toolset()));
        match entry.and_then(|entry| Some((entry, entry.declaration()?))) {
            Some((entry, tool)) => {
                let mut declaration = tool_declaration(tool, schemas);
                if let Some(members) = declaration.as_object_mut() {
                    members.insert("effect", entry.effect().as_str().into());
                }
                tools.push(declaration);
            }
            None => unknown.push(Value::from(name)),
        }
    }
    Ok(json!({"tools": tools, "unknown": unknown}))
}

/// A result in JSON, complete as text and as structured content, or a failure that a model can read.
pub(crate) fn tool_result(answer: Result<Value, String>) -> Value {
    let (value, is_error) = match answer {
        Ok(value) => (value, false),
        Err(message) => (json!({"error": {"message": message}}), true),
    };
    json!({
        "content": [{"type": "text", "text": (value.to_string())}],
        "isError": is_error,
        "structuredContent": value,
    })
}

const FOUND: usize = 8;
const DESCRIBED: usize = 20;
