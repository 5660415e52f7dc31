/** The fields of a port. */

import { FACTS } from '../../../src/inventory/resources.ts'
import { toSortKey } from '../../../src/net/name-order.ts'
import { buildFields, type ItemOf, toChoices } from '../resource/facts/from-facts.ts'
import { buildNameField } from '../resource/fields.ts'
import { formatPeer, formatSpeed, formatVlans } from './labels.ts'
import { formatNumbers, parseNumbers } from './range.ts'

export type Port = ItemOf<typeof FACTS.ports>
export type Peer = NonNullable<Port['peers']>[number]

export const KINDS = toChoices(FACTS.ports.fields.kind.of)

/** The other end of a port comes behind its type, and the owner behind the values of custom fields. */
const ORDER = [
  ...['device_id', 'name', 'kind', 'type', 'speed_mbps', 'peers', 'vlan_id', 'tagged_vlan_ids', 'mac_address'],
  ...['enabled', 'parent_id', 'pass_through', 'description', 'custom'],
]

/** Builds a choice between yes and no. */
const buildYesNo = (yes: string, no: string) =>
  ({
    isHalf: true,
    options: [
      ['true', yes],
      ['false', no],
    ],
  }) as const

/** @param ports of the device, for the names of parents */
export const buildPortFields = (ports: readonly Port[] = []) =>
  buildFields(
    FACTS.ports,
    {
      device_id: {
        form: { isShown: () => false },
        column: false,
        filter: false,
        isDetail: false,
      },
      name: { ...buildNameField(150), sort: ({ name }) => toSortKey(name) },
      kind: { isSearched: true, form: { isHalf: true }, column: { width: 90 } },
      type: { form: { isHalf: true }, column: { width: 130 } },
      speed_mbps: {
        label: 'Speed',
        text: ({ speed_mbps }) => formatSpeed(speed_mbps),
        form: { label: 'Speed in Mbit/s', isHalf: true },
        column: { id: 'speed', width: 110 },
      },
      peers: {
        label: 'Connected to',
        isSearched: true,
        text: ({ peers = [] }) => peers.map(formatPeer),
        column: { id: 'peer', width: 220, isEssential: true },
        filter: { name: 'peer', test: 'contains' },
        isCompared: true,
      },
      vlan_id: {
        label: 'VLANs',
        text: formatVlans,
        form: { label: 'Untagged VLAN', isHalf: true, hint: '1 to 4094, or nothing' },
        column: { id: 'vlans', width: 150, isMono: true, isRight: false },
        sort: ({ vlan_id, tagged_vlan_ids }) => vlan_id ?? tagged_vlan_ids[0] ?? 9999,
        filter: {
          name: 'vlan',
          test: ({ vlan_id, tagged_vlan_ids }, value) =>
            String(vlan_id) === value || tagged_vlan_ids.some((number) => String(number) === value),
        },
      },
      tagged_vlan_ids: {
        label: 'Tagged VLANs',
        text: ({ tagged_vlan_ids }) => formatNumbers(tagged_vlan_ids),
        isSearched: false,
        form: {
          isHalf: true,
          isMono: true,
          hint: 'Such as 20-22, 40',
          // The value of a port.
          read: (numbers) => formatNumbers(numbers as readonly number[]),
          send: (text) => parseNumbers(text),
        },
        column: false,
        filter: false,
        isDetail: false,
      },
      mac_address: { form: { isHalf: true }, column: { id: 'mac' } },
      enabled: {
        form: { ...buildYesNo('Enabled', 'Disabled'), label: 'State' },
        column: { width: 90 },
        filter: { hasFacet: true },
      },
      parent_id: {
        label: 'Part of',
        text: ({ parent_id }) => ports.find(({ id }) => id === parent_id)?.name ?? '',
        form: { isHalf: true, hint: 'A LAG, or the port of a breakout', options: [['', 'No other port']] },
        column: { width: 120 },
        filter: { test: 'equals', hasFacet: false },
      },
      pass_through: {
        label: 'Pass-through',
        form: {
          ...buildYesNo('Front and rear', 'One side'),
          label: 'Sides',
          hint: 'The ports of a patch panel have two',
        },
        column: { width: 110 },
      },
    },
    { order: ORDER },
  )

/** The fields without the names of parents. */
export const fields = buildPortFields()
