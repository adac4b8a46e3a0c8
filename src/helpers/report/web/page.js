"use strict";
// The table of failing rows: filtered, sorted, 100 at a time, its view kept in the address. Everything else on the page works without this.
(() => {
  const source = document.getElementById("failing");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const rows = data.rows;
  const total = rows.run.length;
  const form = document.getElementById("filters");
  const body = document.querySelector("#rows tbody");
  const more = document.getElementById("more");
  const count = document.getElementById("count");
  const STEP = 100;
  const LONGEST = 300;
  const CHOICES = ["test", "model", "gold", "label", "kind"];
  const CSV = ["model", "notebook", "variant", "test", "id", "gold", "expected", "clean_label", "label", "kind", "text", "perturbed"];
  const tests = data.test.map((key) => ({ key, notebook: key.split("/")[0], variant: key.split("/")[1], name: key.split("/").slice(2).join("/") }));
  let view = [];
  let shown = 0;
  let sorted = { column: "", down: false };

  const model = (row) => data.run[rows.run[row]][0];
  const label = (column, row) => (rows[column][row] < 0 ? "" : data.label[rows[column][row]]);
  const text = (row) => (rows.text[row] < 0 ? null : data.text[rows.text[row]]);
  const perturbed = memo((number) => {
    const [original, head, tail, middle] = data.change[number];
    const old = data.text[original].split(" ");
    return [...old.slice(0, head), ...(middle === null ? [] : middle.split(" ")), ...old.slice(old.length - tail)].join(" ");
  });
  const values = {
    text: (row) => text(row) ?? data.id[rows.id[row]],
    gold: (row) => label("gold", row),
    clean: (row) => label("clean", row) || label("label", row),
    label: (row) => label("label", row),
    kind: (row) => data.kind[rows.kind[row]],
    test: (row) => data.test[rows.test[row]],
    model,
  };

  function memo(make) {
    const made = new Map();
    return (key) => made.get(key) ?? made.set(key, make(key)).get(key);
  }

  function element(name, content, attributes = {}) {
    const made = document.createElement(name);
    made.append(...[content].flat());
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  // A longest common subsequence of words, the one that helpers.report.marking finds.
  function differences(before, after) {
    if (before.length > LONGEST || after.length > LONGEST) return [["del", before], ["ins", after]];
    const length = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
    for (let i = before.length - 1; i >= 0; i--)
      for (let j = after.length - 1; j >= 0; j--)
        length[i][j] = before[i] === after[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    const found = [];
    for (let i = 0, j = 0; i < before.length || j < after.length; ) {
      let kind;
      let word;
      if (i < before.length && j < after.length && before[i] === after[j]) [kind, word] = ["same", before[(j++, i++)]];
      else if (j === after.length || (i < before.length && length[i + 1][j] >= length[i][j + 1])) [kind, word] = ["del", before[i++]];
      else [kind, word] = ["ins", after[j++]];
      if (found.length && found.at(-1)[0] === kind) found.at(-1)[1].push(word);
      else found.push([kind, [word]]);
    }
    return found;
  }

  function marked(row) {
    const original = text(row);
    if (original === null) return [];
    if (rows.change[row] < 0) return [element("span", original, { lang: "id" })];
    const parts = differences(original.split(" "), perturbed(rows.change[row]).split(" "));
    const nodes = parts.map(([kind, words]) => (kind === "same" ? words.join(" ") : element(kind, words.join(" "))));
    return [element("span", nodes.flatMap((node, number) => (number ? [" ", node] : [node])), { lang: "id" })];
  }

  function drawn(row) {
    const test = tests[rows.test[row]];
    const page = data.run[rows.run[row]][3];
    const expected = label("expected", row);
    const where = test.notebook + (test.variant === "default" ? "" : `, ${test.variant}`);
    return element("tr", [
      element("td", [...marked(row), element("small", data.id[rows.id[row]])], { class: "text" }),
      element("td", [label("gold", row), ...(expected ? [element("small", `expected ${expected.replaceAll("|", " or ")}`)] : [])], { "data-label": "gold" }),
      element("td", label("clean", row) || label("label", row), { "data-label": "clean" }),
      element("td", label("clean", row) && label("label", row), { "data-label": "perturbed" }),
      element("td", data.kind[rows.kind[row]], { "data-label": "what happened" }),
      element("td", [page ? element("a", test.name, { href: page }) : test.name, element("small", where)], { "data-label": "test" }),
      element("td", model(row), { "data-label": "model" }),
    ]);
  }

  function showMore() {
    const next = view.slice(shown, shown + STEP);
    body.append(...next.map(drawn));
    shown += next.length;
    more.hidden = shown >= view.length;
    more.textContent = `Show ${Math.min(STEP, view.length - shown)} more`;
    const numbers = view.length.toLocaleString("en");
    const of = view.length === total ? "" : ` of ${total.toLocaleString("en")}`;
    count.textContent = view.length ? `${numbers}${of} failing ${view.length === 1 ? "row" : "rows"}, ${shown.toLocaleString("en")} shown` : "No row matches these filters.";
  }

  function matching(filters) {
    const wanted = filters.q.trim().toLowerCase();
    const has = (words) => words.map((word) => word.toLowerCase().includes(wanted));
    const inText = wanted ? has(data.text) : [];
    const inId = wanted ? has(data.id) : [];
    const inChange = wanted ? data.change.map((_, number) => perturbed(number).toLowerCase().includes(wanted)) : [];
    const chosen = CHOICES.filter((name) => filters[name]);
    const found = [];
    for (let row = 0; row < total; row++) {
      if (!chosen.every((name) => values[name](row) === filters[name])) continue;
      if (wanted && !inId[rows.id[row]] && !inText[rows.text[row]] && !inChange[rows.change[row]]) continue;
      found.push(row);
    }
    return found;
  }

  function update() {
    view = matching(Object.fromEntries(new FormData(form)));
    if (sorted.column) {
      const value = values[sorted.column];
      const compare = new Intl.Collator("id", { numeric: true }).compare;
      view.sort((a, b) => (sorted.down ? compare(value(b), value(a)) : compare(value(a), value(b))) || a - b);
    }
    body.replaceChildren();
    shown = 0;
    showMore();
    for (const head of document.querySelectorAll("#rows [data-sort]")) {
      if (head.dataset.sort === sorted.column) head.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
  }

  function toAddress() {
    const kept = [...new FormData(form)].filter(([, value]) => value);
    if (sorted.column) kept.push(["sort", (sorted.down ? "-" : "") + sorted.column]);
    history.replaceState(null, "", kept.length ? `#failures?${new URLSearchParams(kept)}` : "#failures");
  }

  function fromAddress() {
    const [place, words] = location.hash.slice(1).split(/\?(.*)/);
    if (place !== "failures" || words === undefined) return false;
    const given = new URLSearchParams(words);
    form.reset();
    for (const name of [...CHOICES, "q"]) if (given.has(name)) form.elements[name].value = given.get(name);
    const sort = given.get("sort") ?? "";
    sorted = { column: sort.replace(/^-/, "") in values ? sort.replace(/^-/, "") : "", down: sort.startsWith("-") };
    update();
    document.getElementById("failures").scrollIntoView({ behavior: "instant" });
    return true;
  }

  function changed() {
    update();
    toAddress();
  }

  function offer(name, options) {
    for (const option of options) form.elements[name].append(element("option", option, { value: option }));
  }

  function offerTests() {
    const groups = new Map();
    for (const test of tests) groups.set(test.notebook, [...(groups.get(test.notebook) ?? []), test]);
    for (const [notebook, some] of groups) {
      const options = some.map((test) => element("option", test.name + (test.variant === "default" ? "" : ` (${test.variant})`), { value: test.key }));
      form.elements.test.append(element("optgroup", options, { label: notebook }));
    }
  }

  function csv() {
    const quoted = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
    const lines = view.map((row) => {
      const test = tests[rows.test[row]];
      const original = text(row) ?? "";
      const changedText = rows.change[row] < 0 ? original : perturbed(rows.change[row]);
      const labels = ["gold", "expected", "clean", "label"].map((column) => label(column, row));
      return [model(row), test.notebook, test.variant, test.name, data.id[rows.id[row]], ...labels, data.kind[rows.kind[row]], original, changedText];
    });
    return [CSV, ...lines].map((line) => line.map(quoted).join(",")).join("\n") + "\n";
  }

  function download() {
    const address = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
    element("a", "", { href: address, download: "failures.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  function sortable(head) {
    const button = element("button", head.textContent, { type: "button" });
    button.addEventListener("click", () => {
      sorted = { column: head.dataset.sort, down: sorted.column === head.dataset.sort && !sorted.down };
      changed();
    });
    head.replaceChildren(button);
  }

  offerTests();
  offer("model", [...new Set(data.run.map(([name]) => name))]);
  offer("gold", [...new Set(rows.gold)].map((number) => data.label[number]));
  offer("label", [...new Set(rows.label)].map((number) => data.label[number]));
  offer("kind", data.kind.filter((_, number) => rows.kind.includes(number)));
  document.querySelectorAll("#rows [data-sort]").forEach(sortable);
  form.hidden = false;
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => {
    sorted = { column: "", down: false };
    setTimeout(changed);
  });
  more.addEventListener("click", showMore);
  document.getElementById("download").addEventListener("click", download);
  addEventListener("hashchange", fromAddress);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-test]");
    if (!link) return;
    event.preventDefault();
    link.closest("[popover]")?.hidePopover?.();
    location.hash = `failures?${new URLSearchParams({ test: link.dataset.test, model: link.dataset.model })}`;
  });
  if (!fromAddress()) update();
})();

// Print what is folded, too.
addEventListener("beforeprint", () => document.querySelectorAll("details:not([open])").forEach((one) => one.toggleAttribute("open", true)));
