/** One datacenter: its details, and the devices and networks that are there. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Fragment, useMemo } from 'react'
import { api } from '../api/client.ts'
import { contracts, type Datacenter } from '../api/contracts.ts'
import { datacentersQuery, networksQuery } from '../api/queries.ts'
import { CustomFacts } from '../custom-fields/known-custom.tsx'
import { DevicesTable, MOST_DEVICES } from '../networks/devices-table.tsx'
import { NetworkList } from '../networks/network-list.tsx'
import { racksQuery } from '../racks/known-racks.ts'
import { listFacts } from '../resource/columns.tsx'
import { HistoryTab } from '../resource/object/history-tab.tsx'
import { MissingObject, ObjectPage, useListed } from '../resource/object/object-page.tsx'
import { relate } from '../resource/object/object-side.tsx'
import { useRelated } from '../resource/related/known-related.tsx'
import { buildPaths, listBelow } from '../resource/tree/tree.ts'
import { useIsInUse, usePermit, usePermitted } from '../shell/me.ts'
import { formatTerm } from '../table/filter.ts'
import { formatCount } from '../ui/format.ts'
import { Card, CopyText, Facts, TimeAgo } from '../ui/primitives.tsx'
import { fields } from './fields.ts'
import { buildDatacenterResource } from './resource.ts'

const route = getRouteApi('/app/datacenters/$id')
const PARENT = { text: 'Datacenters', link: { to: '/datacenters' } } as const
const NONE: readonly Datacenter[] = []
const FACTS = ['location', 'description', 'updated_at', 'id']

const DevicesTab = ({ datacenter }: { readonly datacenter: Datacenter }) => {
  const { data, error, refetch } = usePermitted('devices:list', {
    queryKey: ['datacenter', datacenter.id, 'devices'],
    queryFn: () => api.datacenters.devices({ id: datacenter.id, limit: MOST_DEVICES }),
  })
  return (
    <DevicesTable
      devices={data}
      error={error}
      refetch={refetch}
      filter={formatTerm('dc', datacenter.name)}
      empty="No device is in this datacenter yet."
    />
  )
}

const Overview = ({ datacenter }: { readonly datacenter: Datacenter }) => (
  <>
    <Card title="Details">
      <Facts
        facts={listFacts(fields, datacenter, FACTS, {
          location: '',
          parent_id: '',
          created_at: <TimeAgo at={datacenter.created_at} />,
          updated_at: <TimeAgo at={datacenter.updated_at} />,
          id: <CopyText text={datacenter.id} label="ID" />,
        })}
      />
    </Card>
    <CustomFacts resource="datacenters" object={datacenter} />
  </>
)

export const DatacenterPage = () => {
  const { id } = route.useParams()
  const { blocked } = usePermit()
  const { object: datacenter, ...query } = useListed(datacentersQuery, id)
  const { data: networks } = usePermitted('networks:list', networksQuery)
  const hasRacks = useIsInUse('racks')
  const { data: allRacks } = usePermitted('racks:list', { ...racksQuery, enabled: hasRacks })
  const { data: datacenters = NONE } = useQuery(datacentersQuery)
  const path = useMemo(() => buildPaths(datacenters).get(id) ?? NONE, [datacenters, id])
  const below = useMemo(() => listBelow(id, datacenters), [id, datacenters])
  const resource = useMemo(
    () => buildDatacenterResource(datacenters.filter((one) => !below.has(one.id))),
    [datacenters, below],
  )
  const isHere = ({ datacenter_id }: { readonly datacenter_id: string | null }): boolean =>
    datacenter_id !== null && below.has(datacenter_id)
  const own = networks?.filter(isHere)
  const racks = allRacks?.filter(isHere)
  const toDatacenter = ({ id, name }: Datacenter, why = 'datacenter') =>
    relate({ to: '/datacenters/$id', params: { id } }, name, why)
  const naming = useRelated(datacenter && { resource: 'datacenters', id, name: datacenter.name })
  if (!datacenter) return <MissingObject noun="datacenter" parent={PARENT} {...query} />
  return (
    <ObjectPage
      noun="datacenter"
      parent={PARENT}
      id={id}
      title={datacenter.name}
      managedBy={datacenter.managed_by}
      get={contracts.datacenters.get}
      resource={resource}
      edit={{ blocked: blocked('datacenters:update') }}
      remove={{
        blocked: blocked('datacenters:delete') && 'datacenters:delete',
        warning: 'Its networks and devices stay, without a datacenter. Those below move to the one above.',
      }}
      strip={[
        [
          'In',
          path.length > 0 &&
            path.map((one, level) => (
              <Fragment key={one.id}>
                {level > 0 && ' / '}
                {toDatacenter(one).link}
              </Fragment>
            )),
        ],
        ['Location', datacenter.location],
        ['Networks', own && formatCount(own.length)],
        ['Racks', racks && formatCount(racks.length)],
        ['Changed', <TimeAgo key="changed" at={datacenter.updated_at} />],
      ]}
      side={{
        kind: 'datacenter',
        more: naming.more,
        related: [
          ...datacenters.filter(({ parent_id }) => parent_id === id).map((one) => toDatacenter(one, 'below')),
          ...(racks ?? []).map((rack) => relate({ to: '/racks/$id', params: { id: rack.id } }, rack.name, 'rack')),
          ...(own ?? []).map((one) => relate({ to: '/networks/$id', params: { id: one.id } }, one.name, 'network')),
        ],
      }}
      tabs={[
        { id: 'overview', text: 'Overview', content: <Overview datacenter={datacenter} /> },
        { id: 'devices', text: 'Devices', content: <DevicesTab datacenter={datacenter} />, isFull: true },
        {
          id: 'networks',
          text: 'Networks',
          count: own?.length,
          content: <NetworkList datacenterId={id} />,
          isFull: true,
        },
        ...naming.tabs,
        { id: 'history', text: 'History', content: <HistoryTab kind="datacenter" id={id} /> },
      ]}
    />
  )
}
