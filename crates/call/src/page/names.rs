//! The names by which services say where a next page is, in lower case and without signs: members of a response, and the parameters
//! that take their values. A service that says it in another way is a row here.

/// A member that names the next page by its own name, such as `next` and a subject.
#[derive(Debug)]
pub(super) struct Member {
    /// The names of the member, for `MEMBERS` without `next`.
    pub(super) subjects: &'static [&'static str],
    /// The parameters that take its value, the likeliest first.
    pub(super) parameters: &'static [&'static str],
}

/// Members by which a page says where it lies in the whole.
#[derive(Debug)]
pub(super) struct Position {
    /// The member with the number of the first item, and the parameter that takes it.
    pub(super) start: &'static str,
    pub(super) size: &'static str,
    pub(super) total: &'static str,
    /// The number of the very first item.
    pub(super) first: u64,
}

pub(super) const MEMBERS: &[Member] = &[
    Member {
        subjects: &["page", "pagenumber"],
        parameters: &["page", "pagenumber", "pagetoken", "cursor"],
    },
    Member { subjects: &["offset", "pageoffset"], parameters: &["offset", "skip", "start"] },
    Member { subjects: &["start", "pagestart"], parameters: &["start", "offset", "skip"] },
    Member { subjects: &["skip"], parameters: &["skip", "offset"] },
    Member { subjects: &["startat"], parameters: &["startat"] },
    Member { subjects: &["startindex"], parameters: &["startindex"] },
    Member {
        subjects: &["", "cursor", "pagetoken", "token", "marker", "continuationtoken"],
        parameters: CURSORS,
    },
];
pub(super) const POSITIONS: &[Position] = &[
    Position { start: "startat", size: "maxresults", total: "total", first: 0 },
    Position { start: "offset", size: "limit", total: "total", first: 0 },
    Position { start: "skip", size: "limit", total: "total", first: 0 },
    // RFC 7644 §3.4.2.4
    Position { start: "startindex", size: "itemsperpage", total: "totalresults", first: 1 },
];
/// Members that name the end of a page, from which on there is more if the response states so, and the parameters that take it.
pub(super) const ENDS: &[Member] = &[
    Member { subjects: &["endcursor"], parameters: &["after", "cursor", "startcursor"] },
    Member { subjects: &["aftercursor"], parameters: &["pageafter", "after", "cursor"] },
];
/// Members that hold the cursor of the next page by the name of the parameter that takes it, as Square, Twitch, Kubernetes, Nexus,
/// Pinterest, Lark and Airtable write it. A service may also repeat the cursor of the request there.
pub(super) const OWN_CURSORS: &[Member] = &[
    Member { subjects: &["bookmark"], parameters: &["bookmark"] },
    Member { subjects: &["continue"], parameters: &["continue"] },
    Member { subjects: &["continuationtoken"], parameters: &["continuationtoken"] },
    Member { subjects: &["cursor"], parameters: &["cursor", "after"] },
    Member { subjects: &["offset"], parameters: &["offset"] },
    Member { subjects: &["pagetoken"], parameters: &["pagetoken"] },
];
/// Headers that name the next page: of GitLab, of Azure `DevOps`, and of many others.
pub(super) const HEADERS: &[Member] = &[
    Member { subjects: &["x-next-page"], parameters: &["page"] },
    Member { subjects: &["x-ms-continuationtoken"], parameters: &["continuationtoken"] },
    Member { subjects: &["x-next-cursor"], parameters: CURSORS },
];
/// The names in the address of a `next` that is that of a page.
pub(super) const PAGE_ADDRESSES: &[&str] =
    &["", "href", "link", "page", "pagelink", "pageuri", "pageurl", "recordsurl", "uri", "url"];
/// Members that are true if there is more.
pub(super) const MORE: &[&str] = &[
    "hasmore",
    "hasmoreitems",
    "hasmorepage",
    "hasmorepages",
    "hasmoreresults",
    "hasnext",
    "hasnextpage",
    "more",
    "morerecords",
];
/// Members that state the number of the page.
pub(super) const NUMBERS: &[&str] = &["page", "currentpage", "pagenumber"];
/// Members that are false if there is more.
pub(super) const NO_MORE: &[&str] = &["islast", "islastpage", "lastpage"];
/// Parameters that ask for a page.
pub(super) const PAGING: &[&str] = &[
    "after",
    "bookmark",
    "continue",
    "continuationtoken",
    "cursor",
    "from",
    "marker",
    "maxid",
    "next",
    "nextcursor",
    "nextpagetoken",
    "nexttoken",
    "offset",
    "page",
    "pageafter",
    "pagecursor",
    "pagenumber",
    "pageoffset",
    "pagetoken",
    "paginationtoken",
    "since",
    "skip",
    "skiptoken",
    "start",
    "startafter",
    "startat",
    "startcursor",
    "startindex",
    "startingafter",
    "token",
];
/// Parameters that take a cursor, the likeliest first.
pub(super) const CURSORS: &[&str] = &[
    "cursor",
    "startcursor",
    "pagetoken",
    "nextpagetoken",
    "nextcursor",
    "nexttoken",
    "paginationtoken",
    "after",
    "startingafter",
    "continuationtoken",
    "marker",
    "token",
    "pagecursor",
    "skiptoken",
    "next",
    "page",
];
/// Members that hold those of the page: `d` is that of `OData` 2, `result_info` that of Cloudflare, `page_context` and `info` those
/// of Zoho, `pages` that of Intercom and `DigitalOcean`, `page` that of Spring.
pub(super) const ENVELOPES: &[&str] = &[
    "links",
    "_links",
    "d",
    "page",
    "pages",
    "page_context",
    "result_info",
    "info",
    "paging",
    "pagination",
    "page_info",
    "pageInfo",
    "meta",
    "metadata",
    "response_metadata",
    "data",
    "result",
    "response",
];
/// Parameters that narrow a result, the most direct ones first.
pub(super) const NARROWING: &[&str] = &[
    "limit",
    "pagesize",
    "perpage",
    "maxresults",
    "filter",
    "query",
    "q",
    "search",
    "status",
    "fields",
    "select",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_parameter_that_takes_a_position_asks_for_a_page() {
        let members = MEMBERS.iter().chain(ENDS).chain(OWN_CURSORS).chain(HEADERS);
        let members = members.flat_map(|member| member.parameters);
        for name in members.chain(POSITIONS.iter().map(|position| &position.start)) {
            assert!(PAGING.contains(name), "{name}");
        }
    }
}
