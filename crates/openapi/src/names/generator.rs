//! Recognizes an `operationId` that a generator made from the name in a program and from the method, path or tag of the
//! operation, and finds the name in the program. An id counts as generated only if all of its other parts say again what the
//! operation itself says. `short` decides which names are used.

use std::borrow::Cow;

use crate::names::{Identity, vague::is_meaningless_word};

/// A generator of descriptions whose ids are longer than the names in the program.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Generator {
    /// Name, path and method: `read_order_orders__order_id__get`.
    FastApi,
    /// Class and name: `OrdersController_findAll`.
    Nest,
    /// Name and number, where several operations have one name: `getConfig_22`.
    Numbered,
    /// An id that several operations have.
    Shared,
    /// Name and method: `readOrderUsingGET`.
    Springfox,
    /// Tag and name: `Orders_GetOrder`, as `NSwag` and the gateways of gRPC write it.
    Tagged,
}

/// The name in the program, if a generator made the rest of the operation's id.
pub(crate) fn name_and_generator<'a>(
    operation: &Identity<'a>,
) -> Option<(Cow<'a, str>, Generator)> {
    let id = operation.operation_id?;
    let by_route = || Some((fastapi_name(id, operation)?.into(), Generator::FastApi));
    let by_method = || Some((springfox_name(id, operation.method)?, Generator::Springfox));
    let by_tag = || Some((name_after_tag(id, operation.tag?)?.into(), Generator::Tagged));
    let by_class = || Some((nestjs_name(id)?.into(), Generator::Nest));
    by_route().or_else(by_method).or_else(by_tag).or_else(by_class)
}

/// The name of the function, if the id ends with the path and the method: each character of the path that is part of no
/// word is an underscore, and the method is in small letters.
fn fastapi_name<'a>(id: &'a str, operation: &Identity<'_>) -> Option<&'a str> {
    let method = operation.method.to_ascii_lowercase();
    let id = id.strip_suffix(&*method)?.strip_suffix('_')?;
    let in_id = |c: char| if c.is_alphanumeric() { c } else { '_' };
    operation.path.chars().rev().try_fold(id, |id, c| id.strip_suffix(in_id(c)))
}

/// The name of the method in the program, if the id ends with `Using` and the HTTP method, and maybe with the number that
/// distinguishes equal ones, which stays.
fn springfox_name<'a>(id: &'a str, method: &str) -> Option<Cow<'a, str>> {
    let is_number = |number: &&str| number.bytes().all(|byte| byte.is_ascii_digit());
    let numbered =
        id.rsplit_once('_').filter(|(_, number)| !number.is_empty() && is_number(number));
    let own = numbered.map_or(id, |(own, _)| own).strip_suffix(method)?.strip_suffix("Using")?;
    Some(numbered.map_or_else(|| own.into(), |(_, number)| format!("{own}_{number}").into()))
}

/// The name after the tag, if it has the words of the tag itself: `GetOrder` of `Orders_GetOrder`. Without them, the tag
/// says something: `Orders_Get`.
fn name_after_tag<'a>(id: &'a str, tag: &str) -> Option<&'a str> {
    let (group, own) = id.split_once('_')?;
    let group = without_kind_suffix(group);
    let is_tag = group == without_kind_suffix(tag) || group.eq_ignore_ascii_case(tag);
    let words = name_words(own);
    let has = |word: String| words.iter().any(|own_word| differ_only_by_plural(own_word, &word));
    (is_tag && !group.is_empty() && name_words(group).into_iter().all(has)).then_some(own)
}

/// The id without the word `Controller`, if it is a class of that kind and a name.
fn nestjs_name(id: &str) -> Option<String> {
    let (class, own) = id.split_once('_')?;
    let group = class.strip_suffix("Controller").filter(|group| !group.is_empty())?;
    let is_class = class.starts_with(|c: char| c.is_ascii_uppercase());
    let is_name = own.starts_with(|c: char| c.is_ascii_lowercase());
    (is_class && is_name).then(|| format!("{group}_{own}"))
}

/// A class or tag without the word for its kind.
fn without_kind_suffix(group: &str) -> &str {
    let kinds = ["Controller", "Service"];
    kinds.iter().find_map(|kind| group.strip_suffix(kind)).unwrap_or(group)
}

/// The words of a name in small letters: `["get", "order", "v2"]` of `GetOrder_v2`.
fn name_words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_small = false;
    for c in name.chars() {
        let is_next = (c.is_uppercase() && was_small) || !c.is_alphanumeric();
        if is_next && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        was_small = !c.is_uppercase();
        word.extend(c.to_lowercase().filter(|c| c.is_alphanumeric()));
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

/// True for two words that differ by a plural at most.
fn differ_only_by_plural(one: &str, other: &str) -> bool {
    let is_plural = |many: &str, one: &str| {
        many.strip_prefix(one).is_some_and(|rest| matches!(rest, "" | "s" | "es"))
            || many.strip_suffix("ies").is_some_and(|stem| one.strip_suffix('y') == Some(stem))
    };
    is_plural(one, other) || is_plural(other, one)
}

/// True if a name alone says what a call does to what: it has a word for a thing.
pub(super) fn has_specific_word(name: &str) -> bool {
    name_words(name).iter().any(|word| {
        let word = word.trim_matches(|c: char| c.is_ascii_digit());
        !word.is_empty() && !is_meaningless_word(word) && !GENERAL.contains(&word)
    })
}

/// Words that name no thing, beside those of vague names.
const GENERAL: [&str; 22] = [
    "add", "all", "async", "by", "change", "count", "destroy", "edit", "find", "id", "insert",
    "many", "me", "new", "one", "read", "remove", "retrieve", "save", "search", "show", "store",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rows: &[(&str, &str, &str, Option<&str>)]) {
        for &(method, path, id, expected) in rows {
            let operation = Identity { method, operation_id: Some(id), path, tag: Some("Orders") };
            let own = name_and_generator(&operation).map(|(own, _)| own.into_owned());
            assert_eq!(own.as_deref(), expected, "{method} {path} {id}");
        }
    }

    #[test]
    fn an_id_of_fastapi_ends_with_its_own_path_and_method() {
        check(&[
            ("POST", "/orders", "create_order_orders_post", Some("create_order")),
            ("GET", "/orders/{order_id}", "read_order_orders__order_id__get", Some("read_order")),
            ("GET", "/", "read_root__get", Some("read_root")),
            ("GET", "/v1/a.b/{c:path}/", "f_v1_a_b__c_path___get", Some("f")),
            ("GET", "/gr\u{f6}\u{df}e", "f_gr\u{f6}\u{df}e_get", Some("f")),
            ("GET", "/orders", "create_order_orders_post", None),
            ("POST", "/order", "create_order_orders_post", None),
            ("POST", "/orders/", "create_order_orders_post", None),
            ("POST", "/orders", "_orders_post", Some("")),
            ("POST", "/orders", "orders_post", None),
        ]);
    }

    #[test]
    fn an_id_of_springfox_ends_with_its_method() {
        check(&[
            ("POST", "/a", "createOrderUsingPOST", Some("createOrder")),
            ("POST", "/a", "createOrderUsingPOST_12", Some("createOrder_12")),
            ("GET", "/a", "createOrderUsingPOST", None),
            ("POST", "/a", "createOrderUsingpost", None),
            ("POST", "/a", "createOrderUsingPOST_a", None),
        ]);
    }

    #[test]
    fn a_tag_is_left_out_where_the_name_says_it_again() {
        check(&[
            ("GET", "/a", "Orders_GetOrder", Some("GetOrder")),
            ("GET", "/a", "OrdersService_ListOrders", Some("ListOrders")),
            ("GET", "/a", "Orders_Get", None),
            ("GET", "/a", "Accounts_GetAccount", None),
            ("GET", "/a", "OrdersController_findAll", Some("Orders_findAll")),
            ("GET", "/a", "OrdersController_findOrder", Some("findOrder")),
            ("GET", "/a", "Controller_findAll", None),
            ("GET", "/a", "getController_findAll", None),
        ]);
    }

    #[test]
    fn a_name_of_general_words_is_not_telling() {
        let rows = [
            ("create", false),
            ("get_one", false),
            ("getById_2", false),
            ("v1", true),
            ("read_order", true),
        ];
        for (name, expected) in rows {
            assert_eq!(has_specific_word(name), expected, "{name}");
        }
    }
}
