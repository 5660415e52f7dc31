/** A field for a moment: one line of text with completions. */
import { useEffect, useRef, useState } from 'react'
import css from '../../table/filter-controls.module.css'
import { Combobox } from '../../ui/combobox.tsx'
import { formatLocalMoment, formatMoment } from '../../ui/format.ts'
import { completeMoment, parseMoment } from './moments.ts'

type InputProps = {
  readonly label: string
  /** The text that the field shows while the user is not typing. */
  readonly value: string
  readonly onType: (text: string) => void
  /** Called with the text when it is chosen, or the field is left. */
  readonly onDone?: (text: string) => void
  readonly hint?: string | undefined
  readonly error?: string | undefined
}

export const MomentInput = ({ label, value, onType, onDone, hint, error }: InputProps) => {
  const [typed, setTyped] = useState<string>()
  /** The text before it is typed over, for which all completions are shown. */
  const [before, setBefore] = useState('')
  const newest = useRef(value)
  newest.current = typed ?? value
  const now = new Date()
  const set = (text: string) => {
    newest.current = text
    onType(text)
  }
  const options = completeMoment(typed === undefined || typed === before ? '' : typed).map((text) => {
    const moment = parseMoment(text, now)
    return { id: text, text, note: <span className="muted">{moment && formatMoment(moment.toISOString())}</span> }
  })
  return (
    <Combobox
      label={label}
      listLabel="Moments"
      placeholder="2026-11-28 14:05, 24h"
      value={value}
      options={options}
      isFree
      onType={(text) => {
        if (typed === undefined) setBefore(value)
        setTyped(text)
        if (text === undefined) onDone?.(newest.current)
        else set(text)
      }}
      onChoose={({ text }) => set(text)}
      hint={hint}
      error={error}
    />
  )
}

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

/** A moment of a filter, which is read as soon as the field is left. */
export const MomentFilter = ({ label, value, onChange }: Props) => {
  const shown = toText(value)
  const [text, setText] = useState(shown)
  const [isWrong, setWrong] = useState(false)
  useEffect(() => {
    setText(toText(value))
    setWrong(false)
  }, [value])
  const read = (typed: string) => {
    if (typed.trim() === shown) return setWrong(false)
    const moment = parseMoment(typed, new Date())
    setWrong(typed.trim() !== '' && !moment)
    if (typed.trim() === '') onChange(undefined)
    else if (moment) onChange(moment.toISOString())
  }
  return (
    <div className={css.moment} data-set={value !== undefined || undefined}>
      <MomentInput
        label={label}
        value={text}
        onType={setText}
        onDone={read}
        error={isWrong ? 'is no moment, such as 14:05 or 24h' : undefined}
      />
    </div>
  )
}
