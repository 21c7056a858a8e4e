/* What every page does: the house's clock, the search key, menus that close, boards and jobs that refresh themselves. */
"use strict";
{
  document.documentElement.classList.add("scripted");

  const tick = () => {
    for (const clock of document.querySelectorAll("[data-clock]")) {
      const zone = clock.dataset.clock;
      clock.textContent = new Date().toLocaleTimeString("en-GB", { timeZone: zone });
    }
  };
  tick();
  setInterval(tick, 1000);

  const typing = (element) => element.matches("input, select, textarea, [contenteditable]");
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") closeMenus(null);
    if (event.key !== "/" || typing(event.target)) return;
    const search = document.querySelector('[data-key="/"]');
    if (search) {
      event.preventDefault();
      search.focus();
    }
  });

  const closeMenus = (but) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (menu !== but) menu.open = false;
  };
  document.addEventListener("click", (event) => closeMenus(event.target.closest("details.menu")));

  /* A part of the page that is asked for again while it is looked at, and not while somebody is in it: the answer, or what `data-part` picks of it. */
  const picked = (page, part) => (part ? new DOMParser().parseFromString(page, "text/html").querySelector(part)?.outerHTML ?? "" : page);
  const inHand = (part) => part.contains(document.activeElement) || [...part.querySelectorAll('input:not([type="hidden"]), textarea')].some((field) => field.value !== field.defaultValue);
  for (const part of document.querySelectorAll("[data-refresh]")) {
    setInterval(async () => {
      if (document.hidden || inHand(part)) return;
      try {
        const answer = await fetch(part.dataset.refresh, { headers: { Accept: "text/html" } });
        if (answer.ok && !answer.redirected && !inHand(part)) part.innerHTML = picked(await answer.text(), part.dataset.part);
      } catch {
        /* the next turn asks again */
      }
    }, Number(part.dataset.seconds) * 1000);
  }

  /* The jobs of a shift: said as they go on, and the page opened anew when there is something new on it. */
  const jobs = document.querySelector("[data-progress]");
  const said = (job) => {
    const line = document.createElement("li");
    const chip = document.createElement("span");
    chip.className = `chip ${job.state}`;
    chip.textContent = job.said;
    line.append(chip, ` ${job.what} `);
    if (job.total) {
      const bar = document.createElement("progress");
      bar.max = job.total;
      bar.value = job.done;
      bar.setAttribute("aria-label", job.what);
      const words = document.createElement("span");
      words.className = "dim";
      words.textContent = `${job.done} / ${job.total} ${job.step}`;
      line.append(bar, words);
    }
    return line;
  };
  const watch = async () => {
    try {
      const answer = await fetch(jobs.dataset.progress);
      if (!answer.ok || answer.redirected) return;
      const found = await answer.json();
      if (!found.running && found.mark !== jobs.dataset.mark) {
        location.reload();
        return;
      }
      const list = jobs.querySelector("ul.jobs");
      if (list) list.replaceChildren(...found.jobs.map(said));
      if (found.running || !list) setTimeout(watch, 2000);
    } catch {
      setTimeout(watch, 5000);
    }
  };
  if (jobs) setTimeout(watch, 1000);
}
