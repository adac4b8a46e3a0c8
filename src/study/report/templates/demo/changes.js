// Quick changes of a sentence, drawn anew each time. They show what a classifier meets; the study
// measures with instruments of its own (src/tahanuji/perturb).
const SHARE = 1 / 3; // of the words that slips and dropped vowels take
const PHRASE = 5; // words of the longest phrase that is looked for

class Changes {
  constructor({ tables, emoji, any_emoji }, { neighbours, vowels }) {
    this.tables = new Map(
      Object.entries(tables).map(([name, table]) => [name, new Map(Object.entries(table))]),
    );
    this.emoji = new Map(Object.entries(emoji));
    Object.assign(this, { any_emoji, neighbours, vowels });
  }

  // A changed text in parts [text, whether it is new]; nothing where the change does not apply.
  make(name, text, random) {
    const edits = this.edits(name, text, random);
    return edits.length ? spliced(text, edits) : null;
  }

  // What becomes new in a text: [start, end, new].
  edits(name, text, random) {
    if (this.tables.has(name)) return this.exchanged(text, this.tables.get(name), random);
    return this[name](text, random).filter(([start, end, part]) => part !== text.slice(start, end));
  }

  typos(text, random) {
    return this.letters(text, 4, random, (word) => {
      const at = 1 + Math.floor(random() * (word.length - 2));
      const swapped = word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2);
      if (random() < 0.5 && swapped !== word) return swapped;
      return word.slice(0, at) + word.slice(at + 1);
    });
  }

  slips(text, random) {
    return this.letters(text, 2, random, (word) => {
      const at = Math.floor(random() * word.length);
      const near = this.neighbours[word[at].toLowerCase()].replace(/\d/g, ""); // apart on a phone
      const key = cased(word[at], pick(near, random));
      return word.slice(0, at) + key + word.slice(random() < 0.25 ? at : at + 1);
    });
  }

  dropped(text, random) {
    const vowels = new RegExp(`[${this.vowels}]`, "gi");
    return this.letters(text, 4, random, (word) => word[0] + word.slice(1).replace(vowels, ""));
  }

  capitals(text) {
    return [[0, text.length, text.toUpperCase()]];
  }

  smileys(text, random) {
    const things = this.exchanged(text, this.emoji, random).map(([, end, part]) => [
      end,
      end,
      ` ${part.split(" ").pop()}`,
    ]);
    return things.length ? things : [[text.length, text.length, ` ${pick(this.any_emoji, random)}`]];
  }

  // A share of the words of letters a to z, at least one, changed one by one.
  letters(text, least, random, change) {
    const sites = wordsOf(text).filter(
      ({ text: word }) => word.length >= least && /^[a-zA-Z]+$/.test(word),
    );
    return drawn(sites, SHARE, random).map(({ start, end, text: word }) => [start, end, change(word)]);
  }

  // Half of the phrases of a table, at least one, exchanged; of a longer and a shorter one the
  // longer counts, and what has no other form stays. A capital inside a sentence makes a name.
  exchanged(text, table, random) {
    const words = wordsOf(text);
    const sites = [];
    for (let at = 0; at < words.length; at++)
      for (let end = Math.min(words.length, at + PHRASE); end > at; end--) {
        const [start, stop] = [words[at].start, words[end - 1].end];
        const forms = table.get(keyOf(text.slice(start, stop)));
        if (!forms) continue;
        const name = start && capital(words[at].text) && !isUpper(text);
        if (forms.length && !name) sites.push([start, stop, forms]);
        at = end - 1;
        break;
      }
    return drawn(sites, 0.5, random).map(([start, stop, forms]) => [
      start,
      stop,
      cased(text.slice(start, stop), pick(forms, random)),
    ]);
  }
}

const pick = (options, random) => options[Math.floor(random() * options.length)];

const drawn = (sites, share, random) => {
  const kept = sites.filter(() => random() < share);
  return kept.length || !sites.length ? kept : [pick(sites, random)];
};

// A generator whose numbers follow from its seed (mulberry32).
const generator = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
};
