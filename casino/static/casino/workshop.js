/* A paytable in hand: edges and differences follow what is typed, faults stand at fields that were left. Without it the page works by its buttons. */
"use strict";
{
  const form = document.getElementById("paytable");
  const place = document.getElementById("look");
  const WAIT = 120;
  const left = new Set("asked" in form.dataset ? [...form.elements].map((input) => input.name) : []);
  let asked = 0;
  let timer = null;

  const text = (element, words) => { if (element && element.textContent !== words) element.textContent = words; };

  const ask = async () => {
    const turn = ++asked;
    const answer = await fetch(form.dataset.look, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    if (!answer.ok || answer.redirected) return;
    const found = await answer.json();
    if (turn === asked) show(found);
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => ask().catch(() => {}), WAIT);
  };

  const show = (found) => {
    showErrors(found.errors);
    if (found.edges !== null && place.innerHTML !== found.edges) place.innerHTML = found.edges;
    place.classList.toggle("stale", found.edges === null);
    for (const one of form.querySelectorAll("[data-reads]")) {
      const typed = form.elements.namedItem(one.dataset.reads).value.trim();
      const reads = found.odds[one.dataset.reads] || "";
      text(one, typed && reads && typed !== reads ? `= ${reads}` : "");
    }
  };

  const showErrors = (errors) => {
    for (const one of form.querySelectorAll('[id^="e_"]')) {
      const name = one.id.slice(2);
      const input = form.elements.namedItem(name);
      const speaks = (errors[name] || []).length > 0 && left.has(name) && input !== document.activeElement;
      text(one, speaks ? errors[name].join(" ") : "");
      one.hidden = !speaks;
      if (speaks) {
        input.setAttribute("aria-invalid", "true");
        input.setAttribute("aria-describedby", one.id);
      } else {
        input.removeAttribute("aria-invalid");
        input.removeAttribute("aria-describedby");
      }
    }
    const box = document.getElementById("problems");
    const general = errors[""] || [];
    if (box.dataset.said !== general.join()) {
      box.dataset.said = general.join();
      box.replaceChildren(...general.map((message) => Object.assign(document.createElement("p"), { textContent: message })));
    }
  };

  const begun = new URLSearchParams(new FormData(form)).toString();
  const unkept = document.getElementById("unkept");
  const propose = document.querySelector("#propose button");
  const changed = () => {
    const differs = new URLSearchParams(new FormData(form)).toString() !== begun || "asked" in form.dataset;
    text(unkept, differs ? unkept?.dataset.words : "");
    if (propose) propose.disabled = differs;
    soon();
  };
  form.addEventListener("input", changed);
  form.addEventListener("change", changed);
  form.addEventListener("focusout", (event) => {
    if (event.target.name) {
      left.add(event.target.name);
      soon();
    }
  });
  form.addEventListener("focusin", (event) => { if (event.target.matches("input[data-kind='odds']")) event.target.select(); });
  form.addEventListener("keydown", (event) => {
    if ((event.key !== "ArrowDown" && event.key !== "ArrowUp") || !event.target.matches("input[data-kind='odds']")) return;
    const cell = event.target.closest("td");
    let row = cell.parentElement;
    do row = event.key === "ArrowDown" ? row.nextElementSibling : row.previousElementSibling;
    while (row && !row.cells[cell.cellIndex].querySelector("input"));
    const next = row?.cells[cell.cellIndex].querySelector("input");
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  const wrong = form.querySelector('[aria-invalid="true"]');
  if (wrong) wrong.focus();
}
