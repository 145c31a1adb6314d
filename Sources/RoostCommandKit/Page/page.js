"use strict";
// The page of “roost browse”. What a store holds comes as JSON and becomes text nodes: nothing of it is ever markup,
// an address to follow, or code.

let store = null;
let entities = new Map();
// The number of what the page shows: an answer that comes when it shows something else already is dropped.
let view = 0;

// MARK: Asking

class Refusal extends Error {
  constructor(status, answer) {
    super(answer.error || `The server answers ${status}.`);
    this.status = status;
    this.answer = answer;
  }
}

// What is asked by POST, and changes nothing.
const reading = {rows: true};

async function ask(path, values = {}, body = undefined) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value) query.set(name, value);
  const options = body === undefined ? {} : {
    method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body),
  };
  let response;
  try {
    response = await fetch(`api/${path}?${query}`, options);
  } catch {
    throw new Refusal(0, {error: "“roost browse” does not answer. Has it ended?"});
  }
  const answer = await response.json().catch(() => ({}));
  const identifier = response.headers.get("Roost-Store");
  if (store && identifier && identifier !== store.identifier && (body === undefined || reading[path])) {
    // Another store was put in the place of this one: its model may be another, and its records are.
    location.reload();
    return new Promise(() => {});
  }
  if (!response.ok) throw new Refusal(response.status, answer);
  return answer;
}

// MARK: Making elements

function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && name !== "list") made[name] = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

function place(path, values) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value) query.set(name, value);
  return `#/${path}?${query}`;
}

// An error. The place in a condition stands below the condition, so these two lines are not wrapped.
function wrong(error) {
  const place = error.message.match(/^([^]*?)\n([^\n]*\n *\^)$/);
  const remedy = (error.answer && error.answer.remedy) || "";
  return element("div", {className: "wrong", role: "alert"}, place ? place[1] : error.message,
    place ? element("pre", {}, place[2]) : "", remedy && !place ? `\n${remedy}` : "");
}

function recordLink(cell) {
  const link = element("a", {href: place("record", {id: cell.text})}, cell.label || cell.text);
  return cell.label ? element("span", {}, link, " ", element("span", {className: "soft"}, cell.text)) : link;
}

// A value: what is nil is told apart from what is empty.
function shown(cell) {
  if (cell === null) return element("span", {className: "nil"}, "nil");
  switch (cell.kind) {
  case "record": return recordLink(cell);
  case "list": return element("span", {}, cell.items.flatMap((item, index) => index ? [", ", shown(item)] : [shown(item)]));
  case "data": case "opaque":
    return element("span", {}, element("span", {className: "badge"}, cell.size), " ",
      element("span", {className: "mono"}, cell.text.replace(/(.{8})(?=.)/g, "$1 ") + (cell.isCut ? " …" : "")));
  case "text":
    if (cell.text === "") return element("span", {className: "empty"}, "empty");
    return element("span", {}, cell.text + (cell.isCut ? "…" : ""));
  default:
    return element("span", {className: ["uuid", "composite"].includes(cell.kind) ? "mono" : ""}, cell.text + (cell.isCut ? "…" : ""));
  }
}

// MARK: The frame

const main = document.getElementById("main");
const nav = document.getElementById("entities");
const menu = document.getElementById("menu");

function openMenu(isOpen) {
  nav.classList.toggle("open", isOpen);
  menu.setAttribute("aria-expanded", String(isOpen));
}

menu.addEventListener("click", () => openMenu(!nav.classList.contains("open")));

function showEntities(current) {
  const links = store.entities.map((entity) => element("a", {
    href: place("rows", {entity: entity.name}), "aria-current": current === entity.name ? "page" : null,
  }, element("span", {}, entity.name), element("span", {className: "soft count", "data-entity": entity.name})));
  const diagram = element("a", {href: "#/diagram", "aria-current": current === "#" ? "page" : null}, element("span", {}, "Diagram"));
  nav.replaceChildren(...links, element("hr"), diagram);
  openMenu(false);
  ask("counts").then((counts) => {
    if (!nav.contains(diagram)) return;
    for (const place of nav.querySelectorAll(".count")) {
      const count = counts[place.dataset.entity];
      place.textContent = count === undefined ? "" : count.toLocaleString("en");
    }
  }).catch(() => {});
}

// MARK: Rows

async function showRows(values, isCurrent) {
  const entity = entities.get(values.entity);
  if (!entity) throw new Refusal(404, {error: `The store has no entity “${values.entity}”.`});
  // Where the pages up to this one begin; with the entry of the history, so that it outlives a reload and “back”.
  let cursors = (history.state && history.state.cursors) || [null];
  let isBusy = false;
  const go = (changes) => { location.hash = place("rows", {...values, ...changes}); };
  const condition = element("input", {
    className: "condition grow", name: "condition", value: values.condition || "", placeholder: "condition, as age > 18",
    "aria-label": "Condition", autocomplete: "off", spellcheck: false, autocapitalize: "off",
  });
  const sort = element("input", {
    className: "condition", name: "sort", value: values.sort || "", placeholder: "order, as name,-age", size: 16,
    "aria-label": "Order", autocomplete: "off", spellcheck: false, autocapitalize: "off",
  });
  const place_of_errors = element("div");
  const table = element("div");
  const count = element("span", {className: "soft"});
  const filter = element("form", {
    className: "bar",
    onsubmit: (event) => {
      event.preventDefault();
      go({condition: condition.value.trim(), sort: sort.value.trim()});
    },
  }, condition, sort, element("button", {type: "submit", className: "main"}, "Show"));
  const title = values.of
    ? [element("a", {href: place("record", {id: values.of})}, values.of), `.${values.via}`] : [entity.name];
  main.replaceChildren(
    element("div", {className: "head"}, element("h2", {}, title), count,
      store.canWrite && !entity.isAbstract
        ? element("div", {className: "bar"}, element("a", {href: place("new", {entity: entity.name})}, "Add a record")) : null),
    filter, place_of_errors, columnChoice(entity, values, go), planOf(values), table);

  const load = async (wanted) => {
    const after = wanted[wanted.length - 1];
    const page = await (after ? ask("rows", {}, {...values, after}) : ask("rows", values));
    if (!isCurrent()) return;
    cursors = wanted;
    try { history.replaceState({cursors}, ""); } catch { /* Too long to be kept: “back” shows the first page. */ }
    place_of_errors.replaceChildren();
    table.replaceChildren(tableOf(page, values, go), pageButtons(page, cursors, turn));
  };
  const turn = async (wanted) => {
    if (isBusy) return;
    isBusy = true;
    try {
      await load(wanted);
      if (isCurrent()) main.scrollTo(0, 0);
    } catch (error) {
      if (isCurrent()) place_of_errors.replaceChildren(wrong(error));
    } finally { isBusy = false; }
  };
  try {
    // A place that was kept may be none any more.
    if (cursors.length > 1) await load(cursors).catch(() => load([null]));
    else await load(cursors);
  } catch (error) {
    if (!isCurrent()) return;
    place_of_errors.replaceChildren(wrong(error));
    const field = {condition, sort}[error.answer && error.answer.field];
    if (field) field.setAttribute("aria-invalid", "true");
    return;
  }
  ask("count", values).then((answer) => {
    count.textContent = answer.count === 1 ? "1 record" : `${answer.count.toLocaleString("en")} records`;
  }).catch(() => {});
}

function pageButtons(page, cursors, turn) {
  if (cursors.length === 1 && !page.next) return element("div");
  return element("div", {className: "bar"},
    element("button", {type: "button", disabled: cursors.length === 1, onclick: () => turn([null])}, "First"),
    element("button", {type: "button", disabled: cursors.length === 1, onclick: () => turn(cursors.slice(0, -1))}, "Previous"),
    element("button", {type: "button", disabled: !page.next, onclick: () => turn([...cursors, page.next])}, "Next"),
    element("span", {className: "soft"}, `page ${cursors.length}`));
}

function tableOf(page, values, go) {
  const order = (values.sort || "").split(",").map((key) => key.trim()).filter(Boolean);
  const kinds = page.columns.map((_, index) => {
    const cell = page.rows.map((row) => row.cells[index]).find((found) => found !== null);
    return cell && cell.kind === "number" ? "number" : "";
  });
  const heads = page.columns.map((name, index) => {
    const isUp = order[0] === name, isDown = order[0] === `-${name}`;
    const isKey = /^[A-Za-z_][\w.]*$/.test(name) && name !== "objectID";
    const label = name === "objectID" ? "record" : name;
    return element("th", {className: kinds[index], scope: "col", "aria-sort": isUp ? "ascending" : isDown ? "descending" : null},
      isKey ? element("button", {type: "button", title: `Sort by ${name}`, onclick: () => go({sort: isUp ? `-${name}` : isDown ? "" : name})},
        label + (isUp ? " ▲" : isDown ? " ▼" : "")) : label);
  });
  const hasID = page.columns.includes("objectID");
  const rows = page.rows.map((row) => element("tr", {},
    hasID ? null : element("td", {}, recordLink({text: row.id})),
    row.cells.map((cell, index) => element("td", {className: kinds[index]}, shown(cell)))));
  if (!rows.length) return element("div", {className: "table"}, element("div", {className: "nothing"}, "No records."));
  return element("div", {className: "table"}, element("table", {},
    element("thead", {}, element("tr", {}, hasID ? null : element("th", {scope: "col"}, "record"), heads)),
    element("tbody", {}, rows)));
}

function columnChoice(entity, values, go) {
  const names = entity.attributes.map((attribute) => attribute.name)
    .concat(entity.relationships.filter((one) => !one.isToMany).map((one) => one.name));
  const usual = names.filter((name) =>
    !entity.attributes.some((one) => one.name === name && ["binaryData", "transformable"].includes(one.type)));
  const chosen = values.columns ? values.columns.split(",").map((name) => name.trim()) : usual;
  const boxes = names.map((name) => element("input", {type: "checkbox", value: name, checked: chosen.includes(name)}));
  const others = element("input", {
    className: "condition grow", value: chosen.filter((name) => !names.includes(name)).join(", "),
    placeholder: "more columns, as team.name, skills.@count", "aria-label": "More columns", autocomplete: "off", spellcheck: false,
  });
  const apply = () => {
    const checked = boxes.filter((box) => box.checked).map((box) => box.value);
    const more = others.value.trim();
    const isUsual = checked.join() === usual.join() && !more;
    go({columns: isUsual ? "" : [...checked, ...(more ? [more] : [])].join(",")});
  };
  return element("details", {open: false}, element("summary", {}, "Columns"),
    element("div", {className: "choices"}, boxes.map((box, index) => element("label", {}, box, " ", names[index]))),
    element("form", {className: "bar", onsubmit: (event) => { event.preventDefault(); apply(); }},
      others, element("button", {type: "submit"}, "Show these")));
}

function planOf(values) {
  const text = element("pre", {className: "plan"});
  return element("details", {
    ontoggle: async (event) => {
      if (!event.target.open) return;
      try {
        const plan = await ask("plan", values);
        text.textContent = [
          ...plan.steps.map((step) => `store: ${step}`), ...plan.indexes.map((index) => `index: ${index}`),
          ...plan.inMemory.map((step) => `memory: ${step}`)].join("\n");
      } catch (error) { text.textContent = error.message; }
    },
  }, element("summary", {}, "Plan"), text);
}

// MARK: A record

async function showRecord(values, isCurrent) {
  const record = await ask("record", {id: values.id});
  if (!isCurrent()) return;
  const entity = entities.get(record.entity);
  showEntities(record.entity);
  const types = new Map(entity.attributes.map((attribute) => [attribute.name, attribute]));
  const relations = new Map(entity.relationships.map((one) => [one.name, one]));
  const errors = element("div");
  const rows = [];
  for (const {name, value} of record.attributes) {
    const type = types.get(name);
    rows.push(element("dt", {}, name, element("span", {className: "type"}, type ? type.type + (type.isOptional ? ", optional" : "") : "")),
      element("dd", {}, shown(value)));
  }
  for (const {name, value} of record.toOne) {
    rows.push(element("dt", {}, name, element("span", {className: "type"}, `→ ${relations.get(name).destination}`)),
      element("dd", {}, shown(value)));
  }
  for (const {name, destination, count, members} of record.toMany) {
    const all = element("a", {href: place("rows", {entity: destination, of: record.id, via: name})},
      count === 1 ? "1 record" : `${count.toLocaleString("en")} records`);
    rows.push(element("dt", {}, name, element("span", {className: "type"}, `↠ ${destination}`)),
      element("dd", {}, all, element("ul", {className: "members"}, members.map((member) => element("li", {}, recordLink(member))))));
  }
  main.replaceChildren(
    element("div", {className: "head"}, element("h2", {}, record.label || record.id),
      element("span", {className: "soft"}, element("a", {href: place("rows", {entity: record.entity})}, record.entity),
        ` · ${record.id} · version ${record.version}`),
      store.canWrite ? element("div", {className: "bar"},
        element("button", {type: "button", onclick: () => { view += 1; showForm(entity, record); }}, "Edit"), deletion(record, errors)) : null),
    errors, element("dl", {}, rows));
}

function deletion(record, errors) {
  // The question stands beside the button, which stays where it is: a second click there deletes nothing.
  const button = element("button", {type: "button", className: "danger"}, "Delete");
  const sure = element("button", {type: "button", className: "danger sure", hidden: true}, `Really delete ${record.id}?`);
  const both = element("span", {className: "question"}, button, sure);
  const shownView = view;
  button.addEventListener("click", (event) => { if (event.detail < 2) sure.hidden = !sure.hidden; });
  both.addEventListener("focusout", (event) => { if (!both.contains(event.relatedTarget)) sure.hidden = true; });
  sure.addEventListener("click", async (event) => {
    if (event.detail > 1 || sure.disabled) return;
    button.disabled = sure.disabled = true;
    try {
      await ask("save", {}, {store: store.identifier, operation: "delete", id: record.id, version: record.version});
      if (view === shownView) location.hash = place("rows", {entity: record.entity});
    } catch (error) {
      errors.replaceChildren(wrong(error));
      button.disabled = sure.disabled = false;
      sure.hidden = true;
    }
  });
  return both;
}

// MARK: Changing a record

// A text area has one kind of line ends. Those of lines that are as they were stay what they were, and new ones are
// as the first one was.
function withLineEnds(text, old) {
  const ends = old.match(/\r\n|\r|\n/g) || [];
  if (ends.every((end) => end === "\n")) return text;
  const before = old.split(/\r\n|\r|\n/), after = text.split("\n");
  const least = Math.min(before.length, after.length);
  let head = 0, tail = 0;
  while (head < least && before[head] === after[head]) head += 1;
  while (tail < least - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  return after.map((line, index) => {
    const left = after.length - 1 - index;
    if (left === 0) return line;
    return line + ((index < head ? ends[index] : left <= tail ? ends[ends.length - left] : null) || ends[0]);
  }).join("");
}

// A field for a value: its text, and whether it is nil. What is not touched is not sent.
function field(property, value) {
  const problem = element("div", {className: "problem"});
  if (property.obstacle) {
    return {property, problem, change: () => undefined,
      nodes: [value ? shown(value) : "", element("span", {className: "soft"}, ` (${property.obstacle}: not changed here)`)]};
  }
  const isCut = value && value.isCut;
  if (property.type === "boolean") return truthField(property, value, problem);
  const input = property.type === "string" ? element("textarea", {rows: 1, spellcheck: false})
    : element("input", {type: "text", size: 30, autocomplete: "off", spellcheck: false, list: property.list});
  input.setAttribute("aria-label", property.name);
  input.name = property.name;
  if (value && !isCut) input.value = value.text;
  if (isCut) input.placeholder = `${value.size}: other bytes replace them`;
  const nil = element("input", {type: "checkbox", checked: !value, "aria-label": `${property.name} is nil`});
  // A text area writes line ends its own way: what it made of the value is compared, and not the value.
  const before = {text: input.value, isNil: nil.checked};
  input.addEventListener("input", () => { nil.checked = false; });
  return {
    property, problem,
    change: () => {
      if (nil.checked) return before.isNil ? undefined : null;
      if (!before.isNil && input.value === before.text) return undefined;
      return property.type === "string" && value ? withLineEnds(input.value, value.text) : input.value;
    },
    nodes: [element("div", {className: "field"}, input, element("label", {}, nil, " nil"))],
  };
}

function truthField(property, value, problem) {
  const input = element("select", {name: property.name, "aria-label": property.name},
    [["", "nil"], ["true", "true"], ["false", "false"]].map(([text, label]) => element("option", {value: text}, label)));
  const before = value ? value.text : "";
  input.value = before;
  return {
    property, problem, change: () => (input.value === before ? undefined : input.value || null),
    nodes: [element("div", {className: "field"}, input)],
  };
}

function showForm(entity, record) {
  const isNew = !record;
  const shownView = view;
  let isBusy = false;
  const old = new Map(isNew ? entity.attributes.map((one) => [one.name, one.default || null])
    : [...record.attributes, ...record.toOne].map((one) => [one.name, one.value]));
  const lists = [];
  const fields = entity.attributes.map((attribute) => field(attribute, old.get(attribute.name) || null));
  for (const relationship of entity.relationships.filter((one) => !one.isToMany)) {
    const list = `list-${relationship.name}`;
    lists.push(choices(list, relationship.destination));
    fields.push(field({...relationship, type: "record", list}, old.get(relationship.name) || null));
  }
  const errors = element("div");
  const save = async (event) => {
    event.preventDefault();
    if (isBusy) return;
    const values = {};
    for (const one of fields) {
      one.problem.textContent = "";
      const change = one.change();
      if (change !== undefined) values[one.property.name] = change;
    }
    const body = isNew ? {store: store.identifier, operation: "insert", entity: entity.name, values}
      : {store: store.identifier, operation: "update", id: record.id, version: record.version, values};
    const buttons = event.target.querySelectorAll("button");
    const setBusy = (truth) => {
      isBusy = truth;
      for (const button of buttons) button.disabled = truth;
    };
    setBusy(true);
    try {
      const saved = await ask("save", {}, body);
      if (view !== shownView) return;
      const next = place("record", {id: saved.id});
      if (location.hash === next) route(); else location.hash = next;
    } catch (error) {
      setBusy(false);
      errors.replaceChildren(wrong(error));
      for (const {key, message} of (error.answer && error.answer.problems) || []) {
        const one = fields.find((found) => found.property.name === key);
        if (one) one.problem.textContent = message;
      }
      if (error.status === 409 && !isNew) {
        errors.append(element("button", {type: "button", onclick: () => route()}, "Show the record as it is now"));
      }
      main.scrollTo(0, 0);
    }
  };
  const rows = fields.flatMap((one) => [
    element("dt", {}, one.property.name, element("span", {className: "type"},
      one.property.type === "record" ? `→ ${one.property.destination}` : one.property.type + (one.property.isOptional ? ", optional" : ""))),
    element("dd", {}, one.nodes, one.problem)]);
  main.replaceChildren(
    element("div", {className: "head"}, element("h2", {}, isNew ? `New ${entity.name}` : record.label || record.id),
      isNew ? null : element("span", {className: "soft"}, `${record.id} · version ${record.version}`)),
    store.note ? element("p", {className: "soft"}, store.note) : "",
    errors,
    element("form", {onsubmit: save}, element("dl", {}, rows), lists,
      element("div", {className: "bar"}, element("button", {type: "submit", className: "main"}, isNew ? "Add" : "Save"),
        element("button", {type: "button", onclick: () => { if (isNew) history.back(); else route(); }}, "Cancel"))));
}

// Some records that a relationship can lead to, as suggestions.
function choices(id, destination) {
  const list = element("datalist", {id});
  const texts = entities.get(destination).attributes.filter((one) => one.type === "string").map((one) => one.name);
  const label = ["name", "title", "label"].find((name) => texts.includes(name)) || texts[0];
  ask("rows", {entity: destination, columns: label || "objectID", size: "100"}).then((page) => {
    list.replaceChildren(...page.rows.map((row) =>
      element("option", {value: row.id}, row.cells[0] && label ? row.cells[0].text : "")));
  }).catch(() => {});
  return list;
}

// MARK: Where the page is

function showDiagram() {
  main.replaceChildren(element("h2", {}, "Diagram"),
    element("p", {}, element("img", {id: "diagram", src: "diagram.svg", alt: "Entities and relationships"})));
}

async function route() {
  view += 1;
  const number = view;
  const isCurrent = () => view === number;
  const [path, query] = location.hash.replace(/^#\//, "").split("?");
  const values = Object.fromEntries(new URLSearchParams(query || ""));
  showEntities(path === "diagram" ? "#" : values.entity || null);
  try {
    if (path === "rows") await showRows(values, isCurrent);
    else if (path === "record") await showRecord(values, isCurrent);
    else if (path === "new" && store.canWrite && entities.has(values.entity)) showForm(entities.get(values.entity), null);
    else if (path === "diagram") showDiagram();
    else if (store.entities.length) location.replace(place("rows", {entity: store.entities.find((one) => !one.isAbstract)?.name || store.entities[0].name}));
    else main.replaceChildren(element("p", {className: "nothing"}, "The model has no entities."));
  } catch (error) { if (isCurrent()) main.replaceChildren(wrong(error)); }
}

async function begin() {
  try {
    store = await ask("store");
  } catch (error) {
    main.replaceChildren(wrong(error));
    return;
  }
  entities = new Map(store.entities.map((entity) => [entity.name, entity]));
  const title = document.getElementById("title");
  const isPath = store.title.startsWith("/");
  title.textContent = isPath ? store.title.split("/").pop() : store.title;
  title.title = store.title;
  document.title = `${title.textContent} – roost browse`;
  document.getElementById("kind").textContent = store.type;
  const mode = document.getElementById("mode");
  mode.textContent = store.canWrite ? "can be changed" : "read only";
  mode.classList.toggle("writes", store.canWrite);
  if (store.note) mode.title = store.note;
  window.addEventListener("hashchange", route);
  route();
}

begin();
