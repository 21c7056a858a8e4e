/* The keys that every page has: "?" lists them, "g" and a letter goes to a place of the bar at the top. The round console has its own. */
"use strict";
{
  const help = document.getElementById("keys-help");
  const own = document.getElementById("round");
  const typing = (element) => element.matches("input, select, textarea, [contenteditable]");
  const places = new Map([...document.querySelectorAll("[data-go]")].map((link) => [link.dataset.go, link]));

  const open = () => {
    if (!help || help.open) return;
    const list = help.querySelector("[data-places]");
    list.replaceChildren(
      ...[...places].map(([key, link]) => {
        const line = document.createElement("div");
        const keys = document.createElement("dt");
        for (const one of ["g", key]) {
          const cap = document.createElement("kbd");
          cap.textContent = one;
          keys.append(cap, " ");
        }
        const words = document.createElement("dd");
        words.textContent = link.dataset.words ?? link.textContent;
        line.append(keys, words);
        return line;
      }),
    );
    help.showModal();
  };

  let going = 0;
  document.addEventListener("keydown", (event) => {
    if (own || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    const gone = going && Date.now() - going < 1500;
    going = 0;
    if (event.key === "?") {
      event.preventDefault();
      open();
    } else if (help?.open) {
      return;
    } else if (gone && places.has(event.key)) {
      event.preventDefault();
      location.assign(places.get(event.key).href);
    } else if (event.key === "g") {
      going = Date.now();
    }
  });
  for (const button of document.querySelectorAll("[data-keys-help]")) {
    if (own) button.hidden = true;
    button.addEventListener("click", open);
  }
}
