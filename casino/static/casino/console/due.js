/* What is due, asked while somebody types: soon after the last key, the question before is called off, and only the latest answer counts. */
import { form } from "./sheet.js";

const WAIT = 60;
let timer = null;
let calling = null;
let pending = null;
let resolve = null;
let show = () => {};

export const onAnswer = (shown) => { show = shown; };

/* Return the answer; null where the house gave none. */
const ask = async (signal) => {
  try {
    const body = new URLSearchParams(new FormData(form));
    const answer = await fetch(form.dataset.preview, { method: "POST", body, signal });
    return answer.ok && !answer.redirected ? await answer.json() : null;
  } catch {
    return null;
  }
};

const turn = async () => {
  timer = null;
  calling?.abort();
  const mine = new AbortController();
  calling = mine;
  const found = await ask(mine.signal);
  if (mine.signal.aborted) return;
  if (found) show(found);
  const end = resolve;
  pending = resolve = null;
  end?.();
};

/* Ask soon. `pending` ends when the latest question was answered. */
export const soon = () => {
  clearTimeout(timer);
  calling?.abort();
  pending ||= new Promise((end) => { resolve = end; });
  timer = setTimeout(turn, WAIT);
};

export const settled = () => {
  if (timer) {
    clearTimeout(timer);
    turn();
  }
  return pending || Promise.resolve();
};

/* What was asked of a round that is saved by now is not wanted any more. */
export const forget = () => {
  clearTimeout(timer);
  timer = null;
  calling?.abort();
  const end = resolve;
  pending = resolve = null;
  end?.();
};
