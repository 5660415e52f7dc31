/** The page of one zone: its RRsets, own records, drift, file and settings. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { contracts } from '../api/contracts.ts'
import { MissingObject, ObjectPage } from '../resource/object-page.tsx'
import { usePermit, usePermitted } from '../shell/me.ts'
import { PageBody } from '../shell/page.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { plural } from '../ui/format.ts'
import { TimeAgo } from '../ui/primitives.tsx'
import css from './dns.module.css'
import { DriftTab } from './drift-tab.tsx'
import { FileTab } from './file-tab.tsx'
import { ZoneStatus } from './marks.tsx'
import { serversQuery, type Zone, zoneQuery } from './queries.ts'
import { RecordDrawer } from './record-drawer.tsx'
import { RecordsTab } from './records-tab.tsx'
import { RrsetsTab } from './rrsets-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { SyncDialog } from './sync-dialog.tsx'
import { zoneKind } from './words.ts'
import { useZoneParts } from './zone-resource.ts'
import { ZONE_WARNING } from './zones-list.tsx'

const route = getRouteApi('/app/dns/$id')
export const PARENT = { text: 'DNS', link: { to: '/dns' } } as const

const countsOf = ({ rrset_count, pending_count, conflict_count, blocked_count, drift_count }: Zone): string =>
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

/** The state of a zone in one line. */
const StateLine = ({ zone }: { readonly zone: Zone }) => {
  const { may } = usePermit()
  const { data: servers } = useQuery({ ...serversQuery, enabled: may('dns:list') && zone.provider_id !== null })
  const server = servers?.find(({ id }) => id === zone.provider_id)?.name ?? zone.provider_id
  return (
    <div className={css.state} role="status">
      <ZoneStatus zone={zone} />
      <span>{countsOf(zone)}</span>
      <span className="muted">
        {zoneKind(zone)}, {server === null ? 'a file only' : `${zone.mode} on ${server}`}
      </span>
      <span className={css.times}>
        {zone.last_synced_at !== null && (
          <>
            synchronised <TimeAgo at={zone.last_synced_at} />
          </>
        )}
        {zone.last_checked_at !== null && (
          <>
            {zone.last_synced_at !== null && ' · '}checked <TimeAgo at={zone.last_checked_at} />
          </>
        )}
      </span>
    </div>
  )
}

export const ZonePage = () => {
  const { id } = route.useParams()
  const { search, set } = usePageSearch()
  const { blocked } = usePermit()
  const { data, error, refetch } = usePermitted('dns:read', zoneQuery(id))
  const { resource } = useZoneParts()
  const [isSyncing, setSyncing] = useState(false)
  if (!data) return <MissingObject noun="zone" parent={PARENT} error={error} refetch={refetch} />
  const zone = data.value
  const closeDrawer = () => void set({ new: undefined, edit: undefined })
  const isRecord = search.new !== undefined || search.edit !== undefined
  return (
    <ObjectPage
      noun="zone"
      parent={PARENT}
      id={id}
      title={zone.name}
      get={contracts.dnsZones.get}
      resource={resource}
      // The only drawer of the page is that of a record.
      drawer={() => null}
      remove={{ blocked: blocked('dns:delete'), warning: ZONE_WARNING }}
      before={
        <Button onClick={() => setSyncing(true)} blocked={blocked('dns:sync')}>
          Sync
        </Button>
      }
      tabs={[
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
        {
          ...{ id: 'settings', text: 'Settings', isFull: true },
          content: <SettingsTab key={id} zone={zone} resource={resource} blocked={blocked('dns:update')} />,
        },
      ]}
      below={<StateLine zone={zone} />}
      body={(content) => <PageBody>{content}</PageBody>}
      hints={search.tab === 'settings' || search.tab === 'file' ? [] : [[['j', 'k'], 'move']]}
    >
      {isSyncing && <SyncDialog zone={zone} onClose={() => setSyncing(false)} />}
      {isRecord && (
        <RecordDrawer
          key={search.edit ?? 'new'}
          zone={zone}
          id={search.edit}
          onClose={closeDrawer}
          blocked={blocked(search.edit === undefined ? 'dns:create' : 'dns:update')}
        />
      )}
    </ObjectPage>
  )
}
