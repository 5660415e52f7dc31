/** The card that scans a network of the server with one click. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { getGuests } from '../../../src/net/words/container-bridge.ts'
import { api } from '../api/client.ts'
import type { Contracts, Out } from '../api/contracts.ts'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { Card, Skeleton } from '../ui/primitives.tsx'
import { toastError } from '../ui/toast.tsx'
import css from './start.module.css'

type Local = Out<Contracts['discovery']['localNetworks']>['networks'][number]

const describeLink = ({ interface: name, address }: Local): string => {
  const guests = getGuests(name)
  return guests === undefined ? `${name}, this server is ${address}` : `${name}, ${guests} of this machine`
}

/** Makes the network where there is none, and scans it. @returns the id of the scan */
const scanNetwork = async ({ subnet, network_id }: Local): Promise<string> => {
  const id = network_id ?? (await api.networks.create({ name: subnet, subnet })).id
  const scan = await api.scans.start({ id, scan_type: 'deep' })
  if (!('id' in scan)) throw new Error('a scan that is started has an id')
  return scan.id
}

type RowProps = {
  readonly network: Local
  readonly isFirst: boolean
  readonly isBusy: boolean
  readonly onScan: () => void
}

const Row = ({ network, isFirst, isBusy, onScan }: RowProps) => (
  <li>
    <span>
      <span className="mono">{network.subnet}</span>{' '}
      <span className="muted">{network.is_scannable ? describeLink(network) : network.reason}</span>
    </span>
    <Button
      look={isFirst ? 'primary' : undefined}
      disabled={isBusy}
      blocked={network.is_scannable ? undefined : network.reason}
      onClick={onScan}
    >
      Scan {formatCount(network.total_hosts)} addresses
    </Button>
  </li>
)

export const ScanCard = () => {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { mayNow } = usePermit()
  const isAllowed = mayNow('discovery:create') && mayNow('networks:create')
  const { data, error } = useQuery({
    queryKey: ['local-networks'],
    queryFn: () => api.discovery.localNetworks({}),
    enabled: isAllowed,
    retry: false,
  })
  const scan = useMutation({
    mutationFn: scanNetwork,
    onSuccess: (id) => {
      void client.invalidateQueries()
      void navigate({ to: '/scans/$id', params: { id } })
    },
    onError: (failure) => toastError('The scan was not started', failure),
  })
  if (!isAllowed || error) return null
  const first = data?.networks.find(({ is_scannable }) => is_scannable)
  return (
    <Card title="Scan your network">
      {!data && <Skeleton />}
      {data?.in_container && (
        <p>Plat runs in a container and sees its network. Start it with host networking to scan yours.</p>
      )}
      {data && data.networks.length === 0 && <p>This server is in no network that can be scanned.</p>}
      {data && data.networks.length > 0 && (
        <>
          {!data.in_container && (
            <p className="muted">
              This server is in these networks. A scan sends packets to every address of the one you choose.
            </p>
          )}
          <ul className={css.links}>
            {data.networks.map((network) => (
              <Row
                key={network.subnet}
                network={network}
                isFirst={network === first}
                isBusy={scan.isPending || scan.isSuccess}
                onScan={() => scan.mutate(network)}
              />
            ))}
          </ul>
        </>
      )}
    </Card>
  )
}
