/** The pools of a network with free addresses, for a pool that has none. */
import { Link } from '@tanstack/react-router'
import { Alert } from '../ui/field.tsx'
import { formatCount } from '../ui/format.ts'
import type { KnownPlace } from './use-place.ts'

type Props = { readonly place: KnownPlace; readonly onLeave: () => void }

export const OtherPools = ({ place: { pools, pool }, onLeave }: Props) => {
  const others = pools.filter(({ id, utilization }) => id !== pool?.id && (utilization?.available_ips ?? 0) > 0)
  if (others.length === 0) return null
  return (
    <Alert isWarning>
      <span>Other pools of its network have free addresses:</span>
      <ul>
        {others.map(({ id, name, utilization }) => (
          <li key={id}>
            <Link to="/pools/$id" params={{ id }} className="link" onClick={onLeave}>
              {name}
            </Link>
            , {formatCount(utilization?.available_ips ?? 0)} free
          </li>
        ))}
      </ul>
    </Alert>
  )
}
