//! The parts of `vertex` that are texts of their own: names of data stores, filters, boosts. Each fault is reported at its place.

use callgate_kind::ArgumentForm;
use callgate_settings::{Reader, SettingCode, pointer_segment};

use crate::{
    filter::Filter,
    keys::{BoostKeys, PointKeys, StoreKeys, VertexKeys},
    resource_name::ResourceName,
    settings::{Boost, BoostControl, ControlKind, ResultMode, StoreSettings, Target},
};

/// The parts of a search whose texts were read.
#[derive(Clone, Debug)]
pub(crate) struct SearchParts {
    pub(crate) targets: Vec<Target>,
    pub(crate) filter: Option<Filter>,
    pub(crate) boosts: Vec<Boost>,
}

/// The parts of `vertex`, which is at a pointer; `None` if one has a fault, which is reported.
pub(crate) fn read_search_parts(
    reader: &mut Reader,
    pointer: String,
    keys: &VertexKeys,
) -> Option<SearchParts> {
    let n_faults = reader.complaints.len();
    let mut reading = KeysReader { reader, pointer };
    reading.report_contradictions(keys);
    let targets = reading.read_targets(keys);
    let filter = reading.read_filter(keys.filter.as_deref(), "filter");
    let boosts = reading.read_boosts(keys.boosts.as_deref(), "boosts");
    let is_whole = reader.complaints.len() == n_faults;
    is_whole.then_some(SearchParts { targets, filter, boosts })
}

/// Reads the parts of `vertex`, and reports their faults.
struct KeysReader<'a> {
    reader: &'a mut Reader,
    pointer: String,
}

impl KeysReader<'_> {
    fn report_fault(&mut self, at: &str, message: &str, help: &str) {
        let pointer = format!("{}/{at}", self.pointer);
        let pointer = pointer.trim_end_matches('/');
        self.reader.report_fault(SettingCode::WrongValue, pointer, message, help);
    }

    /// Reports settings that contradict each other.
    fn report_contradictions(&mut self, keys: &VertexKeys) {
        let is_google = keys.arguments == Some(ArgumentForm::Google);
        let is_answered = keys.answer.unwrap_or_default();
        let n_stores = keys.data_stores.as_ref().map_or(0, Vec::len);
        if is_answered && keys.engine.is_none() && n_stores > 1 {
            let message = "expected `engine` with `answer` over several data stores, got none";
            self.report_fault("answer", message, "name the engine that has the data stores");
        }
        if keys.engine.is_none() && n_stores > MOST_STORES {
            let message = format!(
                "expected at most {MOST_STORES} data stores without an engine, got {n_stores}"
            );
            self.report_fault("data_stores", &message, "name the engine that has the data stores");
        }
        if keys.filter_argument.is_some() && !is_google {
            let message = "expected `arguments: google` with `filter_argument`, got others";
            self.report_fault(
                "filter_argument",
                message,
                "leave it out, and name the fields of conditions under `fields`",
            );
        }
        if keys.fields.is_some() && is_google {
            let message = "expected no `fields` beside `arguments: google`, got some";
            self.report_fault(
                "fields",
                message,
                "write `filter_argument: true` in its place, or remove the key",
            );
        }
        if keys.grounding.is_some() && !is_answered {
            let message = "expected `answer: true` with `grounding`, got none";
            self.report_fault("grounding", message, "write `answer: true`, or remove the key");
        }
        for (name, _) in keys.fields.iter().flatten() {
            if format!("{name} > 0").parse::<Filter>().is_err() {
                let message = format!("expected the name of a field, got: `{name}`");
                let help = "use letters, digits, `_`, `.` and `-`";
                self.report_fault(&format!("fields/{}", pointer_segment(name)), &message, help);
            }
        }
    }

    fn read_targets(&mut self, keys: &VertexKeys) -> Vec<Target> {
        let mode = |mode: Option<ResultMode>| mode.or(keys.mode).unwrap_or_default();
        let stores = keys.data_stores.iter().flatten().enumerate();
        let stores: Vec<_> =
            stores.filter_map(|(at, keys)| Some((keys.mode, self.read_store(at, keys)?))).collect();
        if let Some(engine) = &keys.engine {
            let name = self.read_resource_name(engine, "engine", Kind::Engine);
            let is_own = |keys: &StoreKeys| keys.mode.is_some();
            if keys.data_stores.iter().flatten().any(is_own) {
                let message = "expected no `mode` of a data store beside `engine`, got one";
                self.report_fault("data_stores", message, "move `mode` beside `engine`");
            }
            let stores = stores.into_iter().map(|(_, store)| store).collect();
            let target = |name| {
                let (filter, boosts) = (None, Vec::new());
                Target { name, mode: mode(None), filter, boosts, stores }
            };
            return name.map(target).into_iter().collect();
        }
        let targets = stores.into_iter().map(|(own, StoreSettings { name, filter, boosts })| {
            Target { name, mode: mode(own), filter, boosts, stores: Vec::new() }
        });
        targets.collect()
    }

    fn read_store(&mut self, at: usize, keys: &StoreKeys) -> Option<StoreSettings> {
        let at = format!("data_stores/{at}");
        let name = self.read_resource_name(keys.name.as_deref()?, &at, Kind::DataStore);
        let filter = self.read_filter(keys.filter.as_deref(), &format!("{at}/filter"));
        let boosts = self.read_boosts(keys.boosts.as_deref(), &format!("{at}/boosts"));
        Some(StoreSettings { name: name?, filter, boosts })
    }

    fn read_resource_name(&mut self, text: &str, at: &str, kind: Kind) -> Option<ResourceName> {
        let name = text.parse::<ResourceName>().ok();
        let name = name.filter(|name| name.is_engine() == (kind == Kind::Engine));
        if name.is_none() {
            let (what, word) = match kind {
                Kind::DataStore => ("a data store", "dataStores"),
                Kind::Engine => ("an engine", "engines"),
            };
            let message = format!("expected the name of {what}, got: `{text}`");
            let help = format!(
                "write `projects/PROJECT/locations/LOCATION/collections/COLLECTION/{word}/NAME`"
            );
            self.report_fault(at, &message, &help);
        }
        name
    }

    fn read_filter(&mut self, text: Option<&str>, at: &str) -> Option<Filter> {
        let read = text?.parse::<Filter>();
        let complained = read.map_err(|error| {
            let help =
                "for example `'audience: ANY(\"all\", $session.params.audience) AND tier >= 2'`";
            self.report_fault(at, &error.to_string(), help);
        });
        complained.ok()
    }

    fn read_boosts(&mut self, boosts: Option<&[BoostKeys]>, at: &str) -> Vec<Boost> {
        let boosts = boosts.unwrap_or_default();
        if boosts.len() > MOST_BOOSTS {
            let message = format!("expected at most {MOST_BOOSTS} boosts, got {}", boosts.len());
            self.report_fault(at, &message, "remove some");
        }
        let all = boosts.iter().enumerate();
        all.map(|(index, keys)| self.read_boost(keys, &format!("{at}/{index}"))).collect()
    }

    fn read_boost(&mut self, keys: &BoostKeys, at: &str) -> Boost {
        let condition = self.read_filter(keys.condition.as_deref(), &format!("{at}/condition"));
        let point = |point: &PointKeys| Some((point.value.clone()?, point.boost?));
        let control = keys.field.as_ref().map(|field| BoostControl {
            field: field.clone(),
            kind: keys.by.unwrap_or(ControlKind::Number),
            points: keys.points.iter().flatten().filter_map(point).collect(),
        });
        Boost { condition, boost: keys.boost.unwrap_or_default(), control }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    DataStore,
    Engine,
}

/// The service takes no more.
const MOST_BOOSTS: usize = 20;
/// Each takes a request of its own.
const MOST_STORES: usize = 10;
