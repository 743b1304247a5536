//! Tests random descriptions, and chosen rows.

use std::collections::{BTreeMap, BTreeSet};

use callgate_tool::{Definition, Value, json};
use proptest::{collection::vec, prelude::*};

use super::*;
use crate::{
    budget::Budget, document::Document, options::SessionInputs, sample::document,
    schema::cache::SchemaCache,
};

/// Two of these would get equal names.
const NAMES: [&str; 7] = ["A", "B", "C", "D", "E.1", "E_1", "F"];

/// A reference from a schema: its kind, and the schema it names.
type Reference = (u8, usize);

fn schema(references: &[Reference]) -> Value {
    let mut schema = json!({"type": "object", "required": ["kind"],
        "properties": {"kind": {"default": "a"}, "file": {"format": "binary"}}});
    let mut lists: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (at, (kind, target)) in references.iter().enumerate() {
        let name = NAMES[*target];
        let to = json!({"$ref": format!("#/components/schemas/{name}")});
        match kind {
            0 => schema["properties"][format!("p{at}").as_str()] = json!({"allOf": [to]}),
            1 => lists.entry("anyOf").or_insert_with(|| vec![json!({})]).push(to),
            2 => lists.entry("allOf").or_default().push(to),
            3 => schema["items"] = to,
            4 => schema["additionalProperties"] = to,
            // Definitions that are all called `p0` do not get equal names; some have no name.
            _ => {
                let pointer = format!("#/components/schemas/{name}/properties/p0");
                schema["not"] = json!({"$ref": pointer});
            }
        }
    }
    for (keyword, list) in lists {
        schema[keyword] = list.into();
    }
    schema
}

fn described(schemas: &[Vec<Reference>], roots: &[Vec<Reference>]) -> Document {
    let schemas = NAMES.into_iter().zip(schemas);
    let schemas: callgate_tool::Object =
        schemas.map(|(name, references)| (name.to_owned(), schema(references))).collect();
    let roots: Vec<Value> = roots.iter().map(|references| schema(references)).collect();
    document(json!({"components": {"schemas": schemas}, "x-roots": roots}))
}

/// The index of a root, that of the caller, and a flag for a form with files.
type Asked = (usize, usize, bool);

/// A builder that built a root, and its result.
fn builder<'d>(
    (document, built): (&'d Document, &'d SchemaCache),
    (root, view, is_form): Asked,
) -> (Builder<'d>, callgate_tool::Object) {
    let declared = View::Declared(SessionInputs::Lenient);
    let view = [declared, View::Complete, View::Output][view];
    let mut builder = Builder::new(document, built, view);
    if is_form {
        builder.bytes = Bytes::Parts;
    }
    let roots = document.root().get("x-roots").unwrap().as_array().unwrap();
    let path = format!("/x-roots/{root}");
    let own = builder.build_schema(&roots[root], &callgate_tree::Path::at(&path));
    let Value::Object(own) = own else { panic!("{own}") };
    (builder, own)
}

fn fresh(document: &Document) -> SchemaCache {
    SchemaCache::new(Budget::for_definitions(document))
}

type Found = BTreeSet<(String, String, String)>;

fn found(findings: Findings) -> Found {
    let found = findings.into_diagnostics().into_iter();
    found.map(|one| (one.code.as_str().to_owned(), one.pointer, one.message)).collect()
}

fn listed<'a>(definitions: impl Iterator<Item = &'a Definition>) -> Vec<(String, Value)> {
    definitions.map(|known| (known.name.to_string(), (*known.schema).clone())).collect()
}

/// The definitions of a root, and the findings; by groups if possible.
fn closed(document: &Document, built: &SchemaCache, asked: Asked) -> (Vec<(String, Value)>, Found) {
    let (builder, own) = builder((document, built), asked);
    let (schema, findings) = builder.finish_with_definitions(own);
    let whole = schema.to_value();
    assert_eq!(schema.n_bytes(), whole.to_string().len());
    (listed(schema.definitions().iter()), found(findings))
}

/// The definitions of a root, and the findings; each set separately.
fn named(document: &Document, asked: Asked) -> (BTreeMap<String, Value>, Found) {
    let built = fresh(document);
    let (mut builder, _) = builder((document, &built), asked);
    let set = builder.build_set();
    let mut findings = builder.findings;
    findings.absorb_shared(&set.findings);
    (listed(set.definitions.iter()).into_iter().collect(), found(findings))
}

fn references(most: usize) -> impl Strategy<Value = Vec<Reference>> {
    vec((0..6_u8, 0..NAMES.len()), 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300.max(ProptestConfig::default().cases), ..ProptestConfig::default() })]

    #[test]
    fn groups_yield_the_same_definitions_in_any_order_of_requests(
        schemas in vec(references(4), NAMES.len()),
        roots in vec(references(3), 4),
        asked in vec((0..4_usize, 0..3_usize, any::<bool>()), 1..8),
    ) {
        let document = described(&schemas, &roots);
        let shared = fresh(&document);
        for asked in asked {
            let (definitions, findings) = closed(&document, &shared, asked);
            prop_assert_eq!(&definitions, &closed(&document, &fresh(&document), asked).0);
            let expected = named(&document, asked);
            prop_assert_eq!((definitions.into_iter().collect(), findings), expected);
        }
    }
}

/// The number of groups of a root's definitions, if they form groups.
fn groups(schemas: &[Vec<Reference>], root: Vec<Reference>) -> Option<usize> {
    let document = described(schemas, &[root]);
    let built = fresh(&document);
    let (builder, _) = builder((&document, &built), (0, 0, false));
    let roots: Vec<_> =
        builder.pending.iter().map(|pending| builder.definition_key(pending)).collect();
    builder.grouped_definitions(&roots).map(|set| set.definitions.groups().len())
}

#[test]
fn definitions_are_grouped_unless_two_have_one_name() {
    let none = Vec::new;
    let circle = [vec![(0, 1)], vec![(0, 2)], vec![(0, 0)], none(), none(), none(), none()];
    assert_eq!(groups(&circle, vec![(0, 0)]), Some(1));
    assert_eq!(groups(&circle, vec![(0, 0), (0, 3)]), Some(2));
    // Below an alternative the circle has another form, which replaces the first.
    assert_eq!(groups(&circle, vec![(0, 0), (1, 1), (1, 3)]), Some(2));
    assert_eq!(groups(&circle, vec![(0, 4), (0, 6)]), Some(2));
    assert_eq!(groups(&circle, vec![(0, 4), (0, 5)]), None);
    assert_eq!(groups(&circle, vec![(5, 0)]), Some(2));
    let two = [vec![(5, 2)], vec![(5, 3)], vec![(0, 4)], vec![(0, 4)], none(), none(), none()];
    assert_eq!(groups(&two, vec![(0, 0)]), Some(3));
    assert_eq!(groups(&two, vec![(0, 0), (0, 1)]), None);
}
