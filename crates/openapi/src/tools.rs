//! Turns a document into tools: finds every operation, reads each separately, names them all, and reports the status of
//! each. Schemas are not built here.

mod answer;
mod context;
mod defaults;
mod effect;
mod find;
mod parameters;
mod path_key;
mod session_values;
mod tags;
mod tool_names;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use callgate_tool::ToolName;
use callgate_tree::Severity;

use crate::{
    blueprint::Common,
    code::Code,
    cursor::Cursor,
    document::Document,
    edit::{EditOf, Edits, operation_names},
    findings::Findings,
    meter::{StepBudget, steps_of_text},
    names::{LongerName, is_vague},
    operation::Operation,
    options::LoadOptions,
    reach::Reach,
    report::{FindingCollector, OperationReport, OperationStatus, Report},
    security::{SecurityScheme, requirements::Schemes},
    selection,
    server::{Server, Servers},
    tools::{
        context::{Context, Fragments, OperationName, SharedParts},
        defaults::DecisiveDefaults,
        effect::{OperationTexts, operation_effect},
        find::{FoundOperation, find_operations},
        tags::Tags,
        tool_names::NamesOfTools,
    },
};

pub use tags::tags_with_ancestors;

/// The tools of a description, and the report on its operations.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Loaded {
    /// The exposed or degraded operations, in the order of the description.
    pub operations: Vec<Arc<Operation>>,
    /// The report on every operation.
    pub report: Report,
    /// The security schemes that the description declares, by name.
    pub security_schemes: Vec<Arc<SecurityScheme>>,
    /// The server of the whole description, if it has one that can be called.
    pub server: Option<Arc<Server>>,
}

/// Turns a document into tools. It never fails: the report lists the operations that cannot be offered.
pub fn load(document: &Document, options: &LoadOptions) -> Loaded {
    let original = document;
    let document = &original.with_step_limit(original.most_steps());
    let mut general = Findings::default();
    let root = Cursor::new(document, &mut general);
    let operations = find_operations(root);
    let servers = Servers::new(document, options);
    let schemes = Schemes::new(root);
    note_other_dialect(root);
    document.report_each_ignored_self(&mut general);
    let security_schemes = schemes.declared_schemes().cloned().collect();
    let mut loaded =
        Loaded { security_schemes, server: servers.root_server(), ..Loaded::default() };
    let reach = Reach::new(document);
    let common = Arc::new(Common::new(original, options));
    let (fragments, shared, decisive) = <(Fragments, SharedParts<'_>, DecisiveDefaults)>::default();
    servers.report_root_faults(&mut general);
    let mut context =
        Context { common, document, options, reach, servers, schemes, fragments, decisive, shared };
    let identities: Vec<_> = operations.iter().map(tool_names::operation_identity).collect();
    let (NamesOfTools { names, longer }, mut edits) =
        tool_names::names_with_edits(&identities, options);
    let firsts = first_operation_by_id(&operations);
    let tags = Tags::from_root(Cursor::new(document, &mut general));
    let naming = Naming { names: &names, longer: &longer, edits: &edits };
    let selected = select_operations(&operations, naming, &tags, options, &mut loaded.report);
    naming.report_shorter_names(&selected, &mut general);
    edits.add_selection_faults(&identities, &names, &selected);
    let mut gathered = FindingCollector::new(general.into_diagnostics());
    let most = document.limits().operations;
    for (at, ((located, name), is_selected)) in
        operations.iter().zip(names).zip(selected).enumerate()
    {
        if !is_selected {
            continue;
        }
        if at >= most {
            loaded.add_operation(located, name, None, None);
            continue;
        }
        let label = [located.method.as_str(), " ", &located.key].concat();
        let mut findings = Findings::for_operation(label);
        located.report_vague_id(&mut findings);
        let written = longer.get(at).and_then(Option::as_ref).map(|(name, _)| name);
        located.report_repeated_id(&firsts, [name.as_ref(), written], &mut findings);
        let own = name.clone();
        let operation = own.and_then(|name| {
            let naming = OperationName { tool_name: name, written, edit: edits.edit_at(at) };
            context.build_operation(located, naming, &mut findings)
        });
        loaded.add_operation(located, name, operation, findings.worst);
        let steps = |diagnostic: &callgate_tree::Diagnostic| steps_of_text(&diagnostic.pointer);
        let diagnostics = document.meter().charge_all_parts(findings.into_diagnostics(), steps);
        gathered.extend(diagnostics.collect());
    }
    gathered.extend(context.shared_findings());
    loaded.report.edits = edits.faults.into_iter().chain(context.shared.faulty_edits).collect();
    loaded.report.diagnostics = gathered.finish();
    loaded.report.steps = document.step_budget().map_or(0, StepBudget::used_steps);
    loaded
}

impl Loaded {
    /// The tools with the findings of building every schema, which loading alone does not do, and without those whose
    /// declarations exceed their limit.
    #[must_use]
    pub fn with_schema_findings(mut self) -> Self {
        let mut declared = BTreeSet::new();
        self.report.add_schema_findings(&self.operations, |operation, _| {
            declared.insert(operation.tool_name.clone());
        });
        self.operations.retain(|operation| declared.contains(&operation.tool_name));
        self
    }

    fn add_operation(
        &mut self,
        found_operation: &FoundOperation<'_>,
        name: Option<ToolName>,
        operation: Option<Operation>,
        worst: Option<Severity>,
    ) {
        let operation = operation.filter(|_| worst != Some(Severity::Error));
        let status = match (&operation, worst) {
            (None, _) => OperationStatus::Refused,
            (Some(_), Some(Severity::Warning)) => OperationStatus::Degraded,
            (Some(_), _) => OperationStatus::Exposed,
        };
        self.report.operations.push(OperationReport {
            method: found_operation.method.clone(),
            path: Arc::clone(&found_operation.key),
            operation_id: found_operation.shared_operation_id().cloned(),
            tool: operation.as_ref().map(|operation| operation.tool_name.clone()),
            refused_tool: name.filter(|_| operation.is_none()),
            status,
        });
        self.operations.extend(operation.map(Arc::new));
    }
}

#[derive(Clone, Copy)]
struct Naming<'a> {
    names: &'a [Option<ToolName>],
    longer: &'a [Option<LongerName>],
    edits: &'a Edits<'a>,
}

impl<'a> Naming<'a> {
    fn name(self, at: usize) -> Option<&'a ToolName> {
        self.names.get(at)?.as_ref()
    }

    fn longer_name(self, at: usize) -> Option<&'a LongerName> {
        self.longer.get(at)?.as_ref()
    }

    /// All names by which a configuration may mean an operation.
    fn names_of_operation<'d: 'a>(
        self,
        at: usize,
        found_operation: &'a FoundOperation<'d>,
    ) -> [Option<&'a str>; 6] {
        let edit = self.edits.edit_at(at).map(|edit| &edit.applied);
        let written = self.longer_name(at).map(|(name, _)| name);
        operation_names(self.name(at), found_operation.operation_id(), written, edit)
    }

    fn report_shorter_names(self, selected: &[bool], findings: &mut Findings) {
        let offered = selected.iter().enumerate().filter(|(_, is_selected)| **is_selected);
        let short = offered.filter_map(|(at, _)| Some((self.name(at)?, self.longer_name(at)?)));
        tool_names::report_shorter_names(short, findings);
    }
}

/// Selects operations; those that are left out, and criteria that match nothing, go to the report.
fn select_operations<'d>(
    found_operations: &[FoundOperation<'d>],
    naming: Naming<'_>,
    tags: &Tags<'d>,
    options: &LoadOptions,
    report: &mut Report,
) -> Vec<bool> {
    let is_tagged = !options.selection.tags.is_empty();
    let tags_of = |found_operation: &FoundOperation<'d>| {
        if is_tagged { tags.operation_tags(found_operation.operation.node) } else { Vec::new() }
    };
    let tags: Vec<Vec<&str>> = found_operations.iter().map(tags_of).collect();
    let named = found_operations.iter().enumerate().zip(&tags);
    let candidates: Vec<_> = named
        .map(|((at, found_operation), tags)| {
            found_operation.selection_candidate(
                naming.names_of_operation(at, found_operation),
                naming.edits.edit_at(at),
                tags,
            )
        })
        .collect();
    report.unmatched = options.selection.unmatched_entries(&candidates);
    let selected: Vec<_> =
        candidates.iter().map(|candidate| options.selection.selects(candidate)).collect();
    report.not_selected = selected.iter().filter(|is_selected| !**is_selected).count();
    selected
}

impl FoundOperation<'_> {
    fn selection_candidate<'a>(
        &'a self,
        names: [Option<&'a str>; 6],
        edit: Option<&'a EditOf<'_>>,
        tags: &'a [&'a str],
    ) -> selection::Candidate<'a> {
        let described = operation_effect(OperationTexts {
            method: &self.method,
            key: &self.key,
            operation: self.operation.node,
        });
        selection::Candidate {
            names,
            tags,
            method: self.method.as_str(),
            path: &self.key,
            effect: edit.map_or(described, |edit| edit.applied.effect_or(described)),
        }
    }

    /// OpenAPI 3.1.1 §4.8.10: the id is unique among all operations. `names` are that of the tool, and the one that the id makes.
    fn report_repeated_id(
        &self,
        firsts: &BTreeMap<&str, &FoundOperation<'_>>,
        names: [Option<&ToolName>; 2],
        findings: &mut Findings,
    ) {
        let Some((id, first)) = self.operation_id().and_then(|id| firsts.get_key_value(id)) else {
            return;
        };
        if first.key == self.key && first.method == self.method {
            return;
        }
        let of = format!("{} {}", first.method, first.key);
        let message = format!(
            "expected an `operationId` that no other operation has, got that of `{of}`: `{id}`"
        );
        let [name, written] = names;
        let name = name.map(|name| format!("; until then its tool is `{name}`"));
        let written = written.map(|name| format!(", and `{name}` reaches it too"));
        let help = [Some("give it one of its own".to_owned()), name, written];
        let help: String = help.into_iter().flatten().collect();
        findings.note(Code::DuplicateOperationId, &self.operation.pointer, message, &help);
    }

    fn report_vague_id(&self, findings: &mut Findings) {
        let Some(id) = self.operation_id().filter(|id| is_vague(id)) else { return };
        let message =
            format!("expected an `operationId` that says what is done to what, got: `{id}`");
        let help = "name it after what it does, as `listPets`; an overlay can do it";
        findings.note(Code::VagueName, &self.operation.pointer, message, help);
    }
}

fn first_operation_by_id<'f, 'd>(
    found_operations: &'f [FoundOperation<'d>],
) -> BTreeMap<&'f str, &'f FoundOperation<'d>> {
    let mut firsts = BTreeMap::new();
    for found_operation in found_operations {
        if let Some(id) = found_operation.operation_id() {
            firsts.entry(id).or_insert(found_operation);
        }
    }
    firsts
}

/// Reports that schemas of a dialect other than those of OpenAPI and JSON Schema 2020-12 are read as if they were of these.
fn note_other_dialect(root: Cursor<'_, '_>) {
    let dialect = root.text_without_report("jsonSchemaDialect").unwrap_or_default();
    let is_known =
        ["https://spec.openapis.org/oas/3.", "https://json-schema.org/draft/2020-12/schema"];
    if dialect.is_empty() || is_known.iter().any(|prefix| dialect.starts_with(prefix)) {
        return;
    }
    let message = format!("expected schemas of JSON Schema 2020-12, got the dialect: `{dialect}`");
    let help = "nothing, unless keywords of that dialect matter; schemas are read as 2020-12";
    root.with_report_member("jsonSchemaDialect").note(Code::SchemaDialect, message, help);
}
