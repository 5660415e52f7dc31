/** The networks that a scanner is in, each with its present scanner. One click documents a network, or hands it over. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Network } from '../api/contracts.ts'
import { networksQuery } from '../api/queries.ts'
import { buildNetworkResource } from '../networks/resource.ts'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { usePermit } from '../shell/me.ts'
import { SpaceBadge, useSpaces } from '../spaces/known-spaces.tsx'
import { Button } from '../ui/button.tsx'
import { Badge, Card, Skeleton } from '../ui/primitives.tsx'
import { useLabelControl } from './label-control.tsx'
import { useSetLabel } from './label-networks.ts'
import { answersTo } from './labels.ts'
import type { Scanner } from './queries.ts'
import css from './scanners.module.css'

const describeTaker = ({ scanner }: Network): string =>
  scanner === '' ? 'scanned by this server' : `scanned by ${scanner}`

type NetworkProps = { readonly network: Network; readonly scanner: Scanner }

/** A network with the subnet of a link. */
const KnownNetwork = ({ network, scanner }: NetworkProps) => {
  const { blocked } = usePermit()
  const { mutate: setLabel, isPending } = useSetLabel()
  const { id, name, space_id } = network
  return (
    <>
      <Link to="/networks/$id" params={{ id }} className="link">
        {name}
      </Link>
      <SpaceBadge space_id={space_id} />
      {answersTo(scanner, network.scanner) ? (
        <Badge tone="ok">scanned from here</Badge>
      ) : (
        <>
          <span className="muted">{describeTaker(network)}</span>
          <Button
            onClick={() => setLabel({ network, label: scanner.name })}
            disabled={isPending}
            blocked={blocked('networks:update')}
            aria-label={`Scan ${name} from here`}
          >
            Scan from here
          </Button>
        </>
      )}
    </>
  )
}

type LineProps = {
  readonly subnet: string
  readonly networks: readonly Network[]
  readonly scanner: Scanner
  readonly onDocument: () => void
}

const LinkLine = ({ subnet, networks, scanner, onDocument }: LineProps) => {
  const { blocked } = usePermit()
  const isTaken = networks.some((network) => answersTo(scanner, network.scanner))
  return (
    <li>
      <b className="mono">{subnet}</b>
      {networks.length === 0 && <span className="muted">not documented</span>}
      {networks.map((network) => (
        <KnownNetwork key={network.id} network={network} scanner={scanner} />
      ))}
      {!isTaken && (
        <span className={css.ends}>
          <Button onClick={onDocument} blocked={blocked('networks:create')} aria-label={`Document ${subnet}`}>
            {networks.length === 0 ? 'Document' : 'Document another'}
          </Button>
        </span>
      )}
    </li>
  )
}

export const LinksCard = ({ scanner }: { readonly scanner: Scanner }) => {
  const { may } = usePermit()
  const isAllowed = may('networks:list')
  const { data } = useQuery({ ...networksQuery, enabled: isAllowed })
  const spaces = useSpaces()
  const label = useLabelControl()
  /** The subnet of a new network. */
  const [documented, setDocumented] = useState<string>()
  const { links, name, enrolled_at } = scanner
  return (
    <Card
      title="Networks it is in"
      actions={
        <Link to="." search={(old: object) => ({ ...old, tab: 'networks' })} className="link">
          All networks that it scans
        </Link>
      }
    >
      {links.length === 0 && (
        <p className="muted">
          {enrolled_at === null ? 'It reports them once it is online.' : 'It is in no network that can be scanned.'}
        </p>
      )}
      {links.length > 0 && isAllowed && !data && <Skeleton />}
      <ul className={css.lines}>
        {(data || !isAllowed ? links : []).map((subnet) => (
          <LinkLine
            key={subnet}
            subnet={subnet}
            networks={(data ?? []).filter((network) => network.subnet === subnet)}
            scanner={scanner}
            onDocument={() => setDocumented(subnet)}
          />
        ))}
      </ul>
      {documented !== undefined && (
        <ResourceDrawer
          resource={buildNetworkResource({ spaces, scanner: label })}
          id={undefined}
          given={{ name: documented, subnet: documented, scanner: name }}
          onClose={() => setDocumented(undefined)}
        />
      )}
    </Card>
  )
}
