/** Chooses from many values by typing a part of their names. */
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type KeyboardEvent, useDeferredValue, useId, useRef, useState } from 'react'
import { api } from '../api/client.ts'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import fieldCss from '../ui/field.module.css'
import { Field } from '../ui/field.tsx'
import { type ControlProps, formatHint, toList } from './control.ts'
import css from './custom-fields.module.css'
import { loadNamesForRows, loadReferred, type Referred } from './names.ts'
import type { RefNames } from './values.ts'

const MAX_SHOWN = 8

type PickerProps = ControlProps & {
  readonly options: readonly Referred[]
  readonly names: RefNames
  readonly text: string
  readonly onText: (text: string) => void
}

type ChosenProps = { readonly name: string; readonly label: string; readonly onRemove: () => void }

const Chosen = ({ name, label, onRemove }: ChosenProps) => (
  <span className={css.chosen}>
    <span className="truncate">{name}</span>
    <Button isIcon look="quiet" aria-label={`Remove ${name} from ${label}`} onClick={onRemove}>
      <X size={13} aria-hidden="true" />
    </Button>
  </span>
)

const Picker = ({ definition, value, onChange, error, options, names, text, onText }: PickerProps) => {
  const { label, multiple, required } = definition
  const input = useRef<HTMLInputElement>(null)
  const listId = useId()
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(0)
  const chosen = toList(value)
  const shown = isOpen ? options.filter(({ id }) => !chosen.includes(id)).slice(0, MAX_SHOWN) : []
  const current = shown[Math.min(active, shown.length - 1)]
  const take = ({ id }: Referred) => {
    onChange(multiple ? [...chosen, id] : id)
    onText('')
    setActive(0)
    setOpen(false)
  }
  const remove = (id: string) => {
    onChange(multiple ? chosen.filter((one) => one !== id) : '')
    input.current?.focus()
  }
  const onKey = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by !== 0) {
      event.preventDefault()
      setOpen(true)
      if (shown.length > 0) setActive((active + by + shown.length) % shown.length)
    } else if (event.key === 'Enter' && current) {
      // Enter without a list sends the form.
      event.preventDefault()
      take(current)
    } else if (event.key === 'Escape' && shown.length > 0) {
      // Closes the list and not the form.
      event.preventDefault()
      event.stopPropagation()
      setOpen(false)
    } else if (event.key === 'Backspace' && text === '' && chosen.length > 0) remove(chosen.at(-1) ?? '')
  }
  const optionId = (id: string) => `${listId}-${id}`
  return (
    <Field label={label} hint={formatHint(definition)} error={error} isRequired={required}>
      {(wiring) => (
        <div className={css.picker}>
          {chosen.map((id) => (
            <Chosen key={id} name={names.get(id) ?? id} label={label} onRemove={() => remove(id)} />
          ))}
          <input
            {...wiring}
            ref={input}
            role="combobox"
            className={fieldCss.control}
            aria-autocomplete="list"
            aria-expanded={shown.length > 0}
            aria-controls={shown.length > 0 ? listId : undefined}
            aria-activedescendant={current && optionId(current.id)}
            autoComplete="off"
            spellCheck={false}
            placeholder={chosen.length === 0 ? 'Type a part of a name' : multiple ? 'Add another' : 'Replace it'}
            value={text}
            onFocus={() => setOpen(true)}
            onBlur={() => setOpen(false)}
            onKeyDown={onKey}
            onChange={({ target }) => {
              onText(target.value)
              setActive(0)
              setOpen(true)
            }}
          />
          {shown.length > 0 && (
            <div id={listId} role="listbox" aria-label={label} className={css.options}>
              {shown.map((one) => (
                <div
                  key={one.id}
                  id={optionId(one.id)}
                  role="option"
                  tabIndex={-1}
                  aria-selected={one === current}
                  className={css.option}
                  // Before the field loses the focus.
                  onPointerDown={(event) => {
                    event.preventDefault()
                    take(one)
                  }}
                >
                  <span className="truncate">{one.name}</span>
                  <span className="mono muted">{one.note}</span>
                </div>
              ))}
            </div>
          )}
        </div>
      )}
    </Field>
  )
}

const NO_NAMES: RefNames = new Map()

const filterMatching = (all: readonly Referred[], text: string): readonly Referred[] => {
  const wanted = text.trim().toLowerCase()
  return all.filter(({ name, note }) => `${name}\n${note}`.toLowerCase().includes(wanted))
}

export const ChoicePicker = (props: ControlProps) => {
  const [text, setText] = useState('')
  const all = props.definition.choices.map((name) => ({ id: name, name, note: '' }))
  return <Picker {...props} options={filterMatching(all, text)} names={NO_NAMES} text={text} onText={setText} />
}

/** Before so many characters, a search for devices finds too many. */
const MIN_SEARCHED = 2

/** The objects that match a text. Devices are searched by the server, because a list of them may be long. */
const useMatches = ({ reference_to: target }: ControlProps['definition'], text: string): readonly Referred[] => {
  const { may } = usePermit()
  const wanted = useDeferredValue(text.trim())
  const isDevices = target === 'devices'
  const { data: found = [] } = useQuery({
    queryKey: ['find-device', wanted],
    queryFn: () => api.devices.search({ q: wanted, limit: MAX_SHOWN }),
    enabled: isDevices && wanted.length >= MIN_SEARCHED && may('devices:list'),
    placeholderData: (old) => old,
  })
  const { data: all = [] } = useQuery({
    queryKey: ['custom-fields', 'options', target],
    queryFn: async () => (target === null || target === 'devices' ? [] : loadReferred(target)),
    enabled: !isDevices,
  })
  if (!isDevices) return filterMatching(all, text)
  return wanted.length < MIN_SEARCHED
    ? []
    : found.map(({ id, name, addresses }) => ({ id, name, note: addresses[0]?.ip ?? '' }))
}

export const ReferencePicker = (props: ControlProps) => {
  const { definition, value } = props
  const [text, setText] = useState('')
  const options = useMatches(definition, text)
  const chosen = toList(value)
  const { data = NO_NAMES } = useQuery({
    queryKey: ['custom-fields', 'names', definition.id, chosen],
    queryFn: () => loadNamesForRows([definition], [{ id: '', custom: { [definition.name]: chosen } }]),
    enabled: chosen.length > 0,
    structuralSharing: false,
    placeholderData: (old) => old,
  })
  return <Picker {...props} options={options} names={data} text={text} onText={setText} />
}
