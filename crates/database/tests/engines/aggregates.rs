//! Random calls of `aggregate` and `list`, and the engine's own answers to statements that this file writes by itself.

use std::fmt::Write as _;

use callgate_database::{EntitySettings, Operation};
use callgate_tool::{Object, Value, json};

use crate::calls::{Tools, entity, of_user, user};

/// The words of an engine that differ.
#[derive(Clone, Copy)]
pub(crate) struct Words {
    /// A column of texts as it is compared by bytes.
    pub(crate) exact: &'static str,
    /// An expression as a text.
    pub(crate) text: &'static str,
    /// The condition that a column has a part.
    pub(crate) contains: &'static str,
    /// True if texts that differ in their case stand beside each other in any order.
    pub(crate) has_ties: bool,
}

pub(crate) fn things() -> EntitySettings {
    let columns = || Some(COLUMNS.map(str::to_owned).to_vec());
    EntitySettings {
        operations: vec![Operation::List, Operation::Aggregate],
        rows: vec![("owner".to_owned(), of_user())],
        filter: columns(),
        sort: columns(),
        ..entity("things")
    }
}

/// The table, with rows of two owners.
pub(crate) fn script() -> String {
    let mut script =
        "create table things (no integer primary key, owner varchar(20) not null, kind varchar(20),
        n integer, big bigint not null, price decimal(12, 2), made date);\n"
            .to_owned();
    let mut dice = Dice(7);
    for no in 0..400 {
        let owner = if no % 3 == 0 { "bob" } else { "ann" };
        let mut values = vec![no.to_string(), format!("'{owner}'")];
        for column in &COLUMNS[1..] {
            let is_null = *column != "big" && dice.below(8) == 0;
            let value = if is_null { "null".to_owned() } else { literal(&dice.value(column)) };
            // A value of others that nobody else may see.
            let is_foreign = owner == "bob" && *column == "kind";
            values.push(if is_foreign { "'foreign'".to_owned() } else { value });
        }
        writeln!(script, "insert into things values ({});", values.join(", ")).unwrap();
    }
    script
}

/// Every call has the engine's own answer.
pub(crate) async fn check(tools: &Tools, words: Words, run: impl Fn(&str) -> String) {
    let (mut dice, mut calls, mut script) = (Dice(11), Vec::new(), String::new());
    for _ in 0..N_CALLS {
        let call = dice.call(words);
        writeln!(script, "{};\nselect '#';", call.sql).unwrap();
        calls.push(call);
    }
    let own = run(&script);
    let mut own = own.split('\n').filter(|line| !line.is_empty());
    for Call { tool, arguments, columns, is_ordered, .. } in calls {
        let result = tools.call(tool, arguments.clone(), &user("ann")).await;
        assert_eq!(result["more"], false);
        assert!(!result.to_string().contains("foreign"), "{arguments}: {result}");
        let rows = result["rows"].as_array().unwrap().iter();
        let cells = |row: &Value| columns.iter().map(|name| cell(&row[name])).collect();
        let mut rows: Vec<Vec<String>> = rows.map(cells).collect();
        let expected = own.by_ref().take_while(|line| *line != "#");
        let mut expected: Vec<Vec<String>> =
            expected.map(|line| line.split('~').skip(1).map(str::to_owned).collect()).collect();
        if !is_ordered {
            rows.sort();
            expected.sort();
        }
        let is_equal = rows.len() == expected.len()
            && rows.iter().flatten().zip(expected.iter().flatten()).all(|(a, b)| is_near(a, b));
        assert!(is_equal, "{tool} {arguments}\ngot {rows:?}\nexpected {expected:?}");
    }
}

struct Call {
    tool: &'static str,
    arguments: Value,
    columns: Vec<String>,
    is_ordered: bool,
    sql: String,
}

/// Numbers that are drawn, the same at each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    fn some_of(&mut self, names: &[&'static str]) -> Vec<&'static str> {
        names.iter().copied().filter(|_| self.below(3) == 0).collect()
    }

    fn value(&mut self, column: &str) -> Value {
        let texts = ["a", "A", "ä", "b%", "b_c", "", "it's", "a b", "[b]*", "!x"];
        match column {
            "kind" => texts[self.below(texts.len())].into(),
            "price" => Value::parse(&format!("{}.{:02}", self.below(40), self.below(100))).unwrap(),
            "made" => format!("2024-0{}-1{}", 1 + self.below(3), self.below(3)).into(),
            "big" => Value::parse(&format!("90071992547409{}", 10 + self.below(80))).unwrap(),
            _ => json!(self.below(20)),
        }
    }

    /// The test of a column, and the same in SQL.
    fn test(&mut self, column: &str, words: Words) -> (Value, String) {
        let is_text = column == "kind";
        let compared = if is_text { words.exact.replace('@', column) } else { column.to_owned() };
        let value = self.value(column);
        let sql = literal(&value);
        match self.below(if is_text { 6 } else { 9 }) {
            0 => (json!({"eq": value}), format!("{compared} = {sql}")),
            1 => (json!({"neq": value}), format!("{compared} <> {sql}")),
            2 => (json!({"is_null": true}), format!("{column} is null")),
            3 => {
                let other = self.value(column);
                let both = format!("{compared} in ({sql}, {})", literal(&other));
                (json!({"in": [value, other]}), both)
            }
            4 if is_text => {
                let condition = words.contains.replace('@', column).replace('?', &sql);
                (json!({"contains": value}), condition)
            }
            5 if is_text => {
                let n_letters = value.as_str().unwrap().chars().count();
                let start = format!("substr({compared}, 1, {n_letters}) = {sql}");
                (json!({"starts_with": value}), start)
            }
            4 => (json!({"gt": value}), format!("{column} > {sql}")),
            5 => (json!({"lte": value}), format!("{column} <= {sql}")),
            6 => (json!({"gte": value}), format!("not {column} < {sql}")),
            // More digits than the column has, as averages have them.
            8 if column != "made" => {
                let more = Value::parse("7.1234567890123456").unwrap();
                (json!({"gt": more}), format!("{column} > {more}"))
            }
            _ => {
                let more = self.value(column);
                let within = format!("{column} >= {sql} and {column} < {}", literal(&more));
                (json!({"gte": value, "lt": more}), within)
            }
        }
    }

    fn conditions(&mut self, words: Words) -> (Object, String) {
        let (mut written, mut sql) = (Object::new(), Vec::new());
        for column in self.some_of(&COLUMNS[1..]) {
            let (test, condition) = self.test(column, words);
            written.insert(column, test);
            sql.push(format!("({condition})"));
        }
        (written, sql.join(" and "))
    }

    /// The conditions of a call; at times groups of them.
    fn filter(&mut self, words: Words) -> (Value, String) {
        let (mut written, sql) = self.conditions(words);
        let mut all = vec!["owner = 'ann'".to_owned()];
        all.extend(Some(sql).filter(|sql| !sql.is_empty()));
        let groups: Vec<(Object, String)> = (0..2).map(|_| self.conditions(words)).collect();
        let is_grouped = self.below(4) == 0 && groups.iter().all(|(group, _)| !group.is_empty());
        if is_grouped {
            let (groups, conditions): (Vec<_>, Vec<_>) = groups.into_iter().unzip();
            let groups = groups.into_iter().map(Value::Object).collect();
            written.insert("any", Value::Array(groups));
            all.push(format!("({})", conditions.join(" or ")));
        }
        (Value::Object(written), all.join(" and "))
    }

    fn call(&mut self, words: Words) -> Call {
        if self.below(4) == 0 { self.list(words) } else { self.aggregate(words) }
    }

    fn list(&mut self, words: Words) -> Call {
        let (filter, condition) = self.filter(words);
        let mut columns = self.some_of(&COLUMNS);
        let mut arguments = json!({"where": filter});
        if columns.is_empty() {
            columns = COLUMNS.to_vec();
        } else {
            arguments.as_object_mut().unwrap().insert("select", json!(columns));
        }
        let sql =
            format!("select {} from things where {condition} order by no", line(words, &columns));
        let columns = columns.into_iter().map(str::to_owned).collect();
        Call { tool: "shop-things-list", arguments, columns, is_ordered: true, sql }
    }

    fn aggregate(&mut self, words: Words) -> Call {
        let (filter, condition) = self.filter(words);
        let groups = self.some_of(&["kind", "n", "made"]);
        let names: Vec<&str> = AGGREGATES.iter().map(|(name, _)| *name).collect();
        let mut selected = self.some_of(&names);
        let mut arguments = json!({"where": filter, "group": groups});
        let members = arguments.as_object_mut().unwrap();
        if selected.is_empty() {
            selected.push("count");
        } else {
            members.insert("select", json!(selected));
        }
        let expression = |name: &str| match AGGREGATES.iter().find(|(of, _)| *of == name) {
            Some((_, sql)) => (*sql).to_owned(),
            None if name == "kind" => words.exact.replace('@', name),
            None => name.to_owned(),
        };
        let mut having = String::new();
        if self.below(3) == 0 {
            let name = names[self.below(5)];
            let least = self.below(60);
            members.insert("having", json!({name: {"gte": least}}));
            having = format!(" having {} >= {least}", expression(name));
        }
        let mut order: Vec<String> = groups.iter().map(|name| expression(name)).collect();
        if self.below(2) == 0 {
            let sorted = names[self.below(names.len())];
            members.insert("sort", json!([format!("-{sorted}")]));
            order.insert(0, format!("{} desc", expression(sorted)));
        }
        let columns: Vec<_> = groups.iter().chain(&selected).copied().collect();
        let expressions: Vec<_> = columns.iter().map(|name| expression(name)).collect();
        let expressions: Vec<_> = expressions.iter().map(String::as_str).collect();
        let mut sql = format!("select {} from things where {condition}", line(words, &expressions));
        if !groups.is_empty() {
            let by: Vec<_> = groups.iter().map(|name| expression(name)).collect();
            write!(sql, " group by {}", by.join(", ")).unwrap();
        }
        sql += &having;
        if !groups.is_empty() {
            write!(sql, " order by {}", order.join(", ")).unwrap();
        }
        let is_ordered = !(words.has_ties && groups.contains(&"kind"));
        let columns = columns.into_iter().map(str::to_owned).collect();
        Call { tool: "shop-things-aggregate", arguments, columns, is_ordered, sql }
    }
}

/// The columns as one text.
fn line(words: Words, expressions: &[&str]) -> String {
    let text = |it: &&str| format!("coalesce({}, 'NULL')", words.text.replace('@', it));
    format!("concat_ws('~', '=', {})", expressions.iter().map(text).collect::<Vec<_>>().join(", "))
}

fn literal(value: &Value) -> String {
    match value.as_str() {
        Some(text) => format!("'{}'", text.replace('\'', "''")),
        None => value.to_string(),
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Equal, as floating-point numbers are.
fn is_near(one: &str, other: &str) -> bool {
    match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => (one - other).abs() <= other.abs() * 1e-9,
        _ => one == other,
    }
}

const N_CALLS: usize = 300;

const COLUMNS: [&str; 6] = ["no", "kind", "n", "big", "price", "made"];

const AGGREGATES: [(&str, &str); 9] = [
    ("count", "count(*)"),
    ("sum_n", "sum(n)"),
    ("avg_n", "avg(n)"),
    ("max_price", "max(price)"),
    ("sum_price", "sum(price)"),
    ("sum_big", "sum(big)"),
    ("min_big", "min(big)"),
    ("min_made", "min(made)"),
    ("max_made", "max(made)"),
];
