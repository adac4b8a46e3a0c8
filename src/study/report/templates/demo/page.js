// What the reader types goes through the normaliser and the network, and so do changes of it.
const held = JSON.parse(document.getElementById("held").textContent);
const CHANGES = [
  "typos",
  "typos",
  "typos",
  "slips",
  "slips",
  "dropped",
  "short",
  "slang",
  "en",
  "jv",
  "su",
  "capitals",
  "smileys",
];
const at = (id) => document.getElementById(id);
const made = (tag, about = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), about);
  element.append(...children);
  return element;
};

const network = new Network(held, at("weights").textContent);
const pieces = new Pieces(held);
const normaliser = new Normaliser(held.normaliser);
const changes = new Changes(held.changes, held.normaliser);
const examples = [...at("examples").querySelectorAll("button")];
const answers = new Map(); // by what the network reads

const answer = (text) => {
  if (!answers.has(text)) answers.set(text, network.answer(pieces.numbers(text)));
  return answers.get(text);
};
const reads = (text, normalised) => (normalised ? joined(normaliser.parts(text)) : text);

// In the reader's language.
let language = "id";
let say = held.words[language];
const percent = (share) => share.toLocaleString(language, { style: "percent" });
const label = (number) => say.labels[held.labels[number]] ?? held.labels[number];
const likeliest = (shares) => shares.indexOf(Math.max(...shares));
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const told = (shares) => {
  const top = likeliest(shares);
  const values = { label: label(top), share: percent(shares[top]) };
  return filled(shares[top] < held.threshold ? say.unsure : say.sure, values);
};

const rail = (share) => {
  const bar = made("span", { className: "bar" });
  bar.style.width = `${100 * share}%`;
  const box = made("span", { className: "rail" }, bar);
  box.setAttribute("aria-hidden", "true");
  return box;
};
const marked = (parts) => parts.map(([part, changed]) => (changed ? made("ins", {}, part) : part));
const chip = (shares, own) => {
  const top = likeliest(shares);
  const kind =
    shares[top] < held.threshold
      ? "undecided"
      : own !== undefined && top !== likeliest(own)
        ? "breaks"
        : "stands";
  return made("span", { className: `chip ${kind}` }, told(shares));
};
const head = (...children) => Object.assign(made("th", {}, ...children), { scope: "row" });

const showAnswers = (text) => {
  const ways = [held.normalised, !held.normalised]; // its own way first
  at("said").textContent = text ? told(answer(reads(text, held.normalised))) : say.nothing;
  at("answers").tBodies[0].replaceChildren(
    ...(text ? ways : []).map((normalised) => {
      const shares = answer(reads(text, normalised));
      const cells = shares.map((share) => made("td", {}, percent(share), rail(share)));
      return made("tr", {}, head(say.ways[normalised], " ", chip(shares)), ...cells);
    }),
  );
  const parts = normaliser.parts(text);
  const changed = parts.some(([, changed]) => changed);
  const said = changed
    ? [say.reads, " ", made("span", { lang: "id" }, ...marked(parts))]
    : [say.reads_same];
  if (pieces.cut(joined(parts)).length > pieces.most) said.push(` ${say.cut}`);
  at("read").replaceChildren(...(text ? said : []));
};

let seed = 1;
let turn = 0; // of the last sentence: an earlier one stops where it is
const pause = () => new Promise((done) => setTimeout(done));
const showChanges = async (text) => {
  const mine = ++turn;
  const table = at("changed");
  const normalised = at("front").checked;
  table.setAttribute("aria-busy", "true");
  table.tBodies[0].replaceChildren();
  at("moved").value = "";
  const numbers = { n: 0, moved: 0 };
  for (const [number, name] of (text ? CHANGES : []).entries()) {
    await pause();
    if (mine !== turn) return;
    const parts = changes.make(name, text, generator(1000 * seed + number));
    const row = made("tr", {}, head(say.kinds[name]));
    table.tBodies[0].append(row);
    if (!parts) {
      row.append(made("td", { className: "none" }, say.none), made("td"));
      continue;
    }
    const own = answer(reads(text, normalised));
    const shares = answer(reads(joined(parts), normalised));
    const moved = likeliest(own) !== likeliest(shares);
    numbers.n += 1;
    numbers.moved += moved;
    const verdict = made("small", {}, moved ? say.other_label : say.same_label);
    const cell = made("td", {}, chip(shares, own), " ", verdict, rail(Math.max(...shares)));
    row.append(made("td", { lang: "id" }, ...marked(parts)), cell);
  }
  if (text) at("moved").value = filled(say.moved, numbers);
  table.setAttribute("aria-busy", "false");
};

const show = () => {
  const text = at("text").value.trim();
  showAnswers(text);
  return showChanges(text);
};

const speak = (wanted) => {
  language = wanted;
  say = held.words[language];
  document.documentElement.lang = language;
  document.title = say.page;
  for (const one of document.querySelectorAll("[data-say]")) one.textContent = say[one.dataset.say];
  examples.forEach((one, number) => (one.textContent = say.topics[number]));
  at("language").textContent = say.other;
  at("language").lang = language === "id" ? "en" : "id";
  at("answers").tHead.rows[0].replaceChildren(
    ...[say.reading, ...held.labels.map((_, number) => label(number))].map((name) =>
      Object.assign(made("th", {}, name), { scope: "col" }),
    ),
  );
  const about = {
    name: held.name,
    pieces: held.vocabulary.length.toLocaleString(language),
    most: held.max_length,
    threshold: percent(held.threshold),
  };
  at("about").textContent = filled(say.about, about);
};

let waiting;
at("text").addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(show, 200);
});
at("front").addEventListener("change", show);
at("again").addEventListener("click", () => {
  seed += 1;
  showChanges(at("text").value.trim());
});
at("language").addEventListener("click", () => {
  speak(language === "id" ? "en" : "id");
  show();
});
examples.forEach((one, number) =>
  one.addEventListener("click", () => {
    at("text").value = held.words.id.examples[number];
    show();
  }),
);

at("front").checked = held.normalised;
at("text").value = held.words.id.examples[0];
speak((navigator.language || "id").startsWith("id") ? "id" : "en");
show().then(() => (document.documentElement.dataset.ready = "true"));
