//! Names that more than one module here uses.

pub(crate) use std::{collections::BTreeSet, fs};

pub(crate) use bytes::Bytes;
pub(crate) use callgate_call::{Evaluator, Plan, ReadContext, Shape, StoredResults, Verdict};
pub(crate) use callgate_openapi::{Defaults, Document, Limits, LoadOptions, SessionInputs, load};
pub(crate) use callgate_secret::Masker;
pub(crate) use callgate_testkit::{check_rows, rows, say};
pub(crate) use callgate_tool::{
    Arguments, Content, Event, Fault, FaultCode, Handle, Journal, Next, Object, Outcome, Reached,
    Session, StoredResult, Value, json,
};
pub(crate) use percent_encoding::percent_decode_str;
pub(crate) use proptest::{
    sample::select,
    test_runner::{TestCaseResult, TestRunner},
};

pub(crate) use crate::support::{
    Planned, call, call_in, members, of_all_descriptions, of_corpus, operation, plan, plan_with,
    value, with_parameters,
};
