//! The tools of FILE and their arguments, as lines of text, either kept or read now. Nothing is sent: a description at an
//! address is the last one that a command fetched.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use callgate::config::{Built, Environment};
use callgate_config::{DescriptionOptions, Kinds, Location};
use callgate_openapi::{Budget, InputLocation, Operation};
use callgate_tool::{Tool as Declared, Value};
use callgate_transport::Refuse;

use super::{
    argument::{self, Argument},
    completion_cache::{CompletionCache, Stamps},
    first_nonblank_line,
};
use crate::{effects, file_argument, open};

pub(super) struct ToolList {
    /// A line for each: name, `operationId`, summary, arguments as JSON; tabs between them.
    lines: String,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Tool<'a> {
    pub(super) name: &'a str,
    /// `None` if it equals the name.
    pub(super) operation_id: Option<&'a str>,
    pub(super) summary: &'a str,
    arguments: &'a str,
}

impl ToolList {
    /// The tools of FILE with these overlays and this server; `None` if they cannot be read.
    pub(super) fn load(
        file: &str,
        overlays: Vec<&str>,
        server: Option<&str>,
        kinds: &Kinds,
    ) -> Option<Self> {
        if file == "-" {
            return None;
        }
        let file = expand_home_path(file);
        let overlays: Vec<PathBuf> = overlays.into_iter().map(expand_home_path).collect();
        let location = file_argument::file_location(&file).ok()?;
        let cache = CompletionCache::for_key(&cache_key(&location, &overlays, server));
        if let Some(lines) = cache.as_ref().and_then(CompletionCache::unchanged_lines) {
            return Some(Self { lines });
        }
        let started = SystemTime::now();
        let server = server.map(str::to_owned);
        let options = DescriptionOptions { server, overlays, ..DescriptionOptions::default() };
        let environment =
            Environment::new().without_audit().listing_missing().without_source_requests();
        let environment = environment.with_transport(Arc::new(Refuse::new()));
        let config =
            open::loader_with_effects(kinds, effects::COMPLETE).open(location, &options).ok()?;
        let built =
            config.build_blocking(&open::with_cache_and_extractor(environment), None).ok()?;
        let lines = tool_lines(&built);
        let is_whole = built.toolsets.iter().all(|toolset| toolset.failure().is_none());
        if let Some(cache) = cache.filter(|_| is_whole) {
            let stamps = Stamps::from_files(built.files(), built.has_addresses());
            stamps.filter(|stamps| stamps.are_before(started)).into_iter().for_each(|stamps| {
                cache.write_lines(&stamps, &lines);
            });
        }
        Some(Self { lines })
    }

    pub(super) fn tools(&self) -> impl Iterator<Item = Tool<'_>> {
        self.lines.lines().filter_map(|line| {
            let mut parts = line.splitn(4, '\t');
            let (name, id) = (parts.next()?, parts.next()?);
            let operation_id = Some(id).filter(|id| !id.is_empty());
            Some(Tool { name, operation_id, summary: parts.next()?, arguments: parts.next()? })
        })
    }

    pub(super) fn arguments_of_tool(&self, asked: &str) -> Vec<Argument> {
        let by_name = self.tools().find(|tool| tool.name == asked);
        let tool = by_name.or_else(|| self.tools().find(|tool| tool.operation_id == Some(asked)));
        tool.and_then(|tool| argument::decode_cached_arguments(tool.arguments)).unwrap_or_default()
    }
}

/// The key under which tools are kept: their sources, and the options that change them.
fn cache_key(location: &Location, overlays: &[PathBuf], server: Option<&str>) -> String {
    let absolute = |file: &Path| std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let place = match location {
        Location::Address(url) => url.to_string(),
        Location::File(file) | Location::Text(file, _) => absolute(file).display().to_string(),
    };
    let overlays = overlays.iter().map(|file| absolute(file).display().to_string());
    let parts = [place, server.unwrap_or_default().to_owned()].into_iter().chain(overlays);
    Value::Array(parts.map(Value::from).collect()).to_string()
}

/// A path with the user's home in place of `~`, which the shell has not replaced yet.
fn expand_home_path(file: &str) -> PathBuf {
    let below =
        file.strip_prefix("~/").map(|rest| std::env::home_dir().map(|home| home.join(rest)));
    below.flatten().unwrap_or_else(|| file.into())
}

fn tool_lines(built: &Built) -> String {
    let mut lines = String::new();
    for toolset in &built.toolsets {
        let first = toolset.operations.first();
        let mut budget = first.map_or_else(Budget::default, |first| first.new_declaration_budget());
        for operation in &toolset.operations {
            // A tool whose declaration exceeds its limits has no arguments to choose from.
            let tool = operation.uncached_declaration(&mut budget).ok();
            let summary = tool.as_ref().map(|tool| &*tool.description).unwrap_or_default();
            let arguments = tool.as_ref().map(|tool| tool_arguments(tool, Some(operation)));
            let id = operation.operation_id.as_deref();
            let name = &*operation.tool_name.to_string();
            push_tool_line(&mut lines, name, id, summary, &arguments.unwrap_or_default());
        }
    }
    let functions = built.executor.entries().filter(|entry| entry.operation().is_none());
    for tool in functions.filter_map(callgate::Entry::declaration) {
        push_tool_line(
            &mut lines,
            tool.name.as_str(),
            None,
            &tool.description,
            &tool_arguments(tool, None),
        );
    }
    lines
}

fn push_tool_line(
    lines: &mut String,
    name: &str,
    id: Option<&str>,
    summary: &str,
    arguments: &[Argument],
) {
    let id = id.filter(|id| *id != name && !id.contains(char::is_control)).unwrap_or_default();
    let (summary, arguments) = (first_nonblank_line(summary), argument::to_json(arguments));
    lines.push_str(&format!("{name}\t{id}\t{summary}\t{arguments}\n"));
}

fn tool_arguments(tool: &Declared, operation: Option<&Operation>) -> Vec<Argument> {
    let operation =
        operation.filter(|tool_operation| tool_operation.body_as_arguments_name().is_none());
    let inputs = operation.into_iter().flat_map(|operation| operation.inputs.iter());
    let mut bodies =
        inputs.filter(|input| input.place() == InputLocation::Body && input.name.is_empty());
    let body = bodies.next().filter(|input| input.visible).map(|input| input.argument.as_str());
    argument::arguments_of_schema(&tool.input_schema.to_value(), body)
}
