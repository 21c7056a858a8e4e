/* A keypad beside a count by denomination, for fingers and for a mouse. It types into the field that has the cursor and never takes the cursor from it, so
   that the keyboard goes on working. On tablets it is there at first, elsewhere behind its button; either way the machine remembers what was chosen. */
"use strict";
for (const form of document.querySelectorAll("form.counting")) {
  const pad = form.querySelector(".keypad");
  const toggle = form.querySelector("[data-keypad]");
  const pieces = [...form.querySelectorAll("input[data-value]")];
  const forFingers = matchMedia("(max-width: 820px), (pointer: coarse)");
  const place = () => `pitbook:keypad:${forFingers.matches ? "fingers" : "desk"}`;

  /* ---- shown or not; while it is there a tablet's own keyboard stays away from the pieces ---- */

  /* Storage may be full or forbidden: then nothing is remembered, and everything else works. */
  const remembered = () => {
    try {
      return localStorage.getItem(place());
    } catch {
      return null;
    }
  };
  const remember = (choice) => {
    try {
      localStorage.setItem(place(), choice);
    } catch {
      /* it is chosen for this page */
    }
  };
  const show = (on) => {
    pad.hidden = !on;
    toggle.setAttribute("aria-expanded", String(on));
    for (const field of pieces) field.inputMode = on ? "none" : "numeric";
  };
  const showAsChosen = () => show((remembered() ?? (forFingers.matches ? "shown" : "hidden")) === "shown");
  toggle.addEventListener("click", () => {
    show(pad.hidden);
    remember(pad.hidden ? "hidden" : "shown");
  });
  forFingers.addEventListener("change", showAsChosen);
  showAsChosen();

  /* ---- the field in hand: the one with the cursor, else the one that had it last ---- */

  const takesDigits = (field) => field?.form === form && field.matches("input:not([type=hidden], [type=checkbox], [type=radio])") && !field.readOnly && !field.disabled;
  let last = pieces[0];
  form.addEventListener("focusin", (event) => { if (takesDigits(event.target)) last = event.target; });
  const inHand = () => {
    if (document.activeElement !== last) last.focus();
    return last;
  };
  const tell = (field, inputType, data) => field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType, data }));
  const put = (digits) => {
    const field = inHand();
    const { selectionStart, selectionEnd, value, maxLength } = field;
    if (maxLength >= 0 && value.length - (selectionEnd - selectionStart) + digits.length > maxLength) return;
    field.setRangeText(digits, selectionStart, selectionEnd, "end");
    tell(field, "insertText", digits);
  };
  const takeBack = () => {
    const field = inHand();
    const { selectionStart, selectionEnd } = field;
    field.setRangeText("", selectionStart === selectionEnd ? Math.max(0, selectionStart - 1) : selectionStart, selectionEnd, "end");
    tell(field, "deleteContentBackward", null);
  };
  /* As the arrow keys do it: down the tray, then on to what is typed beside it; and from there back to the tray. */
  const step = (key) => {
    const field = inHand();
    if (pieces.includes(field)) field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    else if (key === "ArrowUp") pieces.at(-1).select();
  };

  const acts = { back: takeBack, up: () => step("ArrowUp"), down: () => step("ArrowDown") };
  pad.addEventListener("mousedown", (event) => event.preventDefault());
  pad.addEventListener("click", (event) => {
    const key = event.target.closest("button")?.value;
    if (key) (acts[key] ?? (() => put(key)))();
  });
}
