//! A plan of MariaDB and MySQL, as `EXPLAIN` lists it: a line for each table, in the order in which they are joined.

use super::super::{PlanReader, TableSizes};

pub(super) const READER: PlanReader = PlanReader {
    explain: "EXPLAIN",
    plans_changes: false,
    large_tables: LARGE_TABLES,
    rows_read: |lines, sizes| Some(rows_read(lines, sizes)),
};

const LARGE_TABLES: &str =
    "SELECT TABLE_NAME, CAST(MAX(TABLE_ROWS) AS CHAR) FROM information_schema.TABLES
    WHERE TABLE_ROWS > CAST(? AS UNSIGNED) GROUP BY TABLE_NAME ORDER BY MAX(TABLE_ROWS) DESC";

/// The rows that a plan reads: those of each table, as often as the tables before it have rows. A scan of an index with a condition reads
/// the whole table at worst, but its line has the rows of the `LIMIT`.
fn rows_read(lines: &[Vec<Option<String>>], sizes: &TableSizes) -> f64 {
    let (mut reads, mut part, mut n_loops) = (0.0, None, 1.0);
    for line in lines {
        let [id, kind, table, access, .., rows, extra] = line.as_slice() else { continue };
        if part != Some(id) {
            // A dependent query runs for each row of those around it.
            let is_dependent = kind.as_deref().is_some_and(|kind| kind.starts_with("DEPENDENT"));
            n_loops = if is_dependent { n_loops } else { 1.0 };
            part = Some(id);
        }
        let rows = rows.as_deref().and_then(|rows| rows.parse::<f64>().ok()).unwrap_or(1.0);
        let has_condition = extra.as_deref().is_some_and(|extra| extra.contains("Using where"));
        let is_scan = has_condition && matches!(access.as_deref(), Some("ALL" | "index"));
        let size = table.as_ref().filter(|_| is_scan).and_then(|table| sizes.get(table));
        n_loops *= rows.max(size.copied().unwrap_or(1.0));
        reads += n_loops;
    }
    reads
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_is_read_as_often_as_those_before_it_have_rows() {
        let mut sizes = TableSizes::new();
        let line = |id: &str, kind: &str, rows: &str| {
            let texts = [id, kind, "t", "ALL", "", "", "", "", rows, "Using where"];
            texts.map(|text| Some(text.to_owned())).to_vec()
        };
        let join = vec![line("1", "PRIMARY", "20"), line("1", "PRIMARY", "3")];
        assert_eq!(format!("{:.0}", rows_read(&join, &sizes)), "80");
        let union = vec![line("1", "PRIMARY", "20"), line("2", "UNION", "30")];
        assert_eq!(format!("{:.0}", rows_read(&union, &sizes)), "50");
        let dependent = vec![line("1", "PRIMARY", "20"), line("2", "DEPENDENT SUBQUERY", "30")];
        assert_eq!(format!("{:.0}", rows_read(&dependent, &sizes)), "620");
        assert_eq!(format!("{:.0}", rows_read(&[], &sizes)), "0");
        sizes.insert("t".to_owned(), 500.0);
        assert_eq!(format!("{:.0}", rows_read(&[line("1", "SIMPLE", "20")], &sizes)), "500");
    }
}
