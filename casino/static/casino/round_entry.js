/* A round in hand: what is due beside what was done while it is typed, drafts that are not lost, keys. Without it the page works by its buttons. */
"use strict";
{
  const form = document.getElementById("round");
  const at = (name) => form.elements.namedItem(name);
  const WAIT = 150;

  /* ---- what is due, asked while typing ---- */
  const left = new Set("looked" in form.dataset ? [...form.elements].map((input) => input.name) : []);
  let asked = 0;
  let timer = null;
  let pending = null;

  const ask = async () => {
    const turn = ++asked;
    const answer = await fetch(form.dataset.preview, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    if (!answer.ok) return;
    const found = await answer.json();
    if (turn === asked) show(found);
  };
  const soon = () => {
    clearTimeout(timer);
    pending = new Promise((done) => {
      timer = setTimeout(() => ask().catch(() => {}).finally(() => { pending = null; done(); }), WAIT);
    });
  };

  const text = (element, words) => { if (element && element.textContent !== words) element.textContent = words; };
  const tone = (due) => (due.startsWith("+") ? "good" : "");

  const show = (found) => {
    text(form.querySelector('[data-dealer="hand"]'), found.dealer.hand || "—");
    const note = form.querySelector('[data-dealer="note"]');
    text(note, found.dealer.note);
    if (note) note.className = found.dealer.note === "qualifies" ? "good" : "dim";
    for (const [name, spot] of Object.entries(found.spots)) showSpot(name, spot, found);
    for (const row of form.querySelectorAll(".dues tr[data-seat]")) showSeat(row, found.seats[row.dataset.seat]);
    for (const cell of form.querySelectorAll("[data-house]")) text(cell, found.house[cell.dataset.house] || (cell.dataset.house === "handle" ? "—" : ""));
    for (const [name, names] of Object.entries(found.cards)) showCards(name, names);
    for (const card of form.querySelectorAll("[data-deck]")) {
      const where = found.deck[card.dataset.deck] || "";
      card.classList.toggle("gone", where === "gone");
      card.classList.toggle("twice", where === "twice");
    }
    showErrors(found.errors);
    text(document.getElementById("waiting"), found.waiting.length ? `Still to come: ${found.waiting.join(", ")}.` : "");
    if (found.may_be_irregular) document.getElementById("irregular_box").open = true;
    showDifferences(found.differences);
  };

  const showSpot = (name, spot, found) => {
    const input = at(name);
    const seen = at(`w${name.slice(1)}`);
    const due = form.querySelector(`[data-due="${name}"]`);
    if (!due) return;
    text(due, spot.due);
    due.dataset.tone = tone(spot.due);
    due.title = spot.why;
    input.closest("td").classList.toggle("off", spot.off);
    const untouched = input.value === seen.value;
    const wasOff = input.disabled;
    input.disabled = !spot.due && !at("irregular").value.trim() && !(found.errors[name] || []).length;
    if (untouched && input !== document.activeElement) input.value = spot.due;
    seen.value = untouched && input === document.activeElement ? input.value : spot.due;
    if (wasOff && !input.disabled && input.value && input.value !== spot.due) soon();
  };

  const showSeat = (row, seat) => {
    if (!seat) return;
    text(row.querySelector("[data-hand]"), seat.hand);
    for (const sum of ["due", "done", "off"]) text(row.querySelector(`[data-sum="${sum}"]`), seat[sum]);
    row.classList.toggle("off", Boolean(seat.off));
  };

  const SIGNS = { s: "♠", h: "♥", d: "♦", c: "♣" };
  const WORDS = { 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", T: "ten", J: "jack", Q: "queen", K: "king", A: "ace" };
  const SUITS = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };
  const drawn = (name) => {
    const card = document.createElement("span");
    card.className = `card suit-${name[1]}`;
    card.setAttribute("role", "img");
    card.setAttribute("aria-label", `${WORDS[name[0]]} of ${SUITS[name[1]]}`);
    const rank = document.createElement("b");
    rank.textContent = name[0] === "T" ? "10" : name[0];
    const suit = document.createElement("i");
    suit.textContent = SIGNS[name[1]];
    card.append(rank, suit);
    return card;
  };
  const showCards = (name, names) => {
    const place = form.querySelector(`[data-cards="${name}"]`);
    if (!place || place.dataset.shown === names.join()) return;
    place.dataset.shown = names.join();
    const cards = document.createElement("span");
    cards.className = place.closest(".wide") ? "cards" : "cards small";
    cards.append(...names.map(drawn));
    place.replaceChildren(cards);
  };

  const showErrors = (errors) => {
    for (const place of form.querySelectorAll('[id^="e_"]')) {
      const name = place.id.slice(2);
      const input = at(name);
      const loud = (errors[name] || []).filter((error) => !error.waits);
      const speaks = loud.length > 0 && left.has(name) && input !== document.activeElement;
      text(place, speaks ? loud.map((error) => error.message).join(" ") : "");
      place.hidden = !speaks;
      if (!input || !input.setAttribute) continue;
      if (speaks) {
        input.setAttribute("aria-invalid", "true");
        input.setAttribute("aria-describedby", place.id);
      } else {
        input.removeAttribute("aria-invalid");
        input.removeAttribute("aria-describedby");
      }
    }
    const general = (errors[""] || []).filter((error) => !error.waits).map((error) => error.message);
    const box = document.getElementById("problems");
    if (box.dataset.said === general.join()) return;
    box.dataset.said = general.join();
    box.replaceChildren(...general.map((message) => Object.assign(document.createElement("p"), { textContent: message })));
  };

  const showDifferences = (html) => {
    const place = document.getElementById("differences");
    const fresh = document.createElement("div");
    fresh.innerHTML = html;
    const words = (box) => [...box.querySelectorAll("[data-words]")].map((one) => one.dataset.words).join() || box.textContent.trim();
    if (words(fresh) !== words(place)) place.innerHTML = html;
  };

  /* ---- keys ---- */
  form.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const input = event.target;
    const name = /^([sd])(\d+)_(\w+)$/.exec(input.name || "");
    if (!name || input.tagName === "SELECT") return;
    const step = event.key === "ArrowDown" ? 1 : -1;
    for (let seat = Number(name[2]) + step; at(`${name[1]}${seat}_${name[3]}`); seat += step) {
      const next = at(`${name[1]}${seat}_${name[3]}`);
      if (next.disabled) continue;
      event.preventDefault();
      next.focus();
      if (next.select) next.select();
      return;
    }
  });
  form.addEventListener("click", (event) => {
    const seat = event.target.closest("[data-clear]")?.dataset.clear;
    if (!seat) return;
    for (const input of form.elements) {
      if (!(input.name || "").startsWith(`s${seat}_`)) continue;
      if (input.type === "checkbox") input.checked = false;
      else input.value = "";
    }
    changed();
    form.querySelector(`tr[data-seat="${seat}"] input`).focus();
  });
  form.addEventListener("focusin", (event) => {
    if (event.target.matches("input[data-kind='amount'], .spot input")) event.target.select();
  });
  form.addEventListener("focusout", (event) => {
    if (event.target.name) {
      left.add(event.target.name);
      if (touched) soon();
    }
  });

  /* ---- drafts: kept in this tab until the round is saved ---- */
  const key = `pitbook:round:${form.dataset.person}:${form.dataset.table}`;
  const skipped = new Set(["csrfmiddlewaretoken", "table", "save", "see"]);
  const drafted = document.getElementById("drafted");
  const forget = document.getElementById("forget");
  const keep = () => {
    const kept = {};
    for (const [name, value] of new FormData(form)) if (!skipped.has(name)) kept[name] = value;
    sessionStorage.setItem(key, JSON.stringify(kept));
    text(drafted, "draft kept");
    forget.hidden = false;
  };
  const restore = () => {
    const kept = JSON.parse(sessionStorage.getItem(key) || "null");
    if (!kept) return false;
    if (kept.uuid === form.dataset.saved) {
      sessionStorage.removeItem(key);
      return false;
    }
    if ("looked" in form.dataset) return false;
    for (const input of form.elements) {
      if (!input.name || skipped.has(input.name)) continue;
      if (input.type === "checkbox") input.checked = input.name in kept;
      else if (input.type !== "radio") input.value = kept[input.name] ?? "";
    }
    text(drafted, "draft brought back");
    forget.hidden = false;
    return true;
  };
  forget.addEventListener("click", () => {
    sessionStorage.removeItem(key);
    location.assign(`${location.pathname}?table=${encodeURIComponent(form.dataset.table)}`);
  });

  /* ---- time: now, until somebody says otherwise ---- */
  const when = at("occurred_at");
  let timeSaid = "looked" in form.dataset;
  when.addEventListener("input", () => { timeSaid = true; });
  const opened = Date.now();
  const begun = when.value;
  const setTime = () => {
    if (timeSaid || !begun) return;
    timeSaid = true;
    const start = new Date(`${begun}Z`).getTime();
    when.value = new Date(start + Date.now() - opened).toISOString().slice(0, 19);
  };

  let touched = false;
  const changed = () => {
    touched = true;
    setTime();
    keep();
    soon();
  };
  form.addEventListener("input", changed);
  form.addEventListener("change", changed);

  /* ---- saving: what is due is up to date first, and one page is sent once ---- */
  let sent = false;
  form.addEventListener("submit", async (event) => {
    if (sent) {
      event.preventDefault();
      return;
    }
    if (!pending) {
      sent = true;
      return;
    }
    event.preventDefault();
    const button = event.submitter;
    await pending;
    if (!sent) form.requestSubmit(button);
  });
  window.addEventListener("pageshow", () => { sent = false; });

  if (restore()) soon();
  const wrong = form.querySelector('[aria-invalid="true"]');
  if (wrong) (wrong.matches("input, select") ? wrong : wrong.querySelector("input")).focus();
  else if ("looked" in form.dataset === false) form.querySelector(".deal input")?.focus();
}
