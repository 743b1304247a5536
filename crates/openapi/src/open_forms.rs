//! Reports parameters whose declared values nest deeper than their style describes: the specification leaves the form of
//! such values open, and `call` writes each in one form (its table `open-cases.md`). Values are not seen here.

use callgate_tool::Value;

use crate::{
    blueprint::InputOrigin,
    code::Code,
    findings::Findings,
    input::{Input, InputLocation, Style, Styled},
    keys::{Members, SchemaRoot},
};

pub(crate) fn report_unspecified_forms(
    inputs: &[Input],
    origins: &[InputOrigin],
    schema: SchemaRoot<'_>,
    findings: &mut Findings,
) {
    let properties = schema.own_schema().get("properties");
    for (input, origin) in inputs.iter().zip(origins) {
        let own = properties.and_then(|properties| properties.get(input.argument.as_str()));
        let Some((styled, own)) = input.placement.parameter_style().zip(own) else { continue };
        let Some(at) = origin.schema.as_ref().map(|origin| &*origin.pointer) else { continue };
        let open = unspecified_value_forms(input, styled, own, schema);
        let at = at.strip_suffix("/schema").unwrap_or(at);
        let Some(first) = open.first() else {
            if has_unstated_form(input, styled, origin)
                && declared_nesting(own, schema) == Some(Nesting::Object)
            {
                report_unstated_form(input, at, findings);
            }
            continue;
        };
        let more = match open.len() {
            1 => String::new(),
            n => format!(", and {} more like it", n - 1),
        };
        let message = format!(
            "expected a value whose form the style `{}` describes, got {first}{more}",
            style_word(styled.style)
        );
        let help = "nothing, if the service reads it so; else describe the parameter as the service reads it";
        findings.note(Code::UndefinedForm, at, message, help);
    }
}

/// True for a parameter of the query whose form the description does not state. An object is then sent as a key for each member
/// (OpenAPI 3.1.1 §4.8.12.2.1), and frameworks that leave `style` out read something else.
fn has_unstated_form(input: &Input, styled: &Styled, origin: &InputOrigin) -> bool {
    let says =
        |keyword| origin.described_by.as_ref().is_some_and(|node| node.get(keyword).is_some());
    let is_usual = styled.style == Style::Form && styled.explode;
    is_usual && input.place() == InputLocation::Query && !says("style") && !says("explode")
}

fn report_unstated_form(input: &Input, at: &str, findings: &mut Findings) {
    let name = &*input.name;
    let message = format!(
        "expected a `style` for the object `{name}`, got none: each member is sent as a key of its own"
    );
    let help = format!(
        "nothing, if the service reads it so; else set `style: deepObject` by an overlay where it reads `{name}[member]=…`, or \
         `content: {{application/json: …}}` in place of `schema` where it reads JSON"
    );
    findings.note(Code::UndefinedForm, at, message, &help);
}

fn unspecified_value_forms<'a>(
    input: &Input,
    styled: &Styled,
    own: &'a Value,
    root: SchemaRoot<'a>,
) -> Vec<String> {
    let name = &*input.name;
    match (declared_nesting(own, root), styled.style) {
        (Some(Nesting::List), Style::DeepObject) => {
            vec![format!("a list, which is written as `{name}[0]=…`")]
        }
        // Swagger 2.0 describes lists of lists.
        (Some(Nesting::List), _) if !styled.items.is_empty() => Vec::new(),
        (Some(Nesting::List), _) => unspecified_items_form(own, root).into_iter().collect(),
        (Some(Nesting::Object), _) => {
            let mut members = Members::new(root);
            members.gather_members(Some(own));
            let member_schemas = members.declared.into_iter();
            member_schemas
                .filter_map(|(member, own)| {
                    Some(unspecified_member_form(
                        name,
                        member,
                        styled,
                        declared_nesting(own, root)?,
                    ))
                })
                .collect()
        }
        (None, _) => Vec::new(),
    }
}

fn unspecified_items_form<'a>(list: &'a Value, root: SchemaRoot<'a>) -> Option<String> {
    let items = root.first_match(list, &|schema| schema.get("items"), &mut { MOST_VISITED })?;
    let noun = declared_nesting(items, root)?.noun();
    Some(format!("{noun} in a list, which is written as JSON"))
}

fn unspecified_member_form(name: &str, member: &str, styled: &Styled, nesting: Nesting) -> String {
    let noun = nesting.noun();
    let form = match (styled.style, nesting) {
        (Style::DeepObject, Nesting::List) => format!("`{name}[{member}][0]=…`"),
        (Style::DeepObject, Nesting::Object) => format!("`{name}[{member}][…]=…`"),
        (Style::Form, Nesting::List) if styled.explode => format!("`{member}=…&{member}=…`"),
        _ => "JSON".to_owned(),
    };
    format!("{noun} below an object, `{member}`, which is written as {form}")
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Nesting {
    List,
    Object,
}

impl Nesting {
    fn noun(self) -> &'static str {
        match self {
            Self::List => "a list",
            Self::Object => "an object",
        }
    }
}

/// The kind of values with parts that a schema declares, by its type or by the keywords about their parts.
fn declared_nesting<'a>(schema: &'a Value, root: SchemaRoot<'a>) -> Option<Nesting> {
    let find = |kind: &str, keyword: &str| {
        let declares = |schema: &Value| match schema.get("type") {
            Some(Value::String(own)) => own == kind,
            Some(Value::Array(own)) => own.iter().any(|own| own == kind),
            _ => schema.get(keyword).is_some(),
        };
        let wanted = |schema| declares(schema).then_some(schema);
        root.first_match(schema, &wanted, &mut { MOST_VISITED }).is_some()
    };
    if find("array", "items") {
        return Some(Nesting::List);
    }
    find("object", "properties").then_some(Nesting::Object)
}

/// The style in the words of the specification; Swagger 2.0 calls the last ones by their formats.
fn style_word(style: Style) -> &'static str {
    match style {
        Style::Cookie => "cookie",
        Style::DeepObject => "deepObject",
        Style::Form => "form",
        Style::Label => "label",
        Style::Matrix => "matrix",
        Style::PipeDelimited => "pipeDelimited",
        Style::Simple => "simple",
        Style::SpaceDelimited => "spaceDelimited",
        Style::TabDelimited => "tsv",
    }
}

/// The number of schemas that are visited for one value. Real parameters have fewer than twenty.
const MOST_VISITED: usize = 200;

#[cfg(test)]
mod tests {
    use callgate_testkit::rows;
    use callgate_tool::{Value, json};

    use crate::{Document, Limits, LoadOptions, load};

    /// The messages of the findings about a parameter of this style and schema.
    fn messages(place: &str, style: &str, schema: &Value) -> Vec<String> {
        let styled = if style.is_empty() { String::new() } else { format!("style: {style}, ") };
        let required = if place == "path" { "required: true, " } else { "" };
        let text = format!(
            "openapi: 3.1.0\nservers: [{{url: https://api.example.com}}]\npaths: {{'/a/{{p}}': {{get: {{summary: A, parameters: [{{name: p, in: {place}, {required}{styled}schema: {schema}}}]}}}}}}
components: {{schemas: {{Sort: {{type: array, items: {{type: string}}}}}}}}"
        );
        let document = Document::read(text.as_bytes(), &Limits::default()).unwrap().value;
        let report = load(&document, &LoadOptions::default()).with_schema_findings().report;
        let found =
            report.diagnostics.into_iter().filter(|found| found.code == crate::Code::UndefinedForm);
        found.map(|found| format!("{} {}", found.pointer, found.message)).collect()
    }

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
    fn check(place: &str, style: &str, schema: Value, expected: &str) {
        let found = messages(place, style, &schema);
        let pointer = "/paths/~1a~1{p}/get/parameters/0 expected a value whose form the style";
        let expected: Vec<_> = Some(expected).filter(|text| !text.is_empty()).into_iter().collect();
        let expected: Vec<_> = expected.iter().map(|text| format!("{pointer} {text}")).collect();
        assert_eq!(found, expected, "{schema}");
    }

    #[test]
    fn a_value_below_the_parts_that_a_style_describes_is_reported_with_its_form() {
        let list = json!({"$ref": "#/components/schemas/Sort"});
        let object = |member: &Value| json!({"type": "object", "properties": {"size": {"type": "integer"}, "sort": member}});
        let nested = object(&json!({"properties": {"b": {}}}));
        let of_objects = json!({"type": "array", "items": {"type": "object"}});
        let of_lists = json!({"type": "array", "items": list});
        for [place, style, got, form] in rows(
            r"
            query => form => a list below an object, `sort` => `sort=…&sort=…`
            query => form => an object below an object, `sort` => JSON
            query => deepObject => a list below an object, `sort` => `p[sort][0]=…`
            query => deepObject => an object below an object, `sort` => `p[sort][…]=…`
            query => deepObject => a list => `p[0]=…`
            query => form => an object in a list => JSON
            path => simple => a list below an object, `sort` => JSON
            header => simple => a list in a list => JSON
            ",
        ) {
            let schema = match got {
                "a list" => list.clone(),
                "a list below an object, `sort`" => object(&list),
                "a list in a list" => of_lists.clone(),
                "an object in a list" => of_objects.clone(),
                _ => nested.clone(),
            };
            let expected = format!("`{style}` describes, got {got}, which is written as {form}");
            check(place, if style == "deepObject" { style } else { "" }, schema, &expected);
        }
        let two = json!({"type": "object", "properties": {"a": list, "b": list, "c": nested}});
        let expected = "`form` describes, got a list below an object, `a`, which is written as `a=…&a=…`, and 2 more like it";
        check("query", "", two, expected);
    }

    #[test]
    fn a_form_that_many_parameters_leave_open_is_reported_once_with_their_number() {
        let sort = "{name: sort, in: query, schema: {type: array, items: {type: object}}}";
        let text = format!(
            "openapi: 3.1.0\nservers: [{{url: https://api.example.com}}]\npaths:\n  /a: {{get: {{summary: A, parameters: [{sort}]}}, put: {{summary: B, parameters: [{sort}]}}}}\n  /b: {{get: {{summary: C, parameters: [{sort}]}}}}\n"
        );
        let document = Document::read(text.as_bytes(), &Limits::default()).unwrap().value;
        let found =
            load(&document, &LoadOptions::default()).with_schema_findings().report.diagnostics;
        let found =
            found.iter().map(|one| (one.code.as_str(), one.operation.as_deref(), one.n_more));
        let found: Vec<_> = found.collect();
        assert_eq!(found, [("undefined-form", Some("GET /a"), 2)]);
    }

    #[test]
    fn a_value_that_its_style_describes_is_not_reported() {
        for schema in [
            json!({"type": "array", "items": {"type": "string"}}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}}),
            json!({"type": "object", "properties": {"a": {"type": "array", "readOnly": true, "items": {}}}}),
            json!({"type": "string"}),
            json!({}),
        ] {
            check("query", "form", schema.clone(), "");
            check("path", "", schema, "");
        }
    }

    #[test]
    fn an_object_in_a_query_without_a_style_is_reported() {
        let filter = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let either = json!({"anyOf": [filter, {"type": "null"}]});
        let expected = "/paths/~1a~1{p}/get/parameters/0 expected a `style` for the object `p`, got none: \
                        each member is sent as a key of its own";
        for schema in [&filter, &either, &json!({"type": "object"})] {
            assert_eq!(messages("query", "", schema), [expected], "{schema}");
            assert_eq!(messages("query", "form", schema), [""; 0], "{schema}");
            assert_eq!(messages("query", "deepObject", schema), [""; 0], "{schema}");
            assert_eq!(messages("path", "", schema), [""; 0], "{schema}");
        }
        assert_eq!(messages("query", "", &json!({"type": "array", "items": {}})), [""; 0]);
    }
}
