/** The place of a device in a rack, in its form. */
import { type MountForm, readMount, writeMount } from '../devices/form/mount-values.ts'
import { ReferenceField } from '../resource/form/reference-field.tsx'
import type { ControlInput } from '../resource/resource.ts'
import fieldCss from '../ui/field.module.css'
import { SelectField, TextField } from '../ui/field.tsx'
import type { ListedRack } from './fields.ts'

const FACES = [
  ['front', 'Front'],
  ['rear', 'Rear'],
] as const

const DEPTHS = [
  ['', 'As its type, else full'],
  ['true', 'Full: both faces'],
  ['false', 'Half: one face'],
] as const

const SLOTS: readonly (readonly [string, string])[] = [
  ['1/1', 'Full'],
  ...[2, 3, 4].flatMap((n) =>
    Array.from({ length: n }, (_, at) => [`${at + 1}/${n}`, `${at + 1} of ${n} beside each other`] as const),
  ),
]

type Props = Pick<ControlInput, 'value' | 'onChange' | 'errors'>

/** Returns the props of the control of one part. */
const createControls = ({ value, onChange, errors }: Props) => {
  const mount = readMount(value)
  return (name: keyof MountForm) => ({
    value: mount[name],
    onChange: (text: string) => onChange(writeMount({ ...mount, [name]: text })),
    error: errors[`mount.${name}`],
  })
}

const describeFree = ({ usage }: Partial<Pick<ListedRack, 'usage'>>): string | undefined =>
  usage && `${usage.free_units} units free`

const WITH_USAGE = { include: ['usage'] }

/** The rack and the unit of a device. */
export const MountFields = (props: Props) => {
  const control = createControls(props)
  const { value: rackId, ...rack } = control('rack_id')
  return (
    <>
      <ReferenceField
        label="Rack"
        to="racks"
        filter={WITH_USAGE}
        describe={describeFree}
        none="None"
        value={rackId}
        {...rack}
        error={rack.error ?? props.errors.mount}
      />
      {rackId !== '' && (
        <>
          <div className={fieldCss.two}>
            <TextField
              label="Unit"
              isMono
              inputMode="decimal"
              hint="The lowest that it occupies; empty for no unit"
              {...control('position')}
            />
            <TextField
              label="Height in units"
              isMono
              inputMode="decimal"
              hint="Empty: as its type, else 1"
              {...control('height')}
            />
          </div>
          <SelectField label="Face" options={FACES} {...control('face')} />
        </>
      )}
    </>
  )
}

/** Parts of the place that few devices need. */
export const MountDetails = (props: Props) => {
  const control = createControls(props)
  return (
    <>
      <TextField label="Power in watts" isMono inputMode="numeric" hint="Empty: as its type" {...control('power_w')} />
      <div className={fieldCss.two}>
        <SelectField label="Width" options={SLOTS} {...control('slot')} />
        <SelectField label="Depth" options={DEPTHS} {...control('full_depth')} />
      </div>
    </>
  )
}
