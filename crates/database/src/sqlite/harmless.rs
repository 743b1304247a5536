//! The functions of the engine that a model's own SQL may call: they compute from their arguments, the clock or chance, and
//! reach no file, no setting and no other statement. `json_patch` takes the square of its operands' members, `json_pretty` makes a
//! thousand bytes of one, and `jsonb_group_array` and its like are measured only when they are whole: none is among them.

/// True for a function of the list.
pub(super) fn is_harmless(function: &str) -> bool {
    HARMLESS.binary_search(&function.to_ascii_lowercase().as_str()).is_ok()
}

/// True for a function that no statement may call: it loads code, or reads or writes files or pointers.
pub(super) fn is_refused(function: &str) -> bool {
    REFUSED.contains(&function.to_ascii_lowercase().as_str())
}

const REFUSED: [&str; 6] =
    ["edit", "fts3_tokenizer", "load_extension", "readfile", "sqlite_log", "writefile"];

/// In alphabetical order.
const HARMLESS: &[&str] = &[
    "->",
    "->>",
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "avg",
    "ceil",
    "ceiling",
    "char",
    "coalesce",
    "concat",
    "concat_ws",
    "cos",
    "cosh",
    "count",
    "cume_dist",
    "current_date",
    "current_time",
    "current_timestamp",
    "date",
    "datetime",
    "degrees",
    "dense_rank",
    "exp",
    "first_value",
    "floor",
    "format",
    "glob",
    "group_concat",
    "hex",
    "if",
    "ifnull",
    "iif",
    "instr",
    "json",
    "json_array",
    "json_array_insert",
    "json_array_length",
    "json_error_position",
    "json_extract",
    "json_group_array",
    "json_group_object",
    "json_insert",
    "json_object",
    "json_quote",
    "json_remove",
    "json_replace",
    "json_set",
    "json_type",
    "json_valid",
    "jsonb",
    "jsonb_array_insert",
    "jsonb_extract",
    "jsonb_insert",
    "jsonb_remove",
    "jsonb_replace",
    "jsonb_set",
    "julianday",
    "lag",
    "last_value",
    "lead",
    "length",
    "like",
    "likelihood",
    "likely",
    "ln",
    "log",
    "log10",
    "log2",
    "lower",
    "ltrim",
    "max",
    "median",
    "min",
    "mod",
    "nth_value",
    "ntile",
    "nullif",
    "octet_length",
    "percent_rank",
    "percentile",
    "percentile_cont",
    "percentile_disc",
    "pi",
    "pow",
    "power",
    "printf",
    "quote",
    "radians",
    "random",
    "randomblob",
    "rank",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "sign",
    "sin",
    "sinh",
    "soundex",
    "sqrt",
    "strftime",
    "string_agg",
    "substr",
    "substring",
    "sum",
    "tan",
    "tanh",
    "time",
    "timediff",
    "total",
    "trim",
    "trunc",
    "typeof",
    "unhex",
    "unicode",
    "unistr",
    "unistr_quote",
    "unixepoch",
    "unlikely",
    "upper",
    "zeroblob",
];

#[cfg(test)]
mod tests {
    use super::{HARMLESS, is_harmless};

    #[test]
    fn the_list_is_sorted_so_that_it_can_be_searched() {
        assert!(HARMLESS.is_sorted());
        assert!(is_harmless("COUNT") && !is_harmless("load_extension"));
    }
}
