//! One tool: a form to try it, its inputs, and its declaration as each model sees it.

use callgate_gateway::{PageRequest, PageResponse};
use callgate_tool::{Object, Value, json};
use maud::{Markup, html};

use crate::{
    fields::Fields,
    files::KeptFile,
    inputs::Form,
    json_view,
    layout::{self, ANCHOR, Section, effect_mark, member_items, member_number_text, member_text},
    paths, session,
};

/// The state of the form for one tool.
#[derive(Debug, Default)]
pub(crate) struct Trial<'t> {
    pub(crate) fields: Fields<'t>,
    /// The files that were kept just now.
    pub(crate) files: &'t [KeptFile],
    /// The arguments; `None` where the fields or the text are none.
    pub(crate) arguments: Option<Value>,
    /// The text of the arguments as JSON.
    pub(crate) json: String,
    pub(crate) session: String,
    /// True if the text is sent, and not the fields.
    pub(crate) is_json: bool,
    pub(crate) faults: Vec<String>,
    /// The outcome of the last request.
    pub(crate) outcome: Markup,
}

pub(crate) async fn page(request: &PageRequest, name: &str) -> PageResponse {
    let tool = match fetch_tool(request, name).await {
        Ok(tool) => tool,
        Err(page) => return page,
    };
    let given = request.query_parameter("args");
    let arguments = Value::parse(given).ok().filter(Value::is_object);
    let is_broken = arguments.is_none() && !given.is_empty();
    let json = match &arguments {
        Some(arguments) => json_view::indented_json(arguments),
        // It stays as it came, for a person to mend.
        None if is_broken => given.to_owned(),
        None => "{}".to_owned(),
    };
    let faults = is_broken.then(|| "`args` of the address: expected an object as JSON".to_owned());
    let faults = faults.into_iter().collect();
    let is_json = is_broken;
    page_with_trial(request, &tool, &Trial { arguments, json, is_json, faults, ..Trial::default() })
}

/// The facts about a tool, or the page in place of them.
pub(crate) async fn fetch_tool(request: &PageRequest, name: &str) -> Result<Value, PageResponse> {
    let answer =
        request.get_own_path(&format!("/v1/tools/{}", paths::percent_encoded(name)), &[]).await;
    if answer.is_success() {
        return Ok(answer.json_or_problem().await);
    }
    Err(layout::show_refusal(request, Section::Tools, answer).await)
}

/// The page of a tool with its form in a state.
pub(crate) fn page_with_trial(
    request: &PageRequest,
    tool: &Value,
    trial: &Trial<'_>,
) -> PageResponse {
    let content = html! {
        p.path { a href="/console" { "Tools" } " / " a href={ "/console" (paths::query(&[("toolset", member_text(tool, "toolset"))])) } { (member_text(tool, "toolset")) } }
        h1 { code { (member_text(tool, "name")) } " " (effect_mark(member_text(tool, "effect")))
            @if tool.get("approval").and_then(Value::as_bool) == Some(true) { " " span.tag { "needs an approval" } } }
        @if !member_text(tool, "path").is_empty() { p { code { (member_text(tool, "method")) " " (member_text(tool, "path")) } } }
        (description_text(member_text(tool, "description")))
        @if !trial.outcome.0.is_empty() { (layout::focus_anchor()) (trial.outcome) }
        (trial_form(request, tool, trial))
        (inputs_table(tool))
        (declarations(tool))
        details { summary { "Schemas" }
            h3 { "Arguments" } (json_view::json_frame(tool.get("inputSchema").unwrap_or(&Value::Null), "schema of the arguments"))
            h3 { "Result" } (json_view::json_frame(tool.get("outputSchema").unwrap_or(&Value::Null), "schema of the result"))
        }
    };
    layout::page_in_frame(request, Section::Tools, member_text(tool, "name"), &content)
}

/// The description; of a long one the beginning, because a browser shows no more at once.
fn description_text(description: &str) -> Markup {
    let shown = json_view::shown_beginning(description);
    html! {
        p.description dir="auto" { (shown) }
        @if shown.len() < description.len() {
            p.quiet { "The first 64 KiB of " (description.len()) " bytes; the declarations below have the whole." }
        }
    }
}

fn trial_form(request: &PageRequest, tool: &Value, trial: &Trial<'_>) -> Markup {
    let schema = tool.get("inputSchema").unwrap_or(&Value::Null);
    let form = Form::new(schema, &trial.fields);
    let inputs = form.inputs(schema, trial.arguments.as_ref());
    // A browser sends files in a form of parts alone.
    let encoding = form.has_files().then_some("multipart/form-data");
    let address = paths::console_address(&["tools", member_text(tool, "name")]);
    // A form that was sent shows its outcome first, or the input that was opened, and otherwise itself.
    let is_shown_first =
        request.is_post() && trial.outcome.0.is_empty() && request.field("open").is_empty();
    html! {
        section.trial aria-labelledby="try" {
            @if is_shown_first { (layout::focus_anchor()) }
            h2 #try { "Try it" }
            @if !trial.faults.is_empty() {
                div.problem role="alert" { p { "Nothing was sent:" } ul { @for fault in &trial.faults { li { (layout::sentence_with_literals(fault)) } } } }
            }
            (kept_files(trial.files))
            form method="post" action={ (address) (ANCHOR) } data-trial=(address) enctype=[encoding] {
                (layout::form_token(request))
                // One form is one call, however often it is sent with the same arguments.
                input type="hidden" name="origin" value=(PageRequest::random_form_key());
                // The button that the Enter key presses: the first of a form.
                button.hidden type="submit" name="do" value="dry" tabindex="-1" aria-hidden="true" { "Dry run" }
                div.halves {
                    div.half {
                        h3 { label.choice { input type="radio" name="source" value="form" checked[!trial.is_json]; " As a form" } }
                        div.inputs { (inputs) }
                    }
                    div.half {
                        h3 { label.choice { input type="radio" name="source" value="json" checked[trial.is_json]; " As JSON" } }
                        label { span.hidden { "Arguments as JSON" }
                            textarea.json.whole name="json" spellcheck="false" rows=(trial.json.lines().count().saturating_add(2).clamp(5, 24)) aria-describedby="json-state" { "\n" (trial.json) } }
                        p.quiet #json-state role="status" { "The chosen side is sent, exactly as it stands." }
                        button.plain type="submit" name="do" value="fill" formnovalidate { "Form from JSON" }
                        " "
                        button.plain type="submit" name="do" value="write" formnovalidate { "JSON from form" }
                        (session_editor(tool, trial))
                    }
                }
                p.actions {
                    button type="submit" name="do" value="dry" { "Dry run" }
                    " "
                    button.primary type="submit" name="do" value="call" { "Call" }
                    " "
                    button.plain type="submit" formaction={ (address) "/fixture" (ANCHOR) } { "Save as a fixture" }
                }
            }
        }
    }
}

fn kept_files(files: &[KeptFile]) -> Markup {
    html! {
        @for KeptFile { filename, n_bytes, handle } in files {
            p.note role="status" {
                strong { (filename) } " (" (n_bytes) " bytes) is kept for fifteen minutes; in arguments it is "
                code { "{\"handle\": \"" (handle) "\"}" }
            }
        }
    }
}

fn session_editor(tool: &Value, trial: &Trial<'_>) -> Markup {
    let inputs = session::session_inputs(tool);
    let address = paths::console_address(&["tools", member_text(tool, "name"), "session"]);
    html! {
        details open[!trial.session.is_empty()] {
            summary { "Session" @if !inputs.is_empty() { " " span.count { (layout::counted_noun(inputs.len(), "input")) } } }
            label { span.hidden { "Session as JSON" }
                textarea.json name="session" spellcheck="false" rows="5"
                    placeholder=(session::session_with_names(json!({"id": "s-1"}), tool)) { "\n" (trial.session) } }
            @for input in &inputs {
                span.help { code { (member_text(input, "argument")) } " comes from " code { (member_text(input, "reference")) } }
            }
            button.plain type="submit" name="do" value="session" formnovalidate { "Begin with the names of its values" }
            " "
            button.plain type="submit" formaction={ (address) (ANCHOR) } formnovalidate { "Save as " code { "session.json" } }
        }
    }
}

fn inputs_table(tool: &Value) -> Markup {
    let inputs = member_items(tool, "inputs");
    let schemas = tool.get("inputSchema").and_then(|schema| schema.get("properties"));
    html! {
        @if !inputs.is_empty() {
            h2 { "Inputs" }
            div.scroll tabindex="0" role="group" aria-label="Inputs" {
                table {
                    thead { tr { th { "Argument" } th { "Location" } th { "Sent as" } th { "From" } th { "Required" } th { "Schema" } } }
                    tbody {
                        @for input in inputs {
                            @let schema = schemas.and_then(|schemas| schemas.get(member_text(input, "argument")));
                            tr {
                                td { code { (member_text(input, "argument")) } }
                                td { (member_text(input, "in")) }
                                td { code { (member_text(input, "name")) } }
                                td { @match member_text(input, "reference") { "" => (member_text(input, "source")), reference => code { (reference) } } }
                                td { @if input.get("required").and_then(Value::as_bool) == Some(true) { "yes" } }
                                td { @if let Some(schema) = schema { code.clip { (json_view::shortened_text(&schema.to_string(), MOST_SHORT)) } } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The declaration in every dialect, side by side, with what the forms of providers lose.
fn declarations(tool: &Value) -> Markup {
    let dialects = members(tool, "dialects");
    let projections = members(tool, "projections");
    html! {
        h2 { "As a model sees it" }
        div.scroll tabindex="0" role="group" aria-label="Forms of the schema" {
            table {
                thead { tr { th { "Form of the schema" } th.number { "Tokens" } th { "Losses" } } }
                tbody {
                    tr { td { "the canonical one" } td.number { (member_number_text(tool, "tokens")) } td { "none" } }
                    @for (name, projection) in projections {
                        @let losses = member_items(projection, "losses");
                        tr {
                            td { (name) }
                            td.number { (member_number_text(projection, "tokens")) }
                            td {
                                @if losses.is_empty() { "none" } @else {
                                    details { summary { (losses.len()) }
                                        ul { @for loss in losses.iter().filter_map(Value::as_str) { li { (loss) } } } }
                                }
                            }
                        }
                    }
                }
            }
        }
        div.dialects {
            @for (name, declaration) in dialects {
                details { summary { (name) } (json_view::json_frame(declaration, name)) }
            }
        }
    }
}

fn members<'v>(value: &'v Value, name: &str) -> Vec<(&'v String, &'v Value)> {
    let members = value.get(name).and_then(Value::as_object);
    members.into_iter().flat_map(Object::iter).collect()
}

const MOST_SHORT: usize = 120;
