/** Writes RRsets of a report to the server, whatever it holds. Only here does Plat overwrite what is not its own. */

import type { PlannedItem } from '../../../kernel/changes/change-record.ts'
import { type RrsetChange, updateSize } from '../../../net/dns/update.ts'
import type { DnsClient } from '../../client/client.ts'
import { DnsError } from '../../client/dns-error.ts'
import type { Rrset } from '../rrset-store.ts'
import * as rrsets from '../rrset-store.ts'
import type { DriftEntry } from '../schema.ts'
import { buildRrsetChanges, type RrsetSides } from '../shown-changes.ts'
import { toFullName } from '../zone-index.ts'
import { buildRrsetKey } from './desired-rrsets.ts'
import type { Run } from './run.ts'
import type { SyncOptions } from './sync.ts'
import { splitIntoMessages } from './update-message.ts'

export type Failed = { readonly name: string; readonly type: string; readonly error: string }
export type Resolved = { readonly done: readonly DriftEntry[]; readonly failed: readonly Failed[] }

type Pushed = { readonly entry: DriftEntry; readonly changes: readonly RrsetChange[]; readonly bytes: number }

const getWanted = ({ kind }: DriftEntry, stored: Rrset | undefined): readonly string[] | null =>
  kind === 'foreign' ? null : (stored?.wanted ?? null)

const buildChanges = (entry: DriftEntry, stored: Rrset | undefined, zone: string): RrsetChange[] => {
  const { name, type } = entry
  const full = toFullName(name, zone)
  const remove = (what: string): RrsetChange => ({ kind: 'delete', name: full, type: what })
  const wanted = getWanted(entry, stored)
  if (wanted === null) return [remove(type)]
  // RFC 2181 section 10.1: a CNAME stands alone. Type ANY is every RRset of the name (RFC 2136 section 2.5.3).
  const room = type === 'CNAME' && name !== '@' ? [remove('ANY')] : [remove(type), remove('CNAME')]
  return [...room, { kind: 'add', name: full, type, ttl: stored?.wanted_ttl ?? 0, values: wanted }]
}

const findStored = async ({ ctx, zone }: Run, entries: readonly DriftEntry[]): Promise<Map<string, Rrset>> => {
  const names = [...new Set(entries.map(({ name }) => name))]
  const all = await rrsets.findByNames({ db: ctx.store.read }, zone.id, names)
  return new Map(all.map((one) => [buildRrsetKey(one.name, one.type), one] as const))
}

/** True if a push of an RRset deletes this one of the same name, as `buildChanges` does. */
const makesRoom = (pushed: DriftEntry, other: DriftEntry): boolean =>
  pushed.type === 'CNAME' ? pushed.name !== '@' : other.type === 'CNAME'

/**
 * Returns the changes of a push on the server. The server has the records of the last report.
 * @param all the entries of the report
 */
export const pushChanges = async (
  run: Run,
  { entries, all }: { readonly entries: readonly DriftEntry[]; readonly all: readonly DriftEntry[] },
): Promise<PlannedItem[]> => {
  const stored = await findStored(run, entries)
  const byName = Map.groupBy(all, ({ name }) => name)
  const after = new Map<DriftEntry, RrsetSides['after']>()
  for (const entry of entries) {
    const one = stored.get(buildRrsetKey(entry.name, entry.type))
    const values = getWanted(entry, one)
    after.set(entry, values === null ? undefined : { ttl: one?.wanted_ttl ?? 0, values })
    if (values === null) continue
    for (const other of byName.get(entry.name) ?? [])
      if (other !== entry && !after.has(other) && makesRoom(entry, other)) after.set(other, undefined)
  }
  return [...after].flatMap(([{ name, type, server, server_ttl }, side]) =>
    buildRrsetChanges('rrset', {
      ...{ fqdn: toFullName(name, run.zone.name), type },
      before: server.length === 0 ? undefined : { ttl: server_ttl, values: server },
      after: side,
    }),
  )
}

/** @throws DnsError if the server cannot be used at all */
export const push = async (
  run: Run,
  { client, entries, options }: { client: DnsClient; entries: readonly DriftEntry[]; options: SyncOptions },
): Promise<Resolved> => {
  const { write, zone } = run
  const stored = await findStored(run, entries)
  const failed: Failed[] = []
  const done: DriftEntry[] = []

  const send = async (message: readonly Pushed[]): Promise<readonly Pushed[]> => {
    try {
      const changes = message.flatMap((one) => one.changes)
      await client.update({ zone: zone.name, prerequisites: [], changes }, options.signal)
      options.onResult('ok')
      return message
    } catch (error) {
      if (!(error instanceof DnsError)) throw error
      options.onResult(error.isSigned ? 'refused' : 'failed')
      const [first] = message
      if (!error.isSigned || (error.kind !== 'refused' && error.kind !== 'failed') || !first) throw error
      if (message.length === 1) {
        failed.push({ name: first.entry.name, type: first.entry.type, error: error.message })
        return []
      }
      const middle = Math.ceil(message.length / 2)
      return [...(await send(message.slice(0, middle))), ...(await send(message.slice(middle)))]
    }
  }

  const pushed = entries.map((entry): Pushed => {
    const changes = buildChanges(entry, stored.get(buildRrsetKey(entry.name, entry.type)), zone.name)
    return { entry, changes, bytes: updateSize(changes) }
  })
  for (const message of splitIntoMessages(pushed)) {
    const sent = await send(message)
    const after = sent.flatMap(({ entry }): Rrset[] => {
      const one = stored.get(buildRrsetKey(entry.name, entry.type))
      if (!one || entry.kind === 'foreign') return []
      const state = one.state === 'conflict' ? 'conflict' : 'published'
      const message = one.state === 'conflict' ? one.message : ''
      return [{ ...one, state, message, published: one.wanted, published_ttl: one.wanted_ttl, sending: null }]
    })
    await write((inner) => rrsets.save(inner, zone.id, after))
    done.push(...sent.map(({ entry }) => entry))
  }
  return { done, failed }
}
