/** `virtualization/clusters`: the objects of the kind `clusters`. */
import { CLUSTER_STATUS } from '../../choices/devices.ts'
import { CustomFields } from '../../endpoint/custom.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import { counted, head, times } from '../../endpoint/fields.ts'
import { objectFilters, placeFilters } from '../../endpoint/place-filters.ts'
import { placeless } from '../../endpoint/placeless.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { scopeFields } from '../../endpoint/scope-fields.ts'
import { customChoiceFilter, customTagFilters, textFilters, wordsFilter } from '../../endpoint/set-filters.ts'
import { uniqueName } from '../../endpoint/slug-fields.ts'
import { CLUSTER_MACHINES, type Counter } from '../../world/counters.ts'
import { NESTED_SETS, toDescription } from '../../world/nested.ts'
import { CLUSTER_DEVICES, CLUSTER_DISK, CLUSTER_MEMORY, CLUSTER_VCPUS } from '../../world/owner-counters.ts'
import { prepareWorld } from '../../world/prepare.ts'
import { CLUSTERS } from '../../world/sets.ts'
import type { World } from '../../world/world.ts'
import { customObjectFilters } from '../device-filters.ts'
import { descriptionFields } from '../device-writes.ts'
import { CLUSTER_TYPE_KEY, CLUSTER_TYPE_RESOLVER, clusterTypeField } from './cluster-types.ts'
import { checkKind, createObjectSource, createObjectWrites, getText, type ObjectItem } from './kind-objects.ts'

const KIND = { kind: 'clusters', pack: 'virtualization' }

const custom = new CustomFields<ObjectItem>('clusters', ({ object }) => object.custom)
const { description, comments } = descriptionFields<ObjectItem>(getText)
const unique = { label: 'cluster', all: async (world: World) => (await world.read(CLUSTERS)).all }

const ofCluster = (name: string, by: Counter) => counted<ObjectItem>(name, by, ({ key }) => [key])

export const clusters: Endpoint<ObjectItem> = {
  path: 'virtualization/clusters',
  kind: 'virtualization.cluster',
  key: ({ key }) => key,
  brief: ['id', 'url', 'display', 'name', 'description', 'virtualmachine_count'],
  isSmall: true,
  fields: [
    ...head<ObjectItem>({ page: ({ key }) => `/objects/${key}`, display: ({ name }) => name }),
    uniqueName(unique, { max: 100, before: checkKind(KIND) }),
    clusterTypeField(),
    placeless('group'),
    custom.choice('status', CLUSTER_STATUS, { usual: 'active' }),
    custom.tenant(),
    ...scopeFields<ObjectItem>(({ object }) => object.datacenter_id),
    description,
    custom.nothing('owner'),
    comments,
    custom.tags(),
    custom.rest(),
    ...times<ObjectItem>(({ object }) => object),
    ofCluster('device_count', CLUSTER_DEVICES),
    ofCluster('virtualmachine_count', CLUSTER_MACHINES),
    ofCluster('allocated_vcpus', CLUSTER_VCPUS),
    ofCluster('allocated_memory', CLUSTER_MEMORY),
    ofCluster('allocated_disk', CLUSTER_DISK),
  ],
  custom,
  source: createObjectSource(CLUSTERS),
  prepare: (world) =>
    prepareWorld(world, {
      sets: NESTED_SETS,
      names: ['extras.tag'],
      definitions: ['clusters', 'spaces', 'tenants', 'datacenters'],
    }),
  filters: {
    q: wordsFilter<ObjectItem>((item) => [item.name, getText(item)]),
    ...textFilters<ObjectItem>({ name: ({ name }) => name, description: (item) => toDescription(getText(item)) }),
    ...placeFilters<ObjectItem>({ datacenterId: ({ object }) => object.datacenter_id }),
    ...objectFilters<ObjectItem>('type', 'slug', { of: CLUSTER_TYPE_RESOLVER, keys: () => [CLUSTER_TYPE_KEY] }),
    status: customChoiceFilter(custom, 'status', { choices: CLUSTER_STATUS, usual: 'active' }),
    ...customObjectFilters(custom, { name: 'tenant', by: 'slug', of: RESOLVERS['tenancy.tenant'] }),
    ...customTagFilters(custom),
  },
  writes: createObjectWrites(KIND),
}
