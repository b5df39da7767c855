// Keeps an open page true: ages tick, changed parts are replaced, the table is sorted and searched.
"use strict";

const body = document.body;
const words = JSON.parse(body.dataset.words);
let ahead = Number(body.dataset.now) - Date.now() / 1000; // of the database's clock before ours

// --- Ages ---

function age(seconds) { // the same as Words.age on the server
  const shown = Math.max(0, seconds);
  if (shown < 100) return `${Math.round(shown)} ${words.seconds}`;
  if (shown < 6000) return `${Math.round(shown / 60)} ${words.minutes}`;
  if (shown < 172800) return `${Math.round(shown / 3600)} ${words.hours}`;
  return `${Math.round(shown / 86400)} ${words.days}`;
}

function tick(root = document) {
  const now = Date.now() / 1000 + ahead;
  for (const time of root.querySelectorAll("time")) {
    const { since, until } = time.dataset;
    const text = age(since ? now - since : until - now);
    if (time.textContent !== text) time.textContent = text;
  }
}

// --- Changed parts ---

function made(markup) {
  const template = document.createElement("template");
  template.innerHTML = markup; // escaped by the server; the page's policy runs no script in it
  return template.content.firstElementChild;
}

function isAtEnd(one) { // of a log that is read as it grows
  return one.matches(".log") && one.scrollTop + one.clientHeight >= one.scrollHeight - 4;
}

function replace(id, markup) {
  const fresh = made(markup);
  tick(fresh);
  const old = document.getElementById(id);
  if (!old) {
    document.querySelector(`[data-list="${id.split("-")[0]}"]`)?.append(fresh);
    return;
  }
  const focused = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  const opened = [...old.querySelectorAll("details")].map((one) => one.open);
  const scrolls = [...old.querySelectorAll("pre, .scroll")].map((one) => (isAtEnd(one) ? Infinity : one.scrollTop));
  if (old.tagName === "TR" && old.dataset.status !== fresh.dataset.status) fresh.classList.add("fresh");
  old.replaceWith(fresh);
  fresh.querySelectorAll("details").forEach((one, at) => { one.open = opened[at] ?? false; });
  fresh.querySelectorAll("pre, .scroll").forEach((one, at) => {
    one.scrollTop = scrolls[at] === Infinity ? one.scrollHeight : scrolls[at] ?? 0;
  });
  if (focused) fresh.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

function apply(patch) {
  ahead = patch.now - Date.now() / 1000;
  for (const [id, markup] of Object.entries(patch.parts)) replace(id, markup);
  const gone = patch.whole
    ? [...document.querySelectorAll("[data-list] > *")].map((row) => row.id).filter((id) => !(id in patch.parts))
    : patch.gone;
  for (const id of gone) document.getElementById(id)?.remove();
  if (patch.said.length) document.getElementById("said").textContent = patch.said.join(". ");
  arrange();
}

function listen() {
  const lost = document.getElementById("lost");
  const query = new URLSearchParams({ topic: body.dataset.topic, v: body.dataset.version, lang: document.documentElement.lang });
  const stream = new EventSource(`/events?${query}`);
  let heard = Date.now();
  stream.addEventListener("open", () => { heard = Date.now(); lost.hidden = true; });
  stream.addEventListener("patch", (event) => { heard = Date.now(); lost.hidden = true; apply(JSON.parse(event.data)); });
  let failing = 0;
  setInterval(() => {
    failing = stream.readyState === EventSource.OPEN ? 0 : failing + 1;
    if (failing > 3 || Date.now() - heard > 45000) lost.hidden = false;
    // A browser that was told no gives up; we do not.
    if (stream.readyState === EventSource.CLOSED) { stream.close(); location.reload(); }
  }, 1000);
}

// --- The table: sort, search, filter ---

const table = document.querySelector(".fleet");
const search = document.getElementById("search");
const filter = document.getElementById("filter");

function arrange() {
  if (!table) return;
  const heading = table.querySelector('th[aria-sort="ascending"], th[aria-sort="descending"]');
  const { sort, kind } = heading.firstElementChild.dataset;
  const sign = heading.getAttribute("aria-sort") === "ascending" ? 1 : -1;
  const list = table.tBodies[0];
  const keyed = [...list.rows].map((row) => [row.querySelector(`.c-${sort}`).dataset.key ?? "", row]);
  const number = (text) => (text === "" ? -Infinity : Number(text));
  keyed.sort(([a, one], [b, other]) => {
    const order = kind === "number" ? number(a) - number(b) : a.localeCompare(b);
    return (order || 0) * sign || one.id.localeCompare(other.id);
  });
  const order = keyed.map(([, row]) => row);
  if (order.some((row, at) => row !== list.rows[at])) {
    const focused = document.activeElement;
    list.append(...order);
    if (list.contains(focused)) focused.focus({ preventScroll: true });
  }
  const wanted = search.value.trim().toLowerCase();
  let shown = 0;
  for (const row of order) {
    const fits = !filter.value || (filter.value === "problems" ? "problem" in row.dataset : row.dataset.status === filter.value);
    row.hidden = !(fits && row.dataset.text.includes(wanted));
    shown += row.hidden ? 0 : 1;
  }
  document.querySelector(".empty-table").hidden = order.length > 0;
  const note = document.getElementById("shown");
  const text = words.shown.replace("{shown}", shown).replace("{total}", order.length) + (shown || !order.length ? "" : ` ${words.nothing_found}`);
  if (note.textContent !== text) note.textContent = text;
}

if (table) {
  document.querySelector(".find").hidden = false;
  document.querySelector(".find").addEventListener("submit", (event) => event.preventDefault());
  search.addEventListener("input", arrange);
  filter.addEventListener("change", arrange);
  for (const button of table.querySelectorAll("thead button")) {
    button.addEventListener("click", () => {
      const heading = button.parentElement;
      const next = heading.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
      for (const other of table.querySelectorAll("th[aria-sort]")) other.setAttribute("aria-sort", "none");
      heading.setAttribute("aria-sort", next);
      arrange();
    });
  }
  arrange();
}

// --- Actions ask first ---

document.addEventListener("submit", (event) => {
  const question = event.submitter?.dataset.confirm;
  if (question && !window.confirm(question)) event.preventDefault();
});

for (const log of document.querySelectorAll(".log")) log.scrollTop = log.scrollHeight;
setInterval(tick, 1000);
if (body.dataset.topic) listen();
