/** `ipam/ip-addresses`: the addresses of devices and virtual machines, and the reserved ones that none of them has. */
import { ADDRESS_STATUS, FAMILY } from '../../choices/addresses.ts'
import { CustomFields } from '../../endpoint/custom.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import { head, readOnly, times } from '../../endpoint/fields.ts'
import { getFamily, toFamily } from '../../world/addresses.ts'
import { NESTED_SETS } from '../../world/nested.ts'
import { nestInterface } from '../../world/nested-interfaces.ts'
import { prepareWorld } from '../../world/prepare.ts'
import { SPACES } from '../../world/sets.ts'
import {
  addressField,
  assignedFields,
  createCommentsField,
  createRoleField,
  descriptionField,
  display,
  dnsNameField,
  vrfField,
} from './address-fields.ts'
import { createAddressFilters } from './address-filters.ts'
import type { AddressItem } from './address-items.ts'
import { addressSource } from './address-source.ts'
import { addressWrites } from './address-writes.ts'

const custom = new CustomFields<AddressItem>('addresses', (item) => item.custom)

export const addresses: Endpoint<AddressItem> = {
  path: 'ipam/ip-addresses',
  kind: 'ipam.ipaddress',
  key: ({ key }) => key,
  brief: ['id', 'url', 'display', 'family', 'address', 'description'],
  nested: ['id', 'url', 'display', 'family', 'address', 'description', 'nat_outside'],
  fields: [
    ...head<AddressItem>({
      page: ({ held, reservation }) => (held ? `/devices/${held.device.id}` : `/pools/${reservation?.pool_id}`),
      display,
    }),
    readOnly('family', { is: 'choice', of: FAMILY, isNumber: true }, ({ ip }) => toFamily(getFamily(ip))),
    addressField,
    vrfField,
    custom.tenant(),
    custom.choice('status', ADDRESS_STATUS, { usual: 'active' }),
    createRoleField(custom),
    ...assignedFields,
    readOnly('assigned_object', 'json', ({ held }, world) => (held ? nestInterface(world, held.interface) : null)),
    custom.nothing('nat_inside', { is: 'object', of: 'ipam.ipaddress' }),
    readOnly('nat_outside', { is: 'objects', of: 'ipam.ipaddress' }, () => []),
    dnsNameField,
    descriptionField,
    custom.nothing('owner'),
    createCommentsField(custom),
    custom.tags(),
    custom.rest(),
    ...times<AddressItem>((item) => item.times),
  ],
  custom,
  source: addressSource,
  prepare: async (world) => {
    await world.readDefinitions(['addresses', 'spaces', 'tenants'])
    const fields = world.getDefinitions('addresses')
    // A write holds locks while it reads them.
    const sets = fields.size === 0 ? [SPACES] : NESTED_SETS
    await prepareWorld(world, { sets, names: fields.has('tags') ? ['extras.tag'] : [], definitions: [] })
  },
  filters: createAddressFilters(custom),
  writes: addressWrites,
}
