/** Allocates a subnet of a network: the lowest free one of a length, or one in a free block. The block is marked before it is taken. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useEffect, useState } from 'react'
import { KEY_HEADER } from '../../../../src/contract/idempotency-key.ts'
import { call, getWritten } from '../../api/client.ts'
import { contracts, type Network } from '../../api/contracts.ts'
import { getFieldErrors, toAppError } from '../../api/errors.ts'
import { CustomFields } from '../../custom-fields/known-custom.tsx'
import { parseCustomInput } from '../../custom-fields/known-text.ts'
import { useProposing, useReport } from '../../proposals/known-proposals.ts'
import { SubmitButtons } from '../../resource/form/submit-buttons.tsx'
import { Button } from '../../ui/button.tsx'
import fieldCss from '../../ui/field.module.css'
import { Alert, TextField } from '../../ui/field.tsx'
import { formatAddressCount, formatCount } from '../../ui/format.ts'
import { Dialog, DialogActions } from '../../ui/layers.tsx'
import css from '../space.module.css'
import {
  computeFirstSubnet,
  computeLengths,
  computeLengthsOfBlocks,
  countSubnetsLeft,
  findFirstSubnet,
  listSpaceParts,
} from '../space.ts'
import { SpaceBar } from '../space-bar.tsx'
import { setExpanded } from '../use-expanded.ts'
import { LengthSlider } from './length-slider.tsx'
import { nextSubnetQuery, refreshNetworks, treeQuery } from './planning-queries.ts'

export type SubnetDialogProps = {
  readonly network: Pick<Network, 'id' | 'name' | 'subnet' | 'datacenter_id' | 'space_id'>
  /** The free blocks to take it from, by address; without them the lowest of the network. */
  readonly blocks?: readonly string[] | undefined
  /** Called with the subnet that would be taken. */
  readonly onMark?: ((subnet: string | undefined) => void) | undefined
  readonly onClose: () => void
}

const LIKELY = { 4: 24, 6: 64 }

export const SubnetDialog = ({ network, blocks, onMark, onClose }: SubnetDialogProps) => {
  const client = useQueryClient()
  const report = useReport()
  const proposing = useProposing('networks:create')
  const { id } = network
  const { min, max } = blocks ? computeLengthsOfBlocks(blocks) : computeLengths(network.subnet, false)
  const likely = LIKELY[network.subnet.includes(':') ? 6 : 4]
  const [length, setLength] = useState(Math.max(min, Math.min(max, likely)))
  const [form, setForm] = useState({ name: '', vlan: '', custom: '' })
  // One press is one allocation, however often the request is sent.
  const [key] = useState(() => crypto.randomUUID())
  const tree = useQuery(treeQuery(id))
  const next = useQuery({ ...nextSubnetQuery(id, length), enabled: blocks === undefined })
  const chosen = blocks ? findFirstSubnet(blocks, length) : next.isError ? undefined : next.data
  useEffect(() => {
    onMark?.(chosen)
    return () => onMark?.(undefined)
  }, [onMark, chosen])
  const take = useMutation({
    mutationFn: async () => {
      const custom = parseCustomInput(form.custom)
      const fields = { ...(form.vlan.trim() !== '' && { vlan_id: Number(form.vlan) }), ...(custom && { custom }) }
      const name = form.name.trim()
      const options = { headers: { [KEY_HEADER]: key } }
      if (blocks)
        return call(
          contracts.networks.create,
          {
            ...fields,
            ...proposing.field,
            name: name || (chosen ?? ''),
            subnet: chosen ?? '',
            datacenter_id: network.datacenter_id,
            space_id: network.space_id ?? null,
          },
          options,
        )
      const given = { ...fields, ...proposing.field, ...(name !== '' && { name }) }
      return call(contracts.networks.allocate, { id, prefix_length: length, ...given }, options)
    },
    onSuccess: (answer) => {
      const made = 'networks' in answer ? answer.networks[0] : answer
      report(`Created ${made?.name ?? 'a network'}`, getWritten(answer), made && { description: made.subnet })
      setExpanded(id, true)
      refreshNetworks(client)
      onClose()
    },
  })
  const errors = getFieldErrors(take.error)
  const free = (tree.data?.free ?? []).filter((one) => blocks?.includes(one.subnet) ?? true)
  const left = countSubnetsLeft(free, length)
  const error = take.error ?? next.error
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    take.mutate()
  }
  return (
    <Dialog title={`Allocate a subnet of ${network.name}`} onClose={onClose} isWide>
      <form className={css.form} onSubmit={submit} noValidate>
        {error && toAppError(error).details.length === 0 && <Alert>{toAppError(error).message}</Alert>}
        <LengthSlider
          length={length}
          min={min}
          max={max}
          onChange={setLength}
          hint={`${formatAddressCount(computeFirstSubnet(network.subnet, length), 2 ** (max - length))} addresses each; ${left.isLeast ? 'at least ' : ''}${formatCount(left.count)} left`}
          error={errors.prefix_length}
        />
        {tree.data && <SpaceBar parts={listSpaceParts(tree.data)} chosen={chosen} />}
        <p role="status">
          {chosen ? (
            <>
              Takes <b className="mono">{chosen}</b>
            </>
          ) : (
            'None is free'
          )}
        </p>
        <div className={fieldCss.two}>
          <TextField
            label="Name"
            value={form.name}
            onChange={(name) => setForm({ ...form, name })}
            hint="The subnet without it"
            error={errors.name}
          />
          <TextField
            label="VLAN"
            inputMode="numeric"
            value={form.vlan}
            onChange={(vlan) => setForm({ ...form, vlan })}
            error={errors.vlan_id}
            isMono
          />
        </div>
        <CustomFields
          resource="networks"
          value={form.custom}
          onChange={(custom) => setForm({ ...form, custom })}
          errors={errors}
          isNew
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButtons proposing={proposing} disabled={take.isPending || !chosen} action="Allocate" />
        </DialogActions>
      </form>
    </Dialog>
  )
}
