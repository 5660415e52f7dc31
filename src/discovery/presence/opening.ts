/** Opens intervals of presence as hosts are seen. An interval that is open costs no write. */
import type { Ctx } from '../../kernel/ctx.ts'
import type { IpKey } from '../../net/ip.ts'
import type { DiscoveredRecord, Records, Seen } from '../devices/records.ts'
import * as store from './store.ts'
import { OPEN, type PresenceRow, type PresenceSource } from './table.ts'

/** A host that is seen again within this time has not been away. */
const REOPEN_MS = 10 * 60_000

type Change = { readonly id: string; readonly patch: store.PresencePatch }

/** Returns the addresses of a batch as they are before it. */
export const snapshotSeen = (records: Records, ipKeys: readonly IpKey[]): ReadonlyMap<IpKey, Seen> =>
  new Map(
    ipKeys.flatMap((key) => {
      const seen = records.byAddress.get(key)?.addresses.get(key)
      return seen ? [[key, seen] as const] : []
    }),
  )

export type SeenHosts = {
  readonly networkId: string
  /** A lease tells no presence, but takes addresses over. */
  readonly source: PresenceSource | 'lease'
  readonly records: Records
  readonly ipKeys: readonly IpKey[]
  readonly before: ReadonlyMap<IpKey, Seen>
}

/** An address of the batch, with its intervals that are open or have ended just now. */
type Host = {
  readonly seen: Seen
  readonly record: DiscoveredRecord
  readonly before: Seen | undefined
  readonly rows: readonly PresenceRow[]
}

/** Returns when an interval was last seen, if its MAC was the last one at the address. */
const getLastSeen = ({ before }: Pick<Host, 'before'>, row: PresenceRow): string =>
  before && before.observation.mac === row.mac_address && before.last_seen > row.seen_at
    ? before.last_seen
    : row.seen_at

/** Notes the last moment of intervals of another MAC, of which the address tells nothing any more. */
const noteOthers = (host: Host, others: readonly PresenceRow[]): Change[] =>
  others.flatMap((row) => {
    const seen_at = getLastSeen(host, row)
    return seen_at === row.seen_at ? [] : [{ id: row.id, patch: { seen_at } }]
  })

type Opened = {
  /** The ends of intervals, which come first: one address and MAC has one open interval. */
  readonly ends?: readonly Change[]
  readonly changes: readonly Change[]
  readonly made?: readonly PresenceRow[]
}

type Opening = Pick<SeenHosts, 'networkId' | 'source'> & {
  readonly now: string
  /** True for a discovered device that exists. */
  readonly isThere: (id: string) => boolean
}

const openHost = (host: Host, { networkId, source, now, isThere }: Opening): Opened => {
  const { seen, record, rows } = host
  const { mac } = seen.observation
  const open = rows.filter(({ ended_at }) => ended_at === OPEN)
  const own = open.find(({ mac_address }) => mac_address === mac)
  // Its MAC was not known so far.
  const nameless = own ? undefined : open.find((row) => row.mac_address === '' && row.discovered_id === record.id)
  const changes = noteOthers(
    host,
    open.filter((row) => row !== own && row !== nameless),
  )
  if (source === 'lease' || own?.discovered_id === record.id) return { changes }
  if (nameless) return { changes: [...changes, { id: nameless.id, patch: { mac_address: mac } }] }
  // A MAC at an address is one host, whatever it is taken for. Without MACs only the device tells one host from another.
  const isOwn = ({ discovered_id }: PresenceRow): boolean =>
    mac !== '' || discovered_id === record.id || !isThere(discovered_id)
  const again = [...rows]
    .sort((a, b) => (a.ended_at > b.ended_at ? -1 : 1))
    .find((row) => row.mac_address === mac && isOwn(row))
  // Another device was there.
  const ends = own && own !== again ? [{ id: own.id, patch: { ended_at: getLastSeen(host, own) } }] : []
  if (again)
    return { ends, changes: [...changes, { id: again.id, patch: { discovered_id: record.id, ended_at: OPEN } }] }
  const made: PresenceRow = {
    id: Bun.randomUUIDv7(),
    ...{ network_id: networkId, discovered_id: record.id, ip: seen.ip, mac_address: mac, source },
    ...{ began_at: now, seen_at: now, ended_at: OPEN },
  }
  return { ends, changes, made: [made] }
}

/** Records that the hosts of a batch were seen. Call it after their devices are stored, under the lock of the network's devices. */
export const recordSeen = async (ctx: Ctx, { records, ipKeys, before, ...seenHosts }: SeenHosts): Promise<void> => {
  const held = [...new Set(ipKeys)].flatMap((key) => {
    const record = records.byAddress.get(key)
    const seen = record?.addresses.get(key)
    return record && seen ? [{ record, seen, before: before.get(key) }] : []
  })
  const since = new Date(Date.parse(ctx.now) - REOPEN_MS).toISOString()
  const ips = held.map(({ seen }) => seen.ip)
  const rows = Map.groupBy(await store.findAt(ctx, { networkId: seenHosts.networkId, ips, since }), ({ ip }) => ip)
  const others = [...rows.values()].flat().flatMap(({ discovered_id: id }) => (records.byId.has(id) ? [] : [id]))
  const known = await store.filterExistingDevices(ctx, others)
  const opening = {
    ...seenHosts,
    now: ctx.now,
    isThere: (id: string) => records.byId.has(id) || known.has(id),
  }
  const all = held.map((host) => openHost({ ...host, rows: rows.get(host.seen.ip) ?? [] }, opening))
  await store.update(
    ctx,
    all.flatMap(({ ends = [] }) => ends),
  )
  await store.update(
    ctx,
    all.flatMap(({ changes }) => changes),
  )
  await store.insert(
    ctx,
    all.flatMap(({ made = [] }) => made),
  )
}

/** Moves the intervals of merged devices to the devices that they went into. */
export const followMerges = async (ctx: Ctx, { merged, byId }: Pick<Records, 'merged' | 'byId'>): Promise<void> => {
  for (const from of merged.keys()) {
    let to = merged.get(from)
    // A device that others went into may itself go into another one.
    while (to !== undefined && !byId.has(to)) to = merged.get(to)
    if (to !== undefined) await store.reassign(ctx, { from, to })
  }
}
