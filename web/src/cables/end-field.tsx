/** One end of a new cable: a device and one of its ports, both with completion. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Port } from '../ports/fields.ts'
import { formatPeer } from '../ports/labels.ts'
import { devicePortsQuery } from '../ports/queries.ts'
import { ReferenceField } from '../resource/form/reference-field.tsx'
import type { ControlInput } from '../resource/resource.ts'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { Combobox, type Option } from '../ui/combobox.tsx'
import { SelectField } from '../ui/field.tsx'
import css from './cables.module.css'
import { type EndErrors, type EndValue, endErrors, readEnd, writeEnd } from './end-values.ts'

const MOST_PORTS = 50

type PartProps = {
  readonly value: EndValue
  readonly onChange: (value: EndValue) => void
  readonly errors: EndErrors
}

const DeviceInput = ({ value, onChange, errors }: PartProps) => (
  <ReferenceField
    label="Device"
    to="devices"
    placeholder="A part of its name or address"
    value={value.device_id}
    onChange={(device_id, device) =>
      device_id !== value.device_id && onChange({ ...value, device_id, device, port: '', side: 'front' })
    }
    error={errors.device}
  />
)

const isFreeAt = ({ peers = [] }: Port, side: EndValue['side']): boolean => peers.every((peer) => peer.side !== side)

/** Returns the note of a port in the list. */
const renderNote = ({ peers = [], kind }: Port): ReactNode => {
  const texts = [...(kind === 'network' ? [] : [kind]), ...peers.map((peer) => `to ${formatPeer(peer)}`)]
  return texts.length > 0 && <span className="muted truncate">{texts.join(', ')}</span>
}

const isOpen = ({ peers = [], pass_through }: Port): boolean => peers.length < (pass_through ? 2 : 1)

/** Ports without a cable come first. */
const listPortOptions = (ports: readonly Port[], text: string): Option[] => {
  const matching = ports.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
  return [...matching.filter(isOpen), ...matching.filter((port) => !isOpen(port))]
    .slice(0, MOST_PORTS)
    .map((port) => ({ id: port.id, text: port.name, note: renderNote(port) }))
}

const PortInput = ({ value, onChange, errors }: PartProps) => {
  const { may } = usePermit()
  const [text, setText] = useState<string>()
  const { data: ports = [] } = useQuery({
    ...devicePortsQuery(value.device_id),
    enabled: value.device_id !== '' && may('ports:list'),
  })
  const findPort = (name: string) => ports.find((port) => port.name.toLowerCase() === name.trim().toLowerCase())
  const port = findPort(value.port)
  const isNew = value.port.trim() !== '' && port === undefined
  const set = (name: string) => {
    const found = findPort(name)
    // The side of a panel is the free one.
    const side = found?.pass_through && !isFreeAt(found, 'front') && isFreeAt(found, 'rear') ? 'rear' : 'front'
    onChange({ ...value, port: name, side })
  }
  return (
    <>
      <Combobox
        label="Port"
        listLabel="Ports"
        isFree
        isDisabled={value.device_id === ''}
        value={value.port}
        // Other ports are offered beside the chosen one.
        options={listPortOptions(ports, text === value.port && port ? '' : (text ?? ''))}
        onType={(typed) => {
          setText(typed)
          if (typed !== undefined && typed !== value.port) set(typed)
        }}
        onChoose={({ text: name }) => set(name)}
        error={errors.port}
        hint={isNew ? `${value.device} has no ${value.port.trim()} yet; it is made` : undefined}
      />
      {(port?.pass_through || errors.side !== undefined) && (
        <SelectField
          label="Side"
          value={value.side}
          onChange={(side) => onChange({ ...value, side: side === 'rear' ? 'rear' : 'front' })}
          options={[
            ['front', 'Front'],
            ['rear', 'Rear'],
          ]}
          error={errors.side}
        />
      )}
    </>
  )
}

type Props = ControlInput & { readonly at: 'a' | 'b'; readonly label: string }

export const EndField = ({ at, label, value: text, onChange: send, errors: all }: Props) => {
  const value = readEnd(text)
  const errors = endErrors(all, at, value)
  const onChange = (next: EndValue) => send(writeEnd(next))
  /** The values given with the form are shown as text, so that the first field is one that is left to fill in. */
  const [given, setGiven] = useState({ device: value.device_id !== '', port: value.port !== '' })
  const isFixed = given.port && errors.port === undefined && errors.side === undefined
  return (
    <fieldset className={css.end}>
      <legend>{label}</legend>
      {given.device && errors.device === undefined ? (
        <p className={css.given}>
          <b className="truncate">{value.device}</b>
          {isFixed && (
            <span className="mono truncate">{value.side === 'rear' ? `${value.port} rear` : value.port}</span>
          )}
          <Button look="quiet" onClick={() => setGiven({ device: false, port: false })}>
            Change
          </Button>
        </p>
      ) : (
        <DeviceInput value={value} onChange={onChange} errors={errors} />
      )}
      {!isFixed && <PortInput value={value} onChange={onChange} errors={errors} />}
    </fieldset>
  )
}
