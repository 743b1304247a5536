//! Shapes an answer with several parts: they share its budget, so that small ones stay whole and large ones are cut evenly.
//! Parts without room are counted.

use callgate_tool::{Content, Cut, Json, Part, Unit};

use super::{ReadResponse, Shape, ShapedContent};
use crate::{cut::size_limit_per_value, select::Selection};

impl Shape {
    pub(super) fn shaped_parts(&self, parts: Vec<Part>, read: &ReadResponse<'_>) -> ShapedContent {
        if !matches!(self.selection, Selection::All) {
            return self.shape_json(Json::from_serializable(&Content::Parts(parts)), read);
        }
        let (shown, mut room) = self.shown_count_and_room(&parts);
        let share =
            size_limit_per_value(parts.iter().take(shown).map(cuttable_size).collect(), room);
        let mut all = ShapedContent::from(Content::Empty);
        if shown < parts.len() {
            let (at, of, unit) = (String::new(), parts.len(), Unit::Items);
            all.cuts.push(Cut { at, shown, of, unit });
        }
        let mut kept = Vec::with_capacity(shown);
        for (index, mut part) in parts.into_iter().take(shown).enumerate() {
            let n_more = read.more_of_parts.get(index).copied().unwrap_or_default();
            // Big integers become longer as texts.
            let own = Self { result_bytes: share.min(room), ..self.clone() };
            let one = own.shaped_content(
                part.content,
                &ReadResponse { n_more, more_of_parts: &[], ..*read },
            );
            part.content = one.content;
            room = room.saturating_sub(cuttable_size(&part));
            kept.push(part);
            if !one.cuts.is_empty() {
                all.cut_parts.push(index);
            }
            all.cuts.extend(one.cuts.into_iter().map(|cut| cut_in_part(index, cut)));
            all.n_removed += one.n_removed;
            if all.next.is_empty() {
                all.next = one.next;
            }
        }
        all.content = Content::Parts(kept);
        all
    }

    fn shown_count_and_room(&self, parts: &[Part]) -> (usize, usize) {
        let (mut shown, mut needed, mut room) = (0, 0_usize, self.result_bytes);
        for part in parts {
            let said = uncuttable_size(part);
            needed = needed.saturating_add(said + cuttable_size(part).min(LEAST));
            if needed > self.result_bytes && shown > 0 {
                break;
            }
            shown += 1;
            room = room.saturating_sub(said);
        }
        (shown, room)
    }
}

/// Moves the location of a cut into its part.
fn cut_in_part(index: usize, mut cut: Cut) -> Cut {
    let dot = if cut.at.is_empty() || cut.at.starts_with('[') { "" } else { "." };
    cut.at = format!("[{index}].content{dot}{}", cut.at);
    cut
}

/// The bytes of a part that can be cut.
fn cuttable_size(part: &Part) -> usize {
    match &part.content {
        Content::Json(json) => json.text().len(),
        Content::Text { text, .. } => text.len(),
        _ => 0,
    }
}

/// The approximate bytes that describe a part that cannot be cut.
fn uncuttable_size(part: &Part) -> usize {
    let names = [&part.name, &part.content_id, &part.filename];
    let names: usize = names.into_iter().flatten().map(|name| name.len() + MEMBER).sum();
    let content = match &part.content {
        Content::File { media_type, .. } => FILE + media_type.len(),
        Content::Media { media_type, .. } => MEMBER + media_type.len(),
        _ => 0,
    };
    names + content + MEMBER
}

/// The least room for a part; with less, the part is not shown.
const LEAST: usize = 256;
/// The bytes of a member besides its value.
const MEMBER: usize = 16;
/// The bytes of a file's size, digest and handle.
const FILE: usize = 160;

#[cfg(test)]
mod tests {
    use callgate_openapi::{Document, Limits, LoadOptions, Operation, load};
    use callgate_tool::{Answer, Arguments, json};
    use http::HeaderMap;

    use super::*;
    use crate::shape::ShapedAnswer;

    fn operation() -> std::sync::Arc<Operation> {
        let description = json!({"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "servers": [{"url": "https://h.example"}],
            "paths": {"/": {"get": {"operationId": "get", "responses": {"200": {"description": "fine"}}}}}});
        let document = Document::read(description.to_string().as_bytes(), &Limits::default());
        load(&document.unwrap().value, &LoadOptions::default()).operations.remove(0)
    }

    fn shown(parts: Vec<Part>, shape: &Shape) -> ShapedAnswer {
        let (operation, headers) = (operation(), HeaderMap::new());
        let (operation, headers) = (&*operation, &headers);
        let (arguments, more_of_parts) = (&Arguments::new(), &[0, 5]);
        let read =
            ReadResponse { operation, arguments, headers, size: 7, n_more: 0, more_of_parts };
        shape.shaped_answer(Answer::new(200, Content::Parts(parts)), &read)
    }

    fn text(length: usize) -> Part {
        Part::new(Content::Text { text: "x".repeat(length), media_type: "text/plain".to_owned() })
    }

    #[test]
    fn parts_of_an_answer_share_the_budget() {
        let shape = Shape { result_bytes: 1024, ..Shape::default() };
        let json = Part::new(Content::Json(json!([1, 2]).into()));
        let ShapedAnswer { answer, cut_parts, .. } =
            shown(vec![text(100), json, text(5000)], &shape);
        let Content::Parts(parts) = &answer.content else { panic!("{answer:?}") };
        assert_eq!(parts.len(), 3);
        assert_eq!(parts.first(), Some(&text(100)), "a small one is whole");
        assert!(parts.iter().map(cuttable_size).sum::<usize>() <= 1024);
        assert_eq!(cut_parts, [1, 2]);
        let cuts = answer.truncated.unwrap().cuts;
        let cuts: Vec<_> = cuts.iter().map(|cut| (&*cut.at, cut.of, cut.unit)).collect();
        let expected = [("[1].content", 7, Unit::Items), ("[2].content", 5000, Unit::Bytes)];
        assert_eq!(cuts, expected, "the second is a sequence of which five values were not read");
    }

    #[test]
    fn parts_beyond_the_budget_are_counted() {
        let shape = Shape { result_bytes: 1024, ..Shape::default() };
        let ShapedAnswer { answer, cut_parts, .. } = shown(vec![text(300); 100], &shape);
        let Content::Parts(parts) = &answer.content else { panic!("{answer:?}") };
        assert!(parts.iter().map(cuttable_size).sum::<usize>() <= 1024);
        assert_eq!((parts.len(), cut_parts.len()), (3, 0));
        assert!(answer.truncated.unwrap().message.starts_with("showing 3 of 100 items"));
    }

    #[test]
    fn a_selection_reaches_into_parts() {
        let shape = Shape { selection: Selection::paths(["content.id"]), ..Shape::default() };
        let part = Part::new(Content::Json(json!({"id": 7, "more": 1}).into()));
        let ShapedAnswer { answer, .. } = shown(vec![part], &shape);
        assert_eq!(answer.content, Content::Json(json!([{"content": {"id": 7}}]).into()));
    }
}
