/** The rules of VLANs. */

import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { type ComputedValues, resourceRules } from '../../resource/rules.ts'
import type { Datacenter } from '../datacenters/api.ts'
import { type Vlan, vlans } from './api.ts'
import type { vlanFacts } from './resource.ts'
import {
  findEarlierNetworks,
  findListedNetworkIds,
  findNetworkIds,
  type NetworkIds,
  type StoredVlan,
  store,
} from './store.ts'
import { buildVlanScopeKey } from './vlan-scope.ts'

/** For the history, and for the rows of documents and files. */
export const { documents: findDocuments, findIdsByKeys, buildKey: buildNaturalKey } = store

/** Returns the values beside a document from which a past state is read. */
export const computeDerived = ({ group }: Readonly<Record<string, unknown>>) => ({ group: String(group).toLowerCase() })

const pickNetworks = ({ vlan_id, datacenter_id }: StoredVlan, ids: NetworkIds) => ({
  network_ids: [...(ids.get(buildVlanScopeKey(vlan_id, datacenter_id)) ?? [])],
})

const pickAll = (all: readonly StoredVlan[], ids: NetworkIds): ComputedValues =>
  new Map(all.map((vlan) => [vlan.id, pickNetworks(vlan, ids)]))

const MAX_GROUP = 255

/** Shortens a text without cutting a surrogate pair. */
const limitText = (text: string, max: number): string =>
  text
    .slice(0, max)
    .replace(/[\ud800-\udbff]$/, '')
    .trim()

/** The groups that a VLAN may get without its datacenter: its own first, then groups that name the datacenter. */
function* generateGroups({ name }: Datacenter, group: string): Generator<string> {
  yield group
  const named = group === '' ? name : `${group} (${name})`
  yield limitText(named, MAX_GROUP)
  for (let n = 2; ; n++) yield `${limitText(named, MAX_GROUP - ` ${n}`.length)} ${n}`
}

/** Returns the VLAN without its datacenter. Where another VLAN is equal to it then, its group names the datacenter. */
const withoutDatacenter = async (ctx: Ctx, before: StoredVlan, datacenter: Datacenter): Promise<StoredVlan> => {
  for (const group of generateGroups(datacenter, before.group)) {
    const vlan = { ...before, datacenter_id: null, group }
    const key = buildNaturalKey(vlan)
    const holder = (await findIdsByKeys(ctx, [key])).get(key)
    if (holder === undefined || holder === vlan.id) return vlan
  }
  throw new Error('the groups of a VLAN do not end')
}

const rules = resourceRules<typeof vlanFacts, StoredVlan, Vlan>(store, {
  taken: ({ vlan_id, group, datacenter_id }) => {
    const of = group === '' ? 'without a group' : `of the group "${group}"`
    const where = datacenter_id === null ? 'without a datacenter' : 'in this datacenter'
    return `A VLAN ${vlan_id} ${of} exists already ${where}`
  },
  // The deleted object is a datacenter.
  left: { datacenter_id: (ctx, vlan, gone) => withoutDatacenter(ctx, vlan, gone as Datacenter) },
  deleted: (ctx, vlan) => ctx.emit('vlan.deleted', vlan),
  computed: {
    compute: async (ctx, all) => pickAll(all, await findNetworkIds(ctx, all)),
    computeEarlier: async (ctx, all, earlier) => pickAll(all, await findEarlierNetworks(ctx, all, earlier)),
    computeListed: async (ctx, page) => {
      const ids = await findListedNetworkIds(ctx, page)
      return (vlan) => pickNetworks(vlan, ids)
    },
  },
})
export const { create, update, remove, toEventData } = rules

export const feature: Feature = { operations: implement(vlans, rules.handlers), reactions: rules.reactions }
