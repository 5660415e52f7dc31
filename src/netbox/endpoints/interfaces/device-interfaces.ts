/** `dcim/interfaces`: the interfaces of devices that are no virtual machines. */
import { DUPLEX, INTERFACE_TYPE, POE_MODE, POE_TYPE } from '../../choices/interfaces.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import { readOnly, toChoice } from '../../endpoint/fields.ts'
import { nestDevice } from '../../world/nested.ts'
import { nestCable, toInterfaceKind } from '../../world/nested-interfaces.ts'
import { KBPS, writeOwner, writeSpeed, writeType } from './field-writes.ts'
import { createReads, headFields, nestEnd, prepareInterfaces } from './fields.ts'
import { deviceInterfaceFilters } from './filters.ts'
import { createInterfaceSource } from './interface-source.ts'
import type { InterfaceItem } from './items.ts'
import { createPortFields, isOccupied, readInterfaceType } from './values.ts'
import { createInterfaceWrites } from './writes.ts'

const custom = createPortFields()
const fields = createReads(custom, 'dcim.interface')
const markConnected = custom.flag('mark_connected')

export const deviceInterfaces: Endpoint<InterfaceItem> = {
  path: 'dcim/interfaces',
  kind: 'dcim.interface',
  key: ({ key }) => key,
  brief: ['id', 'url', 'display', 'device', 'name', 'description', 'cable', '_occupied'],
  nested: ['id', 'url', 'display_url', 'display', 'device', 'name', 'cable', '_occupied'],
  fields: [
    ...headFields,
    {
      name: 'device',
      type: { is: 'object', of: 'dcim.device' },
      isRequired: true,
      read: ({ device }, world) => nestDevice(world, device),
      write: writeOwner('dcim.device'),
    },
    custom.nothing('vdcs', { is: 'json' }, []),
    custom.nothing('module'),
    fields.name,
    custom.text('label'),
    {
      name: 'type',
      type: { is: 'choice', of: INTERFACE_TYPE },
      isRequired: true,
      read: (item) => toChoice(INTERFACE_TYPE, readInterfaceType(item)),
      write: writeType,
    },
    fields.enabled,
    fields.parent,
    custom.nothing('bridge'),
    readOnly('bridge_interfaces', 'json', () => []),
    fields.lag,
    custom.number('mtu', { isInteger: true }),
    fields.mac,
    fields.primaryMac,
    fields.macs,
    {
      name: 'speed',
      type: { is: 'integer' },
      isNullable: true,
      read: ({ port }) => (port?.speed_mbps ? port.speed_mbps * KBPS : null),
      write: writeSpeed,
    },
    custom.choice('duplex', DUPLEX),
    custom.text('wwn', { usual: null, isNullable: true }),
    custom.flag('mgmt_only'),
    fields.description,
    fields.mode,
    custom.nothing('rf_role'),
    custom.nothing('rf_channel'),
    custom.choice('poe_mode', POE_MODE),
    custom.choice('poe_type', POE_TYPE),
    custom.number('rf_channel_frequency'),
    custom.number('rf_channel_width'),
    custom.number('tx_power', { isInteger: true }),
    fields.untagged,
    fields.tagged,
    custom.nothing('qinq_svlan'),
    custom.nothing('vlan_translation_policy'),
    markConnected,
    readOnly('cable', { is: 'object', of: 'dcim.cable' }, ({ links }, world) =>
      links?.cable ? nestCable(world, links.cable) : null,
    ),
    readOnly('cable_end', 'string', ({ links }) => links?.end ?? null),
    readOnly('wireless_link', 'json', () => null),
    readOnly('link_peers', 'json', (item, world) => [nestEnd(world, item, 'peer') ?? []].flat()),
    readOnly('link_peers_type', 'string', ({ links }) => (links?.peer ? toInterfaceKind(links.peer.device) : null)),
    custom.nothing('wireless_lans', { is: 'json' }, []),
    fields.vrf,
    readOnly('l2vpn_termination', 'json', () => null),
    readOnly('connected_endpoints', 'json', (item, world) => {
      const nested = nestEnd(world, item, 'endpoint')
      return nested && [nested]
    }),
    readOnly('connected_endpoints_type', 'string', ({ links }) =>
      links?.endpoint ? toInterfaceKind(links.endpoint.device) : null,
    ),
    readOnly('connected_endpoints_reachable', 'boolean', ({ links }) => links?.isReachable ?? false),
    custom.nothing('owner'),
    fields.tags,
    custom.rest(),
    ...fields.times,
    fields.addresses,
    readOnly('count_fhrp_groups', 'integer', () => 0),
    readOnly('_occupied', 'boolean', (item, world) => isOccupied(custom, item, world)),
  ],
  custom,
  source: createInterfaceSource(false),
  prepare: prepareInterfaces,
  filters: deviceInterfaceFilters(custom),
  writes: createInterfaceWrites(custom),
}
