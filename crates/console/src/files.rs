//! Files that a person chose in a form. The sidecar keeps each by its own path, and the arguments name it by its handle.

use callgate_gateway::PageRequest;

use crate::{
    fields::{Part, member_path},
    layout::member_text,
    paths,
};

/// A form whose files are kept.
#[derive(Debug, Default)]
pub(crate) struct KeptFiles {
    /// The fields that name the files, and then those of the form: of two with one name the first counts.
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) files: Vec<KeptFile>,
    pub(crate) faults: Vec<String>,
}

/// A file with the handle that names it.
#[derive(Debug)]
pub(crate) struct KeptFile {
    pub(crate) filename: String,
    pub(crate) n_bytes: usize,
    pub(crate) handle: String,
}

/// Keeps the files of a form for calls in a session.
pub(crate) async fn keep_uploaded_files(request: &PageRequest, session: &str) -> KeptFiles {
    let mut kept = KeptFiles::default();
    let address = format!("/v1/results{}", paths::query(&[("session", session)]));
    for file in request.files() {
        let Some(path) = file.field.strip_prefix(&Part::File.field_name("")) else {
            kept.faults.push(format!("the file `{}`: `{}` takes none", file.filename, file.field));
            continue;
        };
        let answer = request.post_file(&address, &file.media_type, file.bytes.clone()).await;
        let is_kept = answer.is_success();
        let answer = answer.json_or_problem().await;
        let (filename, n_bytes) = (file.filename.clone(), file.bytes.len());
        if is_kept {
            let handle = member_text(&answer, "handle").to_owned();
            kept.fields.extend(handle_fields(path, &handle, &filename));
            kept.files.push(KeptFile { filename, n_bytes, handle });
        } else {
            kept.faults.push(format!("the file `{filename}`: {}", member_text(&answer, "detail")));
        }
    }
    kept.fields.extend_from_slice(request.fields());
    kept
}

/// The fields that say that an input is the file of a handle. `path` is that of the alternative that has a handle.
fn handle_fields(path: &str, handle: &str, filename: &str) -> Vec<(String, String)> {
    let alternative = path.rsplit_once("/|");
    let chosen =
        alternative.map(|(input, at)| (Part::Alternative.field_name(input), at.to_owned()));
    let members = [("data", ""), ("text", ""), ("handle", handle), ("filename", filename)];
    let members = members.into_iter().flat_map(|(name, value)| {
        let path = member_path(path, name);
        [
            (Part::State.field_name(&path), String::new()),
            (Part::Text.field_name(&path), value.to_owned()),
        ]
    });
    chosen
        .into_iter()
        .chain([(Part::Count.field_name(path), "0".to_owned())])
        .chain(members)
        .collect()
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;
    use crate::{fields::Fields, inputs::read_form};

    #[test]
    fn a_kept_file_takes_the_place_of_what_was_typed() {
        let text = json!({"type": "string"});
        let members = json!({"data": (text.clone()), "text": (text.clone()), "handle": (text.clone()), "filename": (text.clone())});
        let file = json!({"anyOf": [text, {"type": "object", "properties": members}]});
        let schema = json!({"type": "object", "properties": {"photo": file}});
        let typed =
            [("i:", "0"), ("a:/photo", "0"), ("t:/photo/|0", "aGk="), ("t:/photo/|1/data", "aGk=")];
        let typed = typed.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let fields = [handle_fields("/photo/|1", "result:7", "p.png"), typed.to_vec()].concat();
        let read = read_form(&schema, &Fields::new(&fields)).into_arguments().unwrap();
        assert_eq!(read, json!({"photo": {"handle": "result:7", "filename": "p.png"}}));
    }
}
