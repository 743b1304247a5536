//! Remedies are run: what a finding says to write is written as printed, and then the finding is gone. The findings are made from
//! every key of the full examples (another value, a misspelt name, no key), and from the rows of `remedies/rows.yaml`.

mod change;
mod help;
mod sources;

use crate::prelude::*;

use serde_json::Value as Json;

pub(crate) use self::help::tree;
use self::{
    change::{Change, change, put, remove},
    help::steps,
};
use crate::{built::findings, configuration_schema::places, root};

/// A configuration with findings, and the one that it was made from.
struct Broken<'a> {
    whole: Json,
    original: &'a Json,
    look: fn(&Json) -> Vec<Finding>,
}

/// What came of the remedies: each once, by the key that it is about and its text.
#[derive(Default)]
struct Tried {
    helps: BTreeSet<(String, String)>,
    failed: BTreeSet<String>,
    /// The findings that say nothing that could be written.
    silent: BTreeSet<String>,
}

impl Tried {
    /// Follows the help of each finding that the change made.
    fn follow(&mut self, broken: &Broken<'_>) {
        let findings = (broken.look)(&broken.whole);
        for finding in &findings {
            let remedy = (key_of(&finding.pointer), finding.help.clone());
            if !self.helps.contains(&remedy) {
                self.try_each_step(broken, finding, &findings);
                self.helps.insert(remedy);
            }
        }
    }

    fn try_each_step(&mut self, broken: &Broken<'_>, finding: &Finding, before: &[Finding]) {
        let steps = steps(&finding.help);
        let place = format!("{}: {} [{}]", finding.pointer, finding.message, finding.help);
        if steps.is_empty() {
            self.silent.insert(finding.help.clone());
        }
        for step in steps {
            let Some(change) = change(broken.original, &broken.whole, finding, &step) else {
                self.failed.insert(format!("{place}\n    {step:?} cannot be written there"));
                continue;
            };
            let after = (broken.look)(&change.whole);
            if let Some(left) = after.iter().find(|left| is_left(left, finding, &change, before)) {
                let left = format!("{}: {}", left.pointer, left.message);
                self.failed.insert(format!("{place}\n    {step:?}, then {left}"));
            }
        }
    }
}

/// True if a finding is still what it was, or has come in its place.
fn is_left(left: &Finding, was: &Finding, change: &Change, before: &[Finding]) -> bool {
    let is_same = left.pointer == was.pointer && left.message == was.message;
    let is_new = || before.iter().all(|known| known.message != left.message);
    let is_there =
        |place: &String| left.pointer == *place || left.pointer.starts_with(&format!("{place}/"));
    // A key that is written without its value is there at least.
    let is_wrong = change.is_exact || left.code == "unknown-key";
    left.severity != Severity::Note
        && (is_same || is_wrong && change.places.iter().any(is_there) && is_new())
}

/// The last names of a pointer: two places of one key are one remedy.
fn key_of(pointer: &str) -> String {
    let names = pointer.rsplit('/').filter(|name| name.parse::<usize>().is_err());
    names.take(2).collect::<Vec<_>>().join(" of ")
}

/// What reading a configuration finds.
fn of_reading(whole: &Json) -> Vec<Finding> {
    let read = loader().text(whole.to_string(), root().join("config"));
    read.map_or_else(|error| error.findings().to_vec(), |_| Vec::new())
}

/// The part of an example that has a place; the other toolsets are there by name.
fn part(example: &Json, pointer: &str) -> Json {
    let mut part = example.clone();
    let own = pointer.split('/').nth(2).filter(|_| pointer.starts_with("/toolsets/"));
    let toolsets = part["toolsets"].as_object_mut().unwrap();
    if toolsets.len() > 4 {
        let others = toolsets.iter_mut().filter(|(name, _)| Some(name.as_str()) != own);
        others.for_each(|(_, toolset)| *toolset = serde_json::json!({"openapi": "x.yaml"}));
    }
    if own.is_some() {
        let needed = ["connections", "data_stores", "toolsets"];
        part.as_object_mut().unwrap().retain(|name, _| needed.contains(&name.as_str()));
    }
    part
}

/// Each key of the examples with another value, under another name, and missing.
fn try_keys(tried: &mut Tried) {
    let probes = serde_json::json!([[true], -1, "two words", [], {"x": 1}]);
    let mut keys = BTreeSet::new();
    for file in FULL.split_whitespace() {
        let text = fs::read_to_string(root().join(file)).unwrap();
        let example = tree(&text).unwrap();
        let mut pointers = Vec::new();
        places(&example, "", &mut pointers);
        // A key that stands in several toolsets is tried in one.
        for pointer in pointers.iter().filter(|pointer| keys.insert(key_of(pointer))) {
            let original = part(&example, pointer);
            let value = original.pointer(pointer).unwrap();
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            let mut try_one = |change: &dyn Fn(&mut Json) -> Option<()>| {
                let mut whole = original.clone();
                change(&mut whole).unwrap();
                tried.follow(&Broken { whole, original: &original, look: of_reading });
            };
            for probe in probes.as_array().unwrap() {
                try_one(&|whole| put(whole, pointer, probe.clone()));
            }
            try_one(&|whole| remove(whole, parent, &name.replace("~1", "/")));
            try_one(&|whole| {
                remove(whole, parent, &name.replace("~1", "/"))?;
                put(whole, &format!("{parent}/{name}x"), value.clone())
            });
            try_one(&|whole| put(whole, &format!("{parent}/zzqqzz"), Json::Null));
        }
    }
}

/// What building a configuration finds that asks no source.
fn of_building(whole: &Json) -> Vec<Finding> {
    find_in(whole, &Environment::new().without_source_requests())
}

/// What building a configuration finds that asks its sources.
fn of_opening(whole: &Json) -> Vec<Finding> {
    find_in(whole, &Environment::new())
}

fn find_in(whole: &Json, environment: &Environment) -> Vec<Finding> {
    let environment = environment.clone().without_audit().listing_missing();
    let read = loader().text(whole.to_string(), root().join("config"));
    findings(read.and_then(|config| build_in(&config, &environment)))
}

/// The configuration of a row: a correct one, and what is wrong.
fn configuration(original: &Json, row: &Json) -> Json {
    let mut whole = original.clone();
    for (key, value) in row.as_object().unwrap() {
        let (place, members) = match (&**key, value.as_object()) {
            ("obey", _) => continue,
            (name @ ("pets" | "shop"), Some(members)) => (format!("/toolsets/{name}"), members),
            (_, Some(members)) => (format!("/{key}"), members),
            (_, None) => {
                put(&mut whole, &format!("/{key}"), value.clone()).unwrap();
                continue;
            }
        };
        if whole.pointer(&place).is_none() {
            put(&mut whole, &place, serde_json::json!({})).unwrap();
        }
        for (name, value) in members {
            let member = format!("{place}/{name}");
            if value.is_null() {
                remove(&mut whole, &place, name).unwrap();
            } else {
                put(&mut whole, &member, value.clone()).unwrap();
            }
        }
    }
    whole
}

/// Configurations that only a build finds fault with, each made from a correct one.
fn try_builds(tried: &mut Tried, look: fn(&Json) -> Vec<Finding>, rows: &str, original: &str) {
    let (rows, original) = (tree(rows).unwrap(), tree(original).unwrap());
    for row in rows.as_array().unwrap() {
        let whole = configuration(&original, row);
        let broken = Broken { whole, original: &original, look };
        if look(&broken.whole).is_empty() {
            tried.failed.insert(format!("no finding: {row}"));
        }
        tried.follow(&broken);
        tried.obey(&broken, row);
    }
}

#[test]
fn a_remedy_is_accepted_as_it_is_printed() {
    let mut tried = Tried::default();
    try_builds(&mut tried, of_building, include_str!("remedies/rows.yaml"), BASE);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.db");
    let database = rusqlite::Connection::open(&file).unwrap();
    database.execute_batch(include_str!("remedies/tables.sql")).unwrap();
    let at_file = |text: &str| text.replace("SHOP\"", &format!("{}\"", file.display()));
    let rows = at_file(include_str!("remedies/openings.yaml"));
    try_builds(&mut tried, of_opening, &rows, &at_file(SHOP));
    tried.is_followed();
    try_keys(&mut tried);
    tried.report();
}

/// The configuration that rows change.
const BASE: &str = "toolsets:
  pets:
    openapi: ../fixtures/pets/spec.yaml
    server: https://api.example.com
    auth: {api_key: {in: header, name: X-Api-Key, value: env:KEY}}
";

/// The configuration of a database that rows change.
const SHOP: &str =
    "toolsets: {shop: {database: {url: \"sqlite:SHOP\"}, entities: {orders: {table: orders}}}}";

impl Tried {
    /// Does by hand what a finding of the row says in words.
    fn obey(&mut self, broken: &Broken<'_>, row: &Json) {
        for (pointer, value) in row["obey"].as_object().into_iter().flatten() {
            let mut mended = broken.whole.clone();
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            match value {
                Json::Null => remove(&mut mended, parent, name).unwrap(),
                value => put(&mut mended, pointer, value.clone()).unwrap(),
            }
            let (before, after) = ((broken.look)(&broken.whole), (broken.look)(&mended));
            let helped = before.iter().filter(|was| steps(&was.help).is_empty());
            let helped: Vec<_> = helped.collect();
            if helped.is_empty() {
                self.failed.insert(format!("nothing to obey: {row}: {before:?}"));
            }
            for was in helped {
                self.silent.remove(&was.help);
                let is_left = after.iter().any(|left| left.message == was.message);
                let fault = || format!("{}: {} [{}] is left", was.pointer, was.message, was.help);
                self.failed.extend(is_left.then(fault));
            }
        }
    }

    /// Checks that each remedy could be followed, and helped.
    #[track_caller]
    fn is_followed(&self) {
        let failed: Vec<_> = self.failed.iter().map(String::as_str).collect();
        assert!(failed.is_empty(), "{} fail:\n{}", failed.len(), failed.join("\n"));
        assert!(self.silent.is_empty(), "nothing can be written: {:#?}", self.silent);
    }

    #[track_caller]
    #[expect(clippy::print_stdout, reason = "the counts are read by people")]
    fn report(&self) {
        let helps = &self.helps;
        println!("{} remedies were followed, {} failed", helps.len(), self.failed.len());
        self.is_followed();
        let mut unseen = sources::helps();
        unseen.retain(|text| !helps.iter().any(|(_, help)| sources::is_of(help, text)));
        println!("{} helps were not seen", unseen.len());
        assert!(
            unseen.len() <= UNSEEN,
            "{} helps that nothing here prints: {unseen:#?}",
            unseen.len()
        );
        assert!(helps.len() >= REMEDIES, "{} remedies", helps.len());
    }
}

/// The least number of remedies.
const REMEDIES: usize = 1600;
/// The most helps that no configuration here makes. May only fall.
const UNSEEN: usize = 81;
