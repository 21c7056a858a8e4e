/* The way of the cursor: board, dealer, then seat by seat in turn what is to be typed there. It moves on by itself when a field is full. */
import { cardsIn, dealt, isTwice, read } from "./cards.js";
import { at, flagged, form, inTurn, layout, mayBeAnybody, numbers, placeOf, plays, roundName, seatName, value } from "./sheet.js";

const isStop = (field, name) => {
  if (field.kind === "flag" || (field.habit === "follows" && !field.times.length)) return false;
  return field.habit !== "again" || (field.required && !value(name)) || document.activeElement?.name === name;
};

/* A table whose first round this is has no seats yet: all may be typed at. */
const seats = () => (mayBeAnybody() ? inTurn(numbers()) : inTurn());
export const stops = () => [
  ...layout.round.map((field) => ({ field, seat: 0, name: roundName(field) })),
  ...seats().flatMap((seat) => layout.seat.map((field) => ({ field, seat, name: seatName(seat, field) }))),
].filter(({ field, name }) => isStop(field, name));

/* ---- what is full, what is open ---- */

const inPile = (field) => Boolean(layout.pile?.fields.includes(field.name));
const countIn = (seat, name) => {
  const text = value(`s${seat}_${name}`);
  return /^\d{1,2}$/.test(text) ? Number(text) : cardsIn(text).length;
};
export const pileLeft = (seat) => {
  const { fields, base, plus } = layout.pile;
  const more = (value(`s${seat}_${plus}`).match(/\d/g) || []).reduce((sum, digit) => sum + Number(digit), 0);
  return base + more - fields.reduce((sum, name) => sum + countIn(seat, name), 0);
};

const allGood = (text) => {
  const among = dealt();
  return read(text).every(({ card }) => card && !isTwice(card, among));
};

/* Whether a field can take no more, so that the cursor moves on. */
export const isFull = (name) => {
  const { field, seat } = placeOf(name);
  const text = value(name);
  if (!text) return false;
  if (field.kind === "cards" && /^\d{1,2}$/.test(text)) return inPile(field) && flagged(seat) && pileLeft(seat) === 0;
  if (field.kind === "cards") return allGood(text) && (field.count ? cardsIn(text).length >= field.count : inPile(field) && pileLeft(seat) <= 0);
  if (field.kind === "numbers") return field.count > 0 && (text.match(/\d/g) || []).length >= field.count;
  if (field.kind === "choice") return field.choices.filter((choice) => choice.startsWith(text)).length === 1 && field.choices.includes(text);
  return field.name === layout.button && layout.last < 10 && numbers().includes(Number(text));
};

/* Whether something must still be typed here. */
export const isOpen = ({ field, seat, name }) => {
  const text = value(name);
  const excused = seat > 0 && flagged(seat);
  if (seat && !plays(seat)) return false;
  if (inPile(field)) return pileLeft(seat) > 0 && (field.name === layout.pile.fields[0] ? !text : true);
  if (field.kind === "cards" && field.count) return (field.required || !excused) && cardsIn(text).length < field.count;
  if (field.times.length) return !text && !excused;
  return field.required && !text;
};

const isWanted = (stop) => {
  if (isOpen(stop)) return true;
  const { field, seat, name } = stop;
  if (seat && !plays(seat)) return mayBeAnybody() && !value(name);
  return field.kind === "numbers" && !value(name) && !flagged(seat) && pileOpen(seat);
};
const pileOpen = (seat) => !layout.pile || layout.pile.fields.every((name) => !value(`s${seat}_${name}`));

/* ---- moving ---- */

export const go = (name) => {
  const input = typeof name === "string" ? at(name) : name;
  if (!input) return;
  input.focus();
  const end = input.value?.length ?? 0;
  if (input.dataset?.kind === "cards") input.setSelectionRange(end, end);
  else if (input.select && input.type !== "checkbox") input.select();
};

/* All is typed: to saving, or to who dealt where nobody is named. */
export const done = () => go(value("who_dealt") ? document.getElementById("save") : "who_dealt");

/* On to what is to be typed next, after the field `name`; then to what was left open before; then to saving. */
export const onFrom = (name) => {
  const way = stops();
  const here = way.findIndex((stop) => stop.name === name);
  const next = way.slice(here + 1).find(isWanted) || (mayBeAnybody() ? undefined : way.find((stop) => stop.name !== name && isOpen(stop)));
  if (next) go(next.name);
  else done();
};
export const begin = () => {
  const open = stops().find(isWanted);
  if (open) go(open.name);
  else done();
};

/* One field further or back, whatever stands in it. */
export const step = (name, by) => {
  const way = stops();
  const here = way.findIndex((stop) => stop.name === name);
  const next = way[here + by];
  if (here < 0 || (!next && by < 0)) return;
  if (next) go(next.name);
  else done();
};

/* After a seat: to the next one that plays. */
export const onAfterSeat = (seat) => {
  const way = stops();
  const last = way.findLastIndex((stop) => stop.seat === seat);
  const next = way.slice(last + 1).find(isWanted) || way.find(isOpen);
  if (next) go(next.name);
  else done();
};

export const firstOfSeat = (seat) => {
  const here = stops().filter((stop) => stop.seat === seat);
  go((here.find(isWanted) || here[0])?.name);
};

/* The same field at the next seat up or down, of those that can be typed at. */
export const upOrDown = (name, by) => {
  const match = /^([sd])(\d+)_(\w+)$/.exec(name);
  if (!match) return false;
  for (let seat = Number(match[2]) + by; at(`${match[1]}${seat}_${match[3]}`); seat += by) {
    const next = at(`${match[1]}${seat}_${match[3]}`);
    if (next.disabled) continue;
    go(next);
    return true;
  }
  return false;
};

export const paidOf = (seat) => {
  const first = form.querySelector(`.dues tr[data-seat="${seat}"] input[data-kind="done"]:not(:disabled)`);
  if (first) go(first);
  return Boolean(first);
};
