//! Compiles JSON schemas to the form in which they are applied (`node`). A keyword that is unknown, or has an invalid
//! value, is reported and not applied. References stay targets: a target is compiled on first use.

use std::sync::Arc;

use callgate_tool::{Number, Object, Value, pointer_segment};

use super::{
    format::Format,
    instance::Types,
    node::{
        Conditional, Contains, Dependent, Items, Limit, Node, Options, Properties, ReferenceTarget,
        Rule,
    },
    pattern::Pattern,
};

/// A compiled schema, without the targets of its references.
#[derive(Debug)]
pub(crate) struct Fragment {
    pub(crate) node: Node,
    pub(crate) unknown: Box<[UnknownKeyword]>,
    pub(crate) patterns: Box<[(String, Arc<Pattern>)]>,
    pub(crate) targets: Box<[ReferenceTarget]>,
}

#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct UnknownKeyword(pub(crate) String);

pub(crate) trait Resolve {
    fn resolve_reference(&self, reference: &str) -> Option<ReferenceTarget>;
}

pub(crate) fn compile(schema: &Value, pointer: &str, targets: &dyn Resolve) -> Fragment {
    let mut compiler = Compiler {
        resolve: targets,
        pointer: pointer.to_owned(),
        unknown: Vec::new(),
        patterns: Vec::new(),
        targets: Vec::new(),
        depth: 0,
    };
    let node = compiler.compile(schema).with_memo_if_costly();
    let Compiler { unknown, patterns, mut targets, .. } = compiler;
    targets.sort_unstable();
    targets.dedup();
    Fragment { node, unknown: unknown.into(), patterns: patterns.into(), targets: targets.into() }
}

impl Fragment {
    pub(crate) fn accept_all() -> Self {
        Self {
            node: Node::any(),
            unknown: Box::default(),
            patterns: Box::default(),
            targets: Box::default(),
        }
    }
}

struct Compiler<'r> {
    resolve: &'r dyn Resolve,
    pointer: String,
    unknown: Vec<UnknownKeyword>,
    patterns: Vec<(String, Arc<Pattern>)>,
    targets: Vec<ReferenceTarget>,
    depth: usize,
}

struct InvalidKeyword;

type RuleResult = Result<Option<Rule>, InvalidKeyword>;

impl Compiler<'_> {
    fn compile(&mut self, schema: &Value) -> Node {
        match schema {
            Value::Bool(true) => Node::any(),
            Value::Bool(false) => Node::never(),
            Value::Object(members) if self.depth < DEEPEST => {
                self.depth += 1;
                let node = self.compile_schema_object(members);
                self.depth -= 1;
                node
            }
            _ => {
                self.unknown.push(UnknownKeyword(self.pointer.clone()));
                Node::any()
            }
        }
    }

    fn compile_schema_object(&mut self, members: &Object) -> Node {
        let mut types = Types::ALL;
        let mut rules = Vec::new();
        for (name, value) in members {
            let rule =
                self.within_segment(name, |compiler| match (name.as_str(), parse_types(value)) {
                    ("type", Some(named)) => {
                        types = named;
                        Ok(None)
                    }
                    ("allOf", _) => compiler.compile_all_of(value, &mut rules),
                    (name, _) => compiler.keyword_rule(name, value, members),
                });
            match rule {
                Ok(rule) => rules.extend(rule),
                Err(InvalidKeyword) => self.within_segment(name, |compiler| {
                    compiler.unknown.push(UnknownKeyword(compiler.pointer.clone()));
                }),
            }
        }
        rules.sort_by_key(Rule::relative_cost);
        Node { types, rules: rules.into(), is_shared: false }
    }

    fn within_segment<T>(&mut self, name: &str, apply: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&pointer_segment(name));
        let applied = apply(self);
        self.pointer.truncate(length);
        applied
    }

    fn keyword_rule(&mut self, name: &str, value: &Value, members: &Object) -> RuleResult {
        if let Some(rule) = value_only_rule(name, value) {
            return rule.map(Some);
        }
        Ok(Some(match name {
            "additionalProperties" | "patternProperties" | "properties" => {
                return self.properties_rule(name, members);
            }
            "anyOf" => Rule::AnyOf(self.compile_branches(value)?),
            "contains" => self.contains_rule(value, members)?,
            "dependentSchemas" => {
                let list = self.compile_named(value)?.into_iter();
                Rule::DependentSchemas(
                    list.map(|(name, node)| (name, node.with_memo_if_costly())).collect(),
                )
            }
            "format" => return Ok(Format::from_schema(members).map(Rule::Format)),
            "if" => return Ok(self.conditional_rule(value, members)),
            "items" | "prefixItems" => return self.items_rule(name, members),
            "not" => Rule::Not(Box::new(self.compile(value))),
            "oneOf" => Rule::OneOf(self.compile_branches(value)?),
            "pattern" => Rule::Pattern(self.add_pattern(value.as_str().ok_or(InvalidKeyword)?)),
            "propertyNames" => Rule::PropertyNames(Box::new(self.compile(value))),
            "$ref" => self.reference_rule(value)?,
            "unevaluatedItems" => Rule::UnevaluatedItems(Box::new(self.compile(value))),
            "unevaluatedProperties" => Rule::UnevaluatedProperties(Box::new(self.compile(value))),
            "uniqueItems" if value.as_bool() == Some(true) => Rule::UniqueItems,
            "uniqueItems" if value.is_boolean() => return Ok(None),
            "$id" if self.pointer == "/$id" => return Ok(None),
            name if SILENT.contains(&name) => return Ok(None),
            _ => return Err(InvalidKeyword),
        }))
    }

    /// Reads `allOf`. Rules of its branches on the value move to the schema itself if that makes no difference.
    fn compile_all_of(&mut self, value: &Value, rules: &mut Vec<Rule>) -> RuleResult {
        let mut others = Vec::new();
        for branch in self.compile_list(value)? {
            let is_apart = |rule: &Rule| rule.relative_cost() == 4;
            if branch.types == Types::ALL && !branch.rules.iter().any(is_apart) {
                rules.extend(branch.rules);
            } else {
                others.push(branch);
            }
        }
        Ok((!others.is_empty()).then(|| Rule::AllOf(others.into())))
    }

    fn compile_branches(&mut self, value: &Value) -> Result<Box<[Node]>, InvalidKeyword> {
        Ok(self.compile_list(value)?.into_iter().map(Node::with_memo_if_costly).collect())
    }

    fn compile_list(&mut self, value: &Value) -> Result<Vec<Node>, InvalidKeyword> {
        let each = checked_array(value)?.iter().enumerate();
        Ok(each
            .map(|(at, each)| self.within_segment(&at.to_string(), |one| one.compile(each)))
            .collect())
    }

    fn compile_named(&mut self, value: &Value) -> Result<Vec<(Box<str>, Node)>, InvalidKeyword> {
        let each = value.as_object().ok_or(InvalidKeyword)?.iter();
        let node = |(name, each): (&String, &Value)| {
            (name.as_str().into(), self.within_segment(name, |one| one.compile(each)))
        };
        Ok(each.map(node).collect())
    }

    fn compile_sibling_schema(&mut self, name: &str, members: &Object) -> Option<Node> {
        let schema = members.get(name)?;
        let outer = self.pointer.rfind('/').unwrap_or_default();
        let own = self.pointer.split_off(outer);
        let node = self.within_segment(name, |compiler| compiler.compile(schema));
        self.pointer.push_str(&own);
        Some(node)
    }

    /// Reads the three keywords that divide the members of an object, once, at the first of them.
    fn properties_rule(&mut self, name: &str, members: &Object) -> RuleResult {
        let own = members.get(name).ok_or(InvalidKeyword)?;
        if name != "additionalProperties" && !own.is_object() {
            return Err(InvalidKeyword);
        }
        if !is_leading_keyword(
            name,
            &["properties", "patternProperties", "additionalProperties"],
            members,
        ) {
            return Ok(None);
        }
        let declared = match members.get("properties") {
            Some(value @ Value::Object(_)) => self.compile_named(value)?,
            _ => Vec::new(),
        };
        let mut patterns = Vec::new();
        if let Some(Value::Object(each)) = members.get("patternProperties") {
            for (pattern, schema) in each {
                let node = self.within_segment(pattern, |compiler| compiler.compile(schema));
                patterns.push((self.add_pattern(pattern), node));
            }
        }
        let rest = match name {
            "additionalProperties" => Some(self.compile(own)),
            _ => self.compile_sibling_schema("additionalProperties", members),
        };
        Ok(Some(Rule::Properties(Box::new(Properties::new(declared, patterns, rest)))))
    }

    /// Reads the two keywords that divide the items of an array, once, at the first of them.
    fn items_rule(&mut self, name: &str, members: &Object) -> RuleResult {
        let own = members.get(name).ok_or(InvalidKeyword)?;
        if name == "items" {
            if members.contains_key("prefixItems") {
                return Ok(None);
            }
            let rest = Some(self.compile(own));
            return Ok(Some(Rule::Items(Box::new(Items { prefix: Box::new([]), rest }))));
        }
        let prefix = self.compile_list(own)?.into();
        let rest = self.compile_sibling_schema("items", members);
        Ok(Some(Rule::Items(Box::new(Items { prefix, rest }))))
    }

    fn contains_rule(&mut self, value: &Value, members: &Object) -> Result<Rule, InvalidKeyword> {
        let bound = |name, usual| members.get(name).map_or(Ok(usual), parse_count);
        let (least, most) = (bound("minContains", 1)?, bound("maxContains", u64::MAX)?);
        let node = self.compile(value).with_memo_if_costly();
        Ok(Rule::Contains(Box::new(Contains { node, least, most })))
    }

    fn conditional_rule(&mut self, value: &Value, members: &Object) -> Option<Rule> {
        let condition = self.compile(value).with_memo_if_costly();
        let then = self.compile_sibling_schema("then", members);
        let otherwise = self.compile_sibling_schema("else", members);
        let says_something = then.is_some() || otherwise.is_some() || !condition.is_any();
        says_something.then(|| Rule::If(Box::new(Conditional { condition, then, otherwise })))
    }

    fn add_pattern(&mut self, source: &str) -> Arc<Pattern> {
        let pattern = Arc::new(Pattern::new(source));
        self.patterns.push((self.pointer.clone(), Arc::clone(&pattern)));
        pattern
    }

    fn reference_rule(&mut self, value: &Value) -> Result<Rule, InvalidKeyword> {
        let reference = value.as_str().ok_or(InvalidKeyword)?;
        let target = self.resolve.resolve_reference(reference).ok_or(InvalidKeyword)?;
        self.targets.push(target);
        Ok(Rule::Reference(target))
    }
}

/// The rule of a keyword that needs only the value itself.
fn value_only_rule(name: &str, value: &Value) -> Option<Result<Rule, InvalidKeyword>> {
    let limit = |limit| parse_number(value).map(|bound| Rule::Limit(limit, bound));
    Some(match name {
        "const" => Ok(Rule::Const(Box::new(value.clone()))),
        "dependentRequired" => parse_dependent_names(value).map(Rule::DependentRequired),
        "enum" => {
            checked_array(value).map(|values| Rule::Enum(Box::new(Options::new(values.clone()))))
        }
        "exclusiveMaximum" => limit(Limit::ExclusiveMaximum),
        "exclusiveMinimum" => limit(Limit::ExclusiveMinimum),
        "maxItems" => parse_count(value).map(Rule::MaxItems),
        "maxLength" => parse_count(value).map(Rule::MaxLength),
        "maxProperties" => parse_count(value).map(Rule::MaxProperties),
        "maximum" => limit(Limit::Maximum),
        "minItems" => parse_count(value).map(Rule::MinItems),
        "minLength" => parse_count(value).map(Rule::MinLength),
        "minProperties" => parse_count(value).map(Rule::MinProperties),
        "minimum" => limit(Limit::Minimum),
        "multipleOf" => parse_divisor(value).map(|divisor| Rule::Limit(Limit::MultipleOf, divisor)),
        "required" => parse_names(value).map(Rule::Required),
        "x-callgate-tag" => tag_rule(value),
        _ => return None,
    })
}

/// True for the first keyword of a group that a schema has.
fn is_leading_keyword(name: &str, group: &[&str], members: &Object) -> bool {
    let is_there = |keyword: &&&str| {
        members
            .get(keyword)
            .is_some_and(|value| **keyword == "additionalProperties" || value.is_object())
    };
    group.iter().find(is_there) == Some(&name)
}

fn parse_types(value: &Value) -> Option<Types> {
    let one = |value: &Value| value.as_str().and_then(Types::from_name);
    match value {
        Value::Array(each) => {
            each.iter().try_fold(Types::NONE, |types, each| Some(types.union(one(each)?)))
        }
        value => one(value),
    }
}

fn checked_array(value: &Value) -> Result<&Vec<Value>, InvalidKeyword> {
    value.as_array().ok_or(InvalidKeyword)
}

fn parse_names(value: &Value) -> Result<Box<[Box<str>]>, InvalidKeyword> {
    checked_array(value)?
        .iter()
        .map(|name| name.as_str().map(Box::from).ok_or(InvalidKeyword))
        .collect()
}

fn parse_dependent_names(value: &Value) -> Result<Box<[Dependent]>, InvalidKeyword> {
    let each = value.as_object().ok_or(InvalidKeyword)?.iter();
    each.map(|(name, needed)| Ok((name.as_str().into(), parse_names(needed)?))).collect()
}

fn parse_number(value: &Value) -> Result<Box<Number>, InvalidKeyword> {
    value.as_number().cloned().map(Box::new).ok_or(InvalidKeyword)
}

fn tag_rule(value: &Value) -> Result<Rule, InvalidKeyword> {
    let first = value.as_object().and_then(|one| one.iter().next());
    let (name, values) = first.ok_or(InvalidKeyword)?;
    Ok(Rule::Tag(Box::new((name.as_str().into(), checked_array(values)?.as_slice().into()))))
}

/// A divisor: a number above zero with no more digits than division supports.
fn parse_divisor(value: &Value) -> Result<Box<Number>, InvalidKeyword> {
    let divisor = parse_number(value)?;
    let is_known = Number::small(1).is_multiple_of(&divisor).is_some();
    let is_positive = divisor.order(&Number::small(0)).is_gt();
    if is_known && is_positive { Ok(divisor) } else { Err(InvalidKeyword) }
}

/// A whole number that is not negative; `2.0` is one, and a number too large for a count has no effect.
fn parse_count(value: &Value) -> Result<u64, InvalidKeyword> {
    let number = value.as_number().ok_or(InvalidKeyword)?;
    if let Some(count) = number.as_u64() {
        return Ok(count);
    }
    if !number.is_integer() || number.order(&Number::small(0)).is_lt() {
        return Err(InvalidKeyword);
    }
    let is_small = number.order(&Number::from(u64::from(u32::MAX))).is_lt();
    let near = number.as_f64().filter(|_| is_small);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is whole, not negative and of 32 bits"
    )]
    Ok(near.map_or(u64::MAX, |near| near as u64))
}

/// Keywords that do not restrict values, and keywords that are read together with others.
const SILENT: [&str; 21] = [
    "$comment",
    "$defs",
    "$schema",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "else",
    "example",
    "examples",
    "externalDocs",
    "maxContains",
    "minContains",
    "readOnly",
    "then",
    "title",
    "writeOnly",
    "xml",
];
/// The most levels of nested schemas; deeper ones are reported and not applied. Texts end at a depth of 128.
const DEEPEST: usize = 200;
