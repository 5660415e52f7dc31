/** Relates a device to another, which is searched for. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useDeferredValue, useState } from 'react'
import { api } from '../api/client.ts'
import type { Device } from '../api/contracts.ts'
import { toAppError } from '../api/errors.ts'
import { Button } from '../ui/button.tsx'
import { Alert, SelectField, TextField } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { toast } from '../ui/toast.tsx'
import css from './devices.module.css'

const WAYS = [
  ['connected_to >', 'is connected to'],
  ['contains >', 'contains'],
  ['contains <', 'is contained by'],
  ['depends_on >', 'depends on'],
  ['depends_on <', 'is needed by'],
] as const

type Props = { readonly device: Device; readonly onClose: () => void; readonly onDone: () => Promise<void> }

export const RelateDialog = ({ device, onClose, onDone }: Props) => {
  const [way, setWay] = useState<string>(WAYS[0][0])
  const [text, setText] = useState('')
  const [other, setOther] = useState<Device>()
  const wanted = useDeferredValue(text.trim())
  const { data: found = [] } = useQuery({
    queryKey: ['find-device', wanted],
    queryFn: () => api.devices.search({ q: wanted, limit: 8 }),
    enabled: wanted.length >= 2,
    placeholderData: (old) => old,
  })
  const relate = useMutation({
    mutationFn: async (target: Device) => {
      const [name = '', direction] = way.split(' ')
      const type = WAYS.map(([one]) => one.split(' ')[0]).find((one) => one === name) as
        | 'contains'
        | 'connected_to'
        | 'depends_on'
      const [parent, child] = direction === '>' ? [device, target] : [target, device]
      await api.relationships.create({ device_id: parent.id, child_id: child.id, type })
    },
    onSuccess: async (_, target) => {
      toast(`Related to ${target.name}`)
      await onDone()
      onClose()
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (other) relate.mutate(other)
  }
  return (
    <Dialog title={`Relate ${device.name}`} onClose={onClose}>
      <form className={css.addLink} onSubmit={submit}>
        {relate.isError && <Alert>{toAppError(relate.error).message}</Alert>}
        <SelectField label="How" value={way} onChange={setWay} options={WAYS} />
        <TextField
          label="Other device"
          hint="Name, address or tag; two letters or more"
          value={text}
          onChange={setText}
        />
        {found.length > 0 && (
          <div className={css.options}>
            {found
              .filter(({ id }) => id !== device.id)
              .map((one) => (
                <button
                  key={one.id}
                  type="button"
                  className={css.option}
                  aria-pressed={other?.id === one.id}
                  onClick={() => setOther(one)}
                >
                  <b>{one.name}</b>
                  <span className="mono muted">{one.addresses[0]?.ip}</span>
                </button>
              ))}
          </div>
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!other || relate.isPending}>
            Relate
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
