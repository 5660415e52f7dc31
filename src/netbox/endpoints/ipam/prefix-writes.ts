/** The writes of prefixes: of their VLAN and their name, and what makes Plat refuse them. */
import { sql } from 'kysely'
import { POOL_NAME } from '../../../inventory/addresses/claim.ts'
import type { Network } from '../../../inventory/networks/api.ts'
import { lockPlacement } from '../../../inventory/placement-lock.ts'
import { formatCidr } from '../../../net/cidr.ts'
import { lockAllDefinitions } from '../../../resource/custom/definitions.ts'
import { lockCustom } from '../../../resource/custom/engine.ts'
import { createDetail } from '../../door/errors.ts'
import type { Draft } from '../../endpoint/draft.ts'
import type { Writes } from '../../endpoint/endpoint.ts'
import { parseText } from '../../endpoint/fields.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { writePlace } from '../../endpoint/scope-fields.ts'
import { buildVlanKey, parseVlanKey } from '../../numbers/keys.ts'
import { SPACES, VLANS } from '../../world/sets.ts'
import { findVlan } from '../../world/vlans.ts'
import { hasHostBits, parseNetwork } from './cidr.ts'
import type { PrefixItem } from './prefix-items.ts'

type PrefixDraft = Draft<PrefixItem>

/** Returns the value that the network has after the write. */
const getAfter = (draft: PrefixDraft, field: 'datacenter_id' | 'space_id' | 'vlan_id' | 'subnet'): unknown =>
  draft.input[field] === undefined ? draft.item?.network[field] : draft.input[field]

const getDatacenter = (draft: PrefixDraft): string | null => (getAfter(draft, 'datacenter_id') ?? null) as string | null

export const writeSubnet = (value: unknown, draft: PrefixDraft): void => {
  const text = parseText(value, draft, { isRequired: true })
  const cidr = text === undefined ? undefined : parseNetwork(text)
  if (text === undefined) return
  if (!cidr) draft.refuse('Enter a valid IPv4 or IPv6 network, such as 10.0.0.0/24.')
  else if (hasHostBits(text, cidr)) draft.refuse(`${text} is an address of the network ${formatCidr(cidr)}`)
  else draft.set('subnet', formatCidr(cidr))
}

/** Older clients send the site in place of a scope. */
export const writePrefixSite = async (value: unknown, draft: PrefixDraft): Promise<void> => {
  if (draft.sent.scope_type === undefined && draft.sent.scope_id === undefined)
    await writePlace(value, draft, 'dcim.site')
}

/** Plat stores the number of the VLAN. The VLAN follows from it and from the scope, which is taken over before. */
export const writeVlan = async (value: unknown, draft: PrefixDraft): Promise<void> => {
  const key = await draft.resolve(RESOLVERS['ipam.vlan'], value)
  if (key === undefined) return
  if (key === null) return draft.set('vlan_id', null)
  const vlan = draft.world.get(VLANS).find(key)
  // Only interfaces may have the number yet.
  const vid = vlan?.vid ?? parseVlanKey(key)?.vid ?? 0
  const here = getDatacenter(draft)
  if ((findVlan(draft.world, vid, here)?.key ?? buildVlanKey(here, vid)) !== key)
    draft.refuse(`${vlan?.name ?? 'VLAN'} (${vid}) is not the VLAN ${vid} at the scope of the prefix`)
  else draft.set('vlan_id', vid)
}

/** The name of a network without a description is its subnet. */
export const writePrefixName = (value: unknown, draft: PrefixDraft): void => {
  const text = parseText(value, draft, {})
  const subnet = getAfter(draft, 'subnet')
  if (text === undefined) return
  if (text !== '' && text === subnet) draft.refuse('is the prefix itself; leave it empty')
  else draft.set('name', text === '' ? subnet : text)
}

/** A network that is called by its subnet is called by the new one. */
const followSubnet = (draft: PrefixDraft): void => {
  const { input, item } = draft
  if (input.name === undefined && input.subnet !== undefined && (!item || item.network.name === item.network.subnet))
    input.name = input.subnet
}

/** Keeps other writers from the same subnet until commit. @throws NetboxError for a subnet that its space has */
const refuseDuplicate = async (draft: PrefixDraft): Promise<void> => {
  const { tx, world, item } = draft
  const [subnet, space] = [String(getAfter(draft, 'subnet')), getAfter(draft, 'space_id') ?? null]
  // The operation that follows takes the same locks.
  await (item ? lockAllDefinitions(tx) : lockCustom(tx, 'networks'))
  await lockPlacement(tx)
  const same = world.ctx.db
    .selectFrom('networks')
    .select('id')
    .where('subnet', '=', subnet)
    .where(sql<boolean>`COALESCE(space_id, '') = ${space ?? ''}`)
    .where('id', '<>', item?.network.id ?? '')
  if (!(await same.limit(1).executeTakeFirst())) return
  const vrf = typeof space === 'string' ? world.get(SPACES).find(space) : undefined
  draft.refuseAt('prefix', `Duplicate prefix found in ${vrf ? `VRF ${vrf.name}` : 'global table'}: ${subnet}`)
  draft.check()
}

/** Subnets go with their pools and reservations, which NetBox keeps. @throws NetboxError 409 */
const refuseFilled = async ({ tx }: PrefixDraft, { network }: PrefixItem): Promise<void> => {
  const reserved = tx.db
    .selectFrom('reservations')
    .innerJoin('pools', 'pools.id', 'reservations.pool_id')
    .select('reservations.id')
    .where('pools.network_id', '=', network.id)
  const ranges = tx.db
    .selectFrom('pools')
    .select('id')
    .where('network_id', '=', network.id)
    .where('name', '<>', POOL_NAME)
  const isFilled =
    (await ranges.limit(1).executeTakeFirst()) !== undefined ||
    (await reserved.limit(1).executeTakeFirst()) !== undefined
  if (isFilled)
    throw createDetail(
      'IN_USE',
      `${network.subnet} has IP ranges or reserved addresses, which would go with it: delete them first`,
    )
}

export const prefixWrites: Writes<PrefixItem> = {
  create: async (draft) => {
    followSubnet(draft)
    await refuseDuplicate(draft)
    // The answer of the operation.
    return ((await draft.run('networks.create', draft.input)) as Network).id
  },
  update: async (draft, { network }) => {
    followSubnet(draft)
    const { input } = draft
    if (Object.keys(input).length === 0) return network.id
    const isMoved =
      (input.subnet !== undefined && input.subnet !== network.subnet) ||
      (input.space_id !== undefined && (input.space_id ?? undefined) !== network.space_id)
    if (isMoved) await refuseDuplicate(draft)
    await draft.run('networks.update', { ...input, id: network.id })
    return network.id
  },
  remove: async (draft, item) => {
    await refuseFilled(draft, item)
    await draft.run('networks.delete', { id: item.network.id })
  },
}
