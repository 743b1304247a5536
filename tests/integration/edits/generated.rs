//! Generated edits over descriptions of others and over the fixtures. The judge is the tool without its edit: called with
//! every value that the edit gives, it has to send what the edited tool sends.

use crate::prelude::*;

use callgate::config::ToolsetConfig;
use callgate_call::Verdict;
use callgate_openapi::{Input, InputLocation, Operation, ValueSource};
use callgate_testkit::{descriptions, listed_descriptions};
use callgate_tool::{Problem, ToolEdit};

use super::properties;
use crate::root;

/// An edit of one tool, and the values that a call of it has to send.
struct Case {
    tool: String,
    new_name: String,
    edit: ToolEdit,
    /// The operator's default, unless it stands in a body that nothing else makes.
    sent_default: bool,
}

/// The inputs that an edit may change.
fn changeable(operation: &Operation) -> Vec<&Input> {
    let is_choosable = operation.body.as_ref().is_some_and(|body| body.content_type.is_some());
    let is_bound = |input: &Input| {
        operation.bindings.iter().any(|known| known.argument == input.argument)
            || input.source != ValueSource::Model
    };
    let inputs = operation.inputs.iter().filter(|input| input.visible && !is_bound(input));
    inputs.filter(|input| !(is_choosable && input.place() == InputLocation::Body)).collect()
}

/// A value without members that the schema of an argument allows.
fn value(schema: &Value, argument: &str) -> Option<Value> {
    let own = schema.get("properties")?.get(argument)?;
    let mut alone = schema.clone();
    if let Value::Object(members) = &mut alone {
        members.remove("required");
        members.remove("dependentRequired");
    }
    let evaluator = Evaluator::new(alone);
    let said = ["enum", "examples"].into_iter().filter_map(|key| own.get(key)?.as_array());
    let said = said.flatten().chain(own.get("default")).cloned();
    let usual = json!([
        "x1",
        7,
        true,
        "2026-01-02",
        "2026-01-02T03:04:05Z",
        "6f1e2d3c-4b5a-4978-8a6b-0c1d2e3f4a5b",
        "a@b.example",
        "https://a.example",
        "12345678901234567890",
        "abcdefgh",
        100,
        0.5,
        ["x1"],
        [7]
    ]);
    let usual = usual.as_array().unwrap().iter().cloned();
    said.chain(usual).find(|value| {
        let is_flat = match value {
            Value::Array(items) => !items.is_empty() && items.iter().all(|item| !item.is_object()),
            Value::Object(_) | Value::Null => false,
            Value::String(text) => !text.is_empty(),
            _ => true,
        };
        let given = [(argument.to_owned(), value.clone())].into_iter().collect();
        is_flat && evaluator.evaluate("", &Value::Object(given)).verdict == Verdict::Valid
    })
}

/// The arguments that the declaration of a tool requires; `None` if no value is found for one.
fn required(executor: &Executor, tool: &str) -> Option<Object> {
    let schema = executor.find(tool)?.declaration()?.input_schema.to_value();
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    names.map(|name| Some((name.as_str()?.to_owned(), value(&schema, name.as_str()?)?))).collect()
}

/// The edit of an operation: an argument is fixed, another one gets a default, and a third one is hidden, as far as there
/// are any. `seed` turns the arguments.
fn case(entry: Entry<'_>, seed: usize) -> Option<Case> {
    let (operation, schema) = (entry.operation()?, entry.declaration()?.input_schema.to_value());
    if operation.body_as_arguments_name().is_some() {
        return None;
    }
    let mut inputs = changeable(operation);
    let n = inputs.len();
    inputs.rotate_left(if n == 0 { 0 } else { seed % n });
    let mut edit = ToolEdit { name: Some(format!("edited_{seed}")), ..ToolEdit::default() };
    let mut valued =
        inputs.iter().filter_map(|input| Some((*input, value(&schema, input.argument.as_str())?)));
    let (fixed, fixed_value) = valued.next()?;
    edit.fix.insert(fixed.argument.to_string(), fixed_value);
    let default = valued.next();
    if let Some((input, value)) = &default {
        edit.defaults.insert(input.argument.to_string(), value.clone());
        edit.describe.insert(input.argument.to_string(), "As the owner says.".to_owned());
    }
    let is_free =
        |input: &&&Input| !input.required && edit.value(input.argument.as_str()).is_none();
    edit.hide.extend(inputs.iter().find(is_free).map(|input| input.argument.to_string()));
    let is_of_body = |input: &Input| input.place() == InputLocation::Body;
    let has_body = is_of_body(fixed) || operation.body.as_ref().is_some_and(|body| body.required);
    let sent_default = default.is_some_and(|(input, _)| !is_of_body(input) || has_body);
    let tool = entry.name().to_string();
    Some(Case { tool, new_name: format!("edited_{seed}"), edit, sent_default })
}

async fn planned(executor: &Executor, tool: &str, arguments: Object) -> Result<String, Fault> {
    let session = Session::new("s");
    let result = executor.dry_run(&ToolCall::new("1", tool, arguments), &session).await;
    assert_eq!(result.tool, tool);
    match result.outcome {
        Outcome::Planned(planned) => match *planned {
            Preview::Request(request) => Ok(format!("{request:?}")),
            Preview::Text(text) => panic!("no request: {text}"),
        },
        Outcome::Failed(fault) => Err(*fault),
        other => panic!("no plan: {other:?}"),
    }
}

impl Case {
    fn hidden(&self) -> impl Iterator<Item = &String> {
        self.edit.hide.iter().chain(self.edit.fix.keys())
    }

    /// Checks the edited tool against the tool as described; false where a call of the latter is refused.
    async fn check(&self, edited: &Executor, plain: &Executor) -> bool {
        let Self { tool, new_name, edit, sent_default } = self;
        let declared = properties(edited, new_name);
        assert!(self.hidden().all(|name| !declared.contains(name)), "{tool} {declared:?}");
        let schema = edited.find(new_name).unwrap().declaration().unwrap().input_schema.to_value();
        for (name, value) in &edit.defaults {
            assert_eq!(schema["properties"][name.as_str()]["default"], *value, "{tool}");
            assert_eq!(schema["properties"][name.as_str()]["description"], "As the owner says.");
        }
        let Some(given) = required(edited, new_name) else { return false };
        let mut whole = given.clone();
        let defaults = edit.defaults.iter().filter(|_| *sent_default);
        for (name, value) in edit.fix.iter().chain(defaults) {
            whole.insert(name.clone(), value.clone());
        }
        let Ok(expected) = planned(plain, tool, whole).await else { return false };
        let sent = planned(edited, new_name, given.clone()).await;
        assert_eq!(
            sent.unwrap_or_else(|fault| panic!("{tool}: {fault:?}")),
            expected,
            "{tool} {edit:?}"
        );
        self.check_faults(edited, &given).await;
        true
    }

    /// The hidden arguments that a problem names, although the call did not give them.
    fn hidden_in<'a>(
        &'a self,
        problem: &'a Problem,
        wrong: &'a str,
    ) -> impl Iterator<Item = &'a String> {
        let Problem { at, expected, suggestion, .. } = problem;
        let place = at.split(['.', '[']).next().unwrap_or_default();
        self.hidden().filter(move |name| {
            let quoted = format!("`{name}`");
            let mut told = [Some(expected), suggestion.as_ref()].into_iter().flatten();
            told.any(|text| text.contains(&quoted)) || (place == *name && *name != wrong)
        })
    }

    /// No fault of a call names an argument that is hidden, unless the call gave it.
    async fn check_faults(&self, edited: &Executor, given: &Object) {
        let structure = json!([{"x": [[]]}]);
        let near: Vec<String> = self.hidden().map(|name| format!("{name}x")).collect();
        for wrong in self.hidden().chain(&near).chain(given.keys()) {
            let mut arguments = given.clone();
            arguments.insert(wrong.clone(), structure.clone());
            let Err(fault) = planned(edited, &self.new_name, arguments).await else { continue };
            let problems = fault.problems.iter();
            let mut hidden = problems.flat_map(|problem| self.hidden_in(problem, wrong));
            assert_eq!(hidden.next(), None, "{}: {fault:?}", self.tool);
            let is_unknown = |name: &String| {
                fault
                    .problems
                    .iter()
                    .any(|problem| problem.at == *name && problem.got == "an unknown argument")
            };
            let is_none = self.hidden().chain(&near).any(|name| name == wrong);
            assert!(!is_none || wrong.len() > 80 || is_unknown(wrong), "{}: {fault:?}", self.tool);
        }
        for name in self.hidden() {
            let without: Object =
                given.iter().skip(1).map(|(name, value)| (name.clone(), value.clone())).collect();
            if let Err(fault) = planned(edited, &self.new_name, without).await {
                assert!(!fault.message.contains(&format!("`{name}`")), "{}: {fault:?}", self.tool);
            }
        }
    }
}

fn executor(text: &str, cases: &[Case]) -> Option<Executor> {
    let toolset = ToolsetConfig::new(Description::text(text))
        .with_server(url::Url::parse("https://a.example/v1").unwrap());
    let edit =
        |toolset: ToolsetConfig, case: &Case| toolset.with_tool_edit(&case.tool, case.edit.clone());
    let toolset = cases.iter().fold(toolset, edit);
    match build(&Config::new().with_toolset(toolset)) {
        Ok(built) => Some(built.executor),
        Err(error) => {
            assert!(cases.is_empty(), "{error}");
            None
        }
    }
}

/// Edits `most` tools of a description, and returns the number of those whose calls were compared.
async fn check(path: &Path, most: usize) -> usize {
    let Ok(text) = fs::read_to_string(path) else { return 0 };
    let Some(plain) = executor(&text, &[]) else { return 0 };
    let n_tools = plain.entries().count();
    let step = (n_tools / (most * 3)).max(1);
    let candidates = plain.entries().step_by(step).enumerate();
    let cases = candidates.filter_map(|(seed, entry)| case(entry, seed));
    let is_called = |case: &Case| plain.find(&case.tool).is_some();
    let cases: Vec<Case> = cases.filter(is_called).take(most * 3).collect();
    let edited = executor(&text, &cases).unwrap();
    let mut n = 0;
    for case in &cases {
        n += usize::from(n < most && case.check(&edited, &plain).await);
    }
    n
}

#[tokio::test]
async fn an_edited_tool_of_a_fixture_sends_what_its_edit_says() {
    let mut n = 0;
    for path in descriptions(&root().join("fixtures")) {
        if path.file_name().is_some_and(|name| name == "spec.yaml") {
            n += check(&path, 20).await;
        }
    }
    assert!(n >= 20, "{n}");
}

#[tokio::test]
async fn two_hundred_edits_over_a_hundred_descriptions_send_what_they_say() {
    let folders = ["suites", "overlay/compliant-sets", "retrieval"];
    let Some(folders) = folders.into_iter().map(corpus).collect::<Option<Vec<_>>>() else { return };
    let is_small = |path: &PathBuf| fs::metadata(path).is_ok_and(|found| found.len() < MOST_BYTES);
    let others = folders.iter().flat_map(|folder| descriptions(folder));
    let paths = listed_descriptions().into_iter().chain(others);
    let (mut n_edits, mut n_descriptions) = (0, 0);
    for path in paths.filter(is_small) {
        let n = check(&path, 6).await;
        n_edits += n;
        n_descriptions += usize::from(n > 0);
    }
    say(&format!("{n_edits} edits over {n_descriptions} descriptions"));
    assert!(n_edits >= 200 && n_descriptions >= 100, "{n_edits} {n_descriptions}");
}

/// Larger descriptions take most of the time and have no other kinds of arguments.
const MOST_BYTES: u64 = 2 << 20;
