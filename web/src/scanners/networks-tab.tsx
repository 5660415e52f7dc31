/** The networks that a scanner scans: those that name it, or one of its tags. */
import { useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { Network } from '../api/contracts.ts'
import { networksQuery } from '../api/queries.ts'
import { buildNetworkColumns } from '../networks/columns.tsx'
import { buildNetworkSpec } from '../networks/resource.ts'
import { ReferenceField } from '../resource/form/reference-field.tsx'
import { usePermit, usePermitted } from '../shell/me.ts'
import type { Column } from '../table/column.ts'
import { LocalTable } from '../table/local-table.tsx'
import { Button } from '../ui/button.tsx'
import { State } from '../ui/states.tsx'
import { useSetLabel } from './label-networks.ts'
import { answersTo } from './labels.ts'
import type { Scanner } from './queries.ts'
import css from './scanners.module.css'

const NO_NAMES: ReadonlyMap<string, string> = new Map()
const SHOWN: readonly string[] = ['subnet', 'name', 'scanner', 'utilization', 'used']
const SPEC = buildNetworkSpec(NO_NAMES)

type Release = { readonly run: (network: Network) => void; readonly blocked: string | undefined }

const buildColumns = ({ run, blocked }: Release): readonly Column<Network>[] => [
  ...buildNetworkColumns(NO_NAMES).filter(({ id }) => SHOWN.includes(id)),
  {
    id: 'tools',
    text: 'Actions',
    isHeadHidden: true,
    width: 64,
    isRight: true,
    isEssential: true,
    cell: (network) => (
      <Button
        isIcon
        look="quiet"
        tabIndex={-1}
        aria-label={`Let this server scan ${network.name}`}
        title="Let this server scan it"
        blocked={blocked}
        onClick={() => run(network)}
      >
        <X size={14} aria-hidden="true" />
      </Button>
    ),
  },
]

const AddNetwork = ({ scanner, networks }: { readonly scanner: Scanner; readonly networks: readonly Network[] }) => {
  const { blocked } = usePermit()
  const [id, setId] = useState('')
  const { mutate: setLabel, isPending } = useSetLabel()
  const network = networks.find((one) => one.id === id)
  const add = () => {
    if (network) setLabel({ network, label: scanner.name }, { onSuccess: () => setId('') })
  }
  return (
    <div className={css.add}>
      <ReferenceField
        label="Another network"
        to="networks"
        placeholder="A part of its name, its subnet, or an address"
        value={id}
        onChange={setId}
      />
      <Button onClick={add} disabled={!network || isPending} blocked={blocked('networks:update')}>
        Scan it from here
      </Button>
    </div>
  )
}

const NONE: readonly Network[] = []

export const NetworksTab = ({ scanner }: { readonly scanner: Scanner }) => {
  const navigate = useNavigate()
  const { blocked } = usePermit()
  const { data, error, refetch } = usePermitted('networks:list', networksQuery)
  const { mutate: setLabel } = useSetLabel()
  const noUpdate = blocked('networks:update')
  const columns = useMemo(
    () => buildColumns({ run: (network) => setLabel({ network, label: '' }), blocked: noUpdate }),
    [setLabel, noUpdate],
  )
  const rows = useMemo(() => data?.filter((network) => answersTo(scanner, network.scanner)), [data, scanner])
  return (
    <LocalTable
      label="Networks"
      rows={rows}
      error={error}
      refetch={refetch}
      spec={SPEC}
      columns={columns}
      sort="subnet"
      getName={({ name }) => name}
      open={({ id }) => void navigate({ to: '/networks/$id', params: { id } })}
      tools={<AddNetwork scanner={scanner} networks={data ?? NONE} />}
      empty={
        <State
          title="It scans no network yet"
          text="It scans the networks that name it, or one of its tags, as their scanner."
        />
      }
    />
  )
}
