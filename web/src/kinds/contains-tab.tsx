/** The objects below an object of a nested kind, as a tree. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { api } from '../api/client.ts'
import { buildTableSpec } from '../resource/fields.ts'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { usePermit } from '../shell/me.ts'
import { LocalTable } from '../table/local-table.tsx'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { toSentenceCase } from '../ui/format.ts'
import { State } from '../ui/states.tsx'
import type { Kind, KindObject } from './known-kinds.ts'
import { buildObjectFields } from './object-fields.ts'
import { buildObjectResource } from './object-resource.ts'
import { buildObjectColumns } from './objects-tab.tsx'

const NONE: readonly KindObject[] = []
const SHOWN = new Set(['name', 'datacenter', 'description', 'updated'])

type Props = { readonly object: KindObject; readonly kind: Kind }

export const ContainsTab = ({ object, kind }: Props) => {
  const { id, name } = object
  const navigate = useNavigate()
  const { blocked } = usePermit()
  const [isNew, setNew] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['objects', 'within', id],
    queryFn: () => api.objects.list({ kind_id: kind.id, within: id }),
  })
  const rows = useMemo(() => data?.filter((one) => one.id !== id), [data, id])
  const fields = useMemo(() => buildObjectFields(kind, { objects: rows ?? NONE }), [kind, rows])
  const columns = useMemo(
    () => buildObjectColumns(kind, rows ?? NONE, fields).filter((column) => SHOWN.has(column.id)),
    [kind, rows, fields],
  )
  const spec = useMemo(() => buildTableSpec(fields), [fields])
  const resource = useMemo(() => buildObjectResource(kind), [kind])
  const noun = toSentenceCase(kind.singular)
  const button = (
    <Button onClick={() => setNew(true)} blocked={blocked('objects:create')}>
      <Plus size={15} aria-hidden="true" />
      New {noun} here
    </Button>
  )
  return (
    <>
      <LocalTable
        label={`What ${name} contains`}
        rows={rows}
        error={error}
        refetch={refetch}
        spec={spec}
        columns={columns}
        sort="name"
        getName={(row) => row.name}
        open={(row) => void navigate({ to: '/objects/$id', params: { id: row.id } })}
        tools={rows && rows.length > 0 && <div className={tableCss.bar}>{button}</div>}
        empty={
          <State title={`${name} contains nothing yet`} text={`A ${noun} with it as the parent is listed here.`}>
            {button}
          </State>
        }
      />
      {isNew && (
        <ResourceDrawer
          resource={resource}
          id={undefined}
          given={{ parent_id: id, datacenter_id: object.datacenter_id ?? '' }}
          onClose={() => setNew(false)}
        />
      )}
    </>
  )
}
