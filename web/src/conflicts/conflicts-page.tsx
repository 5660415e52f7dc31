/** The list of conflicts: addresses that several devices have, and overlapping subnets. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { RefreshCw } from 'lucide-react'
import { useMemo } from 'react'
import { api } from '../api/client.ts'
import type { Conflict } from '../api/contracts.ts'
import { ListPage } from '../resource/list-page.tsx'
import { usePermit } from '../shell/me.ts'
import { SpaceBadge, useSpaceChoice } from '../spaces/known-spaces.tsx'
import type { Column } from '../table/column.ts'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { plural } from '../ui/format.ts'
import { TimeAgo } from '../ui/primitives.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import { ConflictDrawer } from './conflict-drawer.tsx'
import { conflictResource, conflictSpec } from './conflict-spec.ts'
import { formatSubject, StatusBadge, TYPES } from './marks.tsx'
import { conflictListQuery, STATUSES, type Status, summaryQuery } from './queries.ts'

const COLUMNS: readonly Column<Conflict>[] = [
  {
    id: 'subject',
    text: 'What',
    width: 160,
    isSortable: true,
    isEssential: true,
    cell: (conflict) => (
      <>
        <Link to="." search={(old: object) => ({ ...old, entry: conflict.id })} className="mono" tabIndex={-1}>
          {formatSubject(conflict)}
        </Link>
        <SpaceBadge space_id={conflict.space_id} />
      </>
    ),
  },
  { id: 'type', text: 'Type', width: 130, isSortable: true, cell: ({ type }) => TYPES[type] },
  {
    id: 'description',
    text: 'Description',
    width: 280,
    isEssential: true,
    cell: ({ description }) => <span title={description}>{description}</span>,
  },
  { id: 'status', text: 'Status', width: 110, cell: ({ status }) => <StatusBadge status={status} /> },
  {
    id: 'detected',
    text: 'Detected',
    width: 110,
    isSortable: true,
    isNewestFirst: true,
    cell: ({ detected_at }) => <TimeAgo at={detected_at} />,
  },
  {
    id: 'resolved',
    text: 'Resolved',
    width: 110,
    isSortable: true,
    isNewestFirst: true,
    cell: ({ resolved_at }) => resolved_at !== null && <TimeAgo at={resolved_at} />,
  },
  { id: 'by', text: 'By', width: 100, isSortable: true, cell: ({ resolved_by }) => resolved_by },
  { id: 'notes', text: 'Notes', width: 140, cell: ({ notes }) => <span title={notes}>{notes}</span> },
]

const DEFAULT_COLUMNS: Readonly<Record<Status, readonly string[]>> = {
  active: ['subject', 'type', 'description', 'detected', 'notes'],
  ignored: ['subject', 'type', 'description', 'detected', 'by', 'notes'],
  resolved: ['subject', 'type', 'description', 'resolved', 'by', 'notes'],
}

const NOTHING: Readonly<Record<Status, readonly [title: string, text: string]>> = {
  active: ['No conflicts found', 'No two devices have the same address, and no two networks the same subnet.'],
  ignored: [
    'Nothing is ignored',
    'Ignored conflicts, such as an anycast address, are listed here and not raised again.',
  ],
  resolved: ['Nothing was resolved yet', 'Resolved conflicts are listed here.'],
}

/** Checks the whole inventory for conflicts again. */
const CheckAgain = () => {
  const { blocked } = usePermit()
  const client = useQueryClient()
  const check = useMutation({
    mutationFn: () => api.conflicts.detect(),
    onSuccess: ({ count }) => {
      toast(count === 0 ? 'Checked: no conflicts found' : `Checked: ${plural(count, 'active conflict')}`)
      for (const key of ['conflicts', 'dashboard']) void client.invalidateQueries({ queryKey: [key] })
    },
    onError: (error) => toastError('It could not be checked', error),
  })
  return (
    <Button onClick={() => check.mutate()} disabled={check.isPending} blocked={blocked('conflicts:detect')}>
      <RefreshCw size={15} aria-hidden="true" />
      Check everything again
    </Button>
  )
}

export const ConflictsPage = () => {
  const { search, set } = usePageSearch()
  const { may } = usePermit()
  const mayList = may('conflicts:list')
  const status = STATUSES.find((one) => one === search.tab) ?? 'active'
  const query = useQuery({ ...conflictListQuery(status), enabled: mayList })
  const { data: summary } = useQuery({ ...summaryQuery, enabled: mayList })
  const [nothing, empty] = NOTHING[status]
  const { holds, given, control } = useSpaceChoice()
  const data = useMemo(() => query.data?.filter(holds), [query.data, holds])
  return (
    <ListPage
      resourceName="conflicts"
      resource={conflictResource}
      query={{ ...query, data } as typeof query}
      tools={control}
      call={given}
      needs="conflicts:list"
      spec={conflictSpec}
      columns={COLUMNS}
      defaultColumns={DEFAULT_COLUMNS[status]}
      sort="detected"
      placeholder="Address, subnet, notes, type:, by:"
      nothing={nothing}
      empty={empty}
      deleteWarning="If its cause still exists, the next check raises it again."
      canCreate={false}
      actions={<CheckAgain />}
      tabs={
        <Tabs
          label="Conflicts"
          current={status}
          tabs={STATUSES.map((id) => ({
            id,
            text: id.slice(0, 1).toUpperCase() + id.slice(1),
            count: summary?.[id],
          }))}
        />
      }
      open={({ id }) => void set({ entry: id })}
      entry={(id, onClose, onDelete) => (
        <ConflictDrawer
          id={id}
          known={query.data?.find((one) => one.id === id)}
          onClose={onClose}
          onDelete={onDelete}
        />
      )}
    />
  )
}
