/** Changes any field of the selected devices. An untouched field is left as it is, and a touched empty one is cleared. */
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { CustomField } from '../../../../src/resource/custom/schema.ts'
import type { Device } from '../../api/contracts.ts'
import { datacentersQuery, deviceTypesQuery } from '../../api/queries.ts'
import { collectGroups, definitionsQuery, UNGROUPED } from '../../custom-fields/definitions.ts'
import { loadNamesForRows } from '../../custom-fields/names.ts'
import { ValueControl } from '../../custom-fields/value-control.tsx'
import { getOwnValue, type RefNames, toTexts } from '../../custom-fields/values.ts'
import { racksQuery, useHasRacks } from '../../racks/known-racks.ts'
import { listShownFields } from '../../resource/fields.ts'
import { ReferenceField } from '../../resource/form/reference-field.tsx'
import { type Errors, useChange } from '../../resource/form/use-change.ts'
import { NoteField } from '../../resource/note-field.tsx'
import { useIsInUse, usePermit } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import fieldCss from '../../ui/field.module.css'
import { Alert } from '../../ui/field.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import { Drawer } from '../../ui/layers.tsx'
import { buildDeviceFields } from '../fields.ts'
import { buildDeviceResource } from '../form/device-drawer.tsx'
import { devices } from '../window/device-list-client.ts'
import { isMatching, type Selected } from '../window/server-filter.ts'
import { type BulkOperation, putAll, runOperations } from './batch.ts'
import css from './bulk.module.css'
import type { DialogProps } from './bulk-delete.tsx'
import { BulkField, LEAVE, Touchable } from './bulk-field.tsx'
import {
  ADD_TAGS,
  buildPatch,
  buildSharedPatch,
  formatCounts,
  listSharedFields,
  type Touched,
  UNTOUCHED,
} from './bulk-values.ts'
import { loadSelected } from './load-selected.ts'

const NONE: readonly never[] = []
const NO_NAMES: RefNames = new Map()

/** Returns the selected devices; undefined if they are not here. */
const useSelected = (ids: Selected): readonly Device[] | undefined =>
  useQuery({
    queryKey: ['device', 'selected', isMatching(ids) ? ids.size : [...ids]],
    queryFn: async () => (await loadSelected(ids)) ?? null,
    staleTime: 0,
    gcTime: 0,
  }).data ?? undefined

/** Returns the definitions of the fields that several devices can have in common. */
const useDefinitions = (): readonly CustomField[] => {
  const isInUse = useIsInUse('custom-fields')
  const { data = NONE } = useQuery({ ...definitionsQuery, enabled: isInUse })
  return useMemo(() => data.filter(({ resource, unique }) => resource === 'devices' && !unique), [data])
}

/** Returns the objects that the fields refer to. */
const useNames = () => {
  const { may } = usePermit()
  const [hasRacks, hasTypes] = [useHasRacks(), useIsInUse('device-types')]
  const { data: datacenters = NONE } = useQuery({ ...datacentersQuery, enabled: may('datacenters:list') })
  const { data: types = NONE } = useQuery({ ...deviceTypesQuery, enabled: hasTypes && may('device-types:list') })
  const { data: racks = NONE } = useQuery({ ...racksQuery, enabled: hasRacks && may('racks:list') })
  return { datacenters, types, racks, hasRacks, hasTypes }
}

/** Returns the counted values of a field by its name; undefined while the devices are not known. */
const useCounts = (selected: readonly Device[] | undefined, known: ReturnType<typeof useNames>) => {
  const { datacenters, types, racks } = known
  return useMemo(() => {
    const names = new Map([...datacenters, ...types, ...racks].map(({ id, name }) => [id, name]))
    const read = new Map(listShownFields(buildDeviceFields(names), 'isDetail').map((one) => [one.name, one.read]))
    const readField = (name: string) => read.get(name === ADD_TAGS ? 'tags' : name)
    return (name: string): string | undefined => {
      const reader = readField(name)
      return selected && reader ? formatCounts(selected.map((device) => [reader(device)].flat())) : undefined
    }
  }, [selected, datacenters, types, racks])
}

const countRacks = (selected: readonly Device[], racks: readonly { readonly id: string; readonly name: string }[]) => {
  const names = new Map(racks.map(({ id, name }) => [id, name]))
  return formatCounts(selected.map(({ mount }) => (mount ? [names.get(mount.rack_id) ?? mount.rack_id] : [])))
}

type CustomProps = {
  readonly definitions: readonly CustomField[]
  readonly selected: readonly Device[] | undefined
  readonly touched: Touched
  readonly onTouch: (touched: Touched) => void
  readonly errors: Errors
}

const CustomValues = ({ definitions, selected, touched, onTouch, errors }: CustomProps) => {
  const { data: names = NO_NAMES } = useQuery({
    queryKey: ['custom-fields', 'names', 'selected', selected?.map(({ id }) => id)],
    queryFn: () => loadNamesForRows(definitions, selected ?? []),
    enabled: selected !== undefined && definitions.some(({ type }) => type === 'reference'),
    structuralSharing: false,
    staleTime: 0,
    gcTime: 0,
  })
  const { custom } = touched
  return collectGroups(definitions).map(([group, fields]) => (
    <fieldset key={group} className={css.group}>
      <legend>{group || UNGROUPED}</legend>
      {fields.map((one) => {
        const value = custom[one.name]
        const counts = selected && formatCounts(selected.map((device) => toTexts(one, getOwnValue(device, one), names)))
        const leave = () => {
          const { [one.name]: _, ...others } = custom
          onTouch({ ...touched, custom: others })
        }
        const set = (next: typeof value) => onTouch({ ...touched, custom: { ...custom, [one.name]: next ?? '' } })
        return (
          <Touchable
            key={one.id}
            label={one.label}
            isTouched={value !== undefined}
            isEmpty={value === '' || value?.length === 0}
            onClear={one.required ? undefined : () => set(one.multiple ? [] : '')}
            onLeave={leave}
          >
            <ValueControl
              definition={{ ...one, required: false, description: counts ?? '' }}
              value={value ?? (one.multiple ? NONE : '')}
              onChange={set}
              error={Object.entries(errors).find(([field]) => field.split('[')[0] === `custom.${one.name}`)?.[1]}
              unset={value === undefined ? LEAVE : 'Not set'}
            />
          </Touchable>
        )
      })}
    </fieldset>
  ))
}

export const BulkEdit = ({ ids, onClose, onDone }: DialogProps) => {
  const [touched, setTouched] = useState(UNTOUCHED)
  const known = useNames()
  const definitions = useDefinitions()
  const selected = useSelected(ids)
  const counts = useCounts(selected, known)
  const fields = useMemo(() => listSharedFields(buildDeviceResource(known).fields), [known])
  const shared = buildSharedPatch(fields, touched)
  const byId = new Map(selected?.map((device) => [device.id, device]))
  const toOperation = (id: string): BulkOperation => ({
    op: 'update',
    id,
    device: buildPatch(shared ?? {}, touched, byId.get(id)),
  })
  const change = useChange({
    isReady: shared !== undefined,
    needs: 'devices:update',
    run: runOperations(ids, toOperation, putAll),
    onClose,
    onDone,
    onFailed: devices.load,
  })
  const { done, isRunning, error, errors, note, setNote, proposing } = change
  const touch = (name: string) => (value: string | undefined) => {
    const { [name]: _, ...others } = touched.values
    setTouched({ ...touched, values: value === undefined ? others : { ...others, [name]: value } })
  }
  const setRack = (rack: string | undefined) => setTouched({ ...touched, rack })
  return (
    <Drawer title={`Edit ${plural(ids.size, 'device')}`} onClose={change.close}>
      <form className={fieldCss.form} onSubmit={change.submit} noValidate>
        <div className={fieldCss.body}>
          {error !== undefined && <Alert>{error instanceof Error ? error.message : String(error)}</Alert>}
          {fields.map((field) => (
            <BulkField
              key={field.name}
              field={field}
              value={touched.values[field.name]}
              onChange={touch(field.name)}
              counts={counts(field.name)}
              errors={errors}
              values={touched.values}
            />
          ))}
          {known.hasRacks && (
            <Touchable
              label="Rack"
              isTouched={touched.rack !== undefined}
              isEmpty={touched.rack === ''}
              onClear={() => setRack('')}
              onLeave={() => setRack(undefined)}
            >
              <ReferenceField
                label="Rack"
                to="racks"
                value={touched.rack ?? ''}
                onChange={setRack}
                placeholder={touched.rack === undefined ? LEAVE : ''}
                hint={selected && countRacks(selected, known.racks)}
                error={Object.entries(errors).find(([field]) => field.startsWith('mount'))?.[1]}
              />
            </Touchable>
          )}
          <CustomValues
            definitions={definitions}
            selected={selected}
            touched={touched}
            onTouch={setTouched}
            errors={errors}
          />
          <NoteField value={note} onChange={setNote} />
        </div>
        <footer className={fieldCss.foot}>
          <Button type="submit" look="primary" disabled={isRunning || shared === undefined}>
            {proposing.label(`Change ${formatCount(ids.size)}`)}
          </Button>
          {proposing.isChoice && (
            <Button onClick={change.propose} disabled={isRunning || shared === undefined}>
              Propose instead
            </Button>
          )}
          <Button onClick={change.close}>Cancel</Button>
          {isRunning && (
            <p role="status" className="muted">
              {formatCount(done ?? 0)} of {formatCount(ids.size)}
            </p>
          )}
        </footer>
      </form>
    </Drawer>
  )
}
