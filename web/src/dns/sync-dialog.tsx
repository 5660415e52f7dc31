/** Synchronizes a zone. The dry run is shown first; a zone that is held needs one more step. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api } from '../api/client.ts'
import { toAppError } from '../api/errors.ts'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { Alert, Checkbox } from '../ui/field.tsx'
import { formatCount } from '../ui/format.ts'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { Badge, Skeleton, type Tone } from '../ui/primitives.tsx'
import { toast } from '../ui/toast.tsx'
import css from './dns.module.css'
import { planText } from './labels.ts'
import { type SyncPlan, ZONE_KEYS, type Zone } from './queries.ts'

const TONES: Readonly<Record<SyncPlan['entries'][number]['action'], Tone>> = {
  create: 'ok',
  update: 'info',
  delete: 'warn',
}

const isPlan = (answer: SyncPlan | Zone): answer is SyncPlan => 'entries' in answer

const planQuery = (id: string) => ({
  queryKey: ['dns-zone', id, 'plan'],
  queryFn: async () => {
    const answer = await api.dnsZones.sync({ id, dry_run: true })
    if (!isPlan(answer)) throw new Error('a dry run answers with a plan')
    return answer
  },
  // A plan is as old as the dialog that shows it.
  staleTime: 0,
  gcTime: 0,
  refetchOnWindowFocus: false,
})

const Values = ({ values }: { readonly values: readonly string[] }) =>
  values.length === 0 ? <span className="muted">nothing</span> : values.join(', ')

const Plan = ({ plan }: { readonly plan: SyncPlan }) => {
  const total = plan.creates + plan.updates + plan.deletes
  return (
    <>
      <p role="status">
        <b>{planText(plan)}</b>
      </p>
      {plan.entries.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
        <section className={css.plan} tabIndex={0} aria-label="Plan">
          <table>
            <thead>
              <tr>
                <th scope="col">Change</th>
                <th scope="col">Name</th>
                <th scope="col">Before</th>
                <th scope="col">After</th>
              </tr>
            </thead>
            <tbody>
              {plan.entries.map(({ name, type, action, before, after }) => (
                <tr key={`${name} ${type}`}>
                  <td>
                    <Badge tone={TONES[action]}>{action}</Badge>
                  </td>
                  <th scope="row">
                    <span className="mono">{name}</span> {type}
                  </th>
                  <td className="mono">
                    <Values values={before} />
                  </td>
                  <td className="mono">
                    <Values values={after} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {total > plan.entries.length && (
        <p className="muted">
          The first {plan.entries.length} of {formatCount(total)} are listed.
        </p>
      )}
    </>
  )
}

type ForceProps = { readonly message: string; readonly isOn: boolean; readonly onChange: (isOn: boolean) => void }

const Force = ({ message, isOn, onChange }: ForceProps) => {
  const id = useId()
  return (
    <Alert isWarning>
      <b>The zone is held.</b>
      <span>{message}</span>
      <label htmlFor={id} className={css.force}>
        <Checkbox id={id} checked={isOn} onChange={({ target }) => onChange(target.checked)} />
        Send it although so much goes
      </label>
    </Alert>
  )
}

type Props = { readonly zone: Zone; readonly onClose: () => void }

export const SyncDialog = ({ zone, onClose }: Props) => {
  const client = useQueryClient()
  const { blocked } = usePermit()
  const [isForced, setForced] = useState(false)
  const plan = useQuery(planQuery(zone.id))
  const sync = useMutation({
    mutationFn: () => api.dnsZones.sync({ id: zone.id, ...(isForced && { force: true }) }),
    onSettled: () => {
      for (const key of ZONE_KEYS) void client.invalidateQueries({ queryKey: [key] })
    },
    onSuccess: (answer) => {
      if (isPlan(answer) || answer.status === 'held') return
      toast(`Synchronized ${zone.name}`)
      onClose()
    },
  })
  const answered = sync.data && !isPlan(sync.data) ? sync.data : zone
  const isHeld = answered.status === 'held'
  const isWatched = zone.mode === 'watched'
  const error = sync.error ?? plan.error
  return (
    <Dialog title={`Sync ${zone.name}`} onClose={onClose} isWide>
      {plan.isPending && <Skeleton />}
      {plan.data && <Plan plan={plan.data} />}
      {isWatched && <p className="muted">A watched zone is compared with its server, and never written.</p>}
      {!isWatched && isHeld && <Force message={answered.status_message} isOn={isForced} onChange={setForced} />}
      {error && <Alert>{toAppError(error).message}</Alert>}
      <DialogActions>
        <Button onClick={onClose}>{isWatched ? 'Close' : 'Cancel'}</Button>
        {!isWatched && (
          <Button
            look={isForced ? 'dangerFill' : 'primary'}
            onClick={() => sync.mutate()}
            disabled={!plan.data || sync.isPending || (isHeld && !isForced)}
            blocked={blocked('dns:sync')}
          >
            {sync.isPending ? 'Waiting …' : isForced ? 'Sync with force' : 'Sync now'}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
