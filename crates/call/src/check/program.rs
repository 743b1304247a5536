//! All schemas of an operation. Each target of a reference is compiled on first use, so that the first call pays only for
//! the definitions that it needs.

use std::sync::{Arc, OnceLock};

use callgate_tool::{Object, Value, pointer_segment};
use percent_encoding::percent_decode_str;

use super::{
    compile::{Fragment, Resolve, UnknownKeyword, compile},
    node::{Node, ReferenceTarget},
    pattern::Pattern,
};

#[derive(Debug)]
pub(crate) struct Program {
    definitions: Box<[(Box<str>, Part)]>,
    parts: OnceLock<Box<Link>>,
}

type Part = OnceLock<Box<Fragment>>;

/// A part outside the definitions, and the parts that were named after it.
#[derive(Debug)]
struct Link {
    pointer: Box<str>,
    part: Part,
    next: OnceLock<Box<Self>>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'p> {
    program: &'p Program,
    root: &'p Value,
    pub(crate) formats: Formats,
}

/// The meaning of `format` (JSON Schema Validation 2020-12 §7.2).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Formats {
    /// A text without the format is wrong.
    Asserted,
    /// The format says what a text means, and checks nothing: services differ in what they take.
    Described,
}

impl Program {
    pub(crate) fn new(root: &Value) -> Self {
        let definitions = root.get("$defs").and_then(Value::as_object);
        let mut names: Vec<&String> = definitions.into_iter().flat_map(Object::keys).collect();
        names.sort_unstable();
        let part = |name: &String| (name.as_str().into(), Part::new());
        Self { definitions: names.into_iter().map(part).collect(), parts: OnceLock::new() }
    }

    fn part_index(&self, pointer: &str) -> Option<usize> {
        let mut slot = &self.parts;
        for at in 0..MOST {
            let link = slot.get_or_init(|| {
                let pointer = pointer.into();
                Box::new(Link { pointer, part: Part::new(), next: OnceLock::new() })
            });
            if *link.pointer == *pointer {
                return Some(at);
            }
            slot = &link.next;
        }
        None
    }

    fn link_at(&self, at: usize) -> Option<&Link> {
        let mut link = self.parts.get()?;
        for _ in 0..at {
            link = link.next.get()?;
        }
        Some(link)
    }
}

impl<'p> Scope<'p> {
    pub(crate) fn new(program: &'p Program, root: &'p Value) -> Self {
        Self { program, root, formats: Formats::Asserted }
    }

    pub(crate) fn with_formats(self, formats: Formats) -> Self {
        Self { formats, ..self }
    }

    pub(crate) fn compile(self, pointer: &str) -> Option<Fragment> {
        Some(compile(self.root.pointer(pointer)?, pointer, &self))
    }

    pub(crate) fn node(self, target: ReferenceTarget) -> Option<&'p Node> {
        Some(&self.fragment(target)?.node)
    }

    /// The keywords that are not applied in a fragment and in everything that it refers to, including patterns that are too
    /// large. Compiles everything.
    pub(crate) fn unapplied_keywords(self, fragment: &'p Fragment) -> Vec<UnknownKeyword> {
        let (mut pending, mut seen) = (vec![fragment], std::collections::BTreeSet::new());
        let mut unknown = Vec::new();
        while let Some(fragment) = pending.pop() {
            unknown.extend(fragment.unknown.iter().cloned());
            let is_lost = |(_, pattern): &&(String, Arc<Pattern>)| !pattern.is_compilable();
            let lost = fragment.patterns.iter().filter(is_lost);
            unknown.extend(lost.map(|(pointer, _)| UnknownKeyword(pointer.clone())));
            let fresh = fragment.targets.iter().filter(|target| seen.insert(**target));
            pending.extend(fresh.filter_map(|target| self.fragment(*target)));
        }
        unknown.sort_unstable();
        unknown
    }

    fn fragment(self, target: ReferenceTarget) -> Option<&'p Fragment> {
        let (part, schema, pointer) = match target {
            ReferenceTarget::Definition(at) => {
                let (name, part) = self.program.definitions.get(at)?;
                if let Some(compiled_fragment) = part.get() {
                    return Some(compiled_fragment);
                }
                let schema = self.root.get("$defs")?.get(&**name)?;
                (part, schema, format!("/$defs/{}", pointer_segment(name)))
            }
            ReferenceTarget::Part(at) => {
                let link = self.program.link_at(at)?;
                (&link.part, self.root.pointer(&link.pointer)?, link.pointer.to_string())
            }
        };
        Some(part.get_or_init(|| Box::new(compile(schema, &pointer, &self))))
    }
}

impl Resolve for Scope<'_> {
    fn resolve_reference(&self, reference: &str) -> Option<ReferenceTarget> {
        let pointer = percent_decode_str(reference.strip_prefix('#')?).decode_utf8().ok()?;
        let name = pointer.strip_prefix("/$defs/").filter(|name| !name.contains(['/', '~']));
        if let Some(name) = name {
            let position =
                self.program.definitions.binary_search_by(|(entry, _)| (**entry).cmp(name));
            return position.ok().map(ReferenceTarget::Definition);
        }
        self.root.pointer(&pointer)?;
        self.program.part_index(&pointer).map(ReferenceTarget::Part)
    }
}

/// The most parts outside the definitions; our own schemas have none.
const MOST: usize = 512;
