//! Pages after one another are all rows, each once, in their order.

use proptest::prelude::*;

use super::{
    BIG, Direction, EMPTY, Sqlite, TEXT, TargetRows, column, database, read, rows, select, table,
};
use crate::catalog::Table;

fn notes(is_nullable: bool) -> Table {
    let mut note = column("note", TEXT, "TEXT");
    let mut rank = column("rank", BIG, "INTEGER");
    (note.is_nullable, rank.is_nullable) = (is_nullable, is_nullable);
    table("t", vec![column("no", BIG, "INTEGER"), note, rank])
}

fn direction() -> impl Strategy<Value = Direction> {
    prop_oneof![Just(Direction::Ascending), Just(Direction::Descending)]
}

type Row = (Option<String>, Option<i64>);

fn given() -> impl Strategy<Value = (bool, Vec<Row>)> {
    let row = || (proptest::option::of("[ab'%]{0,2}"), proptest::option::of(-1_i64..2));
    (any::<bool>(), proptest::collection::vec(row(), 0..12)).prop_map(|(is_nullable, mut rows)| {
        if !is_nullable {
            for (note, rank) in &mut rows {
                note.get_or_insert_default();
                rank.get_or_insert_default();
            }
        }
        (is_nullable, rows)
    })
}

proptest! {
    #[test]
    fn pages_are_all_rows_in_their_order(
        given in given(),
        directions in (direction(), direction(), direction()),
        most in 1_u32..4,
    ) {
        let (is_nullable, given) = given;
        let database = database("CREATE TABLE t (no INTEGER PRIMARY KEY, note TEXT COLLATE NOCASE, rank INTEGER)");
        for (note, rank) in &given {
            database.execute("INSERT INTO t (note, rank) VALUES (?1, ?2)", (note, rank)).unwrap();
        }
        let table = notes(is_nullable);
        let order = [("note", directions.0), ("rank", directions.1), ("no", directions.2)]
            .map(|(name, direction)| (name.to_owned(), direction));
        let mut reading = read(&table, TargetRows { rows: &[], key: &[], filter: &EMPTY });
        reading.columns = ["note", "rank", "no"].map(|name| table.columns.iter().find(|c| c.name == name).unwrap()).to_vec();
        reading.order = &order;
        let whole = rows(&database, &select(Sqlite, &reading));
        prop_assert_eq!(whole.len(), given.len());
        reading.most = Some(most);
        let mut pages = rows(&database, &select(Sqlite, &reading));
        while pages.len() < whole.len() {
            let last = pages.last().unwrap().iter().zip(["t", "i", "i"]);
            let last: Vec<_> = last.map(|(text, letter)| Some(format!("{letter}{}", text.as_ref()?))).collect();
            let page = rows(&database, &select(Sqlite, &crate::sql::Select { after: Some(&last), ..reading.clone() }));
            prop_assert!(!page.is_empty(), "after {:?} of {:?}", last, whole);
            pages.extend(page);
        }
        prop_assert_eq!(pages, whole);
    }
}
