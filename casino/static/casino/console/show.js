/* What the house answered, painted where it belongs: hands, dues beside what was paid, sums, differences, reasons. */
import { drawAll } from "./cards.js";
import { showErrors } from "./errors.js";
import { at, filled, form, seatRow, write } from "./sheet.js";

const tone = (due) => (due.startsWith("+") ? "good" : "");
let reasons = {};

const showSpot = (name, spot, errors) => {
  const input = at(name);
  const due = form.querySelector(`[data-due="${name}"]`);
  if (!due || !input) return;
  const seen = at(`w${name.slice(1)}`);
  write(due, spot.due);
  due.dataset.tone = tone(spot.due);
  due.title = spot.why;
  input.closest(".spot").classList.toggle("off", spot.off);
  const untouched = input.value === seen.value;
  input.disabled = !spot.due && !at("irregular").value.trim() && !(errors[name] || []).length;
  if (untouched && input !== document.activeElement) input.value = spot.due;
  seen.value = untouched && input === document.activeElement ? input.value : spot.due;
};

/* Where a seat may lay any bet, its wagers stand in its line by name: made anew when they are others. */
const showFlow = (seat, html) => {
  const place = form.querySelector(`[data-flow="${seat}"]`);
  if (!place) return;
  const fresh = document.createElement("div");
  fresh.innerHTML = html;
  const names = (box) => [...box.querySelectorAll("input[data-kind='done']")].map((input) => input.name).join();
  if (names(fresh) !== names(place)) place.innerHTML = html;
};

/* What was put down, where it is not chips, and for whom, stands beside what is due. Keys choose it: nothing more to tab over. */
export const paintMarks = () => {
  for (const mark of form.querySelectorAll("[data-mark]")) {
    const fund = form.querySelector(`[data-fund="${mark.dataset.mark}"]`);
    const box = form.querySelector(`[data-for-dealer="${mark.dataset.mark}"]`);
    const words = [fund?.value && fund.selectedOptions[0].text, box?.checked && box.parentElement.querySelector("span").textContent];
    write(mark, words.filter(Boolean).join(" · "));
    for (const one of [fund, box]) if (one) one.tabIndex = -1;
  }
};

/* A seat's two rows, what was typed and what is due, are as high as the higher. */
const alignRows = () => {
  for (const row of form.querySelectorAll(".dues tr[data-seat]")) seatRow(row.dataset.seat).style.height = `${row.offsetHeight}px`;
};

const showSeat = (row, seat) => {
  if (!seat) return;
  write(row.querySelector("[data-hand]"), seat.hand);
  for (const sum of ["due", "done", "off"]) write(row.querySelector(`[data-sum="${sum}"]`), seat[sum]);
  row.classList.toggle("off", Boolean(seat.off));
};

const words = (box) => [...box.querySelectorAll("[data-words]")].map((one) => one.dataset.words).join() || box.textContent.trim();
export const showDifferences = (html, always = false) => {
  const place = document.getElementById("differences");
  const fresh = document.createElement("div");
  fresh.innerHTML = html;
  if (always || words(fresh) !== words(place)) place.innerHTML = html;
};

const line = (kind, why) => {
  const row = document.createElement("div");
  row.append(Object.assign(document.createElement("dt"), { textContent: kind.replaceAll("_", " ") }));
  row.append(Object.assign(document.createElement("dd"), { textContent: why }));
  return row;
};
const sheetOf = (seat, lines) => {
  const section = document.createElement("section");
  section.dataset.reasons = seat;
  const list = document.createElement("dl");
  list.append(...lines.map(([kind, why]) => line(kind, why)));
  section.append(Object.assign(document.createElement("h2"), { textContent: filled("seat", { seat }) }), list);
  return section;
};

/* The reason sheet: of one seat, or of all. Asked for again it closes. */
export const showReasons = (seat = 0) => {
  const box = document.getElementById("reasons");
  const shown = Object.entries(reasons).filter(([other]) => !seat || Number(other) === seat);
  box.querySelectorAll("section").forEach((section) => section.remove());
  box.append(...shown.map(([other, lines]) => sheetOf(other, lines)));
};
export const toggleReasons = (seat) => {
  const box = document.getElementById("reasons");
  const same = box.open && box.dataset.seat === String(seat);
  box.dataset.seat = same ? "" : seat;
  showReasons(same ? 0 : seat);
  box.open = !same;
};

const gatherReasons = (spots) => {
  reasons = {};
  for (const [name, spot] of Object.entries(spots)) {
    const [, seat, kind] = /^d(\d+)_(\w+)$/.exec(name);
    if (spot.due) (reasons[seat] ||= []).push([kind, spot.why]);
  }
};

export const show = (found) => {
  write(form.querySelector('[data-dealer="hand"]'), found.dealer.hand || "—");
  const note = form.querySelector('[data-dealer="note"]');
  write(note, found.dealer.note);
  if (note) note.className = found.dealer.qualifies ? "good" : "dim";
  for (const [seat, html] of Object.entries(found.flows || {})) showFlow(seat, html);
  for (const [name, spot] of Object.entries(found.spots)) showSpot(name, spot, found.errors);
  if (found.flows) alignRows();
  paintMarks();
  for (const row of form.querySelectorAll(".dues tr[data-seat]")) showSeat(row, found.seats[row.dataset.seat]);
  for (const cell of form.querySelectorAll("[data-house]")) write(cell, found.house[cell.dataset.house] || (cell.dataset.house === "handle" ? "—" : ""));
  drawAll(new Set(found.doubled));
  showErrors(found.errors);
  write(document.getElementById("waiting"), found.waiting.length ? filled("still_to_come", { places: found.waiting.join(", ") }) : "");
  if (found.may_be_irregular) document.getElementById("irregular_box").open = true;
  showDifferences(found.differences);
  gatherReasons(found.spots);
  const box = document.getElementById("reasons");
  if (box.open) showReasons(Number(box.dataset.seat) || 0);
};
