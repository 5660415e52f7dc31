/** The unfolded networks, remembered by the browser. The networks at the top are unfolded at first. */
import { createRemembered } from '../api/remembered.ts'
import { useStore } from '../api/store.ts'

type Chosen = readonly (readonly [id: string, isExpanded: boolean])[]

const isChoice = (one: unknown): one is Chosen[number] =>
  Array.isArray(one) && typeof one[0] === 'string' && typeof one[1] === 'boolean'

const chosen = createRemembered<Chosen>('plat.networks.folded', (stored) =>
  Array.isArray(stored) ? stored.filter(isChoice) : [],
)

export const setExpanded = (id: string, isExpanded: boolean): void =>
  chosen.set([...new Map([...chosen.get(), [id, isExpanded] as const])])

/** Returns whether a row is unfolded. */
export const useExpanded = (rootIds: readonly string[]): ((id: string) => boolean) => {
  const byId = new Map(useStore(chosen))
  const roots = new Set(rootIds)
  return (id) => byId.get(id) ?? roots.has(id)
}

/** True if the tree shows the free space between networks. */
export const hasFreeSpace = createRemembered('plat.networks.free-space', (stored) => stored !== false)
