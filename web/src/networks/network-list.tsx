/** The networks of a datacenter, in the order of their addresses. */
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { networksQuery } from '../api/queries.ts'
import { usePermitted } from '../shell/me.ts'
import { LocalTable } from '../table/local-table.tsx'
import { State } from '../ui/states.tsx'
import { useVlanNames } from '../vlans/queries.ts'
import { buildNetworkColumns } from './columns.tsx'
import { buildNetworkSpec } from './resource.ts'

const NO_NAMES: ReadonlyMap<string, string> = new Map()

export const NetworkList = ({ datacenterId }: { readonly datacenterId: string }) => {
  const navigate = useNavigate()
  const { data, error, refetch } = usePermitted('networks:list', networksQuery)
  const vlans = useVlanNames()
  const columns = useMemo(() => buildNetworkColumns(NO_NAMES, vlans).filter(({ id }) => id !== 'datacenter'), [vlans])
  const spec = useMemo(() => buildNetworkSpec(NO_NAMES, vlans), [vlans])
  const rows = useMemo(() => data?.filter((one) => one.datacenter_id === datacenterId), [data, datacenterId])
  return (
    <LocalTable
      label="Networks"
      rows={rows}
      error={error}
      refetch={refetch}
      spec={spec}
      columns={columns}
      sort="subnet"
      getName={({ name }) => name}
      open={({ id }) => void navigate({ to: '/networks/$id', params: { id } })}
      empty={<State title="No networks" text="No network is in this datacenter yet." />}
    />
  )
}
