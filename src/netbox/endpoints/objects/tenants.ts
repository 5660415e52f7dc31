/** `tenancy/tenants`: the objects of the kind `tenants`. */
import { CustomFields } from '../../endpoint/custom.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import { counted, head, readOnly, times } from '../../endpoint/fields.ts'
import { placeless } from '../../endpoint/placeless.ts'
import { customTagFilters, textFilters, wordsFilter } from '../../endpoint/set-filters.ts'
import { slugField, uniqueName } from '../../endpoint/slug-fields.ts'
import { countIn, groupMembers } from '../../world/groups.ts'
import { NESTED_SETS, toDescription } from '../../world/nested.ts'
import * as counters from '../../world/owner-counters.ts'
import { PLACES, type Place } from '../../world/places.ts'
import { prepareWorld } from '../../world/prepare.ts'
import { CLUSTERS, type ObjectMember, TENANTS } from '../../world/sets.ts'
import type { World } from '../../world/world.ts'
import { descriptionFields } from '../device-writes.ts'
import { checkKind, createObjectSource, createObjectWrites, getText, type ObjectItem } from './kind-objects.ts'

const KIND = { kind: 'tenants', pack: 'tenancy' }

const custom = new CustomFields<ObjectItem>('tenants', ({ object }) => object.custom)
const { description, comments } = descriptionFields<ObjectItem>(getText)
const unique = { label: 'tenant', all: async (world: World) => (await world.read(TENANTS)).all }

type Owned = { readonly custom?: Readonly<Record<string, unknown>> | undefined }

const getTenant = ({ custom: values }: Owned): string => (typeof values?.tenant === 'string' ? values.tenant : '')

const groupSites = groupMembers<Place>(({ kind, datacenter }) => (kind === 'dcim.site' ? getTenant(datacenter) : ''))
const groupClusters = groupMembers<ObjectMember>(({ object }) => getTenant(object))

const ofTenant = (name: string, by: Parameters<typeof counted>[1]) => counted<ObjectItem>(name, by, ({ key }) => [key])

export const tenants: Endpoint<ObjectItem> = {
  path: 'tenancy/tenants',
  kind: 'tenancy.tenant',
  key: ({ key }) => key,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description'],
  isSmall: true,
  fields: [
    ...head<ObjectItem>({ page: ({ key }) => `/objects/${key}`, display: ({ name }) => name }),
    uniqueName(unique, { max: 100, before: checkKind(KIND) }),
    slugField({ ...unique, custom }),
    placeless('group'),
    description,
    custom.nothing('owner'),
    comments,
    custom.tags(),
    custom.rest(),
    ...times<ObjectItem>(({ object }) => object),
    ofTenant('circuit_count', counters.TENANT_CIRCUITS),
    ofTenant('device_count', counters.TENANT_DEVICES),
    ofTenant('ipaddress_count', counters.TENANT_ADDRESSES),
    ofTenant('prefix_count', counters.TENANT_PREFIXES),
    ofTenant('rack_count', counters.TENANT_RACKS),
    readOnly('site_count', 'integer', ({ key }, world) => countIn(groupSites(world.get(PLACES)), [key])),
    ofTenant('virtualmachine_count', counters.TENANT_MACHINES),
    ofTenant('vlan_count', counters.TENANT_VLANS),
    ofTenant('vrf_count', counters.TENANT_VRFS),
    readOnly('cluster_count', 'integer', ({ key }, world) => countIn(groupClusters(world.get(CLUSTERS)), [key])),
  ],
  custom,
  source: createObjectSource(TENANTS),
  prepare: (world) =>
    prepareWorld(world, {
      sets: NESTED_SETS,
      names: ['extras.tag'],
      definitions: ['tenants', 'datacenters', 'spaces', 'clusters'],
    }),
  filters: {
    q: wordsFilter<ObjectItem>((item) => [item.name, item.slug, getText(item)]),
    ...textFilters<ObjectItem>({
      name: ({ name }) => name,
      slug: ({ slug }) => slug,
      description: (item) => toDescription(getText(item)),
    }),
    ...customTagFilters(custom),
  },
  writes: createObjectWrites(KIND),
}
