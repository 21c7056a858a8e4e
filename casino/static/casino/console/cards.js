/* Cards as they are typed: read into pieces as the house reads them, drawn where they lie, and which of them are gone. */
import { at, filled, form, layout, numbers, roundName, seatName, texts, value } from "./sheet.js";

const CARD = "(?:10|[2-9tjqka])[cdhs♣♦♥♠]";
const PIECES = new RegExp(`${CARD}|[^\\s,]+?(?=${CARD}|[\\s,]|$)`, "gi");
const WHOLE = new RegExp(`^${CARD}$`, "i");
const BEGUN = /^(?:10?|[2-9tjqka])$/i;
const SIGNS = { s: "♠", h: "♥", d: "♦", c: "♣" };
const LETTERS = { "♠": "s", "♥": "h", "♦": "d", "♣": "c" };

const named = (piece) => {
  const suit = piece.slice(-1).toLowerCase();
  return piece.slice(0, -1).replace("10", "T").toUpperCase() + (LETTERS[suit] || suit);
};

/* The pieces of `text`: cards by name, what is no card, and the card that is only begun. */
export const read = (text) => {
  const pieces = text.match(PIECES) || [];
  return pieces.map((piece, place) => {
    if (WHOLE.test(piece)) return { card: named(piece) };
    const begun = place === pieces.length - 1 && BEGUN.test(piece) && text.endsWith(piece);
    return begun ? { begun: piece.toUpperCase() } : { wrong: piece };
  });
};
export const cardsIn = (text) => read(text).flatMap((piece) => piece.card || []);
export const spoken = (name) => filled("card", { rank: texts.ranks[name[0]], suit: texts.suits[name[1]] });

export const cardFields = () => [
  ...layout.round.filter((field) => field.kind === "cards").map((field) => ({ name: roundName(field), field })),
  ...numbers().flatMap((seat) => layout.seat.filter((field) => field.kind === "cards").map((field) => ({ name: seatName(seat, field), field, seat }))),
];

/* How often each card is typed anywhere. */
export const dealt = () => {
  const found = new Map();
  for (const { name } of cardFields()) for (const card of cardsIn(value(name))) found.set(card, (found.get(card) || 0) + 1);
  return found;
};
export const isTwice = (card, among = dealt()) => layout.oneDeck && (among.get(card) || 0) > 1;

/* Cards that stand at two places, with the names of the fields. */
export const doubles = () => {
  const among = dealt();
  const twice = [...among.keys()].filter((card) => isTwice(card, among));
  return twice.map((card) => ({ card, names: cardFields().map(({ name }) => name).filter((name) => cardsIn(value(name)).includes(card)) }));
};

const drawn = ({ card, begun, wrong }, twice) => {
  const face = document.createElement("span");
  const rank = document.createElement("b");
  face.append(rank);
  if (!card) {
    face.className = wrong ? "card wrong" : "card begun";
    rank.textContent = wrong || begun || "";
    return face;
  }
  face.className = `card suit-${card[1]}${twice ? " twice" : ""}`;
  face.setAttribute("role", "img");
  face.setAttribute("aria-label", spoken(card));
  rank.textContent = card[0] === "T" ? "10" : card[0];
  const suit = document.createElement("i");
  suit.textContent = SIGNS[card[1]];
  face.append(suit);
  return face;
};

const ghost = () => Object.assign(document.createElement("span"), { className: "card ghost" });

const drawField = ({ name, field }, among, doubled) => {
  const place = form.querySelector(`[data-cards="${name}"]`);
  const text = at(name).value;
  const pieces = /^\s*\d{1,2}\s*$/.test(text) && !field.count ? [{ begun: text.trim() }] : read(text);
  const twice = pieces.map(({ card }) => Boolean(card) && (isTwice(card, among) || doubled.has(card)));
  const state = JSON.stringify([pieces, twice]);
  if (place.dataset.shown === state) return;
  place.dataset.shown = state;
  const lying = document.createElement("span");
  lying.className = place.closest(".wide") ? "cards" : "cards seat";
  lying.append(...pieces.map((piece, spot) => drawn(piece, twice[spot])));
  for (let empty = pieces.length; empty < field.count; empty += 1) lying.append(ghost());
  place.replaceChildren(lying);
};

/* Draw every field and the deck; `doubled` are the cards that the house says cannot be where they are. */
let last = new Set();
export const drawAll = (doubled = last) => {
  last = doubled;
  const among = dealt();
  for (const place of cardFields()) drawField(place, among, doubled);
  for (const button of form.querySelectorAll("[data-deck]")) {
    const card = button.dataset.deck;
    const twice = isTwice(card, among) || doubled.has(card);
    button.classList.toggle("gone", among.has(card) && !twice);
    button.classList.toggle("twice", twice);
    button.setAttribute("aria-pressed", String(among.has(card)));
  }
};
