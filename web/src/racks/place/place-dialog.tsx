/** Places the selected devices in a rack, one above the other, and shows where before it does so. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Device } from '../../api/contracts.ts'
import { deviceTypesQuery, queryClient } from '../../api/queries.ts'
import { type BulkOperation, putAll, runOperations } from '../../devices/bulk/batch.ts'
import type { DialogProps } from '../../devices/bulk/bulk-delete.tsx'
import { loadSelected, MAX_READ } from '../../devices/bulk/load-selected.ts'
import { ChangeDialog, type Run } from '../../resource/change-dialog.tsx'
import { ReferenceField } from '../../resource/form/reference-field.tsx'
import { useIsInUse, usePermit } from '../../shell/me.ts'
import { TextField } from '../../ui/field.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import type { Mounted } from '../geometry.ts'
import { elevationQuery } from '../queries.ts'
import { RackPreview } from './rack-preview.tsx'
import { getBottomUnit, stackUpward, toMounted } from './stacking.ts'

type Props = DialogProps & {
  /** Returns the ids of the whole list in its order. */
  readonly loadOrder: () => Promise<readonly string[]>
}

const NONE: readonly never[] = []

/** Returns the devices in the order of the list. Those that it does not show come last. */
const loadInOrder = async ({ ids, loadOrder }: Pick<Props, 'ids' | 'loadOrder'>): Promise<readonly Device[] | null> => {
  const selected = await loadSelected(ids)
  if (!selected || selected.length > MAX_READ) return null
  const ranks = new Map((await loadOrder()).map((id, at) => [id, at]))
  const getRank = ({ id }: Device) => ranks.get(id) ?? ranks.size
  return selected.toSorted((a, b) => getRank(a) - getRank(b))
}

const useData = (props: Props, rackId: string) => {
  const { may } = usePermit()
  const hasTypes = useIsInUse('device-types')
  const types = useQuery({ ...deviceTypesQuery, enabled: hasTypes && may('device-types:list') })
  const selected = useQuery({
    queryKey: ['device', 'to-place', props.ids.size],
    queryFn: () => loadInOrder(props),
    staleTime: 0,
    gcTime: 0,
  })
  const elevation = useQuery({ ...elevationQuery(rackId), enabled: rackId !== '' && may('racks:read') })
  return { types: types.data ?? NONE, selected: selected.data, elevation: elevation.data, error: elevation.error }
}

/** Parts that neither a rack nor its type says are sent as absent, so that the server takes those of the type. */
const toMount = (rack_id: string, device: Device, { position, face, slot }: Mounted) => ({
  rack_id,
  position,
  face,
  slot,
  height: device.mount?.height ?? null,
  full_depth: device.mount?.full_depth ?? null,
  power_w: device.mount?.power_w ?? null,
})

export const PlaceDialog = (props: Props) => {
  const { ids, onClose, onDone } = props
  const [rackId, setRackId] = useState('')
  /** As it is typed; undefined for the lowest unit of the rack. */
  const [typed, setTyped] = useState<string>()
  const { types, selected, elevation, error } = useData(props, rackId)
  const unit = typed ?? (elevation ? String(getBottomUnit(elevation.rack)) : '')
  const isUnit = /^\d{1,3}(\.5)?$/.test(unit.trim())
  const known = selected ?? NONE
  const mounted = known.map((device) => toMounted(device, types))
  const stack = elevation && isUnit ? stackUpward(elevation, mounted, Number(unit)) : undefined
  const refused = stack?.refused ?? NONE
  const targets = new Map(stack?.placed.map((one) => [one.device_id, one]))
  const byId = new Map(known.map((device) => [device.id, device]))
  const toOperation = (id: string): BulkOperation => {
    const [device, target] = [byId.get(id), targets.get(id)]
    if (!device || !target) throw new Error('only placed devices are sent')
    return { op: 'update', id, device: { mount: toMount(rackId, device, target) } }
  }
  const run: Run = async (options) => {
    const { written } = await runOperations([...targets.keys()], toOperation, putAll)(options)
    return { written, text: `Placed ${plural(targets.size, 'device')} in ${elevation?.rack.name}` }
  }
  return (
    <ChangeDialog
      title={`Place ${plural(ids.size, 'device')} in a rack`}
      action={`Place ${formatCount(ids.size)}`}
      total={ids.size}
      isWide
      needs="devices:update"
      isReady={stack !== undefined && refused.length === 0 && targets.size > 0}
      run={run}
      onClose={onClose}
      onDone={onDone}
      // Another user may have taken a unit.
      onFailed={() => void queryClient.invalidateQueries({ queryKey: ['rack', rackId] })}
      hasError={() => false}
    >
      {selected === null && <p className="muted">At most {plural(MAX_READ, 'device')} are placed at once.</p>}
      <ReferenceField
        label="Rack"
        to="racks"
        value={rackId}
        onChange={(id) => {
          setRackId(id)
          setTyped(undefined)
        }}
        placeholder="A part of its name, room or datacenter"
        error={error?.message}
      />
      {elevation && (
        <>
          <TextField
            label="Lowest unit"
            isMono
            inputMode="decimal"
            value={unit}
            onChange={setTyped}
            hint="The devices stand above it, in the order of the list"
            error={
              isUnit
                ? refused.length === 0
                  ? undefined
                  : `No room for ${plural(refused.length, 'device')}: ${refused.map(({ name }) => name).join(', ')}`
                : 'This is no unit'
            }
          />
          <RackPreview elevation={elevation} added={stack?.placed ?? NONE} />
        </>
      )}
    </ChangeDialog>
  )
}
