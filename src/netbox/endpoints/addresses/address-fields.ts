/** The fields of addresses that requests write: the values go to `Draft.input` under the names of `AddressInput`. */
import { DEFAULT_SPACE, normalizeIp, parseIpKeyOrThrow } from '../../../net/ip.ts'
import { ADDRESS_ROLE } from '../../choices/addresses.ts'
import type { CustomFields } from '../../endpoint/custom.ts'
import type { Field } from '../../endpoint/field.ts'
import { parseChoice, parseText, toChoice } from '../../endpoint/fields.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { getFamily, withMask } from '../../world/addresses.ts'
import { nestVrf } from '../../world/nested.ts'
import { toInterfaceKind } from '../../world/nested-interfaces.ts'
import { NumberField } from '../../world/world.ts'
import type { AddressItem } from './address-items.ts'
import { findTarget, parseAddress } from './address-places.ts'
import { getMask } from './address-ranges.ts'
import type { AddressDraft } from './address-state.ts'

type AddressField = Field<AddressItem>

export const display = ({ ip, mask }: AddressItem): string => withMask(ip, mask)

/** An address keeps its IP and its mask. */
export const addressField: AddressField = {
  name: 'address',
  type: { is: 'string' },
  isRequired: true,
  read: display,
  order: ({ ip }) => parseIpKeyOrThrow(ip, DEFAULT_SPACE),
  write: (value, draft) => {
    const given = typeof value === 'string' ? parseAddress(value) : undefined
    if (!given) return draft.refuse('Enter a valid IPv4 or IPv6 address with optional mask.')
    const { item } = draft
    const ip = normalizeIp(given.ip) ?? given.ip
    if (!item) {
      draft.set('ip', ip)
      draft.set('mask', given.mask)
    } else if (ip !== item.ip)
      draft.refuse(`can't change from ${display(item)}: create the other address and delete this one`)
    else if (given.mask !== undefined && given.mask !== getMask(item) && given.mask !== fullMask(ip))
      draft.refuse(`has the mask of its prefix: ${display(item)}`)
  },
}

const fullMask = (ip: string): 32 | 128 => (getFamily(ip) === 6 ? 128 : 32)

export const vrfField: AddressField = {
  name: 'vrf',
  type: { is: 'object', of: 'ipam.vrf' },
  isNullable: true,
  read: ({ spaceId }, world) => nestVrf(world, spaceId),
  write: async (value, draft) => {
    const key = await draft.resolve(RESOLVERS['ipam.vrf'], value)
    if (key !== undefined) draft.set('spaceId', key)
  },
}

const TYPES = ['dcim.interface', 'virtualization.vminterface'] as const
type InterfaceType = (typeof TYPES)[number]

const isInterfaceType = (value: unknown): value is InterfaceType => TYPES.some((type) => type === value)

const isNone = (value: unknown): boolean => value === null || value === '' || value === 0

/** Takes an address off its interface, unless the request names one. */
const typeField: AddressField = {
  name: 'assigned_object_type',
  type: { is: 'string' },
  isNullable: true,
  read: ({ held }) => (held ? toInterfaceKind(held.device) : null),
  write: (value, draft) => {
    const { assigned_object_id: id } = draft.sent
    if (isNone(value)) {
      if (isNone(id ?? null)) draft.set('target', null)
      else draft.refuse('This field is required with assigned_object_id.')
    } else if (!isInterfaceType(value)) draft.refuse(`an address is on ${TYPES.join(' or ')}, and on nothing else`)
    else if (id === undefined && !isOnType(draft, value))
      draft.refuseAt('assigned_object_id', 'This field is required with assigned_object_type.')
  },
}

const isOnType = ({ item }: AddressDraft, type: InterfaceType): boolean =>
  item?.held !== undefined && toInterfaceKind(item.held.device) === type

const idField: AddressField = {
  name: 'assigned_object_id',
  type: { is: 'integer' },
  isNullable: true,
  read: ({ held }) => (held ? new NumberField(toInterfaceKind(held.device), held.interface.key) : null),
  write: async (value, draft) => {
    const { held } = draft.item ?? {}
    if (isNone(value)) {
      if (isInterfaceType(draft.sent.assigned_object_type))
        draft.refuse('This field is required with assigned_object_type.')
      else draft.set('target', null)
      return
    }
    const { assigned_object_type: type = held && toInterfaceKind(held.device) } = draft.sent
    if (!isInterfaceType(type)) {
      if (type === undefined) draft.refuseAt('assigned_object_type', 'This field is required with assigned_object_id.')
      return
    }
    const key = await draft.resolve(RESOLVERS[type], value)
    if (typeof key !== 'string' || key === held?.interface.key) return
    const target = await findTarget(draft.world, key)
    if (target) draft.set('target', target)
    else draft.refuse(`Related object not found using the provided numeric ID: ${JSON.stringify(value)}`)
  },
}

export const assignedFields = [typeField, idField]

export const createRoleField = (custom: CustomFields<AddressItem>): AddressField => {
  const own = custom.choice('role', ADDRESS_ROLE)
  return {
    ...own,
    read: (item, world) => (item.held ? toChoice(ADDRESS_ROLE, item.held.address.role) : own.read(item, world)),
    write: (value, draft) => {
      const role = parseChoice(value, draft, ADDRESS_ROLE)
      if (role !== undefined) draft.set('role', role)
    },
  }
}

export const dnsNameField: AddressField = {
  name: 'dns_name',
  type: { is: 'string' },
  read: ({ dnsName }) => dnsName,
  write: (value, draft) => {
    const name = parseText(value, draft, { max: 255 })
    // NetBox has them in lower case.
    if (name !== undefined) draft.set('dnsName', name.toLowerCase())
  },
}

const MAX_DESCRIPTION = 200

export const descriptionField: AddressField = {
  name: 'description',
  type: { is: 'string' },
  read: ({ description }) => description,
  write: (value, draft) => {
    const text = parseText(value, draft, { max: MAX_DESCRIPTION })
    if (text === undefined || text === draft.item?.description) return
    if (text.includes('\n')) draft.refuse('must be one line; comments take more')
    else draft.set('description', text)
  },
}

export const createCommentsField = (custom: CustomFields<AddressItem>): AddressField => {
  const own = custom.text('comments')
  return {
    ...own,
    read: (item, world) => item.reservation?.notes ?? own.read(item, world),
    write: (value, draft) => {
      const text = parseText(value, draft, {})
      // Clients send what they have read, and stored notes may begin or end with blanks.
      if (text !== undefined && text !== draft.item?.reservation?.notes.trim()) draft.set('comments', text)
    },
  }
}
