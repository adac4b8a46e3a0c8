// What the page's library does not do: which tables it takes, links from a test to its failing
// rows, and the hint on tables that are wider than the screen. Without a script tables are plain.
(async () => {
  const SEARCHED = 12; // rows beyond which a table can be searched and sorted
  const words = JSON.parse(document.body.dataset.words);
  const { default: DataTable, set_or_remove_dark_class: setDark } = await window._itables_;
  const heads = (table) => [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
  const regular = (table) =>
    table.tHead?.rows.length === 1 &&
    table.tBodies.length === 1 &&
    [...table.tBodies[0].rows].every((row) => row.cells.length === heads(table).length) &&
    ![...table.querySelectorAll("td, th")].some((cell) => cell.colSpan + cell.rowSpan > 2);

  const enhance = (table) => {
    const failing = table.id === "failing";
    const lists = heads(table).flatMap((head, place) => (words.listed.includes(head) ? [place] : []));
    const paged = failing || table.tBodies[0].rows.length > 30;
    const made = new DataTable(table, {
      autoWidth: false,
      columnControl: ["order"],
      columnDefs: [{ targets: lists, columnControl: [["orderAsc", "orderDesc", "searchList"]] }],
      language: { ...words.table, search: failing ? words.search_failing : words.search },
      layout: paged
        ? { topStart: "search", topEnd: "pageLength", bottomStart: "info", bottomEnd: "paging" }
        : { topStart: "search", topEnd: null, bottomStart: null, bottomEnd: null },
      lengthMenu: [10, 25, 100, { label: words.all, value: -1 }],
      order: [],
      ordering: { indicators: false, handler: false },
      pageLength: failing ? 10 : 25,
      paging: paged,
    });
    const box = table.closest(".scroll");
    for (const name of ["role", "tabindex", "aria-label", "data-wide"])
      table.parentElement.setAttribute(name, box.getAttribute(name));
    table.parentElement.classList.add("scroll");
    box.replaceWith(...box.childNodes);
    return made;
  };
  const tables = [...document.querySelectorAll("main table:not(.plain)")].filter(
    (table) => regular(table) && table.tBodies[0].rows.length > SEARCHED,
  );
  const made = new Map(tables.map((table) => [table.id, enhance(table)]));

  // Whatever a link leads to is unfolded, and so is the section that it names.
  const reveal = (hash) => {
    const target = hash.length > 1 && document.getElementById(decodeURIComponent(hash.slice(1)));
    if (!target) return;
    for (let one = target.closest("details"); one; one = one.parentElement.closest("details")) one.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", () => reveal(location.hash));
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    if (link && link.hash === location.hash) reveal(link.hash);
  });
  reveal(location.hash);

  document.addEventListener("click", (event) => {
    const title = event.target.closest?.("[data-search]")?.dataset.search;
    if (title) made.get("failing")?.search(`"${title}"`).draw();
  });

  // Tests by verdict, capability and words, families by name: what does not fit is out of sight.
  const asked = [...document.querySelectorAll("#costs [data-filter]")];
  const families = [...document.querySelectorAll(".family")];
  const sift = () => {
    const filters = Object.fromEntries(
      asked.map((one) => [one.dataset.filter, one.type === "checkbox" ? one.checked : one.value]),
    );
    const { said, family, capability, apart } = filters;
    const wanted = filters.words.toLowerCase();
    const active = said || family || capability || wanted || apart;
    let count = 0;
    for (const one of families) {
      const rows = [...one.querySelectorAll("tbody tr")];
      const name = one.dataset.family;
      const fits = (row) =>
        (!family || name === family) &&
        (!said || row.dataset.said.split("|").includes(said)) &&
        (!capability || row.dataset.capability === capability) &&
        (!apart || "apart" in row.dataset) &&
        `${name} ${row.textContent}`.toLowerCase().includes(wanted);
      const kept = rows.filter(fits);
      rows.forEach((row) => row.toggleAttribute("data-out", !kept.includes(row)));
      one.toggleAttribute("data-out", !kept.length);
      one.open = Boolean(active && kept.length);
      count += kept.length;
    }
    document.querySelector("#costs output").value = active ? words.found.replace("_", count) : "";
  };
  asked.forEach((one) => one.addEventListener("input", sift));

  // Examples by words, and the questions that still have one.
  const searched = document.getElementById("searched");
  searched?.addEventListener("input", () => {
    const lacks = (one) => !one.textContent.toLowerCase().includes(searched.value.toLowerCase());
    for (const question of document.querySelectorAll(".question")) {
      const every = [...question.querySelectorAll(".example")];
      every.forEach((one) => one.toggleAttribute("data-out", lacks(one)));
      question.toggleAttribute("data-out", every.every(lacks));
    }
  });

  // Of two models at a time, those that the reader chooses.
  const sides = [...document.querySelectorAll("[data-side]")];
  const pair = () => {
    for (const one of sides) // a model is not compared with itself
      for (const choice of one.options)
        choice.disabled = sides.some((other) => other !== one && other.value === choice.value);
    const names = sides.map((one) => one.value).sort().join();
    const fits = (one) => one.dataset.pair.split("|").sort().join() === names;
    const every = [...document.querySelectorAll(".pair")];
    every.forEach((one) => one.toggleAttribute("data-out", !fits(one)));
    document.querySelector("#models output").toggleAttribute("data-out", every.some(fits));
  };
  sides.forEach((one) => one.addEventListener("input", pair));
  if (sides.length) pair();
  document.querySelectorAll(".filters").forEach((one) => one.removeAttribute("hidden"));

  const hint = (box) => box.classList.toggle("wide", box.scrollWidth > box.clientWidth + 1);
  const watch = new ResizeObserver((entries) => entries.forEach((entry) => hint(entry.target)));
  document.querySelectorAll(".scroll").forEach((box) => watch.observe(box));

  setDark();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", setDark);
  document.documentElement.dataset.ready = "true";
})();
