/* The deck, tapped: a card goes to the field in hand, or is taken away from it. For hands without a keyboard. */
import { cardsIn } from "./cards.js";
import { at, form } from "./sheet.js";

let inHand = null;
form.addEventListener("focusin", (event) => {
  if (event.target.dataset?.kind === "cards") inHand = event.target.name;
});

const without = (text, card) => cardsIn(text).filter((other) => other !== card).join("");

form.querySelector(".deck")?.addEventListener("click", (event) => {
  const card = event.target.closest("[data-deck]")?.dataset.deck;
  const input = card && at(inHand || form.querySelector("[data-kind='cards']").name);
  if (!input) return;
  const lies = cardsIn(input.value).includes(card);
  input.value = lies ? without(input.value, card) : `${input.value.trim()}${card}`;
  input.focus();
  input.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: lies ? "deleteContentBackward" : "insertText" }));
});
