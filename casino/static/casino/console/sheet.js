/* The sheet in hand: the form and its fields, the game's layout, and which seats play. Everything else reads and writes through here. */

export const form = document.getElementById("round");
export const layout = JSON.parse(form.dataset.layout);

/* The page's texts, in the reader's language; `{name}` is where a figure goes. */
export const texts = JSON.parse(form.dataset.texts);
export const filled = (name, facts) => texts[name].replace(/\{(\w+)\}/g, (_, fact) => facts[fact]);

export const at = (name) => form.elements.namedItem(name);
export const value = (name) => (at(name)?.value ?? "").trim();
export const roundName = (field) => `r_${field.name}`;
export const seatName = (seat, field) => `s${seat}_${field.name}`;
export const seatRow = (seat) => form.querySelector(`.seats tr[data-seat="${seat}"]`);

/* Where a name stands: its seat ("" for the round's own), its field, what kind of place it is. */
export const placeOf = (name) => {
  const match = /^(?:r_(\w+)|([sdwmnft])(\d+)_(\w+))$/.exec(name || "");
  if (!match) return null;
  if (match[1]) return { where: "r", seat: 0, field: layout.round.find((field) => field.name === match[1]) };
  const seat = Number(match[3]);
  return { where: match[2], seat, kind: match[4], field: match[2] === "s" ? layout.seat.find((field) => field.name === match[4]) : undefined };
};

export const numbers = () => Array.from({ length: layout.last - layout.first + 1 }, (_, place) => layout.first + place);
export const flags = layout.seat.filter((field) => field.kind === "flag");
export const flagged = (seat) => flags.some((field) => at(seatName(seat, field)).checked);
export const isBlank = (seat) =>
  layout.seat.every((field) => (field.kind === "flag" ? !at(seatName(seat, field)).checked : !value(seatName(seat, field))));

/* ---- which seats play ---- */

const playing = new Set(JSON.parse(form.dataset.seats));
const kept = new Map();
let nobodyYet = playing.size === 0;
/* At a table's first round nobody is known to sit anywhere: every seat may be typed at. */
export const mayBeAnybody = () => nobodyYet;
export const plays = (seat) => playing.has(seat);
export const seatsPlaying = () => [...playing];

export const setPlaying = (seats, anybody = seats.length === 0) => {
  nobodyYet = anybody;
  playing.clear();
  for (const seat of seats) playing.add(seat);
  paintSeats();
};

export const paintSeats = () => {
  for (const seat of numbers()) {
    const row = seatRow(seat);
    const on = playing.has(seat);
    row.classList.toggle("away", !on);
    const toggle = row.querySelector("[data-toggle]");
    toggle.setAttribute("aria-pressed", String(on));
    toggle.title = on ? texts.nobody_sits : texts.somebody_plays;
    toggle.firstElementChild.textContent = on ? "−" : "+";
  }
};

/* What is typed at a seat makes it play. */
export const noteTyped = (seat) => {
  if (seat && !playing.has(seat) && !isBlank(seat)) {
    playing.add(seat);
    paintSeats();
  }
};

export const takeOff = (seat) => {
  const were = {};
  for (const field of layout.seat) {
    const input = at(seatName(seat, field));
    if (field.habit === "again") were[field.name] = input.value;
    if (field.kind === "flag") input.checked = false;
    else input.value = "";
  }
  kept.set(seat, were);
  playing.delete(seat);
  paintSeats();
};

/* A seat that plays again has the stakes that it had before; those of a new patron are typed. */
export const putOn = (seat) => {
  const were = kept.get(seat) || {};
  playing.add(seat);
  for (const field of layout.seat) {
    const input = at(seatName(seat, field));
    if (field.habit === "again" && !input.value) input.value = were[field.name] || "";
  }
  paintSeats();
};

/* Seats in the order in which they act: upwards, or from the left of the button and round. */
export const inTurn = (of = [...playing]) => {
  const seats = [...of].sort((one, other) => one - other);
  const button = layout.button ? Number(value(`r_${layout.button}`)) || 0 : 0;
  return [...seats.filter((seat) => seat > button), ...seats.filter((seat) => seat <= button)];
};

/* Fill the form with `typed`; what is not in it is empty. */
const STAYS = new Set(["csrfmiddlewaretoken", "table", "save", "see", "exact"]);
export const staysOut = (name) => !name || STAYS.has(name);
export const fill = (typed) => {
  for (const input of form.elements) {
    if (staysOut(input.name) || input.type === "radio") continue;
    if (input.type === "checkbox") input.checked = input.name in typed;
    else input.value = typed[input.name] ?? "";
    if (input.dataset.kind === "done") input.disabled = !typed[input.name];
  }
};

export const clearTimes = (seat) => {
  for (const field of layout.seat) if (field.times.length) at(seatName(seat, field)).value = "";
};
export const typedNow = () => {
  const typed = {};
  for (const [name, text] of new FormData(form)) if (!staysOut(name)) typed[name] = text;
  return typed;
};

export const write = (element, words) => {
  if (element && element.textContent !== words) element.textContent = words;
};
