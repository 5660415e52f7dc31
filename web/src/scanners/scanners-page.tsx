/** All scanners, with their states. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { asOf, isPast } from '../api/as-of.ts'
import { useStore } from '../api/store.ts'
import { scansQuery } from '../discovery/queries.ts'
import type { Scan } from '../discovery/shapes.ts'
import { buildOwnColumns } from '../resource/columns.tsx'
import { buildTableSpec } from '../resource/fields.ts'
import { ListPage } from '../resource/list-page.tsx'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { usePermit } from '../shell/me.ts'
import type { Column } from '../table/column.ts'
import type { TableSpec } from '../table/engine.ts'
import { buildTimeColumn } from '../table/time-column.tsx'
import { MenuItem } from '../ui/menu.tsx'
import { Tags } from '../ui/primitives.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { useEnrolment } from './enrolment.tsx'
import { fields } from './fields.ts'
import { ABILITIES } from './labels.ts'
import { ScannerStatus, Version } from './marks.tsx'
import { type Scanner, scannersQuery } from './queries.ts'
import { buildNewScanner, DELETE_WARNING, SCANNER_RESOURCE } from './resource.ts'
import { RevokeDialog } from './revoke-dialog.tsx'

type LastScans = ReadonlyMap<string, string>

const ORDER = ['name', 'status', 'version', 'tags']

const formatAbilities = ({ capabilities }: Scanner): string =>
  ABILITIES.flatMap(({ key, name }) => (capabilities[key] ? name : [])).join(', ')

const buildColumns = (lastScans: LastScans): readonly Column<Scanner>[] => {
  const last = buildTimeColumn<Scanner>({
    ...{ id: 'last', text: 'Last scan', width: 110, isNewestFirst: true },
    at: ({ id }) => lastScans.get(id) ?? null,
  })
  const abilities: Column<Scanner> = {
    ...{ id: 'capabilities', text: 'Capabilities', width: 230 },
    cell: (scanner) => <span title={formatAbilities(scanner)}>{formatAbilities(scanner)}</span>,
  }
  const seen = buildTimeColumn<Scanner>({
    ...{ id: 'seen', text: 'Last seen', width: 110, isNewestFirst: true },
    at: ({ last_seen_at }) => last_seen_at,
  })
  const own = buildOwnColumns(fields, ORDER, {
    name: ({ id, name }) => (
      <RowLink to="scanners" id={id}>
        {name}
      </RowLink>
    ),
    status: (scanner) => <ScannerStatus {...scanner} />,
    version: (scanner) => <Version {...scanner} />,
    tags: ({ tags }) => <Tags tags={tags} />,
  })
  const all = own.filter(({ id }) => id !== 'seen').toSpliced(ORDER.length, 0, abilities, last, seen)
  return isPast() ? all.filter(({ id }) => STORED.includes(id)) : all
}

const buildSpec = (lastScans: LastScans): TableSpec<Scanner> => {
  const spec = buildTableSpec(fields, ['status', 'name', 'tags'])
  const toNewestFirst = (at: string | null | undefined) => (at ? -Date.parse(at) : 0)
  return {
    ...spec,
    sorts: {
      ...spec.sorts,
      last: ({ id }) => toNewestFirst(lastScans.get(id)),
      seen: ({ last_seen_at }) => toNewestFirst(last_seen_at),
    },
  }
}

/** Returns when each scanner began its last scan, of the newest scans. */
const useLastScans = (): LastScans => {
  const { may } = usePermit()
  const { data } = useQuery({ ...scansQuery(), enabled: may('discovery:list') })
  return useMemo(() => {
    const last = new Map<string, string>()
    for (const { scanner_id, started_at } of data ?? ([] as readonly Scan[]))
      if (scanner_id !== null && started_at !== null && started_at > (last.get(scanner_id) ?? ''))
        last.set(scanner_id, started_at)
    return last
  }, [data])
}

/** Of the past, only these are known. */
const STORED: readonly string[] = ['name', 'tags', 'description', 'use_credentials', 'managed_by', 'updated', 'actions']
const DEFAULT_COLUMNS = ['name', 'status', 'version', 'tags', 'capabilities', 'last', 'seen', 'actions']

const EMPTY =
  'A scanner is Plat running in another network, such as a branch behind NAT: it connects to this server, scans the networks there, and reports what it finds.'

export const ScannersPage = () => {
  const { may } = usePermit()
  const navigate = useNavigate()
  const query = useQuery({ ...scannersQuery, enabled: may('scanners:list') })
  const lastScans = useLastScans()
  const spec = useMemo(() => buildSpec(lastScans), [lastScans])
  const at = useStore(asOf)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the moment decides which columns there are
  const columns = useMemo(() => buildColumns(lastScans), [lastScans, at])
  const [pendingRevoke, setPendingRevoke] = useState<Scanner>()
  const { show, enrol, dialog } = useEnrolment()
  const newScanner = useMemo(
    () =>
      buildNewScanner((made) =>
        show({ scanner: made, token: made.enrolment_token, expiresAt: made.enrolment_expires_at }),
      ),
    [show],
  )
  const missing = may('scanners:update') ? undefined : 'scanners:update'
  const menu = useMemo(
    () => ({
      more: (scanner: Scanner) => (
        <>
          <MenuItem onSelect={() => enrol(scanner)} blocked={missing}>
            {scanner.status === 'pending' ? 'Show how to start it' : 'Enrol again…'}
          </MenuItem>
          <MenuItem
            isDanger
            onSelect={() => setPendingRevoke(scanner)}
            blocked={scanner.status === 'revoked' ? 'It is revoked already' : missing}
          >
            Revoke…
          </MenuItem>
        </>
      ),
    }),
    [enrol, missing],
  )
  return (
    <>
      <ListPage
        resourceName="scanners"
        resource={SCANNER_RESOURCE}
        query={query}
        needs="scanners:list"
        spec={spec}
        columns={columns}
        defaultColumns={isPast() ? STORED : DEFAULT_COLUMNS}
        sort="name"
        placeholder="Name, status:offline, label:oslo, tag:branch"
        empty={EMPTY}
        deleteWarning={DELETE_WARNING}
        open={({ id }) => void navigate({ to: '/scanners/$id', params: { id } })}
        drawer={(id, onClose) => (
          <ResourceDrawer resource={id === undefined ? newScanner : SCANNER_RESOURCE} id={id} onClose={onClose} />
        )}
        menu={menu}
      />
      {pendingRevoke && <RevokeDialog scanner={pendingRevoke} onClose={() => setPendingRevoke(undefined)} />}
      {dialog}
    </>
  )
}
