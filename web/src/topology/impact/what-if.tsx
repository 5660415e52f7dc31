/** What if these devices go away? A picture of the affected devices with their list beside it, or the list as a table. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useRef } from 'react'
import { Hints, PageHead } from '../../shell/page.tsx'
import { PageLoading } from '../../shell/page-loading.tsx'
import { usePageSearch } from '../../table/list-search.ts'
import tableCss from '../../table/table.module.css'
import { Button } from '../../ui/button.tsx'
import { Failure, State } from '../../ui/states.tsx'
import { FindDevice } from '../find-device.tsx'
import { MOST_NODES } from '../graph.ts'
import { GraphOrTable } from '../graph-or-table.tsx'
import { GraphView } from '../graph-view.tsx'
import { parseImpact, toggleImpact } from '../search.ts'
import { useGraph } from '../source.ts'
import { areLoaded, useNodes } from '../use-nodes.ts'
import { formatSummary, type Impact, listMarks, listRows } from './effects.ts'
import { ImpactPanel, ImpactTools } from './impact-panel.tsx'
import { impactQuery } from './impact-query.ts'
import { ImpactTable } from './impact-table.tsx'

const PARENT = { text: 'Topology', link: { to: '/topology' } } as const

type ContentProps = {
  readonly impact: Impact
  readonly isTable: boolean
  readonly onToggle: (id: string) => void
}

const Content = ({ impact, isTable, onToggle }: ContentProps) => {
  const navigate = useNavigate()
  const rows = useMemo(() => listRows(impact), [impact])
  const marks = useMemo(() => listMarks(rows), [rows])
  const query = useMemo(
    () => (isTable ? undefined : ({ view: 'affected', ids: [...marks.keys()], most: MOST_NODES } as const)),
    [marks, isTable],
  )
  const { placed, error, retry } = useGraph(query)
  const nodes = useNodes(placed?.graph.ids)
  const tools = useRef({ fit: () => {}, zoom: () => {} })
  const open = (id: string) => void navigate({ to: '/devices/$id', params: { id } })
  if (isTable)
    return (
      <>
        <p className={tableCss.note} role="status">
          {formatSummary(impact)}. <ImpactTools impact={impact} />
        </p>
        <ImpactTable rows={rows} onOpen={open} />
        <Hints
          hints={[
            [['j', 'k'], 'move'],
            [['↵'], 'open'],
            [['?'], 'all shortcuts'],
          ]}
        />
      </>
    )
  if (error) return <Failure error={error} onRetry={retry} />
  if (placed?.view !== 'affected') return <PageLoading />
  return (
    <>
      <GraphView
        placed={placed}
        rows={nodes}
        isBusy={!placed.isSettled || !areLoaded(nodes)}
        onFocus={onToggle}
        onOpen={open}
        onToggle={onToggle}
        tools={(given) => {
          tools.current = given
        }}
        impact={{
          marks,
          panel: ({ id, name, onPick }) => (
            <ImpactPanel impact={impact} rows={rows} selected={{ id, name }} onPick={onPick} onToggle={onToggle} />
          ),
        }}
      />
      <Hints
        hints={[
          [['←', '→', '↑', '↓'], 'to a neighbor'],
          [['↵'], 'goes away, or stays'],
          [['o'], 'open'],
          [['f'], 'fit'],
          [['z'], 'zoom'],
          [['?'], 'all shortcuts'],
        ]}
      />
    </>
  )
}

export const WhatIf = () => {
  const { search, set } = usePageSearch()
  const ids = useMemo(() => parseImpact(search.impact), [search.impact])
  const isPast = search.as_of !== undefined
  const { data, error, refetch } = useQuery({ ...impactQuery({ device_ids: [...ids] }), enabled: !isPast })
  const count = data ? data.affected.length : 0
  // The list comes first where the picture would leave devices out.
  const isTable = search.tab === undefined ? count > MOST_NODES : search.tab === 'table'
  const toggle = (id: string) => void set({ impact: toggleImpact(ids, id) })
  const title = data?.failed.length === 1 ? `Without ${data.failed[0]?.name ?? ''}` : `Without ${ids.length} devices`
  return (
    <>
      <PageHead title={title} parent={PARENT}>
        <GraphOrTable isTable={isTable} onChange={(on) => void set({ tab: on ? 'table' : 'graph' })} />
      </PageHead>
      <div className={tableCss.bar}>
        <FindDevice
          label="Add a device that goes away"
          placeholder="One more device goes away: its name or address, then Enter"
          onFound={(id) => {
            if (!ids.includes(id)) toggle(id)
          }}
        />
        <span className={tableCss.end}>
          <Button onClick={() => void set({ impact: undefined, tab: undefined })}>Close</Button>
        </span>
      </div>
      {isPast && (
        <State title="Only of the present" text="An impact is computed from the relationships and cables of today." />
      )}
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!isPast && !error && !data && <PageLoading />}
      {data && <Content impact={data} isTable={isTable} onToggle={toggle} />}
    </>
  )
}
