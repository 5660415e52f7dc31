/** The scanner of a network in its form: the name or a tag of scanners, or any text. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { fields } from '../networks/fields.ts'
import type { ControlInput } from '../resource/resource.ts'
import { usePermit } from '../shell/me.ts'
import { Combobox, type Option } from '../ui/combobox.tsx'
import { describeLabel, listChoices } from './labels.ts'
import { type Scanner, scannersQuery } from './queries.ts'

const THIS_SERVER = 'This server'

const NONE: readonly Scanner[] = []

type Props = Pick<ControlInput, 'value' | 'onChange' | 'error'>

export const LabelField = ({ value, onChange, error }: Props) => {
  const { may } = usePermit()
  const isAllowed = may('scanners:list')
  const { data } = useQuery({ ...scannersQuery, enabled: isAllowed })
  const scanners = data ?? NONE
  /** Undefined until the text is changed: all choices are shown before. */
  const [typed, setTyped] = useState<string>()
  const word = (typed ?? '').trim().toLowerCase()
  const options: Option[] = [
    { id: '', text: THIS_SERVER },
    ...listChoices(scanners).map(({ label, note }) => ({
      id: label,
      text: label,
      note: <span className="muted">{note}</span>,
    })),
  ].filter(({ text }) => text.toLowerCase().includes(word))
  return (
    <Combobox
      label={fields.scanner.label}
      listLabel="Scanners"
      value={value}
      placeholder={THIS_SERVER}
      options={options}
      isFree
      onType={(text) => {
        // The text of before is typed over.
        setTyped(text === value ? undefined : text)
        if (text !== undefined) onChange(text)
      }}
      onChoose={({ id }) => onChange(id)}
      hint={data ? describeLabel(value.trim(), data) : 'The name or a tag of a scanner.'}
      error={error}
    />
  )
}
