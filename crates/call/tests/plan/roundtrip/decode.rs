//! Reads parameters back by the style tables of the specification (OpenAPI 3.0.4 §4.7.12.6, RFC 6570).

use crate::prelude::*;

/// What a schema says of a value: enough to read it back.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Shape {
    List,
    Object,
    Single,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) place: &'static str,
    pub(super) style: &'static str,
    pub(super) explode: bool,
    pub(super) shape: Shape,
    /// The JSON type of single values.
    pub(super) kind: &'static str,
}

impl Row {
    /// The value of the parameter `color`.
    pub(super) fn decoded(&self, request: &http::Request<Bytes>) -> Option<Value> {
        match self.place {
            "path" => self.path(request.uri().path().strip_prefix("/v1/")?),
            "query" => self.pairs(request.uri().query()?, "&"),
            "cookie" => self.pairs(request.headers().get("cookie")?.to_str().ok()?, "; "),
            _ => {
                let bytes = request.headers().get("color")?.as_bytes();
                self.joined(std::str::from_utf8(bytes).ok()?, ",", '=', str::to_owned)
            }
        }
    }

    fn path(&self, raw: &str) -> Option<Value> {
        match self.style {
            "label" => {
                let joint = if self.explode { "." } else { "," };
                self.joined(raw.strip_prefix('.')?, joint, '=', percent)
            }
            "matrix" if self.explode && self.shape != Shape::Single => {
                self.spread(raw.strip_prefix(';')?.split(';'))
            }
            "matrix" => {
                let raw = raw.strip_prefix(";color")?;
                self.joined(raw.strip_prefix('=').unwrap_or(raw), ",", '=', percent)
            }
            _ => self.joined(raw, ",", '=', percent),
        }
    }

    fn pairs(&self, raw: &str, separator: &str) -> Option<Value> {
        if self.style == "deepObject" {
            return deep(raw);
        }
        if self.explode && self.shape != Shape::Single {
            return self.spread(raw.split(separator));
        }
        let joint = match self.style {
            "spaceDelimited" => "%20",
            "pipeDelimited" => "%7C",
            _ => ",",
        };
        let raw = raw.strip_prefix("color=")?;
        if self.shape == Shape::Single {
            return self.leaf(&percent(raw));
        }
        self.joined(raw, joint, '=', percent)
    }

    /// One parameter an item or member.
    fn spread<'a>(&self, pairs: impl Iterator<Item = &'a str>) -> Option<Value> {
        let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        if self.shape == Shape::List {
            return pairs
                .map(|(name, value)| (name == "color").then(|| self.leaf(&percent(value)))?)
                .collect::<Option<_>>()
                .map(Value::Array);
        }
        let member =
            |(name, value): (&str, &str)| Some((percent(name), self.leaf(&percent(value))?));
        pairs.map(member).collect::<Option<Object>>().map(Value::Object)
    }

    /// Items or members in one text.
    fn joined(
        &self,
        raw: &str,
        joint: &str,
        between: char,
        unescaped: fn(&str) -> String,
    ) -> Option<Value> {
        let leaf = |raw: &str| self.leaf(&unescaped(raw));
        let parts: Vec<&str> = raw.split(joint).collect();
        match self.shape {
            Shape::Single => leaf(raw),
            Shape::List => parts.into_iter().map(leaf).collect::<Option<_>>().map(Value::Array),
            Shape::Object if self.explode => {
                let member = |part: &str| {
                    let (name, value) = part.split_once(between)?;
                    Some((unescaped(name), leaf(value)?))
                };
                parts.into_iter().map(member).collect::<Option<Object>>().map(Value::Object)
            }
            Shape::Object => {
                let member = |pair: &[&str]| match *pair {
                    [name, value] => Some((unescaped(name), leaf(value)?)),
                    _ => None,
                };
                parts.chunks(2).map(member).collect::<Option<Object>>().map(Value::Object)
            }
        }
    }

    fn leaf(&self, text: &str) -> Option<Value> {
        leaf(self.kind, text)
    }
}

/// A text as the single value of a JSON type that it stands for.
pub(super) fn leaf(kind: &str, text: &str) -> Option<Value> {
    match kind {
        "string" => Some(Value::from(text)),
        _ => serde_json::from_str(text).ok(),
    }
}

/// A text without its percent-encoding; what is not UTF-8 then is no value.
pub(super) fn percent(raw: &str) -> String {
    percent_decode_str(raw).decode_utf8().map(std::borrow::Cow::into_owned).unwrap_or_default()
}

/// `color[a][0]=x` as the nested value of texts it stands for; all indexes being those of a list.
fn deep(raw: &str) -> Option<Value> {
    let mut root = Value::Null;
    for pair in raw.split('&') {
        let (path, value) = pair.split_once('=')?;
        let path = path.strip_prefix("color")?.replace("%5B", "\0").replace("%5D", "");
        let mut here = &mut root;
        for key in path.split('\0').skip(1).map(percent) {
            here = below(here, &key)?;
        }
        *here = Value::from(percent(value));
    }
    Some(root)
}

/// What stands at a key, which is made if it is not there.
fn below<'a>(here: &'a mut Value, key: &str) -> Option<&'a mut Value> {
    if here.is_null() {
        let is_list = key == "0";
        *here = if is_list { Value::Array(Vec::new()) } else { Value::Object(Object::new()) };
    }
    match here {
        Value::Array(items) => {
            let index: usize = key.parse().ok()?;
            if index == items.len() {
                items.push(Value::Null);
            }
            items.get_mut(index)
        }
        Value::Object(members) => Some(members.entry(key).or_insert(Value::Null)),
        _ => None,
    }
}
