/** The page of one zone: its RRsets, own records, drift, file and settings. */
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { contracts } from '../api/contracts.ts'
import { MissingObject, ObjectPage } from '../resource/object/object-page.tsx'
import { usePermit, usePermitted } from '../shell/me.ts'
import { PageBody } from '../shell/page.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { plural } from '../ui/format.ts'
import { TimeAgo } from '../ui/primitives.tsx'
import css from './dns.module.css'
import { DriftTab } from './drift-tab.tsx'
import { FileTab } from './file-tab.tsx'
import { formatZoneKind } from './labels.ts'
import { ZoneStatus } from './marks.tsx'
import { type Zone, zoneQuery } from './queries.ts'
import { RecordDrawer } from './records/record-drawer.tsx'
import { RecordsTab } from './records/records-tab.tsx'
import { RrsetsTab } from './records/rrsets-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { SyncDialog } from './sync-dialog.tsx'
import { getServerName, PLAIN_ZONE, useServerNames } from './zone-resource.ts'
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

/** The state of a zone in one line. */
const StateLine = ({ zone }: { readonly zone: Zone }) => {
  const server = getServerName(zone, useServerNames())
  // Nothing is sent to a watched zone.
  const syncedAt = zone.mode === 'watched' ? null : zone.last_synced_at
  return (
    <div className={css.state} role="status">
      <ZoneStatus zone={zone} />
      <span>{formatCounts(zone)}</span>
      <span className="muted">
        {formatZoneKind(zone)}, {server === '' ? 'a file only' : `${zone.mode} on ${server}`}
      </span>
      <span className={css.times}>
        {syncedAt !== null && (
          <>
            synchronised <TimeAgo at={syncedAt} />
          </>
        )}
        {zone.last_checked_at !== null && (
          <>
            {syncedAt !== null && ' · '}checked <TimeAgo at={zone.last_checked_at} />
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
  const [isSyncing, setSyncing] = useState(false)
  if (!data) return <MissingObject noun="zone" parent={PARENT} error={error} refetch={refetch} />
  const zone = data.value
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
      // The form of the zone is a tab. The drawer is that of an own record.
      drawer={() => recordDrawer('dns:update', search.edit)}
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
          content: <SettingsTab key={id} zone={zone} blocked={blocked('dns:update')} />,
        },
      ]}
      below={<StateLine zone={zone} />}
      body={(content) => <PageBody>{content}</PageBody>}
      hints={
        search.tab === 'settings' || search.tab === 'file'
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
