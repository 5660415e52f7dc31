/** The networks of a datacenter, in the order of their addresses. */
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Network } from '../api/contracts.ts'
import { DataTable } from '../table/data-table.tsx'
import { useSorting } from '../table/list-search.ts'
import tableCss from '../table/table.module.css'
import { useLocalView } from '../table/view.ts'
import { State } from '../ui/states.tsx'
import { networkColumns } from './columns.tsx'
import { networkSpec } from './resource.ts'

const NO_NAMES: ReadonlyMap<string, string> = new Map()
const COLUMNS = networkColumns(NO_NAMES).filter(({ id }) => id !== 'datacenter')

export const NetworkList = ({ networks }: { readonly networks: readonly Network[] }) => {
  const navigate = useNavigate()
  const { sort, isDescending, onSort } = useSorting('subnet')
  const spec = useMemo(() => networkSpec(NO_NAMES), [])
  const view = useLocalView(networks, spec, { q: '', sort, isDescending })
  if (networks.length === 0) return <State title="No networks" text="No network is in this datacenter yet." />
  return (
    <div className={tableCss.wrap}>
      <DataTable
        label="Networks"
        columns={COLUMNS}
        view={view}
        sorting={{ sort, isDescending }}
        onSort={onSort}
        idOf={spec.id}
        nameOf={({ name }) => name}
        actions={{ open: ({ id }) => void navigate({ to: '/networks/$id', params: { id } }) }}
      />
    </div>
  )
}
