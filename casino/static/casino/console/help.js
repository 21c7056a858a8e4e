/* The keys, laid over the page; and how long a round took, in seconds and keys. */
import { filled, form, write } from "./sheet.js";

const dialog = document.getElementById("keys");
export const toggleHelp = () => {
  if (dialog.open) dialog.close();
  else dialog.showModal();
};
document.getElementById("help").addEventListener("click", toggleHelp);
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
dialog.addEventListener("keydown", (event) => {
  if (event.key !== "?") return;
  event.preventDefault();
  event.stopPropagation();
  dialog.close();
});

const pace = document.getElementById("pace");
let begun = 0;
let keys = 0;
const said = (name) => filled(`${name}_${keys === 1 ? "one" : "many"}`, { seconds: Math.round((Date.now() - begun) / 1000), keys });
form.addEventListener("keydown", (event) => {
  if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
  begun ||= Date.now();
  keys += 1;
  write(pace, said("pace"));
}, true);
export const newPace = () => {
  if (keys) write(pace, said("last_pace"));
  begun = keys = 0;
};
