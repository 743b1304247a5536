//! The next page of a response that names none, but states its own position, or that there is more behind its last item. Whatever
//! leaves a doubt, such as a page with fewer items than its size, gives no arguments.

use callgate_openapi::Operation;
use callgate_tool::{Arguments, Object, Value};

use super::{
    argument_with_value, envelope_objects, folded_name,
    names::{ENDS, NUMBERS, POSITIONS, Position},
    next_page_number, query_input_by_name,
};

/// The arguments for the page behind this one; `has_more` if the response states that there is one.
pub(super) fn next_position_arguments(
    operation: &Operation,
    asked: &Arguments,
    page: &Object,
    has_more: bool,
) -> Option<Arguments> {
    let holders = || [page].into_iter().chain(envelope_objects(page));
    let numbered =
        || holders().find_map(|members| arguments_after_page_number(operation, asked, members));
    let counted = || {
        holders().find_map(|members| {
            let page = StatedPage { members, page, has_more };
            POSITIONS.iter().find_map(|position| page.next_start_arguments(operation, position))
        })
    };
    if !has_more {
        return numbered().or_else(counted);
    }
    numbered()
        .or_else(|| end_cursor_arguments(operation, page))
        .or_else(counted)
        .or_else(|| {
            holders().find_map(|members| arguments_after_stated_page(operation, asked, members))
        })
        .or_else(|| last_id_arguments(operation, page))
}

struct StatedPage<'p> {
    /// The members with the position, and those with the items.
    members: &'p Object,
    page: &'p Object,
    has_more: bool,
}

impl StatedPage<'_> {
    fn next_start_arguments(
        &self,
        operation: &Operation,
        position: &Position,
    ) -> Option<Arguments> {
        let count = |name: &str| member_by_folded_name(self.members, name)?.as_u64();
        let (start, size) = (count(position.start)?, count(position.size)?);
        let next = start.checked_add(size)?;
        let is_behind = |total: u64| next.saturating_sub(position.first) < total;
        let goes_on = count(position.total).map_or(self.has_more, is_behind);
        let input = query_input_by_name(operation, position.start)?;
        let mut all = member_lists(self.page).chain(member_lists(self.members));
        let is_full = size > 0 && all.any(|items| u64::try_from(items.len()) == Ok(size));
        (goes_on && is_full)
            .then(|| [argument_with_value(input, next.into())].into_iter().collect())
    }
}

/// Spring: `number` beside `totalPages` or `last: false`, which counts from 0 even where the parameter counts from 1.
fn arguments_after_page_number(
    operation: &Operation,
    asked: &Arguments,
    members: &Object,
) -> Option<Arguments> {
    let number = members.get("number")?.as_u64()?;
    let goes_on = match members.get("totalPages").and_then(Value::as_u64) {
        Some(pages) => number.checked_add(1)? < pages,
        None => members.get("last")?.as_bool() == Some(false),
    };
    let input = query_input_by_name(operation, "page").filter(|_| goes_on)?;
    let next = next_page_number(operation, input, asked, number)?;
    Some([argument_with_value(input, next.into())].into_iter().collect())
}

/// The page behind the stated one, where the response states that there is more: Laravel, Zoho.
fn arguments_after_stated_page(
    operation: &Operation,
    asked: &Arguments,
    members: &Object,
) -> Option<Arguments> {
    let stated = NUMBERS.iter().find_map(|name| member_by_folded_name(members, name)?.as_u64())?;
    let input = NUMBERS.iter().find_map(|name| query_input_by_name(operation, name))?;
    let next = next_page_number(operation, input, asked, stated)?;
    Some([argument_with_value(input, next.into())].into_iter().collect())
}

fn end_cursor_arguments(operation: &Operation, page: &Object) -> Option<Arguments> {
    [page].into_iter().chain(envelope_objects(page)).find_map(|members| {
        ENDS.iter().find_map(|end| {
            let cursor =
                end.subjects.iter().find_map(|name| member_by_folded_name(members, name))?;
            cursor.as_str().filter(|cursor| !cursor.is_empty())?;
            let input =
                end.parameters.iter().find_map(|name| query_input_by_name(operation, name))?;
            Some([argument_with_value(input, cursor.clone())].into_iter().collect())
        })
    })
}

/// Stripe: the next page starts after the id of the last item.
fn last_id_arguments(operation: &Operation, page: &Object) -> Option<Arguments> {
    let input = query_input_by_name(operation, "startingafter")?;
    let items = member_lists(page).next().filter(|_| member_lists(page).count() == 1)?;
    let id = items.last()?.get("id").filter(|id| id.is_string())?;
    Some([argument_with_value(input, id.clone())].into_iter().collect())
}

fn member_lists(page: &Object) -> impl Iterator<Item = &Vec<Value>> {
    page.iter().filter_map(|(_, value)| value.as_array())
}

fn member_by_folded_name<'p>(members: &'p Object, name: &str) -> Option<&'p Value> {
    members.iter().find(|(own, _)| folded_name(own) == name).map(|(_, value)| value)
}
