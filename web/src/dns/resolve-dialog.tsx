/** Lists the entries of a push or a pull, and its effect, before it is done. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { toAppError } from '../api/errors.ts'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { Alert } from '../ui/field.tsx'
import { formatCount, plural } from '../ui/format.ts'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { toast } from '../ui/toast.tsx'
import css from './dns.module.css'
import { type Direction, formatSettleTitle, formatSide, getEffect, getRefusal, KIND_TEXTS } from './labels.ts'
import { type DriftEntry, type DriftKind, ZONE_KEYS, type Zone } from './queries.ts'

export type Settling = {
  /** Undefined while it is still to be chosen. */
  readonly direction: Direction | undefined
  readonly entries: readonly DriftEntry[]
  /** Set for all entries of a kind. The report may list only the first. */
  readonly kind?: DriftKind
}

/** Entries that the dialog lists. */
const SHOWN = 100

export const useResolveBlock = (zone: Pick<Zone, 'mode'>) => {
  const { blocked, blockedNow } = usePermit()
  return (direction: Direction): string | undefined =>
    blocked('dns:sync') ?? (direction === 'pull' ? blockedNow('dns:create') : undefined) ?? getRefusal(direction, zone)
}

const Entries = ({ entries }: Pick<Settling, 'entries'>) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
  <section className={css.plan} tabIndex={0} aria-label="Entries">
    <table>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Plat</th>
          <th scope="col">Server</th>
        </tr>
      </thead>
      <tbody>
        {entries.slice(0, SHOWN).map(({ name, type, plat, plat_ttl, server, server_ttl }) => (
          <tr key={`${name} ${type}`}>
            <th scope="row">
              <span className="mono">{name}</span> {type}
            </th>
            <td className="mono">{formatSide(plat, plat_ttl) || <span className="muted">nothing</span>}</td>
            <td className="mono">{formatSide(server, server_ttl) || <span className="muted">nothing</span>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

type Props = { readonly zone: Zone; readonly settling: Settling; readonly onClose: () => void }

const useResolve = ({ zone, settling: { entries, kind }, onClose }: Props) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (direction: Direction) => {
      const chosen = kind ? { kind } : { entries: entries.map(({ name, type }) => ({ name, type })) }
      return api.dnsZones.resolve({ id: zone.id, direction, ...chosen })
    },
    onSuccess: ({ resolved, failed }, direction) => {
      for (const key of ZONE_KEYS) void client.invalidateQueries({ queryKey: [key] })
      if (failed.length > 0) return
      toast(`${direction === 'push' ? 'Pushed' : 'Pulled'} ${plural(resolved, 'entry', 'entries')}`)
      onClose()
    },
  })
}

const Failed = ({ resolve }: { readonly resolve: ReturnType<typeof useResolve> }) => {
  if (resolve.error) return <Alert>{toAppError(resolve.error).message}</Alert>
  const failed = resolve.data?.failed ?? []
  if (failed.length === 0) return null
  return (
    <Alert>
      <b>
        {formatCount(failed.length)} failed, {formatCount(resolve.data?.resolved ?? 0)} settled:
      </b>
      <ul>
        {failed.slice(0, SHOWN).map(({ name, type, error }) => (
          <li key={`${name} ${type}`}>
            <span className="mono">{name}</span> {type}: {error}
          </li>
        ))}
      </ul>
    </Alert>
  )
}

export const ResolveDialog = (props: Props) => {
  const { zone, settling, onClose } = props
  const { entries, kind } = settling
  const [direction, setDirection] = useState(settling.direction)
  const block = useResolveBlock(zone)
  const resolve = useResolve(props)
  const [first] = entries
  const shownKind = kind ?? first?.kind
  const isDone = resolve.data !== undefined
  const title = direction ? formatSettleTitle(direction, entries) : `${first?.name ?? ''} ${first?.type ?? ''}`
  return (
    <Dialog title={title} onClose={onClose} isWide>
      {shownKind && !isDone && <p>{direction ? getEffect(direction, shownKind) : `${KIND_TEXTS[shownKind]}.`}</p>}
      <Entries entries={entries} />
      {entries.length > SHOWN && <p className="muted">The first {SHOWN} are listed.</p>}
      <Failed resolve={resolve} />
      <DialogActions>
        <Button onClick={onClose}>{isDone ? 'Close' : 'Cancel'}</Button>
        {!direction &&
          (['push', 'pull'] as const).map((one) => (
            <Button key={one} onClick={() => setDirection(one)} blocked={block(one)}>
              {one === 'push' ? 'Push …' : 'Pull …'}
            </Button>
          ))}
        {direction && !isDone && (
          <Button
            look={direction === 'push' && shownKind !== 'missing' ? 'dangerFill' : 'primary'}
            onClick={() => resolve.mutate(direction)}
            disabled={resolve.isPending}
            blocked={block(direction)}
          >
            {resolve.isPending ? 'Waiting …' : direction === 'push' ? 'Push' : 'Pull'}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
