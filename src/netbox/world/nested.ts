/** The nested forms of objects, as other objects show them: in the fields and the order of NetBox 4.5. */
import { toNameSlug } from '../../net/slug.ts'
import type { NameAttributes } from '../numbers/names.ts'
import * as counters from './counters.ts'
import { UNASSIGNED, UNASSIGNED_KEY } from './keys.ts'
import { isMachine } from './machines.ts'
import { findNearest, PLACES, type Place, type PlaceKind } from './places.ts'
import {
  CLUSTERS,
  type ObjectMember,
  RACKS,
  SPACES,
  TENANTS,
  TYPES,
  type TypeMember,
  toTextType,
  VLANS,
  type VlanMember,
} from './sets.ts'
import type { Member, SmallSet } from './small-set.ts'
import type { Numbered, Shape, World } from './world.ts'

/** The sets that the nested forms of this file need. */
export const NESTED_SETS = [PLACES, RACKS, SPACES, TENANTS, CLUSTERS, TYPES, VLANS] as const

/** NetBox's own default of tags and roles. */
export const USUAL_COLOR = '9e9e9e'

/** The longest description of NetBox. */
const MAX_DESCRIPTION = 200

/** Returns the first line of a text, as far as NetBox's descriptions go; its comments have the rest. */
export const toDescription = (text: string): string => {
  // Most texts are short.
  if (text.length <= MAX_DESCRIPTION && !text.includes('\n')) return text.trim()
  const [line = ''] = text.split('\n', 1)
  return [...line].slice(0, MAX_DESCRIPTION).join('').trim()
}

/** Returns the part of a text that is behind its description. */
export const toComments = (text: string): string =>
  text.length <= MAX_DESCRIPTION && !text.includes('\n')
    ? ''
    : text.slice(toDescription(text).length).replace(/^\n/, '')

const describe = (attributes: NameAttributes | undefined): string => attributes?.description ?? ''

export const nestRole = (world: World, text: string): Numbered | null =>
  world.nestName('dcim.devicerole', text || UNASSIGNED.name, (attributes) => ({
    fields: { description: describe(attributes), device_count: 0, virtualmachine_count: 0, _depth: 0 },
    counts: { device_count: counters.ROLE_DEVICES, virtualmachine_count: counters.ROLE_MACHINES },
  }))

export const nestPlatform = (world: World, text: string): Numbered | null =>
  world.nestName('dcim.platform', text, (attributes) => ({
    fields: { description: describe(attributes), device_count: 0, virtualmachine_count: 0, _depth: 0 },
    counts: { device_count: counters.PLATFORM_DEVICES, virtualmachine_count: counters.PLATFORM_MACHINES },
  }))

export const nestManufacturer = (world: World, text: string): Numbered | null =>
  world.nestName('dcim.manufacturer', text, (attributes) => ({ fields: { description: describe(attributes) } }))

export const nestNetworkRole = (world: World, text: string): Numbered | null =>
  world.nestName('ipam.role', text, (attributes) => ({
    fields: { description: describe(attributes), prefix_count: 0, vlan_count: 0 },
    counts: { prefix_count: counters.NETWORK_ROLE_PREFIXES, vlan_count: counters.NETWORK_ROLE_VLANS },
  }))

export const nestVlanGroup = (world: World, text: string): Numbered | null =>
  world.nestName('ipam.vlangroup', text, (attributes) => ({
    fields: { description: describe(attributes), vlan_count: 0 },
    counts: { vlan_count: counters.GROUP_VLANS },
  }))

export const nestTag = (world: World, text: string): Numbered | null =>
  world.nestName('extras.tag', text, (attributes) => ({
    page: world.links.page('/devices'),
    fields: { color: attributes?.color ?? USUAL_COLOR },
  }))

const nestMember = <T extends { readonly key: string; readonly kind: Place['kind'] | TypeMember['kind'] }>(
  world: World,
  member: Member<T & { readonly name: string }> | undefined,
  shape: (member: Member<T & { readonly name: string }>) => Shape,
): Numbered | null => (member ? world.nest(member.kind, member.key, () => shape(member)) : null)

const describePlace = ({ datacenter }: Place): string => toDescription(datacenter.description)

/** The site of an object, by its datacenter: the nearest site there or above; `Unassigned` for an object in none. */
export const nestSiteAt = (world: World, datacenterId: string | null | undefined): Numbered => {
  const place = findNearest(world.get(PLACES), datacenterId, 'dcim.site')
  return place ? nestSite(world, place) : nestUnassigned(world)
}

/** Returns the same, but null for an object in no site. */
export const nestSiteIfAny = (world: World, datacenterId: string | null | undefined): Numbered | null => {
  const place = findNearest(world.get(PLACES), datacenterId, 'dcim.site')
  return place ? nestSite(world, place) : null
}

const asMade = (made: Numbered | null): Numbered => {
  if (!made) throw new Error('an object with a shape has a nested form')
  return made
}

export const nestSite = (world: World, place: Member<Place>): Numbered =>
  asMade(
    world.nest('dcim.site', place.key, () => ({
      fields: { display: place.name, name: place.name, slug: place.slug, description: describePlace(place) },
    })),
  )

const nestUnassigned = (world: World): Numbered =>
  asMade(
    world.nest('dcim.site', UNASSIGNED_KEY, () => {
      const { name, slug } = UNASSIGNED
      return { fields: { display: name, name, slug, description: '' } }
    }),
  )

/** Counts the sites of a region or site group, and of all below it. */
export const countSites = (world: World, place: Place): number =>
  world
    .get(PLACES)
    .listBelow(place.key)
    .filter(({ kind }) => kind === 'dcim.site').length

/** Counts the racks of a location and of all below it. */
export const countRacks = (world: World, place: Place): number => {
  const below = new Set(
    world
      .get(PLACES)
      .listBelow(place.key)
      .map(({ key }) => key),
  )
  return world.get(RACKS).all.filter(({ rack }) => rack.datacenter_id !== null && below.has(rack.datacenter_id)).length
}

/** The number of places of the same kind above a place. */
export const computeDepth = (world: World, place: Place): number => {
  const [, ...above] = world.get(PLACES).listUpwards(place.key)
  const other = above.findIndex(({ kind }) => kind !== place.kind)
  return other === -1 ? above.length : other
}

const COUNTED: Readonly<Partial<Record<PlaceKind, { field: string; count: (world: World, place: Place) => number }>>> =
  {
    'dcim.region': { field: 'site_count', count: countSites },
    'dcim.sitegroup': { field: 'site_count', count: countSites },
    'dcim.location': { field: 'rack_count', count: countRacks },
  }

/** A region, site group or location. */
export const nestPlace = (world: World, place: Member<Place> | undefined): Numbered | null => {
  if (!place) return null
  const counted = COUNTED[place.kind]
  return world.nest(place.kind, place.key, () => ({
    fields: {
      display: place.name,
      name: place.name,
      slug: place.slug,
      description: describePlace(place),
      ...(counted && { [counted.field]: counted.count(world, place) }),
      _depth: computeDepth(world, place),
    },
  }))
}

/** The form of the parent of a region, site group or location. */
export const nestParent = (world: World, place: Member<Place> | undefined): Numbered | null => {
  if (!place) return null
  const counted = COUNTED[place.kind]
  const shape = (): Shape => ({
    fields: {
      display_url: world.links.page(`/datacenters/${place.key}`),
      display: place.name,
      name: place.name,
      slug: place.slug,
      ...(counted && { [counted.field]: counted.count(world, place) }),
      _depth: computeDepth(world, place),
    },
  })
  return world.nest(place.kind, place.key, shape, 'parent')
}

/** The nested form of a datacenter, as the scope of a prefix. */
export const nestScope = (world: World, datacenterId: string | null): Numbered | null => {
  const place = world.get(PLACES).find(datacenterId)
  if (!place) return null
  return place.kind === 'dcim.site' ? nestSite(world, place) : nestPlace(world, place)
}

export const nestRack = (world: World, rackId: string | null | undefined): Numbered | null =>
  nestMember(world, world.get(RACKS).find(rackId), ({ name, rack }) => ({
    fields: { display: name, name, description: toDescription(rack.description), device_count: 0 },
    counts: { device_count: counters.RACK_DEVICES },
  }))

export const nestVrf = (world: World, spaceId: string | null | undefined): Numbered | null =>
  nestMember(world, world.get(SPACES).find(spaceId), ({ name, space }) => {
    const rd = getRd(space)
    const display = rd === null ? name : `${name} (${rd})`
    return {
      fields: { display, name, rd, description: toDescription(space.description), prefix_count: 0 },
      counts: { prefix_count: counters.SPACE_PREFIXES },
    }
  })

/** The route distinguisher of a space, by its custom field `rd`. */
export const getRd = ({
  custom,
}: {
  readonly custom?: Readonly<Record<string, unknown>> | undefined
}): string | null => (typeof custom?.rd === 'string' ? custom.rd : null)

const nestObject = (
  world: World,
  set: SmallSet<ObjectMember>,
  id: unknown,
  shape: (member: Member<ObjectMember>) => Shape,
): Numbered | null => {
  const member = typeof id === 'string' ? world.get(set).find(id) : undefined
  return member ? world.nest(member.kind, member.key, () => shape(member)) : null
}

/** @param id the value of a custom field `tenant` */
export const nestTenant = (world: World, id: unknown): Numbered | null =>
  nestObject(world, TENANTS, id, ({ name, slug, object }) => ({
    fields: { display: name, name, slug, description: toDescription(object.description) },
  }))

/** @param id the value of a custom field `cluster` */
export const nestCluster = (world: World, id: unknown): Numbered | null =>
  nestObject(world, CLUSTERS, id, ({ name, object }) => ({
    fields: { display: name, name, description: toDescription(object.description), virtualmachine_count: 0 },
    counts: { virtualmachine_count: counters.CLUSTER_MACHINES },
  }))

/** The type of a device, or its text in place of one. */
export const nestType = (
  world: World,
  {
    device_type_id: id,
    make_model: text,
  }: { readonly device_type_id?: string | undefined; readonly make_model: string },
): Numbered | null => {
  const own = world.get(TYPES).find(id)
  if (own) return world.nest('dcim.devicetype', own.key, () => shapeType(world, own))
  // A type that the caller may not see is as none.
  const other = toTextType(id === undefined ? text : '')
  return world.nest('dcim.devicetype', other.key, () =>
    shapeType(world, { ...other, slug: toTextSlug(world, other.name) }),
  )
}

/** The slug of a type that is a text; types of Plat come before it. */
export const toTextSlug = (world: World, name: string): string => {
  const slug = toNameSlug(name)
  return world.get(TYPES).all.some((type) => type.slug === slug) ? `${slug}-text` : slug
}

export const shapeType = (world: World, type: TypeMember & { readonly slug: string }): Shape => ({
  fields: {
    display: type.name,
    manufacturer: nestManufacturer(world, type.manufacturer),
    model: type.name,
    slug: type.slug,
    description: toDescription(type.type?.description ?? ''),
    device_count: 0,
  },
  counts: { device_count: counters.TYPE_DEVICES },
})

export const nestVlan = (world: World, vlan: Member<VlanMember> | undefined): Numbered | null =>
  vlan
    ? world.nest('ipam.vlan', vlan.key, () => ({
        fields: {
          display: `${vlan.name} (${vlan.vid})`,
          vid: vlan.vid,
          name: vlan.name,
          description: toDescription(vlan.vlan?.description ?? ''),
        },
      }))
    : null

/** The parts of a device that its nested forms show. */
export type ShownDevice = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly asset_tag?: string | undefined
  readonly tags: readonly string[]
}

export const displayDevice = (device: ShownDevice): string =>
  device.asset_tag && !isMachine(device) ? `${device.name} (${device.asset_tag})` : device.name

/** A device or a virtual machine. */
export const nestDevice = (world: World, device: ShownDevice): Numbered =>
  asMade(
    world.nest(isMachine(device) ? 'virtualization.virtualmachine' : 'dcim.device', device.id, () => ({
      fields: { display: displayDevice(device), name: device.name, description: toDescription(device.description) },
    })),
  )

/** The form of a device in the nested form of its interfaces. */
export const nestOwner = (world: World, device: ShownDevice): Numbered =>
  asMade(
    world.nest(
      isMachine(device) ? 'virtualization.virtualmachine' : 'dcim.device',
      device.id,
      () => ({
        fields: {
          display_url: world.links.page(`/devices/${device.id}`),
          display: displayDevice(device),
          name: device.name,
        },
      }),
      'owner',
    ),
  )
