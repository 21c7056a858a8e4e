/* What is wrong: at its field, tied to it for whoever hears the page, read out when it comes; in the box at the top where it is no field's. */
import { doubles, read, spoken } from "./cards.js";
import { at, filled, form, isBlank, layout, mayBeAnybody, numbers, plays, roundName, texts, value, write } from "./sheet.js";

const left = new Set("looked" in form.dataset ? [...form.elements].map((input) => input.name) : []);
let last = {};
export const leave = (name) => {
  left.add(name);
  setTimeout(() => showFields(last));
};
export const leaveAll = () => { for (const input of form.elements) if (input.name) left.add(input.name); };
export const comeBack = () => { left.clear(); };

const said = document.getElementById("said");
export const say = (words) => { write(said, words); };

/* What can be said while the cursor is still there: the field is not only unfinished. */
const AT_ONCE = new Set(["duplicate_card", "card_in_two_places"]);
const isSure = (error, input) => AT_ONCE.has(error.code) || (error.code === "bad_card" && read(input?.value || "").some((piece) => piece.wrong));

const showAt = (place, errors) => {
  const name = place.id.slice(2);
  const input = at(name);
  const loud = (errors[name] || []).filter((error) => !error.waits);
  const now = loud.some((error) => isSure(error, input));
  const speaks = loud.length > 0 && (now || (left.has(name) && input !== document.activeElement) || place.dataset.stays === "1");
  const words = speaks ? loud.map((error) => error.message).join(" ") : "";
  const fresh = speaks && place.textContent !== words;
  write(place, words);
  place.hidden = !speaks;
  if (!speaks) delete place.dataset.stays;
  if (input?.setAttribute) {
    for (const [key, text] of [["aria-invalid", "true"], ["aria-describedby", place.id]]) {
      if (speaks) input.setAttribute(key, text);
      else input.removeAttribute(key);
    }
  }
  return fresh ? (input?.getAttribute ? `${label(name)}: ${words}` : words) : "";
};

const label = (name) => {
  const input = at(name);
  return (input.getAttribute("aria-label") || input.labels[0]?.textContent || name).trim();
};

/* A card at two places is said before the house has enough to say it. */
const withDoubles = (errors) => {
  const found = { ...errors };
  for (const { card, names } of doubles()) {
    const places = names.length > 1 ? names.map(label).join(texts.and) : filled("twice_in", { place: label(names[0]) });
    for (const name of names) {
      if ((found[name] || []).some((error) => error.code === "duplicate_card")) continue;
      found[name] = [...(found[name] || []), { code: "duplicate_card", message: filled("dealt_twice", { card: spoken(card), places }), waits: false }];
    }
  }
  return found;
};
export const refresh = () => showFields(last);

const showFields = (answer) => {
  last = answer;
  const errors = withDoubles(answer);
  const fresh = [...form.querySelectorAll('[id^="e_"]')].map((place) => showAt(place, errors)).filter(Boolean);
  if (fresh.length) say(fresh.join(" "));
  else if (!form.querySelector('[id^="e_"]:not([hidden])')) say("");
};

/* A button at a seat that plays and of which nothing was typed yet is no fault: the house was not told of the seat. */
const waitForButton = (errors) => {
  const name = layout.button && roundName({ name: layout.button });
  const seat = Number(value(name));
  const comes = numbers().includes(seat) && isBlank(seat) && (plays(seat) || mayBeAnybody());
  for (const error of errors[name] || []) error.waits ||= comes && error.code === "bad_seat";
};
export const showErrors = (errors) => {
  waitForButton(errors);
  paint(errors);
};
const paint = (errors) => {
  showFields(errors);
  problems((errors[""] || []).filter((error) => !error.waits).map((error) => error.message));
};

/* What is wrong with the round as a whole. */
export const problems = (messages) => {
  const box = document.getElementById("problems");
  if (box.dataset.said === messages.join()) return;
  box.dataset.said = messages.join();
  box.replaceChildren(...messages.map((message) => Object.assign(document.createElement("p"), { textContent: message })));
};

/* What is known to be wrong already, without what is only not typed yet. */
const known = () => Object.fromEntries(Object.entries(withDoubles(last)).map(([name, errors]) => [name, errors.filter((error) => !error.waits)]));
const stayAt = (errors) => {
  leaveAll();
  for (const place of form.querySelectorAll('[id^="e_"]')) if (errors[place.id.slice(2)]?.length) place.dataset.stays = "1";
};

/* A draft that was brought back: what is wrong in it is said as it was when it was typed, also where the cursor is now. */
export const markKnown = () => {
  stayAt(known());
  showFields(last);
};
/* Before anything is sent: what is known to be wrong speaks, and `words` of the round as a whole. Returns whether a field got the cursor. */
export const speakKnown = (words) => {
  const errors = known();
  return speakUp({ ...errors, "": [...(errors[""] || []), { message: words }] });
};

/* After saving was refused: every error speaks, also where the cursor is, and the first one gets it. */
export const speakUp = (errors) => {
  stayAt(errors);
  for (const list of Object.values(errors)) for (const error of list) error.waits = false;
  paint(errors);
  const wrong = form.querySelector('input[aria-invalid="true"], select[aria-invalid="true"]');
  wrong?.focus();
  return Boolean(wrong);
};
