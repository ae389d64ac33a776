"use strict";
// Everything here is a convenience: without it the page is loaded again to see what came.

const box = document.getElementById("question");
const answers = document.getElementById("answers");
const news = document.getElementById("news");
const trouble = document.getElementById("trouble");
const nothing = document.getElementById("nothing");
const began = new Map();
let lastQuestion = "";

function signedOut() {
  location.replace("/ask");
}

function say(text) {
  trouble.textContent = text;
}

async function part(response) {
  if (response.status === 410) {
    signedOut();
    return null;
  }
  const text = await response.text();
  if (!response.ok) throw new Error(text.trim() || "askwire does not answer");
  // The text is made by the server's own template, which escapes what people and the data say.
  return new DOMParser().parseFromString(text, "text/html").querySelector("article");
}

function place(made) {
  const known = document.getElementById(made.id);
  const wasBusy = known ? known.hasAttribute("data-busy") : true;
  if (known && Number(known.dataset.revision) > Number(made.dataset.revision)) return known;
  if (known) {
    for (const details of known.querySelectorAll("details[data-name]")) {
      const same = made.querySelector(`details[data-name="${details.dataset.name}"]`);
      if (same) same.open = details.open;
    }
    const focused = known.contains(document.activeElement);
    known.replaceWith(made);
    if (focused && box) box.focus({ preventScroll: true });
  } else {
    answers.prepend(made);
  }
  nothing.hidden = true;
  ready(made);
  if (wasBusy && !made.hasAttribute("data-busy")) news.textContent = made.dataset.news;
  return made;
}

function ready(root) {
  for (const button of root.querySelectorAll("[data-copy]")) button.hidden = false;
}

async function follow(article) {
  let shown = article;
  let failures = 0;
  while (shown && shown.hasAttribute("data-busy")) {
    try {
      const address = `/ask/answers/${shown.dataset.number}?seen=${shown.dataset.revision}`;
      const made = await part(await fetch(address, { headers: { Accept: "text/plain" } }));
      if (!made) return;
      shown = place(made);
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures > 5) {
        say("askwire does not answer. Load the page again.");
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 500 * failures));
    }
  }
}

async function send(form, submitter) {
  const values = new URLSearchParams(new FormData(form, submitter || null));
  values.set("part", "1");
  say("");
  used();
  try {
    const made = await part(await fetch(form.action, { method: "POST", body: values, headers: { Accept: "text/plain" } }));
    if (made) follow(place(made));
    return Boolean(made);
  } catch (error) {
    const text = error.message;
    say(text.charAt(0).toUpperCase() + text.slice(1));
    return false;
  }
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.id !== "askbox" && !form.hasAttribute("data-part")) return;
  event.preventDefault();
  if (form.id !== "askbox") {
    await send(form, event.submitter);
    return;
  }
  const question = box.value.trim();
  if (!question) return;
  lastQuestion = question;
  const sending = send(form, event.submitter);
  box.value = "";
  if (!(await sending) && !box.value) box.value = question;
  box.focus({ preventScroll: true });
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const text = button.dataset.copy;
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    // pages without TLS have no clipboard: what is selected can be copied
    const range = document.createRange();
    range.selectNodeContents(button.parentElement.querySelector("pre"));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    document.execCommand("copy");
  }
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = "Copy"), 1500);
});

document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.target === box && event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    box.form.requestSubmit();
  } else if (event.target === box && event.key === "ArrowUp" && !box.value && lastQuestion) {
    event.preventDefault();
    box.value = lastQuestion;
  } else if (event.key === "Escape" && !event.isComposing) {
    const busy = [...answers.querySelectorAll("article[data-busy]")].pop();
    const cancel = busy && busy.querySelector("button.cancel");
    if (cancel) cancel.form.requestSubmit(cancel);
  } else if (event.key === "/" && box && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    box.focus();
  }
});

setInterval(() => {
  for (const clock of answers.querySelectorAll(".clock")) {
    const id = clock.closest("article").id;
    if (!began.has(id)) began.set(id, performance.now());
    const seconds = Math.floor((performance.now() - began.get(id)) / 1000);
    clock.textContent = seconds > 0 ? `(${seconds} s)` : "";
  }
}, 250);

// An idle page must not show rows for longer than its session lasts.
const idle = Number(answers.dataset.idle) * 1000;
let idling = 0;
function used() {
  clearTimeout(idling);
  if (idle) idling = setTimeout(() => location.replace("/ask?idle"), idle + 1500);
}

used();
ready(document);
const asked = answers.querySelector("h2");
if (asked) lastQuestion = asked.textContent;
for (const article of answers.querySelectorAll("article[data-busy]")) follow(article);
