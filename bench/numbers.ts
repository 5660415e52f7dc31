/** The statistics of the benchmark, and how its numbers are written. */

const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b)

/** @param share 0 to 1 */
export const quantile = (values: readonly number[], share: number): number => {
  const ordered = sorted(values)
  return ordered[Math.min(ordered.length - 1, Math.floor(share * ordered.length))] ?? Number.NaN
}

/** The median of an even number of values is the mean of the two in the middle. */
export const median = (values: readonly number[]): number => {
  const ordered = sorted(values)
  const [below = Number.NaN, above = Number.NaN] = [
    ordered[Math.ceil(ordered.length / 2) - 1],
    ordered[Math.floor(ordered.length / 2)],
  ]
  return (below + above) / 2
}

export const rate = (perSecond: number): string => `${Math.round(perSecond).toLocaleString('en-US')}/s`
export const milliseconds = (ms: number): string =>
  ms < 10 ? `${ms.toFixed(2)} ms` : ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
export const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`
export const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(bytes < 100 * 2 ** 20 ? 1 : 0)} MiB`
export const percent = (share: number): string => `${Math.round(share * 100)} %`
export const times = (ratio: number): string => `${ratio.toFixed(2)} x`
