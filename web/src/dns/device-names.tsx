/** The names of a device in the zones that concern it, with their states. */
import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import type { Device } from '../api/contracts.ts'
import { plural } from '../ui/format.ts'
import { Badge, Card } from '../ui/primitives.tsx'
import css from './dns.module.css'
import { formatState, STATE_TONES } from './labels.ts'
import { listZoneNames } from './names.ts'
import { type Rrset, withId, type Zone } from './queries.ts'

/** Each name is one request. */
const MOST_NAMES = 8
/** The names of a /24 that contain one octet are fewer. */
const MOST_FOUND = 256
const PENDING_MS = 1500

type Found = { readonly zoneId: string; readonly zone: string; readonly rrset: Rrset }

/** The filter of the server takes a part of the name. */
const useFound = ({ id, updated_at }: Device, names: ReturnType<typeof listZoneNames>): readonly Found[] =>
  useQueries({
    queries: names.map(({ zoneId, name }) => ({
      queryKey: ['dns-zone', zoneId, 'names', name, id, updated_at],
      queryFn: async () => {
        const all = await api.dnsZones.rrsets({ id: zoneId, name, limit: MOST_FOUND })
        return all.filter((one) => one.name === name)
      },
      refetchInterval: ({ state }: { state: { data?: readonly Rrset[] | undefined } }) =>
        state.data?.some((one) => one.state === 'pending') && document.visibilityState === 'visible'
          ? PENDING_MS
          : (false as const),
    })),
    combine: (results) =>
      results.flatMap(({ data }, at) => {
        const place = names[at]
        return place && data ? data.map((rrset) => ({ zoneId: place.zoneId, zone: place.zone, rrset })) : []
      }),
  })

type Props = { readonly device: Device; readonly zones: readonly Zone[] }

export const DeviceNames = ({ device, zones }: Props) => {
  const all = listZoneNames(device, zones)
  const found = useFound(device, all.slice(0, MOST_NAMES))
  if (found.length === 0) return null
  return (
    <Card title="DNS">
      <ul className={css.names}>
        {found.map(({ zoneId, zone, rrset }) => (
          <li key={`${zoneId} ${rrset.name} ${rrset.type}`}>
            <Badge tone={STATE_TONES[rrset.state]}>{rrset.state}</Badge>
            <Link
              to="/dns/$id"
              params={{ id: zoneId }}
              search={{ tab: 'rrsets', entry: withId(rrset).id }}
              className="mono"
            >
              {rrset.fqdn}
            </Link>
            <span>{rrset.type}</span>
            <span className="muted" title={zone}>
              {rrset.source === 'record' ? 'own record' : formatState(rrset)}
            </span>
          </li>
        ))}
      </ul>
      {all.length > MOST_NAMES && <p className="muted">And {plural(all.length - MOST_NAMES, 'name')} more.</p>}
    </Card>
  )
}
