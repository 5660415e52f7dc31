/** The palette: any page, any object by a piece of its name or address, any action, from the keyboard. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Boxes, Building2, type LucideIcon, Moon, Network, Plus, Search, Server, Sun, Upload, User } from 'lucide-react'
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from 'react'
import { api } from '../api/client.ts'
import type { SearchResult } from '../api/contracts.ts'
import { termText } from '../table/filter.ts'
import { Dialog } from '../ui/layers.tsx'
import { type Permit, usePermit } from './me.ts'
import { PLACES } from './nav.ts'
import css from './palette.module.css'
import { paletteIsOpen } from './palette-state.ts'
import { setPreferences } from './preferences.ts'

type Entry = {
  readonly id: string
  readonly group: string
  readonly text: string
  readonly note?: string
  readonly keys?: readonly string[]
  readonly icon: LucideIcon
  readonly run: () => void
}

type Go = ReturnType<typeof useNavigate>

const ICONS: Readonly<Record<SearchResult['type'], LucideIcon>> = {
  device: Server,
  network: Network,
  pool: Boxes,
  datacenter: Building2,
}
const GROUPS: Readonly<Record<SearchResult['type'], string>> = {
  device: 'Devices',
  network: 'Networks',
  pool: 'Pools',
  datacenter: 'Datacenters',
}
/** Results of one kind, so that no kind hides another. */
const MOST_OF_A_KIND = 7

const openResult = (go: Go, { type, id, name }: SearchResult): void => {
  if (type === 'device') void go({ to: '/devices/$id', params: { id } })
  else if (type === 'network') void go({ to: '/networks/$id', params: { id } })
  else if (type === 'pool') void go({ to: '/pools/$id', params: { id } })
  else void go({ to: '/devices', search: { q: termText('dc', name) } })
}

const resultEntries = (go: Go, results: readonly SearchResult[]): Entry[] =>
  [...Map.groupBy(results, ({ type }) => type)].flatMap(([type, found]) =>
    found.slice(0, MOST_OF_A_KIND).map((result) => ({
      id: `${type} ${result.id}`,
      group: GROUPS[type],
      text: result.name,
      note: result.match === result.name ? '' : result.match,
      icon: ICONS[type],
      run: () => openResult(go, result),
    })),
  )

const pageEntries = (go: Go, { may }: Permit): Entry[] => [
  ...PLACES.filter(({ permission }) => permission === undefined || may(permission)).map(
    ({ to, text, icon, key }): Entry => ({
      id: to,
      group: 'Pages',
      text,
      icon,
      keys: ['g', key],
      run: () => void go({ to }),
    }),
  ),
  { id: '/account', group: 'Pages', text: 'Your account', icon: User, run: () => void go({ to: '/account' }) },
]

const actionEntries = (go: Go, { may }: Permit): Entry[] => {
  const create = (
    to: '/devices' | '/networks' | '/pools' | '/datacenters' | '/users' | '/roles' | '/keys' | '/credentials',
    permission: string | undefined,
    text: string,
  ): Entry[] =>
    permission === undefined || may(permission)
      ? [{ id: `new ${to}`, group: 'Actions', text, icon: Plus, run: () => void go({ to, search: { new: '1' } }) }]
      : []
  return [
    ...create('/devices', 'devices:create', 'New device'),
    ...create('/networks', 'networks:create', 'New network'),
    ...create('/pools', 'pools:create', 'New pool'),
    ...create('/datacenters', 'datacenters:create', 'New datacenter'),
    ...create('/users', 'users:create', 'New user'),
    ...create('/roles', 'roles:create', 'New role'),
    ...create('/keys', undefined, 'New API key'),
    ...create('/credentials', 'credentials:create', 'New credential'),
    ...(may('devices:create')
      ? [{ id: 'import', group: 'Actions', text: 'Import a file', icon: Upload, run: () => void go({ to: '/import' }) }]
      : []),
    { id: 'light', group: 'Actions', text: 'Light theme', icon: Sun, run: () => setPreferences({ theme: 'light' }) },
    { id: 'dark', group: 'Actions', text: 'Dark theme', icon: Moon, run: () => setPreferences({ theme: 'dark' }) },
  ]
}

/** Between the last key and the question to the server. */
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
  const permit = usePermit()
  const wanted = useSettled(text.trim())
  const { data, isFetching } = useQuery({
    queryKey: ['search', wanted],
    queryFn: () => api.search.all({ q: wanted }),
    enabled: wanted.length >= 2 && permit.may('search:read'),
    placeholderData: (old) => old,
  })
  const word = text.trim().toLowerCase()
  const matching = (entries: readonly Entry[]) => entries.filter((entry) => entry.text.toLowerCase().includes(word))
  const results = wanted.length >= 2 ? resultEntries(go, data?.results ?? []) : []
  const entries = [...results, ...matching(pageEntries(go, permit)), ...matching(actionEntries(go, permit))]
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
                className={css.option}
                onClick={() => run(entry)}
                onPointerMove={() => setActive(index)}
              >
                <Icon size={16} aria-hidden="true" />
                <span className="truncate">{entry.text}</span>
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
          Nothing is called that.
        </p>
      )}
    </Dialog>
  )
}
