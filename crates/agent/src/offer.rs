//! The tools of one turn: those of the agent that its caller may use. Only they are called. All of them are declared, or, of
//! many, those that the conversation names beside the tool that finds the others.

use std::{collections::BTreeSet, sync::Arc};

use callgate_call::wording;
use callgate_config::AgentSearch as ToolSearch;
use callgate_executor::{CallRights, Entry};
use callgate_tool::{Fault, Json, Outcome, Tool, ToolCall};

use crate::{
    choice::Choice,
    declarations::Declarations,
    finder::Finder,
    transcript::{EarlierResults, PastCall, Transcript},
};

/// The tools that a model may call in a turn.
#[derive(Debug)]
pub(crate) struct ToolOffer {
    declarations: Arc<Declarations>,
    rights: CallRights,
    /// The places of the tools of the turn, in order.
    places: Vec<usize>,
    /// The tool that finds the others, with its declaration, unless all are declared.
    finder: Option<(Finder, Json)>,
    /// The tool that the model has to call first.
    forced: Option<usize>,
    /// The tools that each message names, of those that were read. A conversation only grows in a turn.
    named: Vec<Vec<usize>>,
}

impl ToolOffer {
    pub(crate) fn new(
        declarations: &Arc<Declarations>,
        choice: &Choice,
        search: ToolSearch,
        rights: CallRights,
    ) -> Self {
        let places = declarations.permitted_tool_indexes(&rights);
        let forced = match choice {
            Choice::Tool(name) => declarations.tool_index(name),
            _ => None,
        };
        let finder = Finder::new(search, declarations.executor(), places.len());
        let finder = finder.map(|finder| {
            let declaration = Json::from(declarations.dialect().declaration(finder.tool()));
            (finder, declaration)
        });
        let declarations = Arc::clone(declarations);
        Self { declarations, rights, places, finder, forced, named: Vec::new() }
    }

    /// Reads the messages that are new, for the tools that they name.
    pub(crate) fn read_named_tools(&mut self, messages: &[Json]) {
        if self.finder.is_none() {
            return;
        }
        self.named.truncate(messages.len());
        for message in messages.iter().skip(self.named.len()) {
            let mut named = self.declarations.named_tool_indexes(message.text());
            named.retain(|place| self.has_tool_at(*place));
            self.named.push(named);
        }
    }

    /// The declaration of the tool that finds the others, for providers that take no call without a declared tool.
    pub(crate) fn stand_in_declarations(&self) -> Vec<Json> {
        let finder = Finder::new(ToolSearch::Always, self.declarations.executor(), 0);
        let declared = |finder: Finder| self.declarations.dialect().declaration(finder.tool());
        finder.map(declared).map(Json::from).into_iter().collect()
    }

    /// The declarations for the conversation as it was read.
    pub(crate) fn declarations(&self) -> Vec<&Json> {
        let declared = |place: &usize| self.declarations.declaration(*place);
        let Some((_, own)) = &self.finder else {
            return self.places.iter().filter_map(declared).collect();
        };
        let mut places = self.last_named_places();
        places.extend(self.forced.filter(|place| self.has_tool_at(*place)));
        std::iter::once(own).chain(places.iter().filter_map(declared)).collect()
    }

    /// The tools that the conversation names, the last ones if there are many.
    fn last_named_places(&self) -> BTreeSet<usize> {
        let mut places = BTreeSet::new();
        for named in self.named.iter().rev() {
            let left = ToolSearch::MOST_DECLARED.saturating_sub(places.len());
            let further = named.iter().filter(|place| !places.contains(*place));
            let further: Vec<_> = further.take(left).copied().collect();
            places.extend(further);
        }
        places
    }

    fn has_tool_at(&self, place: usize) -> bool {
        self.places.binary_search(&place).is_ok()
    }

    fn permits(&self, entry: Entry<'_>) -> bool {
        entry.is_permitted(&self.rights)
    }

    /// The tool that a name means, if it is offered.
    pub(crate) fn find_offered(&self, name: &str) -> Option<Entry<'_>> {
        self.declarations.executor().find(name).filter(|entry| self.permits(*entry))
    }

    /// The tool by whose declaration a call of this name is read.
    pub(crate) fn declared_tool(&self, name: &str) -> Option<&Tool> {
        let finder = self.finder.iter().find(|(finder, _)| finder.has_name(name));
        finder
            .map(|(finder, _)| finder.tool())
            .or_else(|| self.find_offered(name).and_then(Entry::declaration))
    }

    /// The outcome of a call of the tool that finds the others.
    pub(crate) fn search_outcome(&self, call: &ToolCall) -> Option<Outcome> {
        self.finder.as_ref().filter(|(finder, _)| finder.has_name(&call.tool))?;
        let executor = self.declarations.executor();
        Some(Finder::search_outcome(executor, &call.arguments, |entry| self.permits(entry)))
    }

    /// True if the model may read a result again: one from before the turn if its tool is offered, and one of the turn unless its
    /// tool was offered when the turn began and is no more.
    pub(crate) fn may_read_result(&self, past: &PastCall<'_>, earlier: &EarlierResults) -> bool {
        if self.is_search(past) {
            return self
                .search_result_indexes(past)
                .iter()
                .all(|place| self.is_still_offered(*place));
        }
        let is_refusal = || !earlier.has_result_of(past) && !self.was_offered_at_start(past.tool);
        self.find_offered(past.tool).is_some() || is_refusal()
    }

    /// The offered tools whose results a conversation has; of a search, the tools that it found.
    pub(crate) fn tools_with_results(&self, transcript: &Transcript) -> BTreeSet<String> {
        let mut tools = BTreeSet::new();
        transcript.visit_results(&mut |past: &PastCall<'_>| {
            let places = if self.is_search(past) {
                self.search_result_indexes(past)
            } else {
                self.tool_index(past.tool).into_iter().collect()
            };
            let entries = places.into_iter().filter_map(|place| self.declarations.entry(place));
            tools.extend(entries.map(|entry| entry.name().as_str().to_owned()));
        });
        tools
    }

    fn is_search(&self, past: &PastCall<'_>) -> bool {
        Finder::is_search_tool_name(past.tool)
            && self.declarations.executor().find(past.tool).is_none()
    }

    fn search_result_indexes(&self, search: &PastCall<'_>) -> Vec<usize> {
        self.declarations.named_tool_indexes(&search.result.to_string())
    }

    /// The place of the agent's tool that a name means.
    fn tool_index(&self, tool: &str) -> Option<usize> {
        let entry = self.declarations.executor().find(tool)?;
        self.declarations.tool_index(entry.name().as_str())
    }

    fn was_offered_at_start(&self, tool: &str) -> bool {
        self.tool_index(tool).is_some_and(|place| self.has_tool_at(place))
    }

    /// True if a tool of the turn is offered now.
    fn is_still_offered(&self, place: usize) -> bool {
        let entry = self.declarations.entry(place);
        self.has_tool_at(place) && entry.is_some_and(|entry| self.permits(entry))
    }

    /// The fault of a call of a tool that is not offered.
    pub(crate) fn unknown_tool_fault(&self, name: &str) -> Box<Fault> {
        let nearest = self.declarations.executor().nearest_names(name, |entry| self.permits(entry));
        wording::unknown_tool(name, &nearest)
    }
}
