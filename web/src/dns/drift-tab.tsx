/** The last comparison of a zone with its server. Entries are settled one by one, or all of a kind. */

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { toSortKey } from '../../../src/net/name-order.ts'
import { api } from '../api/client.ts'
import { usePermit, usePermitted } from '../shell/me.ts'
import type { Column } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import type { TableSpec } from '../table/engine.ts'
import { FilterBar, useFilterText } from '../table/filter-bar.tsx'
import { ListContent } from '../table/list-content.tsx'
import { useSorting } from '../table/list-search.ts'
import { useLocalView } from '../table/view.ts'
import { Button } from '../ui/button.tsx'
import { formatCount, plural } from '../ui/format.ts'
import { Badge, TimeAgo } from '../ui/primitives.tsx'
import { State } from '../ui/states.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import css from './dns.module.css'
import { type Direction, formatSide, KIND_TEXTS, KIND_TONES, KINDS } from './labels.ts'
import { type Drift, type DriftEntry, driftQuery, ZONE_KEYS, type Zone } from './queries.ts'
import { ResolveDialog, type Settling, useResolveBlock } from './resolve-dialog.tsx'

const buildId = ({ name, type }: DriftEntry): string => `${name} ${type}`

const SPEC: TableSpec<DriftEntry> = {
  id: buildId,
  text: ({ name, type, plat, server }) => [name, type, ...plat, ...server].join('\n'),
  sorts: {
    name: ({ name }) => toSortKey(name),
    type: ({ type }) => type,
    kind: ({ kind }) => KINDS.indexOf(kind),
  },
  fields: {
    kind: ({ kind }, value) => kind.startsWith(value),
    type: ({ type }, value) => type.toLowerCase() === value,
  },
  facets: { kind: ({ kind }) => [kind], type: ({ type }) => [type] },
}

const Side = ({ values, ttl }: { readonly values: readonly string[]; readonly ttl: number | null }) => {
  const text = formatSide(values, ttl)
  if (text === '') return <span className="muted">nothing</span>
  return (
    <span className="mono truncate" title={text}>
      {text}
    </span>
  )
}

type Block = (direction: Direction) => string | undefined
type Ask = (settling: Settling) => void

const buildColumns = (ask: Ask, block: Block): readonly Column<DriftEntry>[] => [
  {
    id: 'name',
    text: 'Name',
    width: 180,
    isSortable: true,
    isEssential: true,
    cell: ({ name }) => <span className="mono">{name}</span>,
  },
  { id: 'type', text: 'Type', width: 80, isSortable: true, cell: ({ type }) => type },
  {
    id: 'kind',
    text: 'Kind',
    width: 110,
    isSortable: true,
    isEssential: true,
    cell: ({ kind }) => (
      <span title={KIND_TEXTS[kind]}>
        <Badge tone={KIND_TONES[kind]}>{kind}</Badge>
      </span>
    ),
  },
  { id: 'plat', text: 'Plat', width: 280, cell: ({ plat, plat_ttl }) => <Side values={plat} ttl={plat_ttl} /> },
  {
    id: 'server',
    text: 'Server',
    width: 280,
    cell: ({ server, server_ttl }) => <Side values={server} ttl={server_ttl} />,
  },
  {
    id: 'settle',
    text: 'Actions',
    isHeadHidden: true,
    width: 150,
    isRight: true,
    isEssential: true,
    cell: (entry) => (
      <span className={css.rowActions}>
        {(['push', 'pull'] as const).map((direction) => (
          <Button
            key={direction}
            // Not a tab stop: Enter on the row asks for both.
            tabIndex={-1}
            aria-label={`${direction === 'push' ? 'Push' : 'Pull'} ${buildId(entry)}`}
            blocked={block(direction)}
            onClick={() => ask({ direction, entries: [entry] })}
          >
            {direction === 'push' ? 'Push' : 'Pull'}
          </Button>
        ))}
      </span>
    ),
  },
]

type KindsProps = { readonly drift: Drift; readonly ask: Ask; readonly block: Block }

/** The number of entries of each kind, and the buttons that settle all of them. */
const Kinds = ({ drift, ask, block }: KindsProps) => (
  <ul className={css.kinds} aria-label="Kinds of differences">
    {KINDS.filter((kind) => drift[kind] > 0).map((kind) => {
      const entries = drift.entries.filter((one) => one.kind === kind)
      return (
        <li key={kind}>
          <Badge tone={KIND_TONES[kind]}>
            {formatCount(drift[kind])} {kind}
          </Badge>
          <span className="muted">{KIND_TEXTS[kind]}</span>
          <span className={css.rowActions}>
            <Button
              aria-label={`Push all ${kind}`}
              blocked={block('push')}
              onClick={() => ask({ direction: 'push', entries, kind })}
            >
              Push all
            </Button>
            <Button
              aria-label={`Pull all ${kind}`}
              blocked={block('pull')}
              onClick={() => ask({ direction: 'pull', entries, kind })}
            >
              Pull all
            </Button>
          </span>
        </li>
      )
    })}
  </ul>
)

const useCheck = (zone: Zone) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api.dnsZones.check({ id: zone.id }),
    onSuccess: (report) => {
      client.setQueryData(driftQuery(zone.id).queryKey, report)
      const drifted = report.missing + report.changed
      toast(drifted === 0 ? 'The server holds all that Plat published' : `${plural(drifted, 'RRset')} drifted`)
      for (const key of ZONE_KEYS) void client.invalidateQueries({ queryKey: [key] })
    },
    onError: (error) => toastError('The zone could not be checked', error),
  })
}

const Report = ({ zone, drift }: { readonly zone: Zone; readonly drift: Drift }) => {
  const [text, setText] = useFilterText()
  const { sort, isDescending, onSort } = useSorting('name')
  const view = useLocalView<DriftEntry>(drift.entries, SPEC, { q: text, sort, isDescending })
  const [settling, setSettling] = useState<Settling>()
  const block = useResolveBlock(zone)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the permissions stay the same
  const columns = useMemo(() => buildColumns(setSettling, block), [zone.mode])
  return (
    <>
      <Kinds drift={drift} ask={setSettling} block={block} />
      <FilterBar
        text={text}
        onChange={setText}
        placeholder="Name, value, kind:foreign, type:a"
        fields={Object.keys(SPEC.fields)}
        loadFacets={view.facets}
        noun="difference"
        shown={view.count}
        total={view.total}
      />
      {drift.is_cut && (
        <p className={css.note}>Only the first {formatCount(drift.entries.length)} differences are listed.</p>
      )}
      <ListContent
        view={view}
        error={undefined}
        refetch={() => {}}
        columns={columns}
        filter={text}
        onClear={() => setText('')}
        empty={{ title: 'Nothing differs', text: 'The server holds all that Plat published, and nothing else.' }}
        table={
          <DataTable
            label="Differences"
            columns={columns}
            view={view}
            sorting={{ sort, isDescending }}
            onSort={onSort}
            getId={buildId}
            getName={buildId}
            actions={{ open: (entry) => setSettling({ direction: undefined, entries: [entry] }) }}
          />
        }
      />
      {settling && <ResolveDialog zone={zone} settling={settling} onClose={() => setSettling(undefined)} />}
    </>
  )
}

export const DriftTab = ({ zone }: { readonly zone: Zone }) => {
  const { blocked } = usePermit()
  const { data: drift, error, refetch } = usePermitted('dns:read', driftQuery(zone.id))
  const check = useCheck(zone)
  const checkNow = (
    <Button onClick={() => check.mutate()} disabled={check.isPending} blocked={blocked('dns:sync')}>
      {check.isPending ? 'Comparing …' : 'Check now'}
    </Button>
  )
  if (zone.provider_id === null)
    return (
      <State title="There is no server to compare with" text="This zone is only a file. Its settings name a server." />
    )
  if (drift?.checked_at === null)
    return (
      <State title="Not compared yet" text="A check transfers the zone from its server and lists each difference.">
        {checkNow}
      </State>
    )
  return (
    <>
      <div className={css.compared}>
        <span>
          {drift?.checked_at && (
            <>
              Compared <TimeAgo at={drift.checked_at} />
            </>
          )}
          {drift?.server_serial != null && <span className="muted"> · serial {drift.server_serial} on the server</span>}
        </span>
        {checkNow}
      </div>
      {drift ? (
        <Report zone={zone} drift={drift} />
      ) : (
        <ListContent
          view={undefined}
          error={error}
          refetch={refetch}
          columns={buildColumns(
            () => {},
            () => undefined,
          )}
          filter=""
          onClear={() => {}}
          empty={{ title: '', text: '' }}
          table={null}
        />
      )}
    </>
  )
}
