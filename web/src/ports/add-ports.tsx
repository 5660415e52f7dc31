/** Adds one port or many. Their names are a pattern such as `Gi0/[1-48]`. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { toAppError } from '../api/errors.ts'
import { CustomFields } from '../custom-fields/known-custom.tsx'
import { parseCustomInput } from '../custom-fields/known-text.ts'
import { useProposing, useReport } from '../proposals/known-proposals.ts'
import { getItemErrors, runBatch } from '../resource/batch.ts'
import { SubmitButtons } from '../resource/form/submit-buttons.tsx'
import { Button } from '../ui/button.tsx'
import fieldCss from '../ui/field.module.css'
import { Alert, SelectField, TextField } from '../ui/field.tsx'
import { plural } from '../ui/format.ts'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { type PortOperation, sendPorts } from './batch.ts'
import { KINDS } from './fields.ts'
import { CHANGES } from './queries.ts'
import { type Expanded, expandNames } from './range.ts'

/** @example formatPreview(['Gi0/1', 'Gi0/2', 'Gi0/3']) // '3 ports: Gi0/1, Gi0/2, Gi0/3' */
const formatPreview = (expanded: Expanded): string => {
  if ('problem' in expanded) return ''
  const { names } = expanded
  if (names.length === 0) return 'A range stands in brackets: Gi0/[1-48] is 48 ports'
  const shown = names.length <= 4 ? names : [...names.slice(0, 2), '…', names.at(-1)]
  return `${plural(names.length, 'port')}: ${shown.join(', ')}`
}

type Props = {
  readonly device: { readonly id: string; readonly name: string }
  /** Lower-case names of its ports. */
  readonly known: ReadonlySet<string>
  readonly onClose: () => void
}

export const AddPorts = ({ device, known, onClose }: Props) => {
  const client = useQueryClient()
  const report = useReport()
  const proposing = useProposing('ports:create')
  const [pattern, setPattern] = useState('')
  const [kind, setKind] = useState<string>('network')
  const [type, setType] = useState('')
  const [speed, setSpeed] = useState('')
  const [sides, setSides] = useState('one')
  const [isTried, setTried] = useState(false)
  const expanded = expandNames(pattern)
  const names = 'problem' in expanded ? [] : expanded.names
  const taken = names.find((name) => known.has(name.toLowerCase()))
  const [custom, setCustom] = useState('')
  const add = useMutation({
    mutationFn: async () => {
      const values = parseCustomInput(custom)
      const shape = {
        kind: KINDS.map(([one]) => one).find((one) => one === kind) ?? 'network',
        type,
        // The server refuses a text that is no number.
        speed_mbps: speed.trim() === '' ? null : Number(speed),
        pass_through: sides === 'two',
        ...(values && { custom: values }),
      }
      const operations = names.map(
        (name): PortOperation => ({
          op: 'create',
          port: { device_id: device.id, name, ...shape },
        }),
      )
      return (await runBatch(sendPorts, operations, proposing.field)).written
    },
    onSuccess: (written) => {
      report(`Added ${plural(names.length, 'port')}`, written)
      for (const key of [...CHANGES, 'history']) void client.invalidateQueries({ queryKey: [key] })
      onClose()
    },
  })
  const errors = getItemErrors(add.error)
  const empty = isTried && pattern.trim() === '' ? 'A port needs a name' : undefined
  const problem = 'problem' in expanded ? expanded.problem : empty
  const nameError = problem ?? (taken === undefined ? errors.name : `${device.name} has ${taken} already`)
  const shown = ['name', 'kind', 'type', 'speed_mbps', 'pass_through']
  const isKnown = Object.keys(errors).some((field) => shown.includes(field) || field.startsWith('custom.'))
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setTried(true)
    if (names.length > 0 && taken === undefined && !add.isPending) add.mutate()
  }
  return (
    <Dialog title={`Add ports to ${device.name}`} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        {add.isError && !isKnown && <Alert>{toAppError(add.error).message}</Alert>}
        <TextField
          label="Names"
          isMono
          required
          placeholder="Gi0/[1-48]"
          value={pattern}
          onChange={(text) => {
            setPattern(text)
            add.reset()
          }}
          hint={formatPreview(expanded)}
          error={nameError}
        />
        <div className={fieldCss.two}>
          <SelectField label="Kind" value={kind} onChange={setKind} options={KINDS} error={errors.kind} />
          <SelectField
            label="Sides"
            value={sides}
            onChange={setSides}
            options={[
              ['one', 'One side'],
              ['two', 'Front and rear, of a panel'],
            ]}
            error={errors.pass_through}
          />
        </div>
        <div className={fieldCss.two}>
          <TextField label="Type" value={type} onChange={setType} hint="Such as 1000base-t" error={errors.type} />
          <TextField
            label="Speed in Mbit/s"
            inputMode="numeric"
            isMono
            value={speed}
            onChange={setSpeed}
            error={errors.speed_mbps}
          />
        </div>
        <CustomFields
          resource="ports"
          values={{ kind }}
          value={custom}
          onChange={setCustom}
          errors={errors}
          isNew
          isShared={names.length > 1}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButtons
            proposing={proposing}
            disabled={add.isPending}
            action={names.length > 1 ? `Add ${plural(names.length, 'port')}` : 'Add port'}
          />
        </DialogActions>
      </form>
    </Dialog>
  )
}
