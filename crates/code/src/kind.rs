//! Programs as a kind of toolset: the way from its keys to the opened tool.

use std::sync::Arc;

use async_trait::async_trait;
use callgate_call::wording;
use callgate_kind::{
    Absence, Beside, CommonSettings, GivenLimits, Kept, KindKeys, KindSettings, NamedTool, Opened,
    SELECTION_BY_NAME, Surroundings, TextModel, ToolsetKind,
};
use callgate_settings::{
    Mapping, Reader, Section as _, SettingCode, Words as _, member_pointer, nearest_help,
};
use callgate_tool::{Effect, Fault};

use crate::{
    finding::{self, CodeFinding},
    keys::{CodeKeys, LimitKeys, ToolsetKeys},
    load::{EngineTool, TOOL, engine_tool},
    programs::Programs,
    python_tool::examine_sandbox,
    settings::{CallRules, CodeSettings, Engine},
    unavailable::Unavailable,
    worker::Workers,
};

/// Programs: the key `code_interpreter`.
#[derive(Clone, Copy, Debug)]
pub struct CodeKind;

impl ToolsetKind for CodeKind {
    fn key(&self) -> &'static str {
        "code_interpreter"
    }

    fn example_setting(&self) -> &'static str {
        "code_interpreter: {}"
    }

    fn keys(&self) -> KindKeys {
        KindKeys { toolset: ToolsetKeys::KEYS, limits: LimitKeys::KEYS, root: &[] }
    }

    fn common_keys(&self) -> Beside {
        Beside {
            keys: &["confirm", "functions", "limits", "prefix", "tools"],
            limits: Some(&["concurrency", "rate", "timeout"]),
            tools: Some(SELECTION_BY_NAME),
        }
    }

    fn codes_and_explanations(&self) -> Vec<(&'static str, &'static str)> {
        CodeFinding::ALL.iter().map(|code| (code.as_str(), code.explanation())).collect()
    }

    fn read(
        &self,
        reader: &mut Reader,
        toolset: Mapping<'_>,
        _: Option<&Kept>,
    ) -> Option<Arc<dyn KindSettings>> {
        let keys = reader.get::<CodeKeys>(toolset, self.key())?;
        let engine = keys.engine.unwrap_or_default();
        let pointer = member_pointer(toolset, self.key());
        if keys.calls.is_some() && engine == Engine::Python {
            refuse_call_settings(reader, format!("{pointer}/calls"));
        }
        if engine == Engine::Monty && keys.packages.iter().flatten().next().is_some() {
            let message = "expected `engine: python` with `packages`, got `monty`, which has none";
            let help = "write `engine: python`, or remove the key";
            reader.report_fault(
                SettingCode::WrongValue,
                format!("{pointer}/packages"),
                message,
                help,
            );
        }
        let calls = keys.calls.map(|calls| CallRules {
            include: calls.include.unwrap_or_default(),
            exclude: calls.exclude.unwrap_or_default(),
            effects: calls.effects.unwrap_or_else(|| CallRules::default().effects),
            per_approval: calls.per_approval.unwrap_or(1),
        });
        let settings = CodeSettings {
            packages: keys.packages.unwrap_or_default(),
            description: keys.description.unwrap_or_default(),
            calls: calls.unwrap_or_default(),
            ..CodeSettings::new("", engine)
        };
        Some(Arc::new(ToolsetSettings { settings, model: keys.generate }))
    }
}

/// The settings, without those that they share with other kinds.
#[derive(Clone, Debug)]
struct ToolsetSettings {
    settings: CodeSettings,
    /// The name of the model that writes programs.
    model: Option<String>,
}

#[async_trait]
impl KindSettings for ToolsetSettings {
    fn key(&self) -> &'static str {
        CodeKind.key()
    }

    fn with_limits(
        &self,
        reader: &mut Reader,
        limits: Option<Mapping<'_>>,
        given: GivenLimits,
    ) -> Arc<dyn KindSettings> {
        let (mut settings, model) = (self.settings.clone(), self.model.clone());
        if let Some(limits) = limits {
            let unused = |key: &&str| !self.makes_calls() && limits.object.get(key).is_some();
            for key in ["calls", "parallel"].into_iter().filter(unused) {
                refuse_call_settings(reader, member_pointer(limits, key));
            }
            LimitKeys::fill(&mut settings.limits, reader, limits);
        }
        if let Some(timeout) = given.timeout {
            settings.limits.timeout = timeout;
        }
        Arc::new(Self { settings, model })
    }

    fn tools(&self, pointer: &str) -> Vec<NamedTool> {
        vec![NamedTool {
            short: TOOL.to_owned(),
            effect: self.effect(),
            pointer: format!("{pointer}/code_interpreter"),
        }]
    }

    fn makes_calls(&self) -> bool {
        self.settings.engine != Engine::Python
    }

    fn unavailable_fault(&self) -> Box<Fault> {
        wording::code::no_worker()
    }

    async fn open(
        &self,
        toolset: &CommonSettings<'_>,
        selected: &[NamedTool],
        around: Surroundings<'_>,
    ) -> Opened {
        let at = |key: &str| format!("{}/code_interpreter{key}", toolset.pointer);
        let Some(name) = selected.first().and_then(|tool| tool.unedited_name(toolset).ok()) else {
            return Opened::with_tools(Vec::new());
        };
        let generate = match self.model.as_ref().map(|name| text_model(name, &around)) {
            None => None,
            Some(Ok(model)) => Some(model),
            Some(Err((message, help))) => {
                let fault = finding::unusable_model(at("/generate"), message, help);
                return Opened::with_faults(vec![fault]);
            }
        };
        let settings = CodeSettings {
            toolset: toolset.name.clone(),
            prefix: toolset.prefix.cloned(),
            generate,
            ..self.settings.clone()
        };
        let may_start = around.shared.effects.fetching_permission().is_some();
        let refused = |unavailable: &Unavailable| {
            let key = if matches!(unavailable, Unavailable::Package(..)) {
                "/packages"
            } else {
                "/engine"
            };
            let engine = self.settings.engine.word();
            Opened::with_faults(vec![finding::unavailable(at(key), engine, unavailable)])
        };
        if may_start
            && settings.engine == Engine::Python
            && let Err(unavailable) = examine_sandbox(&settings).await
        {
            return refused(&unavailable);
        }
        let earlier = around.earlier.and_then(Kept::get::<KeptParts>);
        let programs = match (&around.shared.state, earlier) {
            (None, Some(earlier)) => earlier.programs.clone(),
            (state, _) => Programs::new(state.as_ref()),
        };
        let workers = earlier.map(|earlier| &earlier.workers);
        match engine_tool(name, settings, workers, programs.clone()) {
            Ok(EngineTool { tool, workers }) => {
                let kept = workers.map(|workers| Kept::new(KeptParts { workers, programs }));
                Opened { kept, ..Opened::with_tools(vec![tool]) }
            }
            // A load that may start nothing needs nothing that could be started.
            Err(_) if !may_start => Opened::absent(Absence::Unasked),
            Err(unavailable) => refused(&unavailable),
        }
    }
}

/// The parts that a later build uses again.
#[derive(Debug)]
struct KeptParts {
    workers: Arc<Workers>,
    /// In memory where no store outlives this process.
    programs: Programs,
}

impl ToolsetSettings {
    /// The effect of the tool: the strongest that its calls may have.
    fn effect(&self) -> Effect {
        match self.settings.engine {
            Engine::Monty => self.settings.calls.strongest_effect(),
            Engine::Python => Effect::Read,
        }
    }
}

/// Refuses a key about calls, which code of the engine `python` does not make.
fn refuse_call_settings(reader: &mut Reader, pointer: String) {
    let message = "expected an engine whose code calls tools, got `python`, whose code calls none";
    let help = if Engine::default() == Engine::Monty {
        "write `engine: monty`, or remove the key"
    } else {
        "use a build with the feature `monty`, or remove the key"
    };
    reader.report_fault(SettingCode::WrongValue, pointer, message, help);
}

/// The model of this name; what is wrong with it, and a remedy.
fn text_model(name: &str, around: &Surroundings<'_>) -> Result<TextModel, (String, String)> {
    let models = &around.shared.models;
    match models.get(name) {
        Some(Ok(model)) => Ok(model.clone()),
        Some(Err(why)) => {
            let help = "correct the model, or remove `generate`".to_owned();
            Err((format!("expected a model that writes programs, got `{name}`: {why}"), help))
        }
        None => {
            let help = nearest_help(name, models.keys().map(String::as_str), || {
                "name a model below `models`".to_owned()
            });
            Err((format!("expected the name of a model below `models`, got: `{name}`"), help))
        }
    }
}
