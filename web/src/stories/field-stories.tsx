/** Form fields with hints, with errors, and disabled. */
import { useId, useState } from 'react'
import { Alert, Checkbox, SelectField, TextArea, TextField } from '../ui/field.tsx'
import css from './stories.module.css'

const OPTIONS = [
  ['a', 'The first'],
  ['b', 'The second'],
] as const

export const FieldStories = () => {
  const id = useId()
  const [text, setText] = useState('What is typed')
  const [choice, setChoice] = useState('a')
  return (
    <>
      <div className={css.columns}>
        <TextField label="Usual" value={text} onChange={setText} />
        <TextField label="Required" value="" onChange={setText} required />
        <TextField label="With a hint" value={text} onChange={setText} hint="What belongs here" />
        <TextField label="With an error" value="10.0.0.999" onChange={setText} error="must be an address" isMono />
        <TextField label="Only to be read" value={text} onChange={setText} readOnly />
        <SelectField label="A choice" value={choice} onChange={setChoice} options={OPTIONS} />
        <SelectField label="No choice" value={choice} onChange={setChoice} options={OPTIONS} isDisabled />
        <TextArea label="Much text" value={text} onChange={setText} />
      </div>
      <div className={css.line}>
        {[false, true].map((isOn) => (
          <label key={String(isOn)} htmlFor={`${id}-${isOn}`} className={css.line}>
            <Checkbox id={`${id}-${isOn}`} defaultChecked={isOn} />
            {isOn ? 'on' : 'off'}
          </label>
        ))}
        <label htmlFor={`${id}-mixed`} className={css.line}>
          <Checkbox id={`${id}-mixed`} isMixed />
          mixed
        </label>
      </div>
      <Alert>What went wrong, and what to do about it.</Alert>
      <Alert isWarning>What to look out for.</Alert>
    </>
  )
}
