/** What needs somebody: pools that run out, keys that end. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import type { Pool } from '../api/contracts.ts'
import { useMe } from '../shell/me.ts'
import { Badge, Card, TimeAgo } from '../ui/bits.tsx'
import { plural } from '../ui/format.ts'
import css from './overview.module.css'

/** From how full on a pool is a matter for somebody. */
const NEARLY_FULL = 90
const SOON_MS = 14 * 24 * 3600 * 1000
const SHOWN = 6

export const Attention = ({ pools }: { readonly pools: readonly Pool[] | undefined }) => {
  const { id } = useMe()
  const { data: keys } = useQuery({ queryKey: ['keys', id], queryFn: () => api.keys.list({ user_id: id }) })
  const fullPools = (pools ?? []).filter(({ utilization }) => (utilization?.utilization ?? 0) > NEARLY_FULL)
  const endingKeys = (keys ?? []).filter(
    ({ expires_at }) => expires_at && Date.parse(expires_at) - Date.now() < SOON_MS,
  )
  if (!pools || !keys) return null
  return (
    <Card title="Needs attention">
      {fullPools.length + endingKeys.length === 0 && (
        <p className="muted">Nothing. No pool runs out and none of your keys ends soon.</p>
      )}
      <ul>
        {fullPools.slice(0, SHOWN).map(({ id: poolId, name, utilization }) => (
          <li key={poolId} className={css.attention}>
            <Badge tone={utilization?.available_ips === 0 ? 'bad' : 'warn'}>pool</Badge>
            <Link to="/pools/$id" params={{ id: poolId }} className="link">
              {name}
            </Link>
            has {plural(utilization?.available_ips ?? 0, 'free address', 'free addresses')}
          </li>
        ))}
        {fullPools.length > SHOWN && (
          <li className={css.attention}>
            <Link to="/pools" search={{ sort: 'utilization', desc: '1' }} className="link">
              and {plural(fullPools.length - SHOWN, 'other pool')}
            </Link>
          </li>
        )}
        {endingKeys.map(({ id: keyId, name, expires_at }) => (
          <li key={keyId} className={css.attention}>
            <Badge tone="warn">key</Badge>
            <Link to="/account" className="link">
              {name}
            </Link>
            ends {expires_at && <TimeAgo at={expires_at} />}
          </li>
        ))}
      </ul>
    </Card>
  )
}
