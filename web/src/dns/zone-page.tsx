/** The page of one zone: its settings, RRsets, own records, drift and file. */
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { contracts } from '../api/contracts.ts'
import { datacentersQuery, networksQuery } from '../api/queries.ts'
import { type Fact, MissingObject, MovedTo, ObjectPage } from '../resource/object/object-page.tsx'
import { relate } from '../resource/object/object-side.tsx'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { usePermit, usePermitted } from '../shell/me.ts'
import { usePageSearch } from '../table/list-search.ts'
import { plural } from '../ui/format.ts'
import { Card, CopyText, Facts, Tags, TimeAgo } from '../ui/primitives.tsx'
import { DriftTab } from './drift-tab.tsx'
import { FileTab } from './file-tab.tsx'
import { formatZoneKind } from './labels.ts'
import { ZoneStatus } from './marks.tsx'
import { type Zone, zoneQuery } from './queries.ts'
import { RecordDrawer } from './records/record-drawer.tsx'
import { RecordsTab } from './records/records-tab.tsx'
import { RrsetsTab } from './records/rrsets-tab.tsx'
import { SyncDialog } from './sync-dialog.tsx'
import { getServerName, PLAIN_ZONE, useServerNames, useZoneResource } from './zone-resource.ts'
import { ZONE_WARNING } from './zones-list.tsx'

const route = getRouteApi('/app/dns/$id')
export const PARENT = { text: 'DNS', link: { to: '/dns' } } as const

const formatCounts = ({ rrset_count, pending_count, conflict_count, blocked_count, drift_count }: Zone): string =>
  [
    plural(rrset_count, 'RRset'),
    ...(
      [
        [pending_count, 'pending'],
        [conflict_count, 'in conflict'],
        [blocked_count, 'blocked'],
        [drift_count, 'drifted'],
      ] as const
    ).flatMap(([number, words]) => (number === 0 ? [] : [`${number} ${words}`])),
  ].join(' · ')

/** Returns the facts below the head, and the objects that the zone names. */
const useZoneParts = (zone: Zone | undefined) => {
  const servers = useServerNames()
  const { data: datacenters } = usePermitted('datacenters:list', {
    ...datacentersQuery,
    enabled: typeof zone?.datacenter_id === 'string',
  })
  const { data: networks } = usePermitted('networks:list', {
    ...networksQuery,
    enabled: typeof zone?.network_id === 'string',
  })
  if (!zone) return { strip: [], related: undefined }
  const { provider_id, datacenter_id, network_id, last_checked_at, last_synced_at, mode } = zone
  const server =
    provider_id === null
      ? undefined
      : relate({ to: '/dns', search: { tab: 'servers', edit: provider_id } }, getServerName(zone, servers), 'server')
  const datacenter = datacenters?.find(({ id }) => id === datacenter_id)
  const network = networks?.find(({ id }) => id === network_id)
  const strip: readonly Fact[] = [
    ['Status', <ZoneStatus key="status" zone={zone} />],
    [
      'Names',
      <span key="names" role="status">
        {formatCounts(zone)}
      </span>,
    ],
    ['Kind', formatZoneKind(zone)],
    ['Server', server ? server.link : 'a file only'],
    ['Mode', server && mode],
    // Nothing is sent to a watched zone.
    ['Synchronized', mode !== 'watched' && last_synced_at !== null && <TimeAgo key="synced" at={last_synced_at} />],
    ['Checked', last_checked_at !== null && <TimeAgo key="checked" at={last_checked_at} />],
    ['Changed', <TimeAgo key="changed" at={zone.updated_at} />],
  ]
  const related = [
    ...(server ? [server] : []),
    ...(datacenter
      ? [relate({ to: '/datacenters/$id', params: { id: datacenter.id } }, datacenter.name, 'only of')]
      : []),
    ...(network ? [relate({ to: '/networks/$id', params: { id: network.id } }, network.name, 'only of')] : []),
  ]
  return { strip, related }
}

const Overview = ({ zone }: { readonly zone: Zone }) => (
  <Card title="Details">
    <Facts
      facts={[
        ['Description', zone.description],
        ['Only devices tagged', zone.tags.length === 0 ? '' : <Tags key="tags" tags={zone.tags} />],
        ['States', zone.statuses.join(', ')],
        ['Host names without a dot', zone.is_default && 'get the name of this zone'],
        ['TTL', `${zone.ttl} s`],
        ['Negative TTL of the file', `${zone.negative_ttl} s`],
        ['Name servers of the file', zone.nameservers.join(', ')],
        ['Mailbox of the file', zone.admin_email],
        ...(zone.provider_id === null
          ? []
          : ([
              ['Checked every', `${zone.check_interval_seconds} s`],
              ['Held above', `${zone.max_delete_percent} % of deletes`],
              ['Drift', zone.repair ? 'written again' : 'settled by hand'],
            ] as const)),
        ['ID', <CopyText key="id" text={zone.id} label="ID" />],
      ]}
    />
  </Card>
)

/** The form of the zone. The objects that it may name are loaded with it. */
const EditZone = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const { blockedNow } = usePermit()
  return <ResourceDrawer resource={useZoneResource()} id={id} onClose={onClose} blocked={blockedNow('dns:update')} />
}

/** The parameters of the tab of RRsets. */
const OF_RRSETS = ['q', 'status', 'kind', 'entry'] as const

export const ZonePage = () => {
  const { id } = route.useParams()
  const { search, set } = usePageSearch()
  const { blocked, blockedNow } = usePermit()
  const { data, error, refetch } = usePermitted('dns:read', zoneQuery(id))
  const [isSyncing, setSyncing] = useState(false)
  const { strip, related } = useZoneParts(data?.value)
  if (!data) return <MissingObject noun="zone" parent={PARENT} error={error} refetch={refetch} />
  const zone = data.value
  if (search.tab === undefined && OF_RRSETS.some((key) => search[key] !== undefined)) return <MovedTo tab="rrsets" />
  if (search.tab === 'settings') return <MovedTo tab={undefined} edit={id} />
  const closeDrawer = () => void set({ new: undefined, edit: undefined })
  const recordDrawer = (permission: string, recordId: string | undefined) => (
    <RecordDrawer
      key={recordId ?? 'new'}
      zone={zone}
      id={recordId}
      onClose={closeDrawer}
      blocked={blocked(permission)}
    />
  )
  return (
    <ObjectPage
      noun="zone"
      parent={PARENT}
      id={id}
      title={zone.name}
      get={contracts.dnsZones.get}
      resource={PLAIN_ZONE}
      edit={{ blocked: blockedNow('dns:update') }}
      // Any other id is that of an own record.
      drawer={() =>
        search.edit === id ? <EditZone id={id} onClose={closeDrawer} /> : recordDrawer('dns:update', search.edit)
      }
      remove={{ blocked: blockedNow('dns:delete'), warning: ZONE_WARNING }}
      actions={[{ text: 'Sync', onSelect: () => setSyncing(true), blocked: blocked('dns:sync') }]}
      strip={strip}
      side={{ audited: 'dns-zone', related }}
      tabs={[
        { id: 'overview', text: 'Overview', content: <Overview zone={zone} /> },
        {
          ...{ id: 'rrsets', text: 'RRsets', isFull: true, count: zone.rrset_count },
          content: <RrsetsTab key={id} zone={zone} />,
        },
        { ...{ id: 'records', text: 'Own records', isFull: true }, content: <RecordsTab key={id} zone={zone} /> },
        {
          ...{ id: 'drift', text: 'Drift', isFull: true, count: zone.drift_count || undefined },
          content: <DriftTab key={id} zone={zone} />,
        },
        { ...{ id: 'file', text: 'File', isFull: true }, content: <FileTab key={id} zone={zone} /> },
      ]}
      hints={
        search.tab === undefined || search.tab === 'overview' || search.tab === 'file'
          ? []
          : [
              [['j', 'k'], 'move'],
              [['↵'], 'open'],
            ]
      }
    >
      {isSyncing && <SyncDialog zone={zone} onClose={() => setSyncing(false)} />}
      {search.new !== undefined && recordDrawer('dns:create', undefined)}
    </ObjectPage>
  )
}
