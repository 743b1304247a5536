//! Near-misses of every tagged union in the descriptions of the corpus, where there is one: a valid value of each alternative,
//! with one member removed or broken. The fault must be one of that member.

use crate::prelude::*;

use callgate_call::ArgumentCheck;

use crate::union_values::{Maker, Parts, tag_of};

#[derive(Default)]
struct Counts {
    n_unions: usize,
    n_alternatives: usize,
    n_made: usize,
    n_near_misses: usize,
    others: Vec<String>,
}

/// A union with its tag, and the definitions that it may refer to.
struct Site<'a> {
    union: &'a Value,
    tag: &'a str,
    root: &'a Value,
}

#[test]
fn near_misses_of_tagged_unions_in_the_corpus_name_the_member() {
    let Some(descriptions) = of_all_descriptions() else { return };
    let mut counts = Counts::default();
    descriptions.for_each(|(_, text)| description(text.as_bytes(), &mut counts));
    let Counts { n_unions, n_alternatives, n_made, n_near_misses, others } = &counts;
    say(&format!(
        "{n_unions} tagged unions with {n_alternatives} alternatives, {n_made} of them made; \
         {n_near_misses} near-misses, {} explained by something else",
        others.len()
    ));
    others.iter().take(40).for_each(|other| say(other));
    assert!(*n_near_misses > 0 && others.len() * 100 <= *n_near_misses, "{} others", others.len());
}

fn description(text: &[u8], counts: &mut Counts) {
    let Ok(document) = Document::read(text, &Limits::default()) else { return };
    let loaded = load(&document.value, &LoadOptions::default());
    let mut known = BTreeSet::new();
    for operation in &*loaded.operations {
        let root = operation.arguments_schema();
        let mut unions = Vec::new();
        collect(root, &mut known, &mut unions);
        for union in unions {
            if known.insert(union.to_string())
                && let Some(tag) = tag_of(union, root)
            {
                counts.n_unions += 1;
                near_misses(&Site { union, tag, root }, operation.label(), counts);
            }
        }
    }
}

/// Every union below a schema; the definitions of one description are visited once.
fn collect<'a>(schema: &'a Value, known: &mut BTreeSet<String>, unions: &mut Vec<&'a Value>) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| collect(item, known, unions)),
        Value::Object(members) => {
            let is_union =
                |keyword: &str| members.get(keyword).is_some_and(|one| one[1].is_object());
            if is_union("oneOf") || is_union("anyOf") {
                unions.push(schema);
            }
            for (keyword, below) in members {
                let definitions = below.as_object().filter(|_| keyword == "$defs");
                for (name, definition) in definitions.into_iter().flat_map(Object::iter) {
                    let is_new = known.insert(format!("$defs {name}"));
                    is_new.then(|| collect(definition, known, unions));
                }
                if definitions.is_none() && !DATA.contains(&keyword.as_str()) {
                    collect(below, known, unions);
                }
            }
        }
        _ => {}
    }
}

fn near_misses(site: &Site<'_>, label: &str, counts: &mut Counts) {
    let Site { union, tag, root } = site;
    let mut schema =
        json!({"type": "object", "required": ["v"], "properties": {"v": (*union).clone()}});
    if let Some(definitions) = root.get("$defs") {
        schema["$defs"] = definitions.clone();
    }
    let check = ArgumentCheck::new(schema);
    for parts in Parts::of_alternatives(union, root) {
        counts.n_alternatives += 1;
        let with_tag = |mut value: Value| {
            let named = parts.listed(tag, root).unwrap_or_default();
            if let (Value::Object(members), Some(named)) = (&mut value, named.first()) {
                members.insert((*tag).to_owned(), (*named).clone());
            }
            value
        };
        let mut tries = (0..TRIES).map(|pick| with_tag(Maker::new(root, pick).value(&parts)));
        let is_valid = |value: &Value| value.is_object() && problems(&check, value).is_empty();
        let Some(value) = tries.find(is_valid) else { continue };
        counts.n_made += 1;
        for name in value.as_object().into_iter().flat_map(Object::keys) {
            for other in broken(&value, name, name == tag) {
                counts.add(label, name, &other, &problems(&check, &other));
            }
        }
    }
}

impl Counts {
    /// Counts a near-miss; a value that is valid all the same is none.
    fn add(&mut self, label: &str, name: &str, near_miss: &Value, problems: &[String]) {
        if problems.is_empty() {
            return;
        }
        self.n_near_misses += 1;
        let at = format!("v.{name}");
        let rest = |problem: &String| problem.strip_prefix(&*at).map(str::to_owned);
        let names = |problem| rest(problem).is_some_and(|rest| rest.starts_with(['.', '[', ':']));
        if !problems.iter().all(names) {
            let shown: String = near_miss.to_string().chars().take(200).collect();
            self.others.push(format!("{label}: {name} of {shown}: {}", problems.join("; ")));
        }
    }
}

/// The value without a member, and with the member broken. A tag is only replaced by an unknown one.
fn broken(value: &Value, name: &str, is_tag: bool) -> Vec<Value> {
    let with = |member: Option<Value>| {
        let mut members = value.as_object().cloned().unwrap_or_default();
        members.remove(name);
        members.extend(member.map(|member| (name.to_owned(), member)));
        Value::Object(members)
    };
    if is_tag {
        return vec![with(Some("no such tag".into()))];
    }
    let given = value.get(name);
    let wrong =
        if given.is_some_and(Value::is_object) { json!(7) } else { json!({"no": {"such": 1}}) };
    vec![with(None), with(Some(wrong))]
}

/// The problems of a value, one a text: `at: expected …, got …`.
fn problems(check: &ArgumentCheck, value: &Value) -> Vec<String> {
    let mut arguments = Object::new();
    arguments.insert("v".to_owned(), value.clone());
    let Err(fault) = check.check(&arguments) else { return Vec::new() };
    let problems = fault.problems.into_iter();
    problems.map(|one| format!("{}: expected {}, got {}", one.at, one.expected, one.got)).collect()
}

/// The attempts to make a valid value of an alternative.
const TRIES: usize = 8;
/// Keywords whose values are data, not schemas.
const DATA: [&str; 5] = ["const", "default", "enum", "example", "examples"];
