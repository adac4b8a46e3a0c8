// A BERT that classifies, in plain JavaScript: the numbers of all pieces stand one after another in
// one array, a row a piece.
class Network {
  constructor(about, base64) {
    Object.assign(this, about);
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
    const shapes = Object.entries(this.shapes);
    const floats = shapes.reduce((sum, [, shape]) => sum + shape[0], 0);
    let at = 0;
    let from = 4 * floats;
    this.tensors = {};
    for (const [name, [rows, columns]] of shapes) {
      const vector = new Float32Array(bytes.buffer, 4 * at, rows);
      at += rows;
      if (!columns) {
        this.tensors[name] = vector;
        continue;
      }
      const shares = new Int16Array(bytes.buffer, from, rows * columns);
      from += 2 * shares.length;
      this.tensors[name] = { rows, columns, scales: vector, shares };
    }
  }

  // The probabilities of the labels.
  answer(ids) {
    const count = ids.length;
    let x = this.embedded(ids);
    for (let layer = 0; layer < this.layers; layer++) {
      const at = `encoder.layer.${layer}`;
      x = this.normed(added(x, this.attended(x, count, `${at}.attention`)), `${at}.attention.output`);
      const inner = this.linear(x, count, `${at}.intermediate.dense`).map(gelu);
      x = this.normed(added(x, this.linear(inner, count, `${at}.output.dense`)), `${at}.output`);
    }
    const first = x.subarray(0, x.length / count);
    const scores = this.linear(this.linear(first, 1, "pooler.dense").map(Math.tanh), 1, "classifier");
    return softmax([...scores]);
  }

  embedded(ids) {
    const parts = ["word", "position", "token_type"].map(
      (name) => this.tensors[`embeddings.${name}_embeddings.weight`],
    );
    const width = parts[0].columns;
    const x = new Float32Array(ids.length * width);
    ids.forEach((id, place) => {
      [id, place, 0].forEach((row, part) => {
        const { shares, scales } = parts[part];
        for (let at = 0; at < width; at++)
          x[place * width + at] += shares[row * width + at] * scales[row];
      });
    });
    return this.normed(x, "embeddings");
  }

  attended(x, count, name) {
    const [query, key, value] = ["query", "key", "value"].map((part) =>
      this.linear(x, count, `${name}.self.${part}`),
    );
    const width = x.length / count;
    const size = width / this.heads;
    const mixed = new Float32Array(x.length);
    for (let start = 0; start < width; start += size)
      for (let one = 0; one < count; one++) {
        const scores = Array.from({ length: count }, (_, other) => {
          let sum = 0;
          for (let at = start; at < start + size; at++)
            sum += query[one * width + at] * key[other * width + at];
          return sum / Math.sqrt(size);
        });
        softmax(scores).forEach((weight, other) => {
          for (let at = start; at < start + size; at++)
            mixed[one * width + at] += weight * value[other * width + at];
        });
      }
    return this.linear(mixed, count, `${name}.output.dense`);
  }

  // Four rows of x at a time, so that each weight is fetched once for all of them.
  linear(x, count, name) {
    const matrix = this.tensors[`${name}.weight`];
    const bias = this.tensors[`${name}.bias`];
    const { rows, columns } = matrix;
    const weights = (matrix.numbers ??= numbers(matrix));
    const out = new Float32Array(count * rows);
    for (let first = 0; first < count; first += 4) {
      const [a, b, c, d] = [0, 1, 2, 3].map((more) => Math.min(first + more, count - 1));
      const [ax, bx, cx, dx] = [a, b, c, d].map((row) => x.subarray(row * columns, (row + 1) * columns));
      for (let row = 0, at = 0; row < rows; row++) {
        let [as, bs, cs, ds] = [bias[row], bias[row], bias[row], bias[row]];
        for (let column = 0; column < columns; column++, at++) {
          const weight = weights[at];
          as += ax[column] * weight;
          bs += bx[column] * weight;
          cs += cx[column] * weight;
          ds += dx[column] * weight;
        }
        out[a * rows + row] = as;
        out[b * rows + row] = bs;
        out[c * rows + row] = cs;
        out[d * rows + row] = ds;
      }
    }
    return out;
  }

  normed(x, name) {
    const weight = this.tensors[`${name}.LayerNorm.weight`];
    const bias = this.tensors[`${name}.LayerNorm.bias`];
    const width = weight.length;
    for (let start = 0; start < x.length; start += width) {
      const row = x.subarray(start, start + width);
      const mean = row.reduce((sum, one) => sum + one, 0) / width;
      const spread = row.reduce((sum, one) => sum + (one - mean) ** 2, 0) / width;
      const scale = 1 / Math.sqrt(spread + this.epsilon);
      for (let at = 0; at < width; at++) row[at] = (row[at] - mean) * scale * weight[at] + bias[at];
    }
    return x;
  }
}

const numbers = ({ rows, columns, scales, shares }) => {
  const made = new Float32Array(shares.length);
  for (let row = 0, at = 0; row < rows; row++)
    for (let column = 0; column < columns; column++, at++) made[at] = shares[at] * scales[row];
  return made;
};

const added = (x, more) => x.map((one, at) => one + more[at]);

const softmax = (scores) => {
  const most = Math.max(...scores);
  const shares = scores.map((score) => Math.exp(score - most));
  const sum = shares.reduce((one, other) => one + other);
  return shares.map((share) => share / sum);
};

// With the error function of Abramowitz and Stegun, 7.1.26 (error below 1.5e-7).
const gelu = (x) => {
  const z = Math.abs(x) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * z);
  const rest =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const erf = 1 - rest * Math.exp(-z * z);
  return 0.5 * x * (1 + (x < 0 ? -erf : erf));
};
