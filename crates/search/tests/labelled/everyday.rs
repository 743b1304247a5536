//! Questions as people ask them, about four descriptions of the corpus, with the operations that answer them (by
//! `operationId`). They were written before the weights were chosen.

/// The file of a description below `corpus/specs`, and questions with the operations that answer them: any is enough.
pub(crate) type Everyday = (&'static str, &'static [(&'static str, &'static [&'static str])]);

/// The questions.
pub(crate) const EVERYDAY: [Everyday; 4] = [
    ("github/api.github.com.json", GITHUB),
    ("stripe/stripe.com.json", STRIPE),
    ("slack/slack_web_openapi_v2.json", SLACK),
    ("box/openapi.json", BOX),
];

/// Questions whose answer must be the first or the second.
pub(crate) const FIRST: [(&str, &str, &str); 4] = [
    ("github/api.github.com.json", "create an issue", "issues/create"),
    ("github/api.github.com.json", "merge a pull request", "pulls/merge"),
    ("stripe/stripe.com.json", "refund a payment", "PostRefunds"),
    ("github/api.github.com.json", "who am i", "users/get-authenticated"),
];

const GITHUB: &[(&str, &[&str])] = &[
    ("create an issue", &["issues/create"]),
    ("merge a pull request", &["pulls/merge"]),
    ("who am i", &["users/get-authenticated"]),
    ("open a new issue in a repository", &["issues/create"]),
    ("close an issue", &["issues/update"]),
    ("comment on an issue", &["issues/create-comment"]),
    ("label an issue", &["issues/add-labels"]),
    ("open a pull request", &["pulls/create"]),
    ("list open pull requests", &["pulls/list"]),
    ("ask somebody to review a pull request", &["pulls/request-reviewers"]),
    ("approve a pull request", &["pulls/create-review"]),
    ("my repositories", &["repos/list-for-authenticated-user"]),
    ("create a repository", &["repos/create-for-authenticated-user", "repos/create-in-org"]),
    ("delete a repo", &["repos/delete"]),
    ("fork a repository", &["repos/create-fork"]),
    ("star a repository", &["activity/star-repo-for-authenticated-user"]),
    ("publish a release", &["repos/create-release"]),
    ("create a branch", &["git/create-ref"]),
    ("list branches", &["repos/list-branches"]),
    ("read the readme of a repository", &["repos/get-readme"]),
    ("change a file in a repository", &["repos/create-or-update-file-contents"]),
    ("who contributes to this repo", &["repos/list-contributors"]),
    ("search code", &["search/code"]),
    ("find repositories about a topic", &["search/repos"]),
    ("run a workflow", &["actions/create-workflow-dispatch"]),
    ("rerun failed jobs", &["actions/re-run-workflow-failed-jobs"]),
    ("cancel a workflow run", &["actions/cancel-workflow-run"]),
    ("get the logs of a workflow run", &["actions/download-workflow-run-logs"]),
    ("set a secret of a repository", &["actions/create-or-update-repo-secret"]),
    ("follow a user", &["users/follow"]),
    ("members of an organization", &["orgs/list-members"]),
    ("invite somebody to an organization", &["orgs/create-invitation"]),
    ("unread notifications", &["activity/list-notifications-for-authenticated-user"]),
    ("create a gist", &["gists/create"]),
    ("compare two commits", &["repos/compare-commits-with-basehead", "repos/compare-commits"]),
];

const STRIPE: &[(&str, &[&str])] = &[
    ("refund a payment", &["PostRefunds"]),
    ("create a customer", &["PostCustomers"]),
    ("delete a customer", &["DeleteCustomersCustomer"]),
    ("list all customers", &["GetCustomers"]),
    ("find a customer by email", &["GetCustomersSearch", "GetCustomers"]),
    ("charge a credit card", &["PostCharges", "PostPaymentIntents"]),
    ("list refunds", &["GetRefunds"]),
    ("create an invoice", &["PostInvoices"]),
    ("send an invoice", &["PostInvoicesInvoiceSend"]),
    ("void an invoice", &["PostInvoicesInvoiceVoid"]),
    ("pay an invoice", &["PostInvoicesInvoicePay"]),
    ("start a subscription", &["PostSubscriptions"]),
    ("cancel a subscription", &["DeleteSubscriptionsSubscriptionExposedId"]),
    ("account balance", &["GetBalance"]),
    ("create a coupon", &["PostCoupons"]),
    ("capture a payment", &["PostPaymentIntentsIntentCapture", "PostChargesChargeCapture"]),
    ("close a dispute", &["PostDisputesDisputeClose"]),
    ("create a payment link", &["PostPaymentLinks"]),
    ("pay out to my bank account", &["PostPayouts"]),
    ("add a product", &["PostProducts"]),
];

const SLACK: &[(&str, &[&str])] = &[
    ("send a message to a channel", &["chat_postMessage"]),
    ("delete a message", &["chat_delete"]),
    ("schedule a message", &["chat_scheduleMessage"]),
    ("list channels", &["conversations_list"]),
    ("read the messages of a channel", &["conversations_history"]),
    ("create a channel", &["conversations_create", "admin_conversations_create"]),
    ("invite a user to a channel", &["conversations_invite"]),
    ("remove a user from a channel", &["conversations_kick"]),
    ("find a user by email", &["users_lookupByEmail"]),
    ("upload a file", &["files_upload"]),
    ("remind me of something", &["reminders_add"]),
    ("react to a message", &["reactions_add"]),
    ("pin a message", &["pins_add"]),
    ("turn on do not disturb", &["dnd_setSnooze"]),
    ("search messages", &["search_messages"]),
    ("who am i", &["auth_test", "users_identity", "users_profile_get"]),
];

const BOX: &[(&str, &[&str])] = &[
    ("create a folder", &["post_folders"]),
    ("delete a file", &["delete_files_id"]),
    ("who am i", &["get_users_me"]),
    ("upload a file", &["post_files_content"]),
    ("download a file", &["get_files_id_content"]),
    ("copy a file", &["post_files_id_copy"]),
    ("what is in a folder", &["get_folders_id_items"]),
    ("search files", &["get_search"]),
    ("share a folder with somebody", &["post_collaborations"]),
    ("share a link to a file", &["put_files_id#add_shared_link"]),
    ("older versions of a file", &["get_files_id_versions"]),
    ("rename a file", &["put_files_id"]),
    ("comment on a file", &["post_comments"]),
    ("add a user to the company", &["post_users"]),
];
