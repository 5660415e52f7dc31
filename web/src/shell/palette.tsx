/** The command palette: finds pages, objects and actions by a part of their name or address. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { Bookmark, type LucideIcon, Moon, Plus, Search, Sun, Terminal, Upload } from 'lucide-react'
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from 'react'
import { keepMoment } from '../api/as-of.ts'
import { api } from '../api/client.ts'
import type { SearchResult } from '../api/contracts.ts'
import { FORMS } from '../commands/call.ts'
import { copyShown } from '../commands/command-menu.tsx'
import { SpaceBadge } from '../spaces/known-spaces.tsx'
import { Dialog } from '../ui/layers.tsx'
import { findViewPage, type View, viewsQuery } from '../views/views.ts'
import { type Permit, usePermit } from './me.ts'
import { buildObjectLink, findItem, NAV_ITEMS } from './nav.ts'
import css from './palette.module.css'
import { paletteIsOpen } from './palette-state.ts'
import { setPreferences } from './preferences.ts'

type Entry = {
  readonly id: string
  readonly group: string
  readonly text: string
  readonly note?: string
  /** Absent in the default space. */
  readonly space_id?: string | undefined
  readonly keys?: readonly string[]
  readonly icon: LucideIcon
  readonly run: () => void
}

type Go = ReturnType<typeof useNavigate>

/** A limit for each type of result, so that no type hides another. */
const MOST_OF_A_KIND = 7

const buildResultEntries = (go: Go, results: readonly SearchResult[]): Entry[] =>
  [...Map.groupBy(results, ({ type }) => type)].flatMap(([type, found]) => {
    const item = findItem(type)
    if (!item) return []
    return found.slice(0, MOST_OF_A_KIND).map(({ id, name, match, detail = '', space_id }) => ({
      id: `${type} ${id}`,
      group: item.text,
      text: name,
      note: [...new Set([detail, match])].filter((text) => text !== '' && text !== name).join(' · '),
      space_id,
      icon: item.icon,
      run: () => void go(buildObjectLink(item, id)),
    }))
  })

const buildPageEntries = (go: Go, { may }: Permit): Entry[] =>
  NAV_ITEMS.filter(({ permission }) => permission === undefined || may(permission)).map(
    ({ to, text, icon, key }): Entry => ({
      id: to,
      group: 'Pages',
      text,
      icon,
      ...(key !== undefined && { keys: ['g', key] }),
      run: () => void go({ to }),
    }),
  )

/** `discovery:list` -> `discovery:create` */
const createPermission = (permission: string): string => permission.replace(/:list$/, ':create')

const createEntries = (go: Go, { may }: Permit): Entry[] =>
  NAV_ITEMS.flatMap(({ to, permission, creates }) =>
    creates !== undefined && (permission === undefined || may(createPermission(permission)))
      ? [
          {
            id: `new ${to}`,
            group: 'Actions',
            text: `New ${creates}`,
            icon: Plus,
            run: () => void go({ to, search: { new: '1' } }),
          },
        ]
      : [],
  )

const buildActionEntries = (go: Go, permit: Permit): Entry[] => {
  const { may } = permit
  return [
    ...createEntries(go, permit),
    ...(may('devices:create')
      ? [{ id: 'import', group: 'Actions', text: 'Import a file', icon: Upload, run: () => void go({ to: '/import' }) }]
      : []),
    { id: 'light', group: 'Actions', text: 'Light theme', icon: Sun, run: () => setPreferences({ theme: 'light' }) },
    { id: 'dark', group: 'Actions', text: 'Dark theme', icon: Moon, run: () => setPreferences({ theme: 'dark' }) },
  ]
}

/** Builds an entry for each view, shown with the list that it belongs to. */
const buildViewEntries = (push: (href: string) => void, { may }: Permit, all: readonly View[]): Entry[] =>
  all.flatMap((view) => {
    const page = findViewPage(may, view)
    if (!page) return []
    const run = () => push(view.path + view.search)
    return [{ id: `view ${view.id}`, group: 'Saved views', text: view.name, note: page.text, icon: Bookmark, run }]
  })

const NONE: readonly View[] = []

const buildCommandEntries = (): Entry[] => {
  const copy = copyShown()
  return copy
    ? FORMS.map(([form, text]) => ({ id: form, group: 'Actions', text, icon: Terminal, run: () => copy(form) }))
    : []
}

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

const useEntries = (text: string): { readonly entries: readonly Entry[]; readonly isSearching: boolean } => {
  const go = useNavigate()
  const { history } = useRouter()
  const permit = usePermit()
  const { data: saved = NONE } = useQuery(viewsQuery)
  const wanted = useSettled(text.trim())
  const { data, isFetching } = useQuery({
    queryKey: ['search', wanted],
    queryFn: () => api.search.all({ q: wanted }),
    enabled: wanted.length >= 2 && permit.may('search:read'),
    placeholderData: (old) => old,
  })
  const { data: answers = [] } = useQuery({
    queryKey: ['lookup', wanted],
    queryFn: async () => (await import('../lookup/palette-lookup.ts')).findAnswers(wanted),
    enabled: wanted.length >= 3 && permit.may('search:read'),
  })
  const word = text.trim().toLowerCase()
  const filterMatching = (entries: readonly Entry[]) =>
    entries.filter((entry) => entry.text.toLowerCase().includes(word))
  const results = wanted.length >= 2 ? buildResultEntries(go, data?.results ?? []) : []
  const entries = [
    // Enter must not open the result of an earlier text.
    ...(wanted === text.trim()
      ? answers.map((answer) => ({
          ...{ id: `lookup ${answer.text}`, group: 'Answer', icon: Search },
          ...answer,
          run: () => void go(answer.link),
        }))
      : []),
    ...results,
    ...filterMatching(buildViewEntries((href) => history.push(keepMoment(href)), permit, saved)),
    ...filterMatching(buildPageEntries(go, permit)),
    ...filterMatching([...buildCommandEntries(), ...buildActionEntries(go, permit)]),
  ]
  return { entries, isSearching: isFetching || wanted !== text.trim() }
}

const close = () => paletteIsOpen.set(false)

export const Palette = () => {
  const listId = useId()
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const { entries, isSearching } = useEntries(text)
  const list = useRef<HTMLDivElement>(null)
  const current = Math.min(active, entries.length - 1)
  const optionId = (index: number) => `${listId}-${index}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: the option that became the current one is brought into view
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  const run = (entry: Entry | undefined) => {
    if (!entry) return
    close()
    entry.run()
  }
  const onKey = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by !== 0) {
      event.preventDefault()
      setActive((current + by + entries.length) % Math.max(1, entries.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(entries[current])
    }
  }
  return (
    <Dialog title="" label="Search or jump to" onClose={close} isWide>
      <div className={css.input}>
        <Search size={17} aria-hidden="true" />
        <input
          role="combobox"
          aria-label="Search or jump to"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={entries.length > 0 ? optionId(current) : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder="A name, an address, a page, an action"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setActive(0)
          }}
          onKeyDown={onKey}
        />
        <kbd>Esc</kbd>
      </div>
      <div ref={list} id={listId} role="listbox" aria-label="Results" className={css.list}>
        {entries.map((entry, index) => {
          const Icon = entry.icon
          return (
            <div key={entry.id} role="presentation">
              {entry.group !== entries[index - 1]?.group && (
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
                onPointerMove={() => setActive(index)}
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
      {entries.length === 0 && !isSearching && (
        <p role="status" className={css.empty}>
          Nothing has this name.
        </p>
      )}
    </Dialog>
  )
}
