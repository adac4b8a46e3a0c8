// What the page's library does not do: which tables it takes, links from a test to its failing
// rows, and the hint on tables that are wider than the screen. Without a script tables are plain.
(async () => {
  const SEARCHED = 12; // rows beyond which a table can be searched and sorted
  const LISTED = ["Data set", "Test", "Model", "Expected", "Before", "After", "Verdict", "type", "capability"];
  const { default: DataTable, set_or_remove_dark_class: setDark } = await window._itables_;
  const heads = (table) => [...table.tHead.rows[0].cells].map((cell) => cell.innerText.trim());
  const regular = (table) =>
    table.tHead?.rows.length === 1 &&
    table.tBodies.length === 1 &&
    [...table.tBodies[0].rows].every((row) => row.cells.length === heads(table).length) &&
    ![...table.querySelectorAll("td, th")].some((cell) => cell.colSpan + cell.rowSpan > 2);

  const enhance = (table) => {
    const failing = table.id === "failing";
    const lists = heads(table).flatMap((head, place) => (LISTED.includes(head) ? [place] : []));
    const paged = failing || table.tBodies[0].rows.length > 30;
    const what = failing ? "failing cases" : "this table";
    const made = new DataTable(table, {
      autoWidth: false,
      columnControl: ["order"],
      columnDefs: [{ targets: lists, columnControl: [["orderAsc", "orderDesc", "searchList"]] }],
      language: { search: `Search ${what}:`, lengthMenu: "Show _MENU_ rows" },
      layout: paged
        ? { topStart: "search", topEnd: "pageLength", bottomStart: "info", bottomEnd: "paging" }
        : { topStart: "search", topEnd: null, bottomStart: null, bottomEnd: null },
      lengthMenu: [10, 25, 100, { label: "all", value: -1 }],
      order: [],
      ordering: { indicators: false, handler: false },
      pageLength: failing ? 10 : 25,
      paging: paged,
    });
    const box = table.closest(".scroll");
    for (const name of ["role", "tabindex", "aria-label"])
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
    if (target.matches("section")) target.querySelector("details.more")?.setAttribute("open", "");
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

  const hint = (box) => box.classList.toggle("wide", box.scrollWidth > box.clientWidth + 1);
  const watch = new ResizeObserver((entries) => entries.forEach((entry) => hint(entry.target)));
  document.querySelectorAll(".scroll").forEach((box) => watch.observe(box));

  setDark();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", setDark);
  document.documentElement.dataset.ready = "true";
})();
