//! The functions of a program: the tools that its caller may use, that the operator allows, and that call no tools themselves.

use callgate_executor::{CallRights, Entry, Executor, Search};
use callgate_tool::{FingerprintHasher, Schema, Session, Tool, Value, hexadecimal, nearest_first};

use crate::{
    journal::ProgramJournal,
    message::{Meaning, Name},
    name::is_same_folded_name,
    path::FunctionPath,
    settings::CallRules,
    stub::stub,
};

/// The functions that one program sees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Functions<'e> {
    pub(crate) executor: &'e Executor,
    pub(crate) rights: &'e CallRights,
    pub(crate) rules: &'e CallRules,
}

/// A function.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Function<'e> {
    /// Finds functions by words.
    Search,
    /// Calls a tool.
    Tool(Entry<'e>),
}

impl<'e> Functions<'e> {
    pub(crate) fn callable_entries(self) -> impl Iterator<Item = Entry<'e>> {
        self.executor.entries().filter(move |entry| self.may_call(*entry))
    }

    /// The tools that the caller may use, also those that code may not call: a call of one says so.
    fn visible_entries(self) -> impl Iterator<Item = Entry<'e>> {
        self.executor.entries().filter(move |entry| self.may_see(*entry))
    }

    fn may_call(self, entry: Entry<'e>) -> bool {
        self.rules.allows(entry.name(), entry.effect()) && self.may_see(entry)
    }

    fn may_see(self, entry: Entry<'e>) -> bool {
        entry.is_permitted(self.rights) && !entry.can_call_tools()
    }

    /// The meaning of a name that the code does not define.
    pub(crate) fn meaning(self, name: &Name) -> Meaning {
        let is_module = name.module.is_none()
            && self.visible_entries().any(|entry| {
                let module = FunctionPath::from_entry(entry).module;
                module.is_some_and(|module| is_same_folded_name(module, &name.name))
            });
        match self.find(name) {
            // A toolset that has the name of a function of another is the toolset: its functions have no other name.
            _ if is_module => Meaning::Module,
            Ok(_) => Meaning::Function,
            Err(why) => Meaning::Unknown(why),
        }
    }

    /// The function of a name.
    ///
    /// # Errors
    /// The reason why there is none, with the nearest names.
    pub(crate) fn find(self, name: &Name) -> Result<Function<'e>, String> {
        let meant = |entry: &Entry<'e>| FunctionPath::from_entry(*entry).is_named_by(name);
        if let Some(module) = &name.module {
            let full = format!("{module}-{}", name.name);
            if let Some(entry) =
                self.executor.find(&full).filter(|it| meant(it) && self.may_call(*it))
            {
                return Ok(Function::Tool(entry));
            }
        } else if name.name == SEARCH {
            return Ok(Function::Search);
        }
        let mut all: Vec<_> = self.callable_entries().filter(meant).collect();
        match (all.pop(), all.as_slice()) {
            (Some(entry), []) => Ok(Function::Tool(entry)),
            (Some(entry), others) => Err(ambiguous_name_text(name, others.iter().chain([&entry]))),
            (None, _) => Err(self.unknown_name_text(name)),
        }
    }

    fn unknown_name_text(self, name: &Name) -> String {
        let asked = name.dotted_name();
        if self.visible_entries().any(|entry| FunctionPath::from_entry(entry).is_named_by(name)) {
            return format!("code may not call `{asked}`: call the tool by itself");
        }
        let all: Vec<String> = self
            .callable_entries()
            .map(|entry| FunctionPath::from_entry(entry).python_path())
            .collect();
        let nearest = nearest_first(&asked, all.iter().map(String::as_str));
        let nearest: Vec<_> =
            nearest.iter().take(NEAREST).map(|name| format!("`{name}`")).collect();
        match nearest.as_slice() {
            [] => format!("name '{asked}' is not defined"),
            names => format!("name '{asked}' is not defined; functions: {}", names.join(", ")),
        }
    }

    /// A tool that the program has called, or saw, and that its caller may no longer use: its results are not for them either.
    pub(crate) fn called_tool_now_forbidden(self, journal: &ProgramJournal) -> Option<&str> {
        let is_forbidden = |tool: &str| {
            self.executor.find(tool).is_some_and(|entry| !entry.is_permitted(self.rights))
        };
        journal.tools.keys().map(String::as_str).find(|tool| is_forbidden(tool))
    }

    /// A tool that the program has reached under other values of the session than it reads now, or with the credential of another user:
    /// its results are not for this session. A credential that the session did not have then is no other one: nothing came under it.
    pub(crate) fn tool_of_other_session<'j>(
        self,
        journal: &'j ProgramJournal,
        session: &Session,
    ) -> Option<&'j str> {
        let session = session.with_only_credentials(&journal.credentials);
        let is_same = |tool: &str, print: &str| {
            let today = self.session_fingerprint(tool, &session, &journal.identity);
            today.as_deref() == Some(print)
        };
        // A program does not go on after a tool of it has changed; whose results it holds matters only for its own result.
        let is_compared = |tool: &String| {
            journal.result.is_some()
                || self.declaration_fingerprint(tool).as_ref() == journal.tools.get(tool)
        };
        let mut sessions = journal.sessions.iter();
        let (tool, _) =
            sessions.find(|(tool, print)| is_compared(tool) && !is_same(tool, print))?;
        Some(tool)
    }

    /// The fingerprint of what a call of a tool reads of a session, and of the user whose credential it sends, for one program; `None` if
    /// there is no such tool.
    pub(crate) fn session_fingerprint(
        self,
        tool: &str,
        session: &Session,
        program: &str,
    ) -> Option<String> {
        let mut hasher = FingerprintHasher::default();
        hasher.add_text(program).add_text(tool);
        self.executor.find(tool)?.hash_session(session, &mut hasher);
        Some(hexadecimal(hasher.finish().as_bytes()))
    }

    /// The fingerprint of a tool's declaration, and of the values that the operator has set; `None` if there is none.
    pub(crate) fn declaration_fingerprint(self, tool: &str) -> Option<String> {
        let entry = self.executor.find(tool)?;
        let declared = entry.declaration()?;
        let mut hasher = FingerprintHasher::default();
        hasher.add_text(declared.name.as_str()).add_text(declared.effect.as_str());
        hasher.add_value(&declared.input_schema.to_value());
        let output = declared.output_schema().map(Schema::to_value);
        hasher.add_value(&output.unwrap_or_default());
        entry.hash_session(&Session::default(), &mut hasher);
        Some(hexadecimal(hasher.finish().as_bytes()))
    }

    /// The functions that a question means, each as its stub.
    pub(crate) fn search(self, question: &str) -> Value {
        let results = self.executor.search(&Search::new(question), |entry| self.may_call(entry));
        let stubs = results.into_iter().filter_map(|result| {
            let tool: &Tool = result.entry.declaration()?;
            Some(Value::from(stub(&FunctionPath::from_entry(result.entry), tool)))
        });
        Value::Array(stubs.collect())
    }
}

fn ambiguous_name_text<'a, 'e: 'a>(
    name: &Name,
    entries: impl Iterator<Item = &'a Entry<'e>>,
) -> String {
    let names: Vec<_> =
        entries.map(|it| format!("`{}`", FunctionPath::from_entry(*it).python_path())).collect();
    format!("`{}` is the name of several functions: {}", name.dotted_name(), names.join(", "))
}

/// The function that finds functions.
pub(crate) const SEARCH: &str = "search";
const NEAREST: usize = 3;
