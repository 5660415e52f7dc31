/** `ipam/prefixes`: networks. */
import { FAMILY, PREFIX_STATUS } from '../../choices/addresses.ts'
import { CustomFields } from '../../endpoint/custom.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import { counted, head, readOnly, reference, text, times } from '../../endpoint/fields.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { scopeFields } from '../../endpoint/scope-fields.ts'
import { getFamily, toFamily } from '../../world/addresses.ts'
import { NESTED_SETS, nestVlan, nestVrf } from '../../world/nested.ts'
import { CHILDREN, DEPTH } from '../../world/prefix-tree.ts'
import { prepareWorld } from '../../world/prepare.ts'
import { VLANS } from '../../world/sets.ts'
import { findVlan } from '../../world/vlans.ts'
import { createPrefixFilters, describePrefix } from './prefix-filters.ts'
import { PREFIX_TIMES, type PrefixItem, prefixSource } from './prefix-items.ts'
import { prefixWrites, writePrefixName, writePrefixSite, writeSubnet, writeVlan } from './prefix-writes.ts'

const custom = new CustomFields<PrefixItem>('networks', ({ network }) => network.custom)

const getKeys = ({ network }: PrefixItem): string[] => [network.id]

export const prefixes: Endpoint<PrefixItem> = {
  path: 'ipam/prefixes',
  kind: 'ipam.prefix',
  key: ({ network }) => network.id,
  brief: ['id', 'url', 'display', 'family', 'prefix', 'description', '_depth'],
  inputs: [{ name: 'site', write: writePrefixSite }],
  fields: [
    ...head<PrefixItem>({
      page: ({ network }) => `/networks/${network.id}`,
      display: ({ network }) => network.subnet,
    }),
    readOnly('family', { is: 'choice', of: FAMILY, isNumber: true }, ({ network }) =>
      toFamily(getFamily(network.subnet)),
    ),
    {
      name: 'prefix',
      type: { is: 'string' },
      isRequired: true,
      read: ({ network }) => network.subnet,
      write: writeSubnet,
    },
    reference('vrf', {
      of: RESOLVERS['ipam.vrf'],
      read: ({ network }, world) => nestVrf(world, network.space_id),
      to: 'space_id',
    }),
    ...scopeFields<PrefixItem>(({ network }) => network.datacenter_id),
    custom.tenant(),
    {
      name: 'vlan',
      type: { is: 'object', of: 'ipam.vlan' },
      isNullable: true,
      read: ({ network }, world) => nestVlan(world, findVlan(world, network.vlan_id, network.datacenter_id)),
      write: writeVlan,
    },
    custom.choice('status', PREFIX_STATUS, { usual: 'active' }),
    custom.role(),
    custom.flag('is_pool'),
    custom.flag('mark_utilized'),
    { name: 'description', type: { is: 'string' }, read: describePrefix, write: writePrefixName },
    custom.nothing('owner'),
    text('comments', { read: ({ network }) => network.description, to: 'description' }),
    custom.tags(),
    custom.rest(),
    ...times<PrefixItem>(({ network }) => network),
    counted('children', CHILDREN, getKeys),
    counted('_depth', DEPTH, getKeys),
  ],
  custom,
  times: PREFIX_TIMES,
  source: prefixSource,
  changedSets: [VLANS],
  prepare: (world) =>
    prepareWorld(world, {
      sets: NESTED_SETS,
      names: ['ipam.role', 'extras.tag', 'dcim.manufacturer'],
      definitions: ['networks', 'spaces', 'tenants'],
    }),
  filters: createPrefixFilters(custom),
  writes: prefixWrites,
}
