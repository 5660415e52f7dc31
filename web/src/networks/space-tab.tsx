/** The space of a network: the networks around it as a path, and the networks in it and the free blocks to scale. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Network } from '../api/contracts.ts'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { formatAddressCount, plural } from '../ui/format.ts'
import { Card, Meter, Skeleton } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { treeQuery } from './planning/planning-queries.ts'
import css from './space.module.css'
import { listSpaceParts, type SpacePart } from './space.ts'
import { SpaceBar } from './space-bar.tsx'

const NetworkLink = ({ id, subnet }: Pick<Network, 'id' | 'subnet'>) => (
  <Link to="/networks/$id" params={{ id }} search={{ tab: 'space' }} className="link mono">
    {subnet}
  </Link>
)

type PartProps = { readonly part: SpacePart; readonly onAllocate: ((block: string) => void) | undefined }

const Part = ({ part, onAllocate }: PartProps) => {
  if (part.kind === 'network') {
    const { network } = part
    const { allocated, utilization } = network.utilization
    return (
      <li>
        <NetworkLink id={network.id} subnet={network.subnet} />
        <span className="truncate">{network.name}</span>
        {allocated === undefined ? (
          <Meter value={utilization} label={`${network.name} in use`} />
        ) : (
          <Meter value={allocated} label={`${network.name} allocated`} />
        )}
      </li>
    )
  }
  const { subnet, total_ips, used_ips, pools } = part.block
  return (
    <li>
      {onAllocate ? (
        <button type="button" className={css.free} onClick={() => onAllocate(subnet)}>
          <span className="mono">{subnet}</span> free
        </button>
      ) : (
        <span className="muted">
          <span className="mono">{subnet}</span> free
        </span>
      )}
      <span className="muted">
        {formatAddressCount(subnet, total_ips)} addresses
        {used_ips > 0 && `, ${plural(used_ips, 'address', 'addresses')} used`}
        {pools.length > 0 && `, in ${pools.map(({ name }) => name).join(', ')}`}
      </span>
      <span />
    </li>
  )
}

type Props = {
  readonly network: Network
  /** Opens the dialog; with a block for a subnet in that. */
  readonly onAllocate: (block?: string) => void
  readonly onSplit: () => void
}

export const SpaceTab = ({ network, onAllocate, onSplit }: Props) => {
  const { may, blocked } = usePermit()
  const { data, error, refetch } = useQuery(treeQuery(network.id))
  if (!data && error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton />
  const parts = listSpaceParts(data)
  const allocate = may('networks:create') ? onAllocate : undefined
  return (
    <Card
      title="Space"
      actions={
        <span className={css.actions}>
          <Button onClick={() => onAllocate()} blocked={blocked('networks:create')}>
            Allocate a subnet…
          </Button>
          <Button onClick={onSplit} blocked={blocked('networks:create') ?? blocked('networks:update')}>
            Split…
          </Button>
        </span>
      }
    >
      {data.parents.length > 0 && (
        <nav aria-label="Networks around it">
          <ol className={css.path}>
            {data.parents.map(({ id, subnet, name }) => (
              <li key={id}>
                <NetworkLink id={id} subnet={subnet} /> {name}
              </li>
            ))}
            <li aria-current="page">
              <span className="mono">{network.subnet}</span>
            </li>
          </ol>
        </nav>
      )}
      <SpaceBar parts={parts} onPick={allocate} />
      <ul className={css.parts} aria-label="Networks and free blocks">
        {parts.map((part) => (
          <Part key={part.kind === 'free' ? part.subnet : part.network.id} part={part} onAllocate={allocate} />
        ))}
      </ul>
      {data.more && <p className="muted">There are more free blocks than these.</p>}
    </Card>
  )
}
