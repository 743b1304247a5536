//! The keys that toolsets of every kind take × the kinds: each is obeyed, as declarations and calls show, or refused at its place. A kind
//! has one toolset for each key.

use crate::prelude::*;

use super::rows::{self, Kind};

/// The sidecar of one kind, with a toolset for each key.
pub(super) struct Keys {
    pub(super) kind: Kind,
    pub(super) sidecar: Sidecar,
    pub(super) folder: TempDir,
}

/// The keys by their toolsets. `TOOL` is the reading tool, `ARGUMENT` an argument of it with a value, `NAME` its name, and `HIDDEN` an argument that
/// may be left out.
const TOOLSETS: &[(&str, &str)] = &[
    ("prefix", "prefix: zz"),
    ("confirm", "confirm: always"),
    ("rate", "limits: {rate: {calls: 1, per: 1h}}"),
    ("name", "tools: {edit: {TOOL: {name: renamed}}}"),
    ("description", "tools: {edit: {TOOL: {description: Other words.}}}"),
    ("effect", "confirm: writes, tools: {edit: {TOOL: {effect: write}}}"),
    ("ask", "tools: {edit: {TOOL: {confirm: always}}}"),
    ("fix", "tools: {edit: {TOOL: {fix: {ARGUMENT}}}}"),
    ("defaults", "tools: {edit: {TOOL: {defaults: {ARGUMENT}}}}"),
    ("examples", "tools: {edit: {TOOL: {examples: [{ARGUMENT}]}}}"),
    ("describe", "tools: {edit: {TOOL: {describe: {NAME: Other words.}}}}"),
];

/// A change that a tool whose arguments are all required does not take.
const HIDE: (&str, &str) = ("hide", "tools: {edit: {TOOL: {hide: [HIDDEN]}}}");

/// The keys of the selection, which a list of functions does not need: it is a selection itself.
const SELECTIONS: &[(&str, &str)] = &[
    ("exclude", "tools: {exclude: [TOOL]}, functions: [{name: other}]"),
    ("include", "tools: {include: [TOOL]}"),
    ("reads", "tools: {read_only: true}"),
];

impl Keys {
    fn start(kind: Kind) -> Self {
        let selections = if kind.name == "functions" { &[] } else { SELECTIONS };
        let hide = (!kind.hidden.is_empty()).then_some(&HIDE);
        let rows = TOOLSETS.iter().chain(selections).chain(hide);
        let members = kind.members.clone();
        Self::start_with(kind, &members, rows)
    }

    /// The sidecar with toolsets of these members, each with further keys.
    pub(super) fn start_with<'a>(
        kind: Kind,
        members: &str,
        toolsets: impl IntoIterator<Item = &'a (&'a str, &'a str)>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (name, value) = &kind.argument;
        let argument = format!("{name}: {value}");
        let mut text = "toolsets:\n".to_owned();
        for (toolset, keys) in toolsets {
            let keys = keys.replace("TOOL", tool(&kind)).replace("ARGUMENT", &argument);
            let keys = keys.replace("NAME", name).replace("HIDDEN", kind.hidden);
            text.push_str(&format!("  {toolset}: {{{members}, {keys}}}\n"));
        }
        fs::write(folder.path().join("callgate.yaml"), text).unwrap();
        (kind.write_files)(folder.path());
        let sidecar = Sidecar::start(folder.path(), &[]);
        Self { kind, sidecar, folder }
    }

    /// The result of the reading tool of a toolset, without arguments.
    fn call_empty(&self, tool: &str) -> Value {
        self.call(tool, &json!({}))
    }

    /// The result of the reading tool of a toolset.
    pub(super) fn read(&self, toolset: &str) -> Value {
        self.call(&self.name(toolset), &self.kind.reads.arguments)
    }

    pub(super) fn call(&self, tool: &str, arguments: &Value) -> Value {
        self.call_with("", tool, arguments)
    }

    /// The result of a call with further headers.
    pub(super) fn call_with(&self, headers: &str, tool: &str, arguments: &Value) -> Value {
        let call = json!({"id": "1", "tool": tool, "args": arguments.clone()});
        let body = json!({"calls": [call], "journal": true});
        self.sidecar.json("POST /v1/calls", headers, &body.to_string())["results"][0].clone()
    }

    /// The declaration of a tool; null if there is none of this name.
    fn declaration(&self, tool: &str) -> Value {
        let answer = self.sidecar.answer(&format!("GET /v1/tools/{tool}"), "", "");
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        if answer.starts_with("HTTP/1.1 404") { Value::Null } else { Value::parse(body).unwrap() }
    }

    /// The declared arguments of the reading tool of a toolset.
    fn arguments(&self, toolset: &str) -> Value {
        self.declaration(&self.name(toolset))["inputSchema"].clone()
    }

    pub(super) fn name(&self, toolset: &str) -> String {
        format!("{toolset}-{}", tool(&self.kind))
    }

    /// Checks that a result is what the work of the tool makes: its own, or the client's.
    #[track_caller]
    pub(super) fn is_made(&self, toolset: &str, result: &Value) {
        let is_of_client = result["pending"]["kind"] == "client";
        let is_made = result.get("response").is_some() || is_of_client;
        assert!(is_made, "{} {toolset}: {result}", self.kind.name);
    }

    #[track_caller]
    fn waits_for_a_person(&self, toolset: &str) {
        let result = self.read(toolset);
        assert_eq!(result["pending"]["kind"], "approval", "{} {toolset}: {result}", self.kind.name);
    }
}

/// The reading tool of a kind, without a prefix.
fn tool(kind: &Kind) -> &'static str {
    kind.reads.tool.strip_prefix("kind-").unwrap()
}

fn check(check: impl Fn(&Keys)) {
    rows::kinds().into_iter().map(Keys::start).for_each(|keys| check(&keys));
}

#[test]
fn keys_that_every_kind_takes_are_obeyed_by_each() {
    check(|keys| {
        let (kind, arguments) = (&keys.kind, &keys.kind.reads.arguments);
        let is_absent = |tool: &str| keys.declaration(tool).is_null();
        keys.is_made("prefix", &keys.call(&format!("zz-{}", tool(kind)), arguments));
        assert!(is_absent(&keys.name("prefix")), "{}", kind.name);
        keys.is_made("name", &keys.call("name-renamed", arguments));
        assert!(is_absent(&keys.name("name")), "{}", kind.name);
        for toolset in ["confirm", "effect", "ask"] {
            keys.waits_for_a_person(toolset);
        }
        keys.is_made("rate", &keys.call(&keys.name("rate"), arguments));
        let second = keys.call(&keys.name("rate"), arguments);
        assert_eq!(second["error"]["code"], "rate_limited", "{}: {second}", kind.name);
        let described = keys.declaration(&keys.name("description"));
        assert_eq!(described["description"], "Other words.", "{}", kind.name);
        assert_eq!(keys.declaration(&keys.name("effect"))["effect"], "write", "{}", kind.name);
        if kind.name != "functions" {
            assert!(is_absent(&keys.name("exclude")), "{}", kind.name);
            keys.is_made("include", &keys.call(&keys.name("include"), arguments));
            assert!(!is_absent(&keys.name("reads")), "{}", kind.name);
            let writes = kind.writes.iter().map(|asked| asked.tool.strip_prefix("kind").unwrap());
            let writes =
                writes.flat_map(|write| ["include", "reads"].map(|set| format!("{set}{write}")));
            writes.for_each(|write| assert!(is_absent(&write), "{} {write}", kind.name));
        }
    });
}

#[test]
fn changes_of_arguments_are_obeyed_by_each_kind() {
    check(|keys| {
        let (kind, (argument, value)) = (&keys.kind, &keys.kind.argument);
        for toolset in ["fix", "defaults"] {
            keys.is_made(toolset, &keys.call_empty(&keys.name(toolset)));
        }
        assert!(keys.arguments("fix")["properties"].get(argument).is_none(), "{}", kind.name);
        let examples = keys.arguments("examples")["examples"].clone();
        assert_eq!(examples, json!([{(*argument): value.clone()}]), "{}", kind.name);
        let described = keys.arguments("describe")["properties"][argument].clone();
        assert_eq!(described["description"], "Other words.", "{}", kind.name);
        if !kind.hidden.is_empty() {
            let hidden = keys.arguments("hide");
            assert!(hidden["properties"].get(kind.hidden).is_none(), "{}: {hidden}", kind.name);
        }
    });
}
