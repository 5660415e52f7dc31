/** `virtualization/interfaces`: the interfaces of virtual machines. */
import type { Endpoint } from '../../endpoint/endpoint.ts'
import { readOnly } from '../../endpoint/fields.ts'
import { nestDevice } from '../../world/nested.ts'
import { writeOwner } from './field-writes.ts'
import { createReads, headFields, prepareInterfaces } from './fields.ts'
import { machineInterfaceFilters } from './filters.ts'
import { createInterfaceSource } from './interface-source.ts'
import type { InterfaceItem } from './items.ts'
import { createPortFields } from './values.ts'
import { createInterfaceWrites } from './writes.ts'

const custom = createPortFields()
const fields = createReads(custom, 'virtualization.vminterface')

export const machineInterfaces: Endpoint<InterfaceItem> = {
  path: 'virtualization/interfaces',
  kind: 'virtualization.vminterface',
  key: ({ key }) => key,
  brief: ['id', 'url', 'display', 'virtual_machine', 'name', 'description'],
  nested: ['id', 'url', 'display_url', 'display', 'virtual_machine', 'name'],
  fields: [
    ...headFields,
    {
      name: 'virtual_machine',
      type: { is: 'object', of: 'virtualization.virtualmachine' },
      isRequired: true,
      read: ({ device }, world) => nestDevice(world, device),
      write: writeOwner('virtualization.virtualmachine'),
    },
    fields.name,
    fields.enabled,
    fields.parent,
    custom.nothing('bridge'),
    custom.number('mtu', { isInteger: true }),
    fields.mac,
    fields.primaryMac,
    fields.macs,
    fields.description,
    fields.mode,
    fields.untagged,
    fields.tagged,
    custom.nothing('qinq_svlan'),
    custom.nothing('vlan_translation_policy'),
    fields.vrf,
    readOnly('l2vpn_termination', 'json', () => null),
    custom.nothing('owner'),
    fields.tags,
    custom.rest(),
    ...fields.times,
    fields.addresses,
    readOnly('count_fhrp_groups', 'integer', () => 0),
  ],
  custom,
  source: createInterfaceSource(true),
  prepare: prepareInterfaces,
  filters: machineInterfaceFilters(custom),
  writes: createInterfaceWrites(custom),
}
