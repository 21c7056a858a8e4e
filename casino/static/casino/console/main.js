/* The round console: a round is typed as it lies, what is due stands beside what was paid, Enter saves it and opens the next. */
import { drawAll } from "./cards.js";
import "./deck.js";
import { keep, restore, watchOthers } from "./draft.js";
import { onAnswer, settled, soon } from "./due.js";
import { comeBack, leave, markKnown, problems, refresh, say } from "./errors.js";
import { newPace } from "./help.js";
import { onKeyed, setBets, times, toggleSeat } from "./keys.js";
import { begin, isFull, onFrom } from "./route.js";
import { isSending, onceSaved, save, sendOn } from "./save.js";
import { at, clearTimes, fill, form, noteTyped, paintSeats, placeOf, setPlaying, value, write } from "./sheet.js";
import { paintMarks, show } from "./show.js";

/* ---- time: now, until somebody says otherwise ---- */
let timeSaid = "looked" in form.dataset;
let opened = Date.now();
const setTime = () => {
  const begun = at("occurred_at").value;
  if (timeSaid || !begun) return;
  timeSaid = true;
  at("occurred_at").value = new Date(new Date(`${begun}Z`).getTime() + Date.now() - opened).toISOString().slice(0, 19);
};
at("occurred_at").addEventListener("input", () => { timeSaid = true; });

/* ---- which multiple is chosen ---- */
const paintTimes = () => {
  for (const button of form.querySelectorAll("[data-times]")) {
    button.setAttribute("aria-pressed", String(value(button.dataset.times).replace("×", "x").toLowerCase() === `${button.value}x`));
  }
};

const changed = (name) => {
  noteTyped(placeOf(name)?.seat);
  setTime();
  drawAll();
  paintTimes();
  paintMarks();
  problems([]);
  refresh();
  keep();
  soon();
};
onKeyed(changed);

/* ---- typing ---- */
const tidy = (input) => {
  const { field } = placeOf(input.name) || {};
  if (field?.kind === "numbers" && field.count && /^[\d\s]*$/.test(input.value)) input.value = (input.value.match(/\d/g) || []).join(" ");
};
form.addEventListener("input", (event) => {
  const input = event.target;
  if (!input.name || isSending()) return;
  const grows = event.inputType?.startsWith("insert") ?? true;
  if (grows) tidy(input);
  changed(input.name);
  const { where, field } = placeOf(input.name) || {};
  if (grows && (where === "r" || where === "s") && field?.kind !== "flag" && isFull(input.name)) onFrom(input.name);
});
form.addEventListener("change", (event) => {
  const { seat, field } = placeOf(event.target.name) || {};
  if (field?.kind === "flag" && event.target.checked) clearTimes(seat);
  if (event.target.name) changed(event.target.name);
});
form.addEventListener("click", (event) => {
  const multiple = event.target.closest("[data-times]");
  const seat = event.target.closest("[data-toggle]")?.dataset.toggle;
  if (multiple) times(multiple.dataset.times, multiple.value);
  if (seat) toggleSeat(Number(seat));
});
form.addEventListener("focusin", (event) => {
  if (event.target.matches("input[data-kind='amount'], input[data-kind='done']")) event.target.select();
  form.querySelectorAll("tr.in-hand").forEach((row) => row.classList.remove("in-hand"));
  const seat = placeOf(event.target.name)?.seat;
  if (seat) form.querySelectorAll(`tr[data-seat="${seat}"]`).forEach((row) => row.classList.add("in-hand"));
});
form.addEventListener("focusout", (event) => {
  if (!event.target.name || isSending()) return;
  leave(event.target.name);
});

/* ---- saving ---- */
form.addEventListener("submit", (event) => {
  event.preventDefault();
  save();
});
onceSaved((found) => {
  document.getElementById("kept").innerHTML = found.saved;
  form.dataset.saved = found.uuid;
  if (!found.fresh) return location.reload();
  comeBack();
  newPace();
  document.getElementById("last").innerHTML = found.last_rounds;
  fill(found.fresh);
  setPlaying(found.seats);
  setBets(found.bets);
  for (const place of document.querySelectorAll("[data-number]")) write(place, found.fresh.number);
  timeSaid = false;
  opened = Date.now();
  document.getElementById("irregular_box").open = false;
  document.getElementById("reasons").open = false;
  show(found.screen);
  paintTimes();
  say("");
  return begin();
});

/* ---- beginning ---- */
const paint = () => {
  paintSeats();
  drawAll();
  paintTimes();
  paintMarks();
};
onAnswer(show);
const kept = restore();
paint();
watchOthers(() => { paint(); timeSaid = true; soon(); }, () => location.reload());
if (kept) timeSaid = true;
if (kept === "draft") {
  soon();
  settled().then(markKnown);
} else if (kept) sendOn(kept);
const wrong = form.querySelector('[aria-invalid="true"]');
if (wrong) (wrong.matches("input, select") ? wrong : wrong.querySelector("input")).focus();
else if (!("looked" in form.dataset)) begin();
window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
