/* Drafts: what is typed is kept on this machine, by person and table, until the round is saved; a page that comes back finds it again. */
import { fill, form, mayBeAnybody, seatsPlaying, setPlaying, texts, typedNow, write } from "./sheet.js";

const KEY = `pitbook:round:${form.dataset.person}:${form.dataset.table}`;
const drafted = document.getElementById("drafted");
const discard = document.getElementById("forget");

const read = () => {
  try {
    return JSON.parse(localStorage.getItem(KEY) || "null");
  } catch {
    return null;
  }
};
const put = (draft) => {
  try {
    localStorage.setItem(KEY, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
};
const told = (words) => {
  write(drafted, words);
  discard.hidden = !words;
};

/* `sending`: what was handed in, and no answer has come; "" where nothing was. */
export const keep = (sending = "") => {
  const draft = { typed: typedNow(), seats: seatsPlaying(), anybody: mayBeAnybody(), session: form.dataset.session, sending };
  told(put(draft) ? texts.draft_kept : texts.no_room);
};
export const drop = () => {
  try {
    localStorage.removeItem(KEY);
  } catch {
    /* there was no room for it either */
  }
  told("");
};

const NOT_OF_ANOTHER_SESSION = ["number", "occurred_at", "utc_offset"];
const bring = (draft) => {
  const typed = { ...draft.typed };
  const fresh = typedNow();
  if (draft.session !== form.dataset.session) for (const name of NOT_OF_ANOTHER_SESSION) typed[name] = fresh[name] ?? "";
  fill(typed);
  carry(typed);
  setPlaying(draft.seats, draft.anybody);
};

/* What has no field yet, as what became of a difference, goes along hidden until the house has made its field. */
const carry = (typed) => {
  const place = document.getElementById("differences");
  for (const [name, value] of Object.entries(typed)) {
    if (!form.elements.namedItem(name)) place.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
};

/* Bring back what was kept; returns "" where there is nothing, "draft", or what was handed in and never answered. */
export const restore = () => {
  const draft = read();
  if (!draft || "looked" in form.dataset) return "";
  if (draft.typed.uuid === form.dataset.saved) {
    drop();
    return "";
  }
  bring(draft);
  told(texts.brought_back);
  return draft.sending || "draft";
};

discard.addEventListener("click", () => {
  drop();
  location.assign(`${location.pathname}?table=${encodeURIComponent(form.dataset.table)}`);
});

/* The same table on another page of the same person: both show one draft, and what is saved there is over here too. */
export const watchOthers = (changed, saved) => {
  window.addEventListener("storage", (event) => {
    if (event.key !== KEY) return;
    const draft = read();
    if (!draft) saved();
    else if (!draft.sending) {
      bring(draft);
      told(texts.other_page);
      changed();
    }
  });
};
