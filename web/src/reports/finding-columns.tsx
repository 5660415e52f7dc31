/** The columns of findings, and how they are searched and sorted. */
import { Link } from '@tanstack/react-router'
import { DEFAULT_SPACE, parseIpKey } from '../../../src/net/ip.ts'
import { toSortKey } from '../../../src/net/name-order.ts'
import { buildObjectLink, findItem } from '../shell/nav.ts'
import type { Column } from '../table/column.ts'
import type { TableSpec } from '../table/engine.ts'
import { TimeAgo } from '../ui/primitives.tsx'
import type { Finding } from './queries.ts'

/** The names of networks and datacenters, by their ids. */
export type Names = ReadonlyMap<string, string>

/** Returns the link to the object of a finding. */
export const buildFindingLink = ({ resource, resource_id }: Finding) => {
  const page = findItem(resource === 'discovered' ? 'discovered_device' : resource)
  return page && buildObjectLink(page, resource_id)
}

const Name = ({ finding }: { readonly finding: Finding }) => {
  const link = buildFindingLink(finding)
  // The paths are of the menu.
  return link ? (
    <Link {...(link as { to: '/' })} className="link" title={finding.name} tabIndex={-1}>
      {finding.name}
    </Link>
  ) : (
    finding.name
  )
}

const getName = (names: Names, id: string | null): string => (id === null ? '' : (names.get(id) ?? ''))

export const buildFindingColumns = (names: Names): readonly Column<Finding>[] => [
  {
    ...{ id: 'name', text: 'Name', width: 150, isSortable: true, isEssential: true },
    cell: (finding) => <Name finding={finding} />,
    toText: ({ name }) => name,
  },
  {
    ...{ id: 'address', text: 'Address', width: 120, isSortable: true },
    cell: ({ ip_address }) => <span className="mono">{ip_address}</span>,
  },
  {
    ...{ id: 'message', text: 'What to do', width: 380, isEssential: true },
    cell: ({ message }) => <span title={message}>{message}</span>,
  },
  {
    ...{ id: 'since', text: 'Since', width: 100, isSortable: true },
    cell: ({ since }) => since !== null && <TimeAgo at={since} />,
  },
  {
    ...{ id: 'value', text: 'Value', width: 76, isSortable: true, isRight: true },
    cell: ({ value }) => value !== null && <span className="num">{value}</span>,
  },
  {
    ...{ id: 'mac', text: 'MAC', width: 140, isSortable: true },
    cell: ({ mac_address }) => <span className="mono">{mac_address}</span>,
  },
  {
    ...{ id: 'network', text: 'Network', width: 130, isSortable: true },
    cell: ({ network_id }) => getName(names, network_id),
  },
  {
    ...{ id: 'datacenter', text: 'Datacenter', width: 130, isSortable: true },
    cell: ({ datacenter_id }) => getName(names, datacenter_id),
  },
]

export const buildFindingSpec = (names: Names): TableSpec<Finding> => ({
  id: ({ id }) => id,
  text: ({ name, ip_address, mac_address, message, network_id, datacenter_id }) =>
    [name, ip_address, mac_address, message, getName(names, network_id), getName(names, datacenter_id)].join('\n'),
  sorts: {
    name: ({ name }) => toSortKey(name),
    address: ({ ip_address }) => parseIpKey(ip_address, DEFAULT_SPACE) ?? ip_address,
    since: ({ since }) => since ?? '',
    value: ({ value }) => value ?? Number.NEGATIVE_INFINITY,
    mac: ({ mac_address }) => mac_address,
    network: ({ network_id }) => toSortKey(getName(names, network_id)),
    datacenter: ({ datacenter_id }) => toSortKey(getName(names, datacenter_id)),
  },
  fields: {
    ip: ({ ip_address }, value) => ip_address.startsWith(value),
    mac: ({ mac_address }, value) => mac_address.startsWith(value),
  },
  facets: {},
})

/** The columns that are shown at first: those with values. */
export const listDefaultColumns = (rows: readonly Finding[]): readonly string[] => [
  ...['name', 'address', 'message'],
  ...(rows.some(({ since }) => since !== null) ? ['since'] : []),
  ...(rows.some(({ value }) => value !== null) ? ['value'] : []),
  ...(rows.some(({ network_id }) => network_id !== null) ? ['network'] : []),
]
