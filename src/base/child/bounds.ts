/** The bounds of a process that works on data from strangers, and how messages name them. */

export type Bounds = {
  /** From the start of the process to its end. */
  readonly ms: number
  readonly memoryBytes: number
  readonly outputBytes: number
}

/** Returns a number of bytes as text, in MiB. */
const formatMebibytes = (bytes: number): string => `${Number((bytes / 2 ** 20).toFixed(1))} MiB`

/** Returns how work exceeds a bound, as text: `takes longer than 10 s`. */
export const formatBound = (bound: keyof Bounds, { ms, memoryBytes, outputBytes }: Bounds): string => {
  if (bound === 'ms') return `takes longer than ${ms / 1000} s`
  if (bound === 'memoryBytes') return `needs more than ${formatMebibytes(memoryBytes)} of memory`
  return `gives more than ${formatMebibytes(outputBytes)} of text`
}

/** Returns the end of a process by a signal, as text. */
export const formatSignal = (signal: string): string =>
  `its process was ended by ${signal}: it may need too much memory`
