/** The filters of the audit log. All of them are in the URL. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { AuditEntry } from '../api/contracts.ts'
import { usersQuery } from '../api/queries.ts'
import { usePermit } from '../shell/me.ts'
import { type ListSearch, usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import css from './audit.module.css'
import { ACTIONS, isFiltered, NO_FILTER, RESOURCES, SPANS, STATUSES } from './filter.ts'

type Option = readonly [value: string, text: string]

type SelectProps = {
  readonly label: string
  readonly any: string
  readonly value: string
  readonly options: readonly Option[]
  readonly onChange: (value: string) => void
}

const Select = ({ label, any, value, options, onChange }: SelectProps) => {
  // A link may name a value that is in no list.
  const isListed = value === '' || options.some(([one]) => one === value)
  return (
    <select
      aria-label={label}
      className={css.control}
      data-set={value !== '' || undefined}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{any}</option>
      {!isListed && <option value={value}>{value}</option>}
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  )
}

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
      className={`${css.control} ${css.id}`}
      data-set={text !== '' || undefined}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}

/** Returns `2026-01-31T12:00` in the time zone of the browser. */
const localText = (moment: string | undefined): string => {
  const ms = Date.parse(moment ?? '')
  if (Number.isNaN(ms)) return ''
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

type MomentProps = {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (at: string) => void
}

const MomentBox = ({ label, value, onChange }: MomentProps) => (
  <label className={css.moment}>
    {label}
    <input
      type="datetime-local"
      className={css.control}
      value={localText(value)}
      onChange={(event) => onChange(event.target.value === '' ? '' : new Date(event.target.value).toISOString())}
    />
  </label>
)

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
  const value = isBetween || isAsked ? BETWEEN : (search.span ?? '')
  const choose = (span: string) => {
    setAsked(span === BETWEEN)
    set({ span: span === BETWEEN || span === '' ? undefined : span, from: undefined, to: undefined })
  }
  const options: readonly Option[] = [...SPANS.map(([id, text]) => [id, text] as const), [BETWEEN, 'Between …']]
  return (
    <>
      <Select label="When" any="Any time" value={value} options={options} onChange={choose} />
      {value === BETWEEN && (
        <>
          <MomentBox label="From" value={search.from} onChange={(from) => set({ from: from || undefined })} />
          <MomentBox label="to" value={search.to} onChange={(to) => set({ to: to || undefined })} />
        </>
      )}
    </>
  )
}

const same = (words: readonly string[]): readonly Option[] => words.map((word) => [word, word])

/** All users. Without the permission to list them, the users of the loaded entries. */
const useUserOptions = (rows: readonly AuditEntry[]): readonly Option[] => {
  const { may } = usePermit()
  const { data } = useQuery({ ...usersQuery, enabled: may('users:list') })
  const seen = rows.flatMap(({ user_id, username, key_owner_id, key_owner }): Option[] => {
    if (user_id === '') return []
    if (key_owner_id === '') return [[user_id, username]]
    return [
      [user_id, `${username} (API key of ${key_owner})`],
      [key_owner_id, key_owner],
    ]
  })
  const known = (data ?? []).map(({ id, username }) => [id, username] as const)
  return [...new Map([...seen, ...known])].sort((a, b) => (a[1] < b[1] ? -1 : 1))
}

type FiltersProps = { readonly rows: readonly AuditEntry[]; readonly children: ReactNode }

export const AuditFilters = ({ rows, children }: FiltersProps) => {
  const { search, set } = usePageSearch()
  const users = useUserOptions(rows)
  const change = (next: Partial<ListSearch>) => void set(next, { isReplace: true })
  const on = (name: 'action' | 'resource' | 'resource_id' | 'user' | 'status') => (value: string) =>
    change({ [name]: value === '' ? undefined : value })
  return (
    <search className={css.filters} aria-label="Filter">
      <Select
        label="Action"
        any="Any action"
        value={search.action ?? ''}
        options={same(ACTIONS)}
        onChange={on('action')}
      />
      <Select
        label="Resource"
        any="Any resource"
        value={search.resource ?? ''}
        options={same(RESOURCES)}
        onChange={on('resource')}
      />
      <IdBox value={search.resource_id ?? ''} onChange={on('resource_id')} />
      <Select label="User" any="Any user" value={search.user ?? ''} options={users} onChange={on('user')} />
      <Select
        label="Status"
        any="Any status"
        value={search.status ?? ''}
        options={same(STATUSES)}
        onChange={on('status')}
      />
      <Span key={isFiltered(search) ? 'set' : 'clear'} search={search} set={change} />
      <div className={css.line}>
        {isFiltered(search) && <Button onClick={() => change(NO_FILTER)}>Clear</Button>}
        {children}
      </div>
    </search>
  )
}
