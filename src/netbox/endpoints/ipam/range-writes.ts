/** The writes of ranges. */

import { POOL_NAME } from '../../../inventory/addresses/claim.ts'
import { listSubnetKeysAround } from '../../../inventory/networks/membership.ts'
import { lockPlacement } from '../../../inventory/placement-lock.ts'
import type { Pool } from '../../../inventory/pools/api.ts'
import { findSpaceKey } from '../../../inventory/spaces/keys.ts'
import { cidrHolds, parseCidrOrThrow } from '../../../net/cidr.ts'
import { compareIp, formatIp, getAddressBits, type Ip, type SpaceKey, toIpKey } from '../../../net/ip.ts'
import { lockAllDefinitions } from '../../../resource/custom/definitions.ts'
import { lockCustom } from '../../../resource/custom/engine.ts'
import type { Draft } from '../../endpoint/draft.ts'
import type { Writes } from '../../endpoint/endpoint.ts'
import { parseText } from '../../endpoint/fields.ts'
import { SPACES } from '../../world/sets.ts'
import { parseInterface } from './cidr.ts'
import { buildRangeName } from './range-filters.ts'
import type { RangeItem } from './range-items.ts'

type RangeDraft = Draft<RangeItem>
type End = 'start' | 'end'

export const writeEnd =
  (end: End) =>
  (value: unknown, draft: RangeDraft): void => {
    const text = parseText(value, draft, { isRequired: true })
    if (text === undefined) return
    const parsed = parseInterface(text)
    if (parsed) draft.set(`${end}_ip`, formatIp(parsed.ip))
    else draft.refuse('Enter a valid IPv4 or IPv6 address (with CIDR mask).')
  }

/** A range is in the VRF of its network, which never changes. */
export const writeVrf = (key: string | null, draft: RangeDraft): void => {
  if (!draft.item) draft.set('space_id', key)
  else if (key !== draft.item.spaceId) draft.refuse('does not change: a range is in the VRF of its prefix')
}

export const writeRangeName = (value: unknown, draft: RangeDraft): void => {
  const text = parseText(value, draft, {})
  if (text !== undefined) draft.set('name', text)
}

/** A description that names the addresses would read back as none. */
const checkName = (draft: RangeDraft, range: Pick<Pool, 'start_ip' | 'end_ip'>): void => {
  if (draft.input.name === buildRangeName(range)) draft.refuseAt('description', 'is the range itself; leave it empty')
}

type Bounds = { readonly start: Ip; readonly end: Ip }

/** Returns the ends of the range after the write. */
const readBounds = ({ input, item }: RangeDraft): Bounds => {
  const [start, end] = [input.start_ip ?? item?.pool.start_ip, input.end_ip ?? item?.pool.end_ip].map(
    (text) => parseInterface(String(text))?.ip,
  )
  // The fields of a whole range are there, and checked.
  if (!start || !end) throw new Error('a range has two ends')
  return { start, end }
}

type Network = { readonly id: string; readonly subnet: string }

/** Returns the smallest network of the space that holds the range. */
const findNetwork = async (
  { world }: RangeDraft,
  space: SpaceKey,
  { start, end }: Bounds,
): Promise<Network | undefined> => {
  const rows = await world.ctx.db
    .selectFrom('networks')
    .select(['id', 'subnet'])
    .where('subnet_key', 'in', listSubnetKeysAround(toIpKey(start, space)))
    .orderBy('prefix', 'desc')
    .orderBy('id')
    .execute()
  return rows.find(({ subnet }) => cidrHolds(parseCidrOrThrow(subnet), end))
}

/** A mask may be left out; else it is that of the network, or of an address. */
const checkMask = (draft: RangeDraft, end: End, { subnet }: Network): void => {
  const field = `${end}_address`
  const parsed = parseInterface(String(draft.sent[field] ?? ''))
  const { prefix } = parseCidrOrThrow(subnet)
  if (!parsed || parsed.mask === undefined || parsed.mask === prefix) return
  if (parsed.mask !== getAddressBits(parsed.ip.family))
    draft.refuseAt(field, `has the mask of its prefix ${subnet}, which is /${prefix}`)
}

const checkOrder = (draft: RangeDraft, { start, end }: Bounds): void => {
  if (start.family !== end.family) draft.refuseAt('end_address', 'Starting and ending IP address versions must match')
  else if (compareIp(start, end) > 0)
    draft.refuseAt('end_address', `Ending address must be greater than the starting address (${formatIp(start)})`)
  draft.check()
}

/** Ranges of one VRF do not overlap, but for the pool that stands in for addresses in no range. */
const checkOverlap = async (draft: RangeDraft, space: SpaceKey, { start, end }: Bounds): Promise<void> => {
  const { world, item } = draft
  const other = await world.ctx.db
    .selectFrom('pools')
    .select(['start_ip', 'end_ip', 'network_id'])
    .where('start_key', '<=', toIpKey(end, space))
    .where('end_key', '>=', toIpKey(start, space))
    .where('name', '<>', POOL_NAME)
    .where('id', '<>', item?.pool.id ?? '')
    .limit(1)
    .executeTakeFirst()
  if (!other) return
  const key = item ? item.spaceId : draft.input.space_id
  const vrf = typeof key === 'string' ? world.get(SPACES).find(key) : undefined
  const where = vrf ? `VRF ${vrf.name}` : 'the global table'
  draft.refuseAt('start_address', `Defined addresses overlap with range ${buildRangeName(other)} in ${where}`)
}

/** Keeps networks and pools as they are until commit. */
const lockRanges = async ({ tx, item }: RangeDraft): Promise<void> => {
  // The operation that follows does the same.
  await (item ? lockAllDefinitions(tx) : lockCustom(tx, 'pools'))
  await lockPlacement(tx)
}

export const rangeWrites: Writes<RangeItem> = {
  create: async (draft) => {
    const bounds = readBounds(draft)
    checkOrder(draft, bounds)
    await lockRanges(draft)
    const { space_id = null, ...input } = draft.input
    const space = await findSpaceKey(draft.tx, { space_id: space_id as string | null })
    const network = await findNetwork(draft, space, bounds)
    if (network) for (const end of ['start', 'end'] as const) checkMask(draft, end, network)
    else draft.refuseAt('start_address', 'No prefix of the VRF holds the range: create the prefix first')
    await checkOverlap(draft, space, bounds)
    const range = { start_ip: formatIp(bounds.start), end_ip: formatIp(bounds.end) }
    checkName(draft, range)
    draft.check()
    const name = input.name || buildRangeName(range)
    // The answer of the operation.
    return ((await draft.run('pools.create', { ...input, name, network_id: network?.id })) as Pool).id
  },
  update: async (draft, item) => {
    const { input } = draft
    const { pool } = item
    if (Object.keys(input).length === 0) return pool.id
    const bounds = readBounds(draft)
    const now = { start_ip: formatIp(bounds.start), end_ip: formatIp(bounds.end) }
    if (now.start_ip !== pool.start_ip || now.end_ip !== pool.end_ip) {
      checkOrder(draft, bounds)
      await lockRanges(draft)
      await checkOverlap(draft, await findSpaceKey(draft.tx, { space_id: item.spaceId }), bounds)
    }
    for (const end of ['start', 'end'] as const)
      checkMask(draft, end, { id: pool.network_id, subnet: `${pool.start_ip}/${item.mask}` })
    checkName(draft, now)
    draft.check()
    const isNamed = input.name !== undefined ? input.name !== '' : pool.name !== buildRangeName(pool)
    await draft.run('pools.update', { ...input, ...(!isNamed && { name: buildRangeName(now) }), id: pool.id })
    return pool.id
  },
  remove: async (draft, { pool }) => {
    await draft.run('pools.delete', { id: pool.id })
  },
}
