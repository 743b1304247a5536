//! Every operation of the corpus that takes XML, where there is a corpus, with all members of its body: what is sent is
//! well-formed and another reader reads the arguments from it.

mod maker;
mod parts;
mod reader;

use crate::prelude::*;

use callgate_openapi::{BodyKind, BodyMedia, InputLocation, Operation};
use roxmltree::Document as Xml;

use self::{
    maker::Maker,
    parts::Parts,
    reader::{as_texts, element},
};

#[derive(Default)]
struct Counts {
    n_operations: usize,
    n_whole: usize,
    /// Operations of which members were left out that would have written another member's part.
    n_in_part: usize,
    n_members_left: usize,
    /// Bodies whose values XML has no form for.
    refused: Vec<String>,
    /// Bodies for which no value that meets the schema was made.
    n_unmade: usize,
    wrong: Vec<String>,
}

#[test]
fn every_xml_body_of_the_corpus_is_read_back_to_the_arguments() {
    let Some(descriptions) = of_all_descriptions() else { return };
    let mut counts = Counts::default();
    for (path, text) in descriptions {
        if text.contains("xml") {
            description(&text, &path, &mut counts);
        }
        // Few of the corpus take XML, so that those who take JSON are asked for it, too.
        description(&text.replace("application/json", "application/xml"), &path, &mut counts);
    }
    let Counts { n_operations, n_whole, n_in_part, n_members_left, refused, n_unmade, wrong } =
        &counts;
    say(&format!(
        "{n_operations} XML bodies: {n_whole} with all members, {n_in_part} without {n_members_left} members that \
         would write another one's part, {} refused, {} wrong",
        refused.len(),
        wrong.len()
    ));
    refused.iter().chain(wrong).for_each(|one| say(one));
    assert!(wrong.is_empty(), "{} wrong", wrong.len());
    assert!((refused.len() + n_unmade) * 25 <= *n_operations, "{} refused", refused.len());
}

fn description(text: &str, path: &str, counts: &mut Counts) {
    let Ok(document) = Document::read(text.as_bytes(), &Limits::default()) else { return };
    let server = Some("https://api.example.com".to_owned());
    let loaded = load(&document.value, &LoadOptions { server, ..LoadOptions::default() });
    for operation in &*loaded.operations {
        let all = operation.body.iter().flat_map(|body| &*body.media);
        let plan = Plan::new(operation.clone());
        for media in all.filter(|media| media.kind == BodyKind::Xml && media.root.is_some()) {
            counts.n_operations += 1;
            let label = format!("{path} {} {}", operation.label(), media.media_type);
            let body = Body { operation, media, plan: &plan };
            match body.check(counts) {
                Ok(()) => {}
                Err(Wrong::Refused(why)) if !of_xml(&why) => counts.n_unmade += 1,
                Err(Wrong::Refused(why)) => counts.refused.push(format!("{label}: refused: {why}")),
                Err(Wrong::Read(why)) => counts.wrong.push(format!("{label}: {why}")),
            }
        }
    }
}

/// Returns true if a fault is one of XML, and not one of the schema.
fn of_xml(message: &str) -> bool {
    let sentences =
        ["as XML has it here", "XML can have", "could not distinguish", "one namespace for"];
    sentences.iter().any(|sentence| message.contains(sentence))
}

/// The reason why a body is not read back.
enum Wrong {
    Read(String),
    Refused(String),
}

/// One body in one media type.
struct Body<'a> {
    operation: &'a Operation,
    media: &'a BodyMedia,
    plan: &'a Plan,
}

impl Body<'_> {
    fn check(&self, counts: &mut Counts) -> Result<(), Wrong> {
        let mut arguments = self.arguments();
        let mut n_left = 0;
        let request = loop {
            let made = self.plan.request(&arguments, &Session::default(), &mut Journal::default());
            match made {
                Ok(request) => break request,
                Err(fault) if n_left < MOST_LEFT && take_away(&mut arguments, &fault) => {
                    n_left += 1;
                }
                Err(fault) => return Err(Wrong::Refused(fault.message.clone())),
            }
        };
        let text = String::from_utf8_lossy(request.body());
        let read = self.read(&text, &arguments);
        read.map_err(|why| {
            Wrong::Read(format!("{why}: {}", text.chars().take(1500).collect::<String>()))
        })?;
        if n_left == 0 {
            counts.n_whole += 1;
        } else {
            counts.n_in_part += 1;
            counts.n_members_left += n_left;
        }
        Ok(())
    }

    /// The schema of an argument of the body in this media type.
    fn parts(&self, argument: &str) -> Parts<'_> {
        let root = self.operation.arguments_schema();
        let own = root.get("properties").and_then(|all| all.get(argument));
        Parts::of(own.and_then(|own| self.media.schema_in(own)), root)
    }

    fn arguments(&self) -> Arguments {
        let (root, maker) = (self.operation.arguments_schema(), Maker::default());
        let mut arguments = Object::new();
        for input in self.operation.inputs.iter().filter(|input| input.visible) {
            let name = input.argument.as_str();
            let is_body = input.place() == InputLocation::Body;
            if is_body {
                arguments.insert(name, maker.value(&self.parts(name), 0));
            } else if input.required {
                let own = root.get("properties").and_then(|all| all.get(name));
                arguments.insert(name, plain(maker.value(&Parts::of(own, root), 0)));
            }
        }
        if let Some(chooser) =
            self.operation.body.as_ref().and_then(|body| body.content_type.as_ref())
        {
            arguments.insert(chooser.as_str(), Value::from(&*self.media.media_type));
        }
        arguments
    }

    fn read(&self, text: &str, arguments: &Arguments) -> Result<(), String> {
        let xml = Xml::parse(text).map_err(|error| error.to_string())?;
        let node = xml.root_element();
        let root = self.media.root.as_ref().ok_or("no root")?;
        if node.tag_name().name() != root.name.split(':').next_back().unwrap_or_default() {
            return Err(format!("the root {}", node.tag_name().name()));
        }
        let inputs =
            self.operation.inputs.iter().filter(|input| input.place() == InputLocation::Body);
        let inputs: Vec<_> = inputs.collect();
        let (read, given) = match inputs.as_slice() {
            [whole] if whole.name.is_empty() => {
                let parts = self.parts(whole.argument.as_str());
                let given = &arguments[whole.argument.as_str()];
                // The only member may be the root element.
                let (parts, given) = if root.is_wrapper {
                    (parts.member(&root.name), &given[&*root.name])
                } else {
                    (parts, given)
                };
                (element(node, &parts, given)?, given.clone())
            }
            members => {
                let mut given = Object::new();
                let schema = self.flat(members, arguments, &mut given);
                let given = Value::Object(given);
                (
                    element(
                        node,
                        &Parts::of(Some(&schema), self.operation.arguments_schema()),
                        &given,
                    )?,
                    given,
                )
            }
        };
        let given = as_texts(&given);
        if read == given { Ok(()) } else { Err(format!("read {read} for {given}")) }
    }

    /// The schema of a body whose members are arguments, and the value of them all.
    fn flat(
        &self,
        members: &[&callgate_openapi::Input],
        arguments: &Arguments,
        given: &mut Object,
    ) -> Value {
        let root = self.operation.arguments_schema();
        let mut properties = Object::new();
        for input in members {
            let own = root.get("properties").and_then(|all| all.get(input.argument.as_str()));
            properties.extend(own.map(|own| (input.name.to_string(), own.clone())));
            let value = arguments.get(input.argument.as_str());
            given.extend(value.map(|value| (input.name.to_string(), value.clone())));
        }
        callgate_tool::json!({"type": "object", "properties": Value::Object(properties)})
    }
}

/// A text for a parameter, which takes no line breaks.
fn plain(value: Value) -> Value {
    match value {
        Value::String(text) if text.contains('\n') => {
            let letter = |one: char| if one.is_ascii_alphanumeric() { one } else { 'a' };
            text.chars().map(letter).collect::<String>().into()
        }
        other => other,
    }
}

/// Takes away the member that would write the part of another one; returns false for another fault.
fn take_away(arguments: &mut Arguments, fault: &Fault) -> bool {
    let [problem] = fault.problems.as_slice() else { return false };
    let is_twice = fault.message.contains("the other is `");
    let mut steps: Vec<&str> = problem.at.split('.').collect();
    let Some(last) = steps.pop().filter(|_| is_twice) else { return false };
    let mut steps = steps.into_iter();
    let mut here = match steps.next() {
        None => return arguments.remove(last).is_some(),
        Some(first) => arguments.get_mut(first),
    };
    for step in steps {
        here = here.and_then(|value| value.get_mut(step));
    }
    here.and_then(Value::as_object_mut).is_some_and(|members| members.remove(last).is_some())
}

/// The most members that are left out of one body.
const MOST_LEFT: usize = 30;
