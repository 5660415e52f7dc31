/** A text field with completions, which arrow keys choose from. */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import css from './combobox.module.css'
import fieldCss from './field.module.css'
import { Field } from './field.tsx'
import { place } from './place.ts'

export type Option = {
  readonly id: string
  readonly text: string
  readonly note?: ReactNode
}

type Props = {
  readonly label: string
  /** The accessible name of the completions. */
  readonly listLabel: string
  /** The text while the user is not typing: the chosen object. */
  readonly value: string
  readonly options: readonly Option[]
  /** The typed text; undefined once an option is chosen or the typing is given up. */
  readonly onType: (text: string | undefined) => void
  readonly onChoose: (option: Option) => void
  /** Any text is a value. By default only options are. */
  readonly isFree?: boolean
  readonly isDisabled?: boolean
  readonly isRequired?: boolean
  readonly placeholder?: string
  readonly hint?: string | undefined
  readonly error?: string | undefined
  /** Shown where no option matches. */
  readonly none?: string | undefined
}

export const Combobox = (props: Props) => {
  const { label, listLabel, value, options: all, onType, onChoose, isFree = false, placeholder, hint, error } = props
  const listId = useId()
  /** Undefined while the user is not typing. */
  const [text, setText] = useState<string>()
  const [active, setActive] = useState(-1)
  const options = text === undefined ? [] : all
  // A typed name must not become another one by Enter.
  const current = Math.min(isFree ? active : Math.max(0, active), options.length - 1)
  const optionId = (index: number) => `${listId}-${index}`
  const field = useRef<HTMLInputElement>(null)
  const popup = useRef<HTMLDivElement>(null)
  const isOpen = options.length > 0
  // Above the layer around it, which would cut it off.
  useLayoutEffect(() => {
    if (!isOpen || !popup.current || !field.current) return undefined
    popup.current.style.width = `${field.current.offsetWidth}px`
    return place(popup.current, field.current, { align: 'start', gapPx: 4 })
  }, [isOpen])
  useEffect(() => {
    if (current >= 0) document.getElementById(`${listId}-${current}`)?.scrollIntoView({ block: 'nearest' })
  }, [current, listId])
  const type = (next: string | undefined) => {
    setText(next)
    setActive(-1)
    onType(next)
  }
  const choose = (option: Option) => {
    onChoose(option)
    type(undefined)
  }
  const leave = () => {
    if (text === undefined) return
    const named = options.filter((option) => option.text.toLowerCase() === text.trim().toLowerCase())
    // The choice among several options with one name is not certain.
    if (named[0] && named.length === 1) choose(named[0])
    else type(undefined)
  }
  const onKey = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const option = options[current]
    if (by !== 0) {
      event.preventDefault()
      if (text === undefined) type(isFree ? value : '')
      else setActive((Math.max(current, by > 0 ? -1 : 0) + by + options.length) % Math.max(1, options.length))
    } else if (event.key === 'Enter' && text !== undefined && option) {
      // With Ctrl it sends the form as well.
      if (!event.ctrlKey && !event.metaKey) event.preventDefault()
      choose(option)
    } else if (event.key === 'Enter' && isFree && text !== undefined) {
      type(undefined)
    } else if (event.key === 'Escape' && isOpen) {
      // Escape closes only the list, not the layer around it.
      event.preventDefault()
      event.stopPropagation()
      type(undefined)
    }
  }
  return (
    <Field label={label} hint={hint} error={error} isRequired={props.isRequired === true}>
      {(wiring) => (
        <div className={css.combobox}>
          <input
            {...wiring}
            ref={field}
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={isOpen}
            aria-controls={isOpen ? listId : undefined}
            aria-activedescendant={options[current] ? optionId(current) : undefined}
            className={fieldCss.control}
            autoComplete="off"
            spellCheck={false}
            disabled={props.isDisabled}
            placeholder={placeholder}
            value={text ?? value}
            onChange={(event) => type(event.target.value)}
            onClick={() => text === undefined && type(isFree ? value : '')}
            onBlur={leave}
            onKeyDown={onKey}
          />
          {isOpen && (
            <div ref={popup} popover="manual" className={css.options}>
              <div id={listId} role="listbox" aria-label={listLabel}>
                {options.map((option, index) => (
                  <div
                    key={option.id}
                    id={optionId(index)}
                    role="option"
                    tabIndex={-1}
                    aria-selected={index === current}
                    className={css.option}
                    // Runs before the field loses the focus.
                    onPointerDown={(event) => {
                      event.preventDefault()
                      choose(option)
                    }}
                  >
                    <span className="truncate">{option.text}</span>
                    {option.note}
                  </div>
                ))}
              </div>
            </div>
          )}
          {text !== undefined && text.trim() !== '' && options.length === 0 && props.none !== undefined && (
            <p className={css.noOption} role="status">
              {props.none}
            </p>
          )}
        </div>
      )}
    </Field>
  )
}
