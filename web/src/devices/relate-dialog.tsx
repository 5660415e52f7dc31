/** Relates a device to another, which is searched for. */
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { call, getWritten } from '../api/client.ts'
import { contracts, type Device } from '../api/contracts.ts'
import { toAppError } from '../api/errors.ts'
import { useProposing, useReport } from '../proposals/known-proposals.ts'
import { ReferenceField } from '../resource/form/reference-field.tsx'
import { SubmitButtons } from '../resource/form/submit-buttons.tsx'
import { Button } from '../ui/button.tsx'
import { Alert, SelectField } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import css from './devices.module.css'

const WAYS = [
  ['connected_to >', 'is connected to'],
  ['contains >', 'contains'],
  ['contains <', 'is contained by'],
  ['depends_on >', 'depends on'],
  ['depends_on <', 'is needed by'],
] as const

type Named = Pick<Device, 'id' | 'name'>

type Props = { readonly device: Device; readonly onClose: () => void; readonly onDone: () => Promise<void> }

export const RelateDialog = ({ device, onClose, onDone }: Props) => {
  const report = useReport()
  const proposing = useProposing('relationships:create')
  const [way, setWay] = useState<string>(WAYS[0][0])
  const [other, setOther] = useState({ id: '', name: '' })
  const relate = useMutation({
    mutationFn: async (target: Named) => {
      const [name = '', direction] = way.split(' ')
      const type = WAYS.map(([one]) => one.split(' ')[0]).find((one) => one === name) as
        | 'contains'
        | 'connected_to'
        | 'depends_on'
      const [parent, child] = direction === '>' ? [device, target] : [target, device]
      return call(contracts.relationships.create, {
        device_id: parent.id,
        child_id: child.id,
        type,
        ...proposing.field,
      })
    },
    onSuccess: async (answer, target) => {
      report(`Related to ${target.name}`, getWritten(answer))
      await onDone()
      onClose()
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (other.id !== '') relate.mutate(other)
  }
  return (
    <Dialog title={`Relate ${device.name}`} onClose={onClose}>
      <form className={css.addLink} onSubmit={submit}>
        {relate.isError && <Alert>{toAppError(relate.error).message}</Alert>}
        <SelectField label="How" value={way} onChange={setWay} options={WAYS} />
        <ReferenceField
          label="Other device"
          to="devices"
          hint="A part of its name or address"
          value={other.id}
          onChange={(id, name) => setOther({ id, name })}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButtons proposing={proposing} disabled={other.id === '' || relate.isPending} action="Relate" />
        </DialogActions>
      </form>
    </Dialog>
  )
}
