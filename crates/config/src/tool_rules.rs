//! The keys `confirm`, `execution` and `arguments` of a toolset: the calls that a person has to approve, the side that
//! runs tools, and the tools whose arguments are the members of their body. Each has the rules of single tools.

use callgate_executor::Execution;
use callgate_kind::ToolRule;
use callgate_policy::Confirm;
use callgate_settings::{
    Form, Kind, Mapping, Reader, forms, keys, member_pointer, pointer_segment, words,
};

/// A rule for the tools of a toolset.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolRules<T> {
    /// The rule for tools that are not named.
    pub(crate) default: T,
    /// The rules of single tools.
    pub(crate) tools: Vec<ToolRule<T>>,
}

keys! {
    pub(crate) ConfirmKeys over ToolRules<Confirm>, in "`confirm`" {
        /// The rule for tools that are not named.
        default: Confirm;
        /// The rules of single tools, by their names or by the `operationId`.
        tools: ConfirmOfTools;
    }
}

keys! {
    pub(crate) ExecutionKeys over ToolRules<Execution>, in "`execution`" {
        /// The side that runs tools that are not named.
        default: ExecutionWord;
        /// The side that runs single tools, by their names or by the `operationId`.
        tools: ExecutionOfTools;
    }
}

keys! {
    pub(crate) struct ArgumentKeys in "`arguments`" {
        /// `body` for single tools, by their names or by the `operationId`: the arguments are the members of the body.
        tools: BodyArgumentsOfTools;
    }
}

words! {
    struct ExecutionWord => Execution, "`client` hands checked calls to the client instead of the service":
    "client" => Client, "server" => Server
}

forms! {
    /// `body`, for the tools whose arguments are the members of their body.
    struct Body => (), Kind::Choice(&["body"]), |reader, mapping, key| {
        let help = "`body` makes the members of the body the arguments; leave the tool out for the usual ones";
        reader.word(mapping, key, &[("body", ())], help)
    };
    /// The tools whose arguments are the members of their body.
    struct BodyArguments => Vec<ToolRule<()>>, ArgumentKeys::KIND,
        |reader, mapping, key| reader.get::<ArgumentKeys>(mapping, key)?.tools;
    struct BodyArgumentsOfTools => Vec<ToolRule<()>>, Kind::Map(&Body::KIND), |reader, mapping, key| {
        read_rules_of_tools::<Body>(reader, mapping, key, ["a mapping from tools to `body`", "for example `{createPet: body}`"])
    };
    struct ConfirmRules => ToolRules<Confirm>, Kind::AnyOf(&[Confirm::KIND, ConfirmKeys::KIND]),
        read_rule_or_tool_rules::<Confirm, ConfirmKeys>;
    struct ConfirmOfTools => Vec<ToolRule<Confirm>>, Kind::Map(&Confirm::KIND), |reader, mapping, key| {
        read_rules_of_tools::<Confirm>(reader, mapping, key, ["a mapping from tools to rules", "for example `{deletePet: always}`"])
    };
    struct ExecutionRules => ToolRules<Execution>, Kind::AnyOf(&[ExecutionWord::KIND, ExecutionKeys::KIND]),
        read_rule_or_tool_rules::<ExecutionWord, ExecutionKeys>;
    struct ExecutionOfTools => Vec<ToolRule<Execution>>, Kind::Map(&ExecutionWord::KIND), |reader, mapping, key| {
        let expected = "a mapping from tools to `client` or `server`";
        read_rules_of_tools::<ExecutionWord>(reader, mapping, key, [expected, "for example `{openPage: client}`"])
    };
}

fn read_rule_or_tool_rules<W: Form, F: Form<Value = ToolRules<W::Value>>>(
    reader: &mut Reader,
    toolset: Mapping<'_>,
    key: &str,
) -> Option<ToolRules<W::Value>> {
    if toolset.object.get(key)?.as_object().is_some() {
        return reader.get::<F>(toolset, key);
    }
    Some(ToolRules { default: reader.get::<W>(toolset, key)?, tools: Vec::new() })
}

fn read_rules_of_tools<F: Form>(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
    [expected, help]: [&str; 2],
) -> Option<Vec<ToolRule<F::Value>>> {
    let tools = reader.named_values::<F, Vec<_>>(mapping, key, expected, help)?.into_iter();
    let rule = |(tool, rule): (String, F::Value)| {
        let pointer = format!("{}/{}", member_pointer(mapping, key), pointer_segment(&tool));
        ToolRule { tool, pointer, rule }
    };
    Some(tools.map(rule).collect())
}
