//! `GET /v1/tools` and `GET /v1/tools/{name}`: the tools that a model may call, and all facts about one tool.

mod details;
mod summary;

use std::sync::Arc;

use axum::extract::State;
use callgate_call::wording;
use callgate_config::Built;
use callgate_dialect::{Dialect, Form};
use callgate_executor::Entry;
use callgate_policy::Approvals;
use callgate_tool::{Tool, Value, json};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use utoipa::ToSchema;

pub use self::details::write_details;
use self::summary::Filter;
use crate::{
    answer::JsonText,
    bodies::ToolBody,
    caller::Caller,
    gateway::Gateway,
    path_name::PathName,
    problem::{Problem, ProblemKind},
    query::{Query, malformed_query},
};

#[derive(Serialize, ToSchema)]
#[schema(as = Tools)]
#[serde(rename_all = "camelCase")]
struct ToolPage<'t> {
    /// Declarations in the dialect that was asked for
    #[schema(value_type = Vec<Object>)]
    tools: Vec<Box<RawValue>>,
    /// The beginning of the next page; none on the last one
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<&'t str>,
    /// The number of tools that match, on every page; of summaries alone
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    total: Option<usize>,
}

/// Lists the declarations of tools in a dialect, page by page.
#[utoipa::path(
    get, path = "/v1/tools",
    operation_id = "listTools", tag = "tools",
    params(
        ("dialect" = Option<String>, Query, description = "The wire format of the declarations; `json` unless it is given"),
        ("form" = Option<String>, Query, description = "The form of the declarations, where the wire format has several: `strict` for OpenAI, Anthropic and Bedrock, `schema` for Gemini's `parameters`; `usual` unless it is given"),
        ("deferred" = Option<bool>, Query, description = "True for declarations that a model sees once it has searched for them, the provider's own tool that searches first: `anthropic`, `responses`"),
        ("toolset" = Option<String>, Query, description = "Only tools of this toolset"),
        ("effect" = Option<String>, Query, description = "Only tools whose calls do this"),
        ("tag" = Option<String>, Query, description = "Only tools whose operation has this tag"),
        ("summary" = Option<bool>, Query, description = "True for the name, the toolset, the effect, the purpose in a line, the path and the tags of each tool in place of its declaration, with the number of all that match"),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before"),
        ("limit" = Option<u16>, Query, description = "The most tools of a page. A page ends at 4 MiB, too", minimum = 1, maximum = 1000),
    ),
    responses(
        (status = 200, description = "A page of tools", body = ToolPage<'_>,
            links(("NextTools" = (operation_id = "listTools", parameters(("cursor" = "$response.body#/nextCursor")))),
                ("ShowTool" = (operation_id = "showTool", parameters(("name" = "$response.body#/tools/0/name")))))),
        (status = 422, description = "The wire format has no such form, or searches no deferred tools; or a summary is asked for in a form"),
        (status = 404, description = "There is no such toolset, or the tool of the cursor is gone"),
    ),
)]
pub(crate) async fn list(
    State(gateway): State<Gateway>,
    caller: Caller,
    query: Query,
) -> Result<JsonText, Problem> {
    let page = Page::read(query)?;
    let _permit = gateway.listing_permit(&caller).await?;
    let built = gateway.current_build();
    let tools = built.executor.entries().filter(|entry| caller.may_use(entry.toolset()));
    if let Some(toolset) = &page.filter.toolset {
        let mut served_toolsets = built.executor.entries().map(Entry::toolset);
        if !served_toolsets
            .any(|served_toolset| served_toolset == toolset && caller.may_use(served_toolset))
        {
            let detail = format!("`toolset`: expected one that is served, got: `{toolset}`");
            return Err(Problem::new(ProblemKind::ABSENT_RESOURCE, detail));
        }
    }
    let total = page.is_summary.then(|| {
        let entries = built.executor.entries().filter(|entry| caller.may_use(entry.toolset()));
        entries.filter(|entry| page.filter.matches_tool(*entry)).count()
    });
    let mut tools = tools.filter(|entry| page.filter.matches_tool(*entry)).peekable();
    if let Some(last) = &page.cursor {
        tools.find(|entry| entry.name().as_str() == last).ok_or_else(|| {
            let detail = "`cursor`: the tool it stands at is gone; begin without a cursor";
            Problem::new(ProblemKind::ABSENT_RESOURCE, detail)
        })?;
    }
    let mut shown = Vec::new();
    if let Some(search) = page.search.as_ref().filter(|_| page.cursor.is_none()) {
        shown.extend(to_raw_value(search));
    }
    let (mut last, mut n_bytes, most) = (None, 0, shown.len() + page.limit);
    for entry in tools.by_ref() {
        last = Some(entry.name().as_str());
        // A tool whose declaration exceeds its limits is skipped, as `check` reports.
        let declaration = entry
            .declaration()
            .and_then(|tool| to_raw_value(&page.summary_or_declaration(entry, tool)).ok());
        n_bytes += declaration.as_ref().map_or(0, |declaration| declaration.get().len());
        shown.extend(declaration);
        if shown.len() == most || n_bytes >= MOST_BYTES {
            break;
        }
    }
    let next_cursor = last.filter(|_| tools.peek().is_some());
    Ok(JsonText::from_body(&ToolPage { tools: shown, next_cursor, total }))
}

/// Shows everything known of one tool, with its declaration in every dialect.
#[utoipa::path(
    get, path = "/v1/tools/{name}",
    operation_id = "showTool", tag = "tools",
    params(("name" = String, Path, description = "The tool's name")),
    responses(
        (status = 200, description = "The tool", body = ToolBody),
        (status = 404, description = "There is no such tool"),
    ),
)]
pub(crate) async fn show(
    State(gateway): State<Gateway>,
    caller: Caller,
    PathName(name): PathName,
) -> Result<JsonText, Problem> {
    let built = gateway.current_build();
    let entry = built.executor.find(&name).filter(|entry| caller.may_use(entry.toolset()));
    let entry_and_tool = entry.and_then(|entry| Some((entry, entry.declaration()?)));
    let (entry, tool) = entry_and_tool.ok_or_else(|| absent_tool(&built, &caller, &name))?;
    let mut text = Vec::new();
    let written = {
        let operation = entry.operation().map(|shared_operation| &**shared_operation);
        write_details(&mut text, operation, entry.edit(), tool)
    };
    let text = written.ok().and_then(|()| String::from_utf8(text).ok()).unwrap_or_default();
    let toolset = json!(entry.toolset());
    let head = text.strip_suffix('}').unwrap_or_default();
    let may_ask = |it: &Arc<Approvals>| it.may_ask(entry.name(), entry.toolset(), tool.effect);
    let approval = built.approvals().is_some_and(may_ask);
    let dialects = declarations_by_dialect(tool);
    let projections = summary::tokens_and_losses(tool);
    let tail = format!(
        r#""toolset":{toolset},"approval":{approval},"dialects":{dialects},"projections":{projections}"#
    );
    Ok(JsonText(format!("{head},{tail}}}")))
}

/// The refusal of a request for an unknown tool. It names the nearest of the tools that the caller may use.
pub(crate) fn absent_tool(built: &Built, caller: &Caller, asked: &str) -> Problem {
    let executor = &built.executor;
    if let Some(reason) = executor.refusal_reason(asked, |toolset| caller.may_use(toolset)) {
        let detail = wording::refused_tool_sentence(asked, reason);
        return Problem::new(ProblemKind::ABSENT_RESOURCE, detail);
    }
    let mut nearest = executor.nearest_names(asked, |entry| caller.may_use(entry.toolset()));
    // A tool whose declaration exceeds its limits cannot be shown either.
    nearest.retain(|name| executor.find(name).and_then(Entry::declaration).is_some());
    let detail = wording::unknown_tool_sentence(
        asked,
        &nearest,
        "`GET /v1/tools` lists the tools there are",
    );
    Problem::new(ProblemKind::ABSENT_RESOURCE, detail)
}

fn declarations_by_dialect(tool: &Tool) -> Value {
    let declared = |dialect: Dialect| (dialect.as_str().to_owned(), dialect.declaration(tool));
    Value::Object(Dialect::ALL.iter().copied().map(declared).collect())
}

#[derive(Debug)]
struct Page {
    dialect: Dialect,
    form: Form,
    /// The provider's search tool, if the tools are declared for it.
    search: Option<Value>,
    filter: Filter,
    is_summary: bool,
    /// The last tool of the previous page.
    cursor: Option<String>,
    limit: usize,
}

impl Page {
    fn read(mut query: Query) -> Result<Self, Problem> {
        let is_summary = query.take_parsed("summary", "`true` or `false`")?.unwrap_or(false);
        if let Some(name) = query.first_present(OF_DECLARATIONS).filter(|_| is_summary) {
            let detail =
                format!("`{name}`: expected none with `summary`, which has no declaration");
            return Err(Problem::new(ProblemKind::FOREIGN_FORM, detail));
        }
        let dialect = match query.take_parameter("dialect")? {
            None => Dialect::default(),
            Some(name) => {
                name.parse().map_err(|error| malformed_query(format!("`dialect`: {error}")))?
            }
        };
        let form = match query.take_parameter("form")? {
            None => Form::default(),
            Some(name) => {
                let form =
                    name.parse().map_err(|error| malformed_query(format!("`form`: {error}")))?;
                supported_form(dialect, form)?
            }
        };
        let is_deferred = query.take_parsed("deferred", "`true` or `false`")?.unwrap_or(false);
        let search = dialect.search_tool().filter(|_| is_deferred);
        if is_deferred && search.is_none() {
            let with_search = Dialect::ALL.iter().filter(|dialect| dialect.search_tool().is_some());
            let names: Vec<_> = with_search.map(|dialect| format!("`{dialect}`")).collect();
            let detail = format!("`deferred`: expected the dialect {}", names.join(" or "));
            return Err(Problem::new(ProblemKind::FOREIGN_FORM, detail));
        }
        let (filter, cursor) = (Filter::read(&mut query)?, query.take_parameter("cursor")?);
        let expected = format!("a whole number from 1 to {MOST_TOOLS}");
        let limit = query.take_parsed("limit", &expected)?.unwrap_or(MOST_TOOLS);
        if !(1..=MOST_TOOLS).contains(&limit) {
            return Err(malformed_query(format!("`limit`: expected {expected}, got: {limit}")));
        }
        query.refuse_remaining("`dialect`, `form`, `deferred`, `toolset`, `effect`, `tag`, `summary`, `cursor` and `limit`")?;
        Ok(Self { dialect, form, search, filter, is_summary, cursor, limit })
    }

    fn summary_or_declaration(&self, entry: Entry<'_>, tool: &Tool) -> Value {
        if self.is_summary {
            return summary::tool_summary(entry, tool);
        }
        self.tool_declaration(tool)
    }

    fn tool_declaration(&self, tool: &Tool) -> Value {
        let deferred =
            self.search.as_ref().and_then(|_| self.dialect.deferred_declaration(self.form, tool));
        deferred.unwrap_or_else(|| self.dialect.declaration_in(self.form, tool))
    }
}

/// The form that a request names, if the dialect has it.
pub(crate) fn supported_form(dialect: Dialect, form: Form) -> Result<Form, Problem> {
    let form = dialect.supported_form(form);
    form.map_err(|error| Problem::new(ProblemKind::FOREIGN_FORM, format!("`form`: {error}")))
}

/// The parameters about declarations.
const OF_DECLARATIONS: [&str; 3] = ["dialect", "form", "deferred"];
/// More tools than a model sees at once.
const MOST_TOOLS: usize = 1000;
/// The bytes of declarations after which a page ends.
const MOST_BYTES: usize = 4 << 20;
