//! The next page of a response that names none, but states its own position, or that there is more behind its last item. Whatever
//! leaves a doubt, such as a page with fewer items than its size, gives no arguments.

use callgate_openapi::Operation;
use callgate_tool::{Arguments, Object, Value};

use super::{
    argument_with_value, envelopes, folded_name,
    names::{ENDS, NUMBERS, POSITIONS, Position},
    page_behind, query_input,
};

/// The arguments for the page behind this one; `has_more` if the response states that there is one.
pub(super) fn next_position(
    operation: &Operation,
    asked: &Arguments,
    page: &Object,
    has_more: bool,
) -> Option<Arguments> {
    let holders = || [page].into_iter().chain(envelopes(page));
    let numbered = || holders().find_map(|members| page_behind_number(operation, asked, members));
    let counted = || {
        holders().find_map(|members| {
            let page = StatedPage { members, page, has_more };
            POSITIONS.iter().find_map(|position| page.next_start(operation, position))
        })
    };
    if !has_more {
        return numbered().or_else(counted);
    }
    numbered()
        .or_else(|| end_cursor(operation, page))
        .or_else(counted)
        .or_else(|| holders().find_map(|members| page_behind_stated(operation, asked, members)))
        .or_else(|| last_id(operation, page))
}

struct StatedPage<'p> {
    /// The members with the position, and those with the items.
    members: &'p Object,
    page: &'p Object,
    has_more: bool,
}

impl StatedPage<'_> {
    fn next_start(&self, operation: &Operation, position: &Position) -> Option<Arguments> {
        let count = |name: &str| member(self.members, name)?.as_u64();
        let (start, size) = (count(position.start)?, count(position.size)?);
        let next = start.checked_add(size)?;
        let is_behind = |total: u64| next.saturating_sub(position.first) < total;
        let goes_on = count(position.total).map_or(self.has_more, is_behind);
        let input = query_input(operation, position.start)?;
        let mut all = lists(self.page).chain(lists(self.members));
        let is_full = size > 0 && all.any(|items| u64::try_from(items.len()) == Ok(size));
        (goes_on && is_full)
            .then(|| [argument_with_value(input, next.into())].into_iter().collect())
    }
}

/// Spring: `number` beside `totalPages` or `last: false`, which counts from 0 even where the parameter counts from 1.
fn page_behind_number(
    operation: &Operation,
    asked: &Arguments,
    members: &Object,
) -> Option<Arguments> {
    let number = members.get("number")?.as_u64()?;
    let goes_on = match members.get("totalPages").and_then(Value::as_u64) {
        Some(pages) => number.checked_add(1)? < pages,
        None => members.get("last")?.as_bool() == Some(false),
    };
    let input = query_input(operation, "page").filter(|_| goes_on)?;
    let next = page_behind(operation, input, asked, number)?;
    Some([argument_with_value(input, next.into())].into_iter().collect())
}

/// The page behind the stated one, where the response states that there is more: Laravel, Zoho.
fn page_behind_stated(
    operation: &Operation,
    asked: &Arguments,
    members: &Object,
) -> Option<Arguments> {
    let stated = NUMBERS.iter().find_map(|name| member(members, name)?.as_u64())?;
    let input = NUMBERS.iter().find_map(|name| query_input(operation, name))?;
    let next = page_behind(operation, input, asked, stated)?;
    Some([argument_with_value(input, next.into())].into_iter().collect())
}

fn end_cursor(operation: &Operation, page: &Object) -> Option<Arguments> {
    [page].into_iter().chain(envelopes(page)).find_map(|members| {
        ENDS.iter().find_map(|end| {
            let cursor = end.subjects.iter().find_map(|name| member(members, name))?;
            cursor.as_str().filter(|cursor| !cursor.is_empty())?;
            let input = end.parameters.iter().find_map(|name| query_input(operation, name))?;
            Some([argument_with_value(input, cursor.clone())].into_iter().collect())
        })
    })
}

/// Stripe: the next page starts after the id of the last item.
fn last_id(operation: &Operation, page: &Object) -> Option<Arguments> {
    let input = query_input(operation, "startingafter")?;
    let items = lists(page).next().filter(|_| lists(page).count() == 1)?;
    let id = items.last()?.get("id").filter(|id| id.is_string())?;
    Some([argument_with_value(input, id.clone())].into_iter().collect())
}

fn lists(page: &Object) -> impl Iterator<Item = &Vec<Value>> {
    page.iter().filter_map(|(_, value)| value.as_array())
}

fn member<'p>(members: &'p Object, name: &str) -> Option<&'p Value> {
    members.iter().find(|(own, _)| folded_name(own) == name).map(|(_, value)| value)
}
