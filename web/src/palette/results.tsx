/** The rows of the palette for a text, and its keys. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { type RefObject, useDeferredValue, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { keepMoment } from '../api/as-of.ts'
import { api } from '../api/client.ts'
import { useMe, usePermit } from '../shell/me.ts'
import { paletteIsOpen } from '../shell/palette-state.ts'
import { useSignOut } from '../shell/user-menu.tsx'
import { SpaceBadge } from '../spaces/known-spaces.tsx'
import { type View, viewsQuery } from '../views/views.ts'
import { buildKindEntries, buildKnownEntries, buildResultEntries, buildViewEntries, type Entry } from './entries.ts'
import { findMarked, keepMarked, orderRows, type Rows } from './order.ts'
import css from './palette.module.css'

const NONE: readonly View[] = []
const NO_KINDS: readonly never[] = []

/** The delay between the last keystroke and the request. */
const SETTLE_MS = 120

const useSettled = (text: string): string => {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return useDeferredValue(settled)
}

const SEARCHED_FROM = 2
const LOOKED_UP_FROM = 3

/** Returns the kinds in the sidebar. */
const useKinds = () => useMe().kinds ?? NO_KINDS

/** Returns the answers of the server for exactly this text. */
const useAnswers = (text: string) => {
  const go = useNavigate()
  const maySearch = usePermit().may('search:read')
  const kinds = useKinds()
  const wanted = useSettled(text)
  const search = useQuery({
    queryKey: ['search', wanted],
    queryFn: () => api.search.all({ q: wanted }),
    enabled: maySearch && wanted.length >= SEARCHED_FROM,
  })
  const lookup = useQuery({
    queryKey: ['lookup', wanted],
    queryFn: async () => (await import('../lookup/palette-lookup.ts')).findAnswers(wanted),
    enabled: maySearch && wanted.length >= LOOKED_UP_FROM,
  })
  // Answers for an older text are not for this one.
  if (wanted !== text) return { answers: [], found: [], isAnswered: !maySearch || text.length < SEARCHED_FROM }
  const answers = (lookup.data ?? []).map(
    (answer): Entry => ({
      ...{ id: `lookup ${answer.text}`, group: 'Answer', icon: Search },
      ...answer,
      run: () => void go(answer.link),
    }),
  )
  return {
    answers,
    found: buildResultEntries(go, search.data?.results ?? [], kinds),
    isAnswered: !search.isLoading && !lookup.isLoading,
  }
}

/** Returns the rows for a text in their order, and whether the server has answered. */
const useRows = (text: string): Rows<Entry> & { readonly isAnswered: boolean } => {
  const go = useNavigate()
  const { history } = useRouter()
  const permit = usePermit()
  const signOut = useSignOut()
  const { data: saved = NONE } = useQuery(viewsQuery)
  const kinds = useKinds()
  const { answers, found, isAnswered } = useAnswers(text.trim())
  const known = [
    ...buildKnownEntries(go, permit, () => void signOut()),
    ...buildKindEntries(go, permit, kinds),
    ...buildViewEntries((href) => history.push(keepMoment(href)), permit, saved),
  ]
  return { ...orderRows(text, { known, answers, found }), isAnswered }
}

/** The rows that are shown for a text. They are not kept for another text. */
type Shown = { readonly text: string; readonly rows: readonly Entry[]; readonly marked: string | undefined }

export type KeyHandler = (key: string) => void

type Props = {
  readonly text: string
  readonly listId: string
  /** True after Enter while no row is marked. */
  readonly isAwaited: boolean
  readonly onAwait: () => void
  /** Called with the id of the element of the marked row. */
  readonly onMarked: (id: string | undefined) => void
  /** Gets the handler of ArrowDown, ArrowUp and Enter. */
  readonly handler: RefObject<KeyHandler | undefined>
}

export const Results = ({ text, listId, isAwaited, onAwait, onMarked, handler }: Props) => {
  /** The row that the user has marked. */
  const [chosen, setChosen] = useState<{ readonly text: string; readonly id: string | undefined }>()
  const shown = useRef<Shown>({ text, rows: [], marked: undefined })
  const { rows: ordered, sure, isAnswered } = useRows(text)
  const before = shown.current.text === text ? shown.current : undefined
  const rows = before ? keepMarked(before.rows, ordered, before.marked) : ordered
  const chosenId = chosen?.text === text ? chosen.id : before?.marked
  const marked = findMarked({ rows, sure }, { chosen: chosenId, isAnswered })
  const list = useRef<HTMLDivElement>(null)
  const current = rows.findIndex(({ id }) => id === marked)
  const optionId = (index: number) => `${listId}-${index}`
  const choose = (id: string | undefined) => setChosen({ text, id })
  const run = (entry: Entry | undefined) => {
    if (!entry) return
    paletteIsOpen.set(false)
    entry.run()
  }
  useLayoutEffect(() => {
    shown.current = { text, rows, marked }
    onMarked(current === -1 ? undefined : optionId(current))
    handler.current = (key) => {
      if (key === 'ArrowDown') choose(rows[(current + 1) % Math.max(1, rows.length)]?.id)
      else if (key === 'ArrowUp') choose(rows.at(Math.max(current, 0) - 1)?.id)
      else if (current === -1) onAwait()
      else run(rows[current])
    }
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the option that became the current one is brought into view
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows of the answer are those of this render
  useEffect(() => {
    if (isAwaited && isAnswered) run(rows[current])
  }, [isAwaited, isAnswered])
  return (
    <>
      <div ref={list} id={listId} role="listbox" aria-label="Results" className={css.list}>
        {rows.map((entry, index) => {
          const Icon = entry.icon
          return (
            <div key={entry.id} role="presentation">
              {entry.group !== rows[index - 1]?.group && (
                <div role="presentation" className={css.group}>
                  {entry.group}
                </div>
              )}
              {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys are for the field, which has the focus */}
              <div
                id={optionId(index)}
                role="option"
                tabIndex={-1}
                aria-selected={index === current}
                data-answer={entry.group === 'Answer' || undefined}
                className={css.option}
                onClick={() => run(entry)}
                // Rows that move under the pointer are not marked by it.
                onPointerMove={({ movementX, movementY }) => (movementX !== 0 || movementY !== 0) && choose(entry.id)}
              >
                <Icon size={16} aria-hidden="true" />
                <span className="truncate">{entry.text}</span>
                {entry.space_id && <SpaceBadge space_id={entry.space_id} />}
                {entry.note && <span className="mono muted truncate">{entry.note}</span>}
                {entry.keys && (
                  <span className={css.keys}>
                    {entry.keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </span>
                )}
              </div>
            </div>
          )
        })}
      </div>
      {rows.length === 0 && isAnswered && (
        <p role="status" className={css.empty}>
          Nothing has this name.
        </p>
      )}
    </>
  )
}
