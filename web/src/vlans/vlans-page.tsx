/** All VLANs, and the numbers of networks that have no name yet. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { FACTS } from '../../../src/inventory/resources.ts'
import { buildVlanScopeKey, listParents } from '../../../src/inventory/vlans/vlan-scope.ts'
import { datacentersQuery, networksQuery } from '../api/queries.ts'
import { buildResource } from '../resource/build-resource.ts'
import { buildOwnColumns } from '../resource/columns.tsx'
import { buildTableSpec } from '../resource/fields.ts'
import { ListPage } from '../resource/list-page.tsx'
import { useOwnedResource } from '../resource/owned-resource.tsx'
import type { Resource, Values } from '../resource/resource.ts'
import { findPlaceTest } from '../resource/tree/place-test.ts'
import { usePermit } from '../shell/me.ts'
import { usePageSearch } from '../table/list-search.ts'
import { buildVlanFields, fields, type Vlan } from './fields.ts'
import { listUnnamedNumbers, type UnnamedNumber } from './names.ts'
import { vlansQuery } from './queries.ts'
import { Unnamed } from './unnamed.tsx'

const ORDER = ['vlan_id', 'name', 'datacenter_id', 'group', 'network_ids', 'description']
const DEFAULT_COLUMNS = ['number', 'name', 'datacenter', 'group', 'networks', 'description']
const NONE: readonly never[] = []

export const VLAN_RESOURCE: Resource<Vlan> = buildResource(FACTS.vlans, fields, { order: ORDER })

/** Returns the values of a new VLAN, by the place in the URL. */
const parseGiven = (place: string | undefined): Values | undefined => {
  const at = place?.indexOf(' ') ?? -1
  return place === undefined || at < 0 ? undefined : { vlan_id: place.slice(0, at), datacenter_id: place.slice(at + 1) }
}

export const VlansPage = () => {
  const { may, blocked } = usePermit()
  const { search, set } = usePageSearch()
  const given = useMemo(() => parseGiven(search.new), [search.new])
  const query = useQuery({ ...vlansQuery, enabled: may('vlans:list') })
  const { data: networks = NONE } = useQuery({ ...networksQuery, enabled: may('networks:list') })
  const { data: datacenters = NONE } = useQuery({ ...datacentersQuery, enabled: may('datacenters:list') })
  const names = useMemo(() => new Map(datacenters.map(({ id, name }) => [id, name])), [datacenters])
  const resource = useOwnedResource(VLAN_RESOURCE, {
    kind: 'vlan',
    rows: query.data,
    blocked: blocked('vlans:update'),
  })
  const spec = useMemo(() => buildTableSpec(buildVlanFields(names, findPlaceTest(datacenters))), [names, datacenters])
  const columns = useMemo(() => buildOwnColumns(buildVlanFields(names), ORDER), [names])
  const numbers = useMemo(
    () => (query.data ? listUnnamedNumbers(networks, query.data, listParents(datacenters)) : NONE),
    [networks, query.data, datacenters],
  )
  const name = ({ vlan_id, datacenter_id }: UnnamedNumber) =>
    void set({ new: buildVlanScopeKey(vlan_id, datacenter_id) })
  return (
    <ListPage
      resourceName="vlans"
      resource={resource}
      query={query}
      spec={spec}
      columns={columns}
      defaultColumns={DEFAULT_COLUMNS}
      sort="number"
      placeholder="Number, name or group"
      empty="A VLAN gives the VLAN number of networks a name."
      deleteWarning="Its networks keep their VLAN number."
      needs="vlans:list"
      {...(given ? { given } : {})}
      above={
        numbers.length > 0 && (
          <Unnamed numbers={numbers} names={names} onName={name} blocked={blocked('vlans:create')} />
        )
      }
    />
  )
}
