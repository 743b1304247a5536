//! The settings of programs, as values. `keys` reads them from a text.

use std::time::Duration;

use callgate_kind::TextModel;
use callgate_openapi::Pattern;
use callgate_tool::{Effect, ToolName, ToolsetName};

/// Programs as one tool.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "an operator decides about each of these")]
pub struct CodeSettings {
    /// The name of the toolset; empty for none.
    pub toolset: String,
    /// The text before the tool's name; `None` for none.
    pub prefix: Option<ToolsetName>,
    /// The engine.
    pub engine: Engine,
    /// The purpose in words, for the model; empty if not stated.
    pub description: String,
    /// The model that writes a program where the text of a call is none; without one, such a text is an error.
    pub generate: Option<TextModel>,
    /// The packages that programs of the engine `python` may import.
    pub packages: Vec<String>,
    /// The tools that code may call.
    pub calls: CallRules,
    /// The limits.
    pub limits: CodeLimits,
}

/// The interpreter of programs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Engine {
    /// A part of Python, interpreted in a process of callgate's own. The code calls tools, and has no files.
    Monty,
    /// The Python of this machine in a sandbox. The code has files and packages, and calls no tools.
    Python,
}

/// The tools that code may call, among those that the caller may.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "an operator decides about each of these")]
pub struct CallRules {
    /// Patterns of names of tools; empty for all.
    pub include: Vec<Pattern>,
    /// Patterns of names of tools that code may not call, even if they are included.
    pub exclude: Vec<Pattern>,
    /// The effects that a call may have.
    pub effects: Vec<Effect>,
    /// The calls of one tool that a person's yes to the first of them covers within a program, whatever the others send.
    pub per_approval: usize,
}

/// The limits of a program.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "an operator decides about each of these")]
pub struct CodeLimits {
    /// The calls of one program.
    pub calls: usize,
    /// The bytes of memory.
    pub memory: usize,
    /// The bytes of a result, and of printed text.
    pub output: usize,
    /// The calls of one program that run at the same time.
    pub parallel: usize,
    /// The time that code computes, without the time of its calls.
    pub time: Duration,
    /// The time of a program with its calls.
    pub timeout: Duration,
}

impl Default for CallRules {
    fn default() -> Self {
        Self {
            include: Vec::new(),
            exclude: Vec::new(),
            effects: vec![Effect::Read],
            per_approval: 1,
        }
    }
}

/// The engine that calls tools, in builds that have it.
impl Default for Engine {
    fn default() -> Self {
        if cfg!(all(feature = "monty", unix)) { Self::Monty } else { Self::Python }
    }
}

impl CodeLimits {
    /// The limits of an engine unless others are stated.
    pub fn default_for_engine(engine: Engine) -> Self {
        let (memory, time) = match engine {
            Engine::Monty => (64 << 20, Duration::from_secs(2)),
            Engine::Python => (1 << 30, Duration::from_secs(20)),
        };
        let timeout = Duration::from_mins(2);
        Self { calls: 50, memory, output: 64 << 10, parallel: 8, time, timeout }
    }
}

impl CodeSettings {
    /// The settings that hold unless others are stated.
    pub fn new(toolset: &str, engine: Engine) -> Self {
        Self {
            toolset: toolset.to_owned(),
            prefix: ToolsetName::new(toolset).ok(),
            engine,
            description: String::new(),
            generate: None,
            packages: Vec::new(),
            calls: CallRules::default(),
            limits: CodeLimits::default_for_engine(engine),
        }
    }
}

impl CallRules {
    /// True if code may call a tool of this name and effect.
    pub(crate) fn allows(&self, name: &ToolName, effect: Effect) -> bool {
        let matches = |patterns: &[Pattern]| patterns.iter().any(|it| it.matches(name.as_str()));
        let is_included = self.include.is_empty() || matches(&self.include);
        is_included && !matches(&self.exclude) && self.effects.contains(&effect)
    }

    /// The strongest effect of a call.
    pub(crate) fn strongest_effect(&self) -> Effect {
        let has = |effect| self.effects.contains(&effect);
        [Effect::Write, Effect::Idempotent].into_iter().find(|it| has(*it)).unwrap_or(Effect::Read)
    }
}
