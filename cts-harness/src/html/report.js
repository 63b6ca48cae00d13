// The filter: text in the names, and which rows. Without scripts everything is still there.
const words = document.getElementById("words");
const rows = document.getElementById("rows");
const found = document.getElementById("found");
const suites = [...document.querySelectorAll("details.suite")];

function shown(row, kind) {
  switch (kind) {
    case "bad": return row.dataset.bad === "1";
    case "differ": return row.dataset.differ === "1";
    case "unexpected": return row.dataset.unexpected === "1";
    default: return true;
  }
}

function filter() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const kind = rows.value;
  const active = wanted.length > 0 || kind !== "all";
  let count = 0;
  for (const suite of suites) {
    const name = suite.dataset.name.toLowerCase();
    let any = false;
    for (const row of suite.querySelectorAll("tr[data-test]")) {
      const text = name + " " + row.dataset.test.toLowerCase();
      const keep = shown(row, kind) && wanted.every((word) => text.includes(word));
      row.classList.toggle("hidden", !keep);
      any ||= keep;
      count += keep;
    }
    suite.classList.toggle("hidden", !any);
    if (active) suite.open = any;
  }
  found.textContent = `${count} sub-tests`;
}

words.addEventListener("input", filter);
rows.addEventListener("change", filter);
document.getElementById("fold").addEventListener("click", () => suites.forEach((s) => (s.open = false)));
document.getElementById("unfold").addEventListener("click", () => suites.forEach((s) => (s.open = true)));
const asked = new URLSearchParams(location.hash.slice(1));
if (asked.has("rows")) rows.value = asked.get("rows");
if (asked.has("words")) words.value = asked.get("words");
filter();
