//! Shows a result to a person: the answer on standard output, everything else on standard error. A failure is reported once,
//! with the journal's facts in it.

use std::fmt::Write as _;

use callgate::{
    Answer, Content, Entry, Outcome, Preview, ToolResult, Value,
    config::BuiltToolset,
    result::{Event, Part, PlannedRequest},
    secret::SecretReference,
};
use callgate_tool::{Remedy, escape_and_quote_lines, escape_invisible_in_line};

use super::{
    call_verdict,
    fault::{self, Hints},
    format,
    place::Place,
    snippets,
};
use crate::{
    args::{AnswerArguments, AnswerFormat, CallArguments, DescriptionArguments},
    exit::Verdict,
    output,
};

#[derive(Clone, Debug)]
pub(super) struct ResultPrinter {
    format: Option<AnswerFormat>,
    is_verbose: bool,
    /// True if the tool is no operation of a service: only then it may have snippets.
    is_own_tool: bool,
    hints: Hints,
}

impl ResultPrinter {
    pub(super) fn new(arguments: &CallArguments, place: Place) -> Self {
        Self {
            format: arguments.answer.format,
            is_verbose: arguments.answer.verbose > 0,
            is_own_tool: false,
            hints: Hints {
                file: arguments.source.file.display().to_string(),
                place,
                may_download: arguments.answer.output.is_none(),
                credential: credential_flag(&arguments.source.description),
                server: None,
            },
        }
    }

    /// A failure may lead to the server that a finding about the toolset's own server names.
    pub(super) fn with_entry(
        mut self,
        entry: Option<Entry<'_>>,
        toolsets: &[BuiltToolset],
    ) -> Self {
        self.is_own_tool = entry.is_some_and(|entry| entry.operation().is_none());
        let is_its = |toolset: &&BuiltToolset| {
            toolsets.len() == 1 || entry.is_some_and(|entry| entry.toolset() == toolset.name)
        };
        let mut findings =
            toolsets.iter().filter(is_its).flat_map(|toolset| &toolset.report.diagnostics);
        self.hints.server = findings.find_map(|finding| match &finding.remedy {
            Some(Remedy::NameServer { url }) => Some(url.clone()),
            _ => None,
        });
        self
    }

    pub(super) fn settings_place(&self) -> &Place {
        &self.hints.place
    }

    pub(super) fn show_result(&self, result: &ToolResult) -> Verdict {
        self.print_notes(result);
        match &result.outcome {
            Outcome::Answered(answer) => self.show_answer(answer),
            Outcome::Failed(failed) => {
                let events = result.journal.events();
                output::print_message(&fault::fault_text(
                    failed,
                    &result.tool,
                    events,
                    &self.hints,
                ));
            }
            Outcome::Pending(pending) => {
                let (kind, id) = (pending.kind.as_str(), &pending.id);
                output::print_message_line(&format!("the call waits: {kind} `{id}`"));
                output::print_result(&format!("{:#}\n", pending.request));
            }
            Outcome::Planned(preview) => match &**preview {
                Preview::Request(request) => output::print_result(&request_text(request)),
                Preview::Text(text) => output::print_result(&format!("{text}\n")),
            },
        }
        call_verdict(result)
    }

    pub(super) fn print_notes(&self, result: &ToolResult) {
        let is_failed = matches!(result.outcome, Outcome::Failed(_));
        for event in result.journal.events() {
            // A warning has the words about a text in place of JSON.
            let is_told = (is_failed && fault::explains_fault(event))
                || matches!(event, Event::TextForJson { .. });
            if !is_told && (self.is_verbose || is_news_to_user(event)) {
                output::print_message(&format!("note: {}\n", note_text(event)));
            }
        }
    }

    fn show_answer(&self, answer: &Answer) {
        if answer.content == Content::Empty {
            let status = answer.status.map(|status| format!("{status}: ")).unwrap_or_default();
            output::print_message_line(&format!("{status}no content"));
        }
        if self.print_content(&answer.content) == ContentExtent::InPart {
            let is_parted = matches!(answer.content, Content::Parts(_));
            let them = if is_parted { "the answer with all its parts" } else { "them" };
            output::print_message_line(&format!("help: `-o FILE` writes {them} to a file"));
        }
        for (name, value) in answer.headers.iter().filter(|_| !self.is_verbose) {
            output::print_message_line(&format!("{name}: {}", escape_invisible_in_line(value)));
        }
        if let Some(truncated) = &answer.truncated {
            output::print_message_line(&format!("note: {}", truncated.message));
        }
        if !answer.next.is_empty() {
            let next = answer.next.iter().map(|(name, value)| argument_word(name, value));
            let next = next.collect::<Vec<_>>().join(" ");
            output::print_message_line(&format!(
                "note: there is a next page: {next}, or all with `--all-pages`"
            ));
        }
    }

    fn print_content(&self, content: &Content) -> ContentExtent {
        match content {
            Content::Empty => {}
            Content::File { media_type, filename, size, sha256 } => {
                let name =
                    filename.as_ref().map(|name| format!("`{}`: ", escape_invisible_in_line(name)));
                let name = name.unwrap_or_default();
                output::print_result(&format!(
                    "{name}{size} bytes of `{media_type}`, SHA-256 {sha256}\n"
                ));
                return ContentExtent::InPart;
            }
            Content::Json(json) => {
                let is_page = self.is_own_tool && self.format.is_none();
                match snippets::snippets_page(json.value()).filter(|_| is_page) {
                    Some(page) => output::print_result(&page),
                    None => {
                        output::print_styled(&format::formatted_value(json.value(), self.format));
                    }
                }
            }
            Content::Media { media_type, data } => {
                output::print_result(&format!("{} bytes of `{media_type}`\n", data.len()));
                return ContentExtent::InPart;
            }
            Content::Parts(parts) => return self.print_parts(parts),
            Content::Text { text, .. } => output::print_result(&format!("{}\n", text.trim_end())),
        }
        ContentExtent::Whole
    }

    fn print_parts(&self, parts: &[Part]) -> ContentExtent {
        let mut seen = ContentExtent::Whole;
        for (index, part) in parts.iter().enumerate() {
            let heading = part_heading(part, index + 1, parts.len());
            output::print_message_line(&format!("{}:", escape_invisible_in_line(&heading)));
            if self.print_content(&part.content) == ContentExtent::InPart {
                seen = ContentExtent::InPart;
            }
        }
        seen
    }
}

/// Prints the decisions of a call whose result is data, with `-v`.
pub(super) fn print_journal_if_verbose(result: &ToolResult, wanted: &AnswerArguments) {
    for event in result.journal.events().iter().filter(|_| wanted.verbose > 0) {
        output::print_message(&format!("note: {}\n", note_text(event)));
    }
}

/// An event in one line; the requests that a recording answers are quoted below it.
fn note_text(event: &Event) -> String {
    let text = event.to_string();
    match text.split_once('\n').filter(|_| matches!(event, Event::NothingRecorded { .. })) {
        Some((said, requests)) => {
            format!(
                "{}\n{}",
                escape_invisible_in_line(said),
                escape_and_quote_lines(requests.trim_end())
            )
        }
        None => escape_invisible_in_line(&text).into_owned(),
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum ContentExtent {
    InPart,
    Whole,
}

fn part_heading(part: &Part, number: usize, of: usize) -> String {
    let mut text = format!("part {number} of {of}");
    let names = [("", &part.name), ("file ", &part.filename), ("id ", &part.content_id)];
    for (kind, name) in names {
        if let Some(name) = name {
            let _infallible = write!(text, ", {kind}`{name}`");
        }
    }
    text
}

/// The flag that names the credential of all requests, with its reference; no flag if the value is not a reference.
fn credential_flag(given: &DescriptionArguments) -> Option<String> {
    let shown = |text: &str| match text.parse::<SecretReference>() {
        Ok(reference) => Some(reference.to_string()),
        Err(_) => text.starts_with("$session.").then(|| text.to_owned()),
    };
    let bearer = given.bearer.as_deref().and_then(shown).map(|shown| format!("--bearer {shown}"));
    let key = given.api_key.as_deref().and_then(shown).map(|shown| format!("--api-key {shown}"));
    let basic = given.basic.as_deref().and_then(|text| {
        let (user, password) = text.split_once(':')?;
        Some(format!("--basic {user}:{}", shown(password)?))
    });
    bearer.or(key).or(basic)
}

fn argument_word(name: &str, value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.,:/@%+=".contains(c));
    if is_plain && !text.is_empty() {
        return format!("{name}={text}");
    }
    format!("'{}={}'", name, text.replace('\'', "'\\''"))
}

/// True if an event is news to the user: a text read as a number, a default and the arrival of a response are not.
fn is_news_to_user(event: &Event) -> bool {
    let is_answer = matches!(event, Event::Attempt { status: Some(_), .. });
    let is_usual = matches!(
        event,
        Event::Converted { .. }
            | Event::DefaultUsed { .. }
            | Event::RowsCounted { .. }
            | Event::StatementSent { .. }
    );
    !is_answer && !is_usual
}

fn request_text(request: &PlannedRequest) -> String {
    let mut text = format!("{} {}\n", request.method, request.url);
    for (name, value) in &request.headers {
        let _infallible = writeln!(text, "{name}: {value}");
    }
    if let Some(body) = &request.body {
        let _infallible = writeln!(text, "\n{body}");
    }
    let _infallible = writeln!(text, "\n{}", request.curl);
    text
}
