/** Makes own records of the RRsets that a server holds, so that Plat wants them too. */

import { AppError } from '../../../contract/errors.ts'
import type { PlannedItem } from '../../../kernel/changes/change-record.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { RECORD_TYPES, type RecordType } from '../../records/api.ts'
import { create, findRecordsByNames, remove } from '../../records/dns-records.ts'
import type { Rrset } from '../rrset-store.ts'
import * as rrsets from '../rrset-store.ts'
import type { DriftEntry } from '../schema.ts'
import { buildRrsetChanges } from '../shown-changes.ts'
import { toFullName, type Zone } from '../zone-index.ts'
import { buildRrsetKey } from './desired-rrsets.ts'
import type { Failed, Resolved } from './push.ts'
import type { Run } from './run.ts'

const isOwnType = (type: string): type is RecordType => RECORD_TYPES.some((one) => one === type)

class Refusal extends Error {}

const GIVEN = 'a device gives it: change the device, or push it'
const NOTHING = 'the server holds nothing of this type: pull the others at its name'
const notOwn = (type: string): string => `records of the type ${type} cannot be own records`

/** @param own the own records of the name and type */
const getRefusal = ({ kind, type, server }: DriftEntry, own: readonly unknown[]): string | undefined => {
  if (kind === 'missing') return own.length === 0 ? GIVEN : undefined
  if (server.length === 0) return NOTHING
  return isOwnType(type) ? undefined : notOwn(type)
}

/** Replaces the own records of a name and type by the records of the server. */
const replace = async (ctx: Ctx, zone: Zone, entry: DriftEntry): Promise<string[]> => {
  const { name, type, server, server_ttl } = entry
  if (!isOwnType(type)) throw new Refusal(notOwn(type))
  const own = (await findRecordsByNames(ctx, zone.id, [name])).filter((record) => record.type === type)
  // All of an RRset have the TTL of the server then.
  for (const { id } of own) await remove(ctx, id)
  const ttl = server_ttl === null || server_ttl === zone.ttl ? null : Math.max(1, server_ttl)
  const ids: string[] = []
  for (const value of server) {
    const record = await create(ctx, { zone_id: zone.id, name, type, value, ttl, description: '' })
    ids.push(record.id)
  }
  return ids
}

const pullOne = async (ctx: Ctx, zone: Zone, entry: DriftEntry): Promise<void> => {
  const { name, type, server, server_ttl } = entry
  const [stored] = (await rrsets.findByNames(ctx, zone.id, [name])).filter((one) => one.type === type)
  const own = (await findRecordsByNames(ctx, zone.id, [name])).filter((record) => record.type === type)
  const refusal = getRefusal(entry, own)
  if (refusal !== undefined) throw new Refusal(refusal)
  if (entry.kind === 'missing') {
    for (const { id } of own) await remove(ctx, id)
    // The device may give it again; then it is new.
    if (stored) await rrsets.save(ctx, zone.id, [{ ...stored, published: null, sending: null, state: 'pending' }])
    return
  }
  const record_ids = await replace(ctx, zone, entry)
  const ttl = server_ttl ?? zone.ttl
  const isWatched = zone.mode === 'watched'
  const rrset: Rrset = {
    ...{ name, type, state: isWatched ? 'watched' : 'published', message: '', source: 'record' },
    ...{ device_ids: stored?.device_ids ?? [], record_ids, wanted: server, wanted_ttl: ttl },
    ...{ published: isWatched ? null : server, published_ttl: ttl, sending: null },
  }
  await rrsets.save(ctx, zone.id, [rrset])
}

/** Each entry is a savepoint: entries that cannot be pulled are named. */
export const pull = async ({ write, zone }: Run, entries: readonly DriftEntry[]): Promise<Resolved> => {
  const failed: Failed[] = []
  const done: DriftEntry[] = []
  const BATCH = 200
  for (let from = 0; from < entries.length; from += BATCH)
    await write(async (inner) => {
      for (const entry of entries.slice(from, from + BATCH))
        try {
          await inner.savepoint(() => pullOne(inner, zone, entry))
          done.push(entry)
        } catch (error) {
          if (!(error instanceof AppError) && !(error instanceof Refusal)) throw error
          failed.push({ name: entry.name, type: entry.type, error: error.message })
        }
    })
  return { done, failed }
}

/** Returns the changes of a pull to own records, and the entries that it would refuse. */
export const pullChanges = async (
  { ctx, zone }: Run,
  entries: readonly DriftEntry[],
): Promise<{ readonly changes: readonly PlannedItem[]; readonly failed: readonly Failed[] }> => {
  const names = [...new Set(entries.map(({ name }) => name))]
  const own = Map.groupBy(await findRecordsByNames({ db: ctx.store.read }, zone.id, names), ({ name, type }) =>
    buildRrsetKey(name, type),
  )
  const changes: PlannedItem[] = []
  const failed: Failed[] = []
  for (const entry of entries) {
    const { name, type, kind, plat, plat_ttl, server, server_ttl } = entry
    const error = getRefusal(entry, own.get(buildRrsetKey(name, type)) ?? [])
    if (error !== undefined) failed.push({ name, type, error })
    else
      changes.push(
        ...buildRrsetChanges('own-rrset', {
          ...{ fqdn: toFullName(name, zone.name), type },
          before: plat.length === 0 ? undefined : { ttl: plat_ttl, values: plat },
          after: kind === 'missing' ? undefined : { ttl: server_ttl, values: server },
        }),
      )
  }
  return { changes, failed }
}
