/* A count: what was typed, a line and in all; Enter goes down the tray and sends the form only from its last field. Knows nothing that was not typed here. */
"use strict";
for (const form of document.querySelectorAll("form.counting")) {
  const exponent = Number(form.dataset.exponent);
  const fields = [...form.querySelectorAll("input[data-value]")];
  const money = (minor) => {
    const digits = minor.toString().padStart(exponent + 1, "0");
    const whole = digits.slice(0, digits.length - exponent).replace(/\B(?=(\d{3})+$)/g, form.dataset.group);
    return exponent ? `${whole}${form.dataset.decimal}${digits.slice(-exponent)}` : whole;
  };
  const add = () => {
    let total = 0n;
    for (const field of fields) {
      const typed = field.value.trim();
      const line = form.querySelector(`[data-typed="${field.dataset.value}"]`);
      const sum = /^\d{1,9}$/.test(typed) ? BigInt(typed) * BigInt(field.dataset.value) : 0n;
      line.textContent = sum ? money(sum) : "";
      total += sum;
    }
    form.querySelector("[data-total]").textContent = money(total);
  };
  form.addEventListener("input", add);
  form.addEventListener("keydown", (event) => {
    const place = fields.indexOf(event.target);
    if (place < 0 || !["Enter", "ArrowDown", "ArrowUp"].includes(event.key)) return;
    event.preventDefault();
    const next = event.key === "ArrowUp" ? fields[Math.max(0, place - 1)] : (fields[place + 1] ?? form.querySelector(".fields input:not([type=hidden])"));
    next?.focus();
    next?.select?.();
  });
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
  });
  add();
}
