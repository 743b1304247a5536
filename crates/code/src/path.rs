//! The names of functions: `pets.getPet` calls the tool `pets-getPet`.

use callgate_executor::Entry;

use crate::{
    message::Name,
    name::{is_same_folded_name, python_name},
};

/// The name of a tool in code: that of its toolset, if the tool's begins with it, and the rest.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct FunctionPath<'t> {
    pub(crate) module: Option<&'t str>,
    pub(crate) short: &'t str,
}

impl<'t> FunctionPath<'t> {
    pub(crate) fn new(toolset: &'t str, name: &'t str) -> Self {
        let short = name.strip_prefix(toolset).and_then(|rest| rest.strip_prefix('-'));
        match short.filter(|short| !short.is_empty() && !toolset.is_empty()) {
            Some(short) => Self { module: Some(toolset), short },
            None => Self { module: None, short: name },
        }
    }

    pub(crate) fn from_entry(entry: Entry<'t>) -> Self {
        Self::new(entry.toolset(), entry.name().as_str())
    }

    /// The name as code writes it: `pets.getPet`.
    pub(crate) fn python_path(&self) -> String {
        let short = python_name(self.short);
        match self.module {
            Some(module) => format!("{}.{short}", python_name(module)),
            None => short,
        }
    }

    pub(crate) fn is_named_by(&self, name: &Name) -> bool {
        let is_module = match (&name.module, self.module) {
            (Some(asked), Some(module)) => is_same_folded_name(asked, module),
            (asked, _) => asked.is_none(),
        };
        is_module && is_same_folded_name(&name.name, self.short)
    }
}

impl Name {
    pub(crate) fn dotted_name(&self) -> String {
        match &self.module {
            Some(module) => format!("{module}.{}", self.name),
            None => self.name.clone(),
        }
    }
}
