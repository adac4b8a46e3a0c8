// The words of a text with their places, as src/tahanuji/words.py finds them.
const LETTERS = String.raw`(?:(?!\u2139)\p{L}(?:(?![\uFE00-\uFE0F])[\p{Mn}\p{Mc}])*)+`;
const INSIDE = String.raw`(?![\uFE00-\uFE0F])[\p{L}\p{N}_\p{Mn}\p{Mc}]`;
const WORD = `(?<!${INSIDE})${LETTERS}(?:[-\u2010\u2011'\u2018\u2019\`]${LETTERS})*2?(?!${INSIDE})`;
const NO_WORDS = [
  String.raw`(?:[hH][tT][tT][pP][sS]?://|[wW]{3}\.)\S+`,
  String.raw`(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+`,
  String.raw`@[\w]+(?:\.[\w]+)*|#[\w]+`,
  String.raw`(?<![\w.-])[\w-]{1,60}(?:\.[\w-]{1,60}){0,4}\.(?:[cC][oO][mM]|[nN][eE][tT]|[oO][rR][gG]|[iI][dD])(?![\w])(?:/\S*)?`,
  String.raw`\[[A-Z][A-Z0-9_ \-]*\]|\[(?:user|username|mention|url|link|number|sensitive-no)\]|<[A-Za-z/][^<>\s]*>|(?<![\w])xxx[a-z]+xxx(?![\w])`,
  String.raw`(?<![\w])(?:[:;=]-?[DPpOoSsXx]|[xX]D)(?![\w])`,
].map((one) => one.replaceAll(String.raw`\w`, String.raw`\p{L}\p{N}_`));
const TOKENS = new RegExp(`${NO_WORDS.join("|")}|(?<word>${WORD})`, "gu");
const MARKED = /[@#[<_]|xxx|xD|XD|[wW]\.|\.[\p{L}\p{N}_]|[:;=][-/\p{L}\p{N}_]/u;

const wordsOf = (text) =>
  [...text.matchAll(TOKENS)]
    .filter((hit) => hit.groups.word)
    .map((hit) => ({ start: hit.index, end: hit.index + hit[0].length, text: hit[0] }));

const keyOf = (word) =>
  word
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\u2018\u2019`]/g, "'")
    .replace(/[\u2010\u2011]/g, "-");
const isUpper = (text) => text === text.toUpperCase() && text !== text.toLowerCase();
const isLower = (text) => text === text.toLowerCase() && text !== text.toUpperCase();
const capital = (text) => /^\p{Lu}/u.test(text);
const capitalised = (text) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase();

// The target in the case of the source: lower, Capitalised or UPPER.
const cased = (source, target) => {
  if (isLower(source)) return target.toLowerCase();
  if (isUpper(source) && (source.match(/\p{L}/gu) ?? []).length > 1) return target.toUpperCase();
  const inner = source.split(/[^\p{L}\p{N}_]+/u).some((part) => /\p{Lu}/u.test(part.slice(1)));
  return capital(source) && !inner ? capitalised(target) : target;
};

// A text with other parts in some places, as parts [text, whether it is new].
const spliced = (text, edits) => {
  const parts = [];
  let at = 0;
  for (const [start, end, part] of edits) {
    parts.push([text.slice(at, start), false], [part, true]);
    at = end;
  }
  return [...parts, [text.slice(at), false]].filter(([part]) => part);
};

const joined = (parts) => parts.map(([part]) => part).join("");
