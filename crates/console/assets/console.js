// What a script adds to pages that work without one: the JSON beside a form in step, buttons to copy, calls as they end, turns as
// they run.
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
    let answer, text;
    try {
      answer = await fetch(`${form.dataset.trial}/arguments`, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      text = await answer.text();
    } catch (error) {
      if (number === last) settle(`The sidecar does not answer: ${error.message}`, "");
      return;
    }
    if (number !== last) return;
    if (answer.ok) {
      json.value = text;
      settle("", "Written from the form.");
    } else {
      settle(answer.status === 422 ? text : "The form cannot be written as JSON: open the page again.", "");
    }
  }

  // The chosen side as it stands: the fields are written as JSON, and a text is looked at.
  function writeChosen() {
    if (form.querySelector("input[name=source]:checked").value === "form") writeJson();
    else json.dispatchEvent(new Event("input", { bubbles: true }));
  }

  form.addEventListener("input", (event) => {
    const name = event.target.name;
    if (event.target.type === "file") return;
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
    if (event.target.type === "file" && event.target.files.length) {
      // The server keeps the file, and writes its handle into the form.
      choose("form");
      form.querySelector("button[value=upload]").click();
    }
    if (event.target.name === "source") writeChosen();
  });
  // A browser that goes back keeps what was typed.
  addEventListener("pageshow", (event) => { if (event.persisted) writeChosen(); });
}

function addCopy(frame) {
  if (!navigator.clipboard) return;
  const word = document.createTextNode("Copy"), text = frame.querySelector("pre");
  const button = element("button", { type: "button", class: "plain", "aria-live": "polite" }, word,
    element("span", { class: "hidden" }, ` ${text.getAttribute("aria-label")}`));
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      word.data = "Copied";
    } catch {
      word.data = "Not allowed: mark and copy it";
    }
    setTimeout(() => { word.data = "Copy"; }, 1500);
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
  source.addEventListener("error", () => {
    const hasEnded = source.readyState === EventSource.CLOSED;
    state.textContent = hasEnded ? "The feed has ended: load the page again." : "The feed broke off; the browser connects again.";
  });
  source.addEventListener("call", (event) => {
    rows.prepend(callRow(JSON.parse(event.data)));
    document.getElementById("none")?.remove();
    while (rows.rows.length > 200) rows.lastElementChild.remove();
  });
  addEventListener("pagehide", () => source.close());
  // A page that a browser goes back to lacks the calls in between.
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
}

// The events of a response, each with its name and its data.
async function* eventsOf(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = "", piece; !(piece = await reader.read()).done;) {
    const blocks = (rest + piece.value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const value = (name) => block.split("\n").find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1).trim() ?? "";
      yield [value("event"), value("data")];
    }
  }
}

// Numbers keep their digits where the browser can.
const exact = (_, value, context) => typeof value === "number" && context?.source && JSON.rawJSON ? JSON.rawJSON(context.source) : value;

// What happens in a turn, as it is told.
function turnView(stop) {
  const words = element("p", { class: "answer" }), calls = element("ol", { class: "journal" });
  const state = element("p", { class: "quiet", role: "status" }, "The turn runs…");
  const button = element("button", { type: "button" }, "Stop");
  button.addEventListener("click", stop);
  const view = element("section", { class: "outcome running" }, element("h2", {}, "Turn"), words, calls, state, button);
  document.querySelector(".running")?.remove();
  document.querySelector("h1").after(view);
  const rows = new Map();
  return {
    end: (text) => { state.textContent = text; button.remove(); },
    show(name, data) {
      if (name === "text") words.append(data.text);
      else if (name === "retry") words.textContent = words.textContent.slice(0, -data.text.length || undefined);
      else if (name === "call") {
        if (words.textContent) words.append("\n\n");
        const mark = element("span", { class: "mark" }, "runs");
        rows.set(data.id, mark);
        calls.append(element("li", {}, element("code", {}, data.tool), " ", mark,
          element("code", { class: "help" }, JSON.stringify(data.args).slice(0, 400))));
      } else if (rows.has(data.id)) {
        rows.get(data.id).textContent = name === "pending" ? "waits" : data.error?.code ?? "answered";
      }
    },
  };
}

// Shows a turn as it runs. The page of its end is the server's, which keeps the turn under the key of the form.
function watchTurn(form) {
  let isRunning = false, hasEnded = false;
  form.addEventListener("submit", async (event) => {
    if (hasEnded) return;
    event.preventDefault();
    if (isRunning) return;
    isRunning = true;
    const leaving = new AbortController(), view = turnView(() => leaving.abort());
    const body = new URLSearchParams(new FormData(form, event.submitter));
    let fault = "";
    try {
      const answer = await fetch(form.getAttribute("action"), { method: "POST", body, headers: { accept: "text/event-stream" }, signal: leaving.signal });
      hasEnded = !answer.ok;
      if (answer.ok) {
        for await (const [name, data] of eventsOf(answer.body)) {
          if (name === "end") hasEnded = true;
          else if (name === "problem") fault = JSON.parse(data).detail;
          else if (data) view.show(name, JSON.parse(data, exact));
        }
      }
    } catch (error) {
      fault = error.message;
    }
    isRunning = false;
    if (hasEnded) {
      form.requestSubmit(event.submitter);
      return;
    }
    // Another turn needs another key.
    form.elements.namedItem("key").value += ".";
    view.end(leaving.signal.aborted ? "Stopped." : `The turn broke off: ${fault || "no end came"}`);
  });
}

// A second press of the button sends nothing; a page that a browser goes back to can be sent again.
function sendOnce(form) {
  let isSent = false;
  form.addEventListener("submit", (event) => {
    if (isSent) event.preventDefault();
    isSent = true;
  });
  addEventListener("pageshow", () => { isSent = false; });
}

all("form[data-trial]").forEach(keepInStep);
all("form[data-once]").forEach(sendOnce);
all("form[data-turn]").forEach(watchTurn);
all(".copy").forEach(addCopy);
all("table[data-live]").forEach(follow);
