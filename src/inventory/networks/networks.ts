/** The rules of networks. */

import { type FieldIssue, invalidField, orNotFound, rejectIssues } from '../../contract/errors.ts'
import { runBulk } from '../../kernel/bulk/bulk-run.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { formatCidr, parseCidr } from '../../net/cidr.ts'
import { lockAllDefinitions } from '../../resource/custom/definitions.ts'
import { emitDeleted, emitDeleting } from '../../resource/deleting.ts'
import type { Restored } from '../../resource/restore-fields.ts'
import { resourceRules } from '../../resource/rules.ts'
import { filterExistingDatacenters } from '../datacenters/datacenters.ts'
import { lockPlacement } from '../placement-lock.ts'
import { findSpaceKey } from '../spaces/keys.ts'
import { checkSpace } from '../spaces/members.ts'
import { type Network, NetworkDraft, NetworkPatch, networks, type Utilization } from './api.ts'
import { list } from './list.ts'
import { listDevices } from './member-list.ts'
import { moveToSpace } from './move-to-space.ts'
import type { networkFacts } from './resource.ts'
import { findBlocks, findIdsBySubnetKey, store } from './store.ts'
import { loadUtilization, loadUtilizations } from './usage/usage.ts'

/** The data of `network.changing-subnet`: a feature with addresses inside the network refuses by adding an issue. */
export type SubnetChange = {
  readonly before: Network
  readonly after: Network
  readonly issues: FieldIssue[]
  /** Pools and devices that later steps of the transaction change, by id: they may be outside until then. */
  readonly moving: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

/** @throws AppError VALIDATION_ERROR for a pool or an address of the network that is outside its subnet */
export const requireInside = async (ctx: Ctx, id: string): Promise<void> => {
  const network = await getNetworkOrThrow(ctx, id)
  const change: SubnetChange = { before: network, after: network, issues: [], moving: NONE }
  await ctx.emit('network.changing-subnet', change)
  rejectIssues(change.issues)
}

const rules = resourceRules<typeof networkFacts, Network>(store)

/** @throws AppError NOT_FOUND */
export const getNetworkOrThrow = rules.getOrThrow

/** Finds like `getNetworkOrThrow`, and locks the network until commit. */
export const lockNetworkOrThrow = async (ctx: Ctx, id: string): Promise<Network> =>
  orNotFound(await store.lock(ctx, id), 'network', id)

/** Returns the blocks of the existing ids. Other features check their references with it. */
export const findNetworkBlocks = findBlocks
export type { Block } from './store.ts'

/** For the history. */
export const findDocuments = store.documents

const toCanonicalSubnet = (subnet: string): string => {
  const cidr = parseCidr(subnet)
  return cidr ? formatCidr(cidr) : subnet
}

const checkDatacenter = async (ctx: Ctx, id: string | null | undefined): Promise<void> => {
  if (!id) return
  const known = await filterExistingDatacenters(ctx, [id])
  if (!known.has(id)) throw invalidField('datacenter_id', `there is no datacenter with id "${id}"`)
}

export const create = async (ctx: Ctx, input: NetworkDraft & Restored): Promise<Network> => {
  await store.lockCustom(ctx)
  await lockPlacement(ctx)
  await checkDatacenter(ctx, input.datacenter_id)
  await checkSpace(ctx, input)
  await rules.steps.checkNewId(ctx, input.id)
  const network = await rules.steps.build(ctx, { ...input, subnet: toCanonicalSubnet(input.subnet) })
  await store.write(ctx, [{ after: network }])
  await ctx.emit('network.created', network)
  return network
}

/** Tells whether no other network of the space that it was in had its subnet. @param before the network before its move */
export const isOnlyWithSubnet = async (ctx: Ctx, before: Network): Promise<boolean> => {
  const key = `${await findSpaceKey(ctx, before)}${before.subnet}`
  const ids = (await findIdsBySubnetKey(ctx, [key])).get(key) ?? []
  return ids.every((id) => id === before.id)
}

const lockForChange = async (ctx: Ctx, id: string): Promise<Network> => {
  const network = await lockNetworkOrThrow(ctx, id)
  ctx.precondition(network)
  return network
}

/** @param moving as in `SubnetChange`; the caller checks them by `requireInside` at the end */
export const update = async (ctx: Ctx, { id, space_id, ...patch }: NetworkPatch, moving = NONE): Promise<Network> => {
  await lockAllDefinitions(ctx)
  if (patch.subnet !== undefined || space_id !== undefined) await lockPlacement(ctx)
  const before = await lockForChange(ctx, id)
  await checkDatacenter(ctx, patch.datacenter_id)
  await checkSpace(ctx, { space_id })
  const network = await updateFields(ctx, before, { patch, moving })
  return space_id === undefined || (space_id ?? undefined) === network.space_id
    ? network
    : moveToSpace(ctx, network, space_id)
}

type FieldsChange = { readonly patch: Omit<NetworkPatch, 'id' | 'space_id'>; readonly moving: ReadonlySet<string> }

/** Changes all fields but the space. */
const updateFields = async (ctx: Ctx, before: Network, { patch, moving }: FieldsChange): Promise<Network> => {
  const subnet = patch.subnet === undefined ? undefined : toCanonicalSubnet(patch.subnet)
  const { value, changes } = await rules.steps.merge(ctx, before, { ...patch, subnet })
  if (changes.length === 0) return before
  const network = { ...value, updated_at: ctx.now }
  if (changes.includes('subnet')) {
    const change: SubnetChange = { before, after: network, issues: [], moving }
    await ctx.emit('network.changing-subnet', change)
    rejectIssues(change.issues)
  }
  await store.write(ctx, [{ before, after: network }])
  await ctx.emit('network.updated', { network, before, changes })
  return network
}

export const remove = async (ctx: Ctx, id: string): Promise<void> => {
  await lockAllDefinitions(ctx)
  await lockPlacement(ctx)
  const network = await lockForChange(ctx, id)
  await ctx.emit('network.deleting', network)
  await emitDeleting(ctx, { resource: 'networks', objects: [network] })
  await store.write(ctx, [{ before: network }])
  await emitDeleted(ctx, { resource: 'networks', ids: [id] })
  await ctx.emit('network.deleted', network)
}

/** @throws AppError NOT_FOUND */
export const getUtilizationOrThrow = async (ctx: Ctx, id: string): Promise<Utilization> =>
  loadUtilization(ctx, await getNetworkOrThrow(ctx.unscoped, id))

/** A network with its utilization. */
type Used = Pick<Network, 'id' | 'name' | 'subnet'> & {
  /** True if other networks are in it. */
  readonly hasNetworks: boolean
  readonly utilization: Utilization
}

/** Returns every network with its utilization, by address. */
export const findAllUtilization = async (ctx: Ctx): Promise<Used[]> => {
  const computeUtilization = await loadUtilizations(ctx)
  const all = await ctx.db
    .selectFrom('networks')
    .select(['id', 'name', 'subnet', 'prefix', 'first_key', 'last_key'])
    .orderBy('first_key')
    .orderBy('prefix')
    .execute()
  return all.map(({ id, name, subnet, prefix, last_key }, i) => {
    // Networks with the same subnet stand together, and the networks in it after them.
    const next = all.slice(i + 1, i + 2)[0]
    const hasNetworks = next !== undefined && next.prefix > prefix && next.first_key <= last_key
    return { id, name, subnet, hasNetworks, utilization: computeUtilization({ id, subnet }) }
  })
}

export const feature: Feature = {
  operations: implement(networks, {
    list,
    create,
    get: rules.handlers.get,
    update,
    delete: async (ctx, { id }) => remove(ctx, id),
    devices: listDevices,
    utilization: (ctx, { id }) => getUtilizationOrThrow(ctx, id),
    bulk: async (ctx, input) =>
      runBulk(ctx, input, {
        noun: 'network',
        permissions: 'networks',
        create: { schema: NetworkDraft, run: create },
        update: { schema: NetworkPatch, run: update },
        remove,
      }),
  }),
  reactions: rules.reactions,
}
