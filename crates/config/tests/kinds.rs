//! A kind of toolset that a program brings: its keys, its tools, its findings, an edit, and a reload that uses it again.
#![cfg(test)]

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use callgate_call::wording;
use callgate_config::{Built, Config, Environment, Error, Loader};
use callgate_executor::{Backend, Function};
use callgate_kind::{
    Beside, CommonSettings, GivenLimits, Kept, KindKeys, KindSettings, NamedTool, Opened,
    Surroundings, ToolsetKind,
};
use callgate_settings::{Mapping, Reader, Section as _, keys};
use callgate_tool::{Effect, Fault, json};
use callgate_tree::SettingFinding;

keys! {
    ToolsetKeys over (), in "a toolset" {
        /// The text that tools repeat.
        echo => _: EchoKeys;
    }
}

keys! {
    struct EchoKeys in "`echo`" {
        /// The text.
        text: String, required;
    }
}

/// `echo: {text: TEXT}`: tools that repeat a text.
#[derive(Debug)]
struct Echo;

#[derive(Clone, Debug)]
struct EchoSettings(String);

/// What an opened toolset keeps: the number of builds that it was used in.
struct Openings(AtomicUsize);

impl ToolsetKind for Echo {
    fn key(&self) -> &'static str {
        "echo"
    }

    fn example_setting(&self) -> &'static str {
        "echo: {text: TEXT}"
    }

    fn keys(&self) -> KindKeys {
        KindKeys { toolset: ToolsetKeys::KEYS, ..KindKeys::default() }
    }

    fn common_keys(&self) -> Beside {
        Beside { keys: &["prefix", "tools"], limits: None, tools: None }
    }

    fn codes_and_explanations(&self) -> Vec<(&'static str, &'static str)> {
        vec![("echo-empty", "Write a text.")]
    }

    fn read(
        &self,
        reader: &mut Reader,
        toolset: Mapping<'_>,
        _: Option<&Kept>,
    ) -> Option<Arc<dyn KindSettings>> {
        let text = reader.get::<EchoKeys>(toolset, "echo")?.text?;
        Some(Arc::new(EchoSettings(text)))
    }
}

#[async_trait]
impl KindSettings for EchoSettings {
    fn key(&self) -> &'static str {
        "echo"
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
        let pointer = format!("{pointer}/echo");
        let tool = |short: &str| (short.to_owned(), Effect::Read, pointer.clone());
        let tools = ["say", "shout"].map(tool).into_iter();
        tools.map(|(short, effect, pointer)| NamedTool { short, effect, pointer }).collect()
    }

    fn unavailable_fault(&self) -> Box<Fault> {
        wording::own_tool::unasked_service()
    }

    async fn open(
        &self,
        toolset: &CommonSettings<'_>,
        selected: &[NamedTool],
        around: Surroundings<'_>,
    ) -> Opened {
        let n_earlier = around.earlier.and_then(Kept::get::<Openings>);
        let n_builds = 1 + n_earlier.map_or(0, |known| known.0.load(Ordering::Relaxed));
        let text = format!("{} {n_builds}", self.0);
        let tools = selected.iter().map(|tool| -> Arc<dyn Backend> {
            let (schema, text) = (json!({"type": "object"}), json!(text.as_str()));
            let says = move |_| std::future::ready(text.clone());
            let function = Function::new(&toolset.name, &tool.short, schema, says).unwrap();
            Arc::new(function.with_name(tool.unedited_name(toolset).unwrap()))
        });
        let place = format!("{}/echo/text", toolset.pointer);
        let empty = self.0.is_empty().then(|| {
            SettingFinding::warning("echo-empty", place, "expected a text, got none", "write one")
        });
        let (findings, kept) =
            (empty.into_iter().collect(), Some(Kept::new(Openings(n_builds.into()))));
        Opened { findings, kept, ..Opened::with_tools(tools.collect()) }
    }
}

fn config(toolset: &str) -> Result<Config, Error> {
    Loader::new().with_kind(Echo).text(format!("toolsets: {{parrot: {{{toolset}}}}}"), "")
}

fn built(toolset: &str, previous: Option<&Built>) -> Built {
    config(toolset).unwrap().build_blocking(&Environment::new(), previous).unwrap()
}

#[test]
fn tools_of_an_own_kind_are_selected_edited_and_named() {
    let built =
        built("echo: {text: hello}, tools: {exclude: [say], edit: {shout: {name: cry}}}", None);
    let names: Vec<_> = built.executor.entries().map(|entry| entry.name().to_string()).collect();
    assert_eq!(names, ["parrot-cry"]);
    assert!(built.warnings.is_empty(), "{:?}", built.warnings);
    let prefixed = self::built("echo: {text: hello}, prefix: zz", None);
    let names: Vec<_> = prefixed.executor.entries().map(|entry| entry.name().to_string()).collect();
    assert_eq!(names, ["zz-say", "zz-shout"]);
}

#[test]
fn a_reload_hands_an_own_kind_what_it_kept() {
    let first = built("echo: {text: hello}", None);
    let second = built("echo: {text: hello}", Some(&first));
    let call = callgate_tool::ToolCall::new("1", "parrot-say", callgate_tool::Object::new());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let result = runtime.block_on(second.executor.call(&call, &callgate_tool::Session::default()));
    assert!(result.outcome.text().unwrap().contains("hello 2"), "{:?}", result.outcome);
}

#[test]
fn findings_of_an_own_kind_have_their_place_in_the_text() {
    let empty = built("echo: {text: ''}", None);
    let [finding] = empty.warnings.as_slice() else { panic!("{:?}", empty.warnings) };
    assert_eq!((finding.code, &*finding.pointer), ("echo-empty", "/toolsets/parrot/echo/text"));
    assert!(finding.position.is_some());
    let refused = |toolset: &str| {
        let error = config(toolset).map(drop).unwrap_err();
        let [finding] = error.findings() else { panic!("{error}") };
        (finding.pointer.clone(), finding.help.clone())
    };
    let at = |pointer: &str| format!("/toolsets/parrot{pointer}");
    assert_eq!(
        refused("echo: {txet: a, text: b}"),
        (at("/echo/txet"), "did you mean `text`?".into())
    );
    assert_eq!(
        refused("echo: {text: a}, server: 'https://a'"),
        (at("/server"), "remove it".into())
    );
    let own = "put it into a toolset of its own";
    assert_eq!(refused("echo: {text: a}, openapi: a"), (at("/openapi"), own.into()));
}
