/** Chooses one of many by a part of its name, or of the note that tells equal names apart. */
import { useState } from 'react'
import { Combobox, type Option } from '../../ui/combobox.tsx'

export type Choice = readonly [id: string, name: string, note?: string | undefined]

const MAX_SHOWN = 50

/** Returns the choices that contain every word. */
export const filterChoices = (choices: readonly Choice[], text: string): readonly Choice[] => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return choices.filter(([, name, note = '']) => {
    const searched = `${name}\n${note}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
}

const toOption = ([id, text, note]: Choice): Option => ({
  id,
  text,
  note: note ? <span className="muted truncate">{note}</span> : undefined,
})

type Props = {
  readonly label: string
  readonly value: string
  readonly onChange: (id: string) => void
  readonly choices: readonly Choice[]
  /** The name of the choice of none; without it, what is chosen can only be replaced. */
  readonly none?: string | undefined
  /** The name of the chosen one, if the choices lack it. */
  readonly chosen?: string | undefined
  /** Called with the typed text, and undefined once nothing is typed, if the choices are those that match it. */
  readonly onSearch?: ((text: string | undefined) => void) | undefined
  /** The matches are not there yet. */
  readonly isSearching?: boolean
  /** Shown where nothing is chosen; by default that name. */
  readonly placeholder?: string | undefined
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly isRequired?: boolean
  readonly isDisabled?: boolean
}

export const ChoiceField = (props: Props) => {
  const { value, onChange, choices, none, chosen, onSearch, isSearching = false, placeholder, ...rest } = props
  const [text, setText] = useState('')
  const empty: readonly Choice[] = none === undefined ? [] : [['', none]]
  const matching = onSearch ? [...filterChoices(empty, text), ...choices] : filterChoices([...empty, ...choices], text)
  const name = value === '' ? '' : (choices.find(([id]) => id === value)?.[1] ?? chosen ?? value)
  return (
    <Combobox
      {...rest}
      listLabel="Choices"
      value={name}
      placeholder={name || (placeholder ?? none ?? '')}
      options={matching.slice(0, MAX_SHOWN).map(toOption)}
      onType={(typed) => {
        setText(typed ?? '')
        onSearch?.(typed)
      }}
      onChoose={({ id }) => onChange(id)}
      none={isSearching ? undefined : 'Nothing matches.'}
    />
  )
}
