/** `ipam/ip-addresses`: the addresses of devices and virtual machines, and the reserved ones that none of them has. */
import { DEFAULT_SPACE, parseIpKeyOrThrow } from '../../../net/ip.ts'
import { ADDRESS_ROLE, ADDRESS_STATUS, FAMILY } from '../../choices/addresses.ts'
import { CustomFields } from '../../endpoint/custom.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import type { Field } from '../../endpoint/field.ts'
import { head, readOnly, times, toChoice } from '../../endpoint/fields.ts'
import { getFamily, toFamily, withMask } from '../../world/addresses.ts'
import { TAGS } from '../../world/names.ts'
import { NESTED_SETS, nestVrf } from '../../world/nested.ts'
import { nestInterface, toInterfaceKind } from '../../world/nested-interfaces.ts'
import { prepareWorld } from '../../world/prepare.ts'
import { NumberField } from '../../world/world.ts'
import { createAddressFilters } from './address-filters.ts'
import type { AddressItem } from './address-items.ts'
import { addressSource } from './address-source.ts'

const custom = new CustomFields<AddressItem>('addresses', (item) => item.custom)

const display = ({ ip, mask }: AddressItem): string => withMask(ip, mask)

const orderByIp = ({ ip }: AddressItem): string => parseIpKeyOrThrow(ip, DEFAULT_SPACE)

const role = custom.choice('role', ADDRESS_ROLE)
const comments = custom.text('comments')

const roleField: Field<AddressItem> = {
  ...role,
  read: (item, world) => (item.held ? toChoice(ADDRESS_ROLE, item.held.address.role) : role.read(item, world)),
}

const commentsField: Field<AddressItem> = {
  ...comments,
  read: (item, world) => item.reservation?.notes ?? comments.read(item, world),
}

export const addresses: Endpoint<AddressItem> = {
  path: 'ipam/ip-addresses',
  kind: 'ipam.ipaddress',
  key: ({ key }) => key,
  brief: ['id', 'url', 'display', 'family', 'address', 'description'],
  fields: [
    ...head<AddressItem>({
      page: ({ held, reservation }) => (held ? `/devices/${held.device.id}` : `/pools/${reservation?.pool_id}`),
      display,
    }),
    readOnly('family', { is: 'choice', of: FAMILY, isNumber: true }, ({ ip }) => toFamily(getFamily(ip))),
    { name: 'address', type: { is: 'string' }, isRequired: true, read: display, order: orderByIp },
    {
      name: 'vrf',
      type: { is: 'object', of: 'ipam.vrf' },
      isNullable: true,
      read: ({ spaceId }, world) => nestVrf(world, spaceId),
    },
    custom.tenant(),
    custom.choice('status', ADDRESS_STATUS, { usual: 'active' }),
    roleField,
    {
      name: 'assigned_object_type',
      type: { is: 'string' },
      isNullable: true,
      read: ({ held }) => (held ? toInterfaceKind(held.device) : null),
    },
    {
      name: 'assigned_object_id',
      type: { is: 'integer' },
      isNullable: true,
      read: ({ held }) => (held ? new NumberField(toInterfaceKind(held.device), held.interface.key) : null),
    },
    readOnly('assigned_object', 'json', ({ held }, world) => (held ? nestInterface(world, held.interface) : null)),
    custom.nothing('nat_inside', { is: 'object', of: 'ipam.ipaddress' }),
    readOnly('nat_outside', { is: 'objects', of: 'ipam.ipaddress' }, () => []),
    { name: 'dns_name', type: { is: 'string' }, read: ({ dnsName }) => dnsName },
    { name: 'description', type: { is: 'string' }, read: ({ description }) => description },
    custom.nothing('owner'),
    commentsField,
    custom.tags(),
    custom.rest(),
    ...times<AddressItem>((item) => item.times),
  ],
  custom,
  source: addressSource,
  prepare: (world) =>
    prepareWorld(world, {
      sets: [...NESTED_SETS, TAGS],
      names: ['extras.tag'],
      definitions: ['addresses', 'spaces', 'tenants'],
    }),
  filters: createAddressFilters(custom),
}
