/** The writes of VLANs. One that is only a number becomes a VLAN by its first write, and keeps its number here. */

import type { vlanFacts } from '../../../inventory/vlans/resource.ts'
import type { ObjectOf } from '../../../resource/crud.ts'
import { createDetail } from '../../door/errors.ts'
import { resolveName } from '../../endpoint/custom.ts'
import type { Draft } from '../../endpoint/draft.ts'
import type { Writes } from '../../endpoint/endpoint.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { moveKey } from '../../numbers/numbers.ts'
import { UNASSIGNED_KEY } from '../../world/keys.ts'
import { findNearest, PLACES } from '../../world/places.ts'
import { VLANS, type VlanMember } from '../../world/sets.ts'
import type { Member } from '../../world/small-set.ts'
import type { World } from '../../world/world.ts'
import { refuseTaken } from './taken.ts'

export type VlanItem = Member<VlanMember>
type VlanDraft = Draft<VlanItem>
type Vlan = ObjectOf<typeof vlanFacts>

/** A VLAN may be in a place of its site, which stays. */
export const writeVlanSite = async (value: unknown, draft: VlanDraft): Promise<void> => {
  const resolved = await draft.resolve(RESOLVERS['dcim.site'], value)
  if (resolved === undefined) return
  const key = resolved === UNASSIGNED_KEY ? null : resolved
  const present = draft.item && findNearest(draft.world.get(PLACES), draft.item.datacenterId, 'dcim.site')?.key
  if (!draft.item || key !== (present ?? null)) draft.set('datacenter_id', key)
}

export const writeGroup = async (value: unknown, draft: VlanDraft): Promise<void> => {
  const group = await resolveName(draft, RESOLVERS['ipam.vlangroup'], value)
  if (group !== undefined) draft.set('group', group ?? '')
}

/** The field that is unique in a site and a group. */
const UNIQUE = 'vid'

/** Returns what uses a number without a VLAN. */
const getUsers = (world: World, key: string) =>
  world.get(VLANS).find(key) ? { users: 'Networks', at: 'prefixes' } : { users: 'Interfaces', at: 'interfaces' }

/** Makes a VLAN of a number that networks or ports use. */
const nameNumber = async (draft: VlanDraft, item: VlanItem): Promise<string> => {
  const { input, tx } = draft
  const { vid, name, datacenterId, key } = item
  const own = { vlan_id: vid, name, datacenter_id: datacenterId }
  const changed = Object.entries(input).filter(([field, value]) => {
    const { [field]: before = '' } = own as Readonly<Record<string, unknown>>
    return value !== before
  })
  if (changed.length === 0) return key
  const { users, at } = getUsers(draft.world, key)
  for (const [field, name] of [
    ['vlan_id', 'vid'],
    ['datacenter_id', 'site'],
  ] as const)
    if (changed.some(([one]) => one === field))
      draft.refuseAt(name, `${users} use the number ${vid} there: change it at the ${at}`)
  draft.check()
  // The answer of the operation.
  const made = (await refuseTaken(UNIQUE, () => draft.run('vlans.create', { ...own, ...input }))) as Vlan
  await moveKey(tx, 'ipam.vlan', key, made.id)
  return made.id
}

export const vlanWrites: Writes<VlanItem> = {
  // The answer of the operation.
  create: async (draft) => ((await refuseTaken(UNIQUE, () => draft.run('vlans.create', draft.input))) as Vlan).id,
  update: async (draft, item) => {
    if (!item.vlan) return nameNumber(draft, item)
    if (Object.keys(draft.input).length > 0)
      await refuseTaken(UNIQUE, () => draft.run('vlans.update', { ...draft.input, id: item.key }))
    return item.key
  },
  remove: async (draft, { vlan, vid, key }) => {
    if (!vlan)
      throw createDetail('IN_USE', `${getUsers(draft.world, key).users} use the VLAN ${vid}: change them first`)
    await draft.run('vlans.delete', { id: key })
  },
}
