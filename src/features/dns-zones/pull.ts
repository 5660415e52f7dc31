/** Makes own records of the RRsets that a server holds, so that Plat wants them too. */

import { AppError } from '../../platform/contract/errors.ts'
import type { Ctx } from '../ctx.ts'
import { RECORD_TYPES, type RecordType } from '../dns-records/api.ts'
import { create, ofNames, remove } from '../dns-records/dns-records.ts'
import type { Failed, Resolved } from './push.ts'
import type { Rrset } from './rrset-store.ts'
import * as rrsets from './rrset-store.ts'
import type { Run } from './run.ts'
import type { DriftEntry } from './schema.ts'
import type { Zone } from './zone-index.ts'

const isOwnType = (type: string): type is RecordType => RECORD_TYPES.some((one) => one === type)

class Refusal extends Error {}

/** Makes the own records of a name and type those of the server. */
const replace = async (ctx: Ctx, zone: Zone, { name, type, server, server_ttl }: DriftEntry): Promise<string[]> => {
  if (!isOwnType(type)) throw new Refusal(`records of the type ${type} cannot be own records`)
  const own = (await ofNames(ctx, zone.id, [name])).filter((record) => record.type === type)
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

const drop = async (ctx: Ctx, zone: Zone, { name, type }: DriftEntry): Promise<void> => {
  const own = (await ofNames(ctx, zone.id, [name])).filter((record) => record.type === type)
  if (own.length === 0) throw new Refusal('a device gives it: change the device, or push it')
  for (const { id } of own) await remove(ctx, id)
}

const pullOne = async (ctx: Ctx, zone: Zone, entry: DriftEntry): Promise<void> => {
  const { name, type, server, server_ttl } = entry
  const [stored] = (await rrsets.ofNames(ctx, zone.id, [name])).filter((one) => one.type === type)
  if (entry.kind === 'missing') {
    await drop(ctx, zone, entry)
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

/** Each entry is a savepoint: those that cannot be pulled are named. */
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
