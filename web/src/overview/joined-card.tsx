/** The hosts that joined since the last visit: at most 20 discovered devices, the last one first. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { formatMoment } from '../ui/format.ts'
import { Badge, Card, TimeAgo } from '../ui/primitives.tsx'
import css from './joined.module.css'
import { noteVisit } from './last-visit.ts'

const MOST = 20

export const JoinedCard = () => {
  const [since] = useState(noteVisit)
  const { data: joined = [] } = useQuery({
    queryKey: ['discovered-devices', 'joined', since],
    // One more than is shown, to find out if others joined.
    queryFn: () => api.presence.joined({ since, limit: MOST + 1 }),
  })
  if (joined.length === 0) return null
  return (
    <Card title="Who joined" actions={<span className="muted">since {formatMoment(since)}</span>}>
      <ul className={css.joined}>
        {joined.slice(0, MOST).map(({ discovered_id, name, ip, mac_address, joined_at, is_new }) => (
          <li key={discovered_id}>
            <Link to="/discovered-devices" search={{ entry: discovered_id }} className="link truncate">
              {name === '' ? ip : name}
            </Link>
            <span className="muted mono truncate">{name === '' ? mac_address : ip}</span>
            {is_new ? <Badge tone="info">new</Badge> : <span className="muted">back</span>}
            <span className={css.when}>
              <TimeAgo at={joined_at} />
            </span>
          </li>
        ))}
      </ul>
      {joined.length > MOST && (
        <p className="muted">
          These are the last {MOST}.{' '}
          <Link to="/discovered-devices" search={{ sort: 'first' }} className="link">
            All discovered devices
          </Link>
        </p>
      )}
    </Card>
  )
}
