/** All pools, with how full they are. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useAddressDialog } from '../addresses/use-address-dialog.tsx'
import type { Network, Pool } from '../api/contracts.ts'
import { networksQuery, poolsQuery } from '../api/queries.ts'
import { buildOwnColumns } from '../resource/columns.tsx'
import { ListPage } from '../resource/list-page.tsx'
import { usePermit } from '../shell/me.ts'
import { SpaceBadge, useSpaceChoice } from '../spaces/known-spaces.tsx'
import type { Column } from '../table/column.ts'
import { formatCount } from '../ui/format.ts'
import { MenuItem } from '../ui/menu.tsx'
import { Meter, Tags } from '../ui/primitives.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { fields } from './fields.ts'
import { buildPoolSpec, POOL_RESOURCE } from './resource.ts'

/** Networks by their ids. */
type Networks = ReadonlyMap<string, Network>

const ORDER = ['name', 'network_id', 'start_ip', 'utilization', 'tags', 'description']

const FREE: Column<Pool> = {
  id: 'free',
  text: 'Free',
  width: 90,
  isSortable: true,
  isRight: true,
  cell: ({ utilization }) => <span className="mono">{utilization && formatCount(utilization.available_ips)}</span>,
}

const buildColumns = (networks: Networks): readonly Column<Pool>[] =>
  buildOwnColumns(fields, ORDER, {
    name: ({ id, name }) => (
      <RowLink to="pools" id={id}>
        {name}
      </RowLink>
    ),
    network_id: ({ network_id }) => networks.get(network_id)?.name ?? network_id,
    start_ip: ({ start_ip, end_ip, network_id }) => (
      <>
        <span className="mono">
          {start_ip} – {end_ip}
        </span>
        <SpaceBadge space_id={networks.get(network_id)?.space_id} />
      </>
    ),
    utilization: ({ name, utilization }) =>
      utilization && <Meter value={utilization.utilization} label={`${name} in use`} />,
    tags: ({ tags }) => <Tags tags={tags} />,
  }).toSpliced(ORDER.indexOf('tags'), 0, FREE)

const DEFAULT_COLUMNS = ['name', 'network', 'range', 'utilization', 'free', 'tags', 'actions']

export const PoolsPage = () => {
  const { may } = usePermit()
  const navigate = useNavigate()
  const query = useQuery(poolsQuery)
  const { data: networks } = useQuery({ ...networksQuery, enabled: may('networks:list') })
  const byId: Networks = useMemo(() => new Map((networks ?? []).map((one) => [one.id, one])), [networks])
  const spec = useMemo(() => buildPoolSpec(new Map([...byId].map(([id, { name }]) => [id, name]))), [byId])
  const columns = useMemo(() => buildColumns(byId), [byId])
  const { space, holds, given, control } = useSpaceChoice()
  const data = useMemo(
    () => query.data?.filter(({ network_id }) => holds(byId.get(network_id) ?? {})),
    [query.data, byId, holds],
  )
  const addresses = useAddressDialog()
  const giveNext = ({ id }: Pool) => addresses.open({ kind: 'pool', id })
  const { blocked } = addresses
  const mayGive = blocked === undefined
  return (
    <>
      <ListPage
        resourceName="pools"
        resource={POOL_RESOURCE}
        query={{ ...query, data } as typeof query}
        tools={control}
        call={given}
        {...(space !== undefined && { nothing: 'No pools in this address space' })}
        spec={spec}
        columns={columns}
        defaultColumns={DEFAULT_COLUMNS}
        sort="name"
        placeholder="Name, address, network: or tag:"
        empty="A pool is a range of a network from which addresses are allocated."
        deleteWarning="Its reservations are deleted too. The addresses of devices stay, without a pool."
        open={({ id }) => void navigate({ to: '/pools/$id', params: { id } })}
        menu={{
          more: (pool) => (
            <MenuItem onSelect={() => giveNext(pool)} blocked={blocked}>
              Next free address<kbd>f</kbd>
            </MenuItem>
          ),
        }}
        keys={mayGive ? { f: giveNext } : undefined}
      />
      {addresses.dialog}
    </>
  )
}
