/** The details of a pool. */
import { Link } from '@tanstack/react-router'
import type { Network, Pool } from '../api/contracts.ts'
import { SpaceBadge } from '../spaces/known-spaces.tsx'
import { Card, CopyText, Facts, Tags, TimeAgo } from '../ui/primitives.tsx'

type Props = { readonly pool: Pool; readonly network: Network | undefined }

export const PoolFacts = ({ pool, network }: Props) => (
  <Card title="About this pool">
    <Facts
      facts={[
        [
          'Network',
          network ? (
            <Link key="network" to="/networks/$id" params={{ id: network.id }} className="link">
              {network.name} · <span className="mono">{network.subnet}</span>
            </Link>
          ) : (
            pool.network_id
          ),
        ],
        [
          'Addresses',
          <span key="range">
            <span className="mono">
              {pool.start_ip} – {pool.end_ip}
            </span>
            <SpaceBadge space_id={network?.space_id} />
          </span>,
        ],
        ['Tags', pool.tags.length === 0 ? '' : <Tags key="tags" tags={pool.tags} />],
        ['Description', pool.description],
        ['ID', <CopyText key="id" text={pool.id} label="ID" />],
        ['Changed', <TimeAgo key="updated" at={pool.updated_at} />],
      ]}
    />
  </Card>
)
