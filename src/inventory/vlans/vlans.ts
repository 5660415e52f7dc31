/** The rules of VLANs. */

import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import type { ObjectOf } from '../../resource/crud.ts'
import { resourceRules } from '../../resource/rules.ts'
import { objectStore } from '../../resource/store.ts'
import type { Datacenter } from '../datacenters/api.ts'
import { vlans } from './api.ts'
import { findNetworkIds } from './network-ids.ts'
import { takeNextNumber } from './next-number.ts'
import { vlanFacts } from './resource.ts'
import { buildVlanScopeKey } from './vlan-scope.ts'

type Vlan = ObjectOf<typeof vlanFacts>
/** A VLAN without its networks, which follow from theirs. */
type StoredVlan = Omit<Vlan, 'network_ids'>

const store = objectStore<typeof vlanFacts, StoredVlan>(vlanFacts)

const MAX_GROUP = vlanFacts.fields.group.max

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
    const key = store.buildKey(vlan)
    const holder = (await store.findIdsByKeys(ctx, [key])).get(key)
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
  compute: async (ctx, of) => {
    const ids = await findNetworkIds(ctx, of)
    return ({ vlan_id, datacenter_id }) => ({ network_ids: ids.get(buildVlanScopeKey(vlan_id, datacenter_id)) ?? [] })
  },
})
export const { toEventData } = rules

const { list, get, update, delete: remove } = rules.handlers

export const feature: Feature = {
  operations: implement(vlans, {
    list,
    get,
    update,
    delete: remove,
    create: async (ctx, input) => {
      const { vlan_id, datacenter_id, group } = input
      const number =
        typeof vlan_id === 'string' ? await takeNextNumber(ctx, vlan_id, { datacenter_id, group }) : vlan_id
      return rules.create(ctx, { ...input, vlan_id: number })
    },
  }),
  reactions: rules.reactions,
}
