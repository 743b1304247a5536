//! The keys `confirm` and `execution` of a toolset: the calls that a person has to approve, and the side that runs tools.
//! Each is a rule for all tools, or a mapping with the rules of single ones.

use callgate_executor::Execution;
use callgate_policy::Confirm;

use crate::{
    form::{Form, forms, words},
    keys::Kind,
    reader::{Mapping, Reader, at, escaped},
    settings::keys,
};

/// A rule for the tools of a toolset.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolRules<T> {
    /// The rule for tools that are not named.
    pub(crate) default: T,
    /// The rules of single tools.
    pub(crate) tools: Vec<ToolRule<T>>,
}

/// The rule of one tool.
#[derive(Clone, Debug)]
pub(crate) struct ToolRule<T> {
    /// The tool's name, its `operationId` or the name of a function.
    pub(crate) tool: String,
    /// The JSON pointer of its entry.
    pub(crate) pointer: String,
    /// The rule.
    pub(crate) rule: T,
}

keys! {
    /// The calls that a person has to approve.
    pub(crate) ConfirmKeys over ToolRules<Confirm>, in "`confirm`" {
        /// The rule for tools that are not named.
        default: Confirm;
        /// The rules of single tools, by their names or by the `operationId`.
        tools: ConfirmOfTools;
    }
}

keys! {
    /// The side that runs tools after a call is checked.
    pub(crate) ExecutionKeys over ToolRules<Execution>, in "`execution`" {
        /// The side that runs tools that are not named.
        default: Execution;
        /// The side that runs single tools, by their names or by the `operationId`.
        tools: ExecutionOfTools;
    }
}

words! {
    Confirm, "`writes` asks about every call that changes something":
    "always" => Always, "destructive" => Destructive, "dialogflow_v2" => DialogflowV2, "never" => Never,
    "writes" => Writes
}
words! {
    Execution, "`client` hands checked calls to the client instead of the service":
    "client" => Client, "server" => Server
}

forms! {
    /// One rule, or the rules of single tools.
    struct ConfirmRules => ToolRules<Confirm>, Kind::AnyOf(&[Confirm::KIND, ConfirmKeys::KIND]),
        rules::<Confirm, ConfirmKeys>;
    /// The rules of single tools.
    struct ConfirmOfTools => Vec<ToolRule<Confirm>>, Kind::Map(&Confirm::KIND), |reader, mapping, key| {
        of_tools(reader, mapping, key, ["a mapping from tools to rules", "for example `{deletePet: always}`"])
    };
    /// One side, or the sides of single tools.
    struct ExecutionRules => ToolRules<Execution>, Kind::AnyOf(&[Execution::KIND, ExecutionKeys::KIND]),
        rules::<Execution, ExecutionKeys>;
    /// The sides of single tools.
    struct ExecutionOfTools => Vec<ToolRule<Execution>>, Kind::Map(&Execution::KIND), |reader, mapping, key| {
        let expected = "a mapping from tools to `client` or `server`";
        of_tools(reader, mapping, key, [expected, "for example `{openPage: client}`"])
    };
}

fn rules<T: Form<Value = T>, F: Form<Value = ToolRules<T>>>(
    reader: &mut Reader,
    toolset: Mapping<'_>,
    key: &str,
) -> Option<ToolRules<T>> {
    if toolset.object.get(key)?.as_object().is_some() {
        return reader.get::<F>(toolset, key);
    }
    Some(ToolRules { default: reader.get::<T>(toolset, key)?, tools: Vec::new() })
}

fn of_tools<T: Form<Value = T>>(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
    [expected, help]: [&str; 2],
) -> Option<Vec<ToolRule<T>>> {
    let tools = reader.map::<T>(mapping, key, expected, help)?.into_iter();
    let rule = |(tool, rule): (String, T)| {
        let pointer = format!("{}/{}", at(mapping, key), escaped(&tool));
        ToolRule { tool, pointer, rule }
    };
    Some(tools.map(rule).collect())
}
