//! A kind of toolset of one's own, `echo: {file: FILE, times: 2}`: its tools repeat the text of a file, which may be away.

use std::{
    fs,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use callgate::{Backend, Call, Effect, Fault, FaultCode, Function, Next, Value, json};
use callgate_kind::{
    Absence, Beside, CommonSettings, GivenLimits, Kept, KindKeys, KindSettings, NamedTool, Opened,
    SELECTION_BY_NAME, Surroundings, ToolsetKind, are_equal_settings,
};
use callgate_settings::{Count, Mapping, Reader, Section as _, keys};
use callgate_tree::SettingFinding;

/// The kind, which a program registers.
#[derive(Debug)]
pub struct Echo;

keys! {
    ToolsetKeys over (), in "a toolset" {
        /// The file whose text the tools repeat.
        echo => _: EchoKeys;
    }
}

keys! {
    struct EchoKeys in "`echo`" {
        /// The file of the text.
        file: PathBuf, required;
        /// The number of times that the text is repeated; once unless given.
        times: Count<9>;
    }
}

/// The settings of one toolset.
#[derive(Clone, Debug, Eq, PartialEq)]
struct EchoSettings {
    file: PathBuf,
    times: usize,
}

/// The number of times that the toolset was opened in this process: what a reload hands to the next build.
struct Openings(AtomicUsize);

const KEY: &str = "echo";
const EMPTY: &str = "echo-empty";
const AWAY: &str = "echo-away";

impl ToolsetKind for Echo {
    fn key(&self) -> &'static str {
        KEY
    }

    fn example_setting(&self) -> &'static str {
        "echo: {file: FILE}"
    }

    fn keys(&self) -> KindKeys {
        KindKeys { toolset: ToolsetKeys::KEYS, ..KindKeys::default() }
    }

    fn common_keys(&self) -> Beside {
        Beside {
            keys: &["confirm", "limits", "prefix", "required", "tools"],
            limits: Some(&["concurrency", "rate", "timeout"]),
            tools: Some(SELECTION_BY_NAME),
        }
    }

    fn codes_and_explanations(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            (AWAY, "Put the file there, or name another one under `file`."),
            (EMPTY, "Write a text into the file."),
        ]
    }

    fn read(
        &self,
        reader: &mut Reader,
        toolset: Mapping<'_>,
        _: Option<&Kept>,
    ) -> Option<Arc<dyn KindSettings>> {
        let EchoKeys { file, times } = reader.get::<EchoKeys>(toolset, KEY)?;
        Some(Arc::new(EchoSettings { file: file?, times: times.unwrap_or(1) }))
    }
}

#[callgate::async_trait]
impl KindSettings for EchoSettings {
    fn key(&self) -> &'static str {
        KEY
    }

    fn with_limits(
        &self,
        _: &mut Reader,
        _: Option<Mapping<'_>>,
        _: GivenLimits,
    ) -> Arc<dyn KindSettings> {
        Arc::new(self.clone())
    }

    fn tools(&self, pointer: &str) -> Vec<NamedTool> {
        let tool = |short: &str| NamedTool {
            short: short.to_owned(),
            effect: Effect::Read,
            pointer: format!("{pointer}/{KEY}"),
        };
        ["say", "shout"].map(tool).into()
    }

    fn unavailable_fault(&self) -> Box<Fault> {
        let message = "the text cannot be read now, and nothing was said";
        Box::new(Fault::new(FaultCode::Unreachable, message, Next::TryLater))
    }

    fn unreachable_finding(&self, why: &str) -> Option<SettingFinding> {
        let message = format!("expected a file with a text, got none: {why}");
        let help = "put it there, or name another one";
        Some(SettingFinding::error(AWAY, format!("/{KEY}/file"), message, help))
    }

    fn is_same(&self, other: &dyn KindSettings) -> bool {
        are_equal_settings(self, other)
    }

    async fn open(
        &self,
        toolset: &CommonSettings<'_>,
        selected: &[NamedTool],
        around: Surroundings<'_>,
    ) -> Opened {
        if !around.shared.effects.reads_files() {
            return Opened::absent(Absence::Unasked);
        }
        let text = match fs::read_to_string(around.shared.base.join(&self.file)) {
            Ok(text) => text.trim().repeat(self.times),
            Err(error) => return Opened::unavailable(error.to_string()),
        };
        let earlier = around.earlier.and_then(Kept::get::<Openings>);
        let n_openings = 1 + earlier.map_or(0, |openings| openings.0.load(Ordering::Relaxed));
        let tools = selected.iter().filter_map(|tool| repeater(toolset, tool, &text, n_openings));
        let pointer = format!("{}/{KEY}/file", toolset.pointer);
        let empty = text.is_empty().then(|| {
            SettingFinding::warning(EMPTY, pointer, "expected a text, got none", "write one")
        });
        Opened {
            findings: empty.into_iter().collect(),
            kept: Some(Kept::new(Openings(n_openings.into()))),
            ..Opened::with_tools(tools.collect())
        }
    }
}

/// A tool that answers with the text and its end, and with the number of times that its toolset was opened.
fn repeater(
    toolset: &CommonSettings<'_>,
    tool: &NamedTool,
    text: &str,
    n_openings: usize,
) -> Option<Arc<dyn Backend>> {
    // With the prefix that the operator writes.
    let name = tool.unedited_name(toolset).ok()?;
    let text = if tool.short == "shout" { text.to_uppercase() } else { text.to_owned() };
    let says = move |call: Call<'static>| {
        let end = call.arguments().get("end").and_then(Value::as_str).unwrap_or_default();
        let text = format!("{text}{end}");
        std::future::ready(json!({"text": (text), "openings": (n_openings)}))
    };
    let schema = json!({
        "type": "object",
        "description": "Repeats a text",
        "properties": {"end": {"type": "string", "description": "The end of the text"}},
        "additionalProperties": false,
    });
    let function = Function::new(&toolset.name, &tool.short, schema, says);
    let function = function.expect("both names are those of a toolset and of a tool");
    Some(Arc::new(function.with_name(name).with_effect(tool.effect)))
}
