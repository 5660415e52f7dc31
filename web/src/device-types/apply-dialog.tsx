/** Adds the ports of a device type that its devices lack, after a dry run has shown how many. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, write } from '../api/client.ts'
import { contracts } from '../api/contracts.ts'
import { toAppError } from '../api/errors.ts'
import { useProposing, useReport } from '../proposals/known-proposals.ts'
import { Button } from '../ui/button.tsx'
import { Alert } from '../ui/field.tsx'
import { plural } from '../ui/format.ts'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { Skeleton } from '../ui/primitives.tsx'
import type { DeviceType } from './fields.ts'

/** @example formatEffect({ devices: 2, ports_added: 5 }) // '5 ports are added to 2 devices.' */
const formatEffect = ({ devices, ports_added }: { devices: number; ports_added: number }): string =>
  ports_added === 0
    ? 'No device of this type lacks a port.'
    : `${plural(ports_added, 'port')} ${ports_added === 1 ? 'is' : 'are'} added to ${plural(devices, 'device')}.`

type Props = { readonly type: Pick<DeviceType, 'id' | 'name'>; readonly onClose: () => void }

export const ApplyDialog = ({ type: { id, name }, onClose }: Props) => {
  const client = useQueryClient()
  const report = useReport()
  const proposing = useProposing('ports:create')
  const preview = useQuery({
    queryKey: ['device-type-apply', id],
    queryFn: () => {
      const input: { id: string; dry_run: true } = { id, dry_run: true }
      return api.deviceTypes.apply(input)
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  const apply = useMutation({
    mutationFn: (field: { readonly proposal?: 'open' }) => write(contracts.deviceTypes.apply, { id, ...field }),
    onSuccess: (written) => {
      report(`Added ${plural(preview.data?.ports_added ?? 0, 'port')}`, written)
      for (const key of ['ports', 'device', 'history']) void client.invalidateQueries({ queryKey: [key] })
      onClose()
    },
  })
  const error = apply.error ?? preview.error
  const { data } = preview
  return (
    <Dialog title={`Add the missing ports of ${name}`} onClose={onClose}>
      {error ? (
        <Alert>{toAppError(error).message}</Alert>
      ) : data ? (
        <p role="status">{formatEffect(data)} None is changed or removed.</p>
      ) : (
        <Skeleton />
      )}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        {proposing.isChoice && (
          <Button
            onClick={() => apply.mutate({ proposal: 'open' })}
            disabled={apply.isPending || !data || data.ports_added === 0}
          >
            Propose instead
          </Button>
        )}
        <Button
          look="primary"
          onClick={() => apply.mutate(proposing.field)}
          disabled={apply.isPending || !data || data.ports_added === 0}
        >
          {proposing.label('Add ports')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
