/** A field for a moment: one line of text that is read as soon as it is left. */
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import css from '../../table/filter-controls.module.css'
import { formatLocalMoment } from '../../ui/format.ts'
import { MOMENT_TEXTS, parseMoment } from './moments.ts'

type Props = {
  readonly label: string
  /** RFC 3339, how long ago, or the id of a change. */
  readonly value: string | undefined
  readonly onChange: (at: string | undefined) => void
}

const toText = (at: string | undefined): string => {
  if (at === undefined) return ''
  return Number.isNaN(Date.parse(at)) ? at : formatLocalMoment(at).replace('T', ' ')
}

export const MomentField = ({ label, value, onChange }: Props) => {
  const [text, setText] = useState(toText(value))
  const [isWrong, setWrong] = useState(false)
  const listId = useId()
  useEffect(() => {
    setText(toText(value))
    setWrong(false)
  }, [value])
  const read = (typed: string) => {
    if (typed.trim() === toText(value)) return setWrong(false)
    const moment = parseMoment(typed, new Date())
    setWrong(typed.trim() !== '' && !moment)
    if (typed.trim() === '') onChange(undefined)
    else if (moment) onChange(moment.toISOString())
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter') read(text)
  }
  return (
    <label className={css.moment}>
      {label}
      <input
        type="text"
        list={listId}
        className={css.control}
        data-set={value !== undefined || undefined}
        aria-invalid={isWrong || undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder="2026-11-28 14:05, 24h"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onBlur={() => read(text)}
        onKeyDown={onKey}
      />
      <datalist id={listId}>
        {MOMENT_TEXTS.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </label>
  )
}
