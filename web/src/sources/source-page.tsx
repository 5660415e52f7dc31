/** The page of one source: its differences, its objects, its runs and its settings. */
import { getRouteApi } from '@tanstack/react-router'
import { useEffect } from 'react'
import { contracts } from '../api/contracts.ts'
import { type Fact, MissingObject, MovedTo, ObjectPage } from '../resource/object/object-page.tsx'
import { usePermit, usePermitted } from '../shell/me.ts'
import { PageLoading } from '../shell/page-loading.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { CopyText, TimeAgo } from '../ui/primitives.tsx'
import { TestResult, useTest } from './connection.tsx'
import { DeleteSource } from './delete-source.tsx'
import { takeMade } from './just-made.ts'
import { countOpen, formatInterval } from './labels.ts'
import { NextRun, SourceStatus } from './marks.tsx'
import { ChangesTab } from './objects/changes-tab.tsx'
import { ObjectsTab } from './objects/objects-tab.tsx'
import { kindsQuery, type Source, type SourceKind, sourceQuery } from './queries.ts'
import { RunsTab } from './runs/runs-tab.tsx'
import { SettingsTab } from './settings/settings-tab.tsx'
import { isFetched, StateBand, useRun } from './state-band.tsx'

const route = getRouteApi('/app/sources/$id')
const PARENT = { text: 'Sources', link: { to: '/sources', search: {} } } as const

const listStrip = (source: Source, kind: SourceKind | undefined): readonly Fact[] => [
  ['State', <SourceStatus key="status" {...source} />],
  ['System', source.product || kind?.title],
  ['URL', source.url !== '' && <CopyText key="url" text={source.url} label="URL" />],
  ['Differences', source.mode === 'auto' ? 'applied by each run' : 'applied by a person'],
  ['Last success', source.last_success_at !== null && <TimeAgo key="success" at={source.last_success_at} />],
  ['Read', kind && isFetched(source, kind) ? formatInterval(source.interval_minutes) : kind && 'pushed'],
  ['Next run', source.next_run_at !== null && <NextRun key="next" at={source.next_run_at} />],
]

export const SourcePage = () => {
  const { id } = route.useParams()
  const { search } = usePageSearch()
  const { blocked } = usePermit()
  const { data, error, refetch } = usePermitted('sources:read', sourceQuery(id))
  const { data: kinds } = usePermitted('sources:list', kindsQuery)
  const test = useTest(id)
  const run = useRun(id)
  const { mutate: begin } = test
  const isKnown = data !== undefined
  useEffect(() => {
    if (isKnown && takeMade(id)) begin()
  }, [isKnown, id, begin])
  const source = data?.value
  if (!source) return <MissingObject noun="source" parent={PARENT} error={error} refetch={refetch} />
  if (search.edit !== undefined) return <MovedTo tab="settings" edit={undefined} />
  const kind = kinds?.find((one) => one.kind === source.kind)
  const isPushed = kind !== undefined && !isFetched(source, kind)
  const noRun = isPushed ? 'Its snapshots are pushed' : source.enabled ? undefined : 'It is off'
  return (
    <ObjectPage
      noun="source"
      parent={PARENT}
      id={id}
      title={source.name}
      get={contracts.sources.get}
      actions={[
        {
          text: test.isPending ? 'Testing …' : 'Test',
          onSelect: () => begin(),
          blocked: blocked('sources:run') ?? (isPushed ? noRun : undefined),
          disabled: test.isPending,
        },
        {
          text: 'Read now',
          onSelect: () => run.mutate({}),
          blocked: blocked('sources:run') ?? noRun,
          disabled: run.isPending || source.is_running,
        },
      ]}
      remove={{
        blocked: blocked('sources:delete'),
        dialog: (close, leave) => <DeleteSource source={source} onClose={close} onDeleted={leave} />,
      }}
      strip={listStrip(source, kind)}
      above={
        <>
          <StateBand source={source} kind={kind} isTested={test.status !== 'idle'} />
          <TestResult source={source} test={test} />
        </>
      }
      tabs={[
        {
          id: 'changes',
          text: 'Changes',
          count: countOpen(source),
          content: <ChangesTab source={source} />,
          isFull: true,
        },
        {
          id: 'objects',
          text: 'Objects',
          count: source.counts.objects,
          content: <ObjectsTab key={id} source={source} />,
          isFull: true,
        },
        { id: 'runs', text: 'Runs', content: <RunsTab source={source} />, isFull: true },
        {
          ...{ id: 'settings', text: 'Settings', isFull: true, hasKeys: true },
          content: kind ? <SettingsTab key={id} source={source} kind={kind} /> : <PageLoading />,
        },
      ]}
    />
  )
}
