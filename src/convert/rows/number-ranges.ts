/** Numbers as ranges: `10-14, 20`. */

/** @example compressNumbers([10, 11, 12, 20]) // '10-12, 20' */
export const compressNumbers = (numbers: readonly number[]): string => {
  const ranges: [first: number, last: number][] = []
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const range = ranges.at(-1)
    if (range && range[1] + 1 === number) range[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(', ')
}
