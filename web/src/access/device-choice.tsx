/** A form field that selects a device by a search, because a list would be too long. */
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { api } from '../api/client.ts'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import fieldCss from '../ui/field.module.css'
import { Field } from '../ui/field.tsx'
import css from './access.module.css'

type Props = {
  readonly label: string
  readonly value: string
  readonly onChange: (id: string) => void
  readonly error: string | undefined
}

const LEAST = 2
const MOST = 8

type ChosenProps = { readonly id: string; readonly hasFocus: boolean; readonly onClear: () => void }

const focus = (element: HTMLElement | null) => element?.focus()

const Chosen = ({ id, hasFocus, onClear }: ChosenProps) => {
  const { may } = usePermit()
  const { data } = useQuery({
    queryKey: ['device-name', id],
    queryFn: () => api.devices.get({ id }),
    enabled: may('devices:read'),
    retry: false,
  })
  return (
    <span className={css.chosen}>
      <b className={css.strong}>{data?.name ?? id}</b>
      {data?.addresses[0] && <span className="mono muted">{data.addresses[0].ip}</span>}
      <Button
        isIcon
        look="quiet"
        aria-label="Choose no device"
        onClick={onClear}
        // The element that had the focus no longer exists.
        ref={hasFocus ? focus : undefined}
      >
        <X size={14} aria-hidden="true" />
      </Button>
    </span>
  )
}

export const DeviceChoice = ({ label, value, onChange, error }: Props) => {
  const { may } = usePermit()
  const [text, setText] = useState('')
  const [isChosenHere, setChosenHere] = useState(false)
  const wanted = useDeferredValue(text.trim())
  const { data: found = [] } = useQuery({
    queryKey: ['find-device', wanted],
    queryFn: () => api.devices.search({ q: wanted, limit: MOST }),
    enabled: wanted.length >= LEAST && may('devices:list'),
    placeholderData: (old) => old,
  })
  const isSearching = value === '' && wanted.length >= LEAST
  const choose = (id: string) => {
    setChosenHere(true)
    onChange(id)
    setText('')
  }
  return (
    <>
      <Field label={label} error={error} hint="Type a part of its name or address; leave it empty for any device.">
        {(wiring) =>
          value === '' ? (
            <input
              {...wiring}
              className={fieldCss.control}
              autoComplete="off"
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          ) : (
            <Chosen id={value} hasFocus={isChosenHere} onClear={() => onChange('')} />
          )
        }
      </Field>
      {isSearching && found.length > 0 && (
        <div className={css.options} role="group" aria-label="Devices found">
          {found.map(({ id, name, addresses }) => (
            <button key={id} type="button" className={css.option} onClick={() => choose(id)}>
              <b className={css.strong}>{name}</b>
              <span className="mono muted">{addresses[0]?.ip}</span>
            </button>
          ))}
        </div>
      )}
    </>
  )
}
