/* Keys that come before the console has its scripts, while an answer is awaited, or while a round is on its way: held, and typed when it is ready.
   No module: it must be there before the first key is. `window.heldKeys` is how the modules reach it. */
"use strict";
{
  let holding = true;
  let isSaving = false;
  let keys = [];

  const isKey = (key) => key.length === 1 || key === "Backspace" || key === "Enter";
  document.addEventListener("keydown", (event) => {
    if (!holding || !event.isTrusted || event.ctrlKey || event.metaKey || event.altKey || !isKey(event.key)) return;
    if (event.target.closest?.("[data-unheld]")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const { key, code, shiftKey } = event;
    const isSecondEnter = isSaving && key === "Enter" && keys.length === 0;
    if (!isSecondEnter) keys.push({ key, code, shiftKey, bubbles: true, cancelable: true });
  }, true);

  const edit = (input, inputType, data) => {
    if (input.selectionStart === null || input.selectionStart === undefined || input.readOnly || input.disabled) return;
    const start = input.selectionStart;
    const end = input.selectionEnd;
    input.setRangeText(data, data || start !== end ? start : Math.max(0, start - 1), end, "end");
    input.dispatchEvent(new InputEvent("input", { bubbles: true, inputType, data }));
  };
  /* One key as the browser would have done it where the cursor is now. */
  const type = (held) => {
    const place = document.activeElement;
    if (!place || !place.dispatchEvent(new KeyboardEvent("keydown", held))) return;
    const isPressed = place.matches("button, [type='checkbox'], [type='radio']");
    if (held.key === "Enter" && !place.matches("button")) place.form?.requestSubmit();
    else if ((held.key === "Enter" || held.key === " ") && isPressed) place.click();
    else if (held.key === "Backspace") edit(place, "deleteContentBackward", "");
    else if (held.key.length === 1 && !isPressed) edit(place, "insertText", held.key);
  };

  const release = () => {
    holding = isSaving = false;
    while (keys.length && !holding) type(keys.shift());
  };
  window.heldKeys = {
    /* `saving`: Enter once more is the same Enter. */
    hold: (saving = false) => {
      holding = true;
      isSaving ||= saving;
    },
    release,
    /* What was typed since is of a round that is not there: it goes nowhere. */
    drop: () => {
      keys = [];
      holding = isSaving = false;
    },
  };
  document.addEventListener("DOMContentLoaded", () => { if (!isSaving) release(); });
}
