/** The effects of an impact and their signs. Apart from its texts, so that the topology loads none of these before. */

export type Effect = 'failed' | 'stops' | 'cut_off' | 'degraded'

/** The sign of a node in the picture. */
export type Mark = { readonly effect: Exclude<Effect, 'degraded'>; readonly depth: number }

export const EFFECT_TEXTS: Readonly<Record<Effect, string>> = {
  failed: 'goes away',
  stops: 'stops',
  cut_off: 'is cut off',
  degraded: 'loses an address',
}
