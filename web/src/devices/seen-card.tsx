/** The scan results that belong to a device, with their times. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ALL_NETWORKS } from '../api/all-networks.ts'
import { api } from '../api/client.ts'
import type { Device } from '../api/contracts.ts'
import { usePermit } from '../shell/me.ts'
import { plural } from '../ui/format.ts'
import { Badge, Card, TimeAgo } from '../ui/primitives.tsx'
import css from './devices.module.css'
import { LazyPresence } from './lazy-presence.tsx'

/** One device is rarely found more often than it has networks. */
const MOST = 20

export const SeenCard = ({ device: { id } }: { readonly device: Device }) => {
  const { may } = usePermit()
  const { data: seen = [] } = useQuery({
    queryKey: ['discovered-devices', 'of', id],
    queryFn: () => api.discovery.list({ network_id: ALL_NETWORKS, device_id: id, limit: MOST }),
    enabled: may('discovery:list'),
  })
  if (seen.length === 0) return null
  return (
    <Card title="Seen by discovery">
      <LazyPresence of={{ device: id }} />
      <ul className={css.links}>
        {seen.map(({ id: discoveredId, ip, status, last_seen, open_ports, confidence }) => (
          <li key={discoveredId} className={css.link}>
            <Badge tone={status === 'up' ? 'ok' : 'idle'}>{status}</Badge>
            <Link to="/discovered-devices" search={{ entry: discoveredId }} className="mono">
              {ip}
            </Link>
            <span className="muted">
              <TimeAgo at={last_seen} />, confidence {confidence}
              {open_ports.length > 0 && `, ${plural(open_ports.length, 'open port')}`}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
