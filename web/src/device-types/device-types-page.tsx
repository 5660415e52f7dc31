/** All device types: models with their size, their power and the ports of new devices. */
import { useQuery } from '@tanstack/react-query'
import { FileUp } from 'lucide-react'
import { type DragEvent, useCallback, useState } from 'react'
import { deviceTypesQuery } from '../api/queries.ts'
import { buildOwnColumns } from '../resource/columns.tsx'
import { buildTableSpec } from '../resource/fields.ts'
import { ListPage } from '../resource/list-page.tsx'
import { useOwnedResource } from '../resource/owned-resource.tsx'
import { usePermit } from '../shell/me.ts'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { ApplyDialog } from './apply-dialog.tsx'
import css from './device-types.module.css'
import { type DeviceType, fields } from './fields.ts'
import { ImportDialog } from './import-dialog.tsx'
import { DELETE_WARNING, deviceTypeResource } from './resource.tsx'

const ORDER = ['manufacturer', 'model', 'height', 'ports', 'power_w', 'full_depth', 'part_number', 'description']
const DEFAULT_COLUMNS = ['manufacturer', 'model', 'height', 'ports', 'power', 'part_number', 'description']
const SPEC = buildTableSpec(fields)
const COLUMNS = buildOwnColumns(fields, ORDER, {
  height: ({ height }) => <span className="num">{height} U</span>,
  ports: ({ ports }) => <span className="num">{ports.length}</span>,
  power_w: ({ power_w }) => <span className="num">{power_w !== null && `${power_w} W`}</span>,
})

/** Files that are dragged, as opposed to a text or a link. */
const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files')

export const DeviceTypesPage = () => {
  const { may, blocked } = usePermit()
  const { set } = usePageSearch()
  const query = useQuery({ ...deviceTypesQuery, enabled: may('device-types:list') })
  const [applied, setApplied] = useState<DeviceType>()
  /** Undefined while no import is open. */
  const [files, setFiles] = useState<readonly File[]>()
  const noImport = blocked('device-types:create') ?? blocked('device-types:update')
  const noPorts = blocked('ports:create')
  const addPorts = useCallback(
    (type: DeviceType) =>
      type.ports.length > 0 && (
        <p className={css.apply}>
          <span className="muted">A change of the ports is for new devices.</span>
          <Button onClick={() => setApplied(type)} blocked={noPorts}>
            Add missing ports to its devices
          </Button>
        </p>
      ),
    [noPorts],
  )
  const resource = useOwnedResource(deviceTypeResource, {
    ...{ kind: 'device-type', rows: query.data, more: addPorts },
    blocked: blocked('device-types:update'),
  })
  const onDrop = (event: DragEvent) => {
    if (!hasFiles(event) || noImport !== undefined) return
    event.preventDefault()
    setFiles([...event.dataTransfer.files])
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button opens the same dialog
    <div className={css.page} onDragOver={(event) => hasFiles(event) && event.preventDefault()} onDrop={onDrop}>
      <ListPage
        resourceName="device-types"
        resource={resource}
        query={query}
        needs="device-types:list"
        spec={SPEC}
        columns={COLUMNS}
        defaultColumns={DEFAULT_COLUMNS}
        sort="manufacturer"
        placeholder="Manufacturer, model or part number"
        empty="A device type is a model: its height, its power and the ports that a new device of it has. YAML files of the community library can be dropped here."
        deleteWarning={DELETE_WARNING}
        open={({ id }) => void set({ edit: id })}
        actions={
          <Button onClick={() => setFiles([])} blocked={noImport}>
            <FileUp size={15} aria-hidden="true" />
            Import YAML
          </Button>
        }
      />
      {applied && <ApplyDialog type={applied} onClose={() => setApplied(undefined)} />}
      {files && <ImportDialog files={files} onClose={() => setFiles(undefined)} />}
    </div>
  )
}
