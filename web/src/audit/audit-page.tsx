/** The audit log, newest entries first. Scrolling loads older entries. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { RefreshCw, ShieldCheck } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { type AuditEntry, contracts } from '../api/contracts.ts'
import { serverConfigQuery } from '../api/queries.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { announced } from '../shell/announcer.tsx'
import { createForbidden, usePermit } from '../shell/me.ts'
import { Hints, PageHead } from '../shell/page.tsx'
import { ColumnsMenu, useColumns } from '../table/columns-menu.tsx'
import { DataTable } from '../table/data-table.tsx'
import { usePageSearch } from '../table/list-search.ts'
import tableCss from '../table/table.module.css'
import { TableSkeleton } from '../table/table-skeleton.tsx'
import { usePagedView } from '../table/use-paged-view.ts'
import { Button } from '../ui/button.tsx'
import { plural } from '../ui/format.ts'
import { Failure, State } from '../ui/states.tsx'
import { ViewsMenu } from '../views/views-menu.tsx'
import { AUDIT_COLUMNS, AUDIT_DEFAULT_COLUMNS } from './columns.tsx'
import { EntryDrawer } from './entry-drawer.tsx'
import { ExportMenu } from './export-menu.tsx'
import { isFiltered, NO_FILTER, toFilter } from './filter.ts'
import { AuditFilters } from './filters.tsx'
import { entriesQuery } from './queries.ts'
import { useVerification, VerifyResult } from './verify.tsx'

const NEWEST = { sort: 'time', isDescending: true }

const Nothing = ({ onClear }: { readonly onClear: (() => void) | undefined }) => {
  const { data } = useQuery(serverConfigQuery)
  if (onClear)
    return (
      <State title="No entry matches the filter" text="Try another time, user or resource.">
        <Button onClick={onClear}>Clear filter</Button>
      </State>
    )
  return (
    <State
      title="No entry yet"
      text={
        data?.features.audit === false ? (
          <>
            The log is off. To record changes, start Plat with <code className="mono">AUDIT_ENABLED=true</code>.
          </>
        ) : (
          'Changes from now on are recorded here.'
        )
      }
    />
  )
}

/** The end of a time span is fixed until the filter changes or the list is refreshed. */
const useFilter = () => {
  const { search } = usePageSearch()
  const [askedAtMs, setAskedAtMs] = useState(Date.now)
  const { action, resource, resource_id, user, status, span, from, to } = search
  const filter = useMemo(
    () => toFilter({ action, resource, resource_id, user, status, span, from, to }, askedAtMs),
    [action, resource, resource_id, user, status, span, from, to, askedAtMs],
  )
  return { filter, renew: () => setAskedAtMs(Date.now()) }
}

const Wrap = ({ children }: { readonly children: ReactNode }) => <div className={tableCss.wrap}>{children}</div>

export const AuditPage = () => {
  const { search, set } = usePageSearch()
  const { may, blocked } = usePermit()
  const { filter, renew } = useFilter()
  const isAllowed = may('audit:list')
  const { query, view, total, rows } = usePagedView(useInfiniteQuery({ ...entriesQuery(filter), enabled: isAllowed }))
  const verification = useVerification()
  const choice = useColumns('Audit log', AUDIT_COLUMNS, AUDIT_DEFAULT_COLUMNS)
  const refresh = () => {
    renew()
    if (filter.start_time === undefined) void query.refetch()
  }
  const summary = query.data ? plural(total, 'entry', 'entries') : ''
  useEffect(() => {
    if (summary !== '') announced.set(summary)
  }, [summary])
  const clear = () => void set(NO_FILTER, { isReplace: true })
  return (
    <>
      <PageHead>
        <Button onClick={() => verification.mutate()} blocked={blocked('audit:read')} disabled={verification.isPending}>
          <ShieldCheck size={15} aria-hidden="true" />
          Verify
        </Button>
        <ExportMenu filter={filter} />
      </PageHead>
      <AuditFilters rows={rows}>
        <span className={tableCss.summary}>{summary}</span>
        <span className={tableCss.end}>
          <Button isIcon aria-label="Refresh" onClick={refresh} disabled={query.isFetching}>
            <RefreshCw size={15} aria-hidden="true" />
          </Button>{' '}
          <ViewsMenu />{' '}
          <CommandMenu getCall={() => ({ op: contracts.audit.list, input: { ...filter, include: 'names' } })} />{' '}
          <ColumnsMenu all={AUDIT_COLUMNS} choice={choice} />
        </span>
      </AuditFilters>
      <VerifyResult verification={verification} />
      <Wrap>
        {!isAllowed && <Failure error={createForbidden('audit:list')} />}
        {isAllowed && query.error && !query.data && (
          <Failure error={query.error} onRetry={() => void query.refetch()} />
        )}
        {isAllowed && !query.error && !query.data && <TableSkeleton columns={choice.columns} />}
        {query.data && rows.length === 0 && <Nothing onClear={isFiltered(search) ? clear : undefined} />}
        {rows.length > 0 && (
          <DataTable<AuditEntry>
            label="Audit log"
            columns={choice.columns}
            view={view}
            sorting={NEWEST}
            onSort={() => {}}
            getId={({ id }) => id}
            getName={({ action, resource, object }) => [action, resource, object?.name].filter(Boolean).join(' ')}
            actions={{ open: ({ id }) => void set({ entry: id }) }}
          />
        )}
      </Wrap>
      <Hints
        hints={[
          [['j', 'k'], 'move'],
          [['↵'], 'open'],
          [['?'], 'all shortcuts'],
        ]}
      />
      {search.entry !== undefined && (
        <EntryDrawer
          key={search.entry}
          id={search.entry}
          known={rows.find(({ id }) => id === search.entry)}
          isComing={isAllowed && query.isPending}
          onClose={() => void set({ entry: undefined })}
        />
      )}
    </>
  )
}
