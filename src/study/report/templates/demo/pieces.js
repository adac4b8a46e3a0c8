// BERT's tokenizer: lower case, no accents, words and marks apart, then the longest pieces of each.
class Pieces {
  constructor({ vocabulary, special, longest, max_length }) {
    this.ids = new Map(vocabulary.map((piece, id) => [piece, id]));
    this.special = new RegExp(`(${special.map((one) => one.replace(/[[\]]/g, "\\$&")).join("|")})`);
    this.isSpecial = new Set(special);
    this.longest = longest;
    this.most = max_length - 2;
  }

  // The numbers of a text's pieces, as the network takes them.
  numbers(text) {
    const pieces = ["[CLS]", ...this.cut(text).slice(0, this.most), "[SEP]"];
    return pieces.map((piece) => this.ids.get(piece));
  }

  cut(text) {
    return text
      .split(this.special)
      .flatMap((part) => (this.isSpecial.has(part) ? [part] : this.plain(part)));
  }

  plain(text) {
    const clean = text
      .replace(/[\t\n\r]/g, " ")
      .replace(/[\p{Cc}\p{Cf}\p{Co}\0\uFFFD]/gu, "")
      .replace(/[\p{Script=Han}]/gu, " $& ")
      .normalize("NFD")
      .replace(/\p{Mn}/gu, "")
      .toLowerCase();
    const parts = clean.match(/[!-/:-@[-`{-~\p{P}]|[^\s!-/:-@[-`{-~\p{P}]+/gu) ?? [];
    return parts.flatMap((part) => this.pieces([...part]));
  }

  pieces(letters) {
    const pieces = [];
    for (let start = 0; start < letters.length && letters.length <= this.longest;) {
      let end = letters.length;
      const piece = () => (start ? "##" : "") + letters.slice(start, end).join("");
      while (end > start && !this.ids.has(piece())) end--;
      if (end === start) return ["[UNK]"];
      pieces.push(piece());
      start = end;
    }
    return pieces.length ? pieces : ["[UNK]"];
  }
}
