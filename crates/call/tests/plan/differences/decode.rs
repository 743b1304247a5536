//! Reads the value back from the bytes of a request, by the style tables of the specification (OpenAPI 3.1.1 §4.8.12.6, Swagger
//! 2.0 `collectionFormat`, RFC 6570, RFC 7578). It uses nothing of the code that writes.

use crate::prelude::*;

use super::{
    case::{Case, Kind, Place, Schema, Version},
    parts::{Part, parts},
};

/// The value that a service reads; `None` if the request has no trace of it.
pub(crate) fn decoded(
    case: &Case,
    schema: &Schema,
    request: &http::Request<Bytes>,
) -> Result<Option<Value>, String> {
    let (style, explode) = case.style();
    let reader =
        Reader { style, explode, formats: formats(case), is_form: case.version != Version::V2 };
    let body = || std::str::from_utf8(request.body()).map_err(|error| error.to_string());
    match case.place {
        Place::Cookie => {
            let text = header(request, "cookie")?;
            let escaping = if style == "cookie" { Escaping::None } else { Escaping::Form };
            text.map_or(Ok(None), |text| reader.of_pairs(schema, split(&text, "; "), escaping))
        }
        Place::Form => {
            let mut pairs = split(body()?, "&");
            take_sibling(case, &mut pairs);
            reader.of_pairs(schema, pairs, Escaping::Form)
        }
        Place::Header => header(request, "color")?
            .map(|text| reader.one(schema, text.trim_matches([' ', '\t']), Escaping::None))
            .transpose(),
        Place::JsonMember => json_member(body()?),
        Place::Part => {
            let mut parts = parts(request)?;
            take_sibling(case, &mut parts);
            reader.of_parts(schema, &parts)
        }
        Place::Path => {
            let raw = request.uri().path().strip_prefix("/v1/").ok_or("another path")?;
            reader.of_segment(schema, raw).map(Some)
        }
        Place::Query => reader.of_pairs(
            schema,
            split(request.uri().query().unwrap_or_default(), "&"),
            Escaping::Form,
        ),
        Place::QuerystringForm if !matches!(schema.kind, Kind::Map(_) | Kind::Object(_)) => {
            request.uri().query().map(|query| Ok(leaf(schema, &percent(query)?))).transpose()
        }
        Place::QuerystringForm => {
            let all = Reader { style: "form", explode: true, ..reader };
            all.of_pairs(
                schema,
                split(request.uri().query().unwrap_or_default(), "&"),
                Escaping::Form,
            )
        }
        Place::QuerystringJson => {
            request.uri().query().map(|query| json(&percent(query)?)).transpose()
        }
    }
}

/// A pair or a part that has a name.
trait Named {
    fn name(&self) -> &str;
}

impl Named for Pair<'_> {
    fn name(&self) -> &str {
        self.0
    }
}

impl Named for Part {
    fn name(&self) -> &str {
        &self.name
    }
}

/// Takes out the other member of a body.
fn take_sibling(case: &Case, all: &mut Vec<impl Named>) {
    if case.has_sibling
        && let Some(at) = all.iter().position(|one| one.name() == "sibling")
    {
        all.remove(at);
    }
}

/// The escaping of texts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Escaping {
    /// Percent-encoding; a plus sign is a space.
    Form,
    None,
    Percent,
}

impl Escaping {
    fn read(self, raw: &str) -> Result<String, String> {
        match self {
            Self::Form => percent(&raw.replace('+', "%20")),
            Self::None => Ok(raw.to_owned()),
            Self::Percent => percent(raw),
        }
    }
}

/// A name and a text, as they are written.
pub(super) type Pair<'a> = (&'a str, &'a str);

/// Reads values of a style.
#[derive(Clone, Copy)]
pub(super) struct Reader {
    pub(super) style: &'static str,
    pub(super) explode: bool,
    /// The formats of a list and of the lists in it, in Swagger 2.0.
    pub(super) formats: &'static str,
    /// True if structures may be JSON, which version 2.0 has not.
    pub(super) is_form: bool,
}

fn formats(case: &Case) -> &'static str {
    if case.version == Version::V2 { case.style.unwrap_or("csv") } else { "" }
}

fn header(request: &http::Request<Bytes>, name: &str) -> Result<Option<String>, String> {
    let Some(value) = request.headers().get(name) else { return Ok(None) };
    String::from_utf8(value.as_bytes().to_vec()).map(Some).map_err(|error| error.to_string())
}

fn json_member(body: &str) -> Result<Option<Value>, String> {
    if body.is_empty() {
        return Ok(None);
    }
    Ok(json(body)?.get("color").cloned())
}

fn split<'a>(text: &'a str, separator: &str) -> Vec<Pair<'a>> {
    let pairs = text.split(separator).filter(|pair| !pair.is_empty());
    pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect()
}

impl Reader {
    /// The value in pairs: those of its name, or those of its members.
    pub(super) fn of_pairs(
        &self,
        schema: &Schema,
        pairs: Vec<Pair<'_>>,
        escaping: Escaping,
    ) -> Result<Option<Value>, String> {
        if self.style == "deepObject" {
            return deep(schema, &pairs, escaping);
        }
        if self.explode && matches!(schema.kind, Kind::Map(_) | Kind::Object(_)) {
            // The sibling of a body is no member of the value.
            return self.members_apart(schema, &pairs, escaping);
        }
        let mut own = Vec::new();
        for (name, text) in pairs {
            if escaping.read(name)? == "color" {
                own.push(text);
            }
        }
        match (&schema.kind, own.as_slice()) {
            (_, []) => Ok(None),
            (Kind::List(_) | Kind::Tuple(_), all) if self.explode || self.style.is_empty() => {
                let inner = self.formats.split_once(' ').map_or("", |(_, inner)| inner);
                list(schema, all, |item, text| self.item(item, text, inner, escaping)).map(Some)
            }
            (_, [text]) => self.one(schema, text, escaping).map(Some),
            (_, several) => Err(format!("{} values", several.len())),
        }
    }

    fn members_apart(
        &self,
        schema: &Schema,
        pairs: &[Pair<'_>],
        escaping: Escaping,
    ) -> Result<Option<Value>, String> {
        let mut members = Object::new();
        for (name, text) in pairs {
            let name = escaping.read(name)?;
            let own = member(schema, &name);
            let is_list = own.item(0).is_some() && self.style != "matrix";
            if is_list {
                let list = members.entry(name).or_insert_with(|| Value::Array(Vec::new()));
                let list = list.as_array_mut().ok_or("no list")?;
                let item = own.item(list.len()).ok_or("no list")?;
                list.push(leaf(&item, &escaping.read(text)?));
            } else if members.insert(name.clone(), leaf(&own, &escaping.read(text)?)).is_some() {
                return Err(format!("`{name}` twice"));
            }
        }
        Ok((!members.is_empty()).then_some(Value::Object(members)))
    }

    /// The value of one text.
    pub(super) fn one(
        &self,
        schema: &Schema,
        raw: &str,
        escaping: Escaping,
    ) -> Result<Value, String> {
        let is_escaped = escaping != Escaping::None;
        match &schema.kind {
            _ if self.style == "content" => json(&escaping.read(raw)?),
            Kind::List(_) | Kind::Tuple(_) if !self.formats.is_empty() => {
                self.item(schema, raw, self.formats, escaping)
            }
            _ if self.style.is_empty() => Ok(leaf(schema, &escaping.read(raw)?)),
            Kind::List(_) | Kind::Tuple(_) => {
                let texts: Vec<&str> = raw.split(self.separator(is_escaped)).collect();
                list(schema, &texts, |item, text| Ok(leaf(item, &escaping.read(text)?)))
            }
            Kind::Map(_) | Kind::Object(_) => {
                let pieces: Vec<&str> = raw.split(self.separator(is_escaped)).collect();
                let pairs = if self.explode { apart(&pieces) } else { in_turn(&pieces)? };
                let member = |(name, text): Pair<'_>| {
                    let name = escaping.read(name)?;
                    let value = leaf(&member(schema, &name), &escaping.read(text)?);
                    Ok((name, value))
                };
                pairs.into_iter().map(member).collect::<Result<Object, String>>().map(Value::Object)
            }
            _ => Ok(leaf(schema, &escaping.read(raw)?)),
        }
    }

    /// An item of a list of lists in Swagger 2.0; `formats` are the formats of the item and the lists in it.
    fn item(
        &self,
        schema: &Schema,
        raw: &str,
        formats: &str,
        escaping: Escaping,
    ) -> Result<Value, String> {
        if self.is_form || schema.item(0).is_none() {
            return Ok(leaf(schema, &escaping.read(raw)?));
        }
        let (own, inner) = formats.split_once(' ').unwrap_or((formats, ""));
        let is_escaped = escaping != Escaping::None;
        let style = if own.is_empty() { "csv" } else { own };
        let texts: Vec<&str> = raw.split(separator(style, is_escaped)).collect();
        list(schema, &texts, |item, text| self.item(item, text, inner, escaping))
    }

    fn separator(&self, is_escaped: bool) -> &'static str {
        separator(self.style, is_escaped)
    }

    fn of_segment(&self, schema: &Schema, raw: &str) -> Result<Value, String> {
        let is_apart = self.explode && !is_single(schema);
        match self.style {
            "label" => {
                let raw = raw.strip_prefix('.').ok_or("no dot")?;
                let joint = if is_apart { "." } else { "," };
                // The dot separates as the comma does in the others.
                let raw = if joint == "." { raw.replace('.', ",") } else { raw.to_owned() };
                self.one(schema, &raw, Escaping::Percent)
            }
            "matrix" if is_apart => {
                let pairs = split(raw.strip_prefix(';').ok_or("no semicolon")?, ";");
                let read = self.of_pairs(schema, pairs, Escaping::Percent)?;
                read.ok_or_else(|| "nothing".to_owned())
            }
            "matrix" => {
                let raw = raw.strip_prefix(";color").ok_or("no name")?;
                Self { explode: false, ..*self }.one(
                    schema,
                    raw.strip_prefix('=').unwrap_or(raw),
                    Escaping::Percent,
                )
            }
            _ => self.one(schema, raw, Escaping::Percent),
        }
    }
}

fn separator(style: &str, is_escaped: bool) -> &'static str {
    match (style, is_escaped) {
        ("spaceDelimited" | "ssv", true) => "%20",
        ("spaceDelimited" | "ssv", false) => " ",
        ("pipeDelimited" | "pipes", true) => "%7C",
        ("pipeDelimited" | "pipes", false) => "|",
        ("tsv", true) => "%09",
        ("tsv", false) => "\t",
        _ => ",",
    }
}

/// The schema of a member.
fn member(schema: &Schema, name: &str) -> Schema {
    match &schema.kind {
        Kind::Map(other) => (**other).clone(),
        Kind::Object(members) => members
            .iter()
            .find(|member| member.name == name)
            .map_or_else(|| Schema::of(Kind::Any), |member| member.schema.clone()),
        _ => Schema::of(Kind::Any),
    }
}

/// Members as `name=text`.
fn apart<'a>(pieces: &[&'a str]) -> Vec<Pair<'a>> {
    pieces.iter().map(|piece| piece.split_once('=').unwrap_or((piece, ""))).collect()
}

/// Members as a name and then a text.
fn in_turn<'a>(pieces: &[&'a str]) -> Result<Vec<Pair<'a>>, String> {
    let (chunks, []) = pieces.as_chunks::<2>() else {
        return Err("an odd number of pieces".into());
    };
    Ok(chunks.iter().map(|[name, text]| (*name, *text)).collect())
}

fn is_single(schema: &Schema) -> bool {
    !matches!(schema.kind, Kind::List(_) | Kind::Map(_) | Kind::Object(_) | Kind::Tuple(_))
}

/// A list from the texts of its items.
fn list(
    schema: &Schema,
    texts: &[&str],
    read: impl Fn(&Schema, &str) -> Result<Value, String>,
) -> Result<Value, String> {
    let one = |(at, text): (usize, &&str)| read(&schema.item(at).ok_or("no list")?, text);
    texts.iter().enumerate().map(one).collect::<Result<_, _>>().map(Value::Array)
}

/// `color[a][0]=x`: names are read before brackets.
fn deep(schema: &Schema, pairs: &[Pair<'_>], escaping: Escaping) -> Result<Option<Value>, String> {
    let mut root = None;
    for (name, text) in pairs {
        let name = escaping.read(name)?;
        let Some(keys) = name.strip_prefix("color") else { continue };
        let mut keys = match keys.strip_prefix('[').and_then(|keys| keys.strip_suffix(']')) {
            Some(keys) => keys.split("][").collect::<Vec<_>>(),
            None if keys.is_empty() => Vec::new(),
            None => continue,
        }
        .into_iter();
        let mut here = root.get_or_insert(Value::Null);
        let mut own = schema.clone();
        for key in keys.by_ref() {
            let is_list = own.item(0).is_some();
            let item = own.item(key.parse().unwrap_or_default());
            own = item.unwrap_or_else(|| member(&own, key));
            here = below(here, key, is_list)?;
        }
        if *here != Value::Null {
            return Err(format!("`{name}` twice"));
        }
        *here = leaf(&own, &escaping.read(text)?);
    }
    Ok(root)
}

/// The value at a key, which is made if it is not there.
fn below<'a>(here: &'a mut Value, key: &str, is_list: bool) -> Result<&'a mut Value, String> {
    if here.is_null() {
        *here = if is_list { Value::Array(Vec::new()) } else { Value::Object(Object::new()) };
    }
    match here {
        Value::Array(items) => {
            let index: usize = key.parse().map_err(|_| format!("no index: {key}"))?;
            if index == items.len() {
                items.push(Value::Null);
            }
            items.get_mut(index).ok_or_else(|| format!("an index too high: {key}"))
        }
        Value::Object(members) => Ok(members.entry(key).or_insert(Value::Null)),
        _ => Err(format!("no place for {key}")),
    }
}

/// A text as a value of a schema: structures are JSON.
pub(super) fn leaf(schema: &Schema, text: &str) -> Value {
    match schema.kind {
        Kind::Text => text.into(),
        _ => Value::parse(text).unwrap_or_else(|_| text.into()),
    }
}

pub(super) fn json(text: &str) -> Result<Value, String> {
    Value::parse(text).map_err(|error| format!("{error}: {text}"))
}

fn percent(raw: &str) -> Result<String, String> {
    let text = percent_decode_str(raw).decode_utf8();
    text.map(std::borrow::Cow::into_owned).map_err(|error| error.to_string())
}
