// What a script adds to pages that work without one: the JSON beside a form in step, buttons to copy, calls as they end.
// It makes nodes and texts, and never markup.

const all = (selector, within = document) => [...within.querySelectorAll(selector)];

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

// The side of a form that was changed last is the one that is sent; the fields are written as JSON by the server, which keeps digits.
function keepInStep(form) {
  const json = form.querySelector("textarea[name=json]");
  const state = document.getElementById("json-state");
  const senders = all("button[value=dry], button[value=call]", form);
  const choose = (side) => { form.querySelector(`input[name=source][value=${side}]`).checked = true; };
  let last = 0, timer = 0;

  function settle(fault, words) {
    json.setAttribute("aria-invalid", String(Boolean(fault)));
    state.textContent = fault || words;
    for (const button of senders) button.disabled = Boolean(fault);
  }

  async function writeJson() {
    const number = ++last;
    const answer = await fetch(`${form.dataset.trial}/arguments`, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    const text = await answer.text();
    if (number !== last) return;
    if (answer.ok) {
      json.value = text;
      settle("", "Written from the form.");
    } else {
      settle(answer.status === 422 ? text : "The form cannot be written as JSON: open the page again.", "");
    }
  }

  form.addEventListener("input", (event) => {
    const name = event.target.name;
    if (name === "json") {
      choose("json");
      last++;
      clearTimeout(timer);
      let fault = "";
      try { JSON.parse(json.value); } catch (error) { fault = `This is no JSON: ${error.message}`; }
      settle(fault, "This text is sent. “Form from JSON” fills in the form.");
    } else if (name && name !== "session" && name !== "source") {
      choose("form");
      for (const button of senders) button.disabled = true;
      clearTimeout(timer);
      timer = setTimeout(writeJson, 120);
    }
  });
  form.addEventListener("change", (event) => {
    if (event.target.name !== "source") return;
    if (event.target.value === "form") writeJson();
    else json.dispatchEvent(new Event("input", { bubbles: true }));
  });
  // A browser that goes back keeps what was typed.
  addEventListener("pageshow", (event) => { if (event.persisted) writeJson(); });
}

function addCopy(frame) {
  if (!navigator.clipboard) return;
  const button = element("button", { type: "button", class: "plain" }, "Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(frame.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  frame.append(button);
}

const kinds = { answered: "fine", planned: "fine", pending: "waits" };

function callRow(call) {
  const cell = (...children) => element("td", {}, ...children);
  const digits = (value) => element("td", { class: "number" }, String(value ?? ""));
  const link = (parts, text, look) => element("a", { href: `/console/${parts.map(encodeURIComponent).join("/")}`, class: look }, text);
  const notes = (call.notes ?? []).map((note) => element("span", { class: "help" }, note));
  return element("tr", { class: "fresh", "data-ending": kinds[call.ending] ?? "failed" },
    element("td", { class: "number" }, link(["calls", String(call.number)], String(call.number), "")),
    cell(element("time", { datetime: call.at }, call.at.slice(11, 19))),
    cell(link(["tools", call.tool], call.tool, "tool")),
    cell(element("span", { class: "mark" }, call.ending)),
    digits(call.status), digits(call.ms), digits(call.attempts),
    cell(call.reached), cell(call.principal ?? ""), cell(...notes));
}

function follow(table) {
  const rows = table.tBodies[0], state = document.getElementById("live");
  const source = new EventSource(table.dataset.live);
  source.addEventListener("open", () => { state.textContent = "Calls appear as they end."; });
  source.addEventListener("error", () => { state.textContent = "The feed broke off; the browser connects again."; });
  source.addEventListener("call", (event) => {
    rows.prepend(callRow(JSON.parse(event.data)));
    document.getElementById("none")?.remove();
    while (rows.rows.length > 200) rows.lastElementChild.remove();
  });
  addEventListener("pagehide", () => source.close());
}

all("form[data-trial]").forEach(keepInStep);
all(".copy").forEach(addCopy);
all("table[data-live]").forEach(follow);
