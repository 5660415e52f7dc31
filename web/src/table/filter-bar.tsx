/** The bar above a list: its filter with completions, the terms as chips, how many rows there are. */
import { Search, X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { announced } from '../shell/announcer.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { formatCount, plural } from '../ui/format.ts'
import { type Completion, type Facets, listCompletions, parseFilter, removeTerm } from './filter.ts'
import { usePageSearch } from './list-search.ts'
import css from './table.module.css'

/** Between the last key and the change of the URL. */
const SETTLE_MS = 250

/** The text of the filter: at once here, and in the URL as soon as the keys rest. */
export const useFilterText = (): readonly [string, (text: string) => void] => {
  const { search, set } = usePageSearch()
  const inUrl = search.q ?? ''
  const [text, setText] = useState(inUrl)
  const written = useRef(inUrl)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    // Back, forward, or a link to this list: the URL wins.
    if (inUrl === written.current) return
    written.current = inUrl
    setText(inUrl)
  }, [inUrl])
  useEffect(() => () => clearTimeout(timer.current), [])
  const change = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      written.current = next.trim()
      void set({ q: next.trim() || undefined }, { isReplace: true })
    }, SETTLE_MS)
  }
  return [text, change]
}

type BoxProps = {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly placeholder: string
  readonly fields: readonly string[]
  readonly loadFacets: () => Promise<Facets>
}

const FilterBox = ({ text, onChange, placeholder, fields, loadFacets }: BoxProps) => {
  const input = useRef<HTMLInputElement>(null)
  const listId = useId()
  const [facets, setFacets] = useState<Facets>({})
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const completions: readonly Completion[] = isOpen ? listCompletions(text, fields, facets) : []
  useHotkeys({ '/': () => input.current?.focus() })

  const open = () => {
    setOpen(true)
    void loadFacets().then(setFacets)
  }
  const take = ({ text: next }: Completion) => {
    onChange(next)
    setActive(-1)
    input.current?.focus()
  }
  const onKey = (event: KeyboardEvent) => {
    const chosen = completions[active]
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (!isOpen) return open()
      const by = event.key === 'ArrowDown' ? 1 : -1
      setActive((old) => (old + by + completions.length + 1) % (completions.length + 1 || 1))
      return
    }
    if ((event.key === 'Enter' || event.key === 'Tab') && chosen) {
      event.preventDefault()
      take(chosen)
    } else if (event.key === 'Enter') {
      // On to the rows.
      input.current?.blur()
    } else if (event.key === 'Escape') {
      event.preventDefault()
      if (completions.length > 0) setOpen(false)
      else if (text !== '') onChange('')
      else input.current?.blur()
    }
  }
  const optionId = (index: number) => `${listId}-${index}`
  return (
    <div className={css.filter}>
      <div className={css.box}>
        <Search size={15} aria-hidden="true" />
        <input
          ref={input}
          type="search"
          role="combobox"
          aria-label="Filter"
          aria-autocomplete="list"
          aria-expanded={completions.length > 0}
          aria-controls={completions.length > 0 ? listId : undefined}
          aria-activedescendant={completions[active] ? optionId(active) : undefined}
          aria-keyshortcuts="/"
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholder}
          value={text}
          onFocus={open}
          onBlur={() => setOpen(false)}
          onKeyDown={onKey}
          onChange={(event) => {
            onChange(event.target.value)
            setActive(-1)
            setOpen(true)
          }}
        />
        <kbd>/</kbd>
      </div>
      {completions.length > 0 && (
        <div id={listId} role="listbox" aria-label="Completions" className={css.list}>
          {completions.map((one, index) => (
            <div
              key={one.label}
              id={optionId(index)}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              className={css.option}
              // Before the field loses the focus.
              onPointerDown={(event) => {
                event.preventDefault()
                take(one)
              }}
            >
              <span className="mono">{one.label}</span>
              <span>{one.note}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  )
}

type BarProps = BoxProps & {
  readonly noun: string
  readonly shown: number | undefined
  readonly total: number | undefined
  /** The terms that are not applied yet, as they are written. */
  readonly waiting?: readonly string[] | undefined
  readonly children?: ReactNode
}

export const FilterBar = ({ noun, shown, total, waiting, children, ...box }: BarProps) => {
  const terms = parseFilter(box.text, box.fields).filter(({ field }) => field !== '')
  const summary =
    shown === undefined || total === undefined
      ? ''
      : shown === total
        ? plural(total, noun)
        : `${formatCount(shown)} of ${plural(total, noun)}`
  useEffect(() => {
    if (summary === '') return
    // Not with every key.
    const timer = setTimeout(() => announced.set(summary), 600)
    return () => clearTimeout(timer)
  }, [summary])
  return (
    <div className={css.bar}>
      <FilterBox {...box} />
      {terms.map((term) => (
        <span
          key={term.start}
          className={css.chip}
          data-waiting={waiting?.includes(box.text.slice(term.start, term.end)) || undefined}
        >
          {term.isNegated && '−'}
          {term.field} <b>{term.value}</b>
          <button
            type="button"
            aria-label={`Remove ${term.field}:${term.value}`}
            onClick={() => box.onChange(removeTerm(box.text, term))}
          >
            <X size={12} aria-hidden="true" />
          </button>
        </span>
      ))}
      <span className={css.summary}>{summary}</span>
      {children}
    </div>
  )
}
