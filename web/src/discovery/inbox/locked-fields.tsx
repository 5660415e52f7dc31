/** The locked fields of a device, for which discovery proposes no changes. Each can be unlocked. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { Lock as LockIcon } from 'lucide-react'
import { api } from '../../api/client.ts'
import { usePermit } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import { TimeAgo } from '../../ui/primitives.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import css from '../evidence.module.css'
import { getFieldName } from '../labels.ts'
import { locksQuery } from '../queries.ts'
import { useDiscoveryChanged } from '../scans/scan-actions.tsx'
import type { Lockable } from '../shapes.ts'

export const useUnlock = (deviceId: string) => {
  const changed = useDiscoveryChanged()
  return useMutation({
    mutationFn: (field: Lockable) => api.discoveryLocks.delete({ device_id: deviceId, field }),
    onSuccess: (_, field) => toast(`${getFieldName(field)} is proposed again`),
    onError: (error) => toastError('The field is still locked', error),
    onSettled: changed,
  })
}

export const LockedFields = ({ deviceId }: { readonly deviceId: string }) => {
  const { may, blockedNow } = usePermit()
  const { data = [] } = useQuery({ ...locksQuery(deviceId), enabled: may('discovery:list') })
  const unlock = useUnlock(deviceId)
  if (data.length === 0) return null
  return (
    <section className={css.block}>
      <h3>Locked fields</h3>
      <ul className={css.locks}>
        {data.map(({ field, created_by, created_at }) => (
          <li key={field}>
            <LockIcon size={13} aria-hidden="true" />
            <b>{getFieldName(field)}</b>
            <span className="muted">
              by {created_by} <TimeAgo at={created_at} />
            </span>
            <Button onClick={() => unlock.mutate(field)} blocked={blockedNow('discovery:update')}>
              Unlock
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
