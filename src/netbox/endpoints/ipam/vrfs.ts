/** `ipam/vrfs`: address spaces. The default one is no VRF. */
import type { Space } from '../../../inventory/spaces/api.ts'
import { toNameKey } from '../../../net/name-order.ts'
import { CustomFields } from '../../endpoint/custom.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import { counted, head, text, times } from '../../endpoint/fields.ts'
import { flagFilter, ownFilter, textFilter } from '../../endpoint/filter.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { fromMemory } from '../../endpoint/source.ts'
import { SPACE_ADDRESSES, SPACE_PREFIXES } from '../../world/counters.ts'
import { getRd, NESTED_SETS, toDescription } from '../../world/nested.ts'
import { prepareWorld } from '../../world/prepare.ts'
import { SPACES, type SpaceMember } from '../../world/sets.ts'
import type { Member } from '../../world/small-set.ts'
import { customObjectFilters, tagFilters } from '../device-filters.ts'
import { descriptionFields } from '../device-writes.ts'
import { listNames } from './prefix-filters.ts'
import { refuseTaken } from './taken.ts'

type VrfItem = Member<SpaceMember>

const custom = new CustomFields<VrfItem>('spaces', ({ space }) => space.custom)
const { description, comments } = descriptionFields<VrfItem>(({ space }) => space.description)

const getKeys = ({ key }: VrfItem): string[] => [key]

const displayVrf = ({ name, space }: VrfItem): string => {
  const rd = getRd(space)
  return rd === null ? name : `${name} (${rd})`
}

export const vrfs: Endpoint<VrfItem> = {
  path: 'ipam/vrfs',
  kind: 'ipam.vrf',
  isSmall: true,
  key: ({ key }) => key,
  brief: ['id', 'url', 'display', 'name', 'rd', 'description', 'prefix_count'],
  fields: [
    ...head<VrfItem>({ page: () => '/spaces', display: displayVrf }),
    text('name', { read: ({ name }) => name, to: 'name', isRequired: true, max: 100 }),
    custom.text('rd', { usual: null, isNullable: true }),
    custom.tenant(),
    custom.flag('enforce_unique', { usual: true }),
    description,
    custom.nothing('owner'),
    comments,
    custom.nothing('import_targets', { is: 'json' }, []),
    custom.nothing('export_targets', { is: 'json' }, []),
    custom.tags(),
    custom.rest(),
    ...times<VrfItem>(({ space }) => space),
    counted('ipaddress_count', SPACE_ADDRESSES, getKeys),
    counted('prefix_count', SPACE_PREFIXES, getKeys),
  ],
  custom,
  source: fromMemory({
    tables: SPACES.tables,
    key: ({ key }) => key,
    all: async (world) => (await world.read(SPACES)).all,
  }),
  prepare: (world) =>
    prepareWorld(world, {
      sets: NESTED_SETS,
      names: ['extras.tag', 'dcim.manufacturer'],
      definitions: ['spaces', 'tenants'],
    }),
  filters: {
    q: ownFilter({
      message: 'Enter a word.',
      parse: (word) => toNameKey(word.trim()),
      test: ({ name, space }, word) =>
        [name, getRd(space) ?? '', space.description].some((one) => toNameKey(one).includes(word)),
    }),
    name: textFilter({ get: ({ name }) => name, isAnyCase: true }),
    rd: textFilter({ get: ({ space }) => getRd(space) ?? '' }),
    description: textFilter({ get: ({ space }) => toDescription(space.description) }),
    enforce_unique: flagFilter({ get: (item, world) => custom.get(item, 'enforce_unique', world) !== false }),
    ...customObjectFilters(custom, { name: 'tenant', by: 'slug', of: RESOLVERS['tenancy.tenant'] }),
    ...tagFilters<VrfItem>((item, world) => listNames(custom, item, world, 'tags')),
  },
  writes: {
    // The answer of the operation.
    create: async (draft) => ((await refuseTaken('name', () => draft.run('spaces.create', draft.input))) as Space).id,
    update: async (draft, { key }) => {
      if (Object.keys(draft.input).length > 0)
        await refuseTaken('name', () => draft.run('spaces.update', { ...draft.input, id: key }))
      return key
    },
    remove: async (draft, { key }) => {
      await draft.run('spaces.delete', { id: key })
    },
  },
}
