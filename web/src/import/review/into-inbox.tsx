/** Records the hosts of a source as scans, so that they meet the documented devices in the inbox. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { buildRecordings } from '../../../../src/exchange/import/recordings.ts'
import { api } from '../../api/client.ts'
import { toAppError } from '../../api/errors.ts'
import { networksQuery } from '../../api/queries.ts'
import { DISCOVERY_KEYS } from '../../discovery/queries.ts'
import { ReferenceField } from '../../resource/form/reference-field.tsx'
import { usePermit } from '../../shell/me.ts'
import { useSpaces } from '../../spaces/known-spaces.tsx'
import { Button } from '../../ui/button.tsx'
import { Alert } from '../../ui/field.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import type { Draft } from '../draft.ts'
import css from '../import.module.css'

/** The hosts without a recording that are listed. */
const SHOWN = 20

export const IntoInbox = ({ hosts }: Pick<Draft, 'hosts'>) => {
  const client = useQueryClient()
  const { may, blocked } = usePermit()
  const spaces = useSpaces()
  const [space, setSpace] = useState('')
  const { data: networks } = useQuery({ ...networksQuery, enabled: may('networks:list') })
  const own = networks?.filter(({ space_id = '' }) => space_id === space) ?? []
  const { recordings, left } = buildRecordings(own, hosts)
  const count = recordings.reduce((sum, { found }) => sum + found, 0)
  const record = useMutation({
    mutationFn: async () => {
      // One after the other, because a network has one scan at a time.
      for (const { inputs } of recordings) for (const input of inputs) await api.scans.record(input)
    },
    onSettled: () => {
      for (const key of DISCOVERY_KEYS) void client.invalidateQueries({ queryKey: [key] })
    },
  })
  const [first, ...others] = recordings
  if (record.isSuccess)
    return (
      <p role="status" className={css.good}>
        {plural(count, 'host')} recorded.{' '}
        <Link to="/inbox" search={first && others.length === 0 ? { network: first.network.id } : {}} className="link">
          Review them in the inbox
        </Link>
      </p>
    )
  return (
    <section className={css.inbox} aria-label="Into the inbox">
      <p className="muted">
        The hosts are recorded as the result of a scan. Nothing is documented before you do so in the inbox.
      </p>
      {spaces.length > 0 && (
        <ReferenceField label="Address space" to="spaces" none="Default space" value={space} onChange={setSpace} />
      )}
      <ul>
        {recordings.map(({ network, found }) => (
          <li key={network.id}>
            <span className="num">{formatCount(found)}</span> in {network.name}{' '}
            <span className="mono muted">{network.subnet}</span>
          </li>
        ))}
        {left.slice(0, SHOWN).map(({ ip, why }) => (
          <li key={ip} className="muted">
            <span className="mono">{ip}</span> {why}
          </li>
        ))}
        {left.length > SHOWN && <li className="muted">And {plural(left.length - SHOWN, 'other')}.</li>}
      </ul>
      {record.isError && <Alert>{toAppError(record.error).message}</Alert>}
      <p>
        <Button
          look="primary"
          onClick={() => record.mutate()}
          disabled={count === 0 || record.isPending}
          blocked={blocked('discovery:create')}
        >
          {record.isPending ? 'Recording …' : `Record ${plural(count, 'host')}`}
        </Button>
      </p>
    </section>
  )
}
