/** The filters of the audit log. All of them are in the URL. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { AuditEntry } from '../api/contracts.ts'
import { MomentField } from '../history/moments/lazy-moment-field.tsx'
import controls from '../table/filter-controls.module.css'
import { Choice, Filters, type Option, useUserOptions } from '../table/filter-controls.tsx'
import { type ListSearch, usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import css from './audit.module.css'
import { ACTIONS, isFiltered, NO_FILTER, RESOURCES, SPANS, STATUSES } from './filter.ts'

/** The delay between the last keystroke and the request. */
const SETTLE_MS = 350

const IdBox = ({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) => {
  const [text, setText] = useState(value)
  const written = useRef(value)
  useEffect(() => {
    // Back, forward or a link changed the URL. Its value wins.
    if (value !== written.current) setText(value)
    written.current = value
  }, [value])
  useEffect(() => {
    if (text.trim() === written.current) return
    const timer = setTimeout(() => {
      written.current = text.trim()
      onChange(text.trim())
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  })
  return (
    <input
      type="search"
      aria-label="ID of the object"
      placeholder="ID of the object"
      className={`${controls.control} ${css.id}`}
      data-set={text !== '' || undefined}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}

const BETWEEN = 'between'

const Span = ({
  search,
  set,
}: {
  readonly search: ListSearch
  readonly set: (change: Partial<ListSearch>) => void
}) => {
  const isBetween = search.span === undefined && (search.from !== undefined || search.to !== undefined)
  const [isAsked, setAsked] = useState(isBetween)
  const value = isBetween || isAsked ? BETWEEN : search.span
  const choose = (span: string | undefined) => {
    setAsked(span === BETWEEN)
    set({ span: span === BETWEEN ? undefined : span, from: undefined, to: undefined })
  }
  const options: readonly Option[] = [...SPANS.map(([id, text]) => [id, text] as const), [BETWEEN, 'Between …']]
  return (
    <>
      <Choice label="When" any="Any time" value={value} options={options} onChange={choose} />
      {value === BETWEEN && (
        <>
          <MomentField label="From" value={search.from} onChange={(from) => set({ from })} />
          <MomentField label="to" value={search.to} onChange={(to) => set({ to })} />
        </>
      )}
    </>
  )
}

const toOptions = (words: readonly string[]): readonly Option[] => words.map((word) => [word, word])

/** Returns the users of entries. A call by an API key is of the owner too. */
const listUsers = (rows: readonly AuditEntry[]): readonly Option[] =>
  rows.flatMap(({ user_id, username, key_owner_id, key_owner }): Option[] => {
    if (key_owner_id === '') return [[user_id, username]]
    return [
      [user_id, `${username} (API key of ${key_owner})`],
      [key_owner_id, key_owner],
    ]
  })

type Props = { readonly rows: readonly AuditEntry[]; readonly children: ReactNode }

export const AuditFilters = ({ rows, children }: Props) => {
  const { search, set } = usePageSearch()
  const users = useUserOptions(listUsers(rows))
  const change = (next: Partial<ListSearch>) => void set(next, { isReplace: true })
  const on = (name: 'action' | 'resource' | 'resource_id' | 'user' | 'status') => (value: string | undefined) =>
    change({ [name]: value || undefined })
  return (
    <Filters isGrid>
      <Choice
        label="Action"
        any="Any action"
        value={search.action}
        options={toOptions(ACTIONS)}
        onChange={on('action')}
      />
      <Choice
        label="Resource"
        any="Any resource"
        value={search.resource}
        options={toOptions(RESOURCES)}
        onChange={on('resource')}
      />
      <IdBox value={search.resource_id ?? ''} onChange={on('resource_id')} />
      <Choice label="User" any="Any user" value={search.user} options={users} onChange={on('user')} />
      <Choice
        label="Status"
        any="Any status"
        value={search.status}
        options={toOptions(STATUSES)}
        onChange={on('status')}
      />
      <Span key={isFiltered(search) ? 'set' : 'clear'} search={search} set={change} />
      <div className={css.line}>
        {isFiltered(search) && <Button onClick={() => change(NO_FILTER)}>Clear</Button>}
        {children}
      </div>
    </Filters>
  )
}
