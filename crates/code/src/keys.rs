//! The key `code_interpreter` of a toolset, and the limits of programs. Reads texts only.

use callgate_openapi::Pattern;
use callgate_settings::{Bytes, Count, Kind, forms, keys, words};
use callgate_tool::Effect;

use crate::settings::{CodeLimits, Engine};

keys! {
    pub(crate) ToolsetKeys over (), in "a toolset" {
        /// Programs that a model writes, as a tool that runs them in a sandbox: `{}` suffices.
        code_interpreter => _: CodeKeys;
    }
}

keys! {
    /// The limits of a toolset that only programs have.
    pub(crate) LimitKeys over CodeLimits, in "`limits`" {
        /// The calls of one program.
        calls: Count<1000>;
        /// The memory of a program.
        memory: Bytes<{ 1 << 20 }, { 4 << 30 }>;
        /// The length of a program's result, and of its printed text.
        output: Bytes<256, { 1 << 20 }>;
        /// The calls of one program that run at the same time.
        parallel: Count<64>;
        /// The time that a program computes, without the time of its calls.
        time: std::time::Duration;
    }
}

keys! {
    pub(crate) struct CodeKeys in "`code_interpreter`" {
        /// The tools that code may call, among those that the caller may: those that read, unless given.
        calls: CallKeys;
        /// The purpose in words, for the model.
        description: String;
        /// `monty` runs a part of Python that calls tools; `python` runs the Python of this machine, with files and without tools.
        engine: Engine;
        /// The model, by its name below `models`, that writes a program where the text of a call is none.
        generate: String;
        /// The packages that programs of the engine `python` may import, by the names of their imports: `numpy`.
        packages: Vec<String>;
    }
}

keys! {
    pub(crate) struct CallKeys in "the calls of code" {
        /// The effects that calls may have: `[read]` unless given.
        effects: EffectList;
        /// Patterns of names of tools that code may not call.
        exclude: Patterns;
        /// Patterns of names of tools: `pets-*`. All tools unless given.
        include: Patterns;
        /// The calls of one tool that a person's yes to the first of them covers within a program, whatever the others send: 1 unless
        /// given. It does not count where somebody else than the caller has to approve (`four_eyes`).
        per_approval: Count<1000>;
    }
}

words! {
    Engine, "`monty` calls tools, and `python` has packages and files":
    "monty" => Monty, "python" => Python
}

forms! {
    struct EffectList => Vec<Effect>, Kind::List(&Kind::Choice(&["idempotent", "read", "write"])),
        |reader, mapping, key| Some(reader.parsed_strings(mapping, key, "for example `[read]`", |text| {
            let effects = [Effect::Idempotent, Effect::Read, Effect::Write];
            let effect = effects.into_iter().find(|effect| effect.as_str() == text);
            effect.ok_or_else(|| format!("expected `idempotent`, `read` or `write`, got: {text}"))
        }));
    struct Patterns => Vec<Pattern>, Kind::List(&Kind::Text), |reader, mapping, key| {
        Some(reader.parsed_strings(mapping, key, "for example `[pets-*]`", |text| {
            Pattern::name(text).map_err(|error| error.to_string())
        }))
    };
}
