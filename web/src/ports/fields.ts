/** The fields of a port. */
import type { Contracts, Out } from '../api/contracts.ts'
import {
  buildNameField,
  CUSTOM_VALUES,
  type Fields,
  ID_FIELD,
  MANAGED_BY_FIELD,
  REFS_FIELD,
  TIME_FIELDS,
} from '../resource/fields.ts'
import { buildNameKey, formatPeer, formatSpeed, formatVlans } from './labels.ts'
import { formatNumbers, parseNumbers } from './range.ts'

export type Port = Out<Contracts['ports']['get']>
export type Peer = NonNullable<Port['peers']>[number]

export const KINDS = [
  ['network', 'Network'],
  ['console', 'Console'],
  ['power', 'Power'],
] as const

/** Builds a choice between yes and no. */
const buildYesNo = (yes: string, no: string, initial: boolean) =>
  ({
    kind: 'select',
    isHalf: true,
    initial: String(initial),
    options: [
      ['true', yes],
      ['false', no],
    ],
    send: (text: string) => text === 'true',
  }) as const

/** @param ports of the device, for the names of parents */
export const buildPortFields = (ports: readonly Port[] = []): Fields<Port> => ({
  id: ID_FIELD,
  device_id: {
    label: 'Device',
    isSearched: false,
    form: { isShown: () => false },
    column: false,
    filter: false,
    isDetail: false,
  },
  name: { ...buildNameField(150), sort: ({ name }) => buildNameKey(name) },
  kind: {
    label: 'Kind',
    form: { kind: 'select', isHalf: true, options: KINDS, initial: 'network' },
    column: { width: 90 },
    filter: { test: 'begins', hasFacet: true },
  },
  type: {
    label: 'Type',
    form: { isHalf: true, hint: 'Such as 1000base-t' },
    column: { width: 130 },
    filter: { hasFacet: true },
  },
  speed_mbps: {
    label: 'Speed',
    text: ({ speed_mbps }) => formatSpeed(speed_mbps),
    isSearched: false,
    form: { kind: 'number', label: 'Speed in Mbit/s', isHalf: true },
    column: { id: 'speed', width: 110, isRight: true },
    sort: ({ speed_mbps }) => speed_mbps ?? -1,
    filter: false,
  },
  peers: {
    label: 'Connected to',
    text: ({ peers = [] }) => peers.map(formatPeer),
    form: false,
    column: { id: 'peer', width: 220, isEssential: true },
    filter: { name: 'peer', test: 'contains' },
    isDetail: false,
  },
  vlan_id: {
    label: 'VLANs',
    text: formatVlans,
    isSearched: false,
    form: { kind: 'number', label: 'Untagged VLAN', isHalf: true, hint: '1 to 4094, or nothing' },
    column: { id: 'vlans', width: 150, isMono: true },
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
    cell: 'list',
    isDetail: false,
  },
  mac_address: {
    label: 'MAC address',
    form: { isHalf: true, isMono: true },
    column: { id: 'mac', width: 150, isMono: true },
    filter: { name: 'mac', test: 'contains' },
  },
  enabled: {
    label: 'Enabled',
    text: ({ enabled }) => (enabled ? 'yes' : 'no'),
    isSearched: false,
    form: { ...buildYesNo('Enabled', 'Disabled', true), label: 'State' },
    column: { width: 90 },
    filter: { test: 'equals', hasFacet: true },
  },
  parent_id: {
    label: 'Part of',
    text: ({ parent_id }) => ports.find(({ id }) => id === parent_id)?.name ?? '',
    isSearched: false,
    form: { kind: 'select', isHalf: true, hint: 'A LAG, or the port of a breakout', options: [['', 'No other port']] },
    column: { id: 'parent', width: 120 },
    filter: { name: 'parent', test: 'equals' },
  },
  pass_through: {
    label: 'Pass-through',
    text: ({ pass_through }) => (pass_through ? 'yes' : 'no'),
    isSearched: false,
    form: {
      ...buildYesNo('Front and rear', 'One side', false),
      label: 'Sides',
      hint: 'The ports of a patch panel have two',
    },
    column: { width: 110 },
    filter: { test: 'equals' },
  },
  description: { label: 'Description', form: { kind: 'area' }, column: { width: 220 }, sort: false, filter: false },
  ...{ custom: CUSTOM_VALUES },
  refs: REFS_FIELD,
  managed_by: MANAGED_BY_FIELD,
  ...TIME_FIELDS,
})

/** The fields without the names of parents. */
export const fields = buildPortFields()
