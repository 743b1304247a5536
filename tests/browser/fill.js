// Writes arguments into the fields of a form, as a person who reads the schema would. The answer names the button that opens the
// next fields, and counts the values that were written as JSON. Numbers are `{$digits}`, objects `{$object: [[name, value]]}`.
const form = document.querySelector("form[data-trial]");
const field = (part, path) => form.elements.namedItem(`${part}:${path}`);
const escaped = (name) => name.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("+", "~2").replaceAll("|", "~3");
let press = null, nJson = 0;
const lost = [];

function json(value) {
  if (value?.$digits !== undefined) return value.$digits;
  if (value?.$object) return `{${value.$object.map(([name, member]) => `${JSON.stringify(name)}: ${json(member)}`).join(", ")}}`;
  return Array.isArray(value) ? `[${value.map(json).join(", ")}]` : JSON.stringify(value);
}

function resolve(schema) {
  for (let step = 0; step < 32 && schema && typeof schema === "object"; step++) {
    const others = (schema.oneOf ?? schema.anyOf ?? []).filter((it) => it.type !== "null");
    if (schema.$ref) schema = schema.$ref.slice(2).split("/").reduce((at, name) => at?.[name.replaceAll("~1", "/").replaceAll("~0", "~")], root);
    else if (others.length === 1 && !schema.properties) schema = others[0];
    else break;
  }
  return schema ?? {};
}

const kindOf = (value) => value === null ? "null" : value.$digits !== undefined ? "number" : value.$object ? "object" : Array.isArray(value) ? "array" : typeof value;
const parsed = (value) => JSON.parse(json(value));

function means(schema, value, depth = 8) {
  schema = resolve(schema);
  if (!depth || schema === true || !Object.keys(schema).length) return true;
  if ("const" in schema && JSON.stringify(schema.const) !== JSON.stringify(parsed(value))) return false;
  if (schema.enum && !schema.enum.some((it) => JSON.stringify(it) === JSON.stringify(parsed(value)))) return false;
  const types = [schema.type ?? []].flat(), kind = kindOf(value);
  if (types.length && !types.includes(kind) && !(kind === "number" && types.includes("integer"))) return false;
  const several = schema.oneOf ?? schema.anyOf;
  if (several && !several.some((it) => means(it, value, depth - 1))) return false;
  if (kind !== "object") return true;
  const members = new Map(value.$object);
  return (schema.required ?? []).every((name) => members.has(name))
    && [...members].every(([name, member]) => schema.properties?.[name] ? means(schema.properties[name], member, depth - 1) : schema.additionalProperties !== false);
}

function choose(select, value) {
  const option = [...select.options].find((it) => it.value && JSON.stringify(JSON.parse(it.value)) === JSON.stringify(parsed(value)));
  if (option) select.value = option.value;
  else lost.push(select.name);
}

function fill(path, value, schema) {
  const text = field("j", path);
  if (text) { text.value = json(value); nJson++; return; }
  const state = field("s", path), closed = form.querySelector(`button[name=open][value="${CSS.escape(path)}"]`);
  const several = field("a", path);
  if (value === null && state) { state.value = "null"; return; }
  if (several) { fillAlternative(path, value, schema, several); return; }
  if (closed && field("i", path) === null) { press ??= path; return; }
  if (field("c", path)) { choose(field("c", path), value); return; }
  if (field("n", path) && value?.$digits !== undefined) { field("n", path).value = value.$digits; return; }
  if (field("t", path) && typeof value === "string") {
    // A browser writes every line break in its own way.
    if (value.includes("\r")) { lost.push(path); return; }
    field("t", path).value = value;
    if (value === "") state.value = "empty";
    return;
  }
  if (Array.isArray(value) && field("i", path)) { fillList(path, value, schema, state); return; }
  if (value?.$object && (field("i", path) || path === "")) { fillMembers(path, value.$object, schema, state); return; }
  lost.push(path);
}

function fillAlternative(path, value, schema, select) {
  const resolved = resolve(schema);
  const alternatives = (resolved.oneOf ?? resolved.anyOf ?? []).filter((it) => it.type !== "null");
  const at = alternatives.findIndex((it) => means(it, value));
  if (at < 0) { lost.push(path); return; }
  const isShown = [...form.elements].some((it) => it.type !== "file" && it.name?.slice(2).startsWith(`${path}/|${at}`));
  select.value = String(at);
  if (isShown) fill(`${path}/|${at}`, value, alternatives[at]);
  else press ??= path;
}

function fillList(path, items, schema, state) {
  if (!items.length && state) state.value = "empty";
  const rows = Number(field("i", path).value);
  items.slice(0, rows).forEach((item, at) => fill(`${path}/${at}`, item, resolve(schema).items));
  if (items.length > rows) press ??= path;
}

function fillMembers(path, members, schema, state) {
  // Constants alone say nothing.
  if (state && [...state.options].some((it) => it.value === "empty")) state.value = "empty";
  const resolved = resolve(schema);
  const parts = [resolved, ...(resolved.allOf ?? []).map(resolve)];
  let further = 0;
  for (const [name, member] of members) {
    const declared = parts.map((part) => part.properties?.[name]).find((it) => it !== undefined);
    if (declared !== undefined) { fill(`${path}/${escaped(name)}`, member, declared); continue; }
    const row = `${path}/+/${further++}`, count = Number(field("i", `${path}/+`)?.value ?? 0);
    if (further > count) { if (count) press ??= `${path}/+`; else lost.push(path); break; }
    field("k", row).value = name;
    fill(row, member, resolved.additionalProperties);
  }
}

fill("", given, root);
return { press, nJson, lost };
