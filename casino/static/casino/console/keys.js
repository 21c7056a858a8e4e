/* Keys, where they act. In a card field letters that are no card are free, in an amount all letters are; free text takes none. */
import { read } from "./cards.js";
import { settled } from "./due.js";
import { toggleHelp } from "./help.js";
import { begin, firstOfSeat, isOpen, onAfterSeat, onFrom, paidOf, step, upOrDown } from "./route.js";
import { isSending } from "./save.js";
import { at, clearTimes, flags, form, placeOf, plays, putOn, seatName, takeOff, value } from "./sheet.js";
import { toggleReasons } from "./show.js";

const KEYED = new Set(["cards", "amount", "number", "numbers", "times", "done", "flag"]);
let changed = () => {};
export const onKeyed = (then) => { changed = then; };

const tick = (seat, field, name) => {
  const box = at(seatName(seat, field));
  const here = placeOf(name).field;
  box.checked = !box.checked;
  if (box.checked) clearTimes(seat);
  changed(name);
  if (!box.checked || here?.kind === "flag" || isOpen({ field: here, seat, name })) return;
  if (here.kind !== "cards") onFrom(name);
  else if (!value(name)) onAfterSeat(seat);
};

export const times = (name, multiple) => {
  const { seat } = placeOf(name);
  at(name).value = `${multiple}x`;
  for (const flag of flags) at(seatName(seat, flag)).checked = false;
  changed(name);
  onFrom(name);
};

export const toggleSeat = (seat) => {
  if (plays(seat)) {
    takeOff(seat);
    changed("");
    onAfterSeat(seat);
  } else {
    putOn(seat);
    changed("");
    firstOfSeat(seat);
  }
};

const irregular = () => {
  document.getElementById("irregular_box").open = true;
  at("irregular").focus();
};

const BECAME = { C: "corrected", N: "not_recovered" };
/* What became of the difference on the wager in hand; nothing where there is none. */
const became = (place, how) => {
  const own = form.querySelector(`input[type="radio"][name="m${place.seat}_${place.kind}"][value="${how}"]`);
  if (!own) return;
  own.checked = true;
  changed(own.name);
};

/* What the wager in hand was put down in, the next of its choices; and whether it lies for the dealer. */
const nextFund = (name) => {
  const choice = form.querySelector(`[data-fund="${name}"]`);
  if (!choice) return false;
  choice.selectedIndex = (choice.selectedIndex + 1) % choice.options.length;
  changed(choice.name);
  return true;
};
const forDealer = (name) => {
  const box = form.querySelector(`[data-for-dealer="${name}"]`);
  if (!box) return false;
  box.checked = !box.checked;
  changed(box.name);
  return true;
};

const takeCard = (input) => {
  const pieces = read(input.value);
  if (!pieces.length || !pieces.at(-1).card || input.selectionStart !== input.value.length || input.selectionStart !== input.selectionEnd) return false;
  input.value = input.value.trimEnd().replace(/(?:10|.).$/u, "").trimEnd();
  input.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "deleteContentBackward" }));
  return true;
};

/* Within a text the arrows move in it; from its edge they lead on. One key a play has no text that is seen. */
const isAtEdge = (input, key) => {
  const edge = key === "ArrowLeft" ? 0 : input.value.length;
  return input.selectionStart === edge && input.selectionEnd === edge;
};
const leadsOn = (event, input, kind) => {
  if (kind === "times" && !document.getElementById("exact").checked) return true;
  return !event.shiftKey && isAtEdge(input, event.key);
};

const moves = (event, input, kind) => {
  const { key } = event;
  const name = input.name;
  if (key === "ArrowDown" || key === "ArrowUp") return upOrDown(name, key === "ArrowDown" ? 1 : -1);
  if (kind === "done") return false;
  if (key === " " && kind !== "cards" && kind !== "flag") return onFrom(name) ?? true;
  if ((kind === "cards" || kind === "times") && (key === "ArrowRight" || key === "ArrowLeft")) {
    return leadsOn(event, input, kind) && (step(name, key === "ArrowRight" ? 1 : -1) ?? true);
  }
  if (key !== "Backspace") return false;
  if (!input.value && kind !== "flag") return step(name, -1) ?? true;
  return kind === "cards" && takeCard(input);
};

/* As soon as what is due is there; what is typed until then is typed after it. */
const onceSettled = async (then) => {
  window.heldKeys.hold();
  await settled();
  then();
  if (!isSending()) window.heldKeys.release();
};

const acts = (event, place, input, kind) => {
  const key = event.key.toUpperCase();
  const { seat } = place;
  if (key === "I") return irregular() ?? true;
  if (!seat) return false;
  if (key === "P") {
    onceSettled(() => paidOf(seat));
    return true;
  }
  if (key === "R") return toggleReasons(seat) ?? true;
  if (kind === "done" && BECAME[key]) {
    onceSettled(() => became(place, BECAME[key]));
    return true;
  }
  if (kind === "done" && key === "M") return nextFund(input.name);
  if (kind === "done" && key === "D") return forDealer(input.name);
  if (kind === "done") return false;
  if (key === "-" || key === "−") return takeOff(seat) ?? changed("") ?? onAfterSeat(seat) ?? true;
  const flag = flags.find((field) => field.key === key);
  if (flag && !(kind === "cards" && "AKQJT".includes(key))) return tick(seat, flag, input.name) ?? true;
  if (kind !== "times" || document.getElementById("exact").checked) return false;
  if (place.field.times.includes(Number(key))) return times(input.name, Number(key)) ?? true;
  return key.length === 1;
};

form.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const input = event.target;
  if (event.key === "Escape" && !input.matches("select")) { // a list that is open closes by it
    event.preventDefault();
    begin();
    return;
  }
  const kind = input.dataset?.kind || "";
  const place = placeOf(input.name) || {};
  const seat = Number(/^Digit(\d)$/.exec(event.code)?.[1]);
  const isText = input.matches("input:not([type='checkbox'], [type='radio']), select, textarea") && !KEYED.has(kind);
  if (isText) {
    if (kind === "wagers" && event.key === "=" ) event.preventDefault();
    if (kind === "wagers" && event.key === "=") return repeat(input);
    if (kind === "wagers" && upOrDownKey(event)) event.preventDefault();
    if (kind === "wagers" && event.key === "?") { // no bet is called so
      event.preventDefault();
      event.stopPropagation();
      toggleHelp();
    }
    return;
  }
  if (event.key === "?") {
    event.preventDefault();
    event.stopPropagation();
    toggleHelp();
  } else if (event.shiftKey && seat && !/\d/.test(event.key) && form.querySelector(`[data-toggle="${seat}"]`)) {
    event.preventDefault();
    toggleSeat(seat);
  } else if (KEYED.has(kind) && (moves(event, input, kind) || acts(event, place, input, kind))) event.preventDefault();
  else if (event.key.toUpperCase() === "I" && !kind) irregular();
});

const upOrDownKey = (event) => (event.key === "ArrowDown" || event.key === "ArrowUp") && upOrDown(event.target.name, event.key === "ArrowDown" ? 1 : -1);

/* The seat's bets of the round before, once more. */
let bets = JSON.parse(form.dataset.bets);
export const setBets = (found) => { bets = found; };
const repeat = (input) => {
  if (!bets[input.name]) return;
  input.value = bets[input.name];
  changed(input.name);
};
