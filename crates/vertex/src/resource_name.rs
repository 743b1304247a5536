//! The name of a data store or an engine, and of the serving configuration that searches it:
//! `projects/P/locations/L/collections/C/dataStores/D/servingConfigs/S`.

use std::str::FromStr;

/// The name of a data store or an engine. Without a collection or a serving configuration it has the usual ones.
///
/// ```
/// use callgate_vertex::ResourceName;
///
/// let name: ResourceName = "projects/p/locations/eu/dataStores/manuals".parse()?;
/// let expected = "projects/p/locations/eu/collections/default_collection/dataStores/manuals";
/// assert_eq!(name.as_str(), expected);
/// assert_eq!(name.serving_config_name(), format!("{expected}/servingConfigs/default_search"));
/// assert_eq!(name.service_origin(), "https://eu-discoveryengine.googleapis.com");
/// assert!("projects/p/dataStores/manuals".parse::<ResourceName>().is_err());
/// # Ok::<(), callgate_vertex::InvalidResourceName>(())
/// ```
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct ResourceName {
    name: String,
    location: String,
    is_engine: bool,
    serving_config: String,
}

/// The text is not the name of a data store or an engine.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct InvalidResourceName;

impl ResourceName {
    /// The name without the serving configuration.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// True for an engine, false for a data store.
    pub fn is_engine(&self) -> bool {
        self.is_engine
    }

    /// The name with the serving configuration.
    pub fn serving_config_name(&self) -> String {
        format!("{}/servingConfigs/{}", self.name, self.serving_config)
    }

    /// The origin of the service: each multi-region has its own.
    pub fn service_origin(&self) -> String {
        match &*self.location {
            "eu" | "us" => format!("https://{}-discoveryengine.googleapis.com", self.location),
            _ => "https://discoveryengine.googleapis.com".to_owned(),
        }
    }
}

impl FromStr for ResourceName {
    type Err = InvalidResourceName;

    fn from_str(text: &str) -> Result<Self, InvalidResourceName> {
        let parts: Vec<&str> = text.split('/').collect();
        if !parts.iter().enumerate().all(|(at, part)| is_valid_path_segment(part, at == 1)) {
            return Err(InvalidResourceName);
        }
        let ["projects", project, "locations", location, rest @ ..] = &*parts else {
            return Err(InvalidResourceName);
        };
        let (collection, rest) = match rest {
            ["collections", collection, rest @ ..] => (*collection, rest),
            rest => ("default_collection", rest),
        };
        let (kind, id, serving_config) = match rest {
            [kind, id] => (*kind, id, "default_search"),
            [kind, id, "servingConfigs", config] => (*kind, id, *config),
            _ => return Err(InvalidResourceName),
        };
        if !["dataStores", "engines"].contains(&kind) {
            return Err(InvalidResourceName);
        }
        Ok(Self {
            name: format!(
                "projects/{project}/locations/{location}/collections/{collection}/{kind}/{id}"
            ),
            location: (*location).to_owned(),
            is_engine: kind == "engines",
            serving_config: serving_config.to_owned(),
        })
    }
}

callgate_secret::text!(error InvalidResourceName: _ => "a data store or an engine is named by `projects/…/locations/…/collections/…/dataStores/…` or `…/engines/…`");

/// True if a text can be a segment of a path as it is. Ids of old projects have a domain before `:`, which elsewhere begins a verb.
fn is_valid_path_segment(text: &str, is_project: bool) -> bool {
    let is_legal = |byte: u8| {
        byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) || (is_project && byte == b':')
    };
    !text.is_empty()
        && text.len() <= 128
        && ![".", ".."].contains(&text)
        && text.bytes().all(is_legal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let name = text.parse::<ResourceName>().ok();
        assert_eq!(name.map(|name| name.serving_config_name()).as_deref(), expected, "{text}");
    }

    #[test]
    fn parts_that_a_name_leaves_out_are_the_usual_ones() {
        let whole = "projects/p/locations/global/collections/c/engines/e/servingConfigs/s";
        check(whole, Some(whole));
        check(
            "projects/example.com:p/locations/l/dataStores/d",
            Some(
                "projects/example.com:p/locations/l/collections/default_collection/dataStores/d/servingConfigs/default_search",
            ),
        );
    }

    #[test]
    fn other_texts_are_no_names() {
        for text in [
            "",
            "projects/p/locations/l/collections/c/dataStores/",
            "projects/p/locations/l/collections/c/dataStores/..",
            "projects/p/locations/l/collections/c/dataStores/d:search",
            "projects/p/locations/l/collections/c/dataStores/d/branches/0",
            "projects/p/locations/l/collections/c/connections/d",
            "projects/p/locations/l/collections/c/dataStores/d?x=1",
            "/projects/p/locations/l/dataStores/d",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn a_multi_region_has_a_host_of_its_own() {
        for (location, host) in [
            ("global", "discoveryengine"),
            ("us", "us-discoveryengine"),
            ("europe-west1", "discoveryengine"),
        ] {
            let name = format!("projects/p/locations/{location}/dataStores/d");
            let name: ResourceName = name.parse().unwrap();
            assert_eq!(name.service_origin(), format!("https://{host}.googleapis.com"));
        }
    }
}
