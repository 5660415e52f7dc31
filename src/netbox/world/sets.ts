/** The small sets of objects that others name: racks, types, address spaces, VLANs, and objects of kinds. */
import type { DeviceType } from '../../inventory/device-types/api.ts'
import type { ObjectOfKind } from '../../inventory/objects/api.ts'
import type { Rack } from '../../inventory/racks/api.ts'
import type { Space } from '../../inventory/spaces/api.ts'
import { listParents, pickVlanScope } from '../../inventory/vlans/vlan-scope.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { compareNames } from '../../net/name-order.ts'
import { buildVlanKey } from '../numbers/keys.ts'
import type { Kind } from '../numbers/kinds.ts'
import { buildTypeKey, UNKNOWN } from './keys.ts'
import { matchMachines } from './machines.ts'
import { datacenters, deviceTypes, objects, racks, type StoredVlan, spaces, vlans } from './rows.ts'
import type { NamedObject, SmallSet } from './small-set.ts'

const byName = (a: NamedObject, b: NamedObject): number => compareNames(a.name, b.name) || (a.key < b.key ? -1 : 1)

export type RackMember = NamedObject & { readonly rack: Rack }

export const RACKS: SmallSet<RackMember> = {
  name: 'racks',
  tables: ['racks'],
  read: async (ctx) => {
    const rows = await racks.rows(ctx).execute()
    return rows
      .map((row): RackMember => {
        const rack = racks.fromRow(row)
        return { key: rack.id, kind: 'dcim.rack', name: rack.name, rack }
      })
      .sort(byName)
  },
}

export type SpaceMember = NamedObject & { readonly space: Space }

/** The default space is none, as the global table of NetBox is no VRF. */
export const SPACES: SmallSet<SpaceMember> = {
  name: 'spaces',
  tables: ['spaces'],
  read: async (ctx) => {
    const rows = await spaces.rows(ctx).execute()
    return rows
      .map((row): SpaceMember => {
        const space = spaces.fromRow(row)
        return { key: space.id, kind: 'ipam.vrf', name: space.name, space }
      })
      .sort(byName)
  },
}

/** A type of devices: one of Plat, or the text of devices without one. */
export type TypeMember = NamedObject & {
  readonly manufacturer: string
  readonly type: DeviceType | undefined
  /** The texts of devices that stand for the type: they differ in case. */
  readonly texts: readonly string[]
}

export const TYPES: SmallSet<TypeMember> = {
  name: 'device types',
  tables: ['device_types'],
  read: async (ctx) => {
    const rows = await deviceTypes.rows(ctx).execute()
    return rows
      .map((row): TypeMember => {
        const type = deviceTypes.fromRow(row)
        const { id, model, manufacturer, slug } = type
        return {
          key: id,
          kind: 'dcim.devicetype',
          name: model,
          ownSlug: slug || undefined,
          manufacturer,
          type,
          texts: [],
        }
      })
      .sort(byName)
  },
}

/** Returns the type that stands in for a text. */
export const toTextType = (makeModel: string): TypeMember => ({
  key: buildTypeKey(makeModel),
  kind: 'dcim.devicetype',
  name: makeModel || UNKNOWN,
  manufacturer: UNKNOWN,
  type: undefined,
  texts: [makeModel],
})

/** The texts of devices without a type. */
export const TEXT_TYPES: SmallSet<TypeMember> = {
  name: 'texts of device types',
  tables: ['devices', 'device_tags'],
  read: async (ctx) => {
    const texts = await ctx.db
      .selectFrom('devices')
      .select('make_model')
      .distinct()
      .where('device_type_id', 'is', null)
      // A virtual machine has no type.
      .where(matchMachines(false))
      .execute()
    const byKey = Map.groupBy(
      texts.map(({ make_model }) => make_model),
      buildTypeKey,
    )
    return [...byKey.values()]
      .map(([first = '', ...others]) => ({ ...toTextType(first), texts: [first, ...others] }))
      .sort(byName)
  },
}

/** A VLAN, or a number that networks or ports use without one. */
export type VlanMember = NamedObject & {
  readonly vid: number
  readonly datacenterId: string | null
  readonly vlan: StoredVlan | undefined
}

/** Returns the VLANs of numbers at places. @returns the key of the VLAN of a number at a datacenter */
const findNumbersWithout = async (ctx: Ctx, all: readonly StoredVlan[]): Promise<VlanMember[]> => {
  const used = await ctx.db
    .selectFrom('networks')
    .select(['vlan_id', 'datacenter_id'])
    .distinct()
    .where('vlan_id', 'is not', null)
    .execute()
  const parents = listParents((await datacenters.rows(ctx).execute()).map((row) => datacenters.fromRow(row)))
  const named = new Set(all.map(({ vlan_id, datacenter_id }) => `${vlan_id} ${datacenter_id ?? ''}`))
  return used.flatMap((one) => {
    const { vlan_id: vid, datacenter_id: datacenterId } = one
    if (vid === null || pickVlanScope({ vlan_id: vid, datacenter_id: datacenterId }, named, parents)) return []
    const key = buildVlanKey(datacenterId, vid)
    return [{ key, kind: 'ipam.vlan', name: `VLAN ${vid}`, vid, datacenterId, vlan: undefined }]
  })
}

export const VLANS: SmallSet<VlanMember> = {
  name: 'VLANs',
  tables: ['vlans', 'networks', 'datacenters'],
  read: async (ctx) => {
    const all = (await vlans.rows(ctx).execute()).map((row) => vlans.fromRow(row))
    const own = all.map((vlan): VlanMember => {
      const { id, name, vlan_id: vid, datacenter_id: datacenterId } = vlan
      return { key: id, kind: 'ipam.vlan', name, vid, datacenterId, vlan }
    })
    const others = await findNumbersWithout(ctx, all)
    return [...own, ...others].sort((a, b) => a.vid - b.vid || byName(a, b))
  },
}

export type ObjectMember = NamedObject & { readonly object: ObjectOfKind }

/** @param kindId of the kind in Plat, which may not be defined */
const createObjectSet = (kind: Kind, kindId: string): SmallSet<ObjectMember> => ({
  name: kindId,
  tables: ['objects', 'kinds'],
  read: async (ctx) => {
    const rows = await objects.rows(ctx).where('kind_id', '=', kindId).execute()
    return rows
      .map((row): ObjectMember => {
        const object = objects.fromRow(row)
        const { slug } = object.custom ?? {}
        return {
          key: object.id,
          kind,
          name: object.name,
          ownSlug: typeof slug === 'string' ? slug : undefined,
          parentKey: object.parent_id,
          object,
        }
      })
      .sort(byName)
  },
})

export const TENANTS = createObjectSet('tenancy.tenant', 'tenants')
export const CLUSTERS = createObjectSet('virtualization.cluster', 'clusters')
