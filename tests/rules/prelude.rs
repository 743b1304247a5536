//! Names that more than one module here uses.

pub(crate) use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    process::Command,
};

pub(crate) use serde_json::{Value, json};
pub(crate) use syn::{
    Attribute, Expr, ExprMethodCall, File as Syntax, Ident, ImplItemFn, Item, ItemFn, ItemMod,
    ItemUse, Macro, Meta, Path, Signature, Type, UseTree, Visibility,
    visit::{self, Visit},
};
