/** The pools of a network, with how full they are. */
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { Network } from '../api/contracts.ts'
import { poolsQuery } from '../api/queries.ts'
import { usePermit, usePermitted } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { Card, Meter, Skeleton } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import css from './networks.module.css'

export const PoolsTab = ({ network, onCreate }: { readonly network: Network; readonly onCreate: () => void }) => {
  const { blocked } = usePermit()
  const { data, error, refetch } = usePermitted('pools:list', poolsQuery)
  const pools = data?.filter(({ network_id }) => network_id === network.id)
  if (!pools && error) return <Failure error={error} onRetry={() => void refetch()} />
  return (
    <Card
      title="Pools"
      actions={
        <Button onClick={onCreate} blocked={blocked('pools:create')}>
          <Plus size={15} aria-hidden="true" />
          New pool
        </Button>
      }
    >
      {!pools && <Skeleton />}
      {pools?.length === 0 && <p className="muted">None yet. Addresses are allocated from pools.</p>}
      <ul className={css.pools}>
        {pools?.map(({ id, name, start_ip, end_ip, utilization }) => (
          <li key={id} className={css.pool}>
            <Link to="/pools/$id" params={{ id }}>
              {name}
            </Link>
            <span className="mono truncate">
              {start_ip} – {end_ip}
            </span>
            {utilization && <Meter value={utilization.utilization} label={`${name} in use`} />}
            <span className={`${css.right} muted num`}>
              {utilization && formatCount(utilization.available_ips)} free
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
