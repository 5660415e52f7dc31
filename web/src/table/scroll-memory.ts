/** Where a list was scrolled to, for each entry of the history: back is back to the same rows. */

const MOST = 200
const offsets = new Map<string, number>()

/** Returns the key that the router gives each entry of the history. */
const getEntryKey = (): string => {
  const state: unknown = history.state
  const key = typeof state === 'object' && state !== null && '__TSR_key' in state ? String(state.__TSR_key) : ''
  return key
}

const buildName = (label: string): string => `${getEntryKey()} ${label}`

export const scrollMemory = {
  get: (label: string): number => offsets.get(buildName(label)) ?? 0,
  keep: (label: string, offset: number): void => {
    if (offsets.size >= MOST) offsets.clear()
    offsets.set(buildName(label), offset)
  },
}
