/** `virtualization/cluster-types`: NetBox demands a type of a cluster, so there is one for all. */
import type { Endpoint } from '../../endpoint/endpoint.ts'
import type { Field } from '../../endpoint/field.ts'
import { head, readOnly, times } from '../../endpoint/fields.ts'
import { placeless, untagged } from '../../endpoint/placeless.ts'
import type { Resolver } from '../../endpoint/resolver.ts'
import { textFilters, wordsFilter } from '../../endpoint/set-filters.ts'
import { fromMemory } from '../../endpoint/source.ts'
import { buildStandInKey } from '../../numbers/keys.ts'
import { findKeys } from '../../numbers/numbers.ts'
import { CLUSTERS } from '../../world/sets.ts'
import type { Numbered, World } from '../../world/world.ts'

type TypeItem = { readonly key: string; readonly name: string; readonly slug: string }

export const CLUSTER_TYPE_KEY = buildStandInKey('unspecified')
const UNSPECIFIED: TypeItem = { key: CLUSTER_TYPE_KEY, name: 'Unspecified', slug: 'unspecified' }

const countClusters = (world: World): number => world.get(CLUSTERS).all.length

export const nestClusterType = (world: World): Numbered | null =>
  world.nest('virtualization.clustertype', UNSPECIFIED.key, () => {
    const { name, slug } = UNSPECIFIED
    return { fields: { display: name, name, slug, description: '', cluster_count: countClusters(world) } }
  })

export const CLUSTER_TYPE_RESOLVER: Resolver = {
  kind: 'virtualization.clustertype',
  attributes: ['name', 'slug'],
  byNumbers: async (world, numbers) => findKeys(world.writer, 'virtualization.clustertype', numbers),
  byAttribute: async (_, attribute, value) =>
    value === UNSPECIFIED[attribute === 'slug' ? 'slug' : 'name'] ? [UNSPECIFIED.key] : [],
}

/** The type of a cluster. The text that Plat may have as type is among the custom fields. */
export const clusterTypeField = <Item>(): Field<Item> => ({
  name: 'type',
  type: { is: 'object', of: 'virtualization.clustertype' },
  isRequired: true,
  read: (_, world) => nestClusterType(world),
  write: async (value, draft) => {
    if ((await draft.resolve(CLUSTER_TYPE_RESOLVER, value)) === null) draft.refuse('This field may not be null.')
  },
})

export const clusterTypes: Endpoint<TypeItem> = {
  path: 'virtualization/cluster-types',
  kind: 'virtualization.clustertype',
  key: ({ key }) => key,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'cluster_count'],
  fields: [
    ...head<TypeItem>({ page: () => '/kinds/clusters', display: ({ name }) => name }),
    readOnly('name', 'string', ({ name }) => name),
    readOnly('slug', 'string', ({ slug }) => slug),
    readOnly('description', 'string', () => ''),
    placeless('owner'),
    readOnly('comments', 'string', () => ''),
    ...untagged<TypeItem>(),
    ...times<TypeItem>(() => undefined),
    readOnly('cluster_count', 'integer', (_, world) => countClusters(world)),
  ],
  source: fromMemory<TypeItem>({ tables: ['netbox_ids'], key: ({ key }) => key, all: async () => [UNSPECIFIED] }),
  prepare: async (world) => {
    await world.read(CLUSTERS)
  },
  filters: {
    q: wordsFilter<TypeItem>(({ name, slug }) => [name, slug]),
    ...textFilters<TypeItem>({ name: ({ name }) => name, slug: ({ slug }) => slug, description: () => '' }),
  },
}
