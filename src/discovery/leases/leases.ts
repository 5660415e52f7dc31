/** Records the leases of a DHCP server: each one in force is evidence of a host. Sets nothing down. */
import { invalidField } from '../../contract/errors.ts'
import type { Tables } from '../../database/tables.ts'
import { lockPlacementShared } from '../../inventory/placement-lock.ts'
import { DEFAULT } from '../../inventory/spaces/fields.ts'
import { filterExistingSpaces, findSpaceKey, matchSpace } from '../../inventory/spaces/keys.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Handlers } from '../../kernel/implement.ts'
import type { ParsedInputOf } from '../../kernel/operation.ts'
import { UNPROBED } from '../../scanner/protocol.ts'
import { ingest } from '../devices/ingest.ts'
import type { Observation } from '../devices/records.ts'
import { processInBatches } from '../scans/batches.ts'
import type { LeasesRecorded, leases } from './leases-api.ts'
import { placeLeases } from './placing.ts'
import type { ReadLeases } from './process.ts'
import type { ActiveLease } from './read.ts'

/** Certainty that a host with a lease is alive: it was when it got the lease. */
const WEIGHT = 0.4

/** A lease is no scan, and looks at nothing but the address. */
const NO_SCAN = { scanId: '', previousScanId: '', type: 'quick', stage: 'liveness' } as const

const HAS_LEASE = 'has a lease'

const toObservation = ({ ip, mac, hostname, expiresAt }: ActiveLease, detail: string): Observation => ({
  ip,
  mac,
  macSource: mac === '' ? '' : 'dhcp',
  vendor: '',
  ...UNPROBED,
  evidence: [{ source: 'dhcp', weight: WEIGHT, detail: mac === '' ? detail : `${detail} as ${mac}` }],
  names: hostname === '' ? [] : [{ name: hostname, source: 'dhcp' }],
  leaseExpiresAt: expiresAt,
})

type Place = { readonly networkId: string; readonly space_id: string | null; readonly detail: string }

const hasNetwork = async (tx: Ctx, { networkId, space_id }: Place): Promise<boolean> => {
  // No network is deleted or moved to another space until commit.
  await lockPlacementShared(tx)
  const there = tx.db.selectFrom('networks').select('id').where('id', '=', networkId)
  return (await there.where(matchSpace(space_id ?? DEFAULT)).executeTakeFirst()) !== undefined
}

/** Stores leases of a network. Returns the number of leases that made a device; undefined if the network is gone. */
const storeLeases = async (tx: Ctx, place: Place, some: readonly ActiveLease[]): Promise<number | undefined> => {
  if (!(await hasNetwork(tx, place))) return undefined
  const space = await findSpaceKey(tx, place)
  const observations = some.map((one) => toObservation(one, place.detail))
  const made = await ingest(tx, { ...NO_SCAN, networkId: place.networkId, space }, observations)
  const ips = new Set(some.map(({ ip }) => ip))
  return made.filter(({ addresses }) => addresses.some(({ ip }) => ips.has(ip))).length
}

type Input = ParsedInputOf<typeof leases.record>

const sum = (all: Iterable<number>): number => [...all].reduce((total, one) => total + one, 0)

export type Evidence = {
  readonly space_id: string | null
  readonly hosts: readonly ActiveLease[]
  /** The text of the evidence. @example 'has a lease' */
  readonly detail: string
}

/** Records hosts that another system knows. Returns the number of hosts that made a device, and of hosts outside of networks. */
export const recordEvidence = async (
  ctx: Ctx,
  { space_id, hosts, detail }: Evidence,
): Promise<{ readonly new: number; readonly unplaced: number }> => {
  const { byNetwork, unplaced } = await placeLeases(ctx, { space_id, leases: hosts })
  // Keyed by the first host of each batch, because a transaction may run twice.
  const [made, lost] = [new Map<string, number>(), new Map<string, number>()]
  for (const [networkId, items] of byNetwork) {
    // The hosts will be sent again, so no batch waits for the disk.
    await processInBatches(ctx, { items, options: { deferSync: true } }, async (tx, some) => {
      const stored = await storeLeases(tx, { networkId, space_id, detail }, some)
      const first = some[0]?.ip ?? ''
      made.set(first, stored ?? 0)
      lost.set(first, stored === undefined ? some.length : 0)
      return true
    })
  }
  return { new: sum(made.values()), unplaced: unplaced + sum(lost.values()) }
}

const record = async (
  readLeases: ReadLeases,
  ctx: Ctx,
  { format, text, space_id = null }: Input,
): Promise<LeasesRecorded> => {
  if (space_id !== null && !(await filterExistingSpaces(ctx, [space_id])).has(space_id))
    throw invalidField('space_id', `there is no space with id "${space_id}"`)
  const { active, leases: all, expired, errors } = await readLeases(text, { format, now: ctx.now }, ctx)
  const counts = await recordEvidence(ctx, { space_id, hosts: active, detail: HAS_LEASE })
  const updated = active.length - counts.new - counts.unplaced
  return { leases: all, active: active.length, ...counts, updated, expired, errors }
}

export const createLeaseHandlers = (readLeases: ReadLeases): Handlers<typeof leases, Tables> => ({
  record: (ctx, input) => record(readLeases, ctx, input),
})
