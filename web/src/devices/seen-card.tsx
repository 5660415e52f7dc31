/** Whether scans have seen a device, and when they last did. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import type { Device } from '../api/contracts.ts'
import { usePermit } from '../shell/me.ts'
import { Badge, Card, TimeAgo } from '../ui/bits.tsx'
import { plural } from '../ui/format.ts'
import css from './devices.module.css'

/** An address is looked for as text, which others begin with as well. */
const MOST = 200

export const SeenCard = ({ device: { id, addresses } }: { readonly device: Device }) => {
  const { may } = usePermit()
  const q = addresses[0]?.ip ?? ''
  const { data } = useQuery({
    queryKey: ['found', 'at', q],
    queryFn: () => api.discovery.list({ q, limit: MOST }),
    enabled: q !== '' && may('discovery:list'),
  })
  const seen = data?.filter(({ matched_device_id }) => matched_device_id === id) ?? []
  if (seen.length === 0) return null
  return (
    <Card title="Seen by discovery">
      <ul className={css.links}>
        {seen.map(({ id: foundId, ip, status, last_seen, open_ports, confidence }) => (
          <li key={foundId} className={css.link}>
            <Badge tone={status === 'up' ? 'ok' : 'idle'}>{status}</Badge>
            <Link to="/found" search={{ entry: foundId }} className="mono">
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
