/* What is typed into a form stays on this machine, by person and form, until the house has it: a reload, a crash, a sign-out or a lost line loses nothing.
   No password, PIN or file is kept. Counts, and what signs them (`data-draft-in="tab"`), stay in the tab's own memory and go when somebody else signs in
   there. The round console keeps its own drafts. Whoever signs out by hand finds them again unless another person signed in here first. */
"use strict";
{
  const said = document.currentScript.dataset;
  const me = said.person;
  const HEAD = "pitbook:form:";
  const LEFT = "pitbook:left";
  const FROM = "pitbook:from";
  const SENT = "pitbook:sent";
  const NAME = "draft_id";
  const LONGEST = 24 * 3600 * 1000;

  /* Storage may be full or forbidden: then nothing is kept, and everything else works. */
  const tried = (what) => {
    try {
      return what();
    } catch {
      return null;
    }
  };
  const stores = ["localStorage", "sessionStorage"].map((name) => tried(() => window[name])).filter(Boolean);
  const keysOf = (store) => Object.keys(store).filter((key) => key.startsWith(HEAD));
  const read = (store, key) => tried(() => JSON.parse(store.getItem(key)));
  const each = (what) => {
    for (const store of stores) for (const key of tried(() => keysOf(store)) ?? []) what(store, key);
  };
  const isMine = (key) => key.startsWith(`${HEAD}${me}:`);

  /* ---- which draft is whose, and what the house has now ---- */

  const cookie = (name) => document.cookie.split("; ").find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
  const done = cookie(NAME);
  if (done) document.cookie = `${NAME}=; Path=/; Max-Age=0; SameSite=Lax`;
  const left = me && tried(() => localStorage.getItem(LEFT));
  each((store, key) => {
    const draft = read(store, key);
    const isOver = !draft || draft.id === done || Date.now() - draft.at > LONGEST;
    const isOfWhoLeft = me && !isMine(key) && (store !== localStorage || key.startsWith(`${HEAD}${left}:`));
    if (isOver || isOfWhoLeft) tried(() => store.removeItem(key));
  });
  if (left) tried(() => localStorage.removeItem(LEFT));
  document.getElementById("logout-form")?.addEventListener("submit", () => tried(() => localStorage.setItem(LEFT, me)));

  /* An answer to what was sent has the address of what was sent: give it that of its form's page, which can be opened again. */
  const isAnswer = said.method === "POST";
  const from = tried(() => sessionStorage.getItem(FROM));
  const sent = tried(() => sessionStorage.getItem(SENT));
  if (me && !isAnswer) tried(() => sessionStorage.setItem(FROM, location.pathname + location.search));
  else if (me && from && from.split("?")[0] !== location.pathname) history.replaceState(null, "", from + location.hash);

  /* ---- a form ---- */

  const kept = (field) =>
    field.name && field.type !== "password" && field.type !== "file" && field.type !== "hidden" && !field.readOnly && !/^(button|submit|fieldset|output)/.test(field.type);
  const value = (field) => (/checkbox|radio/.test(field.type) ? field.checked : field.value);
  const first = (field) => {
    if (/checkbox|radio/.test(field.type)) return field.defaultChecked;
    if (!field.matches("select")) return field.defaultValue;
    return ([...field.options].find((one) => one.defaultSelected) ?? field.options[0])?.value ?? "";
  };
  const nameOf = (field) => (field.type === "radio" ? `${field.name}=${field.value}` : field.name);
  const put = (field, is) => {
    if (/checkbox|radio/.test(field.type)) field.checked = is;
    else field.value = is;
  };

  const watch = (form) => {
    const fields = () => [...form.elements].filter(kept);
    const one = fields()[0];
    if (!one) return;
    const at = form.getAttribute("action") ? new URL(form.action, location.href).pathname : location.pathname + location.search;
    const key = `${HEAD}${me}:${at}:${form.dataset.draft || one.id || one.name}`;
    const store = tried(() => (form.dataset.draftIn === "tab" ? sessionStorage : localStorage));
    if (!store) return;
    const isBound = isAnswer && (!sent || sent === key); /* what was sent stands in it; the page's other forms are as on any page */
    const uuid = form.querySelector("input[type=hidden][name=uuid]");
    const fresh = uuid?.value;
    let line = null;

    const keep = () => {
      const draft = read(store, key) ?? { id: crypto.getRandomValues(new Uint32Array(4)).join("-"), typed: {} };
      for (const field of fields()) {
        if (value(field) !== first(field)) draft.typed[nameOf(field)] = value(field);
        else if (!isBound) delete draft.typed[nameOf(field)]; /* where it was sent, what stands there at first was typed */
      }
      if (Object.keys(draft.typed).length === 0) return tried(() => store.removeItem(key));
      return tried(() => store.setItem(key, JSON.stringify({ ...draft, uuid: uuid?.value, at: Date.now() })));
    };

    const tell = () => {
      const button = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: said.discard });
      button.addEventListener("click", () => {
        tried(() => store.removeItem(key));
        form.reset();
        if (uuid) uuid.value = fresh;
        for (const carried of form.querySelectorAll("[data-carried]")) carried.remove();
        line.remove();
        one.dispatchEvent(new Event("input", { bubbles: true }));
        one.focus();
      });
      line = Object.assign(document.createElement("p"), { className: "note warn brought-back" });
      line.setAttribute("role", "status");
      line.append(`${said.back} `, button);
      form.prepend(line);
    };
    /* What has no field yet, as what became of a difference, goes along hidden until the house has made its field. */
    const carry = (name, is) => {
      const input = Object.assign(document.createElement("input"), { type: "hidden", name, value: is });
      input.dataset.carried = "";
      form.append(input);
    };
    const restore = () => {
      const draft = read(store, key);
      if (!draft || isBound) return;
      const names = new Set();
      let isChanged = false;
      for (const field of fields()) {
        const name = nameOf(field);
        names.add(name);
        if (!(name in draft.typed) || value(field) === draft.typed[name]) continue;
        put(field, draft.typed[name]);
        field.dispatchEvent(new Event("input", { bubbles: true }));
        field.dispatchEvent(new Event("change", { bubbles: true }));
        isChanged ||= value(field) === draft.typed[name];
      }
      if ("carry" in form.dataset) for (const [name, is] of Object.entries(draft.typed)) if (!names.has(name)) carry(name, is);
      if (uuid && draft.uuid) uuid.value = draft.uuid;
      if (isChanged) tell();
    };

    form.addEventListener("input", keep);
    form.addEventListener("change", keep);
    form.addEventListener("submit", (event) => {
      if (event.defaultPrevented) return;
      tried(() => sessionStorage.setItem(SENT, key));
      const draft = read(store, key);
      if (!draft) return;
      const id = form.elements.namedItem(NAME) ?? form.appendChild(Object.assign(document.createElement("input"), { type: "hidden", name: NAME }));
      id.value = draft.id;
    });
    restore();
  };

  /* After the page's own scripts, so that they see what comes back as if it were typed. */
  document.addEventListener("DOMContentLoaded", () => {
    if (!me) return;
    for (const form of document.querySelectorAll('form[method="post"]')) {
      if (!form.matches("#round, #logout-form, .languages, [data-no-draft]")) watch(form);
    }
  });
}
