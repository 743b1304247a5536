//! `callgate tools FILE`: shows the tools as a list, as declarations in a dialect, or with all their facts as JSON.
//! Each tool is written before the next one is built.

pub(super) mod command_example;
pub(super) mod command_words;
mod example;
mod filter;
mod list;
mod page;
mod session_example;

use callgate::{
    Entry, Executor, Tool,
    config::{Built, BuiltToolset, Environment},
    dialect::{Dialect, Form},
    openapi::Diagnostic,
    search::Search,
};
use callgate_config::Kinds;
use callgate_dialect::{Projected, Projection, exceeded_strict_limits, is_union, project};
use callgate_gateway::write_details;
use callgate_openapi::{AppliedEdit, Budget, Operation};
use callgate_tool::{Value, json};

use self::filter::Filter;
use super::{call::resolve_tool_name, losses::Losses, unknown_tool};
use crate::{
    args::ToolsArguments,
    effects,
    exit::{Failure, Verdict},
    number::grouped_digits,
    open::{description_options, loader_with_effects, open_for_calls},
    output, render,
};

pub(crate) const NO_FORM: &str = "leave out `--form` and `--strict`, or name a dialect that has the form: `callgate tools --help`";

pub(crate) fn run(arguments: &ToolsArguments, kinds: &Kinds) -> Result<Verdict, Failure> {
    if arguments.json && is_for_declarations(arguments) && !arguments.losses {
        let message = "error: expected `--json` without `--dialect` and `--projection`\n";
        return Err(Failure(format!("{message}help: leave it out: declarations are JSON\n")));
    }
    if let Some(dialect) = arguments.dialect {
        let form = dialect.supported_form(arguments.form());
        form.map_err(|error| Failure(format!("error: `--form`: {error}\nhelp: {NO_FORM}\n")))?;
    }
    let environment = Environment::new().without_audit();
    let options = description_options(&arguments.source.description);
    let loader = loader_with_effects(kinds, effects::TOOLS);
    let built = open_for_calls(&arguments.source.file, &options, &loader, &environment)?;
    if let Some(asked) = &arguments.tool {
        return print_tool_page(&built, asked, arguments, kinds);
    }
    if arguments.search.is_none() && built.executor.entries().next().is_none() {
        let file = arguments.source.file.display();
        output::print_message(&format!(
            "error: `{file}` offers no tool\nhelp: `callgate check {file}` says why\n"
        ));
        return Ok(Verdict::Findings);
    }
    let filter = Filter::new(&built, arguments)?;
    let verdict = print_list(&built, &filter, arguments)?;
    filter.print_count_left_out();
    Ok(verdict)
}

fn is_for_declarations(arguments: &ToolsArguments) -> bool {
    arguments.dialect.is_some() || arguments.projection.is_some()
}

fn print_tool_page(
    built: &Built,
    asked: &str,
    arguments: &ToolsArguments,
    kinds: &Kinds,
) -> Result<Verdict, Failure> {
    let name = resolve_tool_name(&built.executor, asked);
    let Some(entry) = built.executor.find(&name) else {
        output::print_message(&unknown_tool::unknown_tool_text(
            &built.executor,
            asked,
            &arguments.source.file,
        ));
        return Ok(Verdict::Findings);
    };
    if arguments.json || is_for_declarations(arguments) {
        return print_list(built, &Filter::for_tool(entry.name()), arguments);
    }
    let text = page::tool_page(&built.executor, entry, arguments, kinds)?;
    output::print_styled(&text);
    Ok(Verdict::Fine)
}

fn print_list(
    built: &Built,
    filter: &Filter,
    arguments: &ToolsArguments,
) -> Result<Verdict, Failure> {
    let form = arguments.form();
    if let Some(text) = &arguments.search {
        let search = Search::new(text).with_limit(arguments.limit.into());
        list::show_matches(&built.executor, &search, filter, arguments.json);
    } else if arguments.losses {
        print_losses(built, filter, arguments)?;
    } else if let Some(projection) = arguments.projection {
        print_filtered_tools(built, filter, ["[\n  ", ",\n  ", "\n]\n"], |_, _, tool| {
            let Projected { schema, description, .. } = project(tool, projection);
            let declaration = json!({
                "name": (tool.name.as_str()), "description": description, "parameters": schema,
            });
            output::print_result(&format!("{declaration:#}").replace('\n', "\n  "));
        });
    } else if arguments.json {
        print_filtered_tools(built, filter, ["[", ",", "]\n"], |operation, edit, tool| {
            output::print_streamed(|out| write_details(out, operation, edit, tool));
        });
    } else if let Some(dialect) = arguments.dialect.filter(|_| arguments.deferred) {
        print_deferred_declarations(built, filter, dialect, form)?;
    } else if let Some(dialect) = arguments.dialect {
        let mut strict = StrictCounts::default();
        print_filtered_tools(built, filter, ["[\n  ", ",\n  ", "\n]\n"], |_, _, tool| {
            let declaration = dialect.declaration_in(form, tool);
            strict.count_optionals_and_unions(&declaration);
            output::print_result(&format!("{declaration:#}").replace('\n', "\n  "));
        });
        if form == Form::Strict {
            strict.print_exceeded_limits(dialect);
        }
    } else {
        list::print_tools(built, filter);
    }
    Ok(Verdict::Fine)
}

/// The declarations that a model searches, after the tool that searches them.
fn print_deferred_declarations(
    built: &Built,
    filter: &Filter,
    dialect: Dialect,
    form: Form,
) -> Result<(), Failure> {
    let Some(search) = dialect.search_tool() else {
        let with_search = Dialect::ALL.iter().filter(|dialect| dialect.search_tool().is_some());
        let flags: Vec<_> = with_search.map(|dialect| format!("`--dialect {dialect}`")).collect();
        let message = "error: expected a dialect whose provider searches tools";
        return Err(Failure(format!("{message}\nhelp: {}\n", flags.join(" or "))));
    };
    let shown = |value: &Value| format!("{value:#}").replace('\n', "\n  ");
    output::print_result(&format!("[\n  {}", shown(&search)));
    print_filtered_tools(built, filter, ["", "", ""], |_, _, tool| {
        let declaration = dialect.deferred_declaration(form, tool).unwrap_or_default();
        output::print_result(&format!(",\n  {}", shown(&declaration)));
    });
    output::print_result("\n]\n");
    Ok(())
}

fn print_losses(built: &Built, filter: &Filter, arguments: &ToolsArguments) -> Result<(), Failure> {
    let of_dialect = arguments
        .dialect
        .map_or(Some(Projection::Portable), |dialect| dialect.projection_in(arguments.form()));
    let Some(projection) = arguments.projection.or(of_dialect) else {
        return Err(Failure(
            "note: this dialect has schemas as they are: nothing is lost\n".to_owned(),
        ));
    };
    let mut losses = Losses::new(projection);
    if arguments.json {
        print_filtered_tools(built, filter, ["[", ",", "]\n"], |_, _, tool| {
            output::print_result(&losses.count_tool_as_json(tool).to_string());
        });
    } else {
        print_filtered_tools(built, filter, ["", "", ""], |_, _, tool| {
            output::print_result(&losses.count_tool_as_text(tool));
        });
        output::print_result(&losses.projection_loss_summary());
    }
    Ok(())
}

pub(crate) fn declarations_text(executor: &Executor, dialect: Dialect) -> String {
    let all =
        executor.entries().filter_map(Entry::declaration).map(|tool| dialect.declaration(tool));
    format!("{:#}\n", Value::Array(all.collect()))
}

/// Writes every tool that the filter takes with `show`, those that the client runs last. The texts go before the first tool, between two
/// and after the last. A tool whose declaration exceeds its limits is reported on standard error.
fn print_filtered_tools(
    built: &Built,
    filter: &Filter,
    [before, between, after]: [&str; 3],
    mut show: impl FnMut(Option<&Operation>, Option<&AppliedEdit>, &Tool),
) {
    let mut n_shown = 0;
    let mut shown = |operation: Option<&Operation>, edit: Option<&AppliedEdit>, tool: &Tool| {
        output::print_result(if n_shown == 0 { before } else { between });
        show(operation, edit, tool);
        n_shown += 1;
    };
    for toolset in &built.toolsets {
        let first = toolset.operations.first();
        let mut budget = first.map_or_else(Budget::default, |first| first.new_declaration_budget());
        let mut refusals = Refusals::default();
        let operations = toolset.operations.iter();
        for operation in operations.filter(|operation| filter.keeps(&operation.tool_name)) {
            let tool = match operation.uncached_declaration(&mut budget) {
                Ok(tool) => tool,
                Err(refusal) => {
                    refusals.add_refusal(*refusal);
                    continue;
                }
            };
            shown(Some(operation), operation.edit.as_ref(), &tool);
        }
        refusals.print_refusals(toolset);
    }
    let is_function = |entry: &Entry<'_>| entry.operation().is_none() && filter.keeps(entry.name());
    let functions = built.executor.entries().filter(is_function);
    let declared = functions.filter_map(|entry| Some((entry.edit(), entry.declaration()?)));
    declared.for_each(|(edit, tool)| shown(None, edit, tool));
    match n_shown {
        0 => output::print_result(&format!("{}{}", before.trim_end(), after.trim_start())),
        _ => output::print_result(after),
    }
}

#[derive(Default)]
struct Refusals {
    first: Option<Diagnostic>,
    n_more: usize,
}

impl Refusals {
    fn add_refusal(&mut self, refusal: Diagnostic) {
        match self.first {
            None => self.first = Some(refusal),
            Some(_) => self.n_more += 1,
        }
    }

    fn print_refusals(&self, toolset: &BuiltToolset) {
        if let Some(first) = &self.first {
            output::print_message(&render::rendered_diagnostic(
                &toolset.file,
                &render::Lines::default(),
                first,
            ));
        }
        let file = toolset.file.display();
        if self.n_more > 0 {
            output::print_message_line(&format!(
                "note: so are {} more operations of `{file}`",
                self.n_more
            ));
        }
    }
}

/// Numbers for the limits on strict tools that all declarations together exceed: a provider that accepts each one may still refuse
/// the request.
#[derive(Default)]
struct StrictCounts {
    tools: usize,
    optional: usize,
    unions: usize,
}

impl StrictCounts {
    fn count_optionals_and_unions(&mut self, declaration: &Value) {
        self.tools += 1;
        self.optional += n_optional_properties(declaration);
        self.unions += n_unions(declaration);
    }

    fn print_exceeded_limits(&self, dialect: Dialect) {
        let Self { tools: n_tools, optional: n_optional, unions: n_unions } = *self;
        for limit in exceeded_strict_limits(dialect, n_tools, n_optional, n_unions) {
            let (n_tools, n_optional) = (grouped_digits(n_tools), grouped_digits(n_optional));
            let n_unions = grouped_digits(n_unions);
            output::print_message(&format!(
                "note: {} takes {}, got: {n_tools} tools with {n_optional} optional members and {n_unions} of several types\nhelp: {}\n",
                limit.provider, limit.expected, limit.instead
            ));
        }
    }
}

/// The number of schemas in a declaration, at any depth, that allow several types.
fn n_unions(schema: &Value) -> usize {
    match schema {
        Value::Array(items) => items.iter().map(n_unions).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(keyword, value)| usize::from(is_union(keyword, value)) + n_unions(value))
            .sum(),
        _ => 0,
    }
}

fn n_optional_properties(schema: &Value) -> usize {
    match schema {
        Value::Array(items) => items.iter().map(n_optional_properties).sum(),
        Value::Object(members) => {
            let properties = members.get("properties").and_then(Value::as_object);
            let required = members.get("required").and_then(Value::as_array);
            let n_required = required.map_or(0, Vec::len);
            let here =
                properties.map_or(0, |properties| properties.len().saturating_sub(n_required));
            here + members.values().map(n_optional_properties).sum::<usize>()
        }
        _ => 0,
    }
}
