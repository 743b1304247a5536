//! Types whose values are texts that the server checks.

use callgate_database::Operation;
use callgate_tool::{FaultCode, Object, json};

use crate::{
    calls::{entity, fields},
    shop::{Shop, settings, user},
};

/// Types, a value as arguments write it, and the same as the server does.
const VALUES: &[(&str, &str, &str)] = &[
    ("interval", "36 hours", "PT36H"),
    ("inet", "10.0.0.1/24", "10.0.0.1/24"),
    ("cidr", "10.0.0.0/8", "10.0.0.0/8"),
    ("macaddr", "08:00:2b:01:02:03", "08:00:2b:01:02:03"),
    ("int4range", "[1,5]", "[1,6)"),
    ("tstzrange", "[2024-01-01 00:00:00+00,)", "[\"2024-01-01 00:00:00+00\",)"),
    ("bit(3)", "101", "101"),
    ("varbit", "10101", "10101"),
    ("tsvector", "'cup':1 'red':2", "'cup':1 'red':2"),
    ("xml", "<a>1</a>", "<a>1</a>"),
    ("money", "12.50", "$12.50"),
    ("point", "(1,2)", "(1,2)"),
    ("time", "24:00:00", "24:00:00"),
    ("bit varying(3)", "10", "10"),
];

#[tokio::test]
async fn a_text_in_the_form_of_its_type_is_written_and_read() {
    let (mut settings, mut sink) = (settings(), entity("sink"));
    sink.operations = vec![Operation::Create, Operation::Get, Operation::List];
    let columns = VALUES.iter().enumerate().map(|(at, (of, ..))| format!("c{at} {of}"));
    let columns: Vec<_> = columns.collect();
    let names: Vec<_> = (0..VALUES.len()).map(|at| format!("c{at}")).collect();
    let shown = names.iter().map(String::as_str).chain(["no", "other", "flags"]);
    sink.fields = Some(fields(shown));
    settings.entities.push(sink);
    let script = format!(
        "create domain flag_bits as bit(3);
         create table sink (no integer generated always as identity primary key, {}, other pg_lsn, flags flag_bits);
         grant select, insert ({}) on sink to LOGIN;",
        columns.join(", "),
        names.join(", ")
    );
    let Some(shop) = Shop::with("literals", settings, &script).await else { return };
    let ann = user("ann");
    let row: Object = VALUES
        .iter()
        .zip(&names)
        .map(|((_, value, _), name)| (name.clone(), (*value).into()))
        .collect();
    let created = shop.call("shop-sink-create", callgate_tool::Value::Object(row), &ann).await;
    for ((of, _, expected), name) in VALUES.iter().zip(&names) {
        assert_eq!(created["row"][name.as_str()], *expected, "{of}");
    }
    for value in ["", "nobody", "' or true --"] {
        for (at, name) in names.iter().enumerate().take(6) {
            let row = json!({name.as_str(): value});
            let fault = shop.fault("shop-sink-create", row, &ann).await;
            assert_eq!(fault.code, FaultCode::InvalidArguments, "{}: {value}", VALUES[at].0);
        }
    }
    // A cast would fill the first one up, and cut the others.
    for (of, value) in [("bit(3)", "10"), ("bit(3)", "1011"), ("bit varying(3)", "1011")] {
        let at = VALUES.iter().position(|(kind, ..)| *kind == of).unwrap();
        let row = json!({names[at].as_str(): value});
        let fault = shop.fault("shop-sink-create", row, &ann).await;
        assert_eq!(fault.code, FaultCode::InvalidArguments, "{of}: {value}");
    }
    for row in [json!({"other": "0/0"}), json!({"flags": "1011"})] {
        let fault = shop.fault("shop-sink-create", row, &ann).await;
        assert_eq!(fault.code, FaultCode::InvalidArguments);
    }
    assert_eq!(shop.database.run("select count(*) from sink"), "1");
}
