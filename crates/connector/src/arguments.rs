//! A model's arguments, checked against the declaration, as the arguments of a request to the service.

use callgate_call::wording::connector as wording;
use callgate_kind::{ArgumentForm, Operation};
use callgate_tool::{
    Arguments, Fault, Object, Problem, Session, SessionSource, StatementInput, Value, json,
};

use crate::{
    declaration::{ENTITY_ID, FILTER_CLAUSE, LIMIT, PAGE, SET, SORT, WHERE},
    description::Method,
    field::FieldKind,
    filter::{self, Filter, conditions},
    work::{Entity, Query, Work},
};

/// A method of the service with its arguments.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) arguments: Arguments,
    /// The most rows that the caller asks for.
    pub(crate) limit: usize,
}

/// The bounds of one call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) rows: u32,
    pub(crate) seconds: u64,
}

/// The request of a call.
///
/// # Errors
/// A fault about conditions, ids or session values that cannot be sent.
pub(crate) fn call_request(
    work: &Work,
    arguments: &Arguments,
    session: &Session,
    bounds: Bounds,
) -> Result<Request, Box<Fault>> {
    let (method, arguments, limit) = match work {
        Work::Action(action) => {
            (Method::ExecuteAction, execution_arguments(&action.id, arguments), None)
        }
        Work::Entity(entity) => return entity_request(entity, arguments, bounds),
        Work::Query(query) => {
            (Method::ExecuteSql, query_arguments(query, arguments, session, bounds)?, None)
        }
        Work::Tool(tool) => (Method::ExecuteTool, execution_arguments(&tool.id, arguments), None),
    };
    let limit = limit.unwrap_or(bounds.rows as usize);
    Ok(Request { method, arguments, limit })
}

fn execution_arguments(id: &str, arguments: &Arguments) -> Arguments {
    let body = json!({"parameters": Value::Object(arguments.clone())});
    Arguments::from_iter([("id", id.into()), ("body", body)])
}

fn entity_request(
    entity: &Entity,
    arguments: &Arguments,
    bounds: Bounds,
) -> Result<Request, Box<Fault>> {
    let mut made = Arguments::from_iter([("type", Value::from(entity.name.as_str()))]);
    let mut limit = 1;
    let method = match entity.operation {
        Operation::Create => {
            made.insert(
                "body",
                json!({"fields": Value::Object(written_fields(entity, arguments))}),
            );
            Method::Create
        }
        Operation::Delete => add_key_or_conditions(
            entity,
            arguments,
            &mut made,
            [Method::Delete, Method::DeleteMany],
        )?,
        Operation::Get => {
            made.insert("id", id_path_segment(entity, arguments)?.unwrap_or_default());
            Method::Get
        }
        Operation::List => {
            limit = add_list_arguments(entity, arguments, &mut made, bounds)?;
            Method::List
        }
        Operation::Update => {
            let given = match entity.form {
                ArgumentForm::Google => arguments,
                ArgumentForm::Own => {
                    arguments.get(SET).and_then(Value::as_object).unwrap_or(arguments)
                }
            };
            let fields = written_fields(entity, given);
            if fields.is_empty() {
                return Err(conditions_fault("", "at least one new value", "none"));
            }
            made.insert("body", json!({"fields": Value::Object(fields)}));
            add_key_or_conditions(
                entity,
                arguments,
                &mut made,
                [Method::Update, Method::UpdateMany],
            )?
        }
    };
    Ok(Request { method, arguments: made, limit })
}

/// The method for one entity, or for those that meet conditions, of which an empty one never meets all.
fn add_key_or_conditions(
    entity: &Entity,
    arguments: &Arguments,
    made: &mut Arguments,
    [one, many]: [Method; 2],
) -> Result<Method, Box<Fault>> {
    let conditions = if entity.many { conditions_text(entity, arguments)? } else { None };
    match (id_path_segment(entity, arguments)?, conditions) {
        (Some(id), None) => {
            made.insert("id", id);
            Ok(one)
        }
        (None, Some(conditions)) => {
            made.insert("conditions", conditions.into());
            Ok(many)
        }
        (id, _) => {
            let conditions = conditions_argument_name(entity);
            let expected = format!("one of `{}` and `{conditions}`", entity.key.0);
            Err(conditions_fault("", &expected, if id.is_some() { "both" } else { "none" }))
        }
    }
}

fn add_list_arguments(
    entity: &Entity,
    arguments: &Arguments,
    made: &mut Arguments,
    bounds: Bounds,
) -> Result<usize, Box<Fault>> {
    let [limit, page] = match entity.form {
        ArgumentForm::Google => ["pageSize", "pageToken"],
        ArgumentForm::Own => [LIMIT, PAGE],
    };
    let most = u64::from(bounds.rows);
    let limit = arguments.get(limit).and_then(Value::as_u64).unwrap_or(most).clamp(1, most);
    // Where the service has no further pages, one more entity says if there are any.
    made.insert("pageSize", if entity.is_paged { limit } else { limit + 1 }.into());
    made.insert_if_some("conditions", conditions_text(entity, arguments)?);
    made.insert_if_some("pageToken", arguments.get(page).filter(|_| entity.is_paged).cloned());
    if let Some(column) = sort_column(entity, arguments) {
        let (name, order) = match column.strip_prefix('-') {
            Some(name) => (name, "DESC"),
            None => (column, "ASC"),
        };
        made.insert("sortBy", Value::from_iter([name]));
        made.insert("sortOrder", Value::from_iter([order]));
    }
    Ok(usize::try_from(limit).unwrap_or(usize::MAX))
}

fn sort_column<'a>(entity: &Entity, arguments: &'a Arguments) -> Option<&'a str> {
    let name = match entity.form {
        ArgumentForm::Google => "sortByColumns",
        ArgumentForm::Own => SORT,
    };
    arguments.get(name)?.as_array()?.first()?.as_str()
}

/// The text of the conditions; `None` if none are given.
fn conditions_text(entity: &Entity, arguments: &Arguments) -> Result<Option<String>, Box<Fault>> {
    let at = conditions_argument_name(entity);
    let Some(given) = arguments.get(at) else { return Ok(None) };
    let filter = match entity.form {
        ArgumentForm::Google => filter_of_clause(entity, given.as_str().unwrap_or_default()),
        ArgumentForm::Own => filter::read_where(given),
    };
    let filter = filter
        .map_err(|problems| wording::wrong_conditions(prefix_problem_locations(at, problems)))?;
    if filter.is_empty() && entity.operation != Operation::List {
        return Err(conditions_fault(at, "at least one condition", "none"));
    }
    let text = conditions::conditions_text(&filter).map_err(|_| {
        conditions_fault(at, "texts without `\\` and control characters", "a text with one of them")
    })?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

fn filter_of_clause(entity: &Entity, text: &str) -> Result<Filter, Vec<Problem>> {
    let fields: Vec<_> = entity.filtered.iter().collect();
    filter::clause::parse_clause(text, &fields).map_err(|problem| vec![problem])
}

fn prefix_problem_locations(at: &str, mut problems: Vec<Problem>) -> Vec<Problem> {
    for problem in &mut problems {
        let inner = std::mem::take(&mut problem.at);
        problem.at = if inner.is_empty() { at.to_owned() } else { format!("{at}.{inner}") };
    }
    problems
}

/// The name of the argument with the conditions.
fn conditions_argument_name(entity: &Entity) -> &'static str {
    match entity.form {
        ArgumentForm::Google => FILTER_CLAUSE,
        ArgumentForm::Own => WHERE,
    }
}

/// The id as a segment of a path.
fn id_path_segment(entity: &Entity, arguments: &Arguments) -> Result<Option<Value>, Box<Fault>> {
    let name = &entity.key.0;
    let text = match arguments.get(name) {
        None => return Ok(None),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    let is_segment = !["", ".", ".."].contains(&&*text) && !text.chars().any(char::is_control);
    if is_segment {
        return Ok(Some(text.into()));
    }
    Err(conditions_fault(name, "an id that is neither empty nor `.` nor `..`", "another one"))
}

/// The fields that are written, by their own names.
fn written_fields(entity: &Entity, given: &Object) -> Object {
    let inputs = entity.inputs.iter();
    let is_other = |argument: &str| {
        entity.form == ArgumentForm::Google
            && entity.operation == Operation::Update
            && [ENTITY_ID, FILTER_CLAUSE].contains(&argument)
    };
    let inputs = inputs.filter(|input| !is_other(&input.argument));
    let written = inputs
        .filter_map(|input| Some((input.field.name.clone(), given.get(&input.argument)?.clone())));
    written.collect()
}

fn query_arguments(
    query: &Query,
    arguments: &Arguments,
    session: &Session,
    bounds: Bounds,
) -> Result<Arguments, Box<Fault>> {
    let argument = |name: &String| arguments.get(name).cloned().unwrap_or_default();
    let mut parameters = Vec::new();
    for name in &query.statement.names {
        let input = query.inputs.iter().find(|(entry, _)| entry == name).map(|(_, input)| input);
        let (value, schema) = match input {
            Some(StatementInput::Session(source)) => (session_value(source, session)?, None),
            Some(StatementInput::Model(schema)) => (argument(name), Some(schema)),
            None => (argument(name), None),
        };
        parameters.push(json!({"value": value, "dataType": jdbc_type(&value, schema)}));
    }
    let statement = json!({
        "query": query.statement.text,
        // One more row says if there are more.
        "maxRows": (u64::from(bounds.rows) + 1).to_string(),
        "timeout": bounds.seconds.to_string(),
        "queryParameters": parameters,
    });
    Ok(Arguments::from_iter([("body", json!({"query": statement}))]))
}

/// A value that the model neither sees nor gives.
fn session_value(source: &SessionSource, session: &Session) -> Result<Value, Box<Fault>> {
    let value = source.value_in_session(session).filter(is_nonempty_scalar);
    value.ok_or_else(|| wording::no_session_value(source.to_string()))
}

fn is_nonempty_scalar(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
        Value::Array(_) | Value::Null | Value::Object(_) => false,
    }
}

/// The JDBC type of a value, as the service names it.
fn jdbc_type(value: &Value, schema: Option<&Value>) -> &'static str {
    let format = schema.and_then(|schema| schema.get("format")).and_then(Value::as_str);
    match (value, format) {
        (Value::Bool(_), _) => "BOOLEAN",
        (Value::Number(_), _) if value.is_i64() => "BIGINT",
        (Value::Number(_), _) => "DECIMAL",
        (_, Some("date")) => "DATE",
        (_, Some("date-time")) => "TIMESTAMP",
        _ => "VARCHAR",
    }
}

fn conditions_fault(at: &str, expected: &str, got: &str) -> Box<Fault> {
    let [at, expected, got] = [at, expected, got].map(str::to_owned);
    wording::wrong_conditions(vec![Problem { at, expected, got, suggestion: None }])
}

pub(crate) fn id_schema(kind: Option<FieldKind>) -> Value {
    if kind == Some(FieldKind::Integer) {
        return json!({"type": "integer"});
    }
    json!({"type": "string", "minLength": 1})
}
