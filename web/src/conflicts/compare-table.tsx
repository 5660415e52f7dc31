/** The devices or networks of a conflict side by side, with their differences highlighted. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Conflict } from '../api/contracts.ts'
import { datacentersQuery, networksQuery } from '../api/queries.ts'
import { useCustom } from '../custom-fields/known-custom.tsx'
import { deviceQuery } from '../devices/queries.ts'
import { usePermit } from '../shell/me.ts'
import { plural } from '../ui/format.ts'
import { Skeleton, TimeAgo } from '../ui/primitives.tsx'
import { useVlanNames } from '../vlans/queries.ts'
import { buildLines, type Line, listDeviceFields, listNetworkFields } from './compare.ts'
import css from './conflicts.module.css'

/** The number of columns that can still be compared. */
const MOST_COLUMNS = 6

type Head = { readonly id: string; readonly link: ReactNode; readonly changedAt: string }

const Comparison = ({ label, heads, lines }: { label: string; heads: readonly Head[]; lines: readonly Line[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
  <section className={css.scroller} tabIndex={0} aria-label={label}>
    <table className={css.compare}>
      <thead>
        <tr>
          <td />
          {heads.map(({ id, link }) => (
            <th key={id} scope="col">
              {link}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.map(({ name, values, differs }) => (
          <tr key={name} data-differs={differs || undefined}>
            <th scope="row">
              {name}
              {differs && <span className="sr">, differs</span>}
            </th>
            {heads.map(({ id }, index) => (
              <td key={id}>{values[index] || <span className="muted">–</span>}</td>
            ))}
          </tr>
        ))}
        <tr>
          <th scope="row">Changed</th>
          {heads.map(({ id, changedAt }) => (
            <td key={id}>
              <TimeAgo at={changedAt} />
            </td>
          ))}
        </tr>
      </tbody>
    </table>
  </section>
)

const useDatacenterNames = (): ReadonlyMap<string, string> => {
  const { may } = usePermit()
  const { data = [] } = useQuery({ ...datacentersQuery, enabled: may('datacenters:list') })
  return new Map(data.map(({ id, name }) => [id, name]))
}

export const DeviceComparison = ({ conflict }: { readonly conflict: Conflict }) => {
  const { device_ids, ip_address, space_id } = conflict
  const names = useDatacenterNames()
  const custom = useCustom('devices')
  const shown = device_ids.slice(0, MOST_COLUMNS)
  const queries = useQueries({ queries: shown.map(deviceQuery) })
  if (queries.some(({ isPending }) => isPending)) return <Skeleton />
  const devices = queries.flatMap(({ data }) => (data ? [data.value] : []))
  const heads = devices.map(({ id, name, updated_at }) => ({
    id,
    changedAt: updated_at,
    link: (
      <Link to="/devices/$id" params={{ id }} className="link">
        {name}
      </Link>
    ),
  }))
  const rest = device_ids.length - shown.length
  const gone = shown.length - devices.length
  return (
    <>
      {heads.length > 0 && (
        <Comparison
          label="The devices"
          heads={heads}
          lines={buildLines(devices, [...listDeviceFields(conflict, names), ...(custom?.compared ?? [])])}
        />
      )}
      {gone > 0 && (
        <p className="muted">{plural(gone, 'device')} of it can't be shown: deleted, or not yours to see.</p>
      )}
      {rest > 0 && (
        <p>
          <Link
            to="/devices"
            search={{ q: `ip:${ip_address}`, ...(space_id !== undefined && { space: space_id }) }}
            className="link"
          >
            and {plural(rest, 'other device')}
          </Link>
        </p>
      )}
    </>
  )
}

export const NetworkComparison = ({ conflict: { network_ids } }: { readonly conflict: Conflict }) => {
  const names = useDatacenterNames()
  const vlans = useVlanNames()
  const custom = useCustom('networks')
  const { may } = usePermit()
  const { data, isPending } = useQuery({ ...networksQuery, enabled: may('networks:list') })
  if (!may('networks:list')) return <p className="muted">To see the networks needs the permission networks:list.</p>
  if (isPending) return <Skeleton />
  const networks = (data ?? []).filter(({ id }) => network_ids.includes(id)).slice(0, MOST_COLUMNS)
  const heads = networks.map(({ id, name, updated_at }) => ({
    id,
    changedAt: updated_at,
    link: (
      <Link to="/networks/$id" params={{ id }} className="link">
        {name}
      </Link>
    ),
  }))
  if (heads.length === 0) return <p className="muted">All its networks are deleted.</p>
  const fields = [...listNetworkFields(names, vlans), ...(custom?.compared ?? [])]
  return <Comparison label="The networks" heads={heads} lines={buildLines(networks, fields)} />
}
