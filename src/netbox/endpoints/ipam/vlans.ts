/** `ipam/vlans`: VLANs, and the numbers that networks use without one. A number that only ports use is found, but not listed. */
import { toNameKey } from '../../../net/name-order.ts'
import { QINQ_ROLE, VLAN_STATUS } from '../../choices/addresses.ts'
import { CustomFields } from '../../endpoint/custom.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import { counted, head, number, readOnly, text, times } from '../../endpoint/fields.ts'
import { choiceFilter, numberFilter, ownFilter, textFilter } from '../../endpoint/filter.ts'
import { objectFilters, placeFilters } from '../../endpoint/place-filters.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { fromMemory } from '../../endpoint/source.ts'
import { buildNameKey } from '../../numbers/keys.ts'
import { NESTED_SETS, nestSiteIfAny, nestVlanGroup, toDescription } from '../../world/nested.ts'
import { prepareWorld } from '../../world/prepare.ts'
import { VLANS } from '../../world/sets.ts'
import { findPortVlans, VLAN_PREFIXES } from '../../world/vlans.ts'
import { customObjectFilters, tagFilters } from '../device-filters.ts'
import { descriptionFields } from '../device-writes.ts'
import { listNames } from './prefix-filters.ts'
import { type VlanItem, vlanWrites, writeGroup, writeVlanSite } from './vlan-writes.ts'

const custom = new CustomFields<VlanItem>('vlans', ({ vlan }) => vlan?.custom)

const describe = ({ vlan }: VlanItem): string => vlan?.description ?? ''
const { description, comments } = descriptionFields<VlanItem>(describe)

/** A VLAN of NetBox has no location. */
const {
  location: _,
  location_id: __,
  ...siteFilters
} = placeFilters<VlanItem>({ datacenterId: ({ datacenterId }) => datacenterId })

const inSet = fromMemory<VlanItem>({
  tables: VLANS.tables,
  key: ({ key }) => key,
  all: async (world) => (await world.read(VLANS)).all,
})

export const vlans: Endpoint<VlanItem> = {
  path: 'ipam/vlans',
  kind: 'ipam.vlan',
  isSmall: true,
  key: ({ key }) => key,
  brief: ['id', 'url', 'display', 'vid', 'name', 'description'],
  fields: [
    ...head<VlanItem>({
      page: () => '/vlans',
      display: ({ name, vid }) => `${name} (${vid})`,
    }),
    {
      name: 'site',
      type: { is: 'object', of: 'dcim.site' },
      isNullable: true,
      read: ({ datacenterId }, world) => nestSiteIfAny(world, datacenterId),
      write: writeVlanSite,
    },
    {
      name: 'group',
      type: { is: 'object', of: 'ipam.vlangroup' },
      isNullable: true,
      read: ({ vlan }, world) => nestVlanGroup(world, vlan?.group ?? ''),
      write: writeGroup,
    },
    number('vid', { read: ({ vid }) => vid, to: 'vlan_id', isInteger: true, isRequired: true }),
    text('name', { read: ({ name }) => name, to: 'name', isRequired: true, max: 64 }),
    custom.tenant(),
    custom.choice('status', VLAN_STATUS, { usual: 'active' }),
    custom.role(),
    description,
    custom.choice('qinq_role', QINQ_ROLE),
    custom.nothing('qinq_svlan'),
    custom.nothing('owner'),
    comments,
    readOnly('l2vpn_termination', 'json', () => null),
    custom.tags(),
    custom.rest(),
    ...times<VlanItem>(({ vlan }) => vlan),
    counted('prefix_count', VLAN_PREFIXES, ({ key }) => [key]),
  ],
  custom,
  source: {
    ...inSet,
    find: async (world, keys) => {
      const found = await inSet.find(world, keys)
      const known = new Set(found.map(({ key }) => key))
      return [
        ...found,
        ...(await findPortVlans(
          world,
          keys.filter((key) => !known.has(key)),
        )),
      ]
    },
  },
  prepare: (world) =>
    prepareWorld(world, {
      sets: NESTED_SETS,
      names: ['ipam.role', 'ipam.vlangroup', 'extras.tag', 'dcim.manufacturer'],
      definitions: ['vlans', 'spaces', 'tenants'],
    }),
  filters: {
    q: ownFilter({
      message: 'Enter a word.',
      parse: (word) => toNameKey(word.trim()),
      test: (item, word) =>
        [item.name, String(item.vid), item.vlan?.group ?? '', describe(item)].some((one) =>
          toNameKey(one).includes(word),
        ),
    }),
    vid: numberFilter({ get: ({ vid }) => vid }),
    name: textFilter({ get: ({ name }) => name, isAnyCase: true }),
    description: textFilter({ get: (item) => toDescription(describe(item)) }),
    ...siteFilters,
    ...objectFilters<VlanItem>('group', 'slug', {
      of: RESOLVERS['ipam.vlangroup'],
      keys: ({ vlan }) => (vlan?.group ? [buildNameKey(vlan.group)] : []),
    }),
    status: choiceFilter({
      choices: VLAN_STATUS,
      get: (item, world) => {
        const value = custom.get(item, 'status', world)
        return typeof value === 'string' && Object.hasOwn(VLAN_STATUS, value) ? value : 'active'
      },
    }),
    ...objectFilters<VlanItem>('role', 'slug', {
      of: RESOLVERS['ipam.role'],
      keys: (item, world) => listNames(custom, item, world, 'role').map(buildNameKey),
    }),
    ...customObjectFilters(custom, { name: 'tenant', by: 'slug', of: RESOLVERS['tenancy.tenant'] }),
    ...tagFilters<VlanItem>((item, world) => listNames(custom, item, world, 'tags')),
  },
  writes: vlanWrites,
}
