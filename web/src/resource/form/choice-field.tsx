/** Chooses one of many by a part of its name, or of the note that tells equal names apart. */
import { useState } from 'react'
import { Combobox, type Option } from '../../ui/combobox.tsx'

/** '' is the id of none. */
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
  /** The chosen object, if the choices lack it. */
  readonly chosen?: string | undefined
  /** Called with the typed text if the server searches. The choices are its matches then. */
  readonly onSearch?: ((text: string) => void) | undefined
  /** Shown where nothing is chosen; by default the name of the choice of none. */
  readonly placeholder?: string | undefined
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly isRequired?: boolean
  readonly isDisabled?: boolean
}

export const ChoiceField = ({ value, onChange, choices, chosen, onSearch, placeholder, ...rest }: Props) => {
  const [text, setText] = useState('')
  const matching = onSearch ? choices : filterChoices(choices, text)
  const nameById = (id: string) => choices.find(([one]) => one === id)?.[1]
  const name = value === '' ? '' : (nameById(value) ?? chosen ?? value)
  return (
    <Combobox
      {...rest}
      listLabel="Choices"
      value={name}
      placeholder={name || (placeholder ?? nameById('') ?? '')}
      options={matching.slice(0, MAX_SHOWN).map(toOption)}
      onType={(typed = '') => {
        setText(typed)
        onSearch?.(typed)
      }}
      onChoose={({ id }) => onChange(id)}
      none="Nothing matches."
    />
  )
}
