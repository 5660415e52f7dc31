/** The numbers of an impact in words, for plans and for the dialogs of deletions. Browser-safe. */

/** The devices that follow what goes away. */
export type ImpactCounts = { readonly stops: number; readonly cut_off: number; readonly degraded: number }

const PHRASES = [
  ['stops', 'would stop'],
  ['cut_off', 'would be cut off'],
  ['degraded', 'would lose an address'],
] as const

/** @example formatImpactSummary({ stops: 3, cut_off: 1, degraded: 0 }) // '3 devices would stop, 1 would be cut off' */
export const formatImpactSummary = (counts: ImpactCounts): string => {
  const found = PHRASES.filter(([count]) => counts[count] > 0)
  const phrases = found.map(([count, phrase], at) => {
    const n = counts[count]
    const noun = at > 0 ? '' : ` ${n === 1 ? 'device' : 'devices'}`
    return `${n.toLocaleString('en-US')}${noun} ${phrase}`
  })
  return phrases.join(', ')
}
