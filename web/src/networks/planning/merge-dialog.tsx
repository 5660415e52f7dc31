/** Merges networks, after its effect was shown. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { api, call, getWritten } from '../../api/client.ts'
import { contracts, type Network } from '../../api/contracts.ts'
import { toAppError } from '../../api/errors.ts'
import { useProposing, useReport } from '../../proposals/known-proposals.ts'
import { SubmitButtons } from '../../resource/form/submit-buttons.tsx'
import { Button } from '../../ui/button.tsx'
import { Alert, TextField } from '../../ui/field.tsx'
import { plural } from '../../ui/format.ts'
import { Dialog, DialogActions } from '../../ui/layers.tsx'
import { Skeleton } from '../../ui/primitives.tsx'
import css from '../space.module.css'
import { formatMoved } from './moved-text.ts'
import { refreshNetworks } from './planning-queries.ts'

const NEEDS = ['networks:update', 'networks:delete']

type Props = { readonly networks: readonly Network[]; readonly onClose: () => void; readonly onMerged: () => void }

export const MergeDialog = ({ networks, onClose, onMerged }: Props) => {
  const client = useQueryClient()
  const report = useReport()
  const proposing = useProposing(NEEDS)
  const [name, setName] = useState('')
  const network_ids = networks.map(({ id }) => id)
  const preview = useQuery({
    queryKey: ['merge-preview', network_ids],
    queryFn: () => {
      const input: { network_ids: string[]; dry_run: true } = { network_ids, dry_run: true, ...proposing.field }
      return api.networks.merge(input)
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  const merge = useMutation({
    mutationFn: () =>
      call(contracts.networks.merge, {
        network_ids,
        ...proposing.field,
        ...(name.trim() !== '' && { name: name.trim() }),
      }),
    onSuccess: (answer) => {
      const { network } = answer
      report(`Merged into ${network.name}`, getWritten(answer), { description: network.subnet })
      refreshNetworks(client)
      onMerged()
      onClose()
    },
  })
  const { data } = preview
  const error = merge.error ?? preview.error
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    merge.mutate()
  }
  return (
    <Dialog title={`Merge ${plural(networks.length, 'network')}`} onClose={onClose}>
      <form className={css.form} onSubmit={submit} noValidate>
        {error ? (
          <Alert>{toAppError(error).message}</Alert>
        ) : data ? (
          <div role="status">
            <p>
              {data.network.name} becomes <b className="mono">{data.network.subnet}</b>;{' '}
              {data.removed.map((one) => one.name).join(', ')} {data.removed.length === 1 ? 'is' : 'are'} deleted.
            </p>
            <p>{formatMoved(data.moved)}</p>
            {data.lost.scans + data.lost.discovered_devices + data.lost.rules > 0 && (
              <p>
                {plural(data.lost.scans, 'scan')}, {plural(data.lost.discovered_devices, 'discovered device')} and{' '}
                {plural(data.lost.rules, 'schedule')} are deleted with them.
              </p>
            )}
          </div>
        ) : (
          <Skeleton />
        )}
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          hint={`${data?.network.name ?? 'That of the first'} without it`}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButtons proposing={proposing} disabled={merge.isPending || !data || preview.isError} action="Merge" />
        </DialogActions>
      </form>
    </Dialog>
  )
}
