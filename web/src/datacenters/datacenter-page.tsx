/** One datacenter: where it is, the devices and the networks that are there. */
import { getRouteApi } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import { contracts, type Datacenter } from '../api/contracts.ts'
import { datacentersQuery, networksQuery } from '../api/queries.ts'
import { CustomFacts } from '../custom-fields/known-custom.tsx'
import { DevicesTable, MOST_DEVICES } from '../networks/devices-table.tsx'
import { NetworkList } from '../networks/network-list.tsx'
import { listFacts } from '../resource/columns.tsx'
import { HistoryTab } from '../resource/object/history-tab.tsx'
import { MissingObject, ObjectPage, useListed } from '../resource/object/object-page.tsx'
import { usePermit, usePermitted } from '../shell/me.ts'
import { formatTerm } from '../table/filter.ts'
import { CopyText, TimeAgo } from '../ui/primitives.tsx'
import css from './datacenters.module.css'
import { fields } from './fields.ts'
import { datacenterResource } from './resource.ts'

const route = getRouteApi('/app/datacenters/$id')
const PARENT = { text: 'Datacenters', link: { to: '/datacenters' } } as const
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

const Head = ({ datacenter }: { readonly datacenter: Datacenter }) => {
  const facts = listFacts(fields, datacenter, FACTS, {
    location: datacenter.location || '–',
    updated_at: <TimeAgo at={datacenter.updated_at} />,
    id: <CopyText text={datacenter.id} label="ID" />,
  })
  return (
    <dl className={css.facts}>
      {facts.map(
        ([name, value]) =>
          value !== '' && (
            <div key={name} className={name === fields.description.label ? css.wide : undefined}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
      <CustomFacts resource="datacenters" object={datacenter} isPlain />
    </dl>
  )
}

export const DatacenterPage = () => {
  const { id } = route.useParams()
  const { may, blocked } = usePermit()
  const { object: datacenter, ...query } = useListed(datacentersQuery, id)
  const { data: networks } = usePermitted('networks:list', networksQuery)
  if (!datacenter) return <MissingObject noun="datacenter" parent={PARENT} {...query} />
  return (
    <ObjectPage
      noun="datacenter"
      parent={PARENT}
      id={id}
      title={datacenter.name}
      managedBy={datacenter.managed_by}
      get={contracts.datacenters.get}
      resource={datacenterResource}
      edit={{ blocked: blocked('datacenters:update') }}
      remove={{
        blocked: may('datacenters:delete') ? undefined : 'datacenters:delete',
        warning: 'Its networks and devices stay, without a datacenter.',
      }}
      above={<Head datacenter={datacenter} />}
      tabs={[
        { id: 'devices', text: 'Devices', content: <DevicesTab datacenter={datacenter} />, isFull: true },
        {
          id: 'networks',
          text: 'Networks',
          count: networks?.filter(({ datacenter_id }) => datacenter_id === id).length,
          content: <NetworkList datacenterId={id} />,
          isFull: true,
        },
        { id: 'history', text: 'History', content: <HistoryTab kind="datacenter" id={id} /> },
      ]}
    />
  )
}
