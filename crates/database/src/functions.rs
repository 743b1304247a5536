//! The functions that SQL of a model may call, by the engines that have them. They compute from their arguments, the clock or chance. Others
//! take locks, change settings, read files or settings, run a text as a statement, or show who is signed in, and no right keeps a login from all of
//! them. PostgreSQL's `pg_typeof` gives a type that reads names of the catalog by their numbers. SQLite's `json_patch` takes the square of its operands' members, `json_pretty` makes a thousand bytes of one, and `jsonb_group_array` and
//! its like are measured only when they are whole: none of its own is among them.

use crate::engine::Engine;

/// True for a function of the list; the name is as the engine compares it.
pub(crate) fn is_listed(engine: Engine, name: &str) -> bool {
    let mut lists = LISTS.iter().filter(|(engines, _)| engines.contains(&engine));
    lists.any(|(_, names)| has_word(names, name))
}

/// The functions of one engine.
#[cfg(feature = "postgres")]
pub(crate) fn names(engine: Engine) -> impl Iterator<Item = &'static str> {
    let lists = LISTS.iter().filter(move |(engines, _)| engines.contains(&engine));
    lists.flat_map(|(_, names)| names.split_ascii_whitespace())
}

/// True for a word of such a list.
pub(crate) fn has_word(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|other| other == word)
}

const LISTS: [(&[Engine], &str); 7] = [
    (
        &[Engine::Mysql, Engine::Postgres, Engine::Sqlite],
        "abs acos asin atan atan2 avg ceil ceiling coalesce concat concat_ws cos count cume_dist current_date current_time \
        current_timestamp degrees dense_rank exp first_value floor format json_array json_object lag last_value lead length ln \
        log log10 lower ltrim max min mod nth_value ntile nullif octet_length percent_rank percentile_cont percentile_disc pi \
        pow power radians rank replace round row_number rtrim sign sin sqrt substr substring sum tan trim upper",
    ),
    (
        &[Engine::Mysql, Engine::Postgres],
        "ascii bit_and bit_count bit_length bit_or bit_xor char_length character_length chr cot date_add extract greatest \
        json_arrayagg json_exists json_objectagg json_query json_table json_value least left localtime localtimestamp lpad md5 \
        now position regexp_instr regexp_replace regexp_substr repeat reverse right rpad stddev stddev_pop stddev_samp to_char \
        var_pop var_samp variance",
    ),
    (
        &[Engine::Mysql, Engine::Sqlite],
        "char date group_concat hex if ifnull instr json_array_insert json_extract json_insert json_quote json_remove \
        json_replace json_set json_type json_valid log2 median quote soundex time timediff unhex",
    ),
    (
        &[Engine::Postgres, Engine::Sqlite],
        "acosh asinh atanh cosh json_array_length jsonb_insert jsonb_set like random sinh string_agg tanh trunc unistr",
    ),
    (
        &[Engine::Mysql],
        "add_months adddate addtime bin charset coercibility collation conv convert_tz crc32 curdate curtime database \
        date_format date_sub datediff day dayname dayofmonth dayofweek dayofyear elt export_set extractvalue field find_in_set \
        from_base64 from_days from_unixtime get_format hour inet6_aton inet6_ntoa inet_aton inet_ntoa insert is_ipv4 is_ipv6 \
        isnull json_array_append json_compact json_contains json_contains_path json_depth json_detailed json_equals json_keys \
        json_length json_loose json_merge json_merge_patch json_merge_preserve json_normalize json_overlaps json_pretty \
        json_search json_unquote last_day lcase locate make_set makedate maketime microsecond mid minute month monthname \
        natural_sort_key nvl nvl2 oct ord period_add period_diff point quarter rand schema sec_to_time second sha sha1 sha2 \
        space st_area st_asgeojson st_astext st_centroid st_contains st_distance st_distance_sphere st_equals st_geomfromtext \
        st_intersects st_length st_within st_x st_y std str_to_date strcmp subdate substring_index subtime sysdate time_format \
        time_to_sec timestamp timestampadd timestampdiff to_base64 to_days to_seconds truncate ucase unix_timestamp utc_date \
        utc_time utc_timestamp uuid version week weekday weekofyear weight_string year yearweek",
    ),
    (
        &[Engine::Postgres],
        "age any_value area array_agg array_append array_cat array_dims array_fill array_length array_lower array_ndims \
        array_position array_positions array_prepend array_remove array_replace array_sample array_shuffle array_to_json \
        array_to_string array_upper asind atan2d atand bool_and bool_or btrim cardinality cbrt center clock_timestamp \
        convert_from convert_to corr cosd cotd covar_pop covar_samp date_bin date_part date_subtract date_trunc decode \
        diameter div encode enum_first enum_last enum_range erf erfc every factorial family gcd gen_random_uuid \
        generate_series generate_subscripts get_bit get_byte grouping height host hostmask inet_merge inet_same_family initcap \
        isempty isfinite json_agg json_agg_strict json_array_elements json_array_elements_text json_build_array \
        json_build_object json_each json_each_text json_extract_path json_extract_path_text json_object_agg \
        json_object_agg_strict json_object_agg_unique json_object_keys json_scalar json_serialize json_strip_nulls \
        json_to_record json_to_recordset json_typeof jsonb_agg jsonb_agg_strict jsonb_array_elements jsonb_array_elements_text \
        jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text jsonb_extract_path \
        jsonb_extract_path_text jsonb_object jsonb_object_agg jsonb_object_agg_strict jsonb_object_agg_unique \
        jsonb_object_keys jsonb_path_exists jsonb_path_exists_tz jsonb_path_match jsonb_path_match_tz jsonb_path_query \
        jsonb_path_query_array jsonb_path_query_array_tz jsonb_path_query_first jsonb_path_query_first_tz jsonb_path_query_tz \
        jsonb_pretty jsonb_set_lax jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof justify_days \
        justify_hours justify_interval lcm lower_inc lower_inf make_date make_interval make_time make_timestamp \
        make_timestamptz masklen min_scale mode netmask network normalize notlike num_nonnulls num_nulls numnode overlaps \
        overlay pg_catalog pg_collation_for pg_column_size pg_size_bytes pg_size_pretty pg_sleep phraseto_tsquery \
        plainto_tsquery quote_ident quote_literal quote_nullable radius random_normal range_agg range_intersect_agg \
        range_merge regexp_count regexp_like regexp_match regexp_matches regexp_split_to_array regexp_split_to_table regr_avgx \
        regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy row_to_json scale set_bit set_byte \
        setweight sha224 sha256 sha384 sha512 sind slope split_part starts_with statement_timestamp string_to_array \
        string_to_table strip strpos tand timeofday timezone to_ascii to_bin to_date to_hex to_json to_jsonb to_number to_oct \
        to_timestamp to_tsquery to_tsvector transaction_timestamp translate trim_array trim_scale ts_delete ts_filter \
        ts_headline ts_rank ts_rank_cd tsvector_to_array unicode_assigned unnest upper_inc upper_inf uuid_extract_timestamp \
        uuid_extract_version uuidv4 uuidv7 websearch_to_tsquery width width_bucket",
    ),
    (
        &[Engine::Sqlite],
        "-> ->> datetime glob iif json json_error_position json_group_array json_group_object jsonb jsonb_array_insert \
        jsonb_extract jsonb_remove jsonb_replace julianday likelihood likely percentile printf randomblob strftime total \
        typeof unicode unistr_quote unixepoch unlikely zeroblob",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_one_of_some_engines() {
        for engine in [Engine::Mysql, Engine::Postgres, Engine::Sqlite] {
            assert!(is_listed(engine, "count") && !is_listed(engine, "load_extension"));
        }
        assert!(is_listed(Engine::Mysql, "elt") && !is_listed(Engine::Postgres, "elt"));
        assert!(!is_listed(Engine::Sqlite, "json_pretty") && !is_listed(Engine::Mysql, "get_lock"));
    }
}
