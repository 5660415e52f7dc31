/** Makes devices like an existing one, with names by a pattern, each with a free address. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useDeferredValue, useState } from 'react'
import { AppError } from '../../../../src/contract/errors.ts'
import { api, call, getWritten } from '../../api/client.ts'
import { contracts, type Device, type Out } from '../../api/contracts.ts'
import { isCode, toAppError } from '../../api/errors.ts'
import { loadDefinitions } from '../../custom-fields/definitions.ts'
import { type Proposing, useProposing, useReport } from '../../proposals/known-proposals.ts'
import { getItemErrors } from '../../resource/batch.ts'
import { type Choice, ChoiceField } from '../../resource/form/choice-field.tsx'
import { SubmitButtons } from '../../resource/form/submit-buttons.tsx'
import { usePermit } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import { Alert, TextField } from '../../ui/field.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import { Dialog, DialogActions } from '../../ui/layers.tsx'
import { DEVICE_RESOURCE } from '../resource.ts'
import { devices } from '../window/device-list-client.ts'
import { buildCopy, expandDeviceNames, formatNames, type OwnAddress, suggestPattern } from './duplicate.ts'

type Free = Out<typeof contracts.addresses.free>[number]

const NONE: readonly Free[] = []

const loadUnique = async ({ custom }: Device): Promise<ReadonlySet<string>> =>
  new Set(
    custom === undefined ? [] : (await loadDefinitions('devices')).flatMap(({ name, unique }) => (unique ? name : [])),
  )

/** @throws AppError IP_NOT_AVAILABLE if too few are free */
const loadAddresses = async (from: Free, count: number): Promise<readonly OwnAddress[]> => {
  const input = { id: from.id, count }
  const { ips = [] } = await (from.kind === 'pool' ? api.pools.nextIp(input) : api.networks.nextIp(input))
  if (ips.length < count)
    throw new AppError(
      'IP_NOT_AVAILABLE',
      `${from.name} has only ${plural(ips.length, 'free address', 'free addresses')}`,
    )
  const { network_id, space_id } = from
  return ips.map((ip) => ({ ip, network_id, space_id, ...(from.kind === 'pool' && { pool_id: from.id }) }))
}

type Copies = { readonly device: Device; readonly names: readonly string[]; readonly from: Free | undefined }

const createCopies = async ({ device, names, from }: Copies, field: Proposing['field']) => {
  const unique = await loadUnique(device)
  const addresses = from ? await loadAddresses(from, names.length) : []
  const operations = names.map((name, at) => ({
    op: 'create' as const,
    device: buildCopy(device, { name, address: addresses[at] }, unique),
  }))
  const answer = await call(contracts.devices.bulk, { atomic: true, operations, ...field })
  const refused = answer.results.find(({ error }) => error)?.error
  if (refused) throw new AppError(refused.code, refused.error, { details: refused.details })
  return answer
}

type AddressProps = {
  readonly device: Device
  readonly value: Free | undefined
  readonly onChange: (from: Free | undefined) => void
  readonly error: string | undefined
}

/** The pool or network of which each device gets a free address. */
const AddressSource = ({ device: { datacenter_id }, value, onChange, error }: AddressProps) => {
  const { may } = usePermit()
  const [text, setText] = useState('')
  const q = useDeferredValue(text.trim())
  const { data = NONE } = useQuery({
    queryKey: ['pools', 'free addresses', datacenter_id, q],
    queryFn: () => api.addresses.free({ ...(q && { q }), ...(datacenter_id && { datacenter_id }) }),
    enabled: may('pools:list') || may('networks:list'),
    placeholderData: (old) => old,
  })
  const toChoice = ({ id, name, subnet, ip, available_ips }: Free): Choice => [
    id,
    `next free of ${name}`,
    [subnet, `from ${ip}`, `${formatCount(available_ips)} free`].filter(Boolean).join(', '),
  ]
  return (
    <ChoiceField
      label="Address of each"
      value={value?.id ?? ''}
      chosen={value && `next free of ${value.name}`}
      none="None"
      choices={data.map(toChoice)}
      onSearch={(typed) => setText(typed ?? '')}
      onChange={(id) => onChange(data.find((one) => one.id === id))}
      error={error}
    />
  )
}

type Props = { readonly device: Device; readonly onClose: () => void }

export const DuplicateDialog = ({ device, onClose }: Props) => {
  const client = useQueryClient()
  const report = useReport()
  const proposing = useProposing('devices:create')
  const [pattern, setPattern] = useState('')
  const [from, setFrom] = useState<Free>()
  const expanded = expandDeviceNames(pattern)
  const names = 'problem' in expanded ? [] : expanded.names
  const copy = useMutation({
    mutationFn: () => createCopies({ device, names, from }, proposing.field),
    onSuccess: (answer) => {
      if (report(`Created ${plural(names.length, 'device')}`, getWritten(answer)))
        devices.put(answer.results.flatMap(({ device: made }) => made ?? []))
      for (const key of [...DEVICE_RESOURCE.changes, 'networks', 'history'])
        void client.invalidateQueries({ queryKey: [key] })
      onClose()
    },
  })
  const errors = getItemErrors(copy.error)
  const isTaken = isCode(copy.error, 'IP_NOT_AVAILABLE')
  const problem = 'problem' in expanded ? expanded.problem : errors.name
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (names.length > 0 && !copy.isPending) copy.mutate()
  }
  return (
    <Dialog title={`Duplicate ${device.name}`} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        {copy.isError && !isTaken && errors.name === undefined && <Alert>{toAppError(copy.error).message}</Alert>}
        <TextField
          label="Names"
          isMono
          required
          placeholder={suggestPattern(device.name)}
          value={pattern}
          onChange={(text) => {
            setPattern(text)
            copy.reset()
          }}
          hint={names.length > 0 ? formatNames(names) : `A range stands in brackets: ${suggestPattern(device.name)}`}
          error={problem}
        />
        <AddressSource
          device={device}
          value={from}
          onChange={(chosen) => {
            setFrom(chosen)
            copy.reset()
          }}
          error={isTaken ? toAppError(copy.error).message : undefined}
        />
        <p className="muted">The name, the addresses, the place in a rack, other ids and the owner are not copied.</p>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButtons
            proposing={proposing}
            disabled={names.length === 0 || copy.isPending}
            action={`Create ${plural(Math.max(1, names.length), 'device')}`}
          />
        </DialogActions>
      </form>
    </Dialog>
  )
}
