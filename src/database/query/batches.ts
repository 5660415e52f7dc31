/** Cuts long lists for `IN (...)` and multi-row inserts: engines bound the number of parameters of a statement. */

const SIZE = 500

/** @example splitBatches([1, 2, 3], 2) // [[1, 2], [3]] */
export const splitBatches = <T>(items: readonly T[], size = SIZE): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))
