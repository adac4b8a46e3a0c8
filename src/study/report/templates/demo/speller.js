// The most likely word behind a misspelt one: src/tahanuji/harden/speller.py without its index, for
// which a page that reads one sentence has no need.
class Speller {
  constructor(words, often, edited, tables) {
    Object.assign(this, { often, edited, tables, costs: tables.costs });
    const { rarest, shortest, longest } = tables;
    this.targets = words.filter(
      (word) =>
        often.get(word) >= rarest &&
        shortest <= word.length &&
        word.length <= longest &&
        /^\p{L}+$/u.test(word),
    ); // from the most frequent one on
    const names = Object.keys(this.costs);
    this.least = Math.min(...names.slice(0, names.indexOf("second")).map((name) => this.costs[name]));
    this.leastOfTwo = 2 * this.costs.beside + this.costs.second;
  }

  correct(typed, stem, name) {
    const { shortest, longest, long, end } = this.tables;
    if (typed.length < shortest || typed.length > longest) return typed;
    const score = this.worth(typed, stem, name);
    const best = this.best(typed, score, (word) => this.cost(typed, word), this.least);
    if (best !== typed || this.often.has(typed) || typed.length < long) return best;
    const far = (word) => {
      const near = word.startsWith(typed.slice(0, end)) || word.endsWith(typed.slice(-end));
      const known = this.often.get(word) - this.leastOfTwo >= this.costs.unknown;
      return near && known && word.length >= long - 1 && distance(typed, word) <= 2
        ? this.leastOfTwo + this.first(typed[0] === word[0])
        : Infinity;
    };
    return this.best(typed, score, far, this.leastOfTwo);
  }

  worth(typed, stem, name) {
    const { edited, seen, unknown, built, short, name: named } = this.costs;
    const own = this.often.get(typed);
    if (own !== undefined) return own + (this.edited.has(typed) ? edited : seen);
    const base = stem === undefined ? unknown : Math.max(unknown, stem - built);
    return base + (typed.length === this.tables.shortest ? short : 0) + (name ? named : 0);
  }

  best(typed, score, costing, least) {
    let best = typed;
    for (const word of this.targets) {
      const often = this.often.get(word);
      if (often - least < score) break;
      const reached = often - costing(word);
      if (reached > score || (reached === score && best !== typed && best > word))
        [best, score] = [word, reached];
    }
    return best;
  }

  first(right) {
    return right ? 0 : this.tables.first;
  }

  // What one edit costs; infinity for words that are further away.
  cost(typed, word) {
    if (Math.abs(word.length - typed.length) > 1) return Infinity;
    let same = 0;
    while (same < typed.length && typed[same] === word[same]) same++;
    const first = this.first(same);
    if (word.length > typed.length)
      return typed.slice(same) === word.slice(same + 1) ? this.costs.missing + first : Infinity;
    if (word.length < typed.length) {
      if (typed.slice(same + 1) !== word.slice(same)) return Infinity;
      return same && typed[same - 1] === typed[same] ? this.costs.repeated : this.costs.extra + first;
    }
    if (typed === word) return Infinity;
    if (typed.slice(same + 1) === word.slice(same + 1))
      return this.costs[this.exchange(word[same], typed[same])] + first;
    const swapped = typed[same] === word[same + 1] && typed[same + 1] === word[same];
    return swapped && typed.slice(same + 2) === word.slice(same + 2)
      ? this.costs.swap + first
      : Infinity;
  }

  exchange(meant, wrong) {
    const { neighbours, vowels, sounds } = this.tables;
    if ((neighbours[meant] ?? "").includes(wrong)) return "beside";
    const both = vowels.includes(meant) && vowels.includes(wrong);
    return both || sounds.includes(meant + wrong) || sounds.includes(wrong + meant) ? "sound" : "other";
  }
}

// Edits between two words, a swap of neighbours being one.
const distance = (one, other) => {
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i++) {
    rows.push([i]);
    for (let j = 1; j <= other.length; j++) {
      const changed = rows[i - 1][j - 1] + (one[i - 1] !== other[j - 1]);
      rows[i][j] = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, changed);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[one.length][other.length];
};
