//! Conditions on columns of every type, and groups by them: for values as a list shows them, the rows are those that the engine itself
//! names by a statement of this file.

use std::fmt::Write as _;

use callgate_database::{EntitySettings, Operation};
use callgate_tool::{FaultCode, Object, Outcome, Session, Value, json};

use crate::{
    calls::{Tools, entity},
    ordered_pages::{Kinds, N_ROWS},
};

const TABLE: &str = "nullable";
const LIST: &str = "shop-nullable-list";
const N_RANDOM: usize = 300;
const OPERATORS: [(&str, &str); 6] =
    [("eq", "="), ("neq", "<>"), ("lt", "<"), ("lte", "<="), ("gt", ">"), ("gte", ">=")];

/// The table of [`script`](crate::ordered_pages::script) with the columns that a server offers by itself.
pub(crate) fn offered(filter: Option<Vec<String>>) -> EntitySettings {
    let operations = vec![Operation::List, Operation::Aggregate];
    EntitySettings { operations, filter, ..entity(TABLE) }
}

/// A call with its answer by the engine: the keys of the rows that meet a condition in SQL.
struct Case {
    filter: Value,
    condition: String,
}

/// The SQL of an engine as far as it differs.
#[derive(Clone, Copy)]
pub(crate) struct Dialect {
    /// A statement that writes `=` and the keys of the rows of `t` that meet the condition `?`.
    pub(crate) statement: &'static str,
    /// The column `@` of a type whose texts are equal only if all of their letters are, in place of those that its collation takes for equal.
    pub(crate) exact: fn(&str) -> &'static str,
}

/// Every condition that a column takes, and random ones of several columns, mean what they mean to the engine. `own` answers a script
/// of statements by a line each. Returns the columns that take no value, in words of their types.
pub(crate) async fn check(
    tools: &Tools,
    kinds: Kinds,
    sql: Dialect,
    own: impl Fn(&str) -> String,
) -> Vec<&'static str> {
    let session = Session::default();
    let all = tools.call(LIST, json!({"limit": N_ROWS}), &session).await["rows"].clone();
    let rows = all.as_array().unwrap();
    assert_eq!(rows.len(), N_ROWS);
    let (mut cases, mut without) = (Vec::new(), Vec::new());
    for (at, (kind, _)) in kinds.iter().enumerate() {
        let singles = single_conditions(&format!("c{at}"), (sql.exact)(kind), rows);
        let mut is_taken = false;
        for case in singles {
            let arguments = json!({"where": case.filter, "select": ["no"], "limit": N_ROWS});
            match tools.outcome(LIST, arguments, &session).await {
                Outcome::Answered(_) => {
                    is_taken |= !case.condition.ends_with("null");
                    cases.push(case);
                }
                Outcome::Failed(fault) => {
                    assert_eq!(fault.code, FaultCode::InvalidArguments, "{kind}: {fault:?}");
                }
                other => panic!("{kind}: {other:?}"),
            }
        }
        if !is_taken {
            without.push(*kind);
        }
    }
    cases.extend(random_conditions(&cases));
    cases.extend(smallest_and_largest(tools, kinds).await);
    // What a client of the engine writes fits a pipe, which nobody reads while the script is written.
    let answers = cases.chunks(50).flat_map(|cases| {
        let script: Vec<_> =
            cases.iter().map(|case| sql.statement.replace('?', &case.condition)).collect();
        let answers = own(&script.join("\n"));
        let answers: Vec<_> =
            answers.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
        assert_eq!(answers.len(), cases.len());
        answers
    });
    for (case, expected) in cases.iter().zip(answers) {
        let arguments = json!({"where": case.filter, "select": ["no"], "limit": N_ROWS});
        let result = tools.call(LIST, arguments, &session).await;
        assert_eq!(keys(&result), expected.trim_end(), "{} {}", case.filter, case.condition);
    }
    without
}

/// The keys of a result's rows, after the mark that the statement writes.
fn keys(result: &Value) -> String {
    let rows = result["rows"].as_array().unwrap();
    let mut keys: Vec<u64> = rows.iter().map(|row| row["no"].as_u64().unwrap()).collect();
    keys.sort_unstable();
    keys.iter().fold("=".to_owned(), |mut text, key| {
        write!(text, " {key}").unwrap();
        text
    })
}

/// The value of another row in SQL.
fn value_in(column: &str, no: usize) -> String {
    format!("(select {column} from {TABLE} o where o.no = {no})")
}

fn single_conditions(column: &str, exact: &str, rows: &[Value]) -> Vec<Case> {
    let exact = |table: &str| exact.replace('@', &format!("{table}.{column}"));
    let mut cases = Vec::new();
    let filled = || rows.iter().enumerate().filter(|(_, row)| !row[column].is_null());
    let mut shown: Vec<&Value> = Vec::new();
    for (no, row) in filled() {
        let value = &row[column];
        if shown.contains(&value) {
            continue;
        }
        shown.push(value);
        for (operator, sql) in OPERATORS {
            let has_order = sql.contains(['<', '>']) && operator != "neq";
            let write = |table| if has_order { format!("{table}.{column}") } else { exact(table) };
            cases.push(Case {
                filter: json!({column: {operator: value}}),
                condition: format!("{} {sql} {}", write("t"), value_in(&write("o"), no)),
            });
        }
        let (other, row) = filled().nth(7).unwrap();
        cases.push(Case {
            filter: json!({column: {"in": [value, row[column]]}}),
            condition: format!(
                "{} in ({}, {})",
                exact("t"),
                value_in(&exact("o"), no),
                value_in(&exact("o"), other)
            ),
        });
    }
    for (is_null, sql) in [(true, "is null"), (false, "is not null")] {
        let filter = json!({column: {"is_null": is_null}});
        cases.push(Case { filter, condition: format!("t.{column} {sql}") });
    }
    cases
}

/// Two of these conditions that both hold, and groups of which one holds.
fn random_conditions(cases: &[Case]) -> Vec<Case> {
    let mut seed = 17_usize;
    let mut draw = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        &cases[(seed >> 33) % cases.len()]
    };
    let mut random = Vec::new();
    while random.len() < N_RANDOM {
        let [first, second, third] = [draw(), draw(), draw()];
        let mut filter = first.filter.as_object().unwrap().clone();
        if second.filter.as_object().unwrap().keys().any(|name| filter.contains_key(name)) {
            continue;
        }
        let condition = if random.len() % 2 == 0 {
            filter.extend(second.filter.as_object().unwrap().clone());
            format!("{} and {}", first.condition, second.condition)
        } else {
            filter.insert("any", json!([second.filter, third.filter]));
            format!("{} and ({} or {})", first.condition, second.condition, third.condition)
        };
        random.push(Case { filter: Value::Object(filter), condition });
    }
    random
}

/// The rows with the least and the greatest value of a column, and those of each group, by the values that `aggregate` shows.
async fn smallest_and_largest(tools: &Tools, kinds: Kinds) -> Vec<Case> {
    let (tool, session) = ("shop-nullable-aggregate", Session::default());
    let declaration = tools.executor.find(tool).unwrap().declaration().unwrap();
    let schema = Value::parse(&declaration.input_schema.to_string()).unwrap();
    let names = |pointer: &str| -> Vec<String> {
        let names = schema.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
        names.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let (selected, groups) =
        (names("/properties/select/items/enum"), names("/properties/group/items/enum"));
    let mut cases = Vec::new();
    for column in (0..kinds.len()).map(|at| format!("c{at}")) {
        let functions = ["min", "max"].map(|function| (function, format!("{function}_{column}")));
        for (function, name) in functions.iter().filter(|(_, name)| selected.contains(name)) {
            let result = tools.call(tool, json!({"select": [name]}), &session).await;
            let filter = json!({&*column: {"eq": result["rows"][0][&**name]}});
            let arguments = json!({"where": filter, "limit": 1});
            if matches!(tools.outcome(LIST, arguments, &session).await, Outcome::Answered(_)) {
                let value = format!("(select {function}(o.{column}) from {TABLE} o)");
                cases.push(Case { filter, condition: format!("t.{column} = {value}") });
            }
        }
        if groups.contains(&column) {
            let arguments = json!({"group": [&*column], "select": ["count"], "limit": N_ROWS});
            let result = tools.call(tool, arguments, &session).await;
            assert_groups(tools, &column, result["rows"].as_array().unwrap()).await;
        }
    }
    cases
}

/// Each group has as many rows as a list by its value, and all groups have every row.
async fn assert_groups(tools: &Tools, column: &str, groups: &[Value]) {
    let mut n_rows = 0;
    for group in groups {
        let filter = Value::Object(Object::from([(column, group[column].clone())]));
        let arguments = json!({"where": filter, "select": ["no"], "limit": N_ROWS});
        n_rows += group["count"].as_u64().unwrap();
        let Outcome::Answered(_) =
            tools.outcome(LIST, arguments.clone(), &Session::default()).await
        else {
            continue;
        };
        let listed = tools.call(LIST, arguments, &Session::default()).await;
        let n_listed = listed["rows"].as_array().unwrap().len();
        assert_eq!(group["count"].as_u64(), u64::try_from(n_listed).ok(), "{filter}");
    }
    assert_eq!(n_rows, u64::try_from(N_ROWS).unwrap(), "{column}");
}
