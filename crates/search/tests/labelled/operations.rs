//! The operations of a description of the corpus, as the index is given them.

use std::fs;

use callgate_search::{Document, Index, Parameter, Query};
use callgate_testkit::corpus;
use callgate_tool::Effect;
use serde_json::Value;

/// The operations of one description.
#[derive(Debug)]
pub(crate) struct Operations(Vec<Operation>);

#[derive(Debug)]
struct Operation {
    id: String,
    path: String,
    method: String,
    value: Value,
}

impl Operations {
    /// Reads a description in JSON; `None` if there is no corpus.
    pub(crate) fn read(file: &str) -> Option<Self> {
        let text = fs::read_to_string(corpus("specs")?.join(file)).ok()?;
        let whole: Value = serde_json::from_str(&text).unwrap();
        let mut all = Vec::new();
        for (path, item) in whole["paths"].as_object()? {
            for (method, value) in item.as_object()? {
                let made = || Operation {
                    id: text_of(value, "operationId").to_owned(),
                    path: path.clone(),
                    method: method.clone(),
                    value: value.clone(),
                };
                all.extend(METHODS.contains(&&**method).then(made));
            }
        }
        Some(Self(all))
    }

    pub(crate) fn index(&self) -> Index {
        Index::new(self.0.iter().map(Operation::document))
    }

    /// The ids of the ten best operations for a question.
    pub(crate) fn found(&self, index: &Index, question: &str) -> Vec<String> {
        let hits = index.find(Query::new(question), |_| true);
        hits.into_iter().map(|hit| self.0[hit.document].id.clone()).collect()
    }
}

impl Operation {
    fn document(&self) -> Document<'_> {
        let effect = if self.method == "get" { Effect::Read } else { Effect::Write };
        let mut document = Document::new(&self.id, effect);
        document.summary = text_of(&self.value, "summary").into();
        document.description = text_of(&self.value, "description").into();
        document.path = &self.path;
        document.is_deprecated = self.value["deprecated"] == true;
        let list = |name: &str| self.value[name].as_array().into_iter().flatten();
        document.tags = list("tags").filter_map(Value::as_str).collect();
        let parameter = |one| Parameter {
            name: text_of(one, "name"),
            description: text_of(one, "description").into(),
        };
        document.parameters = list("parameters").map(parameter).collect();
        let contents = self.value["requestBody"]["content"].as_object().into_iter().flatten();
        let members =
            contents.filter_map(|(_, content)| content["schema"]["properties"].as_object());
        let members = members.take(1).flatten().map(|(name, schema)| Parameter {
            name,
            description: text_of(schema, "description").into(),
        });
        document.parameters.extend(members);
        document
    }
}

fn text_of<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

const METHODS: [&str; 5] = ["delete", "get", "patch", "post", "put"];
