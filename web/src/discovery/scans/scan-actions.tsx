/** The actions on a scan: cancel it while it runs, or delete it with its results. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Trash2, X } from 'lucide-react'
import { api } from '../../api/client.ts'
import { usePermit } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/layers.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { DISCOVERY_KEYS, isActive } from '../queries.ts'
import type { Scan } from '../shapes.ts'

export const useDiscoveryChanged = (): (() => void) => {
  const client = useQueryClient()
  return () => {
    for (const key of DISCOVERY_KEYS) void client.invalidateQueries({ queryKey: [key] })
  }
}

export const useCancelScan = () => {
  const changed = useDiscoveryChanged()
  return useMutation({
    mutationFn: (id: string) => api.scans.cancel({ id }),
    onSuccess: () => toast('The scan is stopped. Discovered devices stay.'),
    onError: (error) => toastError('The scan goes on', error),
    // It may have ended before the request.
    onSettled: changed,
  })
}

type DeleteProps = {
  readonly scan: Scan
  readonly network: string
  readonly onClose: () => void
  readonly onDone?: () => void
}

export const DeleteScan = ({ scan, network, onClose, onDone }: DeleteProps) => {
  const changed = useDiscoveryChanged()
  const remove = useMutation({
    mutationFn: () => api.scans.delete({ id: scan.id }),
    onSuccess: () => {
      toast(`Deleted the scan of ${network}`)
      onDone?.()
      changed()
    },
    onError: (error) => toastError('The scan is still there', error),
  })
  return (
    <Confirm
      title={`Delete the scan of ${network}?`}
      action="Delete scan"
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {isActive(scan) && 'It is stopped first. '}Its log and its differences go; the devices that it found stay. This
      can't be undone.
    </Confirm>
  )
}

type RowProps = {
  readonly scan: Scan
  readonly network: string
  readonly onCancel: (id: string) => void
  readonly onDelete: (scan: Scan) => void
}

/** The buttons of a row. The list has keys for the same actions. */
export const ScanTools = ({ scan, network, onCancel, onDelete }: RowProps) => {
  const { blocked } = usePermit()
  return isActive(scan) ? (
    <Button
      isIcon
      look="quiet"
      tabIndex={-1}
      aria-label={`Cancel the scan of ${network}`}
      title="Cancel"
      blocked={blocked('discovery:create')}
      onClick={() => onCancel(scan.id)}
    >
      <X size={14} aria-hidden="true" />
    </Button>
  ) : (
    <Button
      isIcon
      look="quiet"
      tabIndex={-1}
      aria-label={`Delete the scan of ${network}`}
      title="Delete"
      blocked={blocked('discovery:delete')}
      onClick={() => onDelete(scan)}
    >
      <Trash2 size={14} aria-hidden="true" />
    </Button>
  )
}
