//! Makes plans from descriptions and shows requests as text, for the tables of the other modules.

use crate::prelude::*;

/// The text of a file of the corpus, where there is one.
pub(crate) fn of_corpus(name: &str) -> Option<String> {
    callgate_testkit::corpus(name).map(|file| fs::read_to_string(file).unwrap())
}

/// The descriptions of the corpus with their paths, where there is one.
pub(crate) fn of_all_descriptions() -> Option<impl Iterator<Item = (String, String)>> {
    let manifest = Value::parse(&of_corpus("manifest.json")?).unwrap();
    let Value::Array(rows) = manifest else { panic!("no list: {manifest}") };
    Some(rows.into_iter().map(|row| {
        let path = row["path"].as_str().unwrap().to_owned();
        (path.clone(), of_corpus(&path).unwrap())
    }))
}

/// The plan of the only operation of a description.
pub(crate) fn plan(description: &str) -> Plan {
    plan_with(description, &LoadOptions::default())
}

/// The same under options.
pub(crate) fn plan_with(description: &str, options: &LoadOptions) -> Plan {
    let document = Document::read(description.as_bytes(), &Limits::default()).unwrap().value;
    let loaded = load(&document, options);
    let [operation] = &*loaded.operations else {
        panic!("not one operation: {:?}", loaded.report);
    };
    Plan::new(operation.clone())
}

/// The plan of one operation, told by its method, its path and what stands below it, as JSON.
pub(crate) fn operation(method: &str, path: &str, operation: Value) -> Plan {
    let mut operation = operation;
    if operation.get("responses").is_none() {
        operation["responses"] = json!({"200": {"description": "fine"}});
    }
    let mut item = Object::new();
    item.insert(method.to_owned(), operation);
    let mut paths = Object::new();
    paths.insert(path.to_owned(), Value::Object(item));
    plan(
        &json!({
            "openapi": "3.0.3", "info": {"title": "t", "version": "1"},
            "servers": [{"url": "https://api.example.com/v1"}], "paths": paths,
        })
        .to_string(),
    )
}

/// The plan of `GET /x` with these parameters.
pub(crate) fn with_parameters(parameters: Value) -> Plan {
    operation("get", "/x", json!({"parameters": parameters}))
}

/// The members of a JSON object.
pub(crate) fn members(value: Value) -> Object {
    match value {
        Value::Object(members) => members,
        other => panic!("not an object: {other}"),
    }
}

/// What became of a call.
pub(crate) struct Planned {
    pub(crate) result: Result<http::Request<Bytes>, Box<Fault>>,
    pub(crate) journal: Vec<Event>,
}

/// Plans a call without a session.
pub(crate) fn call(plan: &Plan, arguments: Value) -> Planned {
    call_in(plan, arguments, &Session::default())
}

/// Plans a call in a session.
pub(crate) fn call_in(plan: &Plan, arguments: Value, session: &Session) -> Planned {
    let arguments: Arguments = members(arguments);
    let mut journal = Journal::default();
    let result = plan.request(&arguments, session, &mut journal);
    Planned { result, journal: journal.events().to_vec() }
}

/// Plans a call whose arguments may name what `find` knows.
pub(crate) fn call_with(
    plan: &Plan,
    arguments: Value,
    find: &dyn Fn(&Handle) -> Option<StoredResult>,
) -> Planned {
    let mut journal = Journal::default();
    let (arguments, session) = (members(arguments), Session::default());
    let result = plan.request_with_stored_results(
        &arguments,
        &session,
        StoredResults::new(find),
        &mut journal,
    );
    Planned { result, journal: journal.events().to_vec() }
}

/// A value that is written as JSON.
pub(crate) fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

impl Planned {
    /// Checks the request that is sent.
    #[track_caller]
    pub(crate) fn sends(&self, expected: &str) {
        assert_eq!(self.shown(), expected);
    }

    /// Checks the problems for which nothing is sent.
    #[track_caller]
    pub(crate) fn is_refused(&self, expected: &str) {
        assert_eq!(self.problems(), expected);
    }

    /// The request line, headers without `accept`, and the body.
    #[track_caller]
    pub(crate) fn shown(&self) -> String {
        let request = match &self.result {
            Ok(request) => request,
            Err(fault) => panic!("{}: {:?}", fault.message, fault.problems),
        };
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        let mut shown = format!("{} {target}", request.method());
        for (name, value) in request.headers() {
            if name != "accept" {
                shown += &format!("\n{name}: {}", String::from_utf8_lossy(value.as_bytes()));
            }
        }
        if !request.body().is_empty() {
            shown += &format!("\n\n{}", String::from_utf8_lossy(request.body()));
        }
        shown
    }

    #[track_caller]
    pub(crate) fn fault(&self) -> &Fault {
        match &self.result {
            Ok(request) => panic!("no fault but {} {}", request.method(), request.uri()),
            Err(fault) => fault,
        }
    }

    /// The problems, one a line: `at: expected …, got … (suggestion)`.
    #[track_caller]
    pub(crate) fn problems(&self) -> String {
        let lines = self.fault().problems.iter().map(|problem| {
            let suggestion = problem.suggestion.as_ref().map(|text| format!(" ({text})"));
            format!(
                "{}: expected {}, got {}{}",
                problem.at,
                problem.expected,
                problem.got,
                suggestion.unwrap_or_default()
            )
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The journal, one decision a line.
    pub(crate) fn journal(&self) -> String {
        self.journal.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }
}
