//! Describes the tools of a catalog to the index: operations by their description, others by their declaration.

use callgate_openapi::{AnswerField, Input, InputLocation, Operation, ValueSource};
use callgate_search::{Document, Field, Need, Parameter, Product, Thing};
use callgate_tool::{Object, Tool, Value};

use crate::catalog::{Catalog, Entry};

pub(super) fn search_documents(catalog: &Catalog) -> impl Iterator<Item = Document<'_>> {
    catalog.entries().map(search_document)
}

fn search_document(entry: Entry<'_>) -> Document<'_> {
    let mut document = Document::new(entry.name().as_str(), entry.effect());
    match (entry.operation(), entry.operation().is_none().then(|| entry.declaration()).flatten()) {
        (Some(operation), _) => describe_operation(operation, &mut document),
        (None, Some(tool)) => describe_declaration(tool, &mut document),
        (None, None) => {}
    }
    document.tags.extend(Some(entry.toolset()).filter(|toolset| !toolset.is_empty()));
    document
}

fn describe_operation<'e>(operation: &'e Operation, document: &mut Document<'e>) {
    let outline = operation.outline();
    (document.summary, document.description) = (outline.summary, outline.description);
    document.tags = outline.tags;
    document.is_deprecated = outline.is_deprecated;
    document.path = &operation.path;
    let parameter = |(name, description)| Parameter { name, description };
    document.parameters = outline.arguments.into_iter().map(parameter).collect();
    let asked =
        operation.inputs.iter().filter(|input| input.visible && input.source == ValueSource::Model);
    let needs =
        asked.filter(|input| input.required).filter_map(|input| input_need(input, &operation.path));
    document.needs = needs.collect();
    operation.each_answer_field(|field| {
        let AnswerField { name, above, schema, .. } = field;
        let things =
            Thing::things_and_distances(Field { name, above, schema, path: &operation.path });
        let product = |(thing, distance)| Product { thing, at: field.path().into(), distance };
        document.produces.extend(things.into_iter().map(product));
    });
}

fn input_need(input: &Input, path: &str) -> Option<Need> {
    let thing = match input.place() {
        InputLocation::Path => Thing::of_variable(&input.name, path)?,
        _ => Thing::of_argument(&input.name)?,
    };
    Some(Need { argument: input.argument.as_str().into(), thing })
}

fn describe_declaration<'e>(tool: &'e Tool, document: &mut Document<'e>) {
    let (summary, description) =
        tool.description.split_once('\n').unwrap_or((&tool.description, ""));
    (document.summary, document.description) = (summary.into(), description.into());
    let properties =
        tool.input_schema.without_definitions().get("properties").and_then(Value::as_object);
    let parameters = properties.into_iter().flat_map(Object::iter).map(|(name, schema)| {
        let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        Parameter { name, description: description.into() }
    });
    document.parameters = parameters.collect();
}
