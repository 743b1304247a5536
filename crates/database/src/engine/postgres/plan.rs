//! A plan of PostgreSQL, as `EXPLAIN (FORMAT JSON)` writes it. It has the rows that a node returns, so that those that a scan reads come from
//! the sizes of tables.

use serde_json::Value;

use super::super::{PlanReader, TableSizes};

pub(super) const READER: PlanReader = PlanReader {
    explain: "EXPLAIN (FORMAT JSON)",
    plans_changes: true,
    large_tables: LARGE_TABLES,
    rows_read,
};

const LARGE_TABLES: &str = "select c.relname::text, max(c.reltuples)::bigint::text from pg_class c
    where c.relkind in ('r', 'p', 'm') and c.reltuples > $1::text::bigint group by c.relname order by max(c.reltuples) desc";

/// The rows that a plan reads from tables and indexes; `None` for a text that is no plan.
fn rows_read(rows: &[Vec<Option<String>>], sizes: &TableSizes) -> Option<f64> {
    let text = rows.first()?.first()?.as_deref()?;
    let plans: Value = serde_json::from_str(text).ok()?;
    Some(Node(plans.pointer("/0/Plan")?).total_rows_read(1.0, sizes))
}

#[derive(Clone, Copy)]
struct Node<'a>(&'a Value);

impl<'a> Node<'a> {
    fn text(self, member: &str) -> &'a str {
        self.0[member].as_str().unwrap_or_default()
    }

    /// The rows that it returns.
    fn rows(self) -> f64 {
        self.0["Plan Rows"].as_f64().unwrap_or_default()
    }

    fn children(self) -> impl Iterator<Item = Self> + Clone {
        self.0["Plans"].as_array().into_iter().flatten().map(Self)
    }

    /// The rows that it and the nodes below it read if a share of its rows is taken.
    fn total_rows_read(self, share: f64, sizes: &TableSizes) -> f64 {
        let input = |child: Self| match child.text("Parent Relationship") {
            // It runs for each row, unless its rows are looked up in a table of hashes.
            "SubPlan" if !self.has_hashed_subplan() => {
                child.total_rows_read(1.0, sizes) * (self.rows() * share).max(1.0)
            }
            "InitPlan" | "SubPlan" => child.total_rows_read(1.0, sizes),
            "Inner" => self.inner_rows_read(child, share, sizes),
            _ => child.total_rows_read(self.share_of_input(child, share), sizes),
        };
        self.own_rows_read(share, sizes) + self.children().map(input).sum::<f64>()
    }

    /// True if one of its expressions says so outside the literals, which callers write.
    fn has_hashed_subplan(self) -> bool {
        let members = self.0.as_object().into_iter().flatten();
        let texts = members.flat_map(|(_, member)| match member {
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            other => Vec::from_iter(other.as_str()),
        });
        texts
            .into_iter()
            .flat_map(|text| text.split('\'').step_by(2))
            .any(|text| text.contains("hashed SubPlan"))
    }

    /// The rows that a scan reads itself.
    fn own_rows_read(self, share: f64, sizes: &TableSizes) -> f64 {
        let whole =
            || sizes.get(self.text("Relation Name")).copied().unwrap_or_else(|| self.rows());
        match self.text("Node Type") {
            "Index Scan" | "Index Only Scan" if self.0.get("Index Cond").is_some() => {
                self.rows() * share
            }
            "Index Scan" | "Index Only Scan" | "Seq Scan" => whole().max(self.rows()) * share,
            "Bitmap Index Scan" => self.rows(),
            _ => 0.0,
        }
    }

    /// The share of the rows of an input that a share of the node's own rows takes.
    fn share_of_input(self, input: Self, share: f64) -> f64 {
        match self.text("Node Type") {
            "Limit" if input.rows() > 0.0 => share * (self.rows() / input.rows()).min(1.0),
            // They return nothing before their input has ended.
            "Hash" | "Sort" | "SetOp" | "ModifyTable" => 1.0,
            "Aggregate" if self.text("Strategy") != "Sorted" => 1.0,
            _ => share,
        }
    }

    /// The rows that the inner side of a join reads.
    fn inner_rows_read(self, inner: Self, share: f64, sizes: &TableSizes) -> f64 {
        let is_kept = matches!(inner.text("Node Type"), "Hash" | "Materialize" | "Memoize");
        let once = inner.total_rows_read(1.0, sizes);
        if self.text("Node Type") != "Nested Loop" || is_kept {
            return once;
        }
        let is_outer = |child: &Self| child.text("Parent Relationship") == "Outer";
        let n_loops = self.children().find(is_outer).map_or(1.0, Self::rows);
        once * (n_loops * share).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(plan: &Value, expected: u64) {
        let rows = vec![vec![Some(json!([{"Plan": plan}]).to_string())]];
        let sizes = TableSizes::from([("orders".to_owned(), 1e6)]);
        let read = rows_read(&rows, &sizes).unwrap();
        assert_eq!(format!("{:.0}", read.floor()), expected.to_string(), "{plan}");
    }

    fn scan(rows: f64) -> Value {
        json!({"Node Type": "Seq Scan", "Relation Name": "orders", "Plan Rows": rows, "Parent Relationship": "Outer"})
    }

    #[test]
    fn a_scan_reads_its_table_and_a_limit_the_share_that_it_takes() {
        check(&scan(10.0), 1_000_000);
        check(&json!({"Node Type": "Limit", "Plan Rows": 50, "Plans": [scan(1e6)]}), 50);
        let sorted = json!({"Node Type": "Sort", "Plan Rows": 1e6, "Plans": [scan(1e6)], "Parent Relationship": "Outer"});
        check(&json!({"Node Type": "Limit", "Plan Rows": 50, "Plans": [sorted]}), 1_000_000);
        check(
            &json!({"Node Type": "Aggregate", "Strategy": "Plain", "Plan Rows": 1, "Plans": [scan(1e6)]}),
            1_000_000,
        );
    }

    #[test]
    fn an_index_reads_the_rows_of_its_condition_for_each_row_of_the_other_side() {
        let index = |relationship: &str| {
            json!({"Node Type": "Index Scan", "Relation Name": "orders", "Plan Rows": 3, "Index Cond": "(no = 1)",
                "Parent Relationship": relationship})
        };
        check(&index(""), 3);
        let outer = json!({"Node Type": "Seq Scan", "Relation Name": "few", "Plan Rows": 20, "Parent Relationship": "Outer"});
        check(
            &json!({"Node Type": "Nested Loop", "Plan Rows": 60, "Plans": [outer, index("Inner")]}),
            80,
        );
        let all = json!({"Node Type": "Index Scan", "Relation Name": "orders", "Plan Rows": 2, "Filter": "(note = 'a')"});
        check(&all, 1_000_000);
    }

    #[test]
    fn a_query_in_a_condition_runs_for_each_row_unless_it_is_hashed_and_no_literal_says_so() {
        let plan = |filter: &str| {
            let inner = json!({"Node Type": "Seq Scan", "Relation Name": "few", "Plan Rows": 5, "Parent Relationship": "SubPlan"});
            json!({"Node Type": "Seq Scan", "Relation Name": "some", "Plan Rows": 10, "Filter": filter, "Plans": [inner]})
        };
        check(&plan("(ANY (no = (SubPlan 1).col1))"), 60);
        check(&plan("(NOT (hashed SubPlan 1))"), 15);
        check(&plan("((note = 'a hashed SubPlan'::text) AND (SubPlan 1))"), 60);
        check(&plan("((note = 'it''s a hashed SubPlan'::text) AND (SubPlan 1))"), 60);
    }

    #[test]
    fn a_text_without_a_plan_says_nothing() {
        for rows in
            [vec![vec![Some("x".to_owned())]], vec![vec![Some("[]".to_owned())]], Vec::new()]
        {
            assert_eq!(rows_read(&rows, &TableSizes::new()), None);
        }
    }
}
