/** Compares a zone with its server. */
import { createBreathe } from '../../../base/runtime/pause.ts'
import type { Rrset } from '../rrset-store.ts'
import type { DriftEntry, DriftKind } from '../schema.ts'
import type { ServerRrset } from './compare-rrset.ts'
import { buildRrsetKey, parseRrsetKey } from './desired-rrsets.ts'
import { areSame } from './diff.ts'

const createEntry = (
  { name, type }: Pick<Rrset, 'name' | 'type'>,
  kind: DriftKind,
  { plat, server }: { readonly plat?: readonly [readonly string[], number]; readonly server?: ServerRrset | undefined },
): DriftEntry => ({
  ...{ name, type, kind, plat: [...(plat?.[0] ?? [])], server: [...(server?.values ?? [])] },
  ...{ plat_ttl: plat?.[1] ?? null, server_ttl: server?.ttl ?? null },
})

/** True if a message about the RRset may be under way, or is still to be sent. */
const isUnderWay = ({ state, sending }: Rrset): boolean => state === 'pending' || sending !== null

const toEntry = (one: Rrset, server: ServerRrset | undefined, isWatched: boolean): DriftEntry | undefined => {
  const { state, wanted, wanted_ttl, published, published_ttl } = one
  if (state === 'blocked')
    return wanted === null ? undefined : createEntry(one, 'blocked', { plat: [wanted, wanted_ttl], server })
  const [values, ttl] = isWatched ? [wanted, wanted_ttl] : [published, published_ttl]
  if (values === null) return undefined
  const plat = [values, ttl] as const
  if (!server) return createEntry(one, 'missing', { plat })
  return areSame(values, server.values) && ttl === server.ttl
    ? undefined
    : createEntry(one, 'changed', { plat, server })
}

export const MAX_ENTRIES = 10_000
/** The most characters of the names and values of all entries. A server may fill each RRset with long values. */
const MAX_CHARACTERS = 4 * 1024 * 1024

export type Drift = {
  readonly counts: Readonly<Record<DriftKind, number>>
  /** At most `MAX_ENTRIES`, entries of Plat before foreign ones; sorted by name. */
  readonly entries: DriftEntry[]
}

const countCharacters = ({ name, plat, server }: DriftEntry): number =>
  [...plat, ...server].reduce((sum, value) => sum + value.length, name.length)

/** Counts entries, and keeps the first ones as far as they fit into a report. */
const createEntryCollector = () => {
  const counts = { missing: 0, changed: 0, blocked: 0, foreign: 0 }
  const kept: { readonly key: string; readonly entry: DriftEntry }[] = []
  let characters = 0
  return {
    add: (one: DriftEntry): void => {
      counts[one.kind]++
      if (kept.length === MAX_ENTRIES || characters >= MAX_CHARACTERS) return
      const more = countCharacters(one)
      if (characters + more > MAX_CHARACTERS) return
      characters += more
      kept.push({ key: buildRrsetKey(one.name, one.type), entry: one })
    },
    finish: (): Drift => {
      kept.sort((a, b) => (a.key < b.key ? -1 : 1))
      return { counts, entries: kept.map(({ entry: one }) => one) }
    },
  }
}

/**
 * Returns the differences.
 * @param waiting the names with changes that are not computed yet
 */
export const computeDrift = async (
  { stored, waiting, isWatched }: { stored: readonly Rrset[]; waiting: ReadonlySet<string>; isWatched: boolean },
  server: ReadonlyMap<string, ServerRrset>,
): Promise<Drift> => {
  const known = new Set<string>()
  const found = createEntryCollector()
  const breathe = createBreathe()
  for (const one of stored) {
    await breathe()
    const key = buildRrsetKey(one.name, one.type)
    const isOwn = one.wanted !== null || one.published !== null
    if (isOwn || isUnderWay(one)) known.add(key)
    if (waiting.has(one.name) || isUnderWay(one)) continue
    const entryOfOne = toEntry(one, server.get(key), isWatched)
    if (entryOfOne) found.add(entryOfOne)
  }
  for (const [key, rrset] of server) {
    await breathe()
    if (known.has(key)) continue
    const { name, type } = parseRrsetKey(key)
    if (!waiting.has(name)) found.add(createEntry({ name, type }, 'foreign', { server: rrset }))
  }
  return found.finish()
}
