"use strict";
const verdict = document.getElementById("verdict");
const set = document.getElementById("set");
const text = document.getElementById("text");
const shown = document.getElementById("shown");
const problems = Array.from(document.querySelectorAll("details.problem"));
function filter() {
  const wanted = text.value.trim().toLowerCase();
  let count = 0;
  for (const problem of problems) {
    const fits = (!verdict.value || problem.dataset.verdict === verdict.value)
      && (!set.value || problem.dataset.set === set.value)
      && (!wanted || problem.textContent.toLowerCase().includes(wanted));
    problem.hidden = !fits;
    count += fits;
  }
  shown.textContent = `${count} of ${problems.length}`;
}
for (const control of [verdict, set, text]) control.addEventListener("input", filter);
document.getElementById("open").addEventListener("click", () => {
  const visible = problems.filter((problem) => !problem.hidden);
  const open = visible.some((problem) => !problem.open);
  for (const problem of visible) problem.open = open;
});
filter();
