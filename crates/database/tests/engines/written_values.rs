//! Random values of plain types: one call writes them, others read them, and the engine's own text of each is that of the result.

use callgate_database::{DatabaseSettings, EntitySettings, Operation};
use callgate_tool::{Number, Object, Session, Value, hexadecimal, json};

use crate::calls::{Tools, entity};

/// The words of an engine that differ.
#[derive(Clone, Copy)]
pub(crate) struct Words {
    /// The hexadecimal digits, in capitals, of the text of the column `@`.
    pub(crate) digits: &'static str,
    /// The texts of false and true.
    pub(crate) truths: [&'static str; 2],
}

/// A type, and how a random value of it is made.
type Made = (&'static str, fn(&mut Dice) -> Value);

/// Types, and random values of each. SQLite keeps no more digits of a number than these have.
const TYPES: [Made; 8] = [
    ("smallint", |dice| dice.whole(i16::MIN.into(), i16::MAX.into()).into()),
    ("integer", |dice| dice.whole(i32::MIN.into(), i32::MAX.into()).into()),
    ("bigint", |dice| dice.whole(i64::MIN, i64::MAX).into()),
    ("boolean", |dice| (dice.below(2) == 0).into()),
    ("decimal(20,4)", Dice::decimal),
    ("double precision", Dice::double),
    ("varchar(40)", Dice::text),
    ("date", Dice::date),
];

/// The script of the table.
pub(crate) fn script() -> String {
    let columns = TYPES.iter().enumerate().map(|(at, (of, _))| format!(", c{at} {of}"));
    let columns: String = columns.collect();
    format!("create table written (no integer primary key{columns});")
}

/// These settings with the tools over the table.
pub(crate) fn with_tools(settings: DatabaseSettings) -> DatabaseSettings {
    let operations = vec![Operation::List, Operation::Get, Operation::Create];
    let written = EntitySettings { operations, ..entity("written") };
    let mut settings = DatabaseSettings { entities: vec![written], ..settings };
    (settings.limits.rows, settings.limits.result_bytes) = (N_ROWS, 1 << 22);
    settings
}

/// Every value is read as it was written, and as the engine itself writes it. `own` answers a statement by a line for each row.
pub(crate) async fn check(tools: &Tools, words: Words, own: impl Fn(&str) -> String) {
    let (mut dice, session) = (Dice(23), Session::default());
    let mut rows = Vec::new();
    for no in 0..N_ROWS {
        let mut row: Object = [("no".to_owned(), json!(no))].into_iter().collect();
        for (at, (_, value)) in TYPES.iter().enumerate() {
            if dice.below(8) > 0 {
                row.insert(format!("c{at}"), value(&mut dice));
            }
        }
        let arguments = Value::Object(row.clone());
        let created = tools.call("shop-written-create", arguments, &session).await;
        let read = tools.call("shop-written-get", json!({"no": no}), &session).await;
        assert_eq!(created["row"], read["row"]);
        for (name, value) in &row {
            let shown = &read["row"][name.as_str()];
            assert!(is_equal(value, shown), "{name}: {value} {shown}");
        }
        rows.push(read["row"].clone());
    }
    let list = tools.call("shop-written-list", json!({"limit": N_ROWS}), &session).await;
    assert_eq!(list["rows"].as_array(), Some(&rows));
    let digits = |at: usize| {
        let digits = words.digits.replace('@', &format!("c{at}"));
        format!("case when c{at} is null then 'NULL' else {digits} end")
    };
    let columns: Vec<_> = (0..TYPES.len()).map(digits).collect();
    let columns = columns.join(", ");
    let lines = own(&format!("select concat_ws('~', '=', {columns}) from written order by no"));
    let lines: Vec<_> = lines.lines().collect();
    assert_eq!(lines.len(), rows.len());
    for (row, line) in rows.iter().zip(lines) {
        let digits = (0..TYPES.len()).map(|at| shown_digits(&row[&*format!("c{at}")], words));
        let digits: Vec<_> = digits.collect();
        assert_eq!(line, format!("=~{}", digits.join("~")), "{row}");
    }
}

fn is_equal(written: &Value, read: &Value) -> bool {
    match (written, read) {
        (Value::Number(written), Value::Number(read)) => written.is_equal_to(read),
        _ => written == read,
    }
}

/// The hexadecimal digits of a value's text in a result.
fn shown_digits(value: &Value, words: Words) -> String {
    let text = match value {
        Value::Null => return "NULL".to_owned(),
        Value::Bool(truth) => words.truths[usize::from(*truth)].to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    hexadecimal(text.as_bytes()).to_uppercase()
}

/// Numbers that look random, and are equal in every run.
struct Dice(u64);

impl Dice {
    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, n: u64) -> usize {
        usize::try_from(self.draw() % n).unwrap()
    }

    /// A number within these, and often one of them.
    fn whole(&mut self, least: i64, most: i64) -> i64 {
        match self.below(6) {
            0 => least,
            1 => most,
            _ => least.wrapping_add_unsigned(self.draw() % most.abs_diff(least)),
        }
    }

    fn decimal(&mut self) -> Value {
        let n = self.whole(-9_999_999_999, 9_999_999_999);
        let (sign, n) = (if n < 0 { "-" } else { "" }, n.unsigned_abs());
        let digits = format!("{sign}{}.{:04}", n / 10_000, n % 10_000);
        Value::Number(Number::from_digits(&digits).unwrap())
    }

    fn double(&mut self) -> Value {
        let eighths = i32::try_from(self.whole(-999_999, 999_999)).unwrap();
        Value::Number(Number::from_f64(f64::from(eighths) / 8.0).unwrap())
    }

    fn text(&mut self) -> Value {
        let n = self.below(12);
        let text: String = (0..n).filter_map(|_| LETTERS.split('|').nth(self.below(16))).collect();
        text.into()
    }

    fn date(&mut self) -> Value {
        let (year, month, day) = (1000 + self.below(9000), 1 + self.below(12), 1 + self.below(28));
        format!("{year}-{month:02}-{day:02}").into()
    }
}

const LETTERS: &str = "a|B|é|e\u{301}|\u{1f600}|'|\"|\\|%|_| |0|7|`|$1|{";

const N_ROWS: u32 = 120;
