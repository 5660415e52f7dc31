/** Compares a zone with its server. */
import { areSame } from './diff.ts'
import type { ServerRrset } from './judge.ts'
import type { Rrset } from './rrset-store.ts'
import type { DriftEntry, DriftKind } from './schema.ts'
import { rrsetKey } from './wanted.ts'

const entry = (
  { name, type }: Pick<Rrset, 'name' | 'type'>,
  kind: DriftKind,
  { plat, server }: { readonly plat?: readonly [readonly string[], number]; readonly server?: ServerRrset | undefined },
): DriftEntry => ({
  ...{ name, type, kind, plat: [...(plat?.[0] ?? [])], server: [...(server?.values ?? [])] },
  ...{ plat_ttl: plat?.[1] ?? null, server_ttl: server?.ttl ?? null },
})

/** True if a message about the RRset may be under way, or is still to be sent. */
const isUnderWay = ({ state, sending }: Rrset): boolean => state === 'pending' || sending !== null

const entryOf = (one: Rrset, server: ServerRrset | undefined, isWatched: boolean): DriftEntry | undefined => {
  const { state, wanted, wanted_ttl, published, published_ttl } = one
  if (state === 'blocked')
    return wanted === null ? undefined : entry(one, 'blocked', { plat: [wanted, wanted_ttl], server })
  const [values, ttl] = isWatched ? [wanted, wanted_ttl] : [published, published_ttl]
  if (values === null) return undefined
  const plat = [values, ttl] as const
  if (!server) return entry(one, 'missing', { plat })
  return areSame(values, server.values) && ttl === server.ttl ? undefined : entry(one, 'changed', { plat, server })
}

/**
 * Returns the differences, by name.
 * @param waiting the names whose changes are not computed yet
 */
export const driftOf = (
  { stored, waiting, isWatched }: { stored: readonly Rrset[]; waiting: ReadonlySet<string>; isWatched: boolean },
  server: ReadonlyMap<string, ServerRrset>,
): DriftEntry[] => {
  const known = new Set<string>()
  const entries: DriftEntry[] = []
  for (const one of stored) {
    const key = rrsetKey(one.name, one.type)
    const isOwn = one.wanted !== null || one.published !== null
    if (isOwn || isUnderWay(one)) known.add(key)
    if (waiting.has(one.name) || isUnderWay(one)) continue
    const found = entryOf(one, server.get(key), isWatched)
    if (found) entries.push(found)
  }
  for (const [key, rrset] of server) {
    if (known.has(key)) continue
    const at = key.lastIndexOf(' ')
    const [name, type] = [key.slice(0, at), key.slice(at + 1)]
    if (!waiting.has(name)) entries.push(entry({ name, type }, 'foreign', { server: rrset }))
  }
  const text = ({ name, type }: DriftEntry): string => `${name} ${type}`
  return entries.sort((a, b) => (text(a) < text(b) ? -1 : 1))
}
