// Informal spelling made standard, as src/tahanuji/harden/normalise.py does it.
class Normaliser {
  constructor(tables) {
    const words = tables.words.split(" ");
    this.tables = tables;
    this.often = new Map(words.map((word, at) => [word, tables.often[at]]));
    const edited = new Set(words.filter((_, at) => tables.edited[at] === "1"));
    this.speller = new Speller(words, this.often, edited, tables);
    this.informal = new Map(Object.entries(tables.informal));
    this.untouched = new Set(tables.untouched.split(" "));
    const { RUN, PAIR, MIXED, ...whole } = tables.patterns;
    for (const [name, pattern] of Object.entries({ RUN, PAIR, MIXED }))
      this[name] = new RegExp(pattern, "g");
    for (const [name, pattern] of Object.entries(whole)) this[name] = new RegExp(`^(?:${pattern})$`);
    this.made = new Map(); // by token
  }

  // The tokens of a text between spaces, as parts [text, whether it is new].
  parts(text) {
    const shouted = isUpper(text) && !MARKED.test(text);
    const old = text.split(" ");
    const made = this.tokens(shouted ? old.map((token) => token.toLowerCase()) : old);
    return old.flatMap((token, at) => {
      const part = shouted ? made[at].toUpperCase() : made[at];
      return at
        ? [
            [" ", false],
            [part, part !== token],
          ]
        : [[part, part !== token]];
    });
  }

  tokens(tokens) {
    const made = tokens.map((token) => this.token(token));
    const [first] = tokens;
    if (
      capital(first) &&
      made[0] === first &&
      !this.tables.titles.includes(first.replace(/^[.,]+|[.,]+$/g, "").toLowerCase())
    )
      made[0] = cased(first, this.token(first.toLowerCase()));
    return made;
  }

  token(token) {
    if (!this.made.has(token))
      this.made.set(token, /^\d*$/.test(token) ? token : this.normalised(token));
    return this.made.get(token);
  }

  normalised(token) {
    if (token.includes("/") && /\d/.test(token)) return token;
    const edits = wordsOf(token).map(({ start, end, text }) => [start, end, this.word(text)]);
    if (!MARKED.test(token))
      for (const hit of token.matchAll(this.MIXED))
        if (!edits.some(([start]) => start === hit.index))
          edits.push([hit.index, hit.index + hit[0].length, this.figured(hit[0])]);
    return joined(
      spliced(
        token,
        edits.sort(([one], [other]) => one - other),
      ),
    );
  }

  // A word as it stands in a text.
  word(word) {
    const key = keyOf(word);
    const { titles, stem, doubtful } = this.tables;
    const denies = this.informal.get(key) === "tidak" && !doubtful.includes(key);
    if (isUpper(word) && key.length < stem && !denies) return word;
    if (/^\p{Lu}\p{Ll}*$/u.test(word) && titles.includes(key)) return word;
    const made = this.meant(key, !isLower(word));
    return made === key ? word : cased(word, made);
  }

  // What a lower-case word stands for; of what may be a name the spelling is not corrected.
  meant(key, name = false) {
    if (key.length < 2) return key;
    if (this.informal.has(key)) return this.informal.get(key);
    const stem = key.endsWith("nya") ? (this.informal.get(key.slice(0, -3)) ?? " ") : " ";
    if (!stem.includes(" ")) return `${stem}nya`;
    if (key.endsWith("2")) return this.twice(key);
    if (key.includes("-"))
      return this.often.has(key)
        ? key
        : key
            .split("-")
            .map((part) => this.meant(part, name))
            .join("-");
    const laughter = this.LAUGHTER.exec(key);
    if (laughter)
      return Object.keys(laughter.groups).find((form) => laughter.groups[form] !== undefined);
    if (key.search(this.RUN) >= 0 && !(name && this.ROMAN.test(key))) return this.shortened(key, name);
    const held = this.untouched.has(key) || !/^\p{L}+$/u.test(key);
    return held || (name && key.length <= this.tables.stem) ? key : this.spelt(key, name);
  }

  spelt(key, name) {
    const known = this.often.has(key);
    let made = this.speller.correct(key, known ? undefined : this.stem(key), name);
    if (made === key && !known && !name) made = this.inflected(key);
    return this.informal.get(made) ?? made;
  }

  // The frequency of the most frequent known word of which a word is built.
  stem(key) {
    const { ends, prefixes, stem: shortest } = this.tables;
    const stems = [1, 2, 3]
      .filter((size) => ends.includes(key.slice(-size)))
      .map((size) => key.slice(0, -size));
    stems.push(
      ...[2, 3].filter((size) => prefixes.includes(key.slice(0, size))).map((size) => key.slice(size)),
    );
    const known = stems.filter((stem) => stem.length >= shortest && this.often.has(stem));
    return known.length ? Math.max(...known.map((stem) => this.often.get(stem))) : undefined;
  }

  inflected(key) {
    const stem = key.slice(0, -3);
    const mended = key.endsWith("nya") && stem.length >= this.tables.stem && !this.informal.has(stem);
    return mended ? `${this.speller.correct(stem)}nya` : key;
  }

  twice(key) {
    const hit = this.TWICE.exec(key);
    if (!hit) return key;
    const stem = this.meant(hit[1]);
    const starts = this.tables.before_pairs.filter((start) => stem.startsWith(start));
    const forms = starts
      .map((start) => `${stem}-${stem.slice(start.length)}`)
      .filter((form) => this.often.has(form));
    const whole = best(forms, (form) => this.often.get(form)) ?? `${stem}-${stem}`;
    const sure = (this.often.get(stem) ?? -Infinity) >= this.tables.rarest;
    return sure ? whole + (hit[2] ?? "") : key;
  }

  shortened(key, name) {
    const one = key.replace(this.RUN, "$1");
    const forms = [key.replace(this.RUN, "$1$1"), one, key.replace(this.PAIR, "$1")];
    const often = (form) => this.often.get((this.informal.get(form) ?? form).split(" ")[0]);
    return this.meant(
      best(
        forms.filter((form) => often(form) !== undefined),
        often,
      ) ?? one,
      name,
    );
  }

  // Letters mixed with figures: a reduplication, or letters in disguise.
  figured(token) {
    const key = token.toLowerCase();
    const like = (made) => cased(token.replace(/\d/g, ""), made);
    if (this.TWICE.test(key)) return like(this.twice(key));
    const numbered = this.NUMBERED.test(key) && !this.LAST.test(key);
    if (numbered || /[26]/.test(key) || key.length > this.tables.longest) return token;
    const bare = (text) => text.replace(/\d/g, (sign) => this.tables.disguise[sign] ?? sign);
    for (const form of [bare(key), bare(key.replaceAll("1", "l"))]) {
      const made = this.informal.get(form) ?? form;
      const often = made.split(" ").map((word) => this.often.get(word) ?? -Infinity);
      if (Math.min(...often) >= this.tables.sure) return like(made);
    }
    const made = this.LAST.test(key) ? key : this.speller.correct(key);
    return made === key ? token : like(this.informal.get(made) ?? made);
  }
}

// The first of the forms whose number is the largest; nothing of none.
const best = (forms, number) =>
  forms.reduce(
    (held, form) => (held === undefined || number(form) > number(held) ? form : held),
    undefined,
  );
