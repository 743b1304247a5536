//! The space of XML schemas: names, attributes, wrapped lists, prefixes, namespaces and node types, in objects and lists of
//! any depth. What is written is read back by another reader of XML, by the rules of the specification, to the arguments;
//! what the two would differ in is refused, or the journal says so.

mod reader;

use crate::prelude::*;
use std::collections::BTreeMap;

use proptest::prelude::*;
use roxmltree::Document;

use self::reader::{element, wrapped};

/// A schema as far as it matters for XML.
#[derive(Clone, Debug)]
struct Part {
    shape: Shape,
    name: Option<&'static str>,
    prefix: Option<&'static str>,
    namespace: Option<&'static str>,
    form: Form,
}

#[derive(Clone, Debug)]
enum Shape {
    Boolean,
    Integer,
    List(Box<Part>),
    Object(Vec<(&'static str, Part)>),
    Text,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Form {
    Attribute,
    Bare,
    Cdata,
    Element,
    Text,
    Wrapped,
}

impl Part {
    fn schema(&self) -> Value {
        let mut schema = match &self.shape {
            Shape::Boolean => json!({"type": ["boolean", "null"]}),
            Shape::Integer => json!({"type": ["integer", "null"]}),
            Shape::Text => json!({"type": ["string", "null"]}),
            Shape::List(items) => json!({"type": "array", "items": items.schema()}),
            Shape::Object(members) => {
                let members = members.iter().map(|(name, own)| ((*name).to_owned(), own.schema()));
                json!({"type": "object", "properties": Value::Object(members.collect())})
            }
        };
        let mut xml = Object::new();
        for (key, text) in
            [("name", self.name), ("prefix", self.prefix), ("namespace", self.namespace)]
        {
            xml.extend(text.map(|text| (key.to_owned(), text.into())));
        }
        let (key, mark) = match self.form {
            Form::Attribute => ("attribute", json!(true)),
            Form::Bare => ("nodeType", json!("none")),
            Form::Cdata => ("nodeType", json!("cdata")),
            Form::Element => ("attribute", json!(false)),
            Form::Text => ("nodeType", json!("text")),
            Form::Wrapped => ("wrapped", json!(true)),
        };
        xml.insert(key.to_owned(), mark);
        schema["xml"] = xml.into();
        schema
    }

    /// A value of the schema without parts that XML leaves out; `None` if nothing stays.
    fn kept(&self, value: &Value) -> Option<Value> {
        self.kept_as(self.form, value)
    }

    /// An item of a list never is an attribute.
    fn kept_item(&self, value: &Value) -> Option<Value> {
        let form = if self.form == Form::Attribute { Form::Element } else { self.form };
        self.kept_as(form, value)
    }

    fn kept_as(&self, form: Form, value: &Value) -> Option<Value> {
        match (&self.shape, value) {
            (_, Value::Null) if form != Form::Element => None,
            (Shape::Text, Value::String(text))
                if text.is_empty() && matches!(self.form, Form::Cdata | Form::Text) =>
            {
                None
            }
            (Shape::List(items), Value::Array(all)) => {
                let kept: Vec<_> = all.iter().filter_map(|item| items.kept_item(item)).collect();
                (!kept.is_empty() || self.form == Form::Wrapped).then_some(Value::Array(kept))
            }
            (Shape::Object(members), Value::Object(all)) => {
                let member = |(name, own): &(&str, Self)| {
                    Some(((*name).to_owned(), own.kept(all.get(name)?)?))
                };
                let kept: Object = members.iter().filter_map(member).collect();
                (!kept.is_empty() || self.form != Form::Bare).then_some(Value::Object(kept))
            }
            _ => Some(value.clone()),
        }
    }

    /// Every part of the schema, with its default name.
    fn all<'a>(&'a self, own: &'a str, found: &mut Vec<(&'a str, &'a Self)>) {
        found.push((own, self));
        match &self.shape {
            Shape::List(items) => items.all(own, found),
            Shape::Object(members) => members.iter().for_each(|(name, part)| part.all(name, found)),
            _ => {}
        }
    }

    /// Returns true if nothing in the schema could clash: each name occurs once, and each value has an element of its own.
    fn is_plain(&self) -> bool {
        let mut parts = Vec::new();
        self.all("Thing", &mut parts);
        let mut names = BTreeSet::new();
        let mut namespaces = BTreeMap::new();
        parts.iter().enumerate().all(|(at, (own, part))| {
            let is_of_list = |list: &Self| matches!(&list.shape, Shape::List(items) if std::ptr::eq(&raw const **items, *part));
            let list = parts.iter().map(|(_, part)| *part).find(|part| is_of_list(part));
            let is_scalar = !matches!(part.shape, Shape::List(_) | Shape::Object(_));
            let is_item_of_wrapped = list.is_some_and(|list| list.form == Form::Wrapped);
            let writes = list.is_some() || !matches!(part.shape, Shape::List(_)) || part.form == Form::Wrapped;
            let name = part.name.unwrap_or(own);
            let is_new = !writes || is_item_of_wrapped || names.insert(name) || at == 0;
            let is_one = part.prefix.is_none_or(|prefix| {
                *namespaces.entry(prefix).or_insert(part.namespace) == part.namespace
            });
            let is_formed = match part.form {
                Form::Element | Form::Wrapped => true,
                Form::Attribute => is_scalar && list.is_none(),
                Form::Bare | Form::Cdata | Form::Text => false,
            };
            let is_inner_list = list.is_some() && matches!(part.shape, Shape::List(_)) && part.form != Form::Wrapped;
            is_new && is_one && is_formed && !is_inner_list && !name.contains([':', ' '])
        })
    }
}

fn planned(root: &Part, body: &Value) -> Planned {
    let description = json!({
        "openapi": "3.2.0", "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example.com/v1"}],
        "components": {"schemas": {"Thing": root.schema()}},
        "paths": {"/x": {"post": {"responses": {"200": {"description": "fine"}},
            "requestBody": {"required": true, "content": {
                "application/xml": {"schema": {"$ref": "#/components/schemas/Thing"}}}}}}}});
    call(&plan(&description.to_string()), json!({"body": body}))
}

fn check(root: &Part, body: &Value) -> TestCaseResult {
    let planned = planned(root, body);
    let request = match &planned.result {
        Ok(request) => request,
        Err(fault) => {
            prop_assert!(!root.is_plain(), "{} {body} {}", root.schema(), fault.message);
            return Ok(());
        }
    };
    let text = String::from_utf8(request.body().to_vec()).unwrap();
    let document = match Document::parse(&text) {
        Ok(document) => document,
        Err(error) => {
            return Err(TestCaseError::fail(format!("{} {body} {text} {error}", root.schema())));
        }
    };
    let top = document.root_element();
    let top_part = Part { form: Form::Wrapped, ..root.clone() };
    let expected = match &root.shape {
        Shape::List(_) => top_part.kept(body),
        _ => Part { form: Form::Element, ..root.clone() }.kept(body),
    };
    let expected = expected.unwrap_or(Value::Null);
    let read = match &root.shape {
        Shape::List(items) => wrapped(top, items, root.name.unwrap_or("Thing"), &expected),
        _ => element(root, top, &expected),
    };
    prop_assert!(equal(&read, &expected), "{} {body}\n{text}\nread {read}", root.schema());
    // An empty text is nothing in the content of an element, as the schema has it there.
    let is_told = planned
        .journal
        .iter()
        .any(|event| matches!(event, Event::EmptyOmitted { .. } | Event::NullOmitted { .. }));
    prop_assert!(is_told || equal_but_empty(&read, body), "{} {body}\n{text}", root.schema());
    Ok(())
}

/// Returns true if two values are equal, whatever the order of members.
fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(name, value)| other.get(name).is_some_and(|known| equal(value, known)))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        _ => one == other,
    }
}

/// Returns true if `read` lacks nothing of `given` but empty texts.
fn equal_but_empty(read: &Value, given: &Value) -> bool {
    match (read, given) {
        (Value::Object(read), Value::Object(given)) => given.iter().all(|(name, value)| {
            read.get(name).map_or_else(|| is_void(value), |known| equal_but_empty(known, value))
        }),
        (Value::Array(read), Value::Array(given)) => {
            read.len() == given.len()
                && read.iter().zip(given).all(|(read, given)| equal_but_empty(read, given))
        }
        _ => read == given,
    }
}

fn is_void(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.values().all(is_void),
        Value::Array(items) => items.iter().all(is_void),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

fn part() -> impl Strategy<Value = Part> {
    let leaf = select(vec![Shape::Boolean, Shape::Integer, Shape::Text, Shape::Text]);
    let leaf = with_xml(leaf.boxed());
    leaf.prop_recursive(4, 20, 4, |inner| {
        let names = ["a", "b", "c", "d", "e"];
        let object = prop::collection::vec(inner.clone(), 1..5)
            .prop_map(move |parts| Shape::Object(names.into_iter().zip(parts).collect()));
        let list = inner.prop_map(|part| Shape::List(Box::new(part)));
        with_xml(prop_oneof![2 => object, 1 => list].boxed())
    })
}

fn with_xml(shape: BoxedStrategy<Shape>) -> BoxedStrategy<Part> {
    let name = select(vec![
        None,
        None,
        None,
        Some("a"),
        Some("x"),
        Some("y"),
        Some("p:x"),
        Some("xsi:type"),
        Some("x y"),
    ]);
    let prefix = select(vec![None, None, None, Some("p"), Some("q")]);
    let namespace = select(vec![None, None, None, Some("urn:a"), Some("urn:b")]);
    let form = select(vec![
        Form::Element,
        Form::Element,
        Form::Element,
        Form::Attribute,
        Form::Attribute,
        Form::Bare,
        Form::Text,
        Form::Cdata,
        Form::Wrapped,
    ]);
    let parts = (shape, name, prefix, namespace, form);
    let part = parts.prop_map(|(shape, name, prefix, namespace, form)| {
        let is_list = matches!(shape, Shape::List(_));
        let is_object = matches!(shape, Shape::Object(_));
        let form = match form {
            // A list is wrapped or not; an object is an element or nothing of its own.
            Form::Wrapped if !is_list => Form::Element,
            Form::Bare if is_list => Form::Element,
            Form::Cdata | Form::Text if is_list || is_object => Form::Element,
            Form::Attribute if is_object => Form::Element,
            form => form,
        };
        Part { shape, name, prefix, namespace, form }
    });
    part.boxed()
}

fn value(part: &Part) -> BoxedStrategy<Value> {
    let value = match &part.shape {
        Shape::Boolean => any::<bool>().prop_map(Value::from).boxed(),
        Shape::Integer => any::<i64>().prop_map(Value::from).boxed(),
        Shape::Text => "[a-z<>&\"' \\r\\n\\t\\]é𝄞{:]{0,6}".prop_map(Value::from).boxed(),
        Shape::List(items) => {
            prop::collection::vec(value(items), 0..4).prop_map(Value::Array).boxed()
        }
        Shape::Object(members) => {
            let members: Vec<_> = members
                .iter()
                .map(|(name, own)| {
                    (Just((*name).to_owned()), prop::option::weighted(0.7, value(own)))
                })
                .collect();
            let object = |members: Vec<(String, Option<Value>)>| {
                let given = members.into_iter().filter_map(|(name, own)| Some((name, own?)));
                Value::Object(given.collect())
            };
            members.prop_map(object).boxed()
        }
    };
    match part.shape {
        Shape::List(_) | Shape::Object(_) => value,
        _ => prop_oneof![8 => value, 1 => Just(Value::Null)].boxed(),
    }
}

/// A schema of an object or a list, and a value of it.
fn case() -> impl Strategy<Value = (Part, Value)> {
    let root = part().prop_filter("an object or a list", |root| {
        let is_element = matches!(root.form, Form::Element | Form::Wrapped);
        is_element && matches!(root.shape, Shape::List(_) | Shape::Object(_)) && !mixes_texts(root)
    });
    root.prop_flat_map(|root| (Just(root.clone()), value(&root)))
}

/// Returns true if an element has texts of two kinds: only readers that keep CDATA sections apart can tell them.
fn mixes_texts(root: &Part) -> bool {
    let mut parts = Vec::new();
    root.all("Thing", &mut parts);
    let has = |form| parts.iter().any(|(_, part)| part.form == form);
    has(Form::Cdata) && (has(Form::Text) || parts.iter().any(|(_, part)| part.form == Form::Bare))
}

proptest! {
    #[test]
    fn xml_is_read_back_to_the_arguments_or_refused((root, body) in case()) {
        check(&root, &body)?;
    }
}
