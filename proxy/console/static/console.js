"use strict";
// Everything here is a convenience: without it pages are read by loading them again.

function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    const today = moment.toDateString() === new Date().toDateString();
    time.title = time.textContent;
    time.textContent = today ? moment.toLocaleTimeString() : moment.toLocaleString();
  }
}

function follow(state) {
  const list = document.getElementById("asks");
  const nothing = document.getElementById("nothing");
  const most = Math.max(40, list.children.length);
  const source = new EventSource(state.dataset.live);
  const say = (kind, text) => {
    state.className = "state " + kind;
    state.textContent = text;
  };
  source.onopen = () => say("on", "Live");
  source.onerror = () => say("off", source.readyState === EventSource.CLOSED ? "Not live: load the page again" : "Connecting again …");
  source.addEventListener("ask", (event) => {
    // The text is a row made by the server's own template, which escapes what people wrote.
    const made = new DOMParser().parseFromString(event.data, "text/html").querySelector("li");
    if (!made) return;
    localTimes(made);
    const known = document.getElementById(made.id);
    if (known) {
      const focused = known.contains(document.activeElement);
      made.removeAttribute("data-fresh");
      known.replaceWith(made);
      if (focused) made.querySelector("a").focus();
    } else {
      list.prepend(made);
    }
    nothing.hidden = true;
    while (list.children.length > most) list.lastElementChild.remove();
  });
  window.addEventListener("pagehide", () => source.close());
}

localTimes(document);
const live = document.querySelector("[data-live]");
if (live && "EventSource" in window) follow(live);

document.addEventListener("keydown", (event) => {
  const search = document.getElementById("q");
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === "/" && search && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    search.focus();
  }
});
