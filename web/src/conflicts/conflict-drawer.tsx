/** One conflict: the objects that contradict each other, and the ways to resolve it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, type SubmitEvent, useState } from 'react'
import { api } from '../api/client.ts'
import type { Conflict } from '../api/contracts.ts'
import { toAppError } from '../api/errors.ts'
import { deviceQuery } from '../devices/queries.ts'
import { devices } from '../devices/window/device-list-client.ts'
import { usePermit } from '../shell/me.ts'
import { PageLoading } from '../shell/page-loading.tsx'
import { SpaceBadge } from '../spaces/known-spaces.tsx'
import { Button } from '../ui/button.tsx'
import fieldCss from '../ui/field.module.css'
import { Alert, TextArea } from '../ui/field.tsx'
import { Drawer } from '../ui/layers.tsx'
import { Facts, TimeAgo } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { toast } from '../ui/toast.tsx'
import { DeviceComparison, NetworkComparison } from './compare-table.tsx'
import css from './conflicts.module.css'
import { formatTitle, StatusBadge } from './marks.tsx'
import { conflictQuery } from './queries.ts'

/** No device keeps the address by this choice: the conflict was resolved elsewhere. */
const BY_HAND = ''

/** Query keys that the resolution of a conflict invalidates. */
const CHANGES = ['conflicts', 'device', 'networks', 'pools', 'dashboard']

type KeeperProps = {
  readonly conflict: Conflict
  readonly keeper: string
  readonly onChange: (id: string) => void
}

const DeviceName = ({ id }: { readonly id: string }) => {
  // The comparison above requests them.
  const { data } = useQuery({ ...deviceQuery(id), enabled: false })
  return <b>{data?.value.name ?? id}</b>
}

type ChoiceProps = {
  readonly isChosen: boolean
  readonly isDisabled: boolean
  readonly onChoose: () => void
  readonly children: ReactNode
}

const Choice = ({ isChosen, isDisabled, onChoose, children }: ChoiceProps) => (
  <label className={css.choice}>
    <input type="radio" name="keeper" checked={isChosen} disabled={isDisabled} onChange={onChoose} />
    <span>{children}</span>
  </label>
)

const Keeper = ({ conflict: { device_ids, ip_address }, keeper, onChange }: KeeperProps) => {
  const { mayNow } = usePermit()
  const mayChange = mayNow('devices:update')
  return (
    <fieldset className={css.choices}>
      <legend>Who keeps {ip_address}?</legend>
      {device_ids.map((id) => (
        <Choice key={id} isChosen={keeper === id} isDisabled={!mayChange} onChoose={() => onChange(id)}>
          <DeviceName id={id} /> keeps it; it is taken from {device_ids.length > 2 ? 'the others' : 'the other'}
        </Choice>
      ))}
      <Choice isChosen={keeper === BY_HAND} isDisabled={false} onChoose={() => onChange(BY_HAND)}>
        <b>No device is changed</b>; the conflict is marked as resolved
      </Choice>
      {!mayChange && <p className={fieldCss.hint}>To take an address needs the permission devices:update.</p>}
    </fieldset>
  )
}

type SettleProps = { readonly conflict: Conflict; readonly onDone: () => void; readonly onDelete: () => void }

const Settle = ({ conflict, onDone, onDelete }: SettleProps) => {
  const { id, type, status, notes: before, device_ids } = conflict
  const client = useQueryClient()
  const { may, blocked } = usePermit()
  const [keeper, setKeeper] = useState(BY_HAND)
  const [notes, setNotes] = useState(before)
  const settled = async (said: string) => {
    toast(said)
    onDone()
    for (const key of CHANGES) void client.invalidateQueries({ queryKey: [key] })
  }
  const resolve = useMutation({
    mutationFn: () => api.conflicts.resolve({ id, notes, ...(keeper === BY_HAND ? {} : { keep_device_id: keeper }) }),
    onSuccess: async () => {
      // The devices that lost the address.
      const changed = keeper === BY_HAND ? [] : device_ids.filter((one) => one !== keeper)
      devices.put(await Promise.all(changed.map((one) => api.devices.get({ id: one }))))
      await settled('Resolved')
    },
  })
  const ignore = useMutation({
    mutationFn: () => api.conflicts.ignore({ id, notes }),
    onSuccess: () => settled('Ignored; it is not raised again'),
  })
  const error = resolve.error ?? ignore.error
  const isBusy = resolve.isPending || ignore.isPending
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    resolve.mutate()
  }
  if (status === 'resolved') return null
  const noResolve = blocked('conflicts:resolve')
  return (
    <form className={fieldCss.block} onSubmit={submit} aria-label="Settle it">
      <fieldset className={fieldCss.fields} disabled={!may('conflicts:resolve')}>
        {type === 'duplicate_ip' && <Keeper conflict={conflict} keeper={keeper} onChange={setKeeper} />}
        {type === 'overlapping_subnet' && (
          <p className="muted">
            Change the subnet or the datacenter of one of them to resolve the conflict. Or mark it below as resolved, or
            ignore it.
          </p>
        )}
        <TextArea label="Notes" hint="The reason for this resolution." value={notes} onChange={setNotes} />
      </fieldset>
      {error && <Alert>{toAppError(error).message}</Alert>}
      <div className={fieldCss.choices}>
        <Button type="submit" look="primary" disabled={isBusy} blocked={noResolve}>
          {keeper === BY_HAND ? 'Mark as resolved' : 'Resolve'}
        </Button>
        {status === 'active' && (
          <Button onClick={() => ignore.mutate()} disabled={isBusy} blocked={noResolve}>
            Ignore, it is intended
          </Button>
        )}
        <Button look="danger" className={css.pushed} onClick={onDelete} blocked={blocked('conflicts:delete')}>
          Delete
        </Button>
      </div>
    </form>
  )
}

const Detail = ({ conflict }: { readonly conflict: Conflict }) => (
  <section className={fieldCss.block}>
    <Facts
      facts={[
        ['Status', <StatusBadge key="status" status={conflict.status} />],
        ...(conflict.space_id === undefined
          ? []
          : [['Address space', <SpaceBadge key="space" space_id={conflict.space_id} />] as const]),
        ['Detected', <TimeAgo key="found" at={conflict.detected_at} />],
        ...(conflict.resolved_at === null
          ? []
          : [['Resolved', <TimeAgo key="resolved" at={conflict.resolved_at} />] as const]),
        ...(conflict.status === 'active' ? [] : [['By', conflict.resolved_by || 'itself: its cause is gone'] as const]),
        ...(conflict.notes === '' ? [] : [['Notes', conflict.notes] as const]),
      ]}
    />
  </section>
)

type Props = {
  readonly id: string
  readonly known: Conflict | undefined
  readonly onClose: () => void
  readonly onDelete: (conflict: Conflict) => void
}

export const ConflictDrawer = ({ id, known, onClose, onDelete }: Props) => {
  const { data, error, refetch } = useQuery({ ...conflictQuery(id), enabled: known === undefined })
  const conflict = known ?? data
  return (
    <Drawer title={conflict ? formatTitle(conflict) : 'Conflict'} onClose={onClose} isWide>
      {!conflict && error && <Failure error={error} onRetry={() => void refetch()} noun="conflict" />}
      {!conflict && !error && <PageLoading />}
      {conflict && (
        <div className={fieldCss.body}>
          <Detail conflict={conflict} />
          <section className={fieldCss.block}>
            <h3>Side by side</h3>
            {conflict.type === 'duplicate_ip' ? (
              <DeviceComparison conflict={conflict} />
            ) : (
              <NetworkComparison conflict={conflict} />
            )}
          </section>
          <Settle key={conflict.status} conflict={conflict} onDone={onClose} onDelete={() => onDelete(conflict)} />
        </div>
      )}
    </Drawer>
  )
}
