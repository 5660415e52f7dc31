/** Asks before the credential of a scanner is revoked. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { plural } from '../ui/format.ts'
import { Confirm } from '../ui/layers.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import type { Scanner } from './queries.ts'

type Props = { readonly scanner: Scanner; readonly onClose: () => void }

export const RevokeDialog = ({ scanner: { id, name, running_scans }, onClose }: Props) => {
  const client = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => api.scanners.revoke({ id }),
    onSuccess: () => toast(`Revoked ${name}`),
    onError: (error) => toastError(`${name} is not revoked`, error),
    onSettled: () => {
      for (const key of ['scanners', 'scanner', 'scans', 'scan', 'history', 'dashboard'])
        void client.invalidateQueries({ queryKey: [key] })
    },
  })
  return (
    <Confirm title={`Revoke ${name}?`} action="Revoke scanner" onConfirm={() => revoke.mutate()} onClose={onClose}>
      Its credential ends at once
      {running_scans > 0 && `, and ${plural(running_scans, 'running scan fails', 'running scans fail')}`}; what it found
      stays. Its networks keep its label and are no longer scanned, unless another scanner answers to it. It can be
      enrolled again.
    </Confirm>
  )
}
