/* Saving: once a page, by one uuid however often it is sent; kept when the line is lost, and sent again when it is back. */
import { drop, keep } from "./draft.js";
import { forget, settled } from "./due.js";
import { problems, say, speakKnown, speakUp } from "./errors.js";
import { at, filled, form, isBlank, seatsPlaying, texts, write } from "./sheet.js";
import { show, showDifferences } from "./show.js";

const AGAIN_AFTER = 3000;
const GONE_FOR_NOW = new Set([502, 503, 504]);
const line = document.getElementById("line");
let sending = false;
let body = null;
let timer = null;
let onSaved = () => {};
export const onceSaved = (then) => { onSaved = then; };
export const isSending = () => sending;

/* While a round is on its way nothing of it can be changed; what is typed meanwhile is of the next one. */
const hold = (on) => {
  sending = on;
  if (on) window.heldKeys.hold(true);
  form.classList.toggle("sending", on);
  form.querySelector(".deal").inert = on;
  form.querySelector(".twin").inert = on;
  form.querySelector(".columns").inert = on;
  document.getElementById("save").setAttribute("aria-disabled", String(on));
};
/* The round in hand is to be looked at again: what was typed after it was meant for another. */
const giveBack = () => {
  hold(false);
  window.heldKeys.drop();
};
const tell = (words, ...more) => {
  line.hidden = !words;
  line.replaceChildren(words, ...more);
};

const link = (words, href) => Object.assign(document.createElement("a"), { textContent: words, href });
const stopper = () => {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: texts.stop });
  button.addEventListener("click", () => {
    clearTimeout(timer);
    giveBack();
    keep();
    tell("");
  });
  return button;
};

const later = (why) => {
  keep(body.toString());
  tell(`${why} ${texts.sent_again} `, stopper());
  clearTimeout(timer);
  timer = setTimeout(send, AGAIN_AFTER);
};

const signedOut = () => {
  giveBack();
  keep();
  const here = encodeURIComponent(`${location.pathname}?table=${form.dataset.table}`);
  tell(`${texts.signed_out} `, link(texts.sign_in, `/admin/login/?next=${here}`));
};

const refused = (found) => {
  giveBack();
  keep();
  tell("");
  at("number").value = found.number;
  for (const place of document.querySelectorAll("[data-number]")) write(place, found.number);
  show(found);
  showDifferences(found.differences, true);
  const somewhere = speakUp(found.errors);
  if (!somewhere && found.unexplained && !found.errors[""]) {
    problems([texts.say_below]);
    document.querySelector("#differences [aria-invalid] input")?.focus();
  } else if (!somewhere) document.getElementById("save").focus();
};

const answered = async (answer) => {
  if (GONE_FOR_NOW.has(answer.status)) return later(texts.no_answer);
  const isJson = (answer.headers.get("Content-Type") || "").startsWith("application/json");
  if (answer.redirected || (answer.status === 403 && !isJson)) return signedOut();
  if (!isJson) {
    giveBack();
    return tell(filled("not_saved", { status: answer.status }));
  }
  const found = await answer.json();
  if (answer.status !== 201) return refused(found);
  hold(false);
  tell("");
  drop();
  forget();
  onSaved(found);
  return window.heldKeys.release();
};

const send = async () => {
  body.set("csrfmiddlewaretoken", at("csrfmiddlewaretoken").value);
  let answer;
  try {
    answer = await fetch(form.dataset.save, { method: "POST", body, headers: { Accept: "application/json" } });
  } catch {
    later(texts.line_lost);
    return;
  }
  clearTimeout(timer);
  await answered(answer);
};

/* A seat that plays and of which nothing was typed is no seat of the round: say so before it goes missing. What is wrong elsewhere has the cursor first. */
const seatForgotten = () => {
  const seat = seatsPlaying().find(isBlank);
  if (!seat) return false;
  giveBack();
  if (!speakKnown(filled("nothing_typed", { seat }))) form.querySelector(`.seats tr[data-seat="${seat}"] input`).focus();
  return true;
};

export const save = async () => {
  if (sending) return;
  hold(true);
  say("");
  await settled();
  if (seatForgotten()) return;
  body = new URLSearchParams(new FormData(form));
  body.set("save", "1");
  keep(body.toString());
  await send();
};

/* What was handed in before the page was loaded again, and was never answered. */
export const sendOn = (kept) => {
  body = new URLSearchParams(kept);
  hold(true);
  send();
};
window.addEventListener("online", () => {
  if (!sending || line.hidden) return;
  clearTimeout(timer);
  send();
});
