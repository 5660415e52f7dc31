/** The topology page: one device and its surroundings, the links between switches, or all devices. */
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useRef } from 'react'
import { useStore } from '../api/store.ts'
import { devices, MAX_ROWS } from '../devices/window/device-list-client.ts'
import { useHotkeys } from '../shell/hotkeys.ts'
import { type Hint, Hints, PageHead } from '../shell/page.tsx'
import { PageLoading } from '../shell/page-loading.tsx'
import { formatTerm } from '../table/filter.ts'
import { usePageSearch } from '../table/list-search.ts'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { formatCount, plural } from '../ui/format.ts'
import { Failure, State } from '../ui/states.tsx'
import { FindDevice } from './find-device.tsx'
import { EVEN_MORE_NODES, MOST_HOPS, VIEWS } from './graph.ts'
import { GraphOrTable } from './graph-or-table.tsx'
import { GraphTable } from './graph-table.tsx'
import { GraphView } from './graph-view.tsx'
import { VIEW_TEXTS } from './labels.ts'
import { OverviewTable } from './overview-table.tsx'
import { OverviewView } from './overview-view.tsx'
import { parseHops, parseMost, parseView } from './search.ts'
import { type Placed, useGraph } from './source.ts'
import css from './topology.module.css'
import { areLoaded, useBrief, useNodes } from './use-nodes.ts'

const TABLE_HINTS: readonly Hint[] = [
  [['j', 'k'], 'move'],
  [['↵'], 'open'],
  [['?'], 'all shortcuts'],
]

const ARROWS = ['←', '→', '↑', '↓'] as const
const MORE_HINTS: readonly Hint[] = [
  [['f'], 'fit'],
  [['z'], 'zoom'],
  [['?'], 'all shortcuts'],
]
const WHOLE_HINTS: Readonly<Record<Whole, readonly Hint[]>> = {
  switches: [[ARROWS, 'to a neighbor'], [['↵'], 'focus'], [['o'], 'open'], ...MORE_HINTS],
  devices: [[ARROWS, 'to a dot'], [['↵'], 'its neighbors'], ...MORE_HINTS],
}
const WHOLE_TEXTS: readonly (readonly [Whole, string])[] = [
  ['switches', 'Switches'],
  ['devices', 'All devices'],
]

const Around = ({ focus }: { readonly focus: string }) => {
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const view = parseView(search.view)
  const hops = parseHops(search.hops, view)
  const most = parseMost(search.most)
  const isTable = search.tab === 'table'
  const query = useMemo(() => ({ focus, view, hops, most }), [focus, view, hops, most])
  const { placed, error, retry } = useGraph(query)
  const rows = useNodes(placed?.graph.ids)
  const state = useStore(devices.state)
  const tools = useRef({ fit: () => {}, zoom: () => {} })
  const mostHops = MOST_HOPS[view]
  const setHops = (next: number) => {
    if (next >= 1 && next <= mostHops)
      void set({ hops: next === mostHops ? undefined : String(next) }, { isReplace: true })
  }
  const focusOn = (id: string) => {
    if (id !== focus) void set({ focus: id })
  }
  const open = (id: string) => void navigate({ to: '/devices/$id', params: { id } })
  useHotkeys({ '[': () => setHops(hops - 1), ']': () => setHops(hops + 1) })
  // The device does not exist if the rows are loaded without it. Before that, nothing is known.
  const isMissing =
    placed?.focus === focus && rows.size === 0 && placed.graph.ids.length === 1 && state.status === 'ready'
  const name = rows.get(focus)?.name ?? focus
  return (
    <>
      <PageHead title={name} parent={{ text: 'Topology', link: { to: '/topology' } }}>
        <GraphOrTable isTable={isTable} onChange={(on) => void set({ tab: on ? 'table' : undefined })} />
      </PageHead>
      <div className={tableCss.bar}>
        <fieldset className={css.choice}>
          <legend className="sr">Perspective</legend>
          {VIEWS.map((one) => (
            <Button
              key={one}
              aria-pressed={one === view}
              title={VIEW_TEXTS[one][1]}
              onClick={() => void set({ view: one === 'all' ? undefined : one, hops: undefined })}
            >
              {VIEW_TEXTS[one][0]}
            </Button>
          ))}
        </fieldset>
        <span className={css.hops}>
          <Button
            isIcon
            aria-label="Fewer hops"
            aria-keyshortcuts="["
            disabled={hops <= 1}
            onClick={() => setHops(hops - 1)}
          >
            −
          </Button>
          <output aria-label="Hops">{plural(hops, 'hop')}</output>
          <Button
            isIcon
            aria-label="More hops"
            aria-keyshortcuts="]"
            disabled={hops >= mostHops}
            onClick={() => setHops(hops + 1)}
          >
            +
          </Button>
        </span>
        {most === EVEN_MORE_NODES ? (
          <Button onClick={() => void set({ most: undefined }, { isReplace: true })}>Show fewer</Button>
        ) : (
          placed &&
          placed.graph.left > 0 && (
            <Button onClick={() => void set({ most: String(EVEN_MORE_NODES) }, { isReplace: true })}>
              Show up to {formatCount(EVEN_MORE_NODES)}
            </Button>
          )
        )}
        <FindDevice onFound={focusOn} />
        {!isTable && (
          <span className={tableCss.end}>
            <Button onClick={() => tools.current.fit()}>
              Fit<kbd>f</kbd>
            </Button>{' '}
            <Button onClick={() => tools.current.zoom()}>
              Zoom<kbd>z</kbd>
            </Button>
          </span>
        )}
      </div>
      {error && <Failure error={error} onRetry={retry} />}
      {!error && !placed && <PageLoading />}
      {isMissing && state.total > 0 && <MissingOrAlone id={focus} />}
      {placed && !error && isTable && <GraphTable placed={placed} rows={rows} onOpen={open} />}
      {placed && !error && !isTable && (
        <GraphView
          placed={placed}
          rows={rows}
          isBusy={!placed.isSettled || (!areLoaded(rows) && state.status !== 'failed')}
          onFocus={focusOn}
          onOpen={open}
          onToggle={(id) => void set({ impact: id, tab: undefined })}
          tools={(given) => {
            tools.current = given
          }}
        />
      )}
      <Hints
        hints={
          isTable
            ? TABLE_HINTS
            : [
                [['←', '→', '↑', '↓'], 'to a neighbor'],
                [['↵'], 'focus'],
                [['o'], 'open'],
                [['[', ']'], 'hops'],
                [['f'], 'fit'],
                [['z'], 'zoom'],
                [['?'], 'all shortcuts'],
              ]
        }
      />
    </>
  )
}

const MissingOrAlone = ({ id }: { readonly id: string }) => (
  <p className={tableCss.stale} role="status">
    There is no device with the id {id} among those that you see.
  </p>
)

/** What the page shows without a device in the middle. */
type Whole = 'switches' | 'devices'

/** Earlier links lead to the table of all devices without a view. */
const parseWhole = (view: string | undefined, isTable: boolean): Whole =>
  view === 'devices' || (isTable && view !== 'switches') ? 'devices' : 'switches'

type SwitchesProps = {
  readonly placed: Placed
  readonly isTable: boolean
  readonly onFocus: (id: string) => void
}

const Switches = ({ placed, isTable, onFocus }: SwitchesProps) => {
  const navigate = useNavigate()
  const { set } = usePageSearch()
  const rows = useNodes(placed.graph.ids)
  const open = (id: string) => void navigate({ to: '/devices/$id', params: { id } })
  if (isTable) return <GraphTable placed={placed} rows={rows} onOpen={open} />
  const isBusy = !placed.isSettled || !areLoaded(rows)
  return (
    <GraphView
      placed={placed}
      rows={rows}
      isBusy={isBusy}
      onFocus={onFocus}
      onOpen={open}
      onToggle={(id) => void set({ impact: id, tab: undefined })}
      tools={() => {}}
    />
  )
}

const Estate = () => {
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const brief = useBrief()
  const { status, error, isMany, total } = useStore(devices.state)
  const many = useStore(devices.many)
  const isTable = search.tab === 'table'
  const most = parseMost(search.most)
  const wanted = parseWhole(search.view, isTable)
  const query = useMemo(
    () =>
      brief && wanted === 'switches'
        ? ({ view: 'switches', ids: brief.switches.map((place) => brief.ids[place] ?? ''), most } as const)
        : undefined,
    [brief, wanted, most],
  )
  const { placed, error: failure, retry } = useGraph(query)
  const graph = placed?.view === 'switches' && wanted === 'switches' ? placed : undefined
  // Where no two switches are connected, there is nothing to draw but the devices.
  const shown = graph?.graph.links.length === 0 ? 'devices' : wanted
  const focusOn = (id: string) =>
    void set({ focus: id, tab: undefined, view: undefined, most: undefined, sort: undefined, desc: undefined })
  return (
    <>
      <PageHead>
        <GraphOrTable
          isTable={isTable}
          onChange={(on) => void set({ tab: on ? 'table' : undefined, view: on ? shown : search.view })}
        />
      </PageHead>
      <div className={tableCss.bar}>
        <fieldset className={css.choice}>
          <legend className="sr">Perspective</legend>
          {WHOLE_TEXTS.map(([one, text]) => (
            <Button key={one} aria-pressed={one === shown} onClick={() => void set({ view: one })}>
              {text}
            </Button>
          ))}
        </fieldset>
        {graph && graph.graph.left > 0 && (
          <Button onClick={() => void set({ most: String(EVEN_MORE_NODES) }, { isReplace: true })}>
            Show up to {formatCount(EVEN_MORE_NODES)}
          </Button>
        )}
        <FindDevice onFound={focusOn} />
      </div>
      {!brief && status === 'failed' && <Failure error={error} onRetry={devices.load} />}
      {failure && shown === 'switches' && <Failure error={failure} onRetry={retry} />}
      {!brief && status !== 'failed' && !isMany && <PageLoading />}
      {brief && brief.ids.length > 0 && shown === 'switches' && !graph && !failure && <PageLoading />}
      {isMany && many && <State title="Too many devices for one picture" text={many.formatTooMany(total, MAX_ROWS)} />}
      {brief && brief.ids.length === 0 && (
        <State title="No devices yet" text="This page shows the relationships of devices." />
      )}
      {graph && shown === 'switches' && <Switches placed={graph} isTable={isTable} onFocus={focusOn} />}
      {brief && brief.ids.length > 0 && shown === 'devices' && isTable && (
        <OverviewTable
          brief={brief}
          onOpen={(name) => void navigate({ to: '/devices', search: name === '' ? {} : { q: formatTerm('dc', name) } })}
        />
      )}
      {brief && brief.ids.length > 0 && shown === 'devices' && !isTable && (
        <OverviewView brief={brief} onFocus={focusOn} />
      )}
      <Hints hints={isTable ? TABLE_HINTS : WHOLE_HINTS[shown]} />
    </>
  )
}

/** Its code is loaded when it is opened. */
const WhatIf = lazy(() => import('./impact/what-if.tsx').then((module) => ({ default: module.WhatIf })))

export const TopologyPage = () => {
  const { focus, impact = '' } = usePageSearch().search
  if (impact !== '')
    return (
      <Suspense fallback={<PageLoading />}>
        <WhatIf />
      </Suspense>
    )
  return focus === undefined || focus === '' ? <Estate /> : <Around focus={focus} />
}
