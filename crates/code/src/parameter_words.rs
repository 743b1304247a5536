//! The descriptions of parameters that most functions of a toolset have alike, stated once below their stubs: how conditions are written, where the next
//! page comes from. Descriptions of single functions are left out, as stubs are one line each.

use std::{cmp::Reverse, collections::BTreeMap};

use callgate_tool::Tool;

use crate::{
    name::{is_idempotency_key_name, python_name},
    path::FunctionPath,
    stub::{shortened_first_line, sorted_parameters},
};

/// The descriptions of parameters, by toolset and name, each with the number of its functions.
#[derive(Debug, Default)]
pub(crate) struct ParameterWords(BTreeMap<(String, String), BTreeMap<String, usize>>);

impl ParameterWords {
    /// Adds the parameters of a function.
    pub(crate) fn add(&mut self, path: &FunctionPath<'_>, tool: &Tool) {
        let module = path.module.map(python_name).unwrap_or_default();
        let schema = tool.input_schema.to_value();
        for parameter in
            sorted_parameters(&schema).iter().filter(|it| !is_idempotency_key_name(it.name))
        {
            let words = shortened_first_line(parameter.description(), LONGEST_WORDS);
            let name = (module.clone(), python_name(parameter.name));
            *self.0.entry(name).or_default().entry(words).or_default() += 1;
        }
    }

    /// A line for each description that most of several functions share, those of most functions first.
    pub(crate) fn shared_descriptions_text(&self) -> String {
        let shared = self.0.iter().filter_map(|(name, all)| {
            let n_functions: usize = all.values().sum();
            let (words, n) = all.iter().max_by_key(|(_, n)| **n)?;
            (*n > 1 && 2 * *n > n_functions && !words.is_empty()).then_some((name, words, *n))
        });
        let mut shared: Vec<_> = shared.collect();
        shared.sort_by_key(|(_, _, n)| Reverse(*n));
        let line = |((module, name), words, _): &(&(String, String), &String, usize)| {
            let end = if module.is_empty() { String::new() } else { format!(" of {module}") };
            format!("# {name}{end}: {words}\n")
        };
        shared.iter().take(MOST_LINES).map(line).collect()
    }
}

/// The characters of a description: those of the conditions of tables fit.
const LONGEST_WORDS: usize = 300;
const MOST_LINES: usize = 8;

#[cfg(test)]
mod tests {
    use callgate_tool::{Effect, Schema, ToolName, json};

    use super::*;

    #[test]
    fn a_description_that_most_functions_of_a_toolset_share_is_stated_once() {
        let mut words = ParameterWords::default();
        for (toolset, name, conditions, select) in [
            ("shop", "shop-items", "values and\nothers", "columns"),
            ("shop", "shop-orders", "values and texts", "sums"),
            ("shop", "shop-lines", "values and texts", "counts"),
            ("pets", "pets-list", "values", ""),
            ("pets", "pets-find", "values", ""),
        ] {
            let input = json!({"type": "object", "properties": {
                "where": {"type": "object", "description": conditions},
                "select": {"type": "array", "description": select},
                "Idempotency-Key": {"type": "string", "description": "a key"},
            }});
            let name = ToolName::new(name).unwrap();
            let tool = Tool::new(name, String::new(), Schema::new(input), Effect::Read);
            words.add(&FunctionPath::new(toolset, tool.name.as_str()), &tool);
        }
        assert_eq!(
            words.shared_descriptions_text(),
            "# where of pets: values\n# where of shop: values and texts\n"
        );
    }
}
