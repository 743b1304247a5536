//! Descriptions made to cost more than they say, generated: small texts that ask for much. Used by the tests of the
//! parser and by those of the command.

#![expect(clippy::needless_pass_by_value, reason = "a row is a literal")]

use std::fmt::Write as _;

use callgate_tool::{Object, Value, json};

/// A description and what it is called.
pub(crate) struct Hostile {
    pub(crate) name: &'static str,
    pub(crate) text: String,
}

/// All of them. Where an attack multiplies two numbers, both grow with `size`; 1,000 is the size of a real attack.
pub(crate) fn all(size: usize) -> Vec<Hostile> {
    let mut all = texts();
    all.extend(references(size));
    all.extend(products(size));
    all.extend(definitions(size));
    all.extend(wide(size));
    all
}

/// What hurts a reader of the text.
fn texts() -> Vec<Hostile> {
    let yaml =
        |rest: &str| format!("openapi: 3.1.0\nservers: [{{url: https://a.example}}]\n{rest}");
    let mut lists = "paths: {}\nx-a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..20 {
        let inner = vec![format!("*a{}", n - 1); 6].join(", ");
        writeln!(lists, "x-a{n}: &a{n} [{inner}]").unwrap();
    }
    let long =
        format!("paths: {{}}\nx-a: &a {}\nx-b:\n{}", "x".repeat(300_000), "- *a\n".repeat(70_000));
    let brackets = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let rows = r#""/a": {"get": {"summary": "A"}},"#.repeat(10_000);
    vec![
        hostile("alias bomb of lists", yaml(&lists)),
        hostile("alias bomb of one text", yaml(&long)),
        hostile("brackets in YAML", yaml(&format!("paths: {{}}\nx-a: {brackets}\n"))),
        hostile(
            "brackets in JSON",
            format!(r#"{{"openapi": "3.1.0", "paths": {{}}, "x-a": {brackets}}}"#),
        ),
        hostile("open brackets", yaml(&format!("paths: {{}}\nx-a: {}", "[".repeat(200_000)))),
        hostile(
            "keys that occur again",
            format!(
                r#"{{"openapi": "3.1.0", "servers": [{{"url": "https://a.example"}}], "paths": {{{rows} "/b": {{}}}}}}"#
            ),
        ),
        hostile("one long text", yaml(&format!("paths: {{}}\nx-a: {}\n", "x".repeat(8 << 20)))),
    ]
}

/// What hurts whoever follows references.
pub(crate) fn references(size: usize) -> Vec<Hostile> {
    let circles = [
        ("Self", to("Self")),
        ("A", to("B")),
        ("B", to("A")),
        ("List", json!({"type": "array", "items": to("List")})),
        ("All", json!({"allOf": [to("All"), {"type": "object"}]})),
        (
            "Tree",
            json!({"properties": {"next": to("Tree"), "depth": {"default": 1}}, "required": ["depth"]}),
        ),
    ];
    let paths =
        circles.iter().map(|(name, _)| (format!("/{name}"), json!({"post": operation(&to(name))})));
    let paths: Object = paths.collect();
    let schemas = circles.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    let chain = |link: fn(Value) -> Value, n: usize| {
        let end =
            json!({"type": "object", "properties": {"x": {"default": 1, "format": "binary"}}});
        one(&linked(n, end, |_, next| link(next)))
    };
    let plain = |next| next;
    let all_of = |next: Value| json!({"allOf": [next]});
    let property = |next: Value| json!({"properties": {"n": next}});
    let twice = |next: Value| json!({"properties": {"a": next, "b": next}});
    let all_twice = |next: Value| json!({"allOf": [next, next]});
    let fan = |next: Value| json!({"allOf": vec![json!({"allOf": [next]}); 10]});
    let fork = |next: Value| json!({"oneOf": vec![next; 10]});
    vec![
        hostile("circles", document(paths, schemas)),
        hostile("doubling 22", chain(twice, 22)),
        hostile("doubling 30", chain(twice, 30)),
        hostile("doubling allOf 30", chain(all_twice, 30)),
        hostile("fan of allOf", chain(fan, 12)),
        hostile("fan of oneOf", chain(fork, 12)),
        hostile("chain", chain(plain, size)),
        hostile("long chain", chain(plain, size * 10)),
        hostile("chain of allOf", chain(all_of, size * 10)),
        hostile("chain of properties", chain(property, size * 10)),
        hostile("operations × chain", {
            let schemas =
                linked(size * 5, json!({"type": "object"}), |_, next| json!({"allOf": [next]}));
            document(paths_of(size * 5, |_| json!({"post": operation(&to("N0"))})), schemas)
        }),
        hostile("operations × chain of parameters", {
            let end = json!({"name": "a", "in": "query", "schema": {"type": "string"}});
            let place = |n| format!("#/components/parameters/N{n}");
            let mut parameters: Object =
                (0..size).map(|n| (format!("N{n}"), json!({"$ref": place(n + 1)}))).collect();
            parameters.insert(format!("N{size}"), end);
            let get = json!({"get": {"summary": "A", "parameters": [{"$ref": place(0)}]}});
            with(paths_of(size * 10, |_| get.clone()), json!({"parameters": parameters}))
        }),
    ]
}

/// What hurts whoever does for each operation what is the same for all.
pub(crate) fn products(size: usize) -> Vec<Hostile> {
    let object = |property: Value| {
        let properties = named(size * 5, "p", |_| property.clone());
        let schema = json!({"type": "object", "required": ["p0"], "properties": properties});
        let paths = paths_of(size * 5, |_| json!({"post": operation(&to("Big"))}));
        document(paths, Object::from_iter([("Big".to_owned(), schema)]))
    };
    let parameter = |rest: Value| {
        let mut parameter = json!({"name": "a", "in": "query"});
        parameter.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        shared(size * 10, json!({"parameters": [parameter], "get": {"summary": "A"}}))
    };
    let long = "x".repeat(size * 1000);
    let values: Vec<String> = (0..size * 100).map(|n| format!("v{n}")).collect();
    let media = named(size * 2, "application/x", |_| json!({"schema": {"type": "object"}}));
    let item = json!({"post": {"summary": "A", "requestBody": {"content": media}}});
    let names = json!({"parameters": [{"name": "x".repeat(size * 100), "in": "nowhere"}],
        "get": {"operationId": "\u{430}\u{202e}".repeat(size * 100), "tags": vec!["t"; size]}});
    let mut products = vec![
        hostile("operations × properties", object(json!({"type": "string"}))),
        hostile("operations × defaults", object(json!({"type": "string", "default": "x"}))),
        hostile("operations × missing", object(json!({"$ref": "#/nothing"}))),
        hostile("operations × bad keywords", object(json!({"type": "bogus"}))),
        hostile("operations × files", object(json!({"type": "string", "format": "binary"}))),
        hostile("operations × values", parameter(json!({"schema": {"enum": values}}))),
        hostile(
            "operations × long text",
            parameter(json!({"description": long, "schema": {"default": long}})),
        ),
        hostile("operations × media types", shared(size * 10, item)),
        hostile("operations × long names", shared(size * 10, names)),
    ];
    products.extend(lists(size));
    products
}

/// What hurts whoever builds for each operation the definitions they share.
pub(crate) fn definitions(size: usize) -> Vec<Hostile> {
    let shared = |schema: Value| {
        let paths = paths_of(size * 5, |_| json!({"post": operation(&to("Big"))}));
        // Not a plain object: its properties are no arguments.
        document(
            paths,
            Object::from_iter([
                ("Big".to_owned(), json!({"type": "array", "items": to("One")})),
                ("One".to_owned(), schema),
            ]),
        )
    };
    let properties = |property: Value| json!({"type": "object", "properties": named(size * 5, "p", |_| property.clone())});
    let values: Vec<String> = (0..size * 100).map(|n| format!("v{n}")).collect();
    let branches = (0..size * 5).map(|n| {
        (format!("B{n}"), json!({"type": "object", "properties": {"k": {"type": "string"}}}))
    });
    let mut unions: Object = branches.collect();
    let one_of: Vec<Value> = unions.keys().map(|name| to(name)).collect();
    let union = json!({"oneOf": one_of, "discriminator": {"propertyName": "k"}});
    unions.insert("Union".to_owned(), union);
    let chain = linked(size * 5, json!({"type": "object"}), |_, next| json!({"allOf": [next]}));
    vec![
        hostile("operations × shared values", shared(json!({"enum": values}))),
        hostile(
            "operations × shared text",
            shared(json!({"description": "x".repeat(size * 1000)})),
        ),
        hostile("operations × shared properties", shared(properties(json!({"format": "binary"})))),
        hostile("operations × shared missing", shared(properties(json!({"$ref": "#/nothing"})))),
        hostile(
            "operations × branches",
            document(paths_of(size * 5, |_| json!({"post": operation(&to("Union"))})), unions),
        ),
        hostile(
            "operations × starts of a chain",
            document(
                paths_of(size * 5, |n| json!({"post": operation(&to(&format!("N{n}")))})),
                chain,
            ),
        ),
    ]
}

/// Lists that operations share.
fn lists(size: usize) -> Vec<Hostile> {
    let get = json!({"summary": "A"});
    let bad = |n: usize| {
        if n.is_multiple_of(2) { json!(7) } else { json!({"name": "a", "in": "nowhere"}) }
    };
    let bad: Vec<Value> = (0..size).map(bad).collect();
    let good =
        |n: usize| json!({"name": format!("a{n}"), "in": "query", "schema": {"type": "string"}});
    let good: Vec<Value> = (0..size).map(good).collect();
    let needs: Vec<Value> = (0..size * 10).map(|n| json!({format!("s{n}"): []})).collect();
    let schemes = named(
        size * 10,
        "s",
        |n| json!({"type": "apiKey", "in": "header", "name": format!("X-{n}")}),
    );
    let variables = named(size * 100, "v", |_| json!({"default": "x"}));
    let url: String = (0..size * 100).map(|n| format!("{{v{n}}}")).collect();
    let servers = json!([{"url": format!("https://a.example/{url}"), "variables": variables}]);
    let paths = paths_of(size, |_| json!({"get": {"summary": "A"}}));
    let with_schemes = with(paths, json!({"securitySchemes": schemes}));
    let mut with_schemes = Value::parse(&with_schemes).unwrap();
    with_schemes["security"] = json!(needs);
    let n = size * 10;
    vec![
        hostile("operations × bad parameters", shared(n, json!({"parameters": bad, "get": get}))),
        hostile("operations × parameters", shared(n, json!({"parameters": good, "get": get}))),
        hostile(
            "operations × server variables",
            shared(n, json!({"servers": servers, "get": get})),
        ),
        hostile("operations × security schemes", with_schemes.to_string()),
        hostile(
            "operations × unknown security schemes",
            shared(n, json!({"get": {"summary": "A", "security": needs}})),
        ),
    ]
}

/// What hurts because there is so much of it in one place.
pub(crate) fn wide(size: usize) -> Vec<Hostile> {
    let many = |n: usize| paths_of(n, |_| json!({"get": {"summary": "A"}}));
    let branches = size * 5;
    let mut schemas: Object = (0..branches)
        .map(|n| {
            (format!("B{n}"), json!({"type": "object", "properties": {"k": {"type": "string"}}}))
        })
        .collect();
    let mapping: Object = (0..branches)
        .map(|n| (format!("m{n}"), json!(format!("#/components/schemas/B{n}"))))
        .collect();
    let one_of: Vec<Value> = (0..branches).map(|n| to(&format!("B{n}"))).collect();
    schemas.insert(
        "N0".to_owned(),
        json!({"oneOf": one_of, "discriminator": {"propertyName": "k", "mapping": mapping}}),
    );
    let names: Vec<String> = (0..size * 20).map(|n| format!("p{n}")).collect();
    let properties: Object = names
        .iter()
        .map(|name| (name.clone(), json!({"type": "string", "pattern": "^(a+)+$"})))
        .collect();
    let required = json!({"type": "object", "required": names, "properties": properties});
    let query = |schema: Value| json!({"name": format!("q{}", schema.to_string().len()), "in": "query", "schema": schema});
    let patterns = ["(a{1000}){1000}".repeat(10), "(".repeat(size * 100), "a|".repeat(size * 500)];
    let patterns: Vec<Value> =
        patterns.iter().map(|pattern| query(json!({"pattern": pattern}))).collect();
    let long = format!("/{}", "a".repeat(size * 100));
    let variables: Vec<String> = (0..size * 10).map(|n| format!("{{v{n}}}")).collect();
    vec![
        hostile("operations", document(many(size * 100), Object::new())),
        hostile("oneOf with discriminator", one(&schemas)),
        hostile("required properties", one(&Object::from_iter([("N0".to_owned(), required)]))),
        hostile("patterns", document(Object::from_iter([("/a".to_owned(), json!({"get": {"summary": "A", "parameters": patterns}}))]), Object::new())),
        hostile("long paths", document((0..100).map(|n| (format!("{long}{n}"), json!({"get": {"summary": "A", "parameters": vec![7; 100]}}))).collect(), Object::new())),
        hostile("path variables", document(Object::from_iter([(format!("/{}", variables.join("/")), json!({"get": {"summary": "A"}}))]), Object::new())),
        hostile("spoofed names", document([
            ("/../../etc/passwd", json!({"get": {"operationId": "../../etc/passwd"}})),
            ("/a", json!({"get": {"operationId": "p\u{430}y\u{202e}", "summary": "a\u{202e}b\u{200b}"}})),
            ("/b", json!({"get": {"operationId": "pay", "summary": "A"}})),
            ("/c", json!({"get": {"operationId": "pay", "summary": "A"}})),
        ].map(|(path, item)| (path.to_owned(), item)).into_iter().collect(), Object::new())),
    ]
}

fn hostile(name: &'static str, text: String) -> Hostile {
    Hostile { name, text }
}

/// A reference to a schema.
fn to(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// An operation that is asked and answers with a schema, as an object of JSON and as a form.
fn operation(schema: &Value) -> Value {
    let content =
        json!({"application/json": {"schema": schema}, "multipart/form-data": {"schema": schema}});
    json!({"summary": "A", "requestBody": {"content": content}, "responses": {"200": {"content": content}}})
}

/// The schemas `N0` to `Nn`, each of which is made of the next one.
fn linked(n: usize, end: Value, link: impl Fn(usize, Value) -> Value) -> Object {
    let mut schemas: Object =
        (0..n).map(|at| (format!("N{at}"), link(at, to(&format!("N{}", at + 1))))).collect();
    schemas.insert(format!("N{n}"), end);
    schemas
}

/// A description of this many paths, which share one path item.
fn shared(n: usize, item: Value) -> String {
    let paths = paths_of(n, |_| json!({"$ref": "#/components/pathItems/X"}));
    with(paths, json!({"pathItems": {"X": item}}))
}

/// This many members, each with a number after its name.
pub(crate) fn named(n: usize, name: &str, value: impl Fn(usize) -> Value) -> Object {
    (0..n).map(|n| (format!("{name}{n}"), value(n))).collect()
}

fn paths_of(n: usize, item: impl Fn(usize) -> Value) -> Object {
    (0..n).map(|at| (format!("/p{at}"), item(at))).collect()
}

/// A description of one operation, whose schema is `N0`.
fn one(schemas: &Object) -> String {
    let paths = Object::from_iter([("/a".to_owned(), json!({"post": operation(&to("N0"))}))]);
    document(paths, schemas.clone())
}

fn document(paths: Object, schemas: Object) -> String {
    with(paths, json!({"schemas": schemas}))
}

fn with(paths: Object, components: Value) -> String {
    json!({"openapi": "3.1.0", "info": {"title": "Hostile", "version": "1"}, "servers": [{"url": "https://a.example"}],
        "paths": paths, "components": components})
    .to_string()
}
